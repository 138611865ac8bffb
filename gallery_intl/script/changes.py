"""Find what changes from one program of a script to another.

What the author wrote is compared, so all languages have the same changes; what is shown
of them are the lines in the reader's language.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from gallery_intl.script.files import File

NEAR = 1  # so many equal lines may stand inside a change


class Piece(NamedTuple):
    """A line of code, or the lines of comments above it, which are one."""

    written: str  # by the author
    line: int  # of the script, where it begins, from 1
    shown: list[str]  # in the reader's language


class Line(NamedTuple):
    """A piece of a change: taken away, added, or there before and after."""

    sign: Literal["-", "+", " "]
    piece: Piece


Change = list[Line]


def pieces(written: File, shown: File) -> Iterator[Piece]:
    """Yield a program, as it is and as it is in a language, piece by piece."""
    line = written.line
    both = zip(_lines(written.text), _lines(shown.text), strict=True)
    for (above, code), (shown_above, shown_code) in both:
        if above:
            yield Piece("\n".join(above), line, shown_above)
            yield Piece(code, line + len(above), [shown_code])
        else:  # a comment beside code may be too long in another language
            yield Piece(code, line, [*shown_above, shown_code])
        line += len(above) + 1


def _lines(text: str) -> Iterator[tuple[list[str], str]]:
    """Yield each line of code with the comment lines above it."""
    above: list[str] = []
    for line in text.removesuffix("\n").split("\n"):
        if line.lstrip().startswith("#"):
            above.append(line)
        else:
            yield above, line
            above = []
    if above:
        yield above, ""


def changes(old: list[Piece], new: list[Piece]) -> list[Change]:
    """Return what changes, where it does; empty lines alone are no change."""
    lines = list(_compared(old, new))
    spans: list[tuple[int, int]] = []  # first line of each change, and its last
    equal = NEAR + 1
    for place, line in enumerate(lines):
        if line.sign == " ":
            equal += 1
        elif line.piece.written.strip():
            first = spans.pop()[0] if equal <= NEAR else place
            spans.append((first, place))
            equal = 0
    return [_around(lines, first, last) for first, last in spans]


def _compared(old: list[Piece], new: list[Piece]) -> Iterator[Line]:
    before, after = ([piece.written for piece in pieces] for pieces in (old, new))
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            yield from (Line(" ", piece) for piece in new[c:d])
        else:
            gone = (piece for piece in old[a:b] if piece.written.strip())
            yield from (Line("-", piece) for piece in gone)
            yield from (Line("+", piece) for piece in new[c:d])


def _around(lines: list[Line], first: int, last: int) -> Change:
    """Return a change; if it adds only, with the lines between which it does."""
    change = lines[first : last + 1]
    if any(line.sign == "-" for line in change):
        return change
    before, after = lines[:first][-1:], lines[last + 1 :][:1]
    return [*filter(_is_context, before), *change, *filter(_is_context, after)]


def _is_context(line: Line) -> bool:
    return line.sign == " " and line.piece.written.strip() != ""


def as_text(change: Change) -> str:
    """Return a change line by line, each behind its sign."""
    return "\n".join(x.sign + text for x in change for text in x.piece.shown)


def name(change: Change) -> str:
    """Return which change this is: lines of the script, and the first of them."""
    own = [line for line in change if line.sign != " "]
    parts = ([x.piece for x in own if x.sign == sign] for sign in "-+")
    spans = (
        f"{part[0].line}-{part[-1].line + part[-1].written.count(chr(10))}"
        for part in parts
        if part
    )
    return f"lines {', '.join(spans)}: {as_text(own).splitlines()[0]!r}"
