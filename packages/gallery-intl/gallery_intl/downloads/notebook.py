"""Make a notebook: a translated page as Markdown, the blocks of its script as code.

What its text refers to is resolved for readers outside of the site.
"""

from __future__ import annotations

import base64
import json
import mimetypes
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.util import docname_join

from gallery_intl.downloads.markdown import Writer
from gallery_intl.page.directives import is_code_fold
from gallery_intl.project import Project, Script
from gallery_intl.script.files import file_of, statement
from gallery_intl.script.source import Block, blocks
from gallery_intl.writer.sphinx_gallery import (
    EXAMPLE_TITLE,
    GENERATED,
    PREFIX,
    visible,
)

FORMAT = {"nbformat": 4, "nbformat_minor": 5}
NOT_RUN: dict[str, object] = {"execution_count": None, "outputs": []}
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
METADATA = {"kernelspec": KERNEL, "language_info": {"name": "python"}}


TITLES = "gallery_intl_titles"  # of other pages, in the metadata of the page


class Cell(NamedTuple):
    kind: str  # "markdown" or "code"
    source: str
    tag: str = ""  # of a cell that is no part of the page's program
    is_folded: bool = False


def cells(
    env: BuildEnvironment,
    document: nodes.document,
    script: Script,
    source: str,
    origin: str,
) -> list[Cell]:
    """Return the text of a page as Markdown and the blocks of its script as code.

    ``source`` is the script in the page's language; ``origin`` ends the first text.
    """
    writer, shown = PageWriter(env), script.blocks()
    texts = text_of_blocks(document, shown)
    texts[shown[0].line].append(nodes.paragraph("", "", nodes.emphasis("", origin)))
    page_cells: list[Cell] = []
    for before, block in zip(shown, blocks(source), strict=True):
        if block.kind == "code" and not before.source.strip():
            continue  # a download may say something where its page has no code
        if block.kind == "code":
            file = file_of(block.source)
            source = visible(block.source, env.config.sphinx_gallery_conf)
            code = file.cell() if file else source.strip("\n")
            is_folded = not file and any(map(is_code_fold, texts[before.line]))
            page_cells.append(Cell("code", code, is_folded=is_folded))
        else:
            page_cells += text_cells(writer, texts[before.line])
    return [cell for cell in page_cells if cell.source.strip()]


def text_cells(writer: PageWriter, text: list[nodes.Node]) -> Iterator[Cell]:
    """Yield a text as Markdown, and as code what begins with the magic of a cell."""
    before: list[nodes.Node] = []
    for node in text:
        if writer.is_magic(node):
            yield Cell("markdown", writer.blocks(before))
            yield Cell("code", node.astext(), "magic")
            before = []
        else:
            before.append(node)
    yield Cell("markdown", writer.blocks(before))


def framed(config: Config, inner_cells: list[Cell]) -> list[Cell]:
    """Return cells with those before and behind them that every notebook has."""
    names = ("first_notebook_cell", "last_notebook_cell")
    first, last = (config.sphinx_gallery_conf.get(name) or "" for name in names)
    cells = [Cell("code", first.strip(), "first"), *inner_cells]
    cells.append(Cell("code", last.strip(), "last"))
    return [cell for cell in cells if cell.source]


def text_of_blocks(
    document: nodes.document, shown: Sequence[Block]
) -> dict[int, list[nodes.Node]]:
    """Return what a page shows of each text block, by the block's first line."""
    texts: dict[int, list[nodes.Node]] = defaultdict(list)
    place = shown[0].line
    for node in flat(document):
        match = isinstance(node, nodes.comment) and GENERATED.match(
            f".. {node.astext()}"
        )
        if match:
            place = max(x.line for x in shown if x.line <= int(match[1]))
        if is_code_fold(node) or not is_furniture(node):
            texts[place].append(node)
    return texts


def flat(node: nodes.Element) -> Iterator[nodes.Node]:
    """Yield what stands in a page, sections opened."""
    for child in node.children:
        yield from flat(child) if isinstance(child, nodes.section) else [child]


