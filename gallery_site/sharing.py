"""Describe each page to search engines, and to people with whom it is shared.

A description is written in any case, all else only if the site has an address
(``html_baseurl``). sphinxext-opengraph would write such tags too, but it reads a page
node by node: a space lands on either side of each literal (``DataParallel 로``), the
list of what a page needs comes first, and it knows no ``og:locale``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple
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


class Shared(NamedTuple):
    """What is shown of a page; ``picture`` is an address, or "" if there is none."""

    title: str
    description: str
    url: str
    site_name: str
    language: str
    other_languages: list[str]
    picture: str
    kind: str = "article"


def locale_name(language: str) -> str:
    """Return a language with the territory that Open Graph asks for: ``ko_KR``."""
    try:
        locale = Locale.parse(language)
        likely = get_global("likely_subtags").get(locale.language, language)
        territory = locale.territory or Locale.parse(likely).territory
    except (UnknownLocaleError, ValueError):
        return language
    return f"{locale.language}_{territory}" if territory else locale.language


def properties(page: Shared) -> Iterator[tuple[str, str]]:
    """Yield the names and values of a page's Open Graph tags."""
    yield "og:type", page.kind
    yield "og:title", page.title
    yield "og:description", page.description
    yield "og:url", page.url
    yield "og:site_name", page.site_name
    yield "og:locale", locale_name(page.language)
    for language in page.other_languages:
        yield "og:locale:alternate", locale_name(language)
    if page.picture:
        yield "og:image", page.picture
        yield "og:image:alt", page.site_name


def description_tag(text: str) -> Markup:
    """Return the tag that search engines read."""
    return Markup('<meta name="description" content="{}" />\n').format(text)


def open_graph_tags(page: Shared) -> Markup:
    """Return all tags for sharing a page."""
    tag = Markup('<meta property="{}" content="{}" />\n')
    tags = [tag.format(name, value) for name, value in properties(page)]
    card = "summary_large_image" if page.picture else "summary"
    end = Markup('<meta name="twitter:card" content="{}" />\n').format(card)
    return Markup("").join([*tags, end])


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
    if app.builder.format != "html":
        return
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
        tags += str(open_graph_tags(shared(config, context, title, text, is_first)))
    context["metatags"] = tags


def shared(
    config: Config, context: dict[str, Any], title: str, text: str, is_first: bool
) -> Shared:
    """Return what is shown of a page that is shared."""
    picture = config.gallery_site_picture
    links = context.get("language_links", ())
    return Shared(
        title=title,
        description=text,
        url=context["pageurl"],
        site_name=config.html_title,
        language=config.language,
        other_languages=[link.tag for link in links if not link.current],
        picture=urljoin(config.html_baseurl, picture) if picture else "",
        kind="website" if is_first else "article",
    )
