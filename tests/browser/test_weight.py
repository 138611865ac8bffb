"""A page is light: few requests, few bytes, all from the site itself."""

from __future__ import annotations

import gzip
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Browser
from readers import each_language

LESSON = "tutorials/start/distributed_data_parallel.html"
BYTES = 80_000  # compressed, as a host sends them; without the page and its figures
REQUESTS = 6


@each_language
def test_a_lesson_is_light(
    chromium: Browser, site: Path, served: str, language: str
) -> None:
    page = chromium.new_page()
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))

    page.goto(f"{served}{language}/{LESSON}", wait_until="networkidle")
    page.close()

    asked = [url for url in urls if not url.startswith("data:")]
    assert [url for url in asked if not url.startswith(served)] == []
    assert len(asked) <= REQUESTS
    paths = [unquote(urlsplit(url).path).removeprefix("/html/") for url in asked]
    weights = {
        path: len(gzip.compress((site / path).read_bytes(), 6))
        for path in paths
        if "_images" not in path and not path.endswith(".html")
    }
    assert sum(weights.values()) <= BYTES, weights
