"""Make a notebook: a translated page as Markdown, the blocks of its script as code.

What its text refers to is resolved for readers outside of the site.
"""

from __future__ import annotations

import base64
import json
import mimetypes
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from sphinx.environment import BuildEnvironment
from sphinx.locale import admonitionlabels
from sphinx.util import docname_join, logging

from gallery_intl.downloads.markdown import Context, markdown
from gallery_intl.page.page import Script, catalog_of, script_of
from gallery_intl.page.upstream import EXAMPLE_TITLE, PREFIX, block_line
from gallery_intl.script.source import Block, blocks, docstring_lines

logger = logging.getLogger(__name__)

FORMAT = {"nbformat": 4, "nbformat_minor": 5}
NOT_RUN: dict[str, object] = {"execution_count": None, "outputs": []}
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
METADATA = {"kernelspec": KERNEL, "language_info": {"name": "python"}}

Nodes = list[tuple[int, nodes.Node]]  # with the level that a title there would have


class Cell(NamedTuple):
    """A cell of a notebook."""

    kind: str  # "markdown" or "code"
    source: str
    tag: str = ""  # of a cell that is no part of the page's program


def cells(
    env: BuildEnvironment, document: nodes.document, script: Script, source: str
) -> list[Cell]:
    """Return the text of a page as Markdown and the blocks of its script as code.

    ``source`` is the script in the page's language.
    """
    context, shown = context_of(env), script.blocks()
    texts = text_of_blocks(document, shown)
    found = []
    for before, block in zip(shown, blocks(source), strict=True):
        if block.kind == "code":
            cell = Cell("code", block.source.strip("\n"))
        else:
            parts = (markdown([x], context, level) for level, x in texts[before.line])
            cell = Cell("markdown", "\n\n".join(filter(None, parts)))
        if cell.source.strip():
            found.append(cell)
    return found


def text_of_blocks(
    document: nodes.document, shown: Sequence[Block]
) -> dict[int, Nodes]:
    """Return what a page shows of each text block, by the block's first line."""
    found: dict[int, Nodes] = defaultdict(list)
    place: Block | None = None
    for level, node in flat(document):
        if isinstance(node, nodes.comment):
            if line := block_line(node):
                place = [block for block in shown if block.line <= line][-1]
        elif place is None and isinstance(node, nodes.target):
            place = shown[0]  # Sphinx-Gallery's label stands before the docstring
        if place and not is_furniture(node):
            found[place.line].append((level, node))
    return found


def flat(node: nodes.Element, level: int = 0) -> Iterator[tuple[int, nodes.Node]]:
    """Yield what stands in a page, sections opened."""
    for child in node.children:
        if isinstance(child, nodes.section):
            yield from flat(child, level + 1)
        else:
            yield level, child


def is_furniture(node: nodes.Node) -> bool:
    """Return whether Sphinx-Gallery or the interface put a node into the page."""
    return any(
        not element.get("translatable", True)
        or any(x.startswith(PREFIX) and x != EXAMPLE_TITLE for x in element["classes"])
        for element in node.findall(nodes.Element)
    )


def page_address(env: BuildEnvironment, docname: str) -> str:
    """Return the address of a page; "" if ``html_baseurl`` is not configured."""
    base = getattr(env.config, "html_baseurl", "")
    uri = env._app.builder.get_target_uri(docname)
    return f"{base.rstrip('/')}/{uri}" if base else ""


def page_title(env: BuildEnvironment, docname: str) -> str:
    """Return the title of any page in the build's language.

    It is looked up where it is written, because that page may be read after this.
    """
    script = script_of(env, docname)
    if script is None:
        known = env.titles.get(docname)
        return known.astext() if known is not None else docname.rpartition("/")[2]
    first, last = docstring_lines(script.text)
    lines = script.text.split("\n")[first - 1 : last]
    texts = (line.strip().lstrip("rRuU").strip("\"'").strip() for line in lines)
    title = next(text for text in texts if re.search(r"\w", text))
    return (catalog_of(env, docname).translation(title) or title).replace("``", "")


def context_of(env: BuildEnvironment) -> Context:
    """Return what the Markdown of a page refers to."""

    def link(node: nodes.Element) -> tuple[str, str]:
        if node.get("reftype") != "doc":
            return "", node.get("refuri", "")
        docname = docname_join(env.docname, node["reftarget"])
        title = "" if node.get("refexplicit") else page_title(env, docname)
        return title, page_address(env, docname)

    def image(uri: str) -> str:
        path = Path(env.relfn2path(uri, env.docname)[1])
        if "://" in uri or not path.is_file():
            return uri
        kind = mimetypes.guess_type(path)[0] or "image/png"
        data = base64.b64encode(path.read_bytes()).decode("ascii")
        return f"data:{kind};base64,{data}"

    def unknown(node: nodes.Element) -> None:
        logger.warning(
            "there is no Markdown for %r: the notebook has its text only",
            node.tagname,
            type="gallery_intl",
            subtype="downloads",
            location=node,
        )

    return Context(link, image, lambda kind: str(admonitionlabels[kind]), unknown)


def notebook(cells: list[Cell]) -> str:
    """Return the file of a notebook without outputs; its ids count the cells."""
    written = [
        {
            "cell_type": cell.kind,
            "id": f"cell-{number}",
            "metadata": {"tags": [cell.tag]} if cell.tag else {},
            "source": cell.source.splitlines(keepends=True),
            **(NOT_RUN if cell.kind == "code" else {}),
        }
        for number, cell in enumerate(cells)
    ]
    data = {"cells": written, "metadata": METADATA, **FORMAT}
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def program(cells: list[Cell]) -> str:
    """Return the page's own program, without the cells that prepare it."""
    own = (cell.source for cell in cells if cell.kind == "code" and not cell.tag)
    return "\n\n".join(own)
