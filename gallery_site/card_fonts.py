"""Find a font that has every letter of a text, in the shapes of its language.

A font file for Chinese, Japanese and Korean holds one face for each of them: the same
code point is drawn differently, so a face is found by its family's name, never by the
file's first face.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from matplotlib.font_manager import FontEntry, FontManager, fontManager
from matplotlib.ft2font import FT2Font

ALWAYS = "DejaVu Sans"  # comes with matplotlib
REGULAR, BOLD = 400, 700


class Face(NamedTuple):
    """One face in a font file."""

    path: str
    number: int  # in the file


class Family(NamedTuple):
    """The two faces that a card is drawn with."""

    name: str
    regular: Face
    bold: Face


@functools.cache
def scanned() -> FontManager:
    """Look at the machine's fonts anew: matplotlib's list may be older than they."""
    return FontManager()


def upright(entries: Iterable[FontEntry], name: str) -> dict[int, Face]:
    """Map the weights that a family has to its faces."""
    return {
        int(entry.weight): Face(entry.fname, entry.index)
        for entry in entries
        if (entry.name, entry.style, entry.stretch) == (name, "normal", "normal")
    }


@functools.cache
def family(name: str) -> Family | None:
    """Find a family by its name; None if the machine does not have it."""
    faces = upright(fontManager.ttflist, name) or upright(scanned().ttflist, name)
    if REGULAR not in faces:
        return None
    return Family(name, faces[REGULAR], faces.get(BOLD, faces[REGULAR]))


@functools.cache
def letters(face: Face) -> frozenset[int]:
    """Give the code points that a face has a glyph for."""
    return frozenset(FT2Font(face.path, face_index=face.number).get_charmap())


def has_all(face: Face, text: str) -> bool:
    """Tell whether a face has a glyph for every letter of a text."""
    return {ord(letter) for letter in text if not letter.isspace()} <= letters(face)


def family_for(text: str, names: Iterable[str]) -> Family | None:
    """Give the first family that can draw a text; None rather than empty boxes."""
    text = unicodedata.normalize("NFC", text)
    for found in filter(None, map(family, (*names, ALWAYS))):
        if has_all(found.regular, text) and has_all(found.bold, text):
            return found
    return None
