"""Pages bear what readers set: no motion, large text, spacing; and say languages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Page, expect

LANGUAGES = ("en", "ko", "zh_CN", "ja")
LESSON = "tutorials/ranks/hello_ranks.html"
LAST_LESSON = "tutorials/long_runs/choosing.html"
PAGES = (LESSON, "index.html", "sources.html", "translation_status.html")
# WCAG 1.4.12: what a reader may set without losing any text.
SPACING = """* { line-height: 1.5 !important; letter-spacing: .12em !important;
  word-spacing: .16em !important } p { margin-bottom: 2em !important }"""
LARGE = "html { font-size: 200% !important }"
MOTION = """() => [...document.querySelectorAll("*")].flatMap(node =>
  [null, "::before", "::after", "::backdrop"].flatMap(part => {
    const style = getComputedStyle(node, part);
    const seconds = `${style.transitionDuration},${style.animationDuration}`
      .split(",").map(text => parseFloat(text) * (/ms/.test(text) ? .001 : 1));
    return Math.max(...seconds) > .01 || style.scrollBehavior === "smooth"
      ? [`${node.localName}.${node.className}${part ?? ""}`] : [];
  }))"""

each_language = pytest.mark.parametrize("language", LANGUAGES)


@pytest.fixture(scope="module")
def still(chromium: Browser) -> Iterator[Page]:
    """A page in the browser of a reader who wants no motion."""
    context = chromium.new_context(reduced_motion="reduce", bypass_csp=True)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_moves_for_who_wants_no_motion(
    served: str, still: Page, width: int
) -> None:
    still.set_viewport_size({"width": width, "height": 900})
    still.goto(f"{served}ko/{LESSON}")

    assert still.evaluate(MOTION) == []
    still.keyboard.press("Control+k")
    expect(still.locator("dialog[open] input")).to_be_focused()
    assert still.evaluate(MOTION) == []
    still.goto(f"{served}ko/search.html?q=DataParallel")
    expect(still.locator("#search-results li").first).to_be_visible()
    assert still.evaluate(MOTION) == []


def test_the_list_of_lessons_shows_the_one_that_is_read(
    served: str, still: Page
) -> None:
    still.set_viewport_size({"width": 1280, "height": 700})
    still.goto(f"{served}ko/{LAST_LESSON}")
    entry = still.locator('#pst-primary-sidebar [aria-current="page"]')
    expect(entry).to_be_in_viewport()
    assert still.evaluate("scrollY") == 0

    still.goto(f"{served}ko/tutorials/one_process/multi_gpu_examples.html")
    expect(entry).to_be_in_viewport()


@each_language
@pytest.mark.parametrize("name", PAGES)
def test_a_reader_may_set_the_text_as_needed(
    served: str, still: Page, language: str, name: str
) -> None:
    still.goto(f"{served}{language}/{name}")

    for style, width in ((LARGE, 640), (SPACING, 390), (SPACING, 1280)):
        still.set_viewport_size({"width": width, "height": 900})
        added = still.add_style_tag(content=style)
        for tag in ("html", "main", "article"):
            over = still.locator(tag).first.evaluate(
                "node => node.scrollWidth - node.clientWidth"
            )
            assert over <= 1, f"{style}, {width}: {tag} is {over} px too wide"
        assert cut(still) == [], (style, width)
        added.evaluate("node => node.remove()")


@each_language
def test_large_text_leaves_the_page_more_room_than_its_sides(
    served: str, still: Page, language: str
) -> None:
    still.set_viewport_size({"width": 1280, "height": 900})
    still.goto(f"{served}{language}/{LESSON}")
    still.add_style_tag(content=LARGE)

    box = still.locator("article").bounding_box()

    assert box
    assert box["width"] > 1280 * 0.45


def cut(page: Page) -> list[str]:
    """Give the texts that their box cuts off; one that ends in dots does not count."""
    return page.locator(
        "article :is(h1, h2, p, li, td, th), header a, header summary, nav a"
    ).evaluate_all(
        """nodes => nodes.filter(node => {
            const style = getComputedStyle(node);
            return node.checkVisibility() && /hidden|clip/.test(style.overflowX)
              && style.textOverflow !== "ellipsis"
              && (node.scrollWidth > node.clientWidth + 1
                || node.scrollHeight > node.clientHeight + 1);
        }).map(node => node.outerHTML.slice(0, 99))"""
    )


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_outputs_are_in_english_and_code_is_in_the_language_of_its_comments(
    site: Path, language: str
) -> None:
    page = BeautifulSoup((site / language / LESSON).read_text("utf-8"), "html.parser")

    def languages(place: str) -> set[str]:
        found = page.select(place)
        assert found
        return {node.find_parent(lang=True)["lang"] for node in found}

    assert languages(".sphx-glr-script-out pre") == {"en"}
    assert languages(".highlight-Python pre") == {language.replace("_", "-")}
    # the label, which is in CSS, is translated
    assert languages(".sphx-glr-script-out") == {language.replace("_", "-")}


def test_the_english_page_marks_nothing_as_english(site: Path) -> None:
    page = BeautifulSoup((site / "en" / LESSON).read_text("utf-8"), "html.parser")

    assert not page.select("article [lang]")


@each_language
def test_the_text_begins_at_the_same_place_on_every_page(
    served: str, still: Page, language: str
) -> None:
    still.set_viewport_size({"width": 1280, "height": 900})
    pages = (LESSON, "tutorials/ranks/index.html", *PAGES[2:])

    lefts = {}
    for name in pages:
        still.goto(f"{served}{language}/{name}")
        box = still.locator("article h1").bounding_box()
        lefts[name] = box and box["x"]

    assert len(set(lefts.values())) == 1, lefts


@each_language
def test_a_phone_has_room_for_all_of_it(
    served: str, still: Page, language: str
) -> None:
    still.goto(f"{served}{language}/{LESSON}")

    def box(place: str) -> dict[str, float]:
        found = still.locator(f"{place} >> visible=true").first.bounding_box()
        assert found, place
        return dict(found)

    for width in (320, 360, 390):
        still.set_viewport_size({"width": width, "height": 844})
        brand, search = (
            box(".bd-header .logo__title"),
            box("button.search-button__button"),
        )
        assert search["x"] - brand["x"] - brand["width"] >= 8
        crumbs = still.locator(".bd-breadcrumbs li").all()
        assert len({round((item.bounding_box() or {})["y"]) for item in crumbs}) == 1
        left, right = box("a.left-prev"), box("a.right-next")
        assert left["x"] == right["x"]
        assert left["width"] == right["width"] == box("article")["width"]
        assert right["y"] >= left["y"] + left["height"]
        assert float(still.locator("button.copybtn").first.evaluate(OPACITY)) == 1


OPACITY = "node => getComputedStyle(node).opacity"
LINES = """nodes => nodes.filter(node => {
  const range = document.createRange();
  range.selectNodeContents(node);
  return new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1;
}).map(node => node.textContent)"""


@each_language
def test_no_name_in_a_table_is_cut(served: str, still: Page, language: str) -> None:
    still.goto(f"{served}{language}/tutorials/ddp/starting_processes.html")
    names = still.locator("article td .pre")

    assert names.count() > 2
    for width in (320, 390):
        still.set_viewport_size({"width": width, "height": 844})
        assert names.evaluate_all(LINES) == [], width


def test_the_colour_mode_has_a_name_in_the_drawer(served: str, still: Page) -> None:
    still.set_viewport_size({"width": 390, "height": 844})
    still.goto(f"{served}ja/{LESSON}")
    still.locator("button.primary-toggle").click()
    button = still.locator("dialog button.theme-switch-button")

    expect(button).to_be_visible()
    shown = button.evaluate("node => getComputedStyle(node, '::after').content")
    assert shown == f'"{button.get_attribute("aria-label")}"'


def test_wide_code_says_that_there_is_more(served: str, still: Page) -> None:
    still.set_viewport_size({"width": 390, "height": 844})
    still.goto(f"{served}en/{LESSON}")

    block = still.locator("article pre[tabindex='0']").first
    attached = block.evaluate("node => getComputedStyle(node).backgroundAttachment")

    assert attached.split(", ")[:2] == ["local", "scroll"]
