"""Find the glossary's terms in a message, and their translation beside them."""
# ruff: noqa: RUF001

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

BRACKETS = re.compile(r"\s*[(（][^()（）]*[)）]")
# What a dictionary form ends with; the words on a page are inflected.
ENDINGS = re.compile(r"(?:하다|다|する)$")
# English verbs of this field that are nouns as well.
VERB = re.compile(
    r"(?:broadcast|checkpoint|copy|copie|gather|hook|machine|offload|overlap|pin"
    r"|process|rank|reduce|replicate|scatter|shard|spawn|wrap)(?:e?s)?",
    re.IGNORECASE,
)
NOUN_BEFORE = re.compile(
    r"\b(?:an?|the|this|that|these|those|its|own|each|every|one|another|same|other"
    r"|first|second|two|three|four|several|many|fewer)\s+$",
    re.IGNORECASE,
)
NOUN_AFTER = re.compile(
    r"\s*(?:[.,;:?!)]|$|\s(?:of|for|in|on|to|from|with|by|is|are|has|and|or|that)\b)"
)


class Glossary:
    """The terms of a ``glossary.csv``: a column for each language, English first."""

    def __init__(self, rows: Iterable[dict[str, str]] = ()) -> None:
        self.rows = {row["en"].lower(): row for row in rows}
        # The longest first: "reduce" inside "all-reduce" is no term of its own.
        self._ordered = sorted(self.rows, key=len, reverse=True)
        named = "|".join(f"({any_number(term)})" for term in self._ordered) or "(?!)"
        self._pattern = re.compile(rf"(?<![\w-])(?:{named})(?![\w-])", re.IGNORECASE)

    def terms(self, english: str) -> Iterator[str]:
        """Yield the terms of an English text, each once."""
        found = {
            self._ordered[(match.lastindex or 0) - 1]
            for match in self._pattern.finditer(english)
            if not VERB.fullmatch(match[0]) or is_noun(match)
        }
        yield from sorted(found)

    def typed(self, language: str) -> Iterator[tuple[str, list[str]]]:
        """Yield what readers type, and the words of the pages for it.

        A language has a column for it: ``ko typed``. The English is typed everywhere.
        """
        for english, row in self.rows.items():
            ours = alternatives(row.get(language) or "")
            long = [word for word in ours if len(word) > 1]  # 块 is part of other words
            words = (row.get(f"{language} typed") or "").split("/")
            for typed in dict.fromkeys([*map(str.strip, words), english, *long]):
                if typed and any(ours):
                    yield typed, list(dict.fromkeys([*ours, english]))

    def translations(self, language: str) -> list[str]:
        """Return all translations of a language, without what stands in brackets."""
        words = (row.get(language) or "" for row in self.rows.values())
        return [part for word in words for part in alternatives(word)]


def read_glossary(path: Path) -> Glossary:
    """Read a glossary; an empty one if there is no such file."""
    if not path.is_file():
        return Glossary()
    with path.open(encoding="utf-8", newline="") as file:
        return Glossary(csv.DictReader(file))


def is_noun(match: re.Match[str]) -> bool:
    """Return whether a word that is a verb, too, stands as a noun: "a copy of"."""
    text = match.string
    before = NOUN_BEFORE.search(text[: match.start()])
    return bool(before and NOUN_AFTER.match(text, match.end()))


def any_number(term: str) -> str:
    """Return a pattern for an English term in the singular and the plural."""
    words = re.escape(term).replace(r"\ ", "[- ]?").replace(r"\-", "[- ]?")
    if term.endswith("y"):
        return f"{words[:-1]}(?:y|ies)"
    return f"{words}(?:e?s)?"


def alternatives(translation: str) -> list[str]:
    """Return the words of a translation: two of "복사본/사본", one of "훅(hook)"."""
    return [word.strip() for word in BRACKETS.sub("", translation).split("/")]


def has_term(text: str, term: str, translation: str, language: str) -> bool:
    """Return whether a text has one of a term's translations, ``a/b``, inflected."""
    stems = (ENDINGS.sub("", word) for word in alternatives(translation))
    if any(folded(stem, language) in folded(text, language) for stem in stems):
        return True
    # A name that stays English: **gather** in the text, not "…(gather)".
    return folded(term, "en") in folded(BRACKETS.sub("", text), "en")


def folded(text: str, language: str) -> str:
    """Make comparable: case, spacing (but in Korean), Korean syllables in letters."""
    text = unicodedata.normalize("NFD", text.lower())
    return text if language == "ko" else re.sub(r"[\s-]", "", text)
