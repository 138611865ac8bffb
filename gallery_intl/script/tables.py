"""Find tables that are drawn with signs, and draw them with other texts in their cells.

A grid table can hold whatever a simple one can, but not the other way round: so a
simple table whose cells span columns becomes a grid.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any, NamedTuple

from docutils.parsers.rst.tableparser import (
    GridTableParser,
    SimpleTableParser,
    TableMarkupError,
    TableParser,
)
from docutils.statemachine import StringList
from docutils.utils import column_width

GRID = re.compile(r" *\+-[-+]+-\+ *")
SIMPLE = re.compile(r" *=+( +=+)+ *")
PAD = TableParser.double_width_pad_char


class Cell(NamedTuple):
    """A cell of a table."""

    lines: list[str]
    more_rows: int  # that it spans
    more_columns: int


class Place(NamedTuple):
    """Where a cell begins."""

    row: int
    column: int
    cell: Cell


class Table(NamedTuple):
    """A table, and the lines of text that it takes, from 1."""

    first: int
    last: int
    indent: str
    is_grid: bool
    widths: list[int]
    head: int  # how many of its rows are head
    rows: int
    cells: list[Place]

    def width(self, place: Place) -> int:
        """Return how many columns of text a cell has room for."""
        widths = self.widths[place.column :][: place.cell.more_columns + 1]
        return sum(widths) + len(widths) - 1 - 2 * self.is_grid

    def draw(self, write: Callable[[Place], list[str]]) -> list[str] | None:
        """Return its lines with other texts; None if it cannot hold them."""
        new = [x._replace(cell=x.cell._replace(lines=write(x))) for x in self.cells]
        table = self._replace(cells=new)
        spans = any(place.cell.more_columns for place in new)
        # a sign in a text may be read as a border, if it stands where one could
        grids = (_grid(table, slack) for slack in range(4))
        for lines in grids if table.is_grid or spans else [_simple(table)]:
            parsed = _parse(lines)
            if parsed and parsed.cells == new and parsed.head == table.head:
                return [f"{table.indent}{line}" for line in lines]
        return None


def find_tables(lines: list[str]) -> Iterator[Table]:
    """Yield the tables among lines of text, from the first to the last."""
    row = 0
    while row < len(lines):
        table = _table_at(lines, row)
        if table:
            yield table
        row = table.last if table else row + 1


def _table_at(lines: list[str], row: int) -> Table | None:
    if GRID.fullmatch(lines[row]):
        count = _grid_lines(lines[row:])
    elif SIMPLE.fullmatch(lines[row]):
        count = _simple_lines(lines[row:])
    else:
        count = 0
    if not count:
        return None
    indent = lines[row][: -len(lines[row].lstrip())]
    table = _parse([line[len(indent) :].rstrip() for line in lines[row : row + count]])
    return table and table._replace(first=row + 1, last=row + count, indent=indent)


def _grid_lines(lines: list[str]) -> int:
    ends = (i for i, line in enumerate(lines) if line.lstrip()[:1] not in ("+", "|"))
    return next(ends, len(lines))


def _simple_lines(lines: list[str]) -> int:
    """Return where docutils sees an end: at a third border, or one before space."""
    borders = [i for i, line in enumerate(lines) if SIMPLE.fullmatch(line)]
    for number, i in enumerate(borders):
        if number == 2 or (number and not "".join(lines[i + 1 : i + 2]).strip()):
            return i + 1
    return 0


def _parse(lines: list[str]) -> Table | None:
    """Return the table that some lines are; None if they are none."""
    is_grid = lines[0].startswith("+")
    block = StringList(lines, "table")
    block.pad_double_width(PAD)
    try:
        parsed = (GridTableParser if is_grid else SimpleTableParser)().parse(block)
    except (TableMarkupError, AssertionError, IndexError):
        return None
    widths, head, body = parsed
    rows = [*head, *body]
    cells = [
        Place(number, column, Cell(_stripped([*lines]), more_rows, more_columns))
        for number, row in enumerate(rows)
        for column, (more_rows, more_columns, _offset, lines) in _columns(row, is_grid)
    ]
    return Table(0, 0, "", is_grid, widths, len(head), len(rows), cells)


def _columns(row: list[Any], is_grid: bool) -> Iterator[tuple[int, Any]]:
    """Yield each cell of a row with its column; simple rows leave out spanned ones."""
    column = 0
    for cell in row:
        if cell is not None:
            yield column, cell
        column += 1 if is_grid or cell is None else cell[1] + 1


def _stripped(lines: list[str]) -> list[str]:
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _simple(table: Table) -> list[str]:
    widths = _sizes(table.widths, [(x.column, 0, _width(x.cell)) for x in table.cells])
    border = "  ".join("=" * width for width in widths)
    lines = [border]
    for number in range(table.rows):
        if number and number == table.head:
            lines.append(border)
        row = [place for place in table.cells if place.row == number]
        for line in range(max(len(place.cell.lines) for place in row)):
            texts = ["".join(place.cell.lines[line : line + 1]) for place in row]
            both = zip(texts, widths, strict=True)
            lines.append("  ".join(_filled(*x) for x in both).rstrip())
    return [*lines, border]


def _grid(table: Table, slack: int) -> list[str]:
    """Draw each cell with its border on a sheet, one place for each column."""
    places, least = table.cells, [x + 2 * (not table.is_grid) for x in table.widths]
    wide = ((x.column, x.cell.more_columns, _width(x.cell) + 2) for x in places)
    high = ((x.row, x.cell.more_rows, len(x.cell.lines)) for x in places)
    widths = [size + slack for size in _sizes(least, [*wide])]
    heights = _sizes([1] * table.rows, [*high])
    xs, ys = ([0, *accumulate(x + 1 for x in sizes)] for sizes in (widths, heights))
    sheet = [[" "] * (xs[-1] + 1) for _ in range(ys[-1] + 1)]
    for place in places:
        left, right = xs[place.column], xs[place.column + place.cell.more_columns + 1]
        top, bottom = ys[place.row], ys[place.row + place.cell.more_rows + 1]
        _draw_border(sheet, left, right, top, bottom)
        for y, line in enumerate(place.cell.lines, start=top + 1):
            sheet[y][left + 1 : right] = [_filled(f" {line}", right - left - 1)]
            sheet[y][left + 2 : left + 2] = [""] * (right - left - 2)
    if table.head:
        row = sheet[ys[table.head]]
        row[:] = ["=" if sign == "-" else sign for sign in row]
    return ["".join(row) for row in sheet]


def _draw_border(
    sheet: list[list[str]], left: int, right: int, top: int, bottom: int
) -> None:
    sides = [(y, x, "-") for y in (top, bottom) for x in range(left, right)]
    sides += [(y, x, "|") for x in (left, right) for y in range(top, bottom)]
    for y, x, sign in sides:
        if sheet[y][x] != "+":
            sheet[y][x] = sign
    for y in (top, bottom):
        sheet[y][left] = sheet[y][right] = "+"


def _sizes(least: list[int], needed: list[tuple[int, int, int]]) -> list[int]:
    """Return widths or heights that have room: for a start, what it spans, a size."""
    sizes = [*least]
    for start, more, size in sorted(needed, key=lambda x: x[1]):
        there = sum(sizes[start : start + more + 1]) + more
        sizes[start + more] += max(0, size - there)
    return sizes


def _width(cell: Cell) -> int:
    return max(map(column_width, cell.lines), default=0)


def _filled(text: str, width: int) -> str:
    return text + " " * (width - column_width(text))
