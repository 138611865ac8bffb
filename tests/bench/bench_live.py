"""Print how long after saving a catalog its page is shown, beside sphinx-autobuild.

    PYTHONPATH=.:tests/tools python tests/bench/bench_live.py [language]

The gallery must have been run. Each serves a copy of the project, which is edited ten
times, by turns; the medians count.
"""

from __future__ import annotations

import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import browser
from bench_table import HEAD, Row
from paths import PROJECT
from playwright.sync_api import Browser, Error, Page, sync_playwright

from gallery_intl.catalogs import po as catalogs

PAGE = "tutorials/ranks/hello_ranks"
LEFT_OUT = shutil.ignore_patterns("_build", ".*")
EDITS = 10
PAUSE = 8  # seconds: a translator thinks; what is left to build is built
SHOWN = "words => document.querySelector('h1')?.textContent.includes(words)"
LIVE = ["gallery_site", "live", "{language}", "--port", "0"]
# It would build again for the .mo that a build writes.
AUTOBUILD = [
    *("sphinx_autobuild", "-q", "--port", "0", "--ignore", "*.mo", "--delay", "0"),
    *("-D", "language={language}"),
    *("-D", "gallery_intl_run=0", ".", "_build/autobuild"),
]


@contextmanager
def served(arguments: list[str], source: Path, language: str) -> Iterator[str]:
    """Serve until the end of the block; give the address once all is built."""
    command = [part.format(language=language) for part in arguments]
    server = subprocess.Popen(
        [sys.executable, "-um", *command],
        cwd=source,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert server.stdout
    try:
        for line in server.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+/?", line):
                yield found[0].rstrip("/")
                return
        raise SystemExit(f"{command[0]} did not start")
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate()


def open_when_served(page: Page, address: str) -> None:
    """Open a page; a server may name its address before its first build."""
    end = time.monotonic() + 60
    while True:
        try:
            page.goto(address)
        except Error:
            if time.monotonic() > end:
                raise
            time.sleep(0.5)
        else:
            return


class View(NamedTuple):
    """A page that is open in a live view, and the catalog that is edited."""

    page: Page
    po: Path

    def seconds(self, words: str) -> float:
        """Save other words for the heading; return the seconds until they are shown."""
        catalog = catalogs.read(self.po)
        catalog[0].msgstr = words
        start = time.monotonic()
        catalogs.write(self.po, catalog)
        self.page.wait_for_function(SHOWN, arg=words)
        return time.monotonic() - start


@contextmanager
def opened(chromium: Browser, arguments: list[str], language: str) -> Iterator[View]:
    """Open the page of a fresh copy of the project in a live view."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(shutil.copytree(PROJECT, Path(folder) / "site", ignore=LEFT_OUT))
        po = catalogs.po_path(source / "locales", language, PAGE)
        with served(arguments, source, language) as address:
            page = chromium.new_page()
            open_when_served(page, f"{address}/{PAGE}.html")
            yield View(page, po)
            page.close()


def measure(chromium: Browser, language: str) -> list[float]:
    """Return the medians of both; by turns, so that a busy minute slows both."""
    with (
        opened(chromium, LIVE, language) as ours,
        opened(chromium, AUTOBUILD, language) as theirs,
    ):
        found: list[list[float]] = [[], []]
        for number in range(EDITS):
            for view, seconds in zip((ours, theirs), found, strict=True):
                time.sleep(PAUSE)
                seconds.append(view.seconds(f"가 {number}"))
    return [statistics.median(seconds) for seconds in found]


def main(language: str) -> None:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser.find(window=True), args=browser.ARGUMENTS
        )
        ours, against = measure(chromium, language)
    print(HEAD)
    name = f"one .po line shown, live-{language} / sphinx-autobuild"
    print(Row(name, ours, against, 0.5))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "ko")
