"""Search: what readers type, in a real browser against the built site."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import prepared
import pytest
import queries
import sphinx.search
from paths import PROJECT, TESTS
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect
from polling import wait_until
from sphinx.search.en import SearchEnglish
from sphinx.testing.util import SphinxTestApp

from gallery_intl.interface.search import JapaneseSearch, KoreanSearch, pairs
from gallery_site.search import EnglishSearch

LANGUAGES = ("en", "ko", "zh_CN", "ja")
QUERIES = sorted((TESTS / "search_queries").glob("*.csv"))
FIRST = 0.9  # of the queries must have the right page first
LESSON = "tutorials/ranks/hello_ranks.html"
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
# The pages that have all words; in a language that has Sphinx's own search, its answer.
SEARCH = """queries => queries.map(query => {
  const sphinx = () => Search._performSearch(...Search._parseQuery(query)).reverse()
    .map(([docname]) => ({docname}));
  const found = Search.find?.(query).filter(({isPart}) => !isPart) ?? sphinx();
  return found.map(({docname}) => docname.split("/").at(-1));
})"""

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


# what is indexed


def test_words_of_cjk_become_pairs_and_names_stay_whole() -> None:
    assert pairs("데이터 all_reduce를") == ["데이", "이터", "all_reduce", "를"]
    assert pairs("データ並列") == ["デー", "ータ", "タ並", "並列"]


def test_no_pair_lies_across_punctuation() -> None:
    assert pairs("梯度，进程。锁") == ["梯度", "进程", "锁"]


def test_letters_that_look_alike_are_indexed_alike() -> None:
    decomposed = unicodedata.normalize("NFD", "랭크 データ")

    assert pairs("ＧＰＵ ﾗﾝｸ") == ["GPU", "ラン", "ンク"]
    assert pairs(decomposed) == pairs("랭크 データ")


def test_a_korean_compound_has_the_pair_across_its_space() -> None:
    assert "스그" in KoreanSearch({}).words("프로세스 그룹")
    assert "スグ" not in JapaneseSearch({}).words("プロセス グループ")


def test_japanese_endings_do_not_fill_the_index() -> None:
    assert JapaneseSearch({}).words("平均します。") == ["平均", "均し"]
    assert JapaneseSearch({}).words("まとめ") == ["まと", "とめ"]


@pytest.mark.parametrize(
    ("extensions", "english"),
    [(["gallery_intl"], SearchEnglish), (["gallery_intl", "gallery_site"], None)],
)
def test_only_the_site_changes_how_english_is_searched(
    extensions: list[str],
    english: type | None,
    make_app: Callable[..., SphinxTestApp],
    rootdir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for language in ("en", "ko"):
        monkeypatch.setitem(sphinx.search.languages, language, SearchEnglish)
    shutil.copytree(rootdir / "test-comments", tmp_path / "site")

    make_app(srcdir=tmp_path / "site", confoverrides={"extensions": extensions})

    assert sphinx.search.languages["ko"] is KoreanSearch
    assert sphinx.search.languages["en"] is (english or EnglishSearch)


# what is asked


@pytest.mark.parametrize(
    ("language", "typed", "words"),
    [
        ("ko", "변화도를", ["변화도"]),
        ("ko", "랭크에서는", ["랭크"]),
        ("ko", "모델입니다 결과", ["모델", "결과"]),
        ("ko", "ＧＰＵ간 통신", ["gpu", "통신"]),
        ("ko", "멀티gpu 썼는데 손실이 안 작아져요", ["멀티gpu", "손실", "작아"]),
        ("zh_CN", "为什么没有变大", ["变大"]),
        ("ja", "モデルの分割とは", ["モデルの分割"]),
        ("ja", "勾配 とは", ["勾配"]),
        ("ja", "まとめ", ["まとめ"]),
        ("en", "torch.nn.parallel.scatter", ["scatter"]),
        ("en", "hello_ranks.py", ["hello_ranks", "py"]),
        ("en", "all-reduce, now", ["all-reduce", "now"]),
    ],
)
def test_a_query_becomes_the_words_that_were_meant(
    search_page: Ask, language: str, typed: str, words: list[str]
) -> None:
    page = search_page(language)

    needs = page.evaluate("gallerySearch.needsOf", typed)
    assert [need["typed"] for need in needs] == words


@pytest.mark.parametrize(
    ("language", "typed", "said"),
    [
        ("en", "multigpu", "multi-gpu"),
        ("ko", "learning rate도", "학습률"),
        ("ko", "멀티지피유", "멀티 gpu"),
        ("zh_CN", "爆显存", "显存不足"),
        ("zh_CN", "单卡", "一个 gpu"),
        ("ja", "グラディエント", "勾配"),
    ],
)
def test_what_readers_type_has_the_words_of_the_glossary(
    search_page: Ask, language: str, typed: str, said: str
) -> None:
    (need,) = search_page(language).evaluate("gallerySearch.needsOf", typed)

    assert said in [" ".join(words) for words in need["texts"]]


@pytest.mark.parametrize(
    ("typed", "meant"), [("torchrn", "torchrun"), ("spawwn", "spawn")]
)
def test_a_letter_of_a_short_name_may_be_missing_or_double(
    search_page: Ask, typed: str, meant: str
) -> None:
    (need,) = search_page("ko").evaluate("gallerySearch.needsOf", typed)

    assert [meant] in need["texts"]


@pytest.mark.parametrize(("language", "typed"), [("en", "arallel"), ("ja", "arallel")])
def test_a_name_is_not_found_from_its_middle(
    search_page: Ask, language: str, typed: str
) -> None:
    page = search_page(language)

    (whole,) = page.evaluate(SEARCH, [typed])
    (beginning,) = page.evaluate(SEARCH, ["distributedDa"])

    assert whole == []
    assert "distributed_data_parallel" in beginning


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


def test_a_query_of_readers_is_met_by_a_page_or_others_or_by_none() -> None:
    wanted = queries.wanted({"page": "ddp/a", "also": "ranks/b ranks/c"})
    told = queries.Query("x", set(), ["part"], set())

    assert wanted == ["ddp/a", "ranks/b", "ranks/c"]
    assert queries.Query("x", {"a"}, ["b", "a"], {"a"}).is_found
    assert not queries.Query("x", {"a"}, ["b", "a"], {"a"}).is_first
    assert told.is_first
    assert not told._replace(whole={"part"}).is_found


@each_language
def test_the_furniture_of_a_page_is_not_in_the_index(
    opened: Open, search_page: Ask, language: str
) -> None:
    texts = opened(f"{language}/{LESSON}").evaluate(
        "[...document.querySelectorAll("
        "'.outputs-made, .translation-credits, .ways-out')]"
        ".map(node => node.textContent)"
    )

    answers = search_page(language).evaluate(SEARCH, texts)

    assert texts
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
        "Search.find('PyTorch').map(({docname}) => docname)"
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


def test_a_snippet_shows_parts_of_a_compound_that_is_nowhere_in_one_piece(
    search_page: Ask,
) -> None:
    page = search_page("ja")

    shown = page.evaluate(
        """gallerySearch.snippetOf(
          new DOMParser().parseFromString("<main role=main><article><section>"
            + "<h1>勾配学習</h1><p class=no-search>勾配</p><p>" + "前".repeat(500)
            + "勾配の学習" + "後".repeat(500), "text/html"),
          [["勾配学習"]], "").textContent"""
    )

    assert shown.startswith("…前")
    assert "勾配の学習" in shown
    assert len(shown) < 250


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


MARKED = "[...CSS.highlights.get('found') ?? []].map(range => range.toString())"


def test_found_words_are_marked_in_the_article_of_the_page_that_is_opened(
    opened: Open,
) -> None:
    page = opened("ko/search.html?q=프로세스를")
    page.locator("#search-results li a").first.click()
    page.wait_for_url("**/tutorials/**")

    assert set(page.evaluate(MARKED)) == {"프로세스"}
    assert page.evaluate(
        "[...CSS.highlights.get('found')].every(range =>"
        " range.startContainer.parentElement.closest('article'))"
    )
    assert page.locator("span.highlighted, .highlight-link").count() == 0

    page.keyboard.press("Escape")
    assert page.evaluate(MARKED) == []


def test_a_query_alone_marks_nothing_and_ends_the_marks_of_the_one_before(
    opened: Open,
) -> None:
    page = opened("en/search.html?q=gradients")
    expect(page.locator("#search-results li").first).to_be_visible()
    page.goto(page.url.partition("/en/")[0] + f"/en/{LESSON}")
    assert page.evaluate(MARKED) == []

    page.evaluate("localStorage.gallery_intl_found = JSON.stringify([['rank']])")
    page.goto(page.url.partition("/en/")[0] + "/en/search.html?q=torchrun")
    expect(page.locator("#search-results li").first).to_be_visible()
    assert page.evaluate("localStorage.getItem('gallery_intl_found')") is None


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

    said = page.evaluate("Search._index.ours.said")
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
    said = page.evaluate("Search._index.ours.said")
    assert page.locator(".search-summary").inner_text() == said["nothing"]
    assert said["missing"] in page.locator("#search-results").inner_text()


def test_a_page_is_fetched_once_when_it_is_seen_and_two_at_a_time(
    opened: Open,
) -> None:
    page = opened("ko/search.html")
    page.evaluate(
        """() => {
          const own = window.fetch;
          [window.fetched, window.running, window.most] = [[], 0, 0];
          window.fetch = async (address) => {
            window.fetched.push(String(address));
            window.most = Math.max(window.most, ++window.running);
            await new Promise(done => setTimeout(done, 100));
            const answer = await own(address);
            window.running--;
            return answer;
          };
          Search.performSearch("GPU 학습");
        }"""
    )
    shown = page.locator("#search-results li a")
    expect(page.locator("#search-results .context").first).to_be_visible()

    seen = page.evaluate("window.fetched")
    shown.last.scroll_into_view_if_needed()
    items = "[...document.querySelectorAll('#search-results li')]"  # of both lists
    wait_until(page, f"!{items}.at(-1).matches('.awaits-snippet')")
    fetched = page.evaluate("window.fetched")

    assert len(seen) < shown.count()
    assert len(set(fetched)) == len(fetched)
    assert page.evaluate("window.most") == 2


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


@pytest.fixture(scope="module")
def french(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small site in a language that has Sphinx's own search."""
    source = tmp_path_factory.mktemp("french") / "site"
    shutil.copytree(PROJECT / "tests" / "roots" / "test-site", source)
    conf = source / "conf.py"
    text = conf.read_text(encoding="utf-8")
    conf.write_text(
        text.replace('"ko": "한국어"', '"fr": "Français"'), encoding="utf-8"
    )
    for name, words in NOTES.items():
        page = f":orphan:\n\n{name.title()}\n{'=' * len(name)}\n\n{words}\n"
        (source / f"{name}.rst").write_text(page, encoding="utf-8")
    for command in ("catalogs", "html"):
        prepared.run(
            *("gallery_site", "--source", source, command),
            env={"RUNS": str(source / "runs")},
        ).check_returncode()
    return source / "_build" / "html"


NOTES = {
    "bees": "Zebras and camels.",
    "cats": "Camels.",
    "dogs": "Zebras.",
    "eels": "Zebras and camels.",
}


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("word", ["zebras", "camels"])
def test_the_right_pages_are_found_with_sphinxs_own_search(
    french: Path, opened: Open, language: str, word: str
) -> None:
    page = opened((french / language / "search.html").as_uri())
    wait_until(page, "Search.hasIndex()")

    (answer,) = page.evaluate(SEARCH, [word])

    having = {name for name, words in NOTES.items() if word in words.lower()}
    assert set(answer) == having
