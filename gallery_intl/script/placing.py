"""Put translated text back into the script that it was written in.

A text is found by its literal source, so only the lines that hold it change: its
paragraph is wrapped anew, and its title gets an underline of its own width. A cell of a
table that is drawn with signs, or of a ``csv-table``, stays as it is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from gallery_intl.script.source import NOQA, Block, blocks, find_line
from gallery_intl.text.wrapping import LINE_LENGTH, display_width, wrap

# what may stand before the text of a cell of a list-table
ALONE = re.compile(r"[\s*+-]*(?:\.\. \S+ )?")
UNDERLINE = re.compile(r"\s*([!-/:-@[-`{-~])\1*\s*$")
Changes = dict[int, tuple[int, list[str]]]  # from which line: how many, what instead


class Edit(NamedTuple):
    """A text of the script, and what takes its place."""

    near: int  # the line, from 1, near which it stands
    raw: str  # its lines, without what is before them
    text: str
    kind: Literal["paragraph", "title", "line", "code", "cell"]


class Line(NamedTuple):
    """A line of text in a script."""

    before: str  # ``# ``, or the quotes that begin the docstring
    text: str
    after: str  # the quotes that end the docstring
    quotes: str  # the docstring's, with its ``r``; "" in a comment

    def write(self, text: str, first: bool, last: bool) -> str:
        """Return the script's line with another text."""
        before = self.before if first or not self.quotes else ""
        written = f"{before}{self.escape(text)}{self.after if last else ''}"
        return written if self.after else written.rstrip()

    def escape(self, text: str) -> str:
        """Return a text as it has to stand between the docstring's quotes."""
        if not self.quotes or "r" in self.quotes.lower():
            return text
        quote = self.quotes[-1]
        inner = text.rstrip(quote) if self.after else text
        trailing = f"\\{quote}" * (len(text) - len(inner))
        inner = inner.replace("\\", "\\\\").replace(quote * 3, f"\\{quote}" * 3)
        return inner + trailing


def text_lines(script: str) -> dict[int, Line]:
    """Return the lines of a script's docstring and text blocks by number, from 1."""
    lines: dict[int, Line] = {}
    for block in blocks(script):
        if block.kind == "docstring":
            lines |= _docstring(block)
        elif block.kind == "text":
            lines |= _comment(block)
    return lines


def _comment(block: Block) -> dict[int, Line]:
    lines = block.source.rstrip("\n").split("\n")
    margins = [len(x[1:]) - len(x[1:].lstrip()) for x in lines[1:] if x[1:].strip()]
    before = "#" + " " * min(margins, default=1)
    return {
        block.line + row: Line(before, line[len(before) :].rstrip(), "", "")
        for row, line in enumerate(lines)
        if row
    }


def _docstring(block: Block) -> dict[int, Line]:
    """Return a docstring's lines; none if its source is not written line by line."""
    source = block.source.rstrip("\n")
    match = re.match(r"\s*([rRuU]?)(\"\"\"|''')", source)
    texts = str(ast.literal_eval(source.strip())).split("\n") if match else []
    if not match or len(texts) != source.count("\n") + 1:
        return {}
    quotes, last = match[0].strip(), len(texts) - 1
    return {
        block.line + row: Line(
            "" if row else match[0],
            text.rstrip(),
            quotes[-3:] if row == last else "",
            quotes,
        )
        for row, text in enumerate(texts)
    }


def place(script: str, edits: Iterable[Edit]) -> tuple[str, list[Edit]]:
    """Make the edits; return the new script, and the edits that found no place."""
    lines = text_lines(script)
    source = script.split("\n")
    shown = [
        NOQA.sub("", lines[row].text) if row in lines else ""
        for row in range(1, len(source) + 1)
    ]
    changes, lost = _changes(edits, shown)
    for row in sorted(changes, reverse=True):
        count, texts = changes[row]
        first, last = lines[row], lines[row + count - 1]
        line = last._replace(before=first.before)
        source[row - 1 : row - 1 + count] = [
            line.write(text, number == 0, number == len(texts) - 1)
            for number, text in enumerate(texts)
        ]
    return "\n".join(source), lost


def _changes(edits: Iterable[Edit], shown: list[str]) -> tuple[Changes, list[Edit]]:
    """Return which lines become others, and the edits that found no place."""
    changes: Changes = {}
    lost = []
    for edit in edits:
        row = find_line(shown, edit.raw, edit.near)
        if row is not None and not _ends_its_lines(shown, row, edit.raw):
            row = None
        if edit.kind == "cell" and not (row and _is_alone(shown, row, edit.raw)):
            continue
        if row is None:
            lost.append(edit)
        else:
            changes |= _change(edit, row, shown)
    return changes, lost


def _ends_its_lines(shown: list[str], row: int, raw: str) -> bool:
    """Return whether nothing follows a text, as the next cell of a table would."""
    pairs = zip(shown[row - 1 :], raw.split("\n"), strict=False)
    return all(line.rstrip().endswith(part.rstrip()) for line, part in pairs)


def _is_alone(shown: list[str], row: int, raw: str) -> bool:
    """Return whether no other cell precedes a text, as in a table that is drawn."""
    return bool(ALONE.fullmatch(shown[row - 1].removesuffix(raw.split("\n")[0])))


def _change(edit: Edit, row: int, shown: list[str]) -> Changes:
    raw = edit.raw.split("\n")
    start = shown[row - 1]
    head = start[: len(start) - len(raw[0].rstrip())]
    indent = head[: len(head) - len(head.lstrip())]
    if edit.kind == "code":
        texts = [f"{indent}{line}".rstrip() for line in edit.text.split("\n")]
        return {row: (len(raw), texts)}
    if edit.kind in ("title", "line"):
        texts = [head + edit.text]
        rules = _rules(row, shown, texts[0]) if edit.kind == "title" else {}
        return {row: (len(raw), texts)} | rules
    if len(raw) > 1:
        rest = shown[row][: -len(shown[row].lstrip())]
    else:
        rest = f"{indent}   " if head.lstrip().startswith("..") else " " * len(head)
    return {row: (len(raw), wrap(edit.text, head, rest, LINE_LENGTH - len("# ")))}


def _rules(row: int, shown: list[str], title: str) -> Changes:
    """Make the lines under and over a title as long as it; with one over it, set in."""
    below = shown[row] if row < len(shown) else ""
    above = shown[row - 2] if row > 1 else ""
    if not (match := UNDERLINE.match(below)):
        return {}
    if above.strip() != below.strip():
        return {row + 1: (1, [match[1] * display_width(title.strip())])}
    indent = len(title) - len(title.lstrip())
    rule = (1, [match[1] * (display_width(title.rstrip()) + indent)])
    return {row + 1: rule, row - 1: rule}
