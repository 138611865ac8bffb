"""Let lines of HTML break where readers expect.

A title breaks at its colon first. In Korean no particle stands alone behind a bracket,
and no bracket without its word. In titles some words are held together that a browser
would cut. What does this is seen by nobody: two spans, and a word joiner (U+2060),
which comes neither into code nor into attributes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gallery_intl.text.cjk import SYLLABLES

JOINER = "\u2060"
# A title up to its colon, which stands in no element.
SUBJECT = re.compile(
    r"(?:[^<:：]|:(?!\s)|<(\w+)[^>]*>.*?</\1>)+(?::(?=\s)|：)"  # noqa: RUF001
)
TITLE = re.compile(
    r'(<h1>|<p class="prev-next-title">)(.*?)(?=<a class="headerlink"|</h1>|</p>)'
)
# What may not be cut in phrases: titles, and lists of them.
SHORT = re.compile(
    r'<(h[1-6]|nav)\b.*?</\1>|<p class="[^"]*\b(?:card|prev-next)-title\b.*?</p>'
    r'|<dl class="[^"]*\btitles\b.*?</dl>',
    re.S,
)
# A bracket with its word before and its particle behind it, each maybe in elements.
KOREAN = re.compile(
    rf"""(?xs)
    (?P<place> \) (?:</\w+>)* (?=[{SYLLABLES}]) | [{SYLLABLES}] (?:</\w+>)* (?=\() )
    | <(script|style|title|textarea|pre|svg)\b .*? </\2>
    | <code\b .*? (?= \)? (?:</\w+>)* </code>)  # but for its last bracket
    | <!--.*?-->
    | <[^>]*>
    """,
    re.VERBOSE | re.DOTALL,
)


def at_colon(title: str) -> tuple[str, str]:
    """Split a title behind its colon; without one all of it is the first half."""
    match = SUBJECT.match(title)
    if not match:
        return title, ""
    return match[0], title[match.end() :]


def in_halves(title: str) -> str:
    """Let a title break at its colon first."""
    subject, point = at_colon(title)
    if not point.strip():
        return title
    space = " " if point[0].isspace() else ""
    halves = (half.strip() for half in (subject, point))
    return space.join(f'<span class="intl-half">{half}</span>' for half in halves)


def with_halves(page: str) -> str:
    """Let the title of a page, and those of the pages around it, break at colons."""
    return TITLE.sub(lambda match: match[1] + in_halves(match[2]), page)


def joined_korean(page: str) -> str:
    """Join brackets to the word before them and the particle behind them."""
    return KOREAN.sub(lambda x: x[0] + JOINER if x["place"] else x[0], page)


def joined_words(page: str, words: Sequence[str]) -> str:
    """Hold words together wherever titles are shown."""
    inside = re.compile("|".join(["<[^>]*>", *map(re.escape, words)]))

    def join(match: re.Match[str]) -> str:
        return match[0] if match[0].startswith("<") else JOINER.join(match[0])

    return SHORT.sub(lambda match: inside.sub(join, match[0]), page)