def is_furniture(node: nodes.Node) -> bool:
    """Return whether Sphinx-Gallery or the interface put a node into the page."""
    return any(
        (
            not element.get("translatable", True)
            # Sphinx has translated it with the words "Added in version"
            and not isinstance(element.parent, addnodes.versionmodified)
            and not isinstance(element, nodes.field_name)
        )
        or any(x.startswith(PREFIX) and x != EXAMPLE_TITLE for x in element["classes"])
        for element in node.findall(nodes.Element)
    )


class PageWriter(Writer):
    """Write a page for readers outside of its site."""

    def __init__(self, env: BuildEnvironment) -> None:
        self.env, self.settings = env, env.config.sphinx_gallery_conf

    def is_magic(self, node: nodes.Node) -> bool:
        """Return whether a block of the text is to be a cell that is run."""
        wanted = self.settings.get("promote_jupyter_magic")
        is_code = isinstance(node, nodes.literal_block)
        return bool(wanted and is_code and node.astext().startswith("%%"))

    def link(self, node: nodes.Element) -> tuple[str, str]:
        if node.get("reftype") != "doc":
            return super().link(node)
        docname = docname_join(self.env.docname, node["reftarget"])
        title = "" if node.get("refexplicit") else page_title(self.env, docname)
        base = self.env.config.html_baseurl.rstrip("/")
        return title, f"{base}/{docname}.html" if base else ""

    def block_paragraph(self, node: nodes.Element) -> str:
        text = super().block_paragraph(node)
        return f"**{text}**" if "reason-title" in node["classes"] else text

    def image(self, uri: str) -> str:
        path = Path(self.env.relfn2path(uri, self.env.docname)[1]).resolve()
        if "://" in uri or not path.is_file():
            return uri
        if isinstance(address := self.settings.get("notebook_images"), str):
            folders = Path(self.env.srcdir), Project.of(self.env).srcdir
            inside = filter(path.is_relative_to, map(Path.resolve, folders))
            place = next(inside, path.parent)
            return f"{address}{path.relative_to(place).as_posix()}"
        kind = mimetypes.guess_type(path)[0] or "image/png"
        data = base64.b64encode(path.read_bytes()).decode("ascii")
        return f"data:{kind};base64,{data}"


def notebook(cells: list[Cell]) -> str:
    """Return the file of a notebook without outputs; its ids count the cells."""
    written = [
        {
            "cell_type": cell.kind,
            "id": f"cell-{number}",
            "metadata": metadata(cell),
            "source": cell.source.splitlines(keepends=True),
            **(NOT_RUN if cell.kind == "code" else {}),
        }
        for number, cell in enumerate(cells)
    ]
    data = {"cells": written, "metadata": METADATA, **FORMAT}
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def metadata(cell: Cell) -> dict[str, Any]:
    """Return the tag of a cell, and whether JupyterLab hides its source."""
    hidden = {"jupyter": {"source_hidden": True}} if cell.is_folded else {}
    return ({"tags": [cell.tag]} if cell.tag else {}) | hidden


def program(cells: list[Cell]) -> str:
    """Return the page's own program, without the cells that prepare it."""
    own = (cell.source for cell in cells if cell.kind == "code" and not cell.tag)
    return "\n\n".join(map(statement, own))


def page_title(env: BuildEnvironment, docname: str) -> str:
    """Return the title of any page in the build's language, for the page being read.

    It is looked up in the catalog, because that page may be read after this. The page
    being read remembers it, and is read again when the title is another one.
    """
    title = Project.of(env).title(docname, env.config.language)
    if title is not None:
        env.metadata[env.docname].setdefault(TITLES, {})[docname] = title
        return title
    known = env.titles.get(docname)
    return known.astext() if known is not None else docname.rpartition("/")[2]


def pages_with_other_titles(
    _app: Sphinx, env: BuildEnvironment, *_changes: set[str]
) -> list[str]:
    """Return the pages whose notebooks have the title of a page as it was before."""
    project, language = Project.of(env), env.config.language
    shown = {page: about.get(TITLES, {}) for page, about in env.metadata.items()}
    names = set(chain(*shown.values()))
    now = {docname: project.title(docname, language) for docname in names}
    return [
        page
        for page, titles in shown.items()
        if any(now[docname] != title for docname, title in titles.items())
    ]
