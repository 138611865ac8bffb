"""What readers of the site have: languages, screens, and a lesson to read."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, ViewportSize

LANGUAGES = ("en", "ko", "zh_CN", "ja")
TRANSLATED = LANGUAGES[1:]
LESSON = "tutorials/start/hello_ranks.html"
DESK: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}

Open = Callable[..., Page]

each_language = pytest.mark.parametrize("language", LANGUAGES)
each_translation = pytest.mark.parametrize("language", TRANSLATED)
each_size = pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
each_scheme = pytest.mark.parametrize("scheme", ["light", "dark"])


def tag(language: str) -> str:
    """Return a language as HTML names it."""
    return language.replace("_", "-")
