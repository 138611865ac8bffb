"""The search of the built site, in a real browser."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import queries
from paths import TESTS
from playwright.sync_api import Browser, Page, ViewportSize, expect
from readers import DESK, LESSON, PHONE, Open, each_language, each_size

QUERIES = sorted((TESTS / "search_queries").glob("*.csv"))
FIRST = 0.9  # of all queries must have the right page first,
FIRST_OF_A_FILE = 0.85  # and of those of each file
# The pages that have all words.
SEARCH = """queries => queries.map(query =>
  Search.find(query).filter(({isPart}) => !isPart)
    .map(({address}) => address.split("/").at(-1).replace(".html", "")))"""

Ask = Callable[[str], Page]


@pytest.fixture(autouse=True)
def quiet(troubles: list[str]) -> Iterator[None]:
    """Fail a test if something goes wrong in a page that it opened."""
    yield
    assert troubles == []


@pytest.fixture(scope="module")
def search_page(served: str, chromium: Browser) -> Iterator[Ask]:
    """The search page of a language, to ask and not to change."""
    context = chromium.new_context(viewport=DESK)

    @functools.cache
    def search_page(language: str) -> Page:
        page = context.new_page()
        page.goto(f"{served}{language}/search.html")
        page.wait_for_function("Search.hasIndex()")
        return page

    yield search_page
    context.close()


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_readers_find_what_they_want(search_page: Ask, path: Path) -> None:
    asked = queries.ask(search_page(queries.language_of(path)), path)

    assert len(asked) >= 20
    assert [str(query) for query in asked if not query.is_found] == []


def test_the_right_page_is_mostly_first(search_page: Ask) -> None:
    asked = {
        path.stem: queries.ask(search_page(queries.language_of(path)), path)
        for path in QUERIES
    }

    shares = {name: share_of_first(answers) for name, answers in asked.items()}
    everything = [query for answers in asked.values() for query in answers]
    not_first = [str(query) for query in everything if not query.is_first]
    assert share_of_first(everything) >= FIRST, "\n".join(not_first)
    assert min(shares.values()) >= FIRST_OF_A_FILE, shares


def share_of_first(asked: list[queries.Query]) -> float:
    return sum(query.is_first for query in asked) / len(asked)


@each_language
def test_the_boilerplate_of_a_page_is_not_in_the_index(
    open_page: Open, search_page: Ask, language: str
) -> None:
    texts = open_page(f"{language}/{LESSON}").evaluate(
        "[...document.querySelectorAll("
        "'.translation-credits, .ways-out, .sphx-glr-signature')]"
        ".map(node => node.textContent)"
    )

    answers = search_page(language).evaluate(SEARCH, texts)

    assert texts
    found = dict(zip(texts, answers, strict=True))
    here = [text for text, pages in found.items() if "hello_ranks" in pages]
    assert here == []


COMPOUNDS = {
    "en": ("mean gradients", "mean"),
    "ko": ("랭크 변화도의 평균 DDP", "변화도"),
    "zh_CN": ("梯度的平均值", "梯度"),
    "ja": ("各ランクの勾配の平均 DDP", "勾配"),
}
SECTION = "distributed_data_parallel.html#the-gradients-of-all-ranks-become-their-mean"


@each_language
def test_a_result_leads_to_the_section_and_shows_the_place(
    open_page: Open, language: str
) -> None:
    typed, word = COMPOUNDS[language]

    page = open_page(f"{language}/search.html?q={typed}")

    result = page.locator(f"#search-results li:has(a[href$='{SECTION}'])")
    marked = result.locator(".context .highlighted", has_text=word)
    expect(marked.first).to_be_visible()


FORBIDS = """Object.defineProperty(window, "localStorage", {
  configurable: true,
  get() { throw new DOMException("a reader forbids it", "SecurityError"); },
})"""


def test_a_lesson_works_without_storage(served: str, chromium: Browser) -> None:
    page = chromium.new_page(viewport=DESK)
    page.add_init_script(FORBIDS)

    page.goto(f"{served}en/tutorials/start/hello_ranks.html")

    expect(page.locator("button.copybtn").first).to_be_visible()
    page.keyboard.press("Control+k")
    expect(page.locator("dialog[open] input[type=search]")).to_be_focused()
    page.close()


def test_a_section_is_found_without_storage(served: str, chromium: Browser) -> None:
    page = chromium.new_page(viewport=DESK)
    page.add_init_script(FORBIDS)

    page.goto(f"{served}en/search.html?q={COMPOUNDS['en'][0]}")

    expect(page.locator(f"#search-results a[href$='{SECTION}']")).to_be_visible()
    page.close()


@each_language
def test_a_note_explains_that_no_page_has_all_words(
    open_page: Open, language: str
) -> None:
    typed = f"{COMPOUNDS[language][1]} quantumentanglement"
    page = open_page(f"{language}/search.html?q={typed}")
    expect(page.locator("#search-results li").first).to_be_visible()

    texts = page.evaluate("cjkSearchIndex.messages")
    shown = page.locator("#search-results").inner_text()
    assert page.locator(".search-summary").inner_text() == texts["none"]
    assert texts["some"] in shown
    assert texts["missing"] in shown


def test_no_heading_denies_the_list_above_it(open_page: Open) -> None:
    page = open_page("en/search.html?q=deadlock")  # whole and part
    texts = page.evaluate("cjkSearchIndex.messages")
    expect(page.locator("#search-results ul")).to_have_count(2)

    shown = page.locator("#search-results").inner_text()
    assert texts["some"] in shown
    assert texts["none"] not in shown


@each_language
def test_a_pasted_message_finds_the_page_that_has_it(
    open_page: Open, language: str
) -> None:
    message = "RuntimeError: Expected to have finished reduction in the prior iteration"

    page = open_page(f"{language}/search.html?q={message}")

    results = page.locator("#search-results li a")
    expect(results.first).to_have_attribute("href", re.compile("/distributed_data_p"))
    heading = page.locator("#search-results .search-summary + div > :first-child")
    expect(heading).to_contain_text("expected to have finished reduction in the prior")


def test_a_page_is_fetched_once_and_when_it_is_seen(open_page: Open) -> None:
    page = open_page("ko/search.html")
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    page.evaluate("Search.performSearch('GPU 학습')")
    shown = page.locator("#search-results li a")
    expect(page.locator("#search-results .context").first).to_be_visible()

    seen = len(fetched)
    shown.last.scroll_into_view_if_needed()
    items = "[...document.querySelectorAll('#search-results li')]"  # of both lists
    page.wait_for_function(f"!{items}.at(-1).matches('.awaits-snippet')")

    assert 0 < seen < shown.count()
    assert len(set(fetched)) == len(fetched) > seen


@each_size
@each_language
def test_the_keyboard_opens_the_dialog_and_shows_the_results(
    open_page: Open, language: str, size: ViewportSize
) -> None:
    page = open_page(f"{language}/{LESSON}")
    page.set_viewport_size(size)
    field = page.locator("dialog[open] input[type=search]")

    page.keyboard.press("Control+k")
    expect(field).to_be_focused()
    field.fill(COMPOUNDS[language][0])
    field.press("Enter")

    results = page.locator("#search-results li a")
    expect(results.first).to_be_visible()
    over = page.locator("html, main, .bd-article-container").evaluate_all(
        "nodes => nodes.map(node => node.scrollWidth - node.clientWidth)"
    )
    assert max(over) <= 1


@pytest.mark.parametrize("storage", ["allowed", "forbidden"])
def test_the_dialog_shows_results_while_a_reader_types(
    served: str, chromium: Browser, storage: str
) -> None:
    page = chromium.new_page(viewport=PHONE)
    if storage == "forbidden":
        page.add_init_script(FORBIDS)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.split("/")[-1]))
    page.goto(f"{served}ko/{LESSON}", wait_until="networkidle")
    assert not [name for name in asked if "search" in name or "language" in name]

    page.keyboard.press("Control+k")
    page.keyboard.type("변화도")

    links = page.locator("dialog li a")
    status = page.locator("dialog [role=status]")
    expect(links).to_have_count(5)
    expect(status).to_contain_text(re.compile("[0-9]+개"))
    expect(page.locator("dialog .search-definition")).to_be_visible()
    page.keyboard.press("ArrowDown")  # the definition
    page.keyboard.press("Tab")
    expect(links.first).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.locator("dialog input")).to_be_focused()
    page.keyboard.type(" zyxwvut")
    expect(status).to_have_text("검색어가 모두 들어 있는 페이지가 없습니다.")
    page.locator("dialog a").last.click()
    page.wait_for_url("**/ko/search.html?q=*zyxwvut")
    page.close()


@pytest.mark.parametrize("key_name", ["Process", "Enter"])  # as on Windows, on a Mac
def test_enter_that_ends_a_composition_does_not_search(
    open_page: Open, key_name: str
) -> None:
    page = open_page(f"ja/{LESSON}")
    page.keyboard.press("Control+k")
    field = page.locator("dialog[open] input[type=search]")
    expect(field).to_be_focused()
    devtools = page.context.new_cdp_session(page)
    address = page.url

    text = {"text": "こうばい", "selectionStart": 4, "selectionEnd": 4}
    devtools.send("Input.imeSetComposition", text)
    # what a browser tells a page while an input method has the key
    key = {"type": "keyDown", "key": key_name, "windowsVirtualKeyCode": 229}
    devtools.send("Input.dispatchKeyEvent", key | {"code": "Enter"})
    devtools.send("Input.insertText", {"text": "勾配"})

    expect(field).to_have_value("勾配")
    assert page.url == address
    field.press("Enter")
    page.wait_for_url("**/ja/search.html?q=*")


SHIFTS = """
    window.shifts = [];
    new PerformanceObserver(list => list.getEntries().forEach(
        entry => window.shifts.push(entry.value)
    )).observe({type: "layout-shift", buffered: true});
"""


@each_language
def test_nothing_on_the_screen_moves_when_results_come(
    served: str, chromium: Browser, language: str
) -> None:
    page = chromium.new_page(viewport=PHONE)
    page.add_init_script(SHIFTS)

    page.goto(f"{served}{language}/search.html?q=DataParallel")
    expect(page.locator("#search-results .context").first).to_be_visible()
    page.wait_for_load_state("networkidle")

    moved = page.evaluate("window.shifts.reduce((sum, one) => sum + one, 0)")
    page.close()
    assert moved < 0.01  # of the screen; browsers call 0.1 good
