"""Without JavaScript: coloured code, navigation and menus; nothing is dead."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect
from readers import LESSON, PHONE, Open, each_language, each_scheme, each_size, tag
from watching import is_too_wide

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
COLOURS = """nodes => [...new Set(nodes.map(node => {
  const style = getComputedStyle(node);
  return `${style.color} on ${style.backgroundColor}`;
}))]"""


def opened(open_page: Open, path: str, **options: Any) -> Page:
    """Open a page in a browser that runs no script."""
    return open_page(path, java_script_enabled=False, **options)


@each_scheme
def test_a_page_has_the_light_colours_that_scripts_would_give_it(
    open_page: Open, scheme: str
) -> None:
    without = opened(open_page, f"ko/{LESSON}", color_scheme=scheme)
    with_scripts = open_page(f"ko/{LESSON}", color_scheme="light")

    for place in (
        "html, body, article p, article a, h1",
        ".highlight, .highlight span",
    ):
        colours = without.locator(place).evaluate_all(COLOURS)
        assert colours == with_scripts.locator(place).evaluate_all(COLOURS)
    assert len(colours) > 4  # those of code


@each_language
@each_size
def test_pages_and_languages_can_be_reached_and_nothing_is_dead(
    served: str, open_page: Open, language: str, size: Any
) -> None:
    page = opened(open_page, f"{language}/{LESSON}", viewport=size)

    assert page.locator(DEAD).count() == 0
    assert not is_too_wide(page)
    if size is PHONE:
        page.locator("a.navigation-link:visible").click()
        expect(page.locator("#pst-primary-sidebar")).to_be_in_viewport()
    else:
        assert page.locator("a.navigation-link:visible").count() == 0
    expect(page.locator(".page-toc a:visible").first).to_be_visible()
    page.locator(".bd-docs-nav a[href*='starting_processes']").click()
    page.wait_for_url(f"{served}{language}/tutorials/inside/starting_processes.html")
    other = "ja" if language != "ja" else "ko"
    menu = page.locator("details.language-menu:visible")
    menu.locator("summary").click()
    menu.locator(f"a[hreflang={tag(other)}]").click()

    page.wait_for_url(f"{served}{other}/tutorials/inside/starting_processes.html")
    expect(page.locator("article h1")).to_be_visible()


@each_language
def test_the_search_page_says_in_its_language_what_it_needs(
    open_page: Open, language: str
) -> None:
    page = opened(open_page, f"{language}/search.html")

    expect(page.locator("main .admonition.error")).to_contain_text(
        WHAT_SEARCH_NEEDS[language]
    )
    assert page.locator(DEAD).count() == 0


def test_with_scripts_no_link_takes_the_place_of_the_button(open_page: Open) -> None:
    page = open_page(f"ko/{LESSON}", viewport=PHONE)

    assert page.locator("a.navigation-link").count() == 0
    assert page.locator("button.primary-toggle").is_visible()
