"""The search of the built site, in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import queries
from paths import TESTS
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect
from polling import wait_until

LANGUAGES = ("en", "ko", "zh_CN", "ja")
QUERIES = sorted((TESTS / "search_queries").glob("*.csv"))
FIRST = 0.9  # of the queries must have the right page first
LESSON = "tutorials/ranks/hello_ranks.html"
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
# The pages that have all words.
SEARCH = """queries => queries.map(query =>
  Search.find(query).filter(({isPart}) => !isPart)
    .map(({address}) => address.split("/").at(-1).replace(".html", "")))"""

each_language = pytest.mark.parametrize("language", LANGUAGES)
each_size = pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])

Open = Ask = Callable[[str], Page]


@pytest.fixture
def opened(served: str, chromium: Browser) -> Iterator[Open]:
    """Open a page of the site; what goes wrong in it fails the test."""
    context = chromium.new_context(viewport=DESK)
    context.set_default_timeout(30_000)
    troubles: list[str] = []

    def opened(path: str) -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto(path if "://" in path else served + path)
        return page

    yield opened
    context.close()
    assert troubles == []


class Asked:
    """The search page of each language, opened once for all that only asks it."""

    def __init__(self, context: BrowserContext, served: str) -> None:
        self.context, self.served = context, served
        self.pages: dict[str, Page] = {}
        self.troubles: list[str] = []

    def page(self, language: str) -> Page:
        if language not in self.pages:
            page = self.pages[language] = self.context.new_page()
            page.on("pageerror", lambda error: self.troubles.append(str(error)))
            page.goto(f"{self.served}{language}/search.html")
            wait_until(page, "Search.hasIndex()")
        return self.pages[language]


@pytest.fixture(scope="module")
def asked(served: str, chromium: Browser) -> Iterator[Asked]:
    """Keep the search pages open."""
    context = chromium.new_context(viewport=DESK)
    context.set_default_timeout(30_000)
    yield Asked(context, served)
    context.close()


@pytest.fixture
def search_page(asked: Asked) -> Iterator[Ask]:
    """Give the search page of a language, to ask and not to change."""
    yield asked.page
    assert asked.troubles == []


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_readers_find_what_they_want_and_mostly_first(
    search_page: Ask, path: Path
) -> None:
    asked = queries.ask(search_page(queries.language_of(path)), path)

    lost = [str(query) for query in asked if not query.is_found]
    not_first = [str(query) for query in asked if not query.is_first]

    assert len(asked) >= 20
    assert lost == []
    share = 1 - len(not_first) / len(asked)
    assert share >= FIRST, f"first: {share:.0%}\n" + "\n".join(not_first)


@each_language
def test_the_boilerplate_of_a_page_is_not_in_the_index(
    opened: Open, search_page: Ask, language: str
) -> None:
    texts = opened(f"{language}/{LESSON}").evaluate(
        "[...document.querySelectorAll("
        "'.outputs-made, .page-foot p')]"
        ".map(node => node.textContent)"
    )

    answers = search_page(language).evaluate(SEARCH, texts)

    assert len(texts) in (2, 3)  # a site with a repository leads to it
    found = dict(zip(texts, answers, strict=True))
    here = [text for text, pages in found.items() if "hello_ranks" in pages]
    assert here == []


PART = {  # the title of a part, or its first words
    "en": "Many processes",
    "ko": "여러 프로세스",
    "zh_CN": "多个进程",
    "ja": "複数のプロセス",
}


@each_language
def test_lessons_come_before_the_pages_that_list_them(
    search_page: Ask, language: str
) -> None:
    answers = search_page(language).evaluate(
        SEARCH, ["GPU", "DataParallel", "torchrun", "NCCL", PART[language]]
    )

    for answer in answers:
        assert answer[0] not in ("index", "about", "translation_status")
        assert not {"search", "genindex"} & set(answer)


@each_language
@pytest.mark.parametrize(
    ("typed", "page"), [("rank", "hello_ranks"), ("DDP", "distributed_data_parallel")]
)
def test_the_page_that_defines_a_term_comes_first(
    search_page: Ask, language: str, typed: str, page: str
) -> None:
    (answer,) = search_page(language).evaluate(SEARCH, [typed])

    assert answer[0] == page
    assert len(set(answer)) > 2


LAST = ("about", "sources", "translation_status")


@each_language
def test_what_is_about_the_site_comes_last(search_page: Ask, language: str) -> None:
    found = search_page(language).evaluate(
        "Search.find('PyTorch').map(({address}) => address.replace('.html', ''))"
    )

    last = [i for i, name in enumerate(found) if name in LAST]
    lessons = [i for i, name in enumerate(found) if name.startswith("tutorials/")]
    assert last
    assert min(last) > max(i for i in lessons if not found[i].endswith("/index"))


# what is shown

COMPOUNDS = {
    "en": ("mean gradients", "mean"),
    "ko": ("변화도의 평균", "변화도"),
    "zh_CN": ("梯度的平均值", "梯度"),
    "ja": ("勾配の平均", "勾配"),
}
SECTION = "distributed_data_parallel.html#the-gradients-of-all-ranks-become-their-mean"


@each_language
def test_a_result_leads_to_the_section_and_shows_the_place(
    opened: Open, language: str
) -> None:
    typed, word = COMPOUNDS[language]

    page = opened(f"{language}/search.html?q={typed}")

    result = page.locator(f"#search-results li:has(a[href$='{SECTION}'])")
    expect(result.locator(".context")).to_contain_text(word)


@each_language
def test_a_section_is_found_from_a_folder_on_disk(
    site: Path, opened: Open, language: str
) -> None:
    typed, _word = COMPOUNDS[language]

    page = opened((site / language / "search.html").as_uri() + f"?q={typed}")

    expect(page.locator(f"#search-results a[href$='{SECTION}']")).to_be_visible()


@pytest.mark.parametrize(
    ("language", "typed", "word"),
    [
        ("ko", "프로세스를", "프로세스"),
        ("zh_CN", "进程组", "进程组"),
        ("ja", "プロセス", "プロセス"),
    ],
)
def test_words_are_marked_and_not_their_pairs(
    opened: Open, language: str, typed: str, word: str
) -> None:
    page = opened(f"{language}/search.html?q={typed}")

    marked = page.locator("#search-results .highlighted")
    expect(marked.first).to_be_visible()
    assert set(marked.all_inner_texts()) == {word}


FORBIDS = """Object.defineProperty(window, "localStorage", {
  get() { throw new DOMException("a reader forbids it", "SecurityError"); },
})"""


def test_a_browser_that_stores_nothing_shows_what_is_found(
    served: str, chromium: Browser
) -> None:
    context = chromium.new_context(viewport=DESK)
    context.add_init_script(FORBIDS)
    page = context.new_page()
    page.goto(f"{served}en/search.html?q=gradients")

    expect(page.locator("#search-results li a").first).to_be_visible()
    context.close()


@each_language
def test_every_result_leads_to_a_section_that_is_there(
    site: Path, opened: Open, language: str
) -> None:
    page = opened(f"{language}/search.html?q=gpu {COMPOUNDS[language][0]}")
    links = page.locator("#search-results li a")
    expect(links.first).to_be_visible()

    addresses = links.evaluate_all("links => links.map(link => link.href)")

    assert any("#" in address for address in addresses)
    for address in addresses:
        path, _, section = address.partition(f"/{language}/")[2].partition("#")
        text = (site / language / path).read_text(encoding="utf-8")
        assert f'id="{section}"' in text or not section, address


@each_language
def test_where_no_page_has_all_words_it_is_said(opened: Open, language: str) -> None:
    typed = f"{COMPOUNDS[language][1]} quantumentanglement"
    page = opened(f"{language}/search.html?q={typed}")
    expect(page.locator("#search-results li").first).to_be_visible()

    said = page.evaluate("cjkSearchIndex.messages")
    assert page.locator(".search-summary").inner_text() == said["some"]
    assert said["missing"] in page.locator("#search-results").inner_text()


@each_language
def test_where_nothing_is_found_the_lessons_are_listed(
    site: Path, opened: Open, language: str
) -> None:
    page = opened((site / language / "search.html").as_uri() + "?q=zyxwvut")
    links = page.locator("#search-results li a")
    expect(links.first).to_be_visible()

    shown = set(links.evaluate_all("links => links.map(link => link.href)"))

    lessons = (site / language / "tutorials").rglob("*.html")
    assert {x.as_uri() for x in lessons if x.name != "index.html"} <= shown
    said = page.evaluate("cjkSearchIndex.messages")
    assert page.locator(".search-summary").inner_text() == said["nothing"]
    assert said["missing"] in page.locator("#search-results").inner_text()


def test_a_page_is_fetched_once_and_when_it_is_seen(opened: Open) -> None:
    page = opened("ko/search.html")
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    page.evaluate("Search.performSearch('GPU 학습')")
    shown = page.locator("#search-results li a")
    expect(page.locator("#search-results .context").first).to_be_visible()

    seen = len(fetched)
    shown.last.scroll_into_view_if_needed()
    items = "[...document.querySelectorAll('#search-results li')]"  # of both lists
    wait_until(page, f"!{items}.at(-1).matches('.awaits-snippet')")

    assert 0 < seen < shown.count()
    assert len(set(fetched)) == len(fetched) > seen


@each_size
@each_language
def test_the_keyboard_opens_the_dialog_and_shows_the_results(
    opened: Open, language: str, size: ViewportSize
) -> None:
    page = opened(f"{language}/{LESSON}")
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


def test_a_mac_opens_the_dialog_with_the_command_key(opened: Open) -> None:
    page = opened(f"ko/{LESSON}")
    page.add_init_script(
        "Object.defineProperty(navigator, 'platform', {value: 'MacIntel'})"
    )
    page.reload()

    page.keyboard.press("Meta+k")

    expect(page.locator("dialog[open] input[type=search]")).to_be_focused()


@pytest.mark.parametrize("told", ["Process", "Enter"])  # as on Windows, on a Mac
def test_enter_that_ends_a_composition_does_not_search(opened: Open, told: str) -> None:
    page = opened(f"ja/{LESSON}")
    page.keyboard.press("Control+k")
    field = page.locator("dialog[open] input[type=search]")
    expect(field).to_be_focused()
    devtools = page.context.new_cdp_session(page)
    address = page.url

    text = {"text": "こうばい", "selectionStart": 4, "selectionEnd": 4}
    devtools.send("Input.imeSetComposition", text)
    # what a browser tells a page while an input method has the key
    key = {"type": "keyDown", "key": told, "windowsVirtualKeyCode": 229}
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
