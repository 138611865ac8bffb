"""Find the terms of a glossary in messages, and wrong words for them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from po_check_cjk.glossary_file import Row, read_rows, words_of
from po_check_cjk.terms import (
    BRACKETS,
    SPACE_OR_HYPHEN,
    alternatives,
    any_number,
    english,
    find,
    folded,
    is_noun,
    stem,
)


class Glossary:
    """The terms of a ``glossary.csv``: a column for each language, English first."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.rows = {row["en"].lower(): row for row in rows}
        # The longest first: "reduce" inside "all-reduce" is no term of its own.
        longest = sorted(self.rows, key=len, reverse=True)
        self._ordered = sorted(longest, key=first_letter)
        self._pattern = any_of(self._ordered)
        self._wrong: dict[str, set[str]] = {}

    def terms(self, text: str) -> Iterator[str]:
        terms = set()
        for match in self._pattern.finditer(text.lower()):
            term = self._ordered[(match.lastindex or 0) - 1]
            if not self.rows[term].get("verb") or is_noun(match):
                terms.add(term)
        yield from sorted(terms)

    def missing(self, source: str, text: str, language: str) -> Iterator[str]:
        """Yield the terms of an English text that a translation lacks.

        A longer term is none of those inside it: 학습률 is no 학습.
        """
        terms = [*self.terms(source)]
        for term in terms:
            wanted = self.rows[term].get(language) or ""
            others = [
                word
                for other in terms
                for word in words_of(self.rows[other], language)
                if word not in alternatives(wanted)
            ]
            if wanted and not has_term(text, term, wanted, language, others):
                yield term

    def wrong(self, source: str, text: str, language: str) -> Iterator[tuple[str, str]]:
        """Yield terms, each with a word of a translation that is wrong for it.

        A word of ``ko wrong`` is so where English has the term, one of ``ko never``
        anywhere; but not inside the translation of a term that English has.
        """
        text = folded(text, language)
        joined = SPACE_OR_HYPHEN.sub("", text)
        if not any(word in joined for word in self._suspects(language)):
            return  # most texts have none, and terms are many
        used = {term for term in self.rows if english(term).search(source)}
        right = [word for term in used for word in words_of(self.rows[term], language)]
        for term, row in self.rows.items():
            words = words_of(row, language, "never")
            words += words_of(row, language, "wrong") if term in used else []
            for word in words:
                if match := find(word, text, language, right):
                    yield term, unicodedata.normalize("NFC", match[0])

    def _suspects(self, language: str) -> set[str]:
        """Return the stems of all wrong words."""
        if language not in self._wrong:
            self._wrong[language] = {
                stem(word, language)
                for row in self.rows.values()
                for kind in ("wrong", "never")
                for word in words_of(row, language, kind)
            }
        return self._wrong[language]

    def translations(self, language: str) -> list[str]:
        """Return all translations of a language, without notes in brackets."""
        return [word for row in self.rows.values() for word in words_of(row, language)]


def first_letter(term: str) -> str:
    """Return what `any_of` divides terms by: to try each in each place takes long."""
    return term[:1]


def any_of(terms: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds terms in small letters, with a group for each."""
    parts = []
    for letter, some in groupby(terms, first_letter):
        groups = "|".join(f"({any_number(term)})" for term in some)
        parts.append(f"(?={re.escape(letter)})(?:{groups})")
    return re.compile(rf"(?<![\w-])(?:{'|'.join(parts) or '(?!)'})(?![\w-])")


def read_glossary(path: Path) -> Glossary:
    """Read a glossary; an empty one if there is no such file."""
    return Glossary(read_rows(path) if path.is_file() else ())


def has_term(
    text: str, term: str, translation: str, language: str, others: Iterable[str] = ()
) -> bool:
    """Return whether a text has one of a term's translations, ``a/b``, inflected.

    Inside ``others``, which are longer, it does not count. A name may stay English.
    """
    words, whole = alternatives(translation), folded(text, language)
    matches = (find(word, whole, language, others, inside=True) for word in words)
    return any(matches) or is_named(term, text)


def is_named(term: str, text: str) -> bool:
    """Return whether a text has an English term as a name: Multi-GPU, data_set."""
    term = rf"\w*{any_number(term)}\w*"
    names = re.findall(term, BRACKETS.sub("", text), re.IGNORECASE)
    return any(name != name.lower() or "_" in name for name in names)


def is_stressed(term: str, msgstr: str) -> bool:
    """Return whether a translation has an English term as **gather** or *gather*."""
    return bool(re.search(rf"\*{any_number(term)}\*", msgstr, re.IGNORECASE))
