"""Cut icon fonts to the icons that a stylesheet shows, and put them into it.

Inside the stylesheet the few icons need no request of their own, come with the page,
and are shown from a folder on disk too, where Firefox refuses fonts.
"""

from __future__ import annotations

import base64
import io
import logging
from collections.abc import Iterable, Iterator
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from tinycss2.ast import Node

from gallery_site.light.stylesheet import keyword, link_of, links, set_link, strings

WOFF2 = ".woff2"
PRIVATE = range(0xE000, 0xF900)  # Unicode gives these characters no meaning
LICENCE = (0, 13, 14)  # names in a font: copyright, licence, and its address

logging.getLogger("fontTools").setLevel(logging.WARNING)  # it tells each step


def inline_icons(rules: list[Node], root: Path) -> Iterator[Node]:
    """Yield the rules with their icon fonts inside; a font without an icon goes."""
    wanted = icons(strings(rules))
    for rule in rules:
        path = font_of(rule, root)
        if path is None or not is_icon_font(font := read(path)):
            yield rule
        elif characters := wanted & font.getBestCmap().keys():
            data = base64.b64encode(subset(font, characters)).decode("ascii")
            for token in links(rule):
                set_link(token, f"data:font/woff2;base64,{data}")
            yield rule


def icons(css_strings: Iterable[str]) -> set[int]:
    """Return the characters that may stand for an icon."""
    texts = list(css_strings)
    single = {ord(text) for text in texts if len(text) == 1}
    return single | {ord(char) for text in texts for char in text} & set(PRIVATE)


def font_of(rule: Node, root: Path) -> Path | None:
    """Return the file of a ``@font-face``; None if it has several, or another form."""
    addresses = [link_of(token) for token in links(rule)]
    if keyword(rule) != "font-face" or len(addresses) != 1 or not addresses[0]:
        return None
    return root / addresses[0] if addresses[0].endswith(WOFF2) else None


def read(path: Path) -> TTFont:
    return TTFont(path, recalcTimestamp=False)


def is_icon_font(font: TTFont) -> bool:
    """Return whether most of a font's characters are nobody's letters."""
    characters = font.getBestCmap()
    return sum(code in PRIVATE for code in characters) > len(characters) / 2


def subset(font: TTFont, characters: set[int]) -> bytes:
    """Return a font with only some characters, and its licence."""
    options = Options(
        flavor=WOFF2[1:], hinting=False, layout_features=[], name_IDs=list(LICENCE)
    )
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(font)
    font.flavor = options.flavor
    written = io.BytesIO()
    font.save(written)
    return written.getvalue()
