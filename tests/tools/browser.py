"""Find a Chromium for the tests; run as a program, install one if there is none.

Debian's package comes first: it brings all the libraries that a browser needs. Where
it cannot be installed, Playwright's own download is tried.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# No word to anybody while the tests run, and no sandbox where root has none.
ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-sync"]


def find() -> str | None:
    """Give the path of an installed Chromium, Playwright's own included."""
    for name in NAMES:
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
    install = ["apt-get", "install", "-y", "-qq", "chromium", "fonts-noto-cjk"]
    quiet = {"stdout": subprocess.DEVNULL}
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-qq"], install):
        if subprocess.run(command, env=environment, check=False, **quiet).returncode:
            return False
    return True


def install_with_playwright() -> bool:
    """Let Playwright download its own Chromium."""
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    return subprocess.run(command, check=False).returncode == 0


def main() -> int:
    """Make sure that there is a browser; say what to do if none can be had."""
    if not find():
        print("installing Chromium for the tests (once) ...", flush=True)
        if not install_with_apt():
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
