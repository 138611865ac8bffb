"""Let a page be found by what its readers type, which may be nowhere in its text.

``searches.csv`` beside the glossary has a line for each page and a column for each
language. The words count as if the beginning of the page said them once.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

BRACKETS = re.compile(r"\s*[(（][^()（）]*[)）]")  # noqa: RUF001


def read_table(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table; none where there is no such file."""
    if not path.is_file():
        return []
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    return list(csv.DictReader(lines, restval=""))


def typed_terms(glossary: Path, language: str) -> Iterator[tuple[str, list[str]]]:
    """Yield what readers type for a term, and the words of the pages for it."""
    for row in read_table(glossary):
        cell = BRACKETS.sub("", row.get(language, ""))
        ours = [word.strip() for word in cell.split("/") if word.strip()]
        words = row.get(f"{language} typed", "").split("/")
        term = row["en"].lower()
        long = [word for word in ours if len(word) > 1]  # 块 is part of other words
        for typed in dict.fromkeys([*map(str.strip, words), term, *long]):
            if typed and ours:
                yield typed, list(dict.fromkeys([*ours, term]))


def read_searches(path: Path, language: str) -> dict[str, str]:
    """Return what is typed for each page, none where there is no such file."""
    rows = read_table(path)
    # a slash would join the words on both sides
    return {row["page"]: row.get(language, "").replace("/", "\n") for row in rows}


def with_words(
    marked: tuple[str, ...], words: Iterable[str], mark: int
) -> tuple[str, ...]:
    """Add words at a mark, or lift them to it; a higher one stays."""
    known = [set(text.split()) for text in marked]
    new = set(words).difference(*known[mark:])
    lower = [word_set - new for word_set in known[:mark]]
    return tuple(
        " ".join(sorted(word_set))
        for word_set in [*lower, known[mark] | new, *known[mark + 1 :]]
    )
