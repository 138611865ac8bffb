"""Search: the same pairs of letters in the index and in the browser."""

import json

import pytest
from playwright.sync_api import Browser

from gallery_intl.search import KoreanSearch, pairs

TEXTS = [
    "DataParallel로 감싼 모델",
    "データ並列学習とall_reduceを使う",
    "分布式数据并行（DDP）与 torchrun",
    "값",
    "ランク0、々",
    "",
]


def test_words_of_cjk_become_pairs_and_names_stay_whole() -> None:
    assert pairs("데이터 all_reduce를") == ["데이", "이터", "all_reduce", "를"]
    assert pairs("データ並列") == ["デー", "ータ", "タ並", "並列"]


def test_a_korean_compound_is_found_without_its_spaces() -> None:
    indexed = KoreanSearch({}).split("데이터 병렬 처리")

    assert set(pairs("데이터병렬처리")) <= set(indexed)


@pytest.mark.parametrize("text", TEXTS)
def test_the_browser_splits_as_the_index_does(text: str, chromium: Browser) -> None:
    page = chromium.new_page()
    script = KoreanSearch.js_splitter_code + f"; splitQuery({json.dumps(text)})"

    in_browser = page.evaluate(script)
    page.close()

    particles_dropped = [word for word in pairs(text) if word in in_browser]
    assert in_browser == particles_dropped
    assert set(in_browser) <= set(pairs(text))


@pytest.mark.parametrize(
    ("typed", "noun"),
    [("변화도를", "변화도"), ("랭크에서는", "랭크"), ("모델입니다", "모델")],
)
def test_a_particle_behind_a_noun_is_dropped(
    typed: str, noun: str, chromium: Browser
) -> None:
    page = chromium.new_page()

    asked = page.evaluate(
        KoreanSearch.js_splitter_code + f"; splitQuery({json.dumps(typed)})"
    )
    page.close()

    assert asked == pairs(noun)


QUERIES = {
    "ko": [
        "데이터 병렬",
        "데이터병렬처리",
        "랭크를",
        "torchrun",
        "변화도",
        "all_reduce",
    ],
    "zh_CN": ["数据并行", "梯度", "进程组", "DataParallel", "torchrun"],
    "ja": ["データ並列", "勾配", "プロセスグループ", "バッチサイズ", "DataParallel"],
    "en": ["data parallelism", "gradients", "torchrun"],
}


@pytest.mark.parametrize("language", QUERIES)
def test_what_a_reader_types_is_found(
    language: str, served: str, chromium: Browser
) -> None:
    page = chromium.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))

    for query in QUERIES[language]:
        page.goto(f"{served}{language}/search.html?q={query}")
        first = page.locator("#search-results li a").first
        first.wait_for(timeout=30_000)
        assert first.get_attribute("href"), query
    page.close()

    assert problems == []
