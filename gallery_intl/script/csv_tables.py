"""Find tables that are written as comma-separated values, and write them anew.

The line of column titles, which is an option of the directive, is a table of its own.
One with signs of its own, as ``:delim:`` gives it, is left as it is.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from docutils.parsers.rst.directives.tables import CSVTable

from gallery_intl.script.tables import Cell, Place
from gallery_intl.text.wrapping import LINE_LENGTH

DIRECTIVE = re.compile(r"( *)\.\. csv-table::")
OPTION = re.compile(r" *:(?P<name>[\w-]+):(?: |$)")
HEADER = "header"
OTHER_SIGNS = {"file", "url", "delim", "keepspace", "quote", "escape"}


class CsvTable(NamedTuple):
    """Lines of values, and the lines of text that they take, from 1."""

    first: int
    last: int
    before: str  # the indent, or the option's name
    cells: list[Place]

    def width(self, place: Place) -> int:
        """Return how many columns of text a cell has room for."""
        return LINE_LENGTH

    def draw(self, write: Callable[[Place], list[str]]) -> list[str] | None:
        """Return its lines with other texts; None if it cannot hold them."""
        new = [x._replace(cell=x.cell._replace(lines=write(x))) for x in self.cells]
        rows: list[list[str]] = [[] for _ in range(new[-1].row + 1)]
        for place in new:
            text = "\n".join(place.cell.lines).replace('"', '""')
            rows[place.row].append(f'"{text}"')
        lines = "\n".join(", ".join(row) for row in rows).split("\n")
        table = _parsed(lines, self.first, self.before)
        if not table or table.cells != new or (self.before.strip() and len(lines) > 1):
            return None
        return [f"{self.before}{line}".rstrip() for line in lines]


def find_csv_tables(lines: list[str]) -> Iterator[CsvTable]:
    """Yield the tables among lines of text, from the first to the last."""
    for row, line in enumerate(lines):
        if match := DIRECTIVE.match(line):
            yield from _tables(lines, row + 1, len(match[1]))


def _tables(lines: list[str], row: int, indent: int) -> Iterator[CsvTable]:
    """Yield the titles and the values of the directive above a row."""
    end = row
    while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > indent):
        end += 1
    while end > row and not lines[end - 1].strip():
        end -= 1
    options = row
    while options < end and lines[options].strip():
        options += 1
    matches = [OPTION.match(line) for line in lines[row:options]]
    if not all(matches) or OTHER_SIGNS & {each["name"] for each in matches if each}:
        return
    for number, each in enumerate(matches, start=row):
        if each and each["name"] == HEADER:
            titles = _parsed([lines[number][each.end() :]], number + 1, each[0])
            yield from filter(None, [titles])
    while options < end and not lines[options].strip():
        options += 1
    if options < end:
        before = " " * min(_indent(x) for x in lines[options:end] if x.strip())
        values = [line[len(before) :] for line in lines[options:end]]
        yield from filter(None, [_parsed(values, options + 1, before)])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _parsed(lines: list[str], first: int, before: str) -> CsvTable | None:
    """Return the table that some lines are; None if they are none."""
    table = CsvTable(first, first + len(lines) - 1, before, [])
    try:
        rows = list(
            csv.reader((f"{x}\n" for x in lines), dialect=CSVTable.DocutilsDialect)
        )
    except csv.Error:
        return None
    cells = [
        Place(number, column, Cell(value.splitlines(), 0, 0))
        for number, row in enumerate(rows)
        for column, value in enumerate(row)
    ]
    return table._replace(cells=cells) if cells else None
