"""Read the two optional CSV files: synonyms, and what readers type for a page.

Several entries in one cell are separated by slashes.
"""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

Row = dict[str, str]

SEPARATORS = ",;\t"
BRACKETS = re.compile(r"\s*[(\uff08][^()\uff08\uff09]*[)\uff09]")  # full width, too


def read_setting(app: Sphinx, name: str) -> list[Row]:
    """Read the file that a setting names, relative to the source folder."""
    if not app.config[name]:
        return []
    path = Path(app.srcdir, app.config[name])
    if not path.is_file():
        logger.warning("%s: no file %s", name, path, type="cjk_search", subtype="csv")
        return []
    return read_rows(path)


def read_rows(path: Path) -> list[Row]:
    """Return rows by column names; spreadsheets also write ; and a byte order mark."""
    text = path.read_text(encoding="utf-8-sig")
    separator = max(SEPARATORS, key=text.partition("\n")[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    lines = [[" ".join(cell.split()) for cell in cells] for cells in reader]
    columns, *rows = lines or [[]]
    return [
        dict.fromkeys(columns, "") | dict(zip(columns, cells, strict=False))
        for cells in rows
        if any(cells)
    ]


def entries_of(cell: str) -> list[str]:
    return [entry.strip() for entry in cell.split("/") if entry.strip()]


def typed_for_pages(rows: list[Row], language: str) -> dict[str, str]:
    """Return what readers type for each page, one entry a line."""
    cells = ((row.get("page", ""), row.get(language, "")) for row in rows)
    return {page: cell.replace("/", "\n") for page, cell in cells}


def synonyms(rows: list[Row], language: str) -> list[tuple[str, list[str]]]:
    """Return what readers type, the longest first, with the terms of the pages.

    They type the entries of the column ``ko typed`` and, in any language, the English.
    """
    synonyms: dict[str, dict[str, None]] = {}
    for row in rows:
        terms = entries_of(BRACKETS.sub("", row.get(language, "")))
        english = row.get("en", "").lower()
        long = [term for term in terms if len(term) > 1]  # 块 is part of other words
        typed = [*entries_of(row.get(f"{language} typed", "")), english, *long]
        for text in filter(None, typed if terms else []):
            found = synonyms.setdefault(text.lower(), {})
            found.update(dict.fromkeys([*terms, english]))
    ordered = sorted(synonyms.items(), key=lambda entry: (-len(entry[0]), entry[0]))
    return [(text, [*filter(None, terms)]) for text, terms in ordered]
