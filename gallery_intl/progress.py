"""Count how much of each page each language has: for a terminal, a program, a page.

One function counts, and everything that shows a number asks it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gallery_intl import catalogs


class Count(NamedTuple):
    """A catalog's messages by state, and the English words still to translate."""

    translated: int
    fuzzy: int
    untranslated: int
    words_left: int

    @property
    def total(self) -> int:
        return self.translated + self.fuzzy + self.untranslated

    @property
    def percent(self) -> int:
        """How much is translated, rounded down: 100 means all."""
        return 100 * self.translated // self.total if self.total else 100

    def plus(self, other: Count) -> Count:
        return Count(*(a + b for a, b in zip(self, other, strict=True)))


NOTHING = Count(0, 0, 0, 0)
Table = dict[str, dict[str, Count]]  # by page, then by language


def count(path: Path, *, source: bool = False) -> Count:
    """Count a catalog; ``source``: English in it is no gap."""
    states = {"translated": 0, "fuzzy": 0, "untranslated": 0}
    words = 0
    for entry in catalogs.active(catalogs.read(path)):
        if entry.fuzzy:
            state = "fuzzy"
        elif not entry.msgstr.strip() or (not source and catalogs.is_english(entry)):
            state = "untranslated"
        else:
            state = "translated"
        states[state] += 1
        words += len(entry.msgid.split()) if state != "translated" else 0
    return Count(**states, words_left=words)


def table(locale_dir: Path, languages: list[str], source: str = "en") -> Table:
    """Count every catalog of every language; a missing one counts as nothing done."""
    found: Table = {}
    for language in languages:
        folder = locale_dir / language / "LC_MESSAGES"
        for path in sorted(folder.rglob("*.po")):
            page = path.relative_to(folder).with_suffix("").as_posix()
            found.setdefault(page, {})[language] = count(
                path, source=language == source
            )
    return {page: found[page] for page in sorted(found, key=in_order)}


def in_order(page: str) -> tuple[bool, str]:
    """Sort the interface's catalog behind the pages."""
    return page == "sphinx", page


def totals(rows: Table, languages: list[str]) -> dict[str, Count]:
    """Add up all pages by language."""
    sums = dict.fromkeys(languages, NOTHING)
    for row in rows.values():
        for language, counted in row.items():
            sums[language] = sums[language].plus(counted)
    return sums


def as_text(rows: Table, languages: list[str]) -> Iterator[str]:
    """Give the table for a terminal: percent, and what is left of each catalog."""
    width = max((len(page) for page in rows), default=4)
    yield " " * width + "".join(f"  {language:>18}" for language in languages)
    for page, row in [*rows.items(), ("all", totals(rows, languages))]:
        cells = (cell(row.get(language)) for language in languages)
        yield f"{page:{width}}" + "".join(f"  {text:>18}" for text in cells)


def cell(counted: Count | None) -> str:
    """Say one number shortly: ``100 %``, or ``80 % (40 words)``."""
    if counted is None:
        return "-"
    left = f" ({counted.words_left} words)" if counted.words_left else ""
    return f"{counted.percent} %{left}"


def as_json(rows: Table) -> str:
    """Give the table for programs."""
    plain = {
        page: {language: counted._asdict() for language, counted in row.items()}
        for page, row in rows.items()
    }
    return json.dumps(plain, indent=1)
