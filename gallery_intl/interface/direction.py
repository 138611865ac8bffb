"""Let the pages of Arabic, Hebrew or Persian run from right to left.

A theme writes ``<html lang="ar">`` and no direction, and docutils marks an English
paragraph without one. Both are said here, in the finished pages, whatever the theme.
"""

from __future__ import annotations

import re
from pathlib import Path

from babel import Locale, UnknownLocaleError
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

PAGE = re.compile(r'(<html lang="[^"]*")(?! dir=)')
ENGLISH = re.compile(r'(?<!hreflang="en")( lang="en")(?! dir=)')  # not a menu's name


def runs_right_to_left(language: str) -> bool:
    """Tell whether a language is written from right to left."""
    try:
        return Locale.parse(language).text_direction == "rtl"
    except (UnknownLocaleError, ValueError):
        return False


def directed(page: str) -> str:
    """Say in a page that it runs from right to left, and English from left to right."""
    return ENGLISH.sub(r'\1 dir="ltr"', PAGE.sub(r'\1 dir="rtl"', page, count=1))


def direct_pages(app: Sphinx, error: Exception | None) -> None:
    if error or app.builder.format != "html":
        return
    if not runs_right_to_left(app.config.language):
        return
    for path in sorted(Path(app.outdir).rglob("*.html")):
        old = path.read_text(encoding="utf-8")
        new = directed(old)
        if new != old:
            path.write_text(new, encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("build-finished", direct_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
