"""Write a page's script in the reader's language, and prove it the same program."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from docutils import nodes
from sphinx.transforms.i18n import parse_noqa
from sphinx.util.nodes import extract_messages, get_node_line

from gallery_intl.pages import ProgramChanged, Script, block_near
from gallery_intl.placing import Edit, place
from gallery_intl.python_comments import comments, replace_comments
from gallery_intl.python_source import blocks, docstring_lines, same_program
from gallery_intl.wrapping import one_line

IGNORED = re.compile(
    r"^[ \t]*#\s*sphinx_gallery_start_ignore.*?^[ \t]*#\s*sphinx_gallery_end_ignore",
    re.MULTILINE | re.DOTALL,
)
# letters beside which inline markup needs no ``\ ``, as in gallery_intl.markup
UNSPACED = (
    "々〇\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"
    "（）［］｛｝「」『』【】《》〈〉"  # noqa: RUF001
)
SEPARATOR = re.compile(rf"(?<=[{UNSPACED}])\\ |\\ (?=[{UNSPACED}])")

Translate = Callable[[str], str | None]


class Text(NamedTuple):
    """A message in the text of a page, and where it stands in the script."""

    node: nodes.Element
    message: str
    near: int


class Made(NamedTuple):
    """A script in another language."""

    source: str
    lost: list[Edit]  # what could not be put back


def texts(document: nodes.document, script: Script, rst: str) -> Iterator[Text]:
    """Give the messages of a page that stand in its script's text."""
    lines = rst.split("\n")
    kinds = {block.line: block.kind for block in script.blocks()}
    for node, message in extract_messages(document):
        first, near = block_near(lines, get_node_line(node))
        start = max((line for line in kinds if line <= first), default=min(kinds))
        if first and kinds[start] != "code":
            yield Text(node, message, near)


def sketches(document: nodes.document, script: Script, rst: str) -> Iterator[Text]:
    """Give the Python blocks that stand in a page's text."""
    return iter(())


def code_messages(script: Script) -> list[str]:
    """Give the comments that are shown on the page."""
    return [
        comment.message
        for block in script.blocks()
        if block.kind == "code"
        for comment in comments(IGNORED.sub("", block.source))
    ]


def written(translation: str) -> str:
    """Give a translation as a person writes it: on one line, no needless ``\\ ``."""
    return SEPARATOR.sub("", one_line(parse_noqa(translation)[0]))
