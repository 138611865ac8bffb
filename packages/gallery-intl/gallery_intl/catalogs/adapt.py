"""Adapt a translation to a message in which only code or punctuation changed."""

import re
from collections import Counter

PIECE = re.compile(
    r"``.+?``"  # a literal
    r"|(?<=\s)<[^<>\s]+>"  # the target of a link or of a role
    r"|https?://[!-;=?-_a-~]+(?<![.,:;!?)])"
    r"|:[\w:+-]+:`[^`<]*`"  # a role without a text of its own
    r"|%\([a-z_]+\)[sd]|%[sd]|\$?\{\w+\}"  # placeholders
)
# how pieces begin that nobody reads aloud; of a page people read the title
UNREAD = ("<", "http", "%", "{", "$", ":doc:")
TWO_FORMS = {
    *"은는이가을를과와으로나라"
}  # first syllables of particles that depend on it
PUNCTUATION = re.compile(r"[.,:;!?…\"'“”‘’()–—]+")  # noqa: RUF001
ENDS = (".。", ":：")  # noqa: RUF001  # what may end a message, half and full width


def adapt(old: str, new: str, translation: str) -> str | None:
    """Return the translation of ``new``, made from that of ``old``; None if unsafe."""
    if _plain(old) != _plain(new):
        return None
    swapped = _swap(PIECE.findall(old), PIECE.findall(new), translation)
    return swapped and _end(old, new, swapped)


def _plain(message: str) -> str:
    """Return a message without punctuation, and with a mark for each piece of code."""
    words = PUNCTUATION.sub("", PIECE.sub("\0", message))
    return " ".join(words.split())


def _swap(old: list[str], new: list[str], translation: str) -> str | None:
    """Return a translation with other pieces of code, exchanged all at once."""
    pairs = set(zip(old, new, strict=True))
    into = dict(pairs)
    if len(into) < len(pairs):  # one piece became two different ones
        return None
    if Counter(PIECE.findall(translation)) != Counter(old):
        return None
    for piece in PIECE.finditer(translation):
        is_heard = into[piece[0]] != piece[0] and not piece[0].startswith(UNREAD)
        # a Korean particle depends on how a piece sounds
        if is_heard and translation[piece.end() :][:1] in TWO_FORMS:
            return None
    return PIECE.sub(lambda piece: into[piece[0]], translation)


def _end(old: str, new: str, translation: str) -> str | None:
    """Return a translation with the mark at its end that the new message has there."""
    if old[-1:] == new[-1:]:
        return translation
    before = next((marks for marks in ENDS if old.endswith(marks[0])), "")
    after = next((marks for marks in ENDS if new.endswith(marks[0])), "")
    width = before.find(translation[-1:]) if before and after else -1
    return translation[:-1] + after[width] if width >= 0 else None
