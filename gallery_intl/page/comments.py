"""Let translators translate the comments in code blocks.

A comment is a message like any paragraph; the code around it is never in a catalog,
so no translation can change what runs, and every build proves it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

from gallery_intl import order
from gallery_intl.page.page import (
    ProgramChanged,
    Script,
    collects_messages,
    entries,
    is_python,
    script_of,
)
from gallery_intl.script.comments import (
    Comment,
    can_stand,
    comments,
    replace_comments,
)
from gallery_intl.script.source import find_line, same_program

logger = logging.getLogger(__name__)

GENERATED = re.compile(r"GENERATED FROM PYTHON SOURCE LINES (\d+)-\d+")


def code_blocks(document: nodes.document) -> Iterator[tuple[nodes.literal_block, int]]:
    """Give each Python block of a page with the script's line that it is near."""
    line = 1
    for node in document.findall():
        if isinstance(node, nodes.comment):
            if found := GENERATED.match(node.astext()):
                line = int(found[1])
        elif isinstance(node, nodes.literal_block) and is_python(node):
            yield node, line


def messages(code: str, line: int = 1) -> list[Comment]:
    """List the comments of a block; none if it is only a sketch of Python."""
    try:
        return comments(code, line)
    except SyntaxError:
        return []


def beside(code: str, comment: Comment) -> str:
    """Say which code a comment of a block belongs to: beside it, or below."""
    lines = code.split("\n")
    before = lines[comment.line - 1][: comment.column].strip()
    after = (line.strip() for line in lines[comment.end :])
    below = next((line for line in after if line and not line.startswith("#")), "")
    if before:
        return f"comment beside: {before}"
    return f"comment above: {below}" if below else "comment"


def located(code: str, found: list[Comment], script: Script, near: int) -> list[int]:
    """Give the script's line of each comment of a shown block.

    The block may lack lines of the script, which Sphinx-Gallery leaves out.
    """
    shown, lines = code.split("\n"), script.text.split("\n")
    places: list[int] = []
    for comment in found:
        text = "\n".join(shown[comment.line - 1 : comment.end])
        after = places[-1] if places else 0
        line = find_line(lines, text, near + comment.line - 1, after)
        places.append(line or near)
    return places


class TranslateComments(SphinxTransform):
    """Show the comments of code blocks in the page's language, or collect them."""

    default_priority = order.COLLECT_COMMENTS

    def apply(self, **kwargs: Any) -> None:
        script = script_of(self.env, self.env.docname)
        if script is None:
            return
        blocks = list(code_blocks(self.document))
        if collects_messages(self.env):
            for node, near in blocks:
                self.collect(node, script, near)
        else:
            found = entries(self.env, self.env.docname)
            catalog = {message: entry.msgstr for message, entry in found.items()}
            for node, near in blocks:
                self.translate(node, catalog, script, near)

    def collect(self, block: nodes.literal_block, script: Script, near: int) -> None:
        """Put one message behind the block for each of its comments."""
        code = block.astext()
        found = messages(code)
        lines = located(code, found, script, near)
        for comment, line in reversed([*zip(found, lines, strict=True)]):
            text = comment.message
            # of a literal block the message is its text, to the letter
            message = nodes.literal_block(text, text, translatable=True)
            message.source, message.line = str(script.path), line
            message["context"] = beside(code, comment)
            block.parent.insert(block.parent.index(block) + 1, message)

    def translate(
        self,
        block: nodes.literal_block,
        catalog: dict[str, str],
        script: Script,
        near: int,
    ) -> None:
        """Replace the comments that the catalog has."""
        code = block.astext()
        found = messages(code)
        lines = located(code, found, script, near)
        for comment, line in zip(found, lines, strict=True):
            warn_of_directive(comment, catalog, f"{script.path}:{line}")
        translated = replace_comments(code, catalog.get) if found else code
        if translated != code:
            prove(code, catalog, f"{script.path}:{near}", self.config.language)
            # Sphinx highlights a block only if both texts are equal
            block.rawsource = translated
            block.children = []
            block += nodes.Text(translated)


def warn_of_directive(comment: Comment, catalog: dict[str, str], location: str) -> None:
    """Warn of a translation that is not used."""
    translation = catalog.get(comment.message)
    if translation and not can_stand(comment, translation):
        logger.warning(
            "the translation of the comment %r would be read as something else: %r "
            "(leave out what is meant for tools, such as 'noqa')",
            comment.message,
            translation,
            type="gallery_intl",
            subtype="comments",
            location=location,
        )


def prove(code: str, catalog: dict[str, str], location: str, language: str) -> None:
    """Stop the build if translations make another program of a block."""
    if not is_program(code):
        return  # a sketch in the text, which no one can run
    if difference := same_program(code, replace_comments(code, catalog.get)):
        raise ProgramChanged(
            f"{location}: in {language!r} line {difference.line} of this block is "
            f"another program: {difference.reason} (mend the translation of "
            f"{culprit(code, catalog)!r})"
        )


def culprit(code: str, catalog: dict[str, str]) -> str:
    """Give the message whose translation alone changes the program."""
    for comment in messages(code):
        one = {comment.message: catalog.get(comment.message, "")}
        if same_program(code, replace_comments(code, one.get)):
            return comment.message
    return "a comment there"


def is_program(code: str) -> bool:
    try:
        ast.parse(code)
    except SyntaxError:
        return False
    return True


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_transform(TranslateComments)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
