"""The first screen of the front page says what this is and where to begin."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

LANGUAGES = ("en", "ko", "zh_CN", "ja")
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
TEXT = ("article h1", ".front .lead", ".front .lead + p", ".first-step a")


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page()
    yield page
    page.close()


def bottom(place: Locator) -> float:
    expect(place).to_be_visible()
    box = place.bounding_box()
    assert box
    return box["y"] + box["height"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("size", "places"),
    [(DESK, (*TEXT, ".front figure", ".cards .card-figure >> nth=0")), (PHONE, TEXT)],
    ids=["desk", "phone"],
)
def test_what_for_whom_and_the_first_step_are_on_the_first_screen(
    served: str,
    page: Page,
    language: str,
    size: dict[str, int],
    places: tuple[str, ...],
) -> None:
    page.set_viewport_size(size)
    page.goto(f"{served}{language}/index.html")

    for place in places:
        assert bottom(page.locator(place)) <= size["height"], place


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_step_leads_to_the_first_card(
    served: str, page: Page, language: str
) -> None:
    page.goto(f"{served}{language}/index.html")

    first = page.locator(".cards .card-title a").first.get_attribute("href")

    assert page.locator(".first-step a").get_attribute("href") == first
