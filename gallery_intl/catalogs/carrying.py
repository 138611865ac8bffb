"""Carry a translation over to a message of which only code or punctuation changed.

What changed must stand in the translation to the letter, and must not be read aloud
before a Korean particle, whose form depends on it. Everything else is for a person.
"""

from __future__ import annotations

import re
from collections import Counter

PIECE = re.compile(
    r"``.+?``"  # a literal
    r"|(?<=\s)<[^<>\s]+>"  # the target of a link or of a role
    r"|https?://[!-;=?-_a-~]+(?<![.,:;!?)])"
    r"|:[\w:+-]+:`[^`<]*`"  # a role without a text of its own
    r"|%\([a-z_]+\)[sd]|%[sd]|\$?\{\w+\}"  # placeholders
)
UNREAD = ("<", "http", "%", "{", "$")  # how pieces begin that nobody reads aloud
PUNCTUATION = re.compile(r"[.,:;!?…\"'“”‘’()–—]+")  # noqa: RUF001
HANGUL = "가", "힣"
ENDS = (".。", ":：")  # noqa: RUF001  # what may end a message, half and full width


def carried(old: str, new: str, translation: str) -> str | None:
    """Give the translation of ``new``, made from that of ``old``; None if unsafe."""
    if plain(old) != plain(new):
        return None
    swapped = swap(PIECE.findall(old), PIECE.findall(new), translation)
    return swapped and end(old, new, swapped)


def plain(message: str) -> str:
    """Give a message without punctuation, and with a mark for each piece of code."""
    words = PUNCTUATION.sub("", PIECE.sub("\0", message))
    return " ".join(words.split())


def swap(old: list[str], new: list[str], translation: str) -> str | None:
    """Exchange the pieces of a translation, all at once."""
    pairs = set(zip(old, new, strict=True))
    into = dict(pairs)
    if len(into) < len(pairs):  # one piece became two different ones
        return None
    if Counter(PIECE.findall(translation)) != Counter(old):
        return None
    for found in PIECE.finditer(translation):
        changed = into[found[0]] != found[0]
        if changed and is_read_on(found[0], translation[found.end() :]):
            return None
    return PIECE.sub(lambda found: into[found[0]], translation)


def is_read_on(piece: str, rest: str) -> bool:
    """Tell whether a Korean particle depends on how a piece sounds."""
    first, last = HANGUL
    return not piece.startswith(UNREAD) and first <= rest[:1] <= last


def end(old: str, new: str, translation: str) -> str | None:
    """Let a translation end with the mark that the new message ends with."""
    if old[-1:] == new[-1:]:
        return translation
    before = next((marks for marks in ENDS if old.endswith(marks[0])), "")
    after = next((marks for marks in ENDS if new.endswith(marks[0])), "")
    width = before.find(translation[-1:]) if before and after else -1
    return translation[:-1] + after[width] if width >= 0 else None
