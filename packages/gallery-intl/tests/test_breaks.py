"""A title breaks at its colon first, and what belongs together stays in one line."""

import pytest
from docutils import nodes

from gallery_intl.text.breaks import (
    JOINER,
    at_colon,
    break_at_colon,
    join_korean,
    join_words,
)


@pytest.mark.parametrize(
    ("title", "halves"),
    [
        ("Hello, ranks: four processes", ("Hello, ranks:", " four processes")),
        ("进程：找到彼此", ("进程：", "找到彼此")),
        ("At 10:30 and std::vector", ("At 10:30 and std::vector", "")),
        ("No colon", ("No colon", "")),
        ("Ends with one:", ("Ends with one:", "")),
    ],
)
def test_a_title_is_split_after_its_colon(title: str, halves: tuple[str, str]) -> None:
    assert at_colon(title) == halves


@pytest.mark.parametrize("text", ["A: b", "进程：找到"])
def test_the_halves_of_a_title_are_marked_and_read_as_before(text: str) -> None:
    title = nodes.title("", text)

    break_at_colon(title)

    halves = [*title.findall(nodes.inline)]
    assert len(halves) == 2
    assert all("intl-half" in half["classes"] for half in halves)
    assert title.astext() == text


def test_a_title_with_markup_stays_as_it_is() -> None:
    title = nodes.title("", "", nodes.Text("Use: "), nodes.literal("", "a: b"))
    before = title.pformat()

    break_at_colon(title)

    assert title.pformat() == before


def text(word: str) -> nodes.Node:
    return nodes.Text(word)


@pytest.mark.parametrize(
    ("parts", "joined"),
    [
        ([text("변화도(gradient)를")], f"변화도{JOINER}(gradient){JOINER}를"),
        (
            [nodes.emphasis("", "변화도"), text("(gradient)는")],
            f"변화도{JOINER}(gradient){JOINER}는",
        ),
        ([nodes.literal("", "backward()"), text("로")], f"backward(){JOINER}로"),
        ([nodes.literal("", "함수(x)를")], "함수(x)를"),  # no character comes into code
        ([text("가 (나) 다")], "가 (나) 다"),
        ([text("a(b)c")], "a(b)c"),
    ],
)
def test_korean_brackets_stay_with_word_and_particle(
    parts: list[nodes.Node], joined: str
) -> None:
    paragraph = nodes.paragraph("", "", *parts)

    join_korean(paragraph)

    assert paragraph.astext() == joined
    join_korean(paragraph)
    assert paragraph.astext() == joined


def test_code_blocks_and_neighbours_are_not_joined() -> None:
    code = nodes.literal_block("# 변화도(gradient)를", "# 변화도(gradient)를")
    section = nodes.section("", nodes.paragraph("", "(x)"), nodes.paragraph("", "를"))
    section += code

    join_korean(section)

    assert JOINER not in section.astext()


def test_words_of_a_title_are_held_together() -> None:
    title = nodes.title("", "どの方法が")

    join_words(title, ["方法"])

    assert title.astext() == f"どの方{JOINER}法が"
