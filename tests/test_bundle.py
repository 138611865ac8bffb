"""A light page looks and works like the one that Sphinx wrote, and holds no more."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from gallery_intl import bundle

ROOT = Path(__file__).parent / "roots" / "test-components"
LESSON = "tutorials/ddp/distributed_data_parallel.html"
DESK = {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"}
PHONE = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}
STILL = {"reduced_motion": "reduce"}  # what is on its way is at no time the same
MOVES = "document.getAnimations().some(({ playState }) => playState === 'running')"
# A number for each element and pseudo-element: all of its computed style.
STYLES = """
  (base) => {
    const number = (style) => {
      let hash = 0;
      const text = style.cssText.replaceAll(base, "");
      for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0;
      return hash;
    };
    const all = [];
    for (const node of document.querySelectorAll("html, body, body :not(script)")) {
      const name = node.outerHTML.slice(0, 80);
      all.push([name, "", number(getComputedStyle(node))]);
      for (const part of ["::before", "::after"]) {
        const style = getComputedStyle(node, part);
        if (style.content !== "none") all.push([name, part, number(style)]);
      }
      if (node.matches("dialog[open]"))
        all.push([name, "::backdrop", number(getComputedStyle(node, "::backdrop"))]);
    }
    return all;
  }
"""

Act = Callable[[Page], None]


class Pair:
    """A site as Sphinx wrote it, and its light copy."""

    def __init__(self, heavy: Path, light: Path) -> None:
        self.heavy = heavy
        self.light = light

    def read(self, name: str) -> str:
        return (self.light / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def components(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """A small site with all components of theme and sphinx-design."""
    folder = tmp_path_factory.mktemp("components")
    pair = Pair(folder / "heavy", folder / "light")
    arguments = ["-q", "-W", "-d", folder / "doctrees", ROOT, pair.heavy]
    subprocess.run([sys.executable, "-m", "sphinx", *map(str, arguments)], check=True)
    shutil.copytree(pair.heavy, pair.light)
    bundle.lighten(pair.light, folder / "cache")
    return pair


@pytest.fixture(scope="module")
def korean(site: Path) -> Pair:
    """The Korean site, and what Sphinx made before it was made light."""
    return Pair(site.parent / "stage" / "ko", site / "ko")


@pytest.fixture(scope="module", params=[DESK, PHONE], ids=["desk", "phone"])
def context(
    chromium: Browser, request: pytest.FixtureRequest
) -> Iterator[BrowserContext]:
    context = chromium.new_context(**request.param, **STILL)
    yield context
    context.close()


def styles(context: BrowserContext, site: Path, name: str, act: Act) -> list[Any]:
    """Give the computed style of everything on a page, after something was done."""
    page = context.new_page()
    errors: list[object] = []
    page.on("pageerror", lambda error: errors.append(error))
    page.goto((site / name).as_uri())
    act(page)
    page.wait_for_function(f"!({MOVES})")
    found = page.evaluate(STYLES, site.as_uri())
    page.close()
    assert not errors
    return found


def check_looks(context: BrowserContext, pair: Pair, name: str, act: Act) -> None:
    heavy = styles(context, pair.heavy, name, act)
    light = styles(context, pair.light, name, act)

    assert len(light) == len(heavy)
    changed = [old for old, new in zip(heavy, light, strict=True) if old != new]
    assert not changed, "\n".join(f"{part or ''} {tag}" for tag, part, _ in changed)


def rest(page: Page) -> None:
    """Leave the page as it is."""


def open_search(page: Page) -> None:
    page.keyboard.press("Control+k")
    expect(page.locator("dialog[open] input")).to_be_focused()


def open_sidebar(page: Page) -> None:
    """Open what a phone hides; on a desk, the menu of colours."""
    if (button := page.locator(".primary-toggle")).is_visible():
        button.click()
        expect(page.locator("dialog[open]")).to_be_visible()
    elif (button := page.locator(".theme-switch-button:visible").first).is_visible():
        button.click()
        expect(page.locator(".dropdown-menu.show")).to_be_visible()


def point_at_colours(page: Page) -> None:
    """Let the theme's tooltip appear."""
    page.locator("[data-bs-toggle=tooltip]:visible").first.hover()
    expect(page.locator(".tooltip.show")).to_be_visible()


def unfold_and_scroll(page: Page) -> None:
    for summary in page.locator("article summary").all():
        summary.click()
    page.locator(".sd-tab-label").nth(1).click()
    page.locator(".highlight").first.hover()
    page.locator("button.copybtn").first.click()
    page.mouse.wheel(0, 5000)
    page.mouse.wheel(0, -300)


@pytest.mark.parametrize("act", [rest, open_search, open_sidebar, unfold_and_scroll])
def test_every_component_looks_as_with_all_styles(
    components: Pair, context: BrowserContext, act: Act
) -> None:
    check_looks(context, components, "index.html", act)


@pytest.mark.parametrize("name", [LESSON, "index.html"])
def test_a_page_of_the_site_looks_as_with_all_styles(
    korean: Pair, context: BrowserContext, name: str
) -> None:
    check_looks(context, korean, name, rest)
