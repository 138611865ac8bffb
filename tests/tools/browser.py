"""Find a Chromium for the tests; run as a program, install one if there is none.

Debian's packages come first: they bring all the libraries that a browser needs. Where
they cannot be installed, Playwright's own download is tried. Tests prefer the browser
without a window: it has the same engine, and opens a page for half of the work.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SHELL = "chromium-headless-shell"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# No word to anybody while the tests run, and no sandbox where root has none.
ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-sync"]


def find(*, window: bool = False) -> str | None:
    for name in (*NAMES, SHELL) if window else (SHELL, *NAMES):
        if path := shutil.which(name):
            return path
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


def install_with_apt() -> bool:
    """Install Debian's packages, if this is Debian and we are root."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    return apt_get("update") and any(
        apt_get("install", "-y", name, "fonts-noto-cjk") for name in (SHELL, NAMES[0])
    )


def apt_get(*arguments: str) -> bool:
    """Run apt-get; it says only what went wrong."""
    done = subprocess.run(
        ["apt-get", "-qq", *arguments],
        env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
        stdout=subprocess.DEVNULL,
        check=False,
    )
    return not done.returncode


def install_with_playwright() -> bool:
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    return subprocess.run(command, check=False).returncode == 0


def main() -> int:
    """Make sure that there is a browser; say what to do if none can be had."""
    if not shutil.which(SHELL):
        print("installing Chromium for the tests (once) ...", flush=True)
        if not install_with_apt() and not find():
            install_with_playwright()
    if path := find():
        print(f"browser for the tests: {path}")
        return 0
    print(
        "No Chromium was found, and none could be installed. Install the package"
        " chromium (or Google Chrome), then run make test again.",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
