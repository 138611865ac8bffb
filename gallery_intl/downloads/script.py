"""Write a page's script in the reader's language, and prove it the same program."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from typing import Literal, NamedTuple

from docutils import nodes
from sphinx.transforms.i18n import parse_noqa
from sphinx.util.nodes import (
    LITERAL_TYPE_NODES,
    get_node_line,
    get_node_source,
)
from sphinx_gallery.py_source_parser import (  # type: ignore[import-untyped]
    remove_ignore_blocks,
)

from gallery_intl.catalogs.po import has_prose
from gallery_intl.page.page import ProgramChanged, Script, block_near, is_python
from gallery_intl.script.comments import comments, replace_comments
from gallery_intl.script.placing import Edit, place
from gallery_intl.script.source import (
    Difference,
    blocks,
    docstring_lines,
    same_program,
)
from gallery_intl.text.wrapping import one_line

# letters beside which inline markup needs no ``\ ``, as in gallery_intl.text.cjk
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


def sketches(document: nodes.document, script: Script, rst: str) -> list[Text]:
    """Give the Python blocks that stand in a page's text, comments and all."""
    found = filter(is_python, document.findall(nodes.literal_block))
    code = ((node, node.astext()) for node in found)
    return located(document, code, script, rst)


def located(
    document: nodes.document,
    found: Iterable[tuple[nodes.Element, str]],
    script: Script,
    rst: str,
) -> list[Text]:
    """Give what stands in a text block: no output or figure, nothing generated."""
    texts = []
    lines = rst.split("\n")
    kinds = {block.line: block.kind for block in script.blocks()}
    for node, message in found:
        if get_node_source(node) != document["source"]:
            continue  # the words of a figure know their line of the script already
        first, near = block_near(lines, get_node_line(node))
        start = max((line for line in kinds if line <= first), default=min(kinds))
        if first and kinds[start] != "code":
            texts.append(Text(node, message, near))
    return texts


def edits(
    found: list[Text], code_in_text: list[Text], translate: Translate
) -> Iterator[Edit]:
    """Give what is to change in the text of a script."""
    for node, message, near in found:
        translation = translate(message) or ""
        if not isinstance(node, LITERAL_TYPE_NODES):
            translation = written(translation)
        if translation.strip() and translation != message:
            raw = node.rawsource if isinstance(node, nodes.TextElement) else message
            yield Edit(near, raw.strip("\n"), translation.strip("\n"), kind_of(node))
    for _node, code, near in code_in_text:
        new = translate_code(code, translate)
        if new != code:
            yield Edit(near, code, new, "code")


def kind_of(node: nodes.Element) -> Literal["paragraph", "title", "line", "code"]:
    """Tell how a text may be laid out: a term or a caption has to stay one line."""
    if isinstance(node, LITERAL_TYPE_NODES):
        return "code"
    if isinstance(node, nodes.title):
        return "title"
    return "paragraph" if isinstance(node, nodes.paragraph) else "line"


def translate_code(code: str, translate: Translate, line: int = 1) -> str:
    """Translate the comments of a block; a block that is no Python stays as it is."""
    try:
        return replace_comments(code, translate, line)
    except SyntaxError:
        return code


def prose(script: Script, found: list[Text], code_in_text: list[Text]) -> set[str]:
    """Collect the messages of a page that stand in its script and have words."""
    messages = {
        text.message for text in found if not isinstance(text.node, LITERAL_TYPE_NODES)
    }
    code = [block.source for block in script.blocks() if block.kind == "code"]
    sketched = [text.message for text in code_in_text]
    for source in [*map(remove_ignore_blocks, code), *sketched]:
        with contextlib.suppress(SyntaxError):
            messages |= {comment.message for comment in comments(source)}
    return set(filter(has_prose, messages))


def make(
    script: Script, changes: list[Edit], translate: Translate, origin: str = ""
) -> Made:
    """Write the script with translated text and comments.

    ``origin`` is a line for the reader, put before the docstring. Raises
    `ProgramChanged` if the result is not the program that it was.
    """
    try:
        source, lost = _write(script.text, changes, translate, origin)
        reason = _difference(script.text, source)
    except SyntaxError as error:
        reason = Difference(error.lineno or 1, f"not valid Python: {error.msg}")
    if reason:
        message = _culprit(script.text, changes, translate)
        raise ProgramChanged(
            f"{script.path}:{reason.line}: {reason.reason} (mend the translation of "
            f"{message!r})"
        )
    return Made(source, lost)


def _write(
    text: str, changes: list[Edit], translate: Translate, origin: str
) -> tuple[str, list[Edit]]:
    placed, lost = place(text, changes)
    lines = placed.split("\n")
    start = docstring_lines(placed)[0]
    before = lines[: max(start - 1, 0)]
    code = "".join(
        translate_code(block.source, translate, block.line)
        if block.kind == "code"
        else block.source
        for block in blocks(placed)
    )
    head = [*before, f"# {origin}"] if origin else before
    return "\n".join([*head, code]), lost


def _difference(text: str, source: str) -> Difference | None:
    if difference := same_program(text, source, docstring=False):
        return difference
    ours, theirs = blocks(text), blocks(source)
    for one, other in zip_longest(ours, theirs):
        if one is None or other is None or one.kind != other.kind:
            return Difference((one or ours[-1]).line, "text would become another block")
    return None


def _culprit(text: str, changes: list[Edit], translate: Translate) -> str:
    """Give the message whose translation alone is to blame."""

    def is_guilty(changes: list[Edit], translate: Translate) -> bool:
        try:
            source, _lost = _write(text, changes, translate, "")
            return _difference(text, source) is not None
        except SyntaxError:
            return True

    for change in changes:
        if is_guilty([change], lambda _: None):
            return change.raw
    for comment in comments(text):
        one = {comment.message: translate(comment.message)}
        if is_guilty([], one.get):
            return comment.message
    return "one of its messages"


def written(translation: str) -> str:
    """Give a translation as a person writes it: on one line, no needless ``\\ ``."""
    return SEPARATOR.sub("", one_line(parse_noqa(translation)[0]))
