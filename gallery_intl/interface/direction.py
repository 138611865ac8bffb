"""Let the pages of Arabic, Hebrew or Persian run from right to left.

A theme writes ``<html lang="ar">`` and no direction, and docutils marks an English
paragraph without one. Both are said here, in the finished pages, whatever the theme.
"""

from __future__ import annotations

import re
from pathlib import Path

from babel import Locale, UnknownLocaleError
from sphinx.application import Sphinx

PAGE = re.compile(r'(<html lang="[^"]*")(?! dir=)')
ENGLISH = re.compile(r'(?<!hreflang="en")( lang="en")(?! dir=)')  # not a menu's name


def runs_right_to_left(language: str) -> bool:
    """Return whether a language is written from right to left."""
    try:
        return Locale.parse(language).text_direction == "rtl"
    except (UnknownLocaleError, ValueError):
        return False


def directed(page: str) -> str:
    """Return a page that says where its text and the English in it begin."""
    return ENGLISH.sub(r'\1 dir="ltr"', PAGE.sub(r'\1 dir="rtl"', page, count=1))


def direct_page(app: Sphinx, path: Path, text: list[str]) -> None:
    """Write the direction into a finished page."""
    text[0] = directed(text[0])
