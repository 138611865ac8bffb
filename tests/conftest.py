"""What the tests share: Sphinx's test application, the built site, a browser."""

from __future__ import annotations

import functools
import http.server
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import browser
import pytest
from playwright.sync_api import Browser, expect, sync_playwright

pytest_plugins = ["sphinx.testing.fixtures"]
expect.set_options(timeout=30_000)  # milliseconds; a busy machine is no defect
# Begun in the background of a shell, tests and what they start would ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)

PROJECT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def rootdir() -> Path:
    """Where ``@pytest.mark.sphinx`` finds its roots."""
    return Path(__file__).parent / "roots"


@pytest.fixture(scope="session")
def site() -> Path:
    """The built site; ``make test`` builds it first."""
    folder = PROJECT / "_build" / "html"
    assert folder.is_dir(), "no site to test: run make html"
    return folder


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A file server that says nothing."""

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@pytest.fixture(scope="session")
def served(site: Path) -> Iterator[str]:
    """The address at which the site is served, below a path of its own."""
    handler = functools.partial(Quiet, directory=str(site.parent))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/{site.name}/"
    server.shutdown()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for all tests."""
    path = browser.find()
    assert path, "no browser: run python tests/browser.py"
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=path, args=browser.ARGUMENTS
        )
        yield running
        running.close()
