"""axe finds nothing in the way of people who use a keyboard or a screen reader."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from readers import DESK, LANGUAGES, PHONE, Open

WHOLE = "ko"  # the structure of a page does not depend on its language
LESSON = "tutorials/start/distributed_data_parallel.html"
PART = "tutorials/one_process/index.html"  # what opens is the same as on a lesson
STILL = {"reduced_motion": "reduce"}  # colours on their way are no defect
SCREENS = {
    "desk": {"viewport": DESK, "color_scheme": "light", **STILL},
    "phone": {"viewport": PHONE, "color_scheme": "dark", **STILL},
}


def as_it_is(page: Page) -> None:
    """Leave the page as it is."""


def find(page: Page) -> None:
    expect(page.locator("#search-results li").first).to_be_visible()


def open_search(page: Page) -> None:
    page.keyboard.press("Control+k")
    expect(page.locator("dialog[open] input")).to_be_focused()


def open_languages(page: Page) -> None:
    page.locator(".language-menu summary >> visible=true").first.click()


def open_navigation(page: Page) -> None:
    button = page.locator(".primary-toggle")
    if button.is_visible():
        button.click()
        expect(page.locator("dialog[open]")).to_be_visible()


STATES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "start": ("index.html", as_it_is),
    "part": (PART, as_it_is),
    "lesson": (LESSON, as_it_is),
    "about": ("about.html", as_it_is),
    "words": ("words.html", as_it_is),
    "names": ("names.html", as_it_is),
    "table": ("sources.html", as_it_is),
    "status": ("translation_status.html", as_it_is),
    "search results": ("search.html?q=DataParallel", find),
    "search dialog": (PART, open_search),
    "language menu": (PART, open_languages),
    "navigation": (PART, open_navigation),
}
IN_ALL_LANGUAGES = ("start", "lesson")  # in turn on one screen each
CASES = [(screen, WHOLE, state) for screen in SCREENS for state in STATES]
CASES += [
    (list(SCREENS)[(i + j) % 2], language, state)
    for i, language in enumerate(x for x in LANGUAGES if x != WHOLE)
    for j, state in enumerate(IN_ALL_LANGUAGES)
]


def violations(page: Page) -> list[str]:
    """Return each rule that is broken, with the first place where it is."""
    found = Axe().run(page).response["violations"]
    return [f"{rule['id']}: {rule['nodes'][0]['html']}" for rule in found]


@pytest.mark.parametrize(("screen", "language", "state"), CASES)
def test_axe_finds_nothing(
    open_page: Open, screen: str, language: str, state: str
) -> None:
    path, act = STATES[state]
    page = open_page(f"{language}/{path}", **SCREENS[screen])
    act(page)
    assert violations(page) == []


@pytest.mark.parametrize("screen", SCREENS)
def test_axe_finds_nothing_on_the_front_page(open_page: Open, screen: str) -> None:
    page = open_page("index.html", **SCREENS[screen])
    assert violations(page) == []
