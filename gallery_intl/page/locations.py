"""Let messages and warnings name what a person wrote.

A translator who follows ``#: gallery/part/page.py`` finds the sentence itself, not the
generated reST. Whoever reads a warning about a page, in any builder, finds its line;
one about a translation names the line of its ``.po``.
"""

from __future__ import annotations

import logging as std_logging
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util.logging import get_node_location
from sphinx.util.nodes import extract_messages

from gallery_intl import order
from gallery_intl.builders import collects_messages
from gallery_intl.page.page import Page, line_of, page_of
from gallery_intl.text.wrapping import one_line

TRANSLATED = ":<translated>"  # Sphinx's mark behind the line of what was translated
MARKS = " \t#*-+:|.0123456789()\"'rR"  # what may stand before a text


class LocateMessages(SphinxTransform):
    """Set source and line of each message to its place in the gallery."""

    default_priority = order.LOCATE

    def apply(self, **kwargs: Any) -> None:
        page = page_of(self.env)
        if not collects_messages(self.env) or not page.source:
            return
        for node, message in extract_messages(self.document):
            if node.source not in (self.document["source"], None):
                continue
            row = page.row(line_of(node))
            if line := page.source.find(node.rawsource or message, row.near):
                node.source, node.line = str(page.source.path), line


class Locations(std_logging.Filter):
    """Let a warning about a page name the script's line or the catalog's."""

    def __init__(self, env: BuildEnvironment) -> None:
        super().__init__()
        self.env = env
        self.page: Page | None = None  # the last one, which often has more warnings

    def filter(self, record: std_logging.LogRecord) -> bool:
        location = getattr(record, "location", None)
        if isinstance(location, nodes.Node):
            location = get_node_location(location)
        if isinstance(location, str):
            place, translated, _rest = location.partition(TRANSLATED)
            path, _colon, number = place.rpartition(":")
            location = self.env.path2doc(path), int(number) if number.isdigit() else 0
        else:
            translated = ""
        match location:
            case (str(docname), int(row)) if row and docname in self.env.found_docs:
                line_in = catalog_line if translated else script_line
                if position := line_in(self.page_of(docname), row):
                    record.location = position
        return True

    def page_of(self, docname: str) -> Page:
        """Return a page, whose lines are counted once for all of its warnings."""
        if self.page is None or self.page.docname != docname:
            self.page = Page(self.env, docname)
        return self.page


def script_line(page: Page, row: int) -> str | None:
    """Return what a person wrote for a line of reST, as ``path:line``."""
    if not page.source:
        return None
    place = page.row(row)
    line = page.source.find(page.rst[row - 1], place.near) or place.near
    return f"{page.source.path}:{line}"


def catalog_line(page: Page, row: int) -> str | None:
    """Return where the translation of the text at a line of reST is, ``path:line``."""
    for start in (row, row - 1, row + 1, row - 2):
        text = one_line(" ".join(page.rst[max(start - 1, 0) :])).lstrip(MARKS)
        # of 3.14, which is all marks, any text would be the beginning
        words = {x: one_line(x).lstrip(MARKS) for x in page.catalog.entries}
        messages = [x for x in words if words[x] and text.startswith(words[x])]
        if messages:
            path, line = page.catalog.line(max(messages, key=len)) or ("", 0)
            return f"{path}:{line}"
    return None


def install_filter(app: Sphinx) -> None:
    for handler in std_logging.getLogger("sphinx").handlers:
        for old in [x for x in handler.filters if isinstance(x, Locations)]:
            handler.removeFilter(old)
        handler.filters.insert(0, Locations(app.env))
