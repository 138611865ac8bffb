"""Find a word in a text: an English term in its forms, a translation in its own."""
# ruff: noqa: RUF001

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable

from po_check_cjk.characters import HANGUL, KATAKANA

SPACE_OR_HYPHEN = re.compile(r"[\s-]")
BRACKETS = re.compile(r"\s*[(（][^()（）]*[)）]")
# What a dictionary form ends with; the words on a page are inflected.
ENDINGS = re.compile(r"(?:하다|다|する)$")
# What comes before a noun, and after it.
NOUN_BEFORE = re.compile(
    r"\b(?:an?|the|this|that|these|those|its|own|each|every|one|another|same|other"
    r"|first|second|two|three|four|several|many|fewer)\s+$",
    re.IGNORECASE,
)
NOUN_AFTER = re.compile(
    r"\s*(?:[.,;:?!)]|$|\s(?:of|for|in|on|to|from|with|by|is|are|has|and|or|that)\b)"
)
# A word does not begin inside another one of its script: 층 in 심층, ロス in クロス.
# Where words of Han begin nobody sees.
WORD_SCRIPTS = (HANGUL, f"{KATAKANA}ー", "a-z")


def is_noun(match: re.Match[str]) -> bool:
    """Return whether a word that is also a verb is a noun here: "a copy of"."""
    text = match.string
    before = NOUN_BEFORE.search(text[: match.start()])
    return bool(before and NOUN_AFTER.match(text, match.end()))


def any_number(term: str) -> str:
    """Return a pattern for an English term in the singular and the plural."""
    words = re.escape(term).replace(r"\ ", "[- ]?").replace(r"\-", "[- ]?")
    if term.endswith("y"):
        return f"{words[:-1]}(?:y|ies)"
    return f"{words}(?:e?s)?"


@functools.cache
def english(term: str) -> re.Pattern[str]:
    """Return a pattern that finds an English term, as a verb and in "sub-term" too."""
    return re.compile(rf"\b{any_number(term)}\b", re.IGNORECASE)


def alternatives(translation: str) -> list[str]:
    """Return the words of a translation: two of "복사본/사본", one of "훅(hook)"."""
    words = BRACKETS.sub("", translation).split("/")
    return [stripped for word in words if (stripped := word.strip())]


def folded(text: str, language: str) -> str:
    """Make case comparable, and Korean syllables: 감싸 begins 감쌉니다."""
    text = text.lower()
    return unicodedata.normalize("NFD", text) if language == "ko" else text


def stem(word: str, language: str) -> str:
    """Return the characters of a translation that each text with it has."""
    return SPACE_OR_HYPHEN.sub("", folded(ENDINGS.sub("", word), language))


@functools.cache
def pattern(word: str, language: str, inside: bool = False) -> re.Pattern[str]:
    """Return a pattern that finds a translation in a folded text.

    It is inflected in Korean, and spaced freely in other languages. ``inside``: also at
    the end of a compound, 평균손실, unless it is a single letter: 행 is not in 실행.
    """
    word = folded(ENDINGS.sub("", word), language)
    is_korean = language == "ko"
    letters = word if is_korean else re.sub(r"[\s-]", "", word)
    middle = ("" if is_korean else r"[\s-]*").join(map(re.escape, letters))
    is_latin = re.search("[a-z]$", word)
    own = [script for script in WORD_SCRIPTS if re.match(f"[{script}]", word)]
    is_long = inside and len(unicodedata.normalize("NFC", word)) > 1 and not is_latin
    before = f"(?<![{own[0]}])" if own and not is_long else ""
    return re.compile(before + middle + (r"s?(?![a-z])" if is_latin else ""))


def find(
    word: str,
    text: str,
    language: str,
    others: Iterable[str] = (),
    *,
    inside: bool = False,
) -> re.Match[str] | None:
    """Find a word in a folded text, but not inside others that have it in them."""
    for other in others:
        if word in other:
            text = pattern(other, language, inside=True).sub("\n", text)
    return pattern(word, language, inside).search(text)
