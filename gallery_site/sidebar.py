"""Make the theme's sidebar once for a section, and mark each page in it.

pydata-sphinx-theme resolves the whole navigation, or prints it again from a tree, for
each page that it writes: a thousand pages of a thousand links. Here its sidebar is
taken once, and what a page has of its own is written into it: addresses that start at
the page, and the path to its entry.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from sphinx.util.osutil import relative_uri

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

from gallery_intl import order

MAKER = "generate_toctree_html"  # the theme's function, in the templates
THEMES_OWN = "_pst_sidebar_toctree_cache"  # what the theme remembers, in the app
CHEVRON = (
    '<summary><span class="toctree-toggle" role="presentation">'
    '<i class="fa-solid fa-chevron-down"></i></span></summary>'
)
MARKS = {"current", "active", "has-children"}


class UnknownShapeError(Exception):
    """The theme's sidebar is not the one that is known here."""


@dataclass(frozen=True, eq=False)
class Entry:
    """A link of the sidebar, with those below it."""

    uri: str  # quoted; from the root of the site, or with a host
    title: str  # HTML
    classes: tuple[str, ...]  # of its list item, without marks
    link_classes: str
    is_open: bool
    below: tuple[Entry, ...]


@dataclass
class Sidebar:
    """The entries of a section, and how a page shows them."""

    entries: tuple[Entry, ...]
    collapse: bool  # show below an entry only the path to the page
    folder: str = ""  # of the page that was printed last
    html: dict[Entry, str] = field(default_factory=dict)  # of closed ones, from there
    paths: dict[str, set[Entry]] = field(default_factory=dict)  # to the pages

    def __post_init__(self) -> None:
        for entry in self.entries:
            self._note(entry, ())

    def _note(self, entry: Entry, above: tuple[Entry, ...]) -> None:
        path = (*above, entry)
        self.paths.setdefault(entry.uri, set()).update(path)
        for lower in entry.below:
            self._note(lower, path)

    def of_page(self, uri: str) -> str:
        """Print the sidebar of a page, as the theme would."""
        if posixpath.dirname(uri) != self.folder:
            self.folder = posixpath.dirname(uri)
            self.html.clear()
        path = self.paths[uri]
        items = "\n".join(self._item(entry, uri, path) for entry in self.entries)
        return f'<ul class="current nav bd-sidenav">\n{items}\n</ul>\n'

    def _item(self, entry: Entry, uri: str, path: set[Entry]) -> str:
        if entry in path:
            return "".join(self._open_item(entry, uri, path))
        if entry not in self.html:
            self.html[entry] = "".join(self._closed_item(entry, uri))
        return self.html[entry]

    def _open_item(self, entry: Entry, uri: str, path: set[Entry]) -> Iterator[str]:
        yield start(entry, "current", "active", *has_children(entry.below))
        if entry.uri == uri:
            yield '<a aria-current="page" class="current '
            yield f'{entry.link_classes}" href="#">{entry.title}</a>'
        else:
            yield link(entry, uri)
        if entry.below:
            mark = ' class="current"' if path & {*entry.below} else ""
            items = "\n".join(self._item(lower, uri, path) for lower in entry.below)
            yield f'<details open="open">{CHEVRON}<ul{mark}>\n{items}\n</ul></details>'
        yield "</li>"

    def _closed_item(self, entry: Entry, uri: str) -> Iterator[str]:
        below = () if self.collapse else entry.below
        yield start(entry, *has_children(below))
        yield link(entry, uri)
        if below:
            mark = ' open="open"' if entry.is_open else ""
            items = "\n".join(self._item(lower, uri, set()) for lower in below)
            yield f"<details{mark}>{CHEVRON}<ul>\n{items}\n</ul></details>"
        yield "</li>"


def start(entry: Entry, *marks: str) -> str:
    return f'<li class="{" ".join((*entry.classes, *marks))}">'


def has_children(below: tuple[Entry, ...]) -> tuple[str, ...]:
    return ("has-children",) if below else ()


