"""Find the code blocks of a generated page, and what each printed and drew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import NamedTuple

from docutils import nodes
from sphinx import addnodes

from gallery_intl.page.upstream import block_line
from gallery_intl.script.source import Block

ENDS = (nodes.comment, nodes.section, nodes.target, addnodes.only)


class Outputs(NamedTuple):
    """What a code block printed and drew, as it stands on the page."""

    line: int  # of the code block in its script
    code: nodes.Node | None  # as the page shows it, if it does
    parent: nodes.Element
    place: int  # in the parent, where it begins
    shown: list[nodes.Element]


def page_outputs(
    document: nodes.document, blocks: Iterable[Block]
) -> Iterator[Outputs]:
    """Yield each code block of a page with what it printed and drew, in order.

    It stands below the code; above it on a page that is one code block.
    """
    lines = {block.line for block in blocks if block.kind == "code"}
    for comment in list(document.findall(nodes.comment)):
        line = block_line(comment)
        if line and line in lines:
            parent = comment.parent
            after = parent.children[parent.index(comment) + 1 :]
            below = list(takewhile(lambda node: not isinstance(node, ENDS), after))
            code = next(filter(is_python, below), None)
            shown = [x for x in below if x is not code and isinstance(x, nodes.Element)]
            place = parent.index(shown[0] if shown else code or comment)
            yield Outputs(line, code, parent, place + (not shown), shown)


def is_python(block: nodes.Node) -> bool:
    """Return whether a node is Python code; Sphinx-Gallery says "Python"."""
    if not isinstance(block, nodes.literal_block):
        return False
    return str(block.get("language")).lower() in ("python", "py", "python3")
