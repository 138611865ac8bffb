"""Pages bear what readers set: no motion, large text, spacing; and have room."""

from __future__ import annotations

from pathlib import Path

import pytest
from made import html
from playwright.sync_api import Page, expect
from readers import (
    DESK,
    LANGUAGES,
    LESSON,
    PHONE,
    Open,
    each_language,
    each_translation,
    tag,
)
from watching import is_too_wide

LAST_LESSON = "tutorials/long_runs/choosing.html"
PAGES = (LESSON, "index.html", "sources.html", "translation_status.html")
STILL = {"reduced_motion": "reduce"}
# WCAG 1.4.12: what a reader may set without losing any text.
SPACING = """* { line-height: 1.5 !important; letter-spacing: .12em !important;
  word-spacing: .16em !important } p { margin-bottom: 2em !important }"""
LARGE = "html { font-size: 200% !important }"
MOVING = """() => [...document.querySelectorAll("*")].flatMap(node =>
  [null, "::before", "::after", "::backdrop"].flatMap(part => {
    const style = getComputedStyle(node, part);
    const seconds = `${style.transitionDuration},${style.animationDuration}`
      .split(",").map(text => parseFloat(text) * (/ms/.test(text) ? .001 : 1));
    return Math.max(...seconds) > .01 || style.scrollBehavior === "smooth"
      ? [`${node.localName}.${node.className}${part ?? ""}`] : [];
  }))"""
TEXTS = "article :is(h1, h2, p, li, td, th), header a, header summary, nav a"
CUT = """nodes => nodes.filter(node => {
  const style = getComputedStyle(node);
  return node.checkVisibility() && /hidden|clip/.test(style.overflowX)
    && style.textOverflow !== "ellipsis"
    && (node.scrollWidth > node.clientWidth + 1
      || node.scrollHeight > node.clientHeight + 1);
}).map(node => node.outerHTML.slice(0, 99))"""
SEVERAL_LINES = """nodes => nodes.filter(node => {
  const range = document.createRange();
  range.selectNodeContents(node);
  return new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1;
}).map(node => node.textContent)"""


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_nothing_moves_for_who_wants_no_motion(
    open_page: Open, size: dict[str, int]
) -> None:
    page = open_page(f"ko/{LESSON}", viewport=size, **STILL)

    assert page.evaluate(MOVING) == []
    page.keyboard.press("Control+k")
    expect(page.locator("dialog[open] input")).to_be_focused()
    assert page.evaluate(MOVING) == []


def test_the_list_of_lessons_shows_the_one_that_is_read(open_page: Open) -> None:
    page = open_page(f"ko/{LAST_LESSON}", viewport={"width": 1280, "height": 700})

    entry = page.locator('#pst-primary-sidebar [aria-current="page"]')

    expect(entry).to_be_in_viewport()
    assert page.evaluate("scrollY") == 0


@each_language
@pytest.mark.parametrize("name", PAGES)
def test_a_reader_may_set_the_text_as_needed(
    open_page: Open, language: str, name: str
) -> None:
    page = open_page(f"{language}/{name}", **STILL)

    for style, width in ((LARGE, 640), (SPACING, 390), (SPACING, 1280)):
        page.set_viewport_size({"width": width, "height": 900})
        added = page.add_style_tag(content=style)
        assert not is_too_wide(page), (style, width)
        assert page.locator(TEXTS).evaluate_all(CUT) == [], (style, width)
        added.evaluate("node => node.remove()")


@each_language
def test_large_text_leaves_the_page_more_room_than_its_sides(
    open_page: Open, language: str
) -> None:
    page = open_page(f"{language}/{LESSON}", **STILL)

    page.add_style_tag(content=LARGE)

    assert box(page, "article")["width"] > 0.45 * DESK["width"]


def box(page: Page, place: str) -> dict[str, float]:
    found = page.locator(f"{place} >> visible=true").first.bounding_box()
    assert found, place
    return dict(found)


@each_translation
def test_outputs_are_in_english_and_code_is_in_the_language_of_its_comments(
    site: Path, language: str
) -> None:
    page = html(site / language / LESSON)

    def languages(place: str) -> set[str]:
        return {node.find_parent(lang=True)["lang"] for node in page.select(place)}

    assert languages(".sphx-glr-script-out pre") == {"en"}
    assert languages(".highlight-Python pre") == {tag(language)}
    # the label, which is in CSS, is translated
    assert languages(".sphx-glr-script-out") == {tag(language)}


def test_the_text_begins_at_the_same_place_on_every_page(
    served: str, open_page: Open
) -> None:
    page = open_page("index.html")
    names = (LESSON, "tutorials/start/index.html", *PAGES[2:])

    lefts = set()
    for path in (f"{language}/{name}" for language in LANGUAGES for name in names):
        page.goto(served + path)
        lefts.add(box(page, "article h1")["x"])

    assert len(lefts) == 1


@each_language
def test_a_phone_has_room_for_all_of_it(open_page: Open, language: str) -> None:
    page = open_page(f"{language}/tutorials/start/one_gpu_to_many.html", viewport=PHONE)

    for width in (320, 360, 390):
        page.set_viewport_size({"width": width, "height": 844})
        brand = box(page, ".bd-header .logo__title")
        search = box(page, "button.search-button__button")
        assert search["x"] - brand["x"] - brand["width"] >= 8
        crumbs = page.locator(".bd-breadcrumbs li").all()
        assert len({round((item.bounding_box() or {})["y"]) for item in crumbs}) == 1
        left, right = box(page, "a.left-prev"), box(page, "a.right-next")
        assert left["x"] == right["x"]
        assert left["width"] == right["width"] == box(page, "article")["width"]
        assert right["y"] >= left["y"] + left["height"]
    opacity = "node => getComputedStyle(node).opacity"
    assert float(page.locator("button.copybtn").first.evaluate(opacity)) == 1


@each_language
def test_no_name_in_a_table_is_cut(open_page: Open, language: str) -> None:
    page = open_page(f"{language}/tutorials/inside/starting_processes.html")
    names = page.locator("article td .pre")

    assert names.count() > 2
    for width in (320, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert names.evaluate_all(SEVERAL_LINES) == [], width


def test_the_colour_mode_has_a_name_in_the_drawer(open_page: Open) -> None:
    page = open_page(f"ja/{LESSON}", viewport=PHONE)
    page.locator("button.primary-toggle").click()
    button = page.locator("dialog button.theme-switch-button")

    expect(button).to_be_visible()
    shown = button.evaluate("node => getComputedStyle(node, '::after').content")
    assert shown == f'"{button.get_attribute("aria-label")}"'


def test_wide_code_says_that_there_is_more(open_page: Open) -> None:
    page = open_page(f"en/{LESSON}", viewport=PHONE)

    block = page.locator("article pre[tabindex='0']").first
    attached = block.evaluate("node => getComputedStyle(node).backgroundAttachment")

    assert attached.split(", ")[:2] == ["local", "scroll"]
