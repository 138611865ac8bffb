"""The built site in a real browser: every language, phone and desk, light and dark.

What scripts do is tried on one page of each language; `test_every_page.py` opens all.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from leftovers import english_on, leftovers
from paths import PROJECT
from playwright.sync_api import Locator, Page, expect
from readers import (
    LANGUAGES,
    LESSON,
    PHONE,
    Open,
    each_language,
    each_scheme,
    each_size,
    each_translation,
    tag,
)
from watching import is_too_wide

from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs.own import path_of

NEXT = dict(zip(LANGUAGES, (*LANGUAGES[1:], LANGUAGES[0]), strict=True))
SECTION = "#one-file-runs-four-times"


def words(language: str) -> dict[str, str]:
    """Return the translations of the interface in a language."""
    theirs = catalogs.po_path(PROJECT / "locales", language, "sphinx")
    return catalogs.translations(theirs) | catalogs.translations(path_of(language))


def open_languages(page: Page) -> Locator:
    menu = page.locator("details.language-menu:visible")
    expect(menu).to_have_count(1)
    menu.locator("summary").click()
    return menu


def choose(page: Page, language: str) -> None:
    open_languages(page).locator(f"a[hreflang={tag(language)}]").click()


@each_scheme
def test_the_front_page_is_quiet_and_fits_its_screen(
    open_page: Open, troubles: list[str], scheme: str
) -> None:
    page = open_page("index.html", color_scheme=scheme)

    for width in (1280, 390, 320):
        page.set_viewport_size({"width": width, "height": 844})
        assert not is_too_wide(page), f"at {width} px"
    page.locator("a[hreflang=ko]").click()

    page.wait_for_url("**/ko/index.html")
    assert not troubles, "\n".join(troubles)


@each_language
def test_a_page_works_from_a_folder_on_disk(
    site: Path, open_page: Open, troubles: list[str], language: str
) -> None:
    page = open_page((site / language / LESSON).as_uri() + SECTION)

    choose(page, NEXT[language])

    page.wait_for_url((site / NEXT[language] / LESSON).as_uri() + SECTION)
    page.goto((site / language / "search.html").as_uri() + "?q=DataParallel")
    expect(page.locator("#search-results li a").first).to_be_visible()
    assert not troubles, "\n".join(troubles)


# the language menu


@each_language
@each_size
def test_the_menu_leads_to_the_same_section_in_another_language(
    served: str, open_page: Open, language: str, size: Any
) -> None:
    other = NEXT[language]
    page = open_page(f"{language}/{LESSON}{SECTION}", viewport=size)

    choose(page, other)

    page.wait_for_url(f"{served}{other}/{LESSON}{SECTION}")
    expect(page.locator("html")).to_have_attribute("lang", tag(other))


@each_size
def test_the_menu_keeps_the_section_that_is_on_the_screen(
    served: str, open_page: Open, size: Any
) -> None:
    page = open_page(f"en/{LESSON}", viewport=size)
    scroll = "block => block.scrollIntoView({ behavior: 'instant', block: 'end' })"
    page.locator(f"{SECTION} > :last-child").evaluate(scroll)

    point_at(page, page.locator("details.language-menu:visible summary"))
    point_at(page, page.locator("details[open] a[hreflang=ko]:visible"))

    page.wait_for_url(f"{served}ko/{LESSON}{SECTION}")
    expect(page.locator(f"{SECTION} > :last-child")).to_be_in_viewport()
    expect(page.locator(f"{SECTION} > h2")).not_to_be_in_viewport()


def point_at(page: Page, node: Locator) -> None:
    """Click where a node is, as a mouse does: without scrolling to it first."""
    box = node.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_the_menu_leaves_a_target_that_the_reader_left(
    served: str, open_page: Open
) -> None:
    page = open_page(f"en/{LESSON}#try-it")
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")

    choose(page, "ko")

    page.wait_for_url(f"{served}ko/{LESSON}")


def test_the_menu_keeps_the_query(served: str, open_page: Open) -> None:
    page = open_page("en/search.html?q=all-reduce+%26")

    choose(page, "ja")

    page.wait_for_url(f"{served}ja/search.html?q=all-reduce+%26")


def first_offered(page: Page) -> str | None:
    return page.locator("main li a").first.get_attribute("hreflang")


@pytest.mark.parametrize(
    ("locale", "first"),
    [("ja-JP", "ja"), ("zh-TW", "zh-CN"), ("fr-FR", "en"), ("en-GB", "en")],
)
def test_the_language_of_the_browser_comes_first(
    open_page: Open, locale: str, first: str
) -> None:
    page = open_page("index.html", locale=locale)

    assert first_offered(page) == first
    assert page.locator("main li").count() == len(LANGUAGES)


def test_the_language_that_was_chosen_last_comes_first(
    served: str, open_page: Open
) -> None:
    page = open_page(f"en/{LESSON}", locale="en-US")
    choose(page, "ko")
    page.wait_for_url(f"{served}ko/{LESSON}")

    page.goto(f"{served}index.html")

    assert first_offered(page) == "ko"
    page.locator("a[hreflang=ja]").click()
    page.wait_for_url(f"{served}ja/index.html")
    page.go_back()
    page.reload()
    assert first_offered(page) == "ja"


def test_the_menu_opens_and_closes_with_the_keyboard(open_page: Open) -> None:
    page = open_page(f"ko/{LESSON}")
    menu = page.locator("details.language-menu:visible")
    summary = menu.locator("summary")

    summary.focus()
    page.keyboard.press("Enter")
    expect(menu.locator("a").first).to_be_visible()
    page.keyboard.press("Tab")
    expect(menu.locator("a").first).to_be_focused()
    page.keyboard.press("Escape")

    expect(menu.locator("a").first).to_be_hidden()
    expect(summary).to_be_focused()


def test_the_menu_closes_when_the_reader_clicks_elsewhere(open_page: Open) -> None:
    page = open_page(f"ko/{LESSON}")

    menu = open_languages(page)
    expect(menu.locator("a").first).to_be_visible()
    page.locator("h1").click()

    expect(menu.locator("a").first).to_be_hidden()


# what only a browser shows


@each_language
def test_the_copy_button_speaks_the_language_of_the_page(
    open_page: Open, language: str
) -> None:
    said = words(language)
    page = open_page(
        f"{language}/{LESSON}", permissions=["clipboard-read", "clipboard-write"]
    )
    block = page.locator(".highlight-Python").first
    button = block.locator("button.copybtn")

    expect(button).to_have_attribute("data-tooltip", said["Copy"])
    block.hover()
    button.click()

    expect(button).to_have_attribute("data-tooltip", said["Copied!"])
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == block.locator("pre").inner_text().strip()


@each_language
def test_an_output_is_announced_in_the_language_of_the_page(
    open_page: Open, language: str
) -> None:
    page = open_page(f"{language}/{LESSON}")

    shown = page.locator(".sphx-glr-script-out").first.evaluate(
        "node => getComputedStyle(node, '::before').content"
    )

    assert shown == json.dumps(words(language)["Rank 0 prints:"], ensure_ascii=False)


@each_translation
def test_scripts_put_no_english_word_on_a_page(open_page: Open, language: str) -> None:
    page = open_page(f"{language}/{LESSON}")
    expect(page.locator("button.copybtn").first).to_be_attached()

    found = english_on(page.content(), language)

    assert not found, "\n".join(found)


# search


@each_language
def test_search_finds_a_page_and_says_so_in_its_language(
    open_page: Open, troubles: list[str], language: str
) -> None:
    page = open_page(f"{language}/search.html?q=DataParallel")

    summary = page.locator("#search-results .search-summary")
    expect(summary).not_to_be_empty()  # the last thing that a search writes
    results = page.locator("#search-results ul").first.locator("a").all()
    hrefs = [result.get_attribute("href") or "" for result in results]
    pages = {href.partition("#")[0] for href in hrefs}  # each by its sections
    expect(summary).to_contain_text(str(len(pages)))
    assert any("one_process/multi_gpu_examples.html" in href for href in hrefs)
    assert not troubles, "\n".join(troubles)
    assert english_of_search(page, language) == []


# In one step, because snippets come as their pages arrive.
WITHOUT_SNIPPETS = """() => {
  const page = document.documentElement.cloneNode(true);
  page.querySelectorAll(".context").forEach((snippet) => snippet.remove());
  return page.outerHTML;
}"""


def english_of_search(page: Page, language: str) -> list[str]:
    """Return the English of a translated page but that of snippets, which hold code."""
    html = page.evaluate(WITHOUT_SNIPPETS)
    return [] if language == "en" else english_on(html, language)


# figures, downloads, colours


@each_language
def test_figures_are_shown_with_their_size_and_described(
    open_page: Open, language: str
) -> None:
    page = open_page(f"{language}/{LESSON}", viewport=PHONE)
    figures = page.locator("article img").all()
    assert figures

    for figure in figures:
        figure.scroll_into_view_if_needed()
        page.wait_for_function(
            "image => image.complete && image.naturalWidth > 0",
            arg=figure.element_handle(),
        )
        shown, drawn = figure.evaluate(
            "x => [x.clientWidth / x.clientHeight, x.naturalWidth / x.naturalHeight]"
        )
        assert shown == pytest.approx(drawn, rel=0.02)
        assert int(figure.get_attribute("width") or 0) > 0
        assert int(figure.get_attribute("height") or 0) > 0
        alt = figure.get_attribute("alt") or ""
        assert alt.strip()
        assert language == "en" or not leftovers(alt, language), alt


@each_scheme
def test_a_page_follows_the_colours_of_the_system(open_page: Open, scheme: str) -> None:
    page = open_page(f"ko/{LESSON}", color_scheme=scheme)

    expect(page.locator("html")).to_have_attribute("data-theme", scheme)
    assert (brightness(page) < 100) == (scheme == "dark")


def test_the_colour_button_changes_the_page_and_is_remembered(
    served: str, open_page: Open
) -> None:
    # the locale gives it a context, and so a memory, of its own
    page = open_page(f"ko/{LESSON}", color_scheme="light", locale="ko")
    html = page.locator("html")

    page.locator("button.theme-switch-button:visible").click()
    page.locator(".theme-change-button[data-mode=dark]:visible").click()

    expect(html).to_have_attribute("data-theme", "dark")
    page.goto(f"{served}ko/index.html")
    expect(html).to_have_attribute("data-theme", "dark")
    assert brightness(page) < 100


def brightness(page: Page) -> float:
    """Return how bright the page's background is, from 0 to 255."""
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    red, green, blue = map(int, re.findall(r"\d+", colour)[:3])
    return (red + green + blue) / 3
