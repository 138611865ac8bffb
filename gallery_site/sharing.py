"""Describe each page to search engines, and to people with whom it is shared.

A description is written in any case, all else only if the site has an address
(``html_baseurl``): a shared page without one would show a picture that is nowhere.
"""

from __future__ import annotations

import shutil
from typing import Any
from urllib.parse import urljoin

from docutils import nodes
from markupsafe import Markup
from sphinx.application import Sphinx
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

from gallery_intl import order
from gallery_intl.text.sentences import describe, opening
from gallery_site.open_graph import (
    CARD_FOLDER,
    Shared,
    description_tag,
    open_graph_tags,
)

logger = logging.getLogger(__name__)
TITLE_IN_TEMPLATE = {"search.html": "Search", "genindex.html": "Index"}  # Sphinx's own
ON_CARD = 150  # columns of the description; it has three lines


def has_address(app: Sphinx) -> bool:
    """Tell whether the pages of this build have public addresses."""
    return app.builder.name in ("html", "dirhtml") and bool(app.config.html_baseurl)


def social_card(app: Sphinx, page: str, title: str, description: str) -> str:
    """Draw a page's card and give its address; "" if no font has its letters."""
    from gallery_site.card_fonts import family_for  # only with an address
    from gallery_site.social_cards import Block, Card, card_path, draw

    site_name: str = app.config.html_title
    base: str = app.config.html_baseurl
    text = opening([description], ON_CARD)
    names = app.config.gallery_intl_card_fonts.get(app.config.language, [])
    found = family_for(f"{site_name}{title}{text}…", names)
    path = card_path(app.outdir, page)
    if found is None:
        path.unlink(missing_ok=True)
        return ""
    lines = [Block(text, found)]
    draw(Card(Block(site_name, found), Block(title, found), lines), path)
    return urljoin(base, f"{CARD_FOLDER}/{page}.png")


def page_title(templatename: str, context: dict[str, Any]) -> str:
    """Give a page's title as plain text; two templates have their own."""
    own = TITLE_IN_TEMPLATE.get(templatename)
    return _(own) if own else Markup(context.get("title", "")).striptags()


def describe_page(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    if app.builder.format != "html":
        return
    title = page_title(templatename, context)
    site_name = app.config.html_title
    own = describe(doctree) if doctree is not None else ""
    text = own or f"{title} — {site_name}"
    tags = context.get("metatags", "")
    if 'name="description"' not in tags:  # an author's own, by a meta directive
        tags += str(description_tag(text))  # as Markup it would escape the others
    if doctree is not None and has_address(app):
        links = context.get("language_links", ())
        page = Shared(
            title=title,
            description=text,
            url=context["pageurl"],
            site_name=site_name,
            language=app.config.language,
            other_languages=[link.tag for link in links if not link.current],
            card=social_card(app, pagename, title, own),
            kind="website" if pagename == app.config.root_doc else "article",
        )
        tags += str(open_graph_tags(page))
    context["metatags"] = tags


def report_cards(app: Sphinx, error: Exception | None) -> None:
    """Say which pages have no card; without an address, leave none behind."""
    if error or app.builder.format != "html":
        return
    if not has_address(app):
        shutil.rmtree(app.outdir / CARD_FOLDER, ignore_errors=True)
        return
    from gallery_site.social_cards import note_on_missing

    if note := note_on_missing(app.outdir, app.env.found_docs):
        logger.info(note)


def setup(app: Sphinx) -> ExtensionMetadata:
    # families by language, the best first: {"ko": ["Noto Sans CJK KR"]}
    app.add_config_value("gallery_intl_card_fonts", {}, "html", types=frozenset({dict}))
    # after the links to the other languages (500), which it names
    app.connect("html-page-context", describe_page, priority=order.AFTER_THEME)
    app.connect("build-finished", report_cards)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
