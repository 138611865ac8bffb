"""The first screen of the front page says what this is and where to begin."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

LANGUAGES = ("en", "ko", "zh_CN", "ja")
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
TEXT = ("article h1", ".hero .lead", ".try-it", ".first-step a")


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page()
    yield page
    page.close()


@pytest.fixture(scope="module")
def front(served: str, chromium: Browser) -> Iterator[Callable[[str], Page]]:
    """Open a language's front page once for all that only look at it."""
    context = chromium.new_context()

    @functools.cache
    def front(language: str) -> Page:
        page = context.new_page()
        page.goto(f"{served}{language}/index.html")
        return page

    yield front
    context.close()


Front = Callable[[str], Page]


def bottom(place: Locator) -> float:
    expect(place).to_be_visible()
    box = place.bounding_box()
    assert box
    return box["y"] + box["height"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("size", "places"),
    [(DESK, (*TEXT, "figure .drawing")), (PHONE, TEXT)],
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
def test_the_first_step_leads_to_the_first_card(front: Front, language: str) -> None:
    page = front(language)

    first = page.locator(".intl-cards .intl-card-title a").first.get_attribute("href")

    assert page.locator(".first-step a").get_attribute("href") == first


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", [320, 390, 768, 1000, 1280, 1920])
def test_every_row_of_cards_is_full(front: Front, language: str, width: int) -> None:
    page = front(language)
    page.set_viewport_size({"width": width, "height": 900})

    ragged = page.locator(".part").evaluate_all(
        """parts => parts.filter(part => {
            const cells = [...part.children].map(x => x.getBoundingClientRect());
            const right = part.getBoundingClientRect().right;
            return cells.some(a => Math.abs(right - a.right) > 1
              && !cells.some(b => Math.abs(a.top - b.top) < 1 && b.left > a.left));
        }).map(part => part.id)"""
    )

    assert page.locator(".part").count() > 1
    assert ragged == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", [390, 1280])
def test_the_words_of_the_drawing_fit_and_can_be_read(
    front: Front, language: str, width: int
) -> None:
    page = front(language)
    page.set_viewport_size({"width": width, "height": 900})

    labels = page.locator(".drawing .label")
    wrong = labels.evaluate_all(
        """labels => labels.filter(label => {
            const unit = label.closest("svg").getBoundingClientRect().width / 430;
            return label.scrollHeight > label.clientHeight
              || label.scrollWidth > label.clientWidth || 16 * unit < 11;
        }).map(label => label.textContent)"""
    )

    assert labels.count() == 5
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", [320, 390])
def test_no_word_of_a_command_is_cut(front: Front, language: str, width: int) -> None:
    page = front(language)
    page.set_viewport_size({"width": width, "height": 900})

    words = page.locator(".try-it .word")
    wrong = words.evaluate_all(
        """words => words.filter(word => word.getClientRects().length > 1
          || word.getBoundingClientRect().right
             > word.closest("pre").getBoundingClientRect().right)
          .map(word => word.textContent)"""
    )

    assert words.count() > 5
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_answer_leads_to_a_part(front: Front, language: str) -> None:
    page = front(language)

    answers = page.locator(".answer .answer-parts a")

    assert answers.count() > 1
    for link in answers.all():
        address = link.get_attribute("href") or ""
        expect(page.locator(f".part{address}")).to_have_count(1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_about_is_one_screen(served: str, page: Page, language: str) -> None:
    page.set_viewport_size(DESK)
    page.goto(f"{served}{language}/about.html")

    assert bottom(page.locator("article dl").last) <= DESK["height"]
