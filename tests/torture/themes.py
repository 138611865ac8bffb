"""Show a small gallery in two languages under six themes, and use its language menu.

    make -f .ci/maintain.mk themes

The themes are installed into `_build/themes/venv`; beside it lie the screenshots. A
theme passes if the menu can be reached and opened by keyboard, its list is on the
screen, and no script fails, on a desktop and on a phone, in light and in dark.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from itertools import product

from browser import ARGUMENTS, find
from paths import PROJECT, TESTS
from playwright.sync_api import Browser, Page, sync_playwright
from serving import serve

OUT = PROJECT / "_build" / "themes"
PYTHON = OUT / "venv" / "bin" / "python"
PACKAGES = TESTS / "torture" / "themes.txt"
PAGE = "_build/ko/auto_examples/plot_wave.html"
# What opens the sidebar of a small screen, where the menu is in it.
DRAWERS = {
    "pydata_sphinx_theme": "button.primary-toggle",
    "sphinx_rtd_theme": ".wy-nav-top i",
    "furo": ".mobile-header label[for=__navigation]",
    "sphinx_book_theme": None,
    "alabaster": None,
    "mpl_sphinx_theme": "button.primary-toggle",
}
ONE_MODE = ("sphinx_rtd_theme", "alabaster")
SIZES = ((1280, 760), (390, 800))
MENU = "details.language-menu:visible"
IS_REACHED = "document.activeElement.matches('.language-menu summary')"
MOST_STEPS = 60


def install() -> None:
    """Install the themes, if the list of them is another one."""
    known, wanted = OUT / "installed.txt", PACKAGES.read_text(encoding="utf-8")
    if known.is_file() and known.read_text(encoding="utf-8") == wanted:
        return
    venv.create(OUT / "venv", clear=True, with_pip=True)
    pip = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "-r", PACKAGES], check=True)
    known.write_text(wanted, encoding="utf-8")


def build(theme: str) -> None:
    """Build the gallery as any project would; a warning ends it."""
    source = OUT / theme
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(PROJECT / "packages/gallery-intl/tests/roots/themes", source)
    for language in ("en", "ko"):
        out = source / "_build" / language
        settings = ["-D", f"html_theme={theme}", "-D", f"language={language}"]
        folders = ["-d", source / "_build" / "doctrees" / language, source, out]
        command = [PYTHON, "-m", "sphinx", "-q", "-W", "--keep-going"]
        environment = os.environ | {"PYTHONPATH": str(PROJECT)}
        subprocess.run([*command, *settings, *folders], env=environment, check=True)


def is_shown(page: Page) -> bool:
    """Return whether a menu is on the screen, not in a sidebar beside it."""
    boxes = [menu.bounding_box() for menu in page.locator(MENU).all()]
    return any(box and box["x"] >= 0 and box["width"] for box in boxes)


def faults(page: Page, theme: str, address: str) -> Iterator[str]:
    """Open a page's menu as somebody without a mouse; yield what hinders them."""
    failed: list[str] = []
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.goto(f"{address}/{theme}/{PAGE}")
    if not is_shown(page) and (drawer := DRAWERS[theme]):
        page.locator(drawer).first.click()
        page.wait_for_timeout(600)  # it slides
    if not is_shown(page):
        yield "there is no menu"
        return
    for _step in range(MOST_STEPS):
        page.keyboard.press("Tab")
        if page.evaluate(IS_REACHED):
            break
    else:
        yield "the keyboard does not reach the menu"
    page.keyboard.press("Enter")
    links = page.locator("details.language-menu[open] a")
    if links.count() != 2 or not all(link.is_visible() for link in links.all()):
        yield "the menu does not open"
    yield from failed


def look(browser: Browser, address: str, theme: str) -> Iterator[str]:
    """Look at the page of a theme on each screen, and keep what is seen."""
    modes = ("light",) if theme in ONE_MODE else ("light", "dark")
    for mode, (width, height) in product(modes, SIZES):
        size = {"width": width, "height": height}
        page = browser.new_page(viewport=size, color_scheme=mode)  # type: ignore[arg-type]
        name = f"{theme}-{mode}-{width}"
        for fault in faults(page, theme, address):
            yield f"{name}: {fault}"
        page.screenshot(path=OUT / f"{name}.png")
        page.close()


def main() -> int:
    OUT.mkdir(parents=True, exist_ok=True)
    install()
    for theme in DRAWERS:
        build(theme)
    with sync_playwright() as playwright, serve(OUT) as address:
        browser = playwright.chromium.launch(executable_path=find(), args=ARGUMENTS)
        found = [fault for theme in DRAWERS for fault in look(browser, address, theme)]
        browser.close()
    print("\n".join(found) or f"six themes have their menu: see {OUT}")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