def link(entry: Entry, base: str) -> str:
    address = entry.uri if ":" in entry.uri else relative_uri(base, entry.uri)
    return f'<a class="{entry.link_classes}" href="{escape(address)}">{entry.title}</a>'


def read(soup: BeautifulSoup, base: str) -> tuple[Entry, ...]:
    """Read the sidebar that the theme made for the page at ``base``."""
    tags = soup.find_all(True, recursive=False)
    if [tag.name for tag in tags] != ["ul"]:  # lists with captions, for one
        raise UnknownShapeError
    return read_entries(tags[0], base)


def read_entries(items: Tag, base: str) -> tuple[Entry, ...]:
    return tuple(
        read_entry(item, base) for item in items.find_all("li", recursive=False)
    )


def read_entry(item: Tag, base: str) -> Entry:
    anchor = item.find("a", recursive=False)
    if anchor is None:
        raise UnknownShapeError
    address = str(anchor["href"])
    if address == "#":
        address = base
    elif ":" not in address:
        address = urljoin(f"/{base}", address).removeprefix("/")
    below = item.select_one(":scope > details > ul")
    return Entry(
        uri=address,
        title=anchor.decode_contents(),
        classes=tuple(name for name in item["class"] if name not in MARKS),
        link_classes=" ".join(name for name in anchor["class"] if name not in MARKS),
        is_open=item.select_one(":scope > details[open]") is not None,
        below=() if below is None else read_entries(below, base),
    )


class Sidebars:
    """The sidebars of one build, by section and options."""

    def __init__(self) -> None:
        self.known: dict[tuple[Any, ...], Sidebar | None] = {}

    def forget(self, app: Sphinx, *_: object) -> None:
        """Make them anew: pages were read, which may have other titles now."""
        self.known.clear()
        vars(app).pop(THEMES_OWN, None)

    def replace(
        self,
        app: Sphinx,
        pagename: str,
        _template: str,
        context: dict[str, Any],
        *_: object,
    ) -> None:
        """Put ours before the theme's, which goes on making what ours does not."""
        make = context.get(MAKER)
        if make is None:
            return

        def make_here(kind: str, startdepth: int = 1, **options: Any) -> Any:
            if kind == "sidebar" and startdepth == 1:
                sidebar = self.of_section(app, pagename, options)
                uri = app.builder.get_target_uri(pagename)
                if sidebar is not None and uri in sidebar.paths:
                    return sidebar.of_page(uri)
            return make(kind, startdepth=startdepth, **options)

        context[MAKER] = make_here

    def of_section(
        self, app: Sphinx, pagename: str, options: dict[str, Any]
    ) -> Sidebar | None:
        """Give the sidebar of the section that a page is in, if it can be read."""
        from pydata_sphinx_theme.toctree import _get_ancestor_pagename

        section = _get_ancestor_pagename(app, pagename, 1)[0]
        if section is None:
            return None
        key = (section, *sorted(options.items()))
        if key not in self.known:
            try:
                entries = made_by_theme(app, section, options)
                self.known[key] = Sidebar(entries, bool(options.get("collapse")))
            except UnknownShapeError:
                self.known[key] = None
        return self.known[key]


def made_by_theme(
    app: Sphinx, section: str, options: dict[str, Any]
) -> tuple[Entry, ...]:
    """Let the theme make the sidebar of a section's own page, whole."""
    from pydata_sphinx_theme.toctree import add_toctree_functions

    context: dict[str, Callable[..., Any]] = {}
    add_toctree_functions(app, section, "", context, None)
    soup = context[MAKER]("sidebar", **{**options, "collapse": False})
    return read(soup, app.builder.get_target_uri(section))


def setup(app: Sphinx) -> ExtensionMetadata:
    sidebars = Sidebars()
    app.connect("env-updated", sidebars.forget)
    app.connect("html-page-context", sidebars.replace, priority=order.AFTER_THEME)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
