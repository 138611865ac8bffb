"""Let every message of a gallery page name the line of the script it stands in.

A translator who follows ``#: gallery/part/page.py:28`` finds the sentence itself, not
the generated reST. So does whoever reads a warning about a page, in any builder.
"""

from __future__ import annotations

import logging as std_logging
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util.logging import get_node_location
from sphinx.util.nodes import extract_messages, get_node_line
from sphinx.util.typing import ExtensionMetadata

from gallery_intl import order
from gallery_intl.page.page import block_near, collects_messages, origin, script_of
from gallery_intl.script.source import find_line

PAGE_OF_A_PART = ("index.rst", "GALLERY_HEADER.rst", "README.rst", "README.txt")


class LocateMessages(SphinxTransform):
    """Set source and line of each message to its place in the gallery."""

    default_priority = order.LOCATE

    def apply(self, **kwargs: Any) -> None:
        if not collects_messages(self.env):
            return
        page = self.document["source"]
        if not (found := written(self.env, self.env.docname)):
            return
        path, text = found
        rst = Path(page).read_text(encoding="utf-8").split("\n")
        lines = text.split("\n")
        for node, message in extract_messages(self.document):
            if node.source not in (page, None):
                continue
            _block, near = block_near(rst, get_node_line(node))
            line = find_line(lines, node.rawsource or message, near)
            if line is not None:
                node.source, node.line = str(path), line


def written(env: BuildEnvironment, docname: str) -> tuple[Path, str] | None:
    """Give the file that a person wrote for a page of the gallery, and its text."""
    if script := script_of(env, docname):
        return script.path, script.text
    path = page_of_a_part(env, docname)
    return (path, path.read_text(encoding="utf-8")) if path else None


def page_of_a_part(env: BuildEnvironment, docname: str) -> Path | None:
    """Give the file that a person wrote for an index page."""
    index = origin(env, docname, ".rst")
    if index is None:
        return None
    names = (index.with_name(name) for name in PAGE_OF_A_PART)
    return next(filter(Path.is_file, names), None)


def place(location: object, env: BuildEnvironment) -> tuple[str, int] | None:
    """Give the page and the line that a warning is about, if it names both."""
    if isinstance(location, nodes.Node):
        location = get_node_location(location)
    if isinstance(location, str):
        path, _colon, number = location.rpartition(":")
        location = (env.path2doc(path), int(number) if number.isdigit() else None)
    match location:
        case (str(docname), int(line)) if docname in env.found_docs:
            return docname, line
    return None


class ScriptLocations(std_logging.Filter):
    """Let a warning about a generated page name the line that a person wrote."""

    def __init__(self, env: BuildEnvironment) -> None:
        super().__init__()
        self.env = env

    def filter(self, record: std_logging.LogRecord) -> bool:
        found = place(getattr(record, "location", None), self.env)
        if found and (source := written(self.env, found[0])):
            docname, row = found
            path, text = source
            page = Path(self.env.doc2path(docname)).read_text(encoding="utf-8")
            rst = page.split("\n")
            _block, near = block_near(rst, row)
            line = find_line(text.split("\n"), rst[row - 1], near) or near
            record.location = f"{path}:{line}"
        return True


def install_filter(app: Sphinx) -> None:
    for handler in std_logging.getLogger("sphinx").handlers:
        for old in [x for x in handler.filters if isinstance(x, ScriptLocations)]:
            handler.removeFilter(old)
        handler.filters.insert(0, ScriptLocations(app.env))


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_transform(LocateMessages)
    app.connect("builder-inited", install_filter)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
