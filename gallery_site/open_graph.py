"""Tell other sites what to show when somebody shares a page.

sphinxext-opengraph would write such tags too, but it reads a page node by node: a
space lands on either side of each literal (``DataParallel 로``), the list of what a
page needs comes first, and it knows no ``og:locale``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from babel import Locale, UnknownLocaleError
from babel.core import get_global
from markupsafe import Markup

CARD_SIZE = (1200, 630)
CARD_FOLDER = "_social"


class Shared(NamedTuple):
    """What is shown of a page; ``card`` is the address of its picture, if any."""

    title: str
    description: str
    url: str
    site_name: str
    language: str
    other_languages: list[str]
    card: str
    kind: str = "article"


def locale_name(language: str) -> str:
    """Give a language with the territory that Open Graph asks for: ``ko_KR``."""
    try:
        locale = Locale.parse(language)
        likely = get_global("likely_subtags").get(locale.language, language)
        territory = locale.territory or Locale.parse(likely).territory
    except (UnknownLocaleError, ValueError):
        return language
    return f"{locale.language}_{territory}" if territory else locale.language


def properties(page: Shared) -> Iterator[tuple[str, str]]:
    """Give the names and values of a page's Open Graph tags."""
    yield "og:type", page.kind
    yield "og:title", page.title
    yield "og:description", page.description
    yield "og:url", page.url
    yield "og:site_name", page.site_name
    yield "og:locale", locale_name(page.language)
    for language in page.other_languages:
        yield "og:locale:alternate", locale_name(language)
    if page.card:
        yield "og:image", page.card
        yield "og:image:type", "image/png"
        yield "og:image:width", str(CARD_SIZE[0])
        yield "og:image:height", str(CARD_SIZE[1])
        yield "og:image:alt", page.title


def description_tag(text: str) -> Markup:
    """Give the tag that search engines read."""
    return Markup('<meta name="description" content="{}" />\n').format(text)


def open_graph_tags(page: Shared) -> Markup:
    """Give all tags for sharing a page."""
    tag = Markup('<meta property="{}" content="{}" />\n')
    card = Markup('<meta name="twitter:card" content="{}" />\n')
    tags = [tag.format(name, value) for name, value in properties(page)]
    kind = "summary_large_image" if page.card else "summary"
    return Markup("").join([*tags, card.format(kind)])
