"""A title breaks at its colon first, and what belongs together stays in one line."""

from __future__ import annotations

import pytest

from gallery_intl.text.breaks import (
    JOINER,
    at_colon,
    joined_korean,
    joined_words,
    with_halves,
)

CODE = '<code class="literal"><span class="pre">{}</span></code>'


@pytest.mark.parametrize(
    ("title", "halves"),
    [
        ("Hello, ranks: four processes", ("Hello, ranks:", " four processes")),
        ("进程：找到彼此", ("进程：", "找到彼此")),
        ("At 10:30 and std::vector", ("At 10:30 and std::vector", "")),
        ("<em>A: b</em>: c: d", ("<em>A: b</em>:", " c: d")),
        (f"{CODE.format('f: g')} alone", (f"{CODE.format('f: g')} alone", "")),
        ("No colon", ("No colon", "")),
        ("Ends with one:", ("Ends with one:", "")),
    ],
)
def test_a_title_is_split_behind_a_colon_that_stands_in_no_element(
    title: str, halves: tuple[str, str]
) -> None:
    assert at_colon(title) == halves


def half(text: str) -> str:
    return f'<span class="intl-half">{text}</span>'


def test_titles_of_a_page_and_of_its_neighbours_get_two_halves() -> None:
    page = (
        "<title>A: b</title><h1>{}<a class='c' title='c: d'>#</a></h1>"
        '<p class="prev-next-title">{}</p><p>A: b</p>'
    ).replace("'c'", '"headerlink"')

    once = with_halves(page.format("A: b", "进程：找到"))

    title = f"{half('A:')} {half('b')}"
    assert once == page.format(title, half("进程：") + half("找到"))
    assert with_halves(once) == once


@pytest.mark.parametrize(
    "shown",
    [
        "변화도|(gradient)|를",
        "<em>변화도</em>|(gradient)|는",
        "<a>가|(나)</a>|는",
        f"{CODE.format('backward()')}|로",
        "가 (나) 다",
        "a(b)c",
    ],
)
def test_korean_brackets_stay_with_word_and_particle(shown: str) -> None:
    page = shown.replace("|", "")

    assert joined_korean(page) == shown.replace("|", JOINER)
    assert joined_korean(joined_korean(page)) == joined_korean(page)


@pytest.mark.parametrize(
    "kept",
    [
        "<title>변화도(gradient)를</title>",
        '<a title="변화도(gradient)를" href="#">',
        "<pre># 변화도(gradient)를</pre>",
        CODE.format("함수(x)를"),
        "<script>'변화도(gradient)를'</script>",
        "<svg><title>변화도(gradient)를</title></svg>",
        "<!-- 변화도(gradient)를 -->",
    ],
)
def test_no_joiner_comes_into_code_or_attributes(kept: str) -> None:
    assert joined_korean(kept) == kept


def test_words_are_held_together_in_titles_and_lists_of_titles_only() -> None:
    page = '<h2>どの方法が<a title="方法">#</a></h2><nav><a>方法</a></nav><p>方法</p>'

    assert joined_words(page, ["方法"]) == (
        f'<h2>どの方{JOINER}法が<a title="方法">#</a></h2>'
        f"<nav><a>方{JOINER}法</a></nav><p>方法</p>"
    )
