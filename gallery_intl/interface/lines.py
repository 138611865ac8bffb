"""Let lines of finished pages break where the readers of a language expect."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

from gallery_intl.text.breaks import joined_korean, joined_words, with_halves


def break_lines(app: Sphinx, path: Path, text: list[str]) -> None:
    """Write into a finished page where its lines break."""
    language = app.config.language
    text[0] = with_halves(text[0])
    if language == "ko":
        text[0] = joined_korean(text[0])
    if words := app.config.gallery_intl_unbroken.get(language):
        text[0] = joined_words(text[0], words)


def switch_on(app: Sphinx, config: Config) -> None:
    if config.gallery_intl_lines:
        app.connect("page-finished", break_lines)
