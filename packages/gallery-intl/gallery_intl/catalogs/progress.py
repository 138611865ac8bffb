"""Count how much of each page each language has: for a terminal, a program, a page.

One function counts, and everything that shows a number asks it.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from gallery_intl.catalogs import english
from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs.review import Credits, credits


class Count(NamedTuple):
    """A catalog's messages by state, and the English words still to translate."""

    translated: int = 0
    fuzzy: int = 0
    untranslated: int = 0
    words_left: int = 0

    @property
    def percent(self) -> int:
        """How much is translated, rounded down: 100 means all."""
        return 100 * self.translated // self.total if self.total else 100

    @property
    def total(self) -> int:
        return self.translated + self.fuzzy + self.untranslated


class Standing(NamedTuple):
    """What there is to know about one catalog."""

    numbers: Count
    credits: Credits


Row = dict[str, Standing]  # by language
Table = dict[str, Row]  # by page


def count(path: Path, language: str, source: str = catalogs.SOURCE_LANGUAGE) -> Count:
    """Count the messages of a page by state: those of English, if it has the page."""
    entries = english.messages(english.read(path), english.english(path))
    left = [entry for entry in entries if catalogs.is_gap(entry, language, source)]
    fuzzy = sum(entry.fuzzy for entry in left)
    words = sum(len(entry.msgid.split()) for entry in left)
    return Count(len(entries) - len(left), fuzzy, len(left) - fuzzy, words)


def add(counts: Iterable[Count]) -> Count:
    return Count(*map(sum, zip(*counts, strict=True)))


def table(
    locale_dir: Path, languages: list[str], source: str = catalogs.SOURCE_LANGUAGE
) -> Table:
    """Count every page in every language; a lost catalog counts as nothing done.

    What has no messages, such as the catalog of a page that is gone, is left out.
    """
    rows: Table = {}
    for language in languages:
        folder = locale_dir / language / "LC_MESSAGES"
        for path in paths(locale_dir, [language]):
            numbers = count(path, language, source)
            if numbers.total:
                page = path.relative_to(folder).with_suffix("").as_posix()
                known = Standing(numbers, credits(english.read(path)))
                rows.setdefault(page, {})[language] = known
    # the interface's behind the pages
    order = sorted(rows, key=lambda page: (page in catalogs.NO_PAGE, page))
    return {page: rows[page] for page in order}


def paths(locale_dir: Path, languages: list[str]) -> list[Path]:
    """Return the catalogs of the languages, also those that only English has."""
    folders = [locale_dir / language / "LC_MESSAGES" for language in languages]
    there = {path for folder in folders for path in folder.rglob("*.po")}
    return sorted(there.union(english.wanted(locale_dir, languages)))


def totals(rows: Table, languages: list[str]) -> dict[str, Count]:
    return {
        language: add(row[language].numbers for row in rows.values() if language in row)
        for language in languages
    }


def as_text(rows: Table, languages: list[str]) -> Iterator[str]:
    """Yield the table for a terminal: percent, and what is left of each catalog."""
    width = max((len(page) for page in rows), default=4)
    yield " " * width + "".join(f"  {language:>18}" for language in languages)
    counts = {
        page: {language: known.numbers for language, known in row.items()}
        for page, row in rows.items()
    } | {"all": totals(rows, languages)}
    for page, row in counts.items():
        cells = (cell(row.get(language)) for language in languages)
        yield f"{page:{width}}" + "".join(f"  {text:>18}" for text in cells)


def cell(counted: Count | None) -> str:
    """Return one number as text: ``100 %``, or ``80 % (40 words)``."""
    if counted is None:
        return "-"
    left = f" ({counted.words_left} words)" if counted.words_left else ""
    return f"{counted.percent} %{left}"


def as_json(rows: Table) -> str:
    plain = {
        page: {
            language: {**known.numbers._asdict(), **asdict(known.credits)}
            for language, known in row.items()
        }
        for page, row in rows.items()
    }
    return json.dumps(plain, indent=1)
