"""Print how long after saving a catalog its page is built, and is shown.

    python tests/bench_live.py [language]

The gallery must have been run. A copy of the project is served and edited ten times;
the medians count.
"""

import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import browser
from playwright.sync_api import Page, sync_playwright

from gallery_intl import catalogs

PROJECT = Path(__file__).parent.parent
PAGE = "tutorials/ranks/hello_ranks"
LEFT_OUT = shutil.ignore_patterns("_build", ".*")
EDITS = 10


def start(source: Path, language: str) -> tuple[subprocess.Popen[str], str]:
    """Start a live view; give it and its address once all is built."""
    command = [sys.executable, "-m", "gallery_intl", "live", language, "--port", "0"]
    server = subprocess.Popen(command, cwd=source, stdout=subprocess.PIPE, text=True)
    for line in server.stdout:
        if found := re.match(r"http://\S+/", line):
            return server, found[0]
    raise SystemExit("the live view did not start")


def wait_for(server: subprocess.Popen[str], text: str) -> None:
    """Read what the live view says until it says something."""
    for line in server.stdout:
        if line.startswith(text):
            return


def measure(
    server: subprocess.Popen[str], page: Page, po: Path, words: str
) -> tuple[float, float]:
    """Save other words for a heading; give the seconds until built and shown."""
    catalog = catalogs.read(po)
    catalog[0].msgstr = words
    start = time.monotonic()
    catalogs.write(po, catalog)
    wait_for(server, "page built")
    built = time.monotonic() - start
    page.wait_for_function(
        f"document.querySelector('h1')?.textContent.includes('{words}')"
    )
    shown = time.monotonic() - start
    wait_for(server, "all built")
    time.sleep(3)  # a translator thinks; the next process gets ready
    return built, shown


def main(language: str) -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        source = Path(shutil.copytree(PROJECT, Path(folder) / "site", ignore=LEFT_OUT))
        server, address = start(source, language)
        chromium = playwright.chromium.launch(
            executable_path=browser.find(), args=browser.ARGUMENTS
        )
        page = chromium.new_page()
        page.goto(f"{address}{PAGE}.html")
        time.sleep(5)
        po = catalogs.po_path(source / "locales", language, PAGE)
        edits = [measure(server, page, po, f"가 {number}") for number in range(EDITS)]
        server.send_signal(signal.SIGINT)
        server.wait()
    built, shown = map(statistics.median, zip(*edits, strict=True))
    print(
        f"{language}: built {built:.2f} s and shown {shown:.2f} s after saving, median"
    )


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "ko")
