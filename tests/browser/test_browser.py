"""The built site in a real browser: every language, phone and desk, light and dark.

What scripts do is tried on one page of each language; `test_every_page.py` opens all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from leftovers import english_on, leftovers
from paths import PROJECT
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from polling import wait_until
from watching import is_too_wide, watch

from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs.own import path_of

LANGUAGES = ("en", "ko", "zh_CN", "ja")
TRANSLATED = LANGUAGES[1:]
NEXT = dict(zip(LANGUAGES, (*LANGUAGES[1:], LANGUAGES[0]), strict=True))
PAGE = "tutorials/ranks/hello_ranks.html"
SECTION = "#one-file-runs-four-times"
DESK = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
WAIT = 10_000  # milliseconds, for what should be there at once

each_language = pytest.mark.parametrize("language", LANGUAGES)
each_translation = pytest.mark.parametrize("language", TRANSLATED)
each_size = pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])

Open = Callable[..., Page]


@pytest.fixture(scope="session")
def contexts(chromium: Browser) -> Iterator[dict[str, BrowserContext]]:
    """The browser's contexts by their options: what is loaded is loaded once."""
    contexts: dict[str, BrowserContext] = {}
    yield contexts
    for context in contexts.values():
        context.close()


@pytest.fixture
def troubles() -> list[str]:
    """What went wrong in the pages that a test opened."""
    return []


@pytest.fixture
def open_page(
    chromium: Browser, contexts: dict[str, BrowserContext], troubles: list[str]
) -> Iterator[Open]:
    """Open an address in a page of its own."""
    pages = []

    def open_page(url: str, **options: Any) -> Page:
        key = json.dumps(options, sort_keys=True)
        if key not in contexts:
            contexts[key] = chromium.new_context(**{"viewport": DESK, **options})
            contexts[key].set_default_timeout(WAIT)
        page = contexts[key].new_page()
        pages.append(page)
        watch(page, urlsplit(url).netloc, troubles)
        page.goto(url)
        return page

    yield open_page
    for page in pages:
        page.close()


def words(site: Path, language: str) -> dict[str, str]:
    """Give the interface's words in a language, and those of the extension."""
    project = site.parent.parent
    theirs = catalogs.po_path(project / "locales", language, "sphinx")
    return catalogs.translations(theirs) | catalogs.translations(path_of(language))


def language_menu(page: Page) -> Locator:
    """Give the menu that the reader sees; on a phone it may be behind a button."""
    if not page.locator("details.language-menu:visible").count():
        page.locator(".primary-toggle").click()
    menu = page.locator("details.language-menu:visible")
    expect(menu).to_have_count(1)
    return menu


def tag(language: str) -> str:
    return language.replace("_", "-")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_front_page_is_quiet_and_fits_its_screen(
    served: str, open_page: Open, troubles: list[str], scheme: str
) -> None:
    page = open_page(f"{served}index.html", color_scheme=scheme)

    for width in (1280, 390, 320):
        page.set_viewport_size({"width": width, "height": 844})
        assert not is_too_wide(page), f"at {width} px"
    page.locator("a[hreflang=ko]").click()

    page.wait_for_url(f"{served}ko/index.html")
    assert not troubles, "\n".join(troubles)


@each_language
def test_a_page_works_from_a_folder_on_disk(
    site: Path, open_page: Open, troubles: list[str], language: str
) -> None:
    page = open_page((site / language / PAGE).as_uri() + SECTION)

    language_menu(page).locator("summary").click()
    page.locator(f"details[open] a[hreflang={tag(NEXT[language])}]").click()

    page.wait_for_url((site / NEXT[language] / PAGE).as_uri() + SECTION)
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
    page = open_page(f"{served}{language}/{PAGE}{SECTION}", viewport=size)

    language_menu(page).locator("summary").click()
    page.locator(f"details[open] a[hreflang={tag(other)}]").click()

    page.wait_for_url(f"{served}{other}/{PAGE}{SECTION}")
    expect(page.locator("html")).to_have_attribute("lang", tag(other))


@each_size
def test_the_menu_keeps_the_section_that_is_on_the_screen(
    served: str, open_page: Open, size: Any
) -> None:
    page = open_page(f"{served}en/{PAGE}", viewport=size)
    scroll = "heading => heading.scrollIntoView({ behavior: 'instant' })"
    page.locator(f"{SECTION} h2").evaluate(scroll)

    point_at(page, language_menu(page).locator("summary"))
    point_at(page, page.locator("details[open] a[hreflang=ko]:visible"))

    page.wait_for_url(f"{served}ko/{PAGE}{SECTION}")


def point_at(page: Page, node: Locator) -> None:
    """Click where a node is, as a mouse does: without scrolling to it first."""
    box = node.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_the_menu_leaves_a_target_that_the_reader_left(
    served: str, open_page: Open
) -> None:
    page = open_page(f"{served}en/{PAGE}#try-it")
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")

    language_menu(page).locator("summary").click()
    page.locator("details[open] a[hreflang=ko]").click()

    page.wait_for_url(f"{served}ko/{PAGE}")


