"""Let a page be found by what its readers type, which may be nowhere in its text.

``searches.csv`` beside the glossary has a line for each page and a column for each
language. The words count as if the beginning of the page said them once.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gallery_intl.rules.glossary_file import cells_of


def read_searches(path: Path, language: str) -> dict[str, str]:
    """Return what is typed for each page, none where there is no such file."""
    if not path.is_file():
        return {}
    (_place, columns), *lines = cells_of(path)
    rows = [dict(zip(columns, cells, strict=False)) for _place, cells in lines]
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
