"""Write a script in another language, once, and prove it the same program."""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby, zip_longest
from textwrap import dedent
from typing import NamedTuple

from gallery_intl.script.comments import Comment, Lookup, comments, replace_comments
from gallery_intl.script.placing import place, text_lines, write_lines
from gallery_intl.script.source import (
    Difference,
    blocks,
    directive_end,
    docstring_lines,
    same_program,
)
from gallery_intl.text.cjk import UNSPACED
from gallery_intl.text.wrapping import one_line

NOQA = re.compile(r"(?<!\\)#\s*noqa\s*$")  # what Sphinx leaves out of a translation
SEPARATOR = re.compile(rf"(?<=[{UNSPACED}])\\ |\\ (?=[{UNSPACED}])")
SKETCH = re.compile(r"(?P<indent>\s*)\.\. (?:code-block|sourcecode):: *[Pp]y", re.A)


class AnotherProgram(Exception):
    """A translation would make another program; names line, reason and message."""

    def __init__(self, difference: Difference, message: str) -> None:
        super().__init__(f"{difference.reason} (mend the translation of {message!r})")
        self.line = difference.line


class Translation(NamedTuple):
    """A script in another language."""

    source: str
    found: set[str]  # the messages that it holds
    refused: list[Comment]  # comments whose translation would be something else


def translate(
    text: str,
    messages: Mapping[str, str | None],
    finish: Callable[[str], str] = lambda text: text,
) -> Translation:
    """Return a script with the translations of its messages.

    ``messages`` maps each message of the page to its translation, or to None; see
    `place` for ``finish``. Raises `AnotherProgram` if the result is not the program
    that it was.
    """
    try:
        made = _write(text, messages, finish)
        difference = _difference(text, made.source) if made.source != text else None
    except SyntaxError as error:
        difference = Difference(error.lineno or 1, f"not valid Python: {error.msg}")
    if difference:
        raise AnotherProgram(difference, _culprit(text, messages, finish))
    return made


def written(translation: str) -> str:
    """Return a translation as a person writes it: one line, no needless ``\\ ``."""
    return SEPARATOR.sub("", one_line(NOQA.sub("", translation)))


def translate_sketches(lines: list[str], lookup: Lookup, first: int = 1) -> list[str]:
    """Return lines of reST with the comments in their blocks of Python translated.

    What is no Python stays as it is. Raises `AnotherProgram`; ``first`` is the number
    of the first line.
    """
    result, row = lines[:], 0
    while row < len(lines):
        start, row = row, row + 1
        if not (match := SKETCH.match(lines[start])):
            continue
        row = directive_end(lines, start, match["indent"])
        body = lines[start + 1 : row]
        result[start + 1 : row] = _translate_sketch(body, lookup, first + start + 1)
    return result


def sketches(script: str) -> Iterator[tuple[int, str]]:
    """Yield each block of Python in a script's text, with its line in the script."""
    lines = text_lines(script)
    rows = sorted(lines)
    texts = [lines[row].text for row in rows]
    for at, text in enumerate(texts):
        if match := SKETCH.match(text):
            body = texts[at + 1 : directive_end(texts, at, match["indent"])]
            yield rows[at] + 1, dedent("\n".join(body))


def _translate_sketch(body: list[str], lookup: Lookup, first: int) -> list[str]:
    """Return the indented lines of a block of code, the same number of them or more."""
    margins = [len(line) - len(line.lstrip()) for line in body if line.strip()]
    margin = min(margins, default=0)
    code = "\n".join(line[margin:] for line in body)
    new = replace_comments(code, lookup, first, [])
    if new == code:
        return body
    try:
        difference = same_program(code, new)
    except SyntaxError:  # it was no program before
        difference = None
    if difference:
        line = first + difference.line - 1
        raise AnotherProgram(difference._replace(line=line), "a comment of a sketch")
    return [f"{' ' * margin}{line}".rstrip() for line in new.split("\n")]


def _write(
    text: str,
    messages: Mapping[str, str | None],
    finish: Callable[[str], str],
) -> Translation:
    refused: list[Comment] = []
    prose = {written(x): None if y is None else written(y) for x, y in messages.items()}
    placed, found = place(text, prose, finish)
    placed = _with_sketches(placed, messages.get)
    head = placed.split("\n")[: max(docstring_lines(placed)[0] - 1, 0)]
    parts = [
        replace_comments(ours.source, messages.get, ours.line, refused)
        if ours and ours.kind == "code"
        else theirs.source
        for ours, theirs in zip_longest(blocks(text), blocks(placed))
        if theirs  # where they differ, the proof says so
    ]
    said = {x.message for x in all_comments(text)}
    held = {x for x in messages if written(x) in found or x in said}
    return Translation("\n".join([*head, "".join(parts)]), held, refused)


def _with_sketches(script: str, lookup: Lookup) -> str:
    """Return a script with the comments of the sketches in its text translated."""
    lines, source = text_lines(script), script.split("\n")
    if not any(SKETCH.match(line.text) for line in lines.values()):
        return script
    result = list[str]()
    for is_text, run in groupby(range(1, len(source) + 1), lines.__contains__):
        rows = list(run)
        first, last = rows[0], rows[-1]
        texts = [lines[row].text for row in rows] if is_text else []
        new = translate_sketches(texts, lookup, first)
        if new == texts:
            result += source[first - 1 : last]
        else:
            result += write_lines(lines[first], lines[last], new)
    return "\n".join(result)


def all_comments(text: str) -> list[Comment]:
    code = (block for block in blocks(text) if block.kind == "code")
    return [x for block in code for x in comments(block.source, block.line)]


def _difference(text: str, source: str) -> Difference | None:
    if difference := same_program(text, source, docstring=False):
        return difference
    ours, theirs = blocks(text), blocks(source)
    for one, other in zip_longest(ours, theirs):
        if one is None or other is None or one.kind != other.kind:
            return Difference((one or ours[-1]).line, "text would become another block")
    return None


def _culprit(
    text: str, messages: Mapping[str, str | None], finish: Callable[[str], str]
) -> str:
    """Return the message whose translation alone is to blame."""
    for message, translation in messages.items():
        try:
            alone = _write(text, {message: translation}, finish).source
            if _difference(text, alone) is not None:
                return message
        except SyntaxError:
            return message
    return "one of its messages"
