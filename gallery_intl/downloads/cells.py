"""Turn a translated page and its script into the cells of a notebook."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from docutils import nodes

from gallery_intl.downloads.markdown import Context, markdown
from gallery_intl.downloads.notebook import Cell
from gallery_intl.script.source import Block

GENERATED = re.compile(r"GENERATED FROM PYTHON SOURCE LINES (\d+)-\d+")
EXAMPLE_TITLE = "sphx-glr-example-title"  # on whatever a page begins with

Nodes = list[tuple[int, nodes.Node]]  # with the level that a title there would have


def cells(
    document: nodes.document,
    shown: Sequence[Block],
    translated: Sequence[Block],
    context: Context,
) -> list[Cell]:
    """Give the text of a page as Markdown and the blocks of its script as code.

    ``shown`` are the blocks of the script that the page was generated from, and
    ``translated`` the same blocks in the page's language.
    """
    texts = text_of_blocks(document, shown)
    found = []
    for before, block in zip(shown, translated, strict=True):
        if block.kind == "code":
            cell = Cell("code", block.source.strip("\n"))
        else:
            parts = (markdown([x], context, level) for level, x in texts[before.line])
            cell = Cell("markdown", "\n\n".join(filter(None, parts)))
        if cell.source.strip():
            found.append(cell)
    return found


def text_of_blocks(
    document: nodes.document, blocks: Sequence[Block]
) -> dict[int, Nodes]:
    """Collect what a page shows of each text block, by the block's first line."""
    found: dict[int, Nodes] = defaultdict(list)
    place: Block | None = None
    for level, node in flat(document):
        if isinstance(node, nodes.comment):
            if match := GENERATED.match(node.astext()):
                line = int(match[1])
                place = [block for block in blocks if block.line <= line][-1]
        elif place is None and isinstance(node, nodes.target):
            place = blocks[0]  # Sphinx-Gallery's label stands before the docstring
        if place and not is_furniture(node):
            found[place.line].append((level, node))
    return found


def flat(node: nodes.Element, level: int = 0) -> Iterator[tuple[int, nodes.Node]]:
    """Give what stands in a page, sections opened."""
    for child in node.children:
        if isinstance(child, nodes.section):
            yield from flat(child, level + 1)
        else:
            yield level, child


def is_furniture(node: nodes.Node) -> bool:
    """Tell whether Sphinx-Gallery or the interface put a node into the page."""
    return any(
        not element.get("translatable", True)
        or any(
            name.startswith("sphx-glr") and name != EXAMPLE_TITLE
            for name in element["classes"]
        )
        for element in node.findall(nodes.Element)
    )
