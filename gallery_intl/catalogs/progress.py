"""Count how much of each page each language has: for a terminal, a program, a page.

One function counts, and everything that shows a number asks it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import polib  # type: ignore[import-untyped]

from gallery_intl.catalogs import po as catalogs

MAIL = re.compile(r"<[^>]*>|[^\s,]+@[^\s,]+")
PLACEHOLDERS = {"full name", "name", "automatically generated"}


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
        return Count(*map(sum, zip(self, other, strict=True)))


class Credits(NamedTuple):
    """Who worked on a catalog, without mail addresses; "" for nobody."""

    translator: str
    reviewer: str  # with a date, if the header has one


class Standing(NamedTuple):
    """What there is to know about one catalog."""

    numbers: Count
    credits: Credits


NOTHING = Count(0, 0, 0, 0)
Row = dict[str, Standing]  # by language
Table = dict[str, Row]  # by page


def credits(header: Mapping[str, str]) -> Credits:
    """Read off a catalog's header who translated it, and who reviewed it."""
    return Credits(
        person(header.get("Last-Translator", "")), person(header.get("X-Reviewed", ""))
    )


def person(text: str) -> str:
    """Leave the mail address out of ``name <address>, date``; "" for no name."""
    known = re.sub(r"\s+(,|$)", r"\1", MAIL.sub("", text)).strip(", ")
    name = known.partition(",")[0]
    is_name = re.search(r"[^\W\d_]", name) and name.lower() not in PLACEHOLDERS
    return known if is_name else ""


def count(catalog: polib.POFile, *, source: bool = False) -> Count:
    """Count a catalog's messages by state; ``source``: English in it is no gap."""
    translated = fuzzy = untranslated = words_left = 0
    for entry in catalogs.active(catalog):
        if entry.fuzzy:
            fuzzy += 1
        elif not entry.msgstr.strip() or (not source and catalogs.is_english(entry)):
            untranslated += 1
        else:
            translated += 1
            continue
        words_left += len(entry.msgid.split())
    return Count(translated, fuzzy, untranslated, words_left)


def table(locale_dir: Path, languages: list[str]) -> Table:
    """Count every catalog of every language; a missing one counts as nothing done."""
    found: Table = {}
    for path in paths(locale_dir, languages):
        language, _messages, *parts = path.relative_to(locale_dir).parts
        page = PurePosixPath(*parts).with_suffix("").as_posix()
        catalog = catalogs.read(path)
        counted = count(catalog, source=language == catalogs.SOURCE_LANGUAGE)
        known = Standing(counted, credits(catalog.metadata))
        found.setdefault(page, {})[language] = known
    # the interface's behind the pages
    order = sorted(found, key=lambda page: (page == catalogs.INTERFACE, page))
    return {page: found[page] for page in order}


def paths(locale_dir: Path, languages: list[str]) -> list[Path]:
    """Return the catalogs of the languages."""
    folders = (locale_dir / language / "LC_MESSAGES" for language in languages)
    return [path for folder in folders for path in sorted(folder.rglob("*.po"))]


def totals(rows: Table, languages: list[str]) -> dict[str, Count]:
    """Add up all pages by language."""
    sums = dict.fromkeys(languages, NOTHING)
    for row in rows.values():
        for language, known in row.items():
            sums[language] = sums[language].plus(known.numbers)
    return sums


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
    """Return the table for programs."""
    plain = {
        page: {
            language: {**known.numbers._asdict(), **known.credits._asdict()}
            for language, known in row.items()
        }
        for page, row in rows.items()
    }
    return json.dumps(plain, indent=1)
