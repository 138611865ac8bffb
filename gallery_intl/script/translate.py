"""Write a script in another language, once, and prove it the same program."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import NamedTuple

from gallery_intl.script.comments import Comment, Lookup, comments, replace_comments
from gallery_intl.script.placing import Edit, place
from gallery_intl.script.source import Difference, blocks, docstring_lines, same_program
from gallery_intl.text.cjk import UNSPACED
from gallery_intl.text.wrapping import one_line

NOQA = re.compile(r"(?<!\\)#\s*noqa\s*$")  # what Sphinx leaves out of a translation
SEPARATOR = re.compile(rf"(?<=[{UNSPACED}])\\ |\\ (?=[{UNSPACED}])")


class AnotherProgram(Exception):
    """A translation would make another program; names line, reason and message."""

    def __init__(self, difference: Difference, message: str) -> None:
        super().__init__(f"{difference.reason} (mend the translation of {message!r})")
        self.line = difference.line


class Made(NamedTuple):
    """A script in another language."""

    source: str
    lost: list[Edit]  # texts that found no place
    refused: list[Comment]  # comments whose translation would be something else


def translate(text: str, edits: list[Edit], lookup: Lookup) -> Made:
    """Return a script with its edits made and its comments looked up.

    Raises `AnotherProgram` if the result is not the program that it was.
    """
    try:
        made = _write(text, edits, lookup)
        difference = _difference(text, made.source) if made.source != text else None
    except SyntaxError as error:
        difference = Difference(error.lineno or 1, f"not valid Python: {error.msg}")
    if difference:
        raise AnotherProgram(difference, _culprit(text, edits, lookup))
    return made


def translate_sketch(
    code: str, lookup: Lookup, line: int, refused: list[Comment]
) -> str:
    """Return a block of the text with its comments looked up.

    What is no Python stays as it is; what is has to stay the same program.
    """
    new = replace_comments(code, lookup, line, refused)
    try:
        difference = same_program(code, new) if new != code else None
    except SyntaxError:  # it was no program before
        return new
    if difference:
        difference = difference._replace(line=line + difference.line - 1)
        raise AnotherProgram(difference, _culprit(code, [], lookup))
    return new


def written(translation: str) -> str:
    """Return a translation as a person writes it: one line, no needless ``\\ ``."""
    return SEPARATOR.sub("", one_line(NOQA.sub("", translation)))


def _write(text: str, edits: list[Edit], lookup: Lookup) -> Made:
    refused: list[Comment] = []
    placed, lost = place(text, edits)
    head = placed.split("\n")[: max(docstring_lines(placed)[0] - 1, 0)]
    parts = [
        replace_comments(ours.source, lookup, ours.line, refused)
        if ours and ours.kind == "code"
        else theirs.source
        for ours, theirs in zip_longest(blocks(text), blocks(placed))
        if theirs  # where they differ, the proof says so
    ]
    return Made("\n".join([*head, "".join(parts)]), lost, refused)


def _difference(text: str, source: str) -> Difference | None:
    if difference := same_program(text, source, docstring=False):
        return difference
    ours, theirs = blocks(text), blocks(source)
    for one, other in zip_longest(ours, theirs):
        if one is None or other is None or one.kind != other.kind:
            return Difference((one or ours[-1]).line, "text would become another block")
    return None


def _culprit(text: str, edits: list[Edit], lookup: Lookup) -> str:
    """Return the message whose translation alone is to blame."""

    def is_guilty(edits: list[Edit], lookup: Lookup) -> bool:
        try:
            return _difference(text, _write(text, edits, lookup).source) is not None
        except SyntaxError:
            return True

    for edit in edits:
        if is_guilty([edit], lambda _: None):
            return edit.raw
    code = (block for block in blocks(text) if block.kind == "code")
    for comment in (x for block in code for x in comments(block.source, block.line)):
        if is_guilty([], {comment.message: lookup(comment.message)}.get):
            return comment.message
    return "one of its messages"
