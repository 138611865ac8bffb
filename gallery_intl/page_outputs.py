"""Find what each code block of a generated page printed and drew."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from docutils import nodes
from sphinx import addnodes

from gallery_intl.pages import is_python

GENERATED = re.compile(r"GENERATED FROM PYTHON SOURCE LINES (\d+)-\d+")
PRINTED = "sphx-glr-script-out"
ENDS_OUTPUT = (nodes.comment, nodes.section, nodes.target, addnodes.only)


class Outputs(NamedTuple):
    """What a code block printed and drew, as it stands below the block."""

    line: int  # of the code block in its script
    code: nodes.literal_block
    shown: list[nodes.Element]


def page_outputs(document: nodes.document) -> Iterator[Outputs]:
    """Give the code blocks of a page with their outputs, in order."""
    for comment in list(document.findall(nodes.comment)):
        found = GENERATED.match(comment.astext())
        code = next(iter(following(comment)), None)
        if found and isinstance(code, nodes.literal_block) and is_python(code):
            rest = takewhile(
                lambda node: not isinstance(node, ENDS_OUTPUT), following(code)
            )
            shown = [node for node in rest if isinstance(node, nodes.Element)]
            yield Outputs(int(found[1]), code, shown)


def following(node: nodes.Node) -> list[nodes.Node]:
    """Give what stands after a node, below the same parent."""
    siblings = node.parent.children
    return list(siblings[siblings.index(node) + 1 :])
