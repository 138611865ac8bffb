"""Put translated text back into the script that it was written in.

A text is found by its literal source, so only the lines that hold it change: its
paragraph is wrapped anew, its title gets an underline of its own width, and the table
around it columns as wide as their texts.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from typing import Literal, NamedTuple

from gallery_intl.script.csv_tables import CsvTable, find_csv_tables
from gallery_intl.script.source import NOQA, Block, blocks, find_line
from gallery_intl.script.tables import Place, Table, find_tables
from gallery_intl.text.wrapping import LINE_LENGTH, display_width, wrap

# what may stand before a paragraph of a cell: items, directives, names of fields
BEFORE = re.compile(r"(?:\s|[-*+|]\s|\(?(?:\d+|[a-zA-Z#])[.)]\s|\.\. \S+\s|:[^:]*:\s)*")
UNDERLINE = re.compile(r"\s*([!-/:-@[-`{-~])\1*\s*$")
UNBROKEN = 10**6  # columns of a text that is not wrapped
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
    tables: list[Table | CsvTable]
    tables = [*find_tables(shown), *find_csv_tables(shown)]
    changes: Changes = {}
    lost, cells = [], defaultdict[int, list[Edit]](list)
    for edit in edits:
        row = find_line(shown, edit.raw, edit.near)
        if table := _table_of(edit, row, tables):
            cells[table.first].append(edit)
        elif row is None or not _ends_its_lines(shown, row, edit.raw):
            lost.append(edit)
        else:
            changes |= _change(edit, row, shown)
    for table in tables:
        if not (own := cells[table.first]):
            continue
        if drawn := table.draw(partial(_filled, table, own)):
            changes[table.first] = (table.last - table.first + 1, drawn)
        else:
            lost += own
    return changes, lost


def _table_of(
    edit: Edit, row: int | None, tables: list[Table | CsvTable]
) -> Table | CsvTable | None:
    """Return the table with a cell's text, if none of another kind is nearer."""
    if edit.kind != "cell":
        return None
    having = [
        x for x in tables if any(_rows_of(edit.raw, y.cell.lines) for y in x.cells)
    ]
    nearest = min(having, key=lambda table: _distance(table, edit.near), default=None)
    if nearest and row and _distance(nearest, row):
        return nearest if _distance(nearest, edit.near) < abs(row - edit.near) else None
    return nearest


def _distance(table: Table | CsvTable, line: int) -> int:
    """Return how far a line is from a table."""
    return max(table.first - line, line - table.last, 0)


def _rows_of(raw: str, lines: list[str]) -> list[int]:
    """Return where in a cell a paragraph begins: lines from 1."""
    first, *rest = (line.strip() for line in raw.split("\n"))
    rows = []
    for row, line in enumerate(lines, start=1):
        after = [other.strip() for other in lines[row : row + len(rest)]]
        if not line.endswith(first) or after != rest:
            continue
        mark = BEFORE.fullmatch(line[: -len(first)])
        above, below = lines[row - 2 : row - 1], lines[row + len(rest) :][:1]
        begins = mark and (mark[0].strip() or not "".join(above).strip())
        if begins and not any(x.strip() == BEFORE.sub("", x) for x in below if x):
            rows.append(row)
    return rows


def _filled(table: Table | CsvTable, edits: list[Edit], place: Place) -> list[str]:
    """Return the lines of a cell with its edits made."""
    lines, changes = place.cell.lines, Changes()
    for edit in edits:
        width = table.width(place) if "\n" in edit.raw else UNBROKEN
        for row in _rows_of(edit.raw, lines):
            changes |= _change(edit, row, lines, width)
    filled = [*lines]
    for row in sorted(changes, reverse=True):
        count, filled[row - 1 : row - 1 + count] = changes[row]
    return filled


def _ends_its_lines(shown: list[str], row: int, raw: str) -> bool:
    """Return whether nothing follows a text, as the next cell of a table would."""
    pairs = zip(shown[row - 1 :], raw.split("\n"), strict=False)
    return all(line.rstrip().endswith(part.rstrip()) for line, part in pairs)


def _change(
    edit: Edit, row: int, shown: list[str], width: int = LINE_LENGTH - len("# ")
) -> Changes:
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
    return {row: (len(raw), wrap(edit.text, head, rest, width))}


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
