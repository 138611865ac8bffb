"""Describe each page to search engines, and to people with whom it is shared.

A description is written in any case, all else only if the site has an address
(``html_baseurl``). sphinxext-opengraph would write such tags too, but it reads a page
node by node: a space lands on either side of each literal (``DataParallel 로``), the
list of what a page needs comes first, and it knows no ``og:locale``.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urljoin

from babel import Locale, UnknownLocaleError
from babel.core import get_global
from docutils import nodes
from markupsafe import Markup
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.locale import _

from gallery_intl.text.sentences import describe

TITLE_IN_TEMPLATE = {"search.html": "Search", "genindex.html": "Index"}  # Sphinx's own


def locale_name(language: str) -> str:
    """Return a language with the territory that Open Graph asks for: ``ko_KR``."""
    try:
        locale = Locale.parse(language.replace("-", "_"))  # a tag of HTML, too
        likely = get_global("likely_subtags").get(locale.language, language)
        territory = locale.territory or Locale.parse(likely).territory
    except (UnknownLocaleError, ValueError):
        return language
    return f"{locale.language}_{territory}" if territory else locale.language


def description_tag(text: str) -> Markup:
    """Return the tag that search engines read."""
    return Markup('<meta name="description" content="{}" />\n').format(text)


def open_graph_tags(
    *, site_name: str, language: str, others: list[str], picture: str, **named: str
) -> Markup:
    """Return all tags for sharing a page; ``picture`` is an address, or "" if none."""
    said = [(f"og:{name}", value) for name, value in named.items()]
    said += [("og:site_name", site_name), ("og:locale", locale_name(language))]
    said += [("og:locale:alternate", locale_name(other)) for other in others]
    if picture:
        said += [("og:image", picture), ("og:image:alt", site_name)]
    tag = Markup('<meta property="{}" content="{}" />\n')
    card = "summary_large_image" if picture else "summary"
    end = Markup('<meta name="twitter:card" content="{}" />\n').format(card)
    return Markup("").join([*(tag.format(*pair) for pair in said), end])


def page_title(templatename: str, context: dict[str, Any]) -> str:
    """Return a page's title as plain text; two templates have their own."""
    own = TITLE_IN_TEMPLATE.get(templatename)
    return _(own) if own else Markup(context.get("title", "")).striptags()


def describe_page(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Put the tags into the head of a page."""
    config = app.config
    title = page_title(templatename, context)
    own = describe(doctree) if doctree is not None else ""
    text = own or f"{title} — {config.html_title}"
    tags = context.get("metatags", "")
    if 'name="description"' not in tags:  # an author's own, by a meta directive
        tags += str(description_tag(text))  # as Markup it would escape the others
    is_public = app.builder.name in ("html", "dirhtml") and config.html_baseurl
    if doctree is not None and is_public:
        is_first = pagename == config.root_doc
        tags += str(shared(config, context, is_first, title=title, description=text))
    context["metatags"] = tags


def shared(
    config: Config, context: dict[str, Any], is_first: bool, **said: str
) -> Markup:
    """Return the tags for sharing a page."""
    links, picture = context.get("language_links", ()), config.gallery_site_picture
    return open_graph_tags(
        type="website" if is_first else "article",
        **said,
        url=context["pageurl"],
        site_name=config.html_title,
        language=config.language,
        others=[link.tag for link in links if not link.current],
        picture=urljoin(config.html_baseurl, picture) if picture else "",
    )
