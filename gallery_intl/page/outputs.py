"""Find what each code block of a generated page printed and drew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import NamedTuple

from docutils import nodes
from sphinx import addnodes

from gallery_intl.page.page import is_python
from gallery_intl.page.upstream import block_line
from gallery_intl.script.source import Block

ENDS_OUTPUT = (nodes.comment, nodes.section, nodes.target, addnodes.only)


class Outputs(NamedTuple):
    """What a code block printed and drew, as it stands on the page."""

    line: int  # of the code block in its script
    parent: nodes.Element
    place: int  # in the parent, where it begins
    shown: list[nodes.Element]


def page_outputs(
    document: nodes.document, blocks: Iterable[Block]
) -> Iterator[Outputs]:
    """Give what each code block of a page printed and drew, in order.

    It stands below the code; above it on a page that is one code block.
    """
    lines = {block.line for block in blocks if block.kind == "code"}
    for comment in list(document.findall(nodes.comment)):
        line = block_line(comment)
        if line and line in lines:
            below = list(takewhile(is_of_block, following(comment)))
            code = next(filter(is_python, below), comment)
            shown = [node for node in below if node is not code]
            parent = comment.parent
            place = parent.index(shown[0]) if shown else parent.index(code) + 1
            yield Outputs(line, parent, place, shown)


def is_of_block(node: nodes.Node) -> bool:
    return not isinstance(node, ENDS_OUTPUT)


def following(node: nodes.Node) -> list[nodes.Element]:
    """Give what stands after a node, below the same parent."""
    siblings = node.parent.children[node.parent.index(node) + 1 :]
    return [sibling for sibling in siblings if isinstance(sibling, nodes.Element)]