def test_the_menu_keeps_the_query(served: str, open_page: Open) -> None:
    page = open_page(f"{served}en/search.html?q=all-reduce+%26")

    language_menu(page).locator("summary").click()
    page.locator("details[open] a[hreflang=ja]").click()

    page.wait_for_url(f"{served}ja/search.html?q=all-reduce+%26")


def first_offered(page: Page) -> str | None:
    return page.locator("main li a").first.get_attribute("hreflang")


@pytest.mark.parametrize(
    ("locale", "first"),
    [("ja-JP", "ja"), ("zh-TW", "zh-CN"), ("fr-FR", "en"), ("en-GB", "en")],
)
def test_the_language_of_the_browser_comes_first(
    served: str, open_page: Open, locale: str, first: str
) -> None:
    page = open_page(f"{served}index.html", locale=locale)

    assert first_offered(page) == first
    assert page.locator("main li").count() == len(LANGUAGES)


def test_the_language_that_was_chosen_last_comes_first(
    served: str, open_page: Open
) -> None:
    page = open_page(f"{served}en/{PAGE}", locale="en-US")
    language_menu(page).locator("summary").click()
    page.locator("details[open] a[hreflang=ko]").click()
    page.wait_for_url(f"{served}ko/{PAGE}")

    page.goto(f"{served}index.html")

    assert first_offered(page) == "ko"
    page.locator("a[hreflang=ja]").click()
    page.wait_for_url(f"{served}ja/index.html")
    page.go_back()
    page.reload()
    assert first_offered(page) == "ja"


def test_the_menu_opens_and_closes_with_the_keyboard(
    served: str, open_page: Open
) -> None:
    page = open_page(f"{served}ko/{PAGE}")
    menu = language_menu(page)
    summary = menu.locator("summary")

    summary.focus()
    page.keyboard.press("Enter")
    expect(menu.locator("a").first).to_be_visible()
    page.keyboard.press("Tab")
    expect(menu.locator("a").first).to_be_focused()
    page.keyboard.press("Escape")

    expect(menu.locator("a").first).to_be_hidden()
    expect(summary).to_be_focused()


def test_the_menu_closes_when_the_reader_clicks_elsewhere(
    served: str, open_page: Open
) -> None:
    page = open_page(f"{served}ko/{PAGE}")
    menu = language_menu(page)

    menu.locator("summary").click()
    expect(menu.locator("a").first).to_be_visible()
    page.locator("h1").click()

    expect(menu.locator("a").first).to_be_hidden()


@each_language
@each_size
def test_a_page_can_be_read_and_changed_to_another_language_without_javascript(
    served: str, open_page: Open, language: str, size: Any
) -> None:
    other = NEXT[language]
    page = open_page(
        f"{served}{language}/{PAGE}", viewport=size, java_script_enabled=False
    )
    for part in ("h1", "article p", "article pre", ".sphx-glr-footer"):
        expect(page.locator(part).first).to_be_visible()

    menu = page.locator("details.language-menu:visible")
    expect(menu).to_have_count(1)
    menu.locator("summary").click()
    menu.locator(f"a[hreflang={tag(other)}]").click()

    page.wait_for_url(f"{served}{other}/{PAGE}")


# words that only a browser shows


@each_language
def test_the_copy_button_speaks_the_language_of_the_page(
    site: Path, served: str, open_page: Open, language: str
) -> None:
    said = words(site, language)
    page = open_page(
        f"{served}{language}/{PAGE}",
        permissions=["clipboard-read", "clipboard-write"],
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
    site: Path, served: str, open_page: Open, language: str
) -> None:
    page = open_page(f"{served}{language}/{PAGE}")

    shown = page.locator(".sphx-glr-script-out").first.evaluate(
        "node => getComputedStyle(node, '::before').content"
    )

    assert shown == json.dumps(words(site, language)["Out:"], ensure_ascii=False)


@each_translation
def test_scripts_put_no_english_word_on_a_page(
    served: str, open_page: Open, language: str
) -> None:
    page = open_page(f"{served}{language}/{PAGE}")
    expect(page.locator("button.copybtn").first).to_be_attached()

    found = english_on(page.content(), language)

    assert not found, "\n".join(found)


# search


@each_language
def test_search_finds_a_page_and_says_so_in_its_language(
    served: str, open_page: Open, troubles: list[str], language: str
) -> None:
    page = open_page(f"{served}{language}/search.html?q=DataParallel")

    summary = page.locator("#search-results .search-summary")
    expect(summary).not_to_be_empty()  # the last thing that a search writes
    results = page.locator("#search-results ul").first.locator("a").all()
    hrefs = [result.get_attribute("href") or "" for result in results]
    pages = {href.partition("#")[0] for href in hrefs}  # each by its sections
    expect(summary).to_contain_text(str(len(pages)))
    assert any("one_process/multi_gpu_examples.html" in href for href in hrefs)
    assert not troubles, "\n".join(troubles)
    check_words_of_search(page, language)


