"""Find one translation of two English texts, such as that of the row above."""

from __future__ import annotations

import re
from collections.abc import Iterator

import polib  # type: ignore[import-untyped]

from po_check_cjk.catalogs import translations

SAME = "same-translation"


def same_translations(catalog: polib.POFile) -> Iterator[tuple[int, str, str]]:
    """Yield line, rule and text where two texts of a kind are translated alike."""
    known: dict[tuple[str, str], polib.POEntry] = {}
    for entry in filter(translations, catalog):
        first = known.setdefault((entry.comment, entry.msgstr), entry)
        if entry.msgstr != entry.msgid and words(first.msgid) != words(entry.msgid):
            text = f'"{first.msgid[:40]}" in line {first.linenum} is translated alike'
            yield entry.linenum, SAME, f"{text} (translate one of them differently)"


def words(english: str) -> list[str]:
    """Return the words of a text, without articles and the s of a plural."""
    found = re.findall(r"\w+", english.casefold())
    return [word.removesuffix("s") for word in found if word not in ("a", "an", "the")]
