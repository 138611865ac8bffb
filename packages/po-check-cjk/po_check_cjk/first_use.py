"""Find a term's English in brackets where the term is settled, or was used before.

Readers need it where they meet the term for the first time in running text: headings,
the line of a card, tables and figures do not count. It may also come where English
stresses the term, since it is explained there.
"""

# ruff: noqa: RUF001

from __future__ import annotations

import re
from collections.abc import Iterator

import polib  # type: ignore[import-untyped]

from po_check_cjk.catalogs import SOURCE_LANGUAGE, translations
from po_check_cjk.glossary import Glossary, is_stressed
from po_check_cjk.glossary_file import words_of
from po_check_cjk.terms import any_number, english, find, folded

LATE, NEEDLESS = "late-gloss", "needless-gloss"
SETTLED = "settled"  # languages in which every reader knows a term's translation
RUNNING = {"paragraph", "list item", "note"}
LITERAL = re.compile("``.*?``", re.DOTALL)
IN_BRACKETS = re.compile(r"[(（]\**([A-Za-z][A-Za-z -]*)\**[)）]")


def wrong_glosses(
    catalog: polib.POFile, language: str, glossary: Glossary
) -> Iterator[tuple[int, str, str]]:
    """Yield line, rule and text for each such bracket of a page."""
    if language == SOURCE_LANGUAGE:
        return
    texts = [x for x in filter(translations, catalog) if is_running(x)]
    seen: set[str] = set()
    for place, entry in enumerate(texts):
        for gloss in IN_BRACKETS.findall(LITERAL.sub("", entry.msgstr)):
            term = term_of(gloss, glossary)
            if not term or term in seen or is_stressed(term, entry.msgid):
                continue
            seen.add(term)
            if language in glossary.rows[term].get(SETTLED, "").split():
                remedy = "the glossary calls the term settled: leave it out"
                yield entry.linenum, NEEDLESS, f'"({gloss})" ({remedy})'
                continue
            words = words_of(glossary.rows[term], language)
            before = (x for x in texts[:place] if uses(x, term, words, language))
            if first := next(before, None):
                text = f'"({gloss})" is here, but line {first.linenum} has the term'
                yield entry.linenum, LATE, f"{text} before it (move it there)"


def is_running(entry: polib.POEntry) -> bool:
    """Return whether a message is nothing but running text."""
    return {*entry.comment.split("\n")} <= RUNNING


def term_of(gloss: str, glossary: Glossary) -> str:
    """Return the term that an English word in brackets is."""
    named = (x for x in glossary.rows if re.fullmatch(any_number(x), gloss, re.I))
    return next(named, "")


def uses(entry: polib.POEntry, term: str, words: list[str], language: str) -> bool:
    """Return whether a message has a term, in English and in its translation."""
    text = folded(entry.msgstr, language)
    return bool(english(term).search(entry.msgid)) and any(
        find(word, text, language) for word in words
    )
