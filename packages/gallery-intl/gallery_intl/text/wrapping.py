"""Wrap text so that it fits a terminal, East Asian letters counted as two columns.

``textwrap`` counts letters, so a Korean paragraph comes out twice as wide as an
English one, and it never breaks inside a Chinese or Japanese sentence, where there
are no spaces.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from gallery_intl.text.cjk import HANGUL, KATAKANA

LINE_LENGTH = 88

# what ends lines for Python, docutils or a terminal, and plain space; a no-break
# space and an ideographic space are letters like any other
SPACE = re.compile(r"[ \t\n\r\v\f\x1c-\x1f\x85\u2028\u2029]+")
LITERAL = r"``.+?``(?!`)"
WORD = re.compile(rf"(?:{LITERAL}|[^ ])+")
UNIT = re.compile(rf"{LITERAL}|:[\w:+-]+:`[^`]+`|<[^>]*>|.")

# signs that may not stand first or last in a line of Chinese or Japanese; markup
# belongs to the words on both of its sides
MARKUP = "*`_|\\"
NOT_FIRST = frozenset(
    MARKUP + "!?,.:;)]}%"
    "、。，．・：；？！）］｝〕〉》」』】〙〗｠’”»‐–—…‥゛゜ーゝゞヽヾ々〻％℃°"  # noqa: RUF001
    "ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶㇰㇱㇲㇳㇴㇵㇶㇷㇸㇹㇺㇻㇼㇽㇾㇿ"
)
NOT_LAST = frozenset(MARKUP + "([{（［｛〔〈《「『【〘〖｟‘“«<$￥＄#")  # noqa: RUF001
IS_HANGUL = re.compile(f"[{HANGUL}]")
IS_KATAKANA = re.compile(f"[{KATAKANA}ー]*")

# words that would be something else at the start of a line: underlines and list
# markers, directives of Python tools
NOT_AT_START = re.compile(
    r"[^\w`]+$|\(?\d+[.)]$|[a-z_-]+:(?!/)|[%#!]"
    r"|-\*-|coding[:=]|noqa|pragma|nosec|sphinx_gallery_",
    re.IGNORECASE,
)


def display_width(text: str) -> int:
    """Count the columns that a text takes in a terminal; a tab goes to the next 8."""
    return sum(map(_columns, text.expandtabs()))


@cache
def _columns(letter: str) -> int:
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def one_line(text: str) -> str:
    """Put a text of several lines on one, with single spaces."""
    return SPACE.sub(" ", text).strip(" ")


def wrap(
    text: str, first: str = "", rest: str = "", width: int = LINE_LENGTH
) -> list[str]:
    """Break a text into lines of at most ``width`` columns.

    ``first`` stands before the first line and ``rest`` before the others. A piece
    that cannot be broken, such as a link's address, may be longer.
    """
    lines, column = [first], display_width(first)
    for number, (space, piece) in enumerate(_pieces(one_line(text))):
        columns = display_width(space + piece)
        if number and column + columns > width:
            lines.append(rest + piece)
            column = display_width(rest) + columns - len(space)
        else:
            lines[-1] += space + piece
            column += columns
    return lines


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Split where a line may end: pairs of a space (or nothing) and what follows."""
    space = piece = ""
    for word in WORD.findall(text):
        if piece and NOT_AT_START.match(word):
            piece += f" {word}"
            continue
        if piece:
            yield space, piece
            space, piece = " ", ""
        for unit in UNIT.findall(word):
            if piece and _may_break(piece[-1], unit[0]):
                yield space, piece
                space, piece = "", ""
            piece += unit
    yield space, piece


def _may_break(last: str, first: str) -> bool:
    if last in NOT_LAST or first in NOT_FIRST or not _columns(first):
        return False
    if last.isdigit() or IS_KATAKANA.fullmatch(last + first):
        return False  # a number and its unit, a foreign word
    return _is_ideographic(last) or _is_ideographic(first)


@cache
def _is_ideographic(letter: str) -> bool:
    return unicodedata.east_asian_width(letter) in "WF" and not IS_HANGUL.match(letter)
