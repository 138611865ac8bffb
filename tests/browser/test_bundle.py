"""A light page looks and works like the one that Sphinx wrote, and holds no more."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tinycss2
from paths import ROOTS
from playwright.sync_api import Browser, BrowserContext, Page, expect
from polling import wait_until

from gallery_site.light import bundle, icon_font
from gallery_site.light.stylesheet import classes, purge, read_rules, write

ROOT = ROOTS / "test-components"
LESSON = "tutorials/ddp/distributed_data_parallel.html"
DESK = {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"}
PHONE = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}
STILL = {"reduced_motion": "reduce"}  # what is on its way is at no time the same
MOVES = "document.getAnimations().some(({ playState }) => playState === 'running')"
# A number for each element and pseudo-element, from all of its computed style.
STYLES = """
  (base) => {
    const number = (style) => {
      let hash = 0;
      let text = "";
      for (const name of names) text += style.getPropertyValue(name) + ";";
      text = text.replaceAll(base, "");
      for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0;
      return hash;
    };
    // custom properties are slow to read, and do nothing by themselves
    const names = [...getComputedStyle(document.body)].filter((x) => !/^--/.test(x));
    const all = [];
    const seen = new Set();
    for (const node of document.querySelectorAll("html, body, body :not(script)")) {
      const name = `<${node.localName} class="${node.className}" id="${node.id}">`;
      if (node.closest("pre") && seen.has(name)) continue;  // one of each in code
      seen.add(name);
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
# The theme hears of each scroll by itself, also where two would be made into one.
SCROLL = """
  (y) => new Promise((done) => {
    addEventListener("scroll", () => setTimeout(done, 100), { once: true });
    scrollTo(0, y);
  })
"""
# A copy button says "Copied!" for 1.5 and 2 seconds; here it does so to the end.
KEEP_SAYING = """
  const soon = setTimeout;
  window.setTimeout = (act, ms, ...more) => (ms >= 1500 ? 0 : soon(act, ms, ...more));
"""

Act = Callable[[Page], None]


class Pair:
    """A site as Sphinx wrote it, and its light copy."""

    def __init__(self, heavy: Path, light: Path) -> None:
        self.heavy = heavy
        self.light = light

    def read(self, name: str) -> str:
        return (self.light / name).read_text(encoding="utf-8")


def lighten(site: Path, cache: Path) -> None:
    for path, text in bundle.lighten(site, cache):
        path.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def components(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """A small site with all components of theme and sphinx-design."""
    folder = tmp_path_factory.mktemp("components")
    pair = Pair(folder / "heavy", folder / "light")
    arguments = ["-q", "-W", "-d", folder / "doctrees", ROOT, pair.heavy]
    subprocess.run([sys.executable, "-m", "sphinx", *map(str, arguments)], check=True)
    shutil.copytree(pair.heavy, pair.light)
    lighten(pair.light, folder / "cache")
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
    context.add_init_script(KEEP_SAYING)
    yield context
    context.close()


def styles(context: BrowserContext, site: Path, name: str, act: Act) -> list[Any]:
    """Give the computed style of everything on a page, after something was done."""
    page = context.new_page()
    errors: list[object] = []
    page.on("pageerror", lambda error: errors.append(error))
    page.goto((site / name).as_uri())
    act(page)
    found = at_rest(page, site)
    page.close()
    assert not errors
    return found


def at_rest(page: Page, site: Path) -> list[Any]:
    """Give the style of everything, once nothing moves and it is twice the same.

    Observers tell the theme of a scroll a while later, on a busy machine a long while.
    """
    before = None
    while True:
        wait_until(page, f"!({MOVES})")
        found = page.evaluate(STYLES, site.as_uri())
        if found == before:
            return found
        before = found
        page.wait_for_timeout(250)


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


def unfold_and_scroll(page: Page) -> None:
    for summary in page.locator("article summary").all():
        summary.click()
    page.locator(".sd-tab-label").nth(1).click()
    page.locator(".highlight").first.hover()
    page.locator("button.copybtn").first.click()
    for y in (5000, 300):  # down, and up again: the button to the top is shown
        page.evaluate(SCROLL, y)
    expect(page.locator("#pst-back-to-top")).to_be_visible()


@pytest.mark.parametrize("act", [open_search, open_sidebar, unfold_and_scroll])
def test_every_component_looks_as_with_all_styles(
    components: Pair, context: BrowserContext, act: Act
) -> None:
    check_looks(context, components, "index.html", act)


@pytest.mark.parametrize("name", [LESSON, "index.html"])
def test_a_page_of_the_site_looks_as_with_all_styles(
    korean: Pair, context: BrowserContext, name: str
) -> None:
    check_looks(context, korean, name, rest)


# what is loaded


def test_every_page_loads_one_stylesheet_and_one_script(components: Pair) -> None:
    for name in ("index", "plain", "part/one", "genindex"):
        text = components.read(f"{name}.html")

        assert text.count('rel="stylesheet"') == 1
        assert text.count('src="') - text.count("<img") - text.count("tabs.js") == 1
        assert "preload" not in text


def test_a_script_is_loaded_only_where_something_needs_it(components: Pair) -> None:
    def loads(page: str, script: str) -> bool:
        text = components.read(page)
        return f"/{script}" in text or f'"{script}' in text

    assert loads("index.html", "design-tabs.js")
    assert not loads("plain.html", "design-tabs.js")
    assert loads("search.html", "searchindex.js")
    assert not loads("plain.html", "searchindex.js")
    assert not loads("index.html", "fontawesome.js")


def test_scripts_know_their_words_before_they_write_one(components: Pair) -> None:
    code = components.read(bundle.SCRIPT)

    assert code.index("addTranslations") < code.index("highlightSearchWords")


def test_a_page_that_loads_less_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "_static").mkdir()
    for name in ("a", "b"):
        (tmp_path / f"_static/{name}.css").write_text(f"{name} {{ color: red }}")
    both, one = (
        "".join(f'<link rel="stylesheet" href="_static/{n}.css?v=1">\n' for n in names)
        for names in ("ab", "b")
    )
    for name, text in {"x": both, "y": both, "z": one}.items():
        (tmp_path / f"{name}.html").write_text(text)

    lighten(tmp_path, tmp_path / "cache")

    assert (tmp_path / "z.html").read_text() == one
    assert "bundle.css" in (tmp_path / "x.html").read_text()


def test_a_class_that_a_later_build_uses_gets_its_style(
    components: Pair, tmp_path: Path
) -> None:
    site, cache = tmp_path / "site", tmp_path / "cache"
    shutil.copytree(components.heavy, site)
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8").replace("sd-badge", "sd-other")
        page.write_text(text, encoding="utf-8")
    lighten(site, cache)
    assert ".sd-badge" not in (site / bundle.STYLE).read_text(encoding="utf-8")
    shutil.rmtree(site)

    shutil.copytree(components.heavy, site)
    lighten(site, cache)

    assert (site / bundle.STYLE).read_text(encoding="utf-8") == components.read(
        bundle.STYLE
    )
    assert ".sd-badge" in components.read(bundle.STYLE)


def test_styles_that_only_scripts_ask_for_stay(components: Pair) -> None:
    text = components.read(bundle.STYLE)

    assert ".bs-tooltip-auto" in text  # the script makes it: `bs-${name}-auto`
    assert ".dropdown-menu.show" in text
    assert ".carousel-caption" not in text


def test_the_icons_on_pages_are_in_the_font_and_no_others(components: Pair) -> None:
    font = icon_font.read(
        components.heavy / "_static/vendor/fontawesome/webfonts/fa-solid-900.woff2"
    )
    text = components.read(bundle.STYLE)

    rules = tinycss2.parse_stylesheet(text, skip_whitespace=True)
    shown = icon_font.icons(icon_font.strings(rules))
    cut = icon_font.TTFont(icon_font.io.BytesIO(icon_font.subset(font, shown)))

    rocket, bars, biohazard = 0xF135, 0xF0C9, 0xF780
    assert {rocket, bars} <= cut.getBestCmap().keys()
    assert biohazard not in cut.getBestCmap()
    assert "Font Awesome" in str(cut["name"].getDebugName(0))
    assert "fa-solid-900.woff2" not in text


# stylesheets


def cut(css: str, used: str, folder: Path) -> str:
    (folder / "sub").mkdir(exist_ok=True)
    (folder / "sub/style.css").write_text(css, encoding="utf-8")
    rules = purge(read_rules(folder, "sub/style.css"), used.split().__contains__)
    return write(rules).strip()


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("a{top:0}", "a{top:0}"),
        ("\ufeffa{top:0}", "a{top:0}"),  # as some editors save it
        (".x{top:0}", ".x{top:0}"),
        (".y{top:0}", ""),
        (".x .y{top:0}", ""),
        (".y,.x,p .x{top:0}", ".x,p .x{top:0}"),
        ("p:not(.y){top:0}", "p:not(.y){top:0}"),
        (".x:is(.y,.z){top:0}", ".x:is(.y,.z){top:0}"),
        ("[class*=y]{top:0}", "[class*=y]{top:0}"),
        (".x\\:y{top:0}", ""),
        ("@media print{.y{top:0}}", ""),
        ("@media print{.y{top:0}.x{top:0}}", "@media print{.x{top:0}}"),
        ("@keyframes k{0%{top:0}}", "@keyframes k{0%{top:0}}"),
        ("/*! licence */ /* chatter */", "/*! licence */"),
        ("p{background:url(a.svg)}", 'p{background:url("sub/a.svg")}'),
        ('p{background:url("../a.svg")}', 'p{background:url("a.svg")}'),
        ('p{background:url("data:,x")}', 'p{background:url("data:,x")}'),
        ("@import 'other.css';p{top:0}", "b{top:0}\np{top:0}"),
        ("p{top:0}@import 'https://x.org/a';", None),
    ],
)
def test_only_what_cannot_apply_is_left_out(
    tmp_path: Path, css: str, expected: str | None
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/other.css").write_text("b{top:0}", encoding="utf-8")

    found = cut(css, "x", tmp_path)

    assert found == expected if expected is not None else found.startswith("@import")


def test_the_classes_of_a_selector_are_those_an_element_must_have() -> None:
    selector = tinycss2.parse_component_value_list("#i.a > p.b:not(.c):hover")

    assert list(classes(selector)) == ["a", "b"]
