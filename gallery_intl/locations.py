"""Let every message of a gallery page name the line of the script it stands in.

A translator who follows ``#: gallery/part/page.py:28`` finds the sentence itself, not
the generated reST.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.nodes import extract_messages, get_node_line
from sphinx.util.typing import ExtensionMetadata

from gallery_intl.pages import collects_messages, find_line, origin, script_of

GENERATED = re.compile(r"\.\. GENERATED FROM PYTHON SOURCE LINES (\d+)-(\d+)")
PAGE_OF_A_PART = ("index.rst", "GALLERY_HEADER.rst", "README.rst", "README.txt")


def guess(rst: list[str], row: int) -> int:
    """Tell near which line of its script a line of generated reST stands."""
    for number in range(min(row, len(rst)), 0, -1):
        if found := GENERATED.match(rst[number - 1]):
            return int(found[1]) + row - number - 2
        if rst[number - 1].startswith(".. _sphx_glr_"):  # the docstring follows
            return row - number - 1
    return row


class LocateMessages(SphinxTransform):
    """Set source and line of each message to its place in the gallery."""

    default_priority = 16  # after comments (15), which know their own lines

    def apply(self, **kwargs: Any) -> None:
        if not collects_messages(self.env):
            return
        docname, page = self.env.docname, self.document["source"]
        if script := script_of(self.env, docname):
            path, text = script.path, script.text
        elif found := self.page_of_a_part(docname):
            path, text = found, found.read_text(encoding="utf-8")
        else:
            return
        rst = Path(page).read_text(encoding="utf-8").split("\n")
        lines = text.split("\n")
        for node, message in extract_messages(self.document):
            if node.source not in (page, None):
                continue
            near = guess(rst, get_node_line(node))
            line = find_line(lines, node.rawsource or message, near)
            if line is not None:
                node.source, node.line = str(path), line

    def page_of_a_part(self, docname: str) -> Path | None:
        """Give the file that a person wrote for an index page."""
        index = origin(self.env, docname, ".rst")
        if index is None:
            return None
        written = (index.with_name(name) for name in PAGE_OF_A_PART)
        return next(filter(Path.is_file, written), None)


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_transform(LocateMessages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
