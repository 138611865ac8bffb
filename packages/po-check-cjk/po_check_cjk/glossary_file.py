"""Read ``glossary.csv``, also as spreadsheets save it; errors name the line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from po_check_cjk.catalogs import CatalogError, decode
from po_check_cjk.terms import alternatives, find, folded

Row = dict[str, str]

SEPARATORS = ",;\t"
# Characters that a program could not save are lost.
REMEDY = 'go back to the version before, and save it as "CSV UTF-8"'
LANGUAGE = r"[a-z]{2,3}(?:_[A-Za-z]{2,4})*(?:@[a-z]+)?"
OTHERS = ["en", "note", "means", "settled", "verb", "unlinked", "lesson"]
COLUMN = re.compile(
    rf"{'|'.join(OTHERS[1:])}|(?P<language>{LANGUAGE})(?: (?:typed|wrong|never))?"
)
LOST_LETTERS = re.compile(r"\?\?+|\ufffd")


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a glossary; raise `CatalogError` with its file and line."""
    lines = cells_of(path)
    place, cells = next(lines, (f"{path}:1", []))
    columns = column_names(cells, place)
    rows: dict[str, Row] = {}
    places = []
    for place, cells in lines:
        row = as_row(cells, columns, place)
        if row["en"].lower() in rows:
            raise CatalogError(f'{place}: "{row["en"]}" occurs twice (join the rows)')
        rows[row["en"].lower()] = row
        places.append(place)
    refuse_clashes(
        [*rows.values()],
        places,
        {name.split()[0] for name in columns}.difference(OTHERS),
    )
    return [*rows.values()]


def words_of(row: Row, language: str, kind: str = "") -> list[str]:
    """Return the words of a cell: those of a language, or of ``ko wrong``."""
    return alternatives(row.get(f"{language} {kind}".strip()) or "")


def cells_of(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the cells of each row, those of the header first, with their places."""
    text = decode(path, REMEDY)
    first = text.partition("\n")[0]
    separator = max(SEPARATORS, key=first.count)
    source = io.StringIO(text, newline="")
    reader = csv.reader(source, delimiter=separator, strict=True)
    line = 1
    try:
        for read in reader:
            cells = [" ".join(cell.split()) for cell in read]
            while cells and not cells[-1]:  # a spreadsheet fills up all rows
                cells.pop()
            if cells:
                yield f"{path}:{line}", cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise CatalogError(f'{path}:{line}: {error} (is a " missing?)') from error


def column_names(cells: list[str], place: str) -> list[str]:
    if "en" not in cells:
        remedy = "the first line names the columns: en, ko, ..., note"
        raise CatalogError(f'{place}: no column "en" ({remedy})')
    for name in cells:
        known = COLUMN.fullmatch(name)
        if not known:
            remedy = "such as zh_CN, zh_CN typed, zh_CN wrong, zh_CN never, note"
            raise CatalogError(f'{place}: "{name}" is no column (name it {remedy})')
        if known["language"] and known["language"] not in cells:
            missing = f'no column "{known["language"]}" for "{name}"'
            raise CatalogError(f"{place}: {missing} (add it)")
        if cells.count(name) > 1:
            raise CatalogError(f'{place}: "{name}" occurs twice (delete a column)')
    return cells


def as_row(cells: list[str], columns: Sequence[str], place: str) -> Row:
    """Return a row by its columns; one that ends early is filled up."""
    if len(cells) > len(columns):
        counted = f"{len(cells)} cells, but {len(columns)} columns"
        remedy = 'a cell with a comma in it needs quotes: "a, b"'
        raise CatalogError(f"{place}: {counted} ({remedy})")
    row = dict.fromkeys(columns, "") | dict(zip(columns, cells, strict=False))
    if not row["en"]:
        raise CatalogError(f'{place}: no English term (write it into the column "en")')
    for column, cell in row.items():
        if column != "note" and (lost := LOST_LETTERS.search(cell)):
            remedy = "go back to the version before"
            raise CatalogError(
                f"{place}: {lost[0]} replaces lost characters ({remedy})"
            )
    return row


def refuse_clashes(
    rows: Sequence[Row], places: Sequence[str], languages: set[str]
) -> None:
    """Raise `CatalogError` where a translation has a word that is wrong."""
    for language in sorted(languages):
        never = {x for row in rows for x in words_of(row, language, "never")}
        for row, place in zip(rows, places, strict=True):
            wrong = {*words_of(row, language, "wrong")}
            for right in words_of(row, language):
                text = folded(right, language)
                words = {x for x in never if find(x, text, language)}
                for word in sorted(words | ({right} & wrong)):
                    remedy = f'"{right}" is right, and "{word}" is wrong'
                    raise CatalogError(f"{place}: {remedy} (change one of them)")
