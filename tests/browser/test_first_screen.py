"""The first screen of the front page says what this is and where to begin."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, ViewportSize, expect
from readers import PHONE, Open, each_language

DESK: ViewportSize = {"width": 1280, "height": 800}
TEXT = ("article h1", ".hero .lead", ".try-it", ".first-step a")

RAGGED = """parts => parts.filter(part => {
  const cells = [...part.children].map(x => x.getBoundingClientRect());
  const right = part.getBoundingClientRect().right;
  return cells.some(a => Math.abs(right - a.right) > 1
    && !cells.some(b => Math.abs(a.top - b.top) < 1 && b.left > a.left));
}).map(part => part.id)"""
ILLEGIBLE = """labels => labels.filter(label => {
  const unit = label.closest("svg").getBoundingClientRect().width / 430;
  return label.scrollHeight > label.clientHeight
    || label.scrollWidth > label.clientWidth || 16 * unit < 11;
}).map(label => label.textContent)"""
CUT = """words => words.filter(word => word.getClientRects().length > 1
  || word.getBoundingClientRect().right
     > word.closest("pre").getBoundingClientRect().right
).map(word => word.textContent)"""


def bottom(place: Locator) -> float:
    expect(place).to_be_visible()
    box = place.bounding_box()
    assert box
    return box["y"] + box["height"]


@each_language
@pytest.mark.parametrize(
    ("size", "places"),
    [(DESK, (*TEXT, "figure .drawing")), (PHONE, TEXT)],
    ids=["desk", "phone"],
)
def test_what_for_whom_and_the_first_step_are_on_the_first_screen(
    open_page: Open, language: str, size: ViewportSize, places: tuple[str, ...]
) -> None:
    page = open_page(f"{language}/index.html", viewport=size)

    for place in places:
        assert bottom(page.locator(place)) <= size["height"], place


def test_try_it_shows_what_the_lesson_printed_and_copies_only_commands(
    open_page: Open,
) -> None:
    page = open_page("en/index.html")
    shown = page.locator(".try-it .go").inner_text()
    listen = (
        "document.addEventListener('copy', (e) => (window.copied = e.target.value))"
    )
    page.evaluate("window.copied = ''")
    page.evaluate(listen)
    page.locator(".try-it .copybtn").click()
    copied = page.evaluate("copied")

    assert copied.splitlines()[0].startswith("pip install torch")
    assert shown not in copied
    page.locator(".first-step a").click()
    printed = page.locator(".sphx-glr-script-out pre").first.inner_text()
    assert shown == printed.strip()


def test_a_route_fills_the_stops_that_were_visited(open_page: Open) -> None:
    page = open_page("en/index.html")
    stop = page.locator(".route a").first
    expect(stop).not_to_have_class("visited")

    stop.click()
    page.go_back()

    expect(page.locator(".route a.visited").first).to_be_visible()


@each_language
def test_first_step_and_answers_lead_to_lessons(open_page: Open, language: str) -> None:
    page = open_page(f"{language}/index.html")

    first = page.locator(".intl-cards .intl-card-title a").first.get_attribute("href")
    answers = page.locator(".answer .answer-parts a")

    assert page.locator(".first-step a").get_attribute("href") == first
    assert answers.count() > 1
    for link in answers.all():
        part = link.get_attribute("href") or ""
        expect(page.locator(f".part{part}")).to_have_count(1)


@each_language
def test_the_front_page_fills_any_screen_and_cuts_nothing(
    open_page: Open, language: str
) -> None:
    page = open_page(f"{language}/index.html")
    labels, words = page.locator(".drawing .label"), page.locator(".try-it .word")
    assert page.locator(".part").count() > 1
    assert labels.count() == 5
    assert words.count() > 5

    for width in (320, 390, 768, 1000, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.locator(".part").evaluate_all(RAGGED) == [], width
        assert words.evaluate_all(CUT) == [], width
        if width in (390, 1280):
            assert labels.evaluate_all(ILLEGIBLE) == [], width


@each_language
def test_about_is_one_screen(open_page: Open, language: str) -> None:
    page = open_page(f"{language}/about.html", viewport=DESK)

    assert bottom(page.locator("article dl").last) <= DESK["height"]
