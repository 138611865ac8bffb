"""Open pages of the built site; what all files of this folder share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page
from readers import DESK
from watching import watch

WAIT = 10_000  # milliseconds, for what should be there at once


@pytest.fixture(scope="session")
def contexts(chromium: Browser) -> Iterator[dict[str, BrowserContext]]:
    """The browser's contexts by their options, so that each file is loaded once."""
    contexts: dict[str, BrowserContext] = {}
    yield contexts
    for context in contexts.values():
        context.close()


@pytest.fixture
def troubles() -> list[str]:
    """Errors and failed requests of the pages that a test opened."""
    return []


@pytest.fixture
def open_page(
    chromium: Browser,
    contexts: dict[str, BrowserContext],
    served: str,
    troubles: list[str],
) -> Iterator[Callable[..., Page]]:
    """Open a page of the site, or a URL, in a tab of its own."""
    pages = []

    def open_page(path: str, **options: Any) -> Page:
        key = json.dumps(options, sort_keys=True)
        if key not in contexts:
            contexts[key] = chromium.new_context(**{"viewport": DESK, **options})
            contexts[key].set_default_timeout(WAIT)
        page = contexts[key].new_page()
        pages.append(page)
        url = path if "://" in path else served + path
        watch(page, urlsplit(url).netloc, troubles)
        page.goto(url)
        return page

    yield open_page
    for page in pages:
        page.close()