@each_language
def test_search_that_finds_nothing_says_so_in_its_language(
    served: str, open_page: Open, language: str
) -> None:
    page = open_page(f"{served}{language}/search.html?q=qqqzzz")

    expect(page.locator("#search-results .search-summary")).not_to_be_empty()
    lessons = page.locator("#search-results li a").all()
    addresses = [lesson.get_attribute("href") or "" for lesson in lessons]
    assert len(addresses) == len([*PROJECT.glob("gallery/*/*.py")])
    assert all("tutorials/" in address for address in addresses)
    check_words_of_search(page, language)


# In one step, for snippets come as their pages arrive.
WITHOUT_SNIPPETS = """() => {
  const page = document.documentElement.cloneNode(true);
  page.querySelectorAll(".context").forEach((snippet) => snippet.remove());
  return page.outerHTML;
}"""


def check_words_of_search(page: Page, language: str) -> None:
    """Check all but the snippets, which hold code."""
    if language == "en":
        return
    html = page.evaluate(WITHOUT_SNIPPETS)
    found = english_on(html, language)
    assert not found, "\n".join(found)


def test_the_search_button_asks_and_shows_the_results(
    served: str, open_page: Open
) -> None:
    page = open_page(f"{served}ja/{PAGE}")

    page.locator("button.search-button__button:visible").click()
    page.locator("dialog[open] input[type=search]").fill("DataParallel")
    page.keyboard.press("Enter")

    page.wait_for_url(f"{served}ja/search.html?q=DataParallel")
    expect(page.locator("#search-results li a").first).to_be_visible()


# figures, downloads, colours


@each_language
def test_figures_are_shown_with_their_size_and_described(
    site: Path, served: str, open_page: Open, language: str
) -> None:
    page = open_page(f"{served}{language}/{PAGE}", viewport=PHONE)
    figures = page.locator("article img").all()
    assert figures

    for figure in figures:
        figure.scroll_into_view_if_needed()
        loaded = "image => image.complete && image.naturalWidth > 0"
        wait_until(page, loaded, figure.element_handle())
        shown, drawn = figure.evaluate(
            "x => [x.clientWidth / x.clientHeight, x.naturalWidth / x.naturalHeight]"
        )
        assert shown == pytest.approx(drawn, rel=0.02)
        assert int(figure.get_attribute("width") or 0) > 0
        assert int(figure.get_attribute("height") or 0) > 0
        alt = figure.get_attribute("alt") or ""
        assert alt.strip()
        assert language == "en" or not leftovers(alt, language), alt


@each_language
def test_downloads_arrive_and_are_programs(
    served: str, open_page: Open, language: str
) -> None:
    page = open_page(f"{served}{language}/{PAGE}")

    script = download(page, ".py")
    notebook = download(page, ".ipynb")

    assert script.name == "hello_ranks.py"
    compile(script.read_bytes(), script.name, "exec")
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    assert {cell["cell_type"] for cell in cells} == {"code", "markdown"}


def download(page: Page, suffix: str) -> Path:
    """Click on a download at the head of the page and give the file."""
    link = page.locator(f".downloads a.download[href$='{suffix}']")
    with page.expect_download() as arriving:
        link.click()
    path = Path(arriving.value.path())
    named = path.with_name(arriving.value.suggested_filename)
    named.write_bytes(path.read_bytes())
    return named


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_follows_the_colours_of_the_system(
    served: str, open_page: Open, scheme: str
) -> None:
    page = open_page(f"{served}ko/{PAGE}", color_scheme=scheme)

    expect(page.locator("html")).to_have_attribute("data-theme", scheme)
    assert (brightness(page) < 100) == (scheme == "dark")


def test_the_colour_button_changes_the_page_and_is_remembered(
    served: str, open_page: Open
) -> None:
    # the locale gives it a context, and so a memory, of its own
    page = open_page(f"{served}ko/{PAGE}", color_scheme="light", locale="ko")
    html = page.locator("html")

    page.locator("button.theme-switch-button:visible").click()
    page.locator(".theme-change-button[data-mode=dark]:visible").click()

    expect(html).to_have_attribute("data-theme", "dark")
    page.goto(f"{served}ko/index.html")
    expect(html).to_have_attribute("data-theme", "dark")
    assert brightness(page) < 100


def brightness(page: Page) -> float:
    """Give how bright the page's background is, from 0 to 255."""
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    red, green, blue = map(int, re.findall(r"\d+", colour)[:3])
    return (red + green + blue) / 3


@each_translation
def test_the_line_on_the_translation_is_quieter_than_the_text(
    served: str, open_page: Open, language: str
) -> None:
    page = open_page(f"{served}{language}/{PAGE}")

    def look(place: str) -> list[str]:
        style = (
            "(node) => [getComputedStyle(node).fontSize, getComputedStyle(node).color]"
        )
        return page.locator(place).first.evaluate(style)

    (size, colour), (other, text) = (
        look(".translation-credits, .ways-out"),
        look("article section > p"),
    )
    assert float(size.removesuffix("px")) < float(other.removesuffix("px"))
    assert colour != text
