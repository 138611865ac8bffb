"""What readers type finds the right section, in a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

Ask = Callable[..., Any]
InPage = Callable[[str, Callable[["Page"], Any]], Any]
Build = Callable[..., Path]

FIND = "query => Search.find(query).map(x => [x.address + x.anchor, !x.isPart])"
NEEDS = "query => Search.engine().needsOf(query)"
SECTION = "sums.html#mean-gradients"
MARKED = "[...CSS.highlights.get('found') ?? []].map(range => range.toString())"


@pytest.mark.parametrize(
    ("language", "query"),
    [
        ("en", "the mean of a gradient"),
        ("en", "slopes"),
        ("ko", "변화도의 평균은 어떻게 하나요"),
        ("ko", "그래디언트"),
        ("ko", "프로세스그룹"),
        ("zh_CN", "什么是梯度平均"),
        ("ja", "勾配の平均とは"),
        ("ja", "グラディエント"),
    ],
)
def test_a_question_finds_the_section(ask: Ask, language: str, query: str) -> None:
    (address, is_whole), *_ = ask(language, FIND, query)

    assert address.startswith(SECTION)
    assert is_whole


@pytest.mark.parametrize(
    ("language", "typed", "words"),
    [
        ("ko", "변화도를", ["변화도"]),
        ("ko", "나눴다 나눠요 느렸는데", ["나누", "나누", "느리"]),
        ("ko", "끊겼을 저장했는데 막았다 모르겠어요", ["끊기", "저장", "모르"]),
        ("ko", "됐을 결과 참여", ["결과", "참여"]),
        ("ko", "두 장", ["2장"]),
        ("zh_CN", "两台机器", ["2台", "机器"]),
        ("ja", "二枚", ["2枚"]),
        ("en", "two ranks", ["ranks"]),
        ("ko", "랭크에서는", ["랭크"]),
        ("ko", "모델입니다 결과", ["모델", "결과"]),
        ("ko", "ＧＰＵ간 통신", ["gpu", "통신"]),
        ("ko", "멀티gpu 썼는데 손실이 안 작아져요", ["멀티gpu", "손실", "작아지"]),
        ("zh_CN", "为什么没有变大", ["变大"]),
        ("ja", "モデルの分割とは", ["モデル", "分割"]),
        ("ja", "勾配 とは", ["勾配"]),
        ("ja", "まとめ", ["まとめ"]),
        ("en", "torch.nn.parallel.scatter", ["scatter"]),
        ("en", "hello_ranks.py", ["hello_ranks", "py"]),
        ("en", "all-reduce, now", ["all-reduce", "now"]),
    ],
)
def test_a_query_becomes_the_words_that_were_meant(
    ask: Ask, language: str, typed: str, words: list[str]
) -> None:
    assert [need["typed"] for need in ask(language, NEEDS, typed)] == words


@pytest.mark.parametrize(
    ("language", "typed"),
    [("ko", "나눴다"), ("ko", "나눠요"), ("ja", "2枚"), ("ja", "二枚")],
)
def test_another_form_of_a_word_is_found(ask: Ask, language: str, typed: str) -> None:
    (address, is_whole), *_ = ask(language, FIND, typed)

    assert (address, is_whole) == (SECTION, True)


@pytest.mark.parametrize("typed", ["gradient", "what is a gradient", "slope"])
def test_a_term_of_a_glossary_shows_its_definition(
    build: Build, in_page: InPage, typed: str
) -> None:
    address = (build("en") / "search.html").as_uri() + f"?q={typed}"

    first = in_page(
        address,
        lambda page: page.locator(".search-summary + div > :first-child").inner_text(),
    )

    assert first == "gradient: How the loss changes."


@pytest.mark.parametrize("typed", ["torchrn", "torchruun"])
def test_a_misspelt_name_is_found(ask: Ask, typed: str) -> None:
    (need,) = ask("ko", NEEDS, typed)

    assert ["torchrun"] in need["texts"]


def test_a_name_is_found_from_its_beginning_only(ask: Ask) -> None:
    assert ask("ja", FIND, "hidden_lay") != []
    assert ask("ja", FIND, "idden") == []


def test_a_function_is_found_at_its_own_place(ask: Ask) -> None:
    (address, _), *_ = ask("ko", FIND, "scatter_tensor")

    assert address == "module.html#ring.scatter_tensor"


def test_pages_with_a_subject_come_before_others(ask: Ask) -> None:
    addresses = [address.partition("#")[0] for address, _ in ask("en", FIND, "rank")]

    assert addresses[0] == "sums.html"
    assert addresses[-1] == "about.html"


def test_a_long_page_does_not_win_by_words_of_distant_sections(ask: Ask) -> None:
    found = ask("en", FIND, "eclipse comets")

    pages = [address.partition("#")[0] for address, _ in found]
    assert pages[0] == "sky.html"
    assert "atlas.html" in pages


def test_results_from_a_disk_show_where_they_lead(
    build: Build, in_page: InPage
) -> None:
    folder = build("ja")

    def shown(page: Page) -> tuple[str, str, str]:
        link = page.locator(f"#search-results a[href$='{SECTION}']")
        summary = page.locator("#search-results .search-summary")
        return link.inner_text(), link.evaluate("a => a.href"), summary.inner_text()

    title, address, summary = in_page(
        (folder / "search.html").as_uri() + "?q=勾配の平均", shown
    )

    assert title == "Sums of all ranks > Mean gradients 勾\u2060配"
    assert address == (folder / "sums.html").as_uri() + "#mean-gradients"
    assert summary == "検索が完了し、検索語に一致するページが1件見つかりました。"


def test_where_nothing_is_found_the_pages_are_listed(
    build: Build, in_page: InPage
) -> None:
    address = (build("zh_CN") / "search.html").as_uri() + "?q=zyxwvut"

    lines = in_page(
        address, lambda page: page.locator("#search-results").inner_text().split("\n")
    )

    assert lines.index("没有页面同时包含所有关键词。") < lines.index("本站页面：")
    assert {"Sums of all ranks", "Module"} <= {*lines}
    assert lines[-1] == "Rings of steel are not covered."


def test_a_snippet_shows_parts_of_a_compound_that_is_nowhere_in_one_piece(
    ask: Ask,
) -> None:
    text = "<p class=no-search>勾配</p><p>" + "前" * 500 + "勾配の学習" + "後" * 500
    page = f"<main role=main><article><section><h1>勾配学習</h1>{text}"

    shown = ask(
        "ja",
        """text => Search.snippetOf(
             new DOMParser().parseFromString(text, "text/html"), [["勾配学習"]], ""
           ).textContent""",
        page,
    )

    assert shown.startswith("…前")
    assert "勾配の学習" in shown
    assert len(shown) < 250


def test_found_words_are_marked_on_the_page_that_is_opened(
    build: Build, in_page: InPage
) -> None:
    def open_result(page: Page) -> tuple[list[str], list[str], str | None]:
        page.locator("#search-results li a").first.click()
        page.wait_for_url("**/sums.html*")
        marked = page.evaluate(MARKED)
        page.keyboard.press("Escape")
        stored = page.evaluate("localStorage.getItem('cjk_search_found')")
        return marked, page.evaluate(MARKED), stored

    address = (build("ko") / "search.html").as_uri() + "?q=변화도를"
    marked, after_escape, stored = in_page(address, open_result)

    assert marked == ["변화도"]
    assert after_escape == []
    assert stored is None
