"""Build the example site, and ask its search page in a browser."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sphinx import locale
from sphinx.cmd.build import main

if TYPE_CHECKING:
    from playwright.sync_api import Page

SITE = Path(__file__).parent / "site"
NAMES = ("chromium-headless-shell", "chromium", "google-chrome")

Build = Callable[..., Path]
InPage = Callable[[str, Callable[["Page"], Any]], Any]


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Build the site in a language; every warning is an error."""

    @functools.cache
    def build(language: str, builder: str = "html", *settings: str) -> Path:
        out = tmp_path_factory.mktemp(language)
        options = [word for setting in settings for word in ("-D", setting)]
        options += ["-D", f"language={language}", "-b", builder, "-d", f"{out}.env"]
        locale.translators.clear()  # of the build before
        assert main(["-q", "-W", *options, str(SITE), str(out)]) == 0
        return out

    return build


@pytest.fixture(scope="session")
def in_page() -> Iterator[InPage]:
    """Do something in a page, whose errors fail the test.

    It has a thread of its own, since another Playwright may run in this process.
    """
    playwright = pytest.importorskip("playwright.sync_api")
    path = next(filter(None, map(shutil.which, NAMES)), None)

    def do(address: str, action: Callable[[Page], Any]) -> Any:
        errors: list[str] = []
        page = chromium.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address)
        result = action(page)
        page.context.close()
        assert errors == []
        return result

    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(playwright.sync_playwright().start).result()
        launch = functools.partial(
            running.chromium.launch, executable_path=path, args=["--no-sandbox"]
        )
        chromium = thread.submit(launch).result()
        yield lambda address, action: thread.submit(do, address, action).result()
        thread.submit(chromium.close).result()
        thread.submit(running.stop).result()


@pytest.fixture
def ask(build: Build, in_page: InPage) -> Callable[..., Any]:
    """Evaluate JavaScript on the search page of a language, opened from a disk."""

    def ask(language: str, script: str, argument: object = None) -> Any:
        def evaluate(page: Page) -> Any:
            page.wait_for_function("Search.hasIndex()")
            return page.evaluate(script, argument)

        return in_page((build(language) / "search.html").as_uri(), evaluate)

    return ask
