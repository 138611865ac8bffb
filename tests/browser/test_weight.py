"""A page is light: few requests, few bytes, all from the site itself."""

from __future__ import annotations

import gzip
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, Request

LESSON = "tutorials/ddp/distributed_data_parallel.html"
BYTES = 80_000  # compressed, as a host sends them; without the page and its figures
REQUESTS = 6


def sent(path: Path) -> int:
    """Give how many bytes a host sends for a file."""
    return len(gzip.compress(path.read_bytes(), 6))


@pytest.mark.parametrize("language", ["en", "ko", "zh_CN", "ja"])
def test_a_lesson_is_light(
    chromium: Browser, site: Path, served: str, language: str
) -> None:
    page = chromium.new_page()
    requests: list[Request] = []
    page.on("request", lambda request: requests.append(request))

    page.goto(f"{served}{language}/{LESSON}", wait_until="networkidle")
    asked = [r for r in requests if not r.url.startswith("data:")]
    page.close()

    assert [r.url for r in asked if not r.url.startswith(served)] == []
    assert len(asked) <= REQUESTS
    weights = {
        path: sent(site / path)
        for path in (
            unquote(urlsplit(r.url).path).removeprefix("/html/") for r in asked
        )
        if "_images" not in path and not path.endswith(".html")
    }
    assert sum(weights.values()) <= BYTES, weights
