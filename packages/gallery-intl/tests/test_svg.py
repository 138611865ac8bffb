"""Figures get other words and room for them; nothing else of them changes."""

import io
import re

import matplotlib.pyplot as plt
import pytest

from gallery_intl import figures
from gallery_intl.figures import style, svg, upstream
from gallery_intl.figures.words import figure_messages

LONG = "열글자로된긴번역이다"


def figure(*texts: str) -> str:
    return (
        '<svg width="700" height="300" viewBox="0 0 504 216">'
        "<style>*{}</style>" + "".join(texts) + "</svg>"
    )


def text(words: str, x: int = 100, anchor: str = "start", angle: int = 0) -> str:
    return (
        f'<g id="text_1">\n <text style="font-size: 10px; text-anchor: {anchor}"'
        f' x="{x}" y="100" transform="rotate({angle} {x} 100)">{words}</text>\n</g>'
    )


@pytest.mark.parametrize(
    "words",
    [
        *("12", "-0.5", "\u22120.5", "1e-3", "1,000", "16 MB", "2.5 GB/s", "40 %"),
        *("rank0", "all_reduce", "GPU2", "x", "\u2192", ""),
    ],
)
def test_numbers_units_and_names_are_no_messages(words: str) -> None:
    assert not svg.is_message(words)


def test_mathtext_and_texts_with_an_id_of_their_own_are_no_messages() -> None:
    own = text("Loss").replace("text_1", "own")
    math = '<g id="text_1"><g><text>\n<tspan>x</tspan></text></g></g>'

    assert svg.messages(figure(own, math, text("Rows &amp; more"))) == ["Rows & more"]


def test_numbers_that_a_run_has_measured_are_no_messages() -> None:
    script = 'ax.set(title="2 GPUs", xlabel=f"took {0.3} s")'
    drawn = figure(text("2 GPUs"), text("took 0.3 s"), text("so fast"))

    assert figure_messages(drawn, "Took 0.3 s", script) == ["2 GPUs", "so fast"]


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("두\n줄", ["두", "줄"]),
        ("두 줄", ["두 줄", ""]),
        ("두\n줄\n더", ["두", "줄 더"]),
    ],
)
def test_a_text_of_several_lines_is_one_message(words: str, lines: list[str]) -> None:
    two = text("two").replace("\n</g>", text("lines").partition(">")[2])

    assert svg.messages(figure(two)) == ["two\nlines"]
    after = svg.translate(figure(two), {"two\nlines": words}, "ko")
    assert re.findall(r">([^<]*)</text>", after) == lines


def test_only_the_words_change() -> None:
    before = figure(text("Rows"), text("12"), text("Loss"))

    after = svg.translate(before, {"Rows": "<행> & 열", "12": "십이"}, "zh_CN")

    assert 'xml:lang="zh-CN"' in after
    words = after.replace("&lt;행&gt; &amp; 열", "Rows")
    assert before == words.replace(' xml:lang="zh-CN"', "")


@pytest.mark.parametrize("words", [{}, {"Rows": "Rows"}, {"Other": "다른"}])
def test_without_a_translation_no_byte_changes(words: dict[str, str]) -> None:
    before = figure(text("Rows"))

    assert svg.translate(before, words, "ko") == before


@pytest.mark.parametrize(
    ("anchor", "x", "angle", "expected"),
    [
        ("start", 100, 0, [0, 0, 504, 216]),
        ("start", 480, 0, [0, 0, 583, 216]),
        ("end", 20, 0, [-83, 0, 587, 216]),
        ("middle", 20, 0, [-33, 0, 537, 216]),
        ("start", 20, -90, [0, -3, 504, 219]),
    ],
)
def test_longer_words_get_room(
    anchor: str, x: int, angle: int, expected: list[float]
) -> None:
    before = figure(text("Rows", x, anchor, angle))

    after = svg.translate(before, {"Rows": LONG}, "ko")

    found = re.search(r'viewBox="([^"]*)"', after)
    assert found
    assert [*map(float, found[1].split())] == pytest.approx(expected)
    assert svg.size(after)[0] == round(expected[2] * 700 / 504)


@pytest.mark.parametrize(
    ("drawn", "mapped"),
    [
        ('style="fill: {}"', '[style*="fill: {}"]{{fill:{}!important}}'),
        ('style="stroke: {}"', '[style*="stroke: {}"]{{stroke:{}!important}}'),
        ('fill="{}"', '[fill="{}"]{{fill:{}!important}}'),  # behind a hatch
    ],
)
def test_each_colour_has_one_for_the_dark(drawn: str, mapped: str) -> None:
    for light, shade in svg.DARK.items():
        finished = svg.finish(figure(f"<path {drawn.format(light)}/>"))

        dark = finished.partition("prefers-color-scheme:dark")[2]
        assert mapped.format(light, shade) in dark

    assert set(svg.CYCLE) < set(svg.DARK)


def test_colours_are_visible_in_light_and_dark() -> None:
    for light in (svg.INK, *svg.CYCLE):
        assert contrast(light, svg.PAPER) >= 3
        assert contrast(svg.DARK[light], svg.DARK[svg.PAPER]) >= 3


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("alt", ['a "b" <c> & \\d', ":alt: `x` |y|", "two\n lines"])
def test_any_alt_text_stays_on_its_line(alt: str) -> None:
    rst = "\n.. image-sg:: /a_001.svg\n   :alt: old\n   :srcset: /a_001.svg\n"

    after = upstream.with_alt(rst, "a_001.svg", alt)

    assert after == rst.replace("old", alt.replace("\n ", " "))
    assert upstream.with_alt(rst, "a_001.svg", "") == rst


def test_figures_keep_their_look_unless_a_style_is_asked_for() -> None:
    with plt.rc_context():
        plt.rcdefaults()
        before = dict(plt.rcParams)
        figures.reset({}, None)
        now = dict(plt.rcParams)
        drawn, file = plt.figure(), io.StringIO()
        drawn.suptitle("The error")
        drawn.savefig(file, format="svg")
        text = svg.finish(file.getvalue(), is_styled=style.is_used())
        figures.reset_with_style({}, None)
        assert style.is_used()

    changed = {name for name in now if now[name] != before[name]}
    assert changed == {"svg.fonttype", "svg.hashsalt"}
    assert svg.size(text) == (640, 480)
    assert "DejaVu Sans" in text
    assert not svg.is_finished(text)
    assert ">오차</text>" in svg.translate(text, {"The error": "오차"}, "ko")
