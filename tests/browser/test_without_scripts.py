"""Without JavaScript: coloured code, navigation and menus; nothing is dead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

LANGUAGES = ("en", "ko", "zh_CN", "ja")
LESSON = "tutorials/ddp/distributed_data_parallel.html"
DESK = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
# What only scripts can bring to life.
DEAD = (
    "button:visible, dialog:visible, input:visible,"
    " [role=button]:visible, .search-button:visible"
)
WHAT_SEARCH_NEEDS = {
    "en": "Please activate JavaScript to enable the search functionality.",
    "ko": "JavaScript",
    "zh_CN": "请启用 JavaScript 以使用搜索功能。",
    "ja": "JavaScript",
}

each_language = pytest.mark.parametrize("language", LANGUAGES)
each_size = pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
each_scheme = pytest.mark.parametrize("scheme", ["light", "dark"])


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    """A page in a browser that runs no script."""
    context = chromium.new_context(java_script_enabled=False)
    yield context.new_page()
    context.close()


def colours(page: Page, place: str) -> list[str]:
    """Give colour and background of some elements, each pair once."""
    return page.locator(place).evaluate_all(
        """nodes => [...new Set(nodes.map(node => {
            const style = getComputedStyle(node);
            return `${style.color} on ${style.backgroundColor}`;
        }))]"""
    )


@each_scheme
def test_a_page_has_the_light_colours_that_scripts_would_give_it(
    served: str, page: Page, chromium: Browser, scheme: Any
) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{served}ko/{LESSON}")
    with_scripts = chromium.new_page(color_scheme="light")
    with_scripts.goto(f"{served}ko/{LESSON}")

    for place in (
        "html, body, article p, article a, h1",
        ".highlight, .highlight span",
    ):
        assert colours(page, place) == colours(with_scripts, place)
    assert len(colours(page, ".highlight span")) > 4
    with_scripts.close()


@each_language
@each_size
def test_the_navigation_can_be_reached_and_nothing_is_dead(
    served: str, page: Page, language: str, size: Any
) -> None:
    page.set_viewport_size(size)
    page.goto(f"{served}{language}/{LESSON}")

    assert page.locator(DEAD).count() == 0
    if size is PHONE:
        page.locator("a.navigation-link:visible").click()
        expect(page.locator("#pst-primary-sidebar")).to_be_in_viewport()
    else:
        assert page.locator("a.navigation-link:visible").count() == 0
    expect(page.locator(".page-toc a:visible").first).to_be_visible()
    page.locator(".bd-docs-nav a[href*='starting_processes']").click()

    page.wait_for_url(f"{served}{language}/tutorials/ddp/starting_processes.html")
    assert page.locator("article h1").is_visible()


@each_language
def test_the_search_page_says_in_its_language_what_it_needs(
    served: str, page: Page, language: str
) -> None:
    page.goto(f"{served}{language}/search.html")

    expect(page.locator("main .admonition.error")).to_contain_text(
        WHAT_SEARCH_NEEDS[language]
    )
    assert page.locator(DEAD).count() == 0


@each_size
def test_a_page_fits_its_screen(served: str, page: Page, size: Any) -> None:
    page.set_viewport_size(size)

    page.goto(f"{served}ja/{LESSON}")

    widths = page.locator("html, main, article").evaluate_all(
        "nodes => nodes.map(node => node.scrollWidth - node.clientWidth)"
    )
    assert max(widths) <= 1


def test_with_scripts_no_link_takes_the_place_of_the_button(
    served: str, chromium: Browser
) -> None:
    page = chromium.new_page(viewport=PHONE)

    page.goto(f"{served}ko/{LESSON}")

    assert page.locator("a.navigation-link").count() == 0
    assert page.locator("button.primary-toggle").is_visible()
    page.close()
