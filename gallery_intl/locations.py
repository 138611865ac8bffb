"""Let every message of a gallery page name the line of the script it stands in.

A translator who follows ``#: gallery/part/page.py:28`` finds the sentence itself, not
the generated reST.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.nodes import extract_messages, get_node_line
from sphinx.util.typing import ExtensionMetadata

from gallery_intl.pages import block_near, collects_messages, origin, script_of
from gallery_intl.python_source import find_line

PAGE_OF_A_PART = ("index.rst", "GALLERY_HEADER.rst", "README.rst", "README.txt")


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
            _block, near = block_near(rst, get_node_line(node))
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
