"""Make the theme's sidebar once for a section, and mark each page in it.

The theme moves its marks in a tree of the whole navigation, and prints that, for each
page that it writes: with 1,000 pages in the sidebar most of a build's time. Here its
sidebar is taken once, as text, and what a page has of its own is written into it:
addresses that start at the page, and the path to its entry.
"""

from __future__ import annotations

import posixpath
import re
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from sphinx.util.osutil import relative_uri

from gallery_site import upstream

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from sphinx.application import Sphinx

INTERNAL = re.compile(r'(<a class="[^"]*\binternal\b[^"]*" href=")([^"]*)')
ENTRY = r"""(?xs)
    <li\ class="(?P<level>\S+)(?P<classes>[^"]*)">
    <a\ class="(?P<link>[^"]*)"\ href="%s">(?P<title>.*?)</a>
    (?:<details[^>]*>(?P<summary><summary>.*?</summary>)<ul>)?
"""


class Sidebar:
    """The sidebar of a section, and how a page shows it."""

    def __init__(self, soup: BeautifulSoup, base: str) -> None:
        self.paths: dict[str, set[str]] = {}  # of pages: what leads to their entries
        for anchor in soup.select("a.internal"):
            anchor["href"] = urljoin(f"/{base}", str(anchor["href"])).removeprefix("/")
            above = (item.a for item in anchor.find_parents("li"))
            path = {str(entry["href"]) for entry in above if entry}
            self.paths.setdefault(str(anchor["href"]), set()).update(path)
        self.html = str(soup)
        self.folder: str | None = None  # of the page that was printed last
        self.seen_there = ""  # the sidebar, with addresses that start in that folder

    def of_page(self, uri: str) -> str:
        """Return the sidebar of a page, as the theme would print it."""
        folder = posixpath.dirname(uri)
        base = f"{folder}/" if folder else ""
        if folder != self.folder:
            self.folder = folder
            self.seen_there = INTERNAL.sub(
                lambda found: found[1] + relative_uri(base, found[2]), self.html
            )
        html = self.seen_there.replace('<ul class="', '<ul class="current ', 1)
        for entry in self.paths[uri]:
            html = marked(html, relative_uri(base, entry), entry == uri)
        return html


def marked(html: str, href: str, is_page: bool) -> str:
    """Mark the entries with an address as those of the page, or as above it."""

    def mark(found: re.Match[str]) -> str:
        link = f'<a class="{found["link"]}" href="{escape(href)}">'
        if is_page:
            link = f'<a aria-current="page" class="current {found["link"]}" href="#">'
        item = f'<li class="{found["level"]} current active{found["classes"]}">'
        text = f"{item}{link}{found['title']}</a>"
        if found["summary"]:
            below = "<ul>" if is_page else '<ul class="current">'
            text += f'<details open="open">{found["summary"]}{below}'
        return text

    return re.sub(ENTRY % re.escape(escape(href)), mark, html)


class Sidebars:
    """The sidebars of one build, by section and options."""

    def __init__(self) -> None:
        self.known: dict[tuple[Any, ...], Sidebar | None] = {}

    def forget(self, app: Sphinx, *_: object) -> None:
        """Make them anew: pages were read, which may have other titles now."""
        self.known.clear()
        upstream.forget_sidebars(app)

    def replace(
        self,
        app: Sphinx,
        pagename: str,
        _template: str,
        context: dict[str, Any],
        *_: object,
    ) -> None:
        """Put ours before the theme's, which goes on making what ours does not."""
        make = context.get(upstream.SIDEBAR)
        if make is None:
            return

        def make_here(kind: str, startdepth: int = 1, **options: Any) -> Any:
            if kind == "sidebar" and startdepth == 1 and not options.get("collapse"):
                sidebar = self.of_section(app, pagename, options)
                uri = app.builder.get_target_uri(pagename)
                if sidebar is not None and uri in sidebar.paths:
                    return sidebar.of_page(uri)
            return make(kind, startdepth=startdepth, **options)

        context[upstream.SIDEBAR] = make_here

    def of_section(
        self, app: Sphinx, pagename: str, options: dict[str, Any]
    ) -> Sidebar | None:
        """Return the sidebar of the section that a page is in, if it has a known form.

        It is that of the section's own page, where no entry is marked.
        """
        section = upstream.section_of(app, pagename)
        if section is None:
            return None
        key = (section, *sorted(options.items()))
        if key not in self.known:
            soup = upstream.sidebar_of(app, section, options)
            lists = [tag.name for tag in soup.find_all(True, recursive=False)]
            is_known = lists == ["ul"] and not soup.select(".current")
            uri = app.builder.get_target_uri(section)
            self.known[key] = Sidebar(soup, uri) if is_known else None
        return self.known[key]
