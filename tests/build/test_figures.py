"""Figures: drawn once, shown with the reader's words."""

import re
import shutil
from html import escape
from pathlib import Path

import pytest
from paths import ROOTS
from sphinx.testing.util import SphinxTestApp

from gallery_intl.catalogs import po
from gallery_intl.catalogs.labels import keep_labels
from gallery_intl.figures import figures, svg, upstream

ROOT = ROOTS / "test-figures"
ALT = 'Bars: "first" <b> *has* \\ 6 rows & last has 4.'
WIDE = (
    "이 장치에 놓인 행의 수를 아주 길게 풀어서 적은 범례 항목이며 그림의 폭보다도 길다"
)


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


def view(figure: str) -> list[float]:
    found = re.search(r'viewBox="([^"]*)"', figure)
    assert found
    return [float(value) for value in found[1].split()]


NUMBERS = ["12", "-0.5", "\u22120.5", "1e-3", "1,000", "16 MB", "2.5 GB/s", "40 %"]
NAMES = ["rank0", "all_reduce", "GPU2", "x", "\u2192", ""]


@pytest.mark.parametrize("words", [*NUMBERS, *NAMES])
def test_numbers_units_and_names_are_no_messages(words: str) -> None:
    assert not svg.is_message(words)


def test_a_text_with_an_id_of_its_own_is_no_message() -> None:
    own = text("Loss").replace("text_1", "own")

    assert svg.messages(figure(own, text("Rows &amp; more"))) == ["Rows & more"]


def test_mathtext_is_no_message() -> None:
    math = '<g id="text_1"><g><text>\n<tspan>x</tspan></text></g></g>'

    assert svg.messages(figure(math, text("Rows"))) == ["Rows"]


def test_a_text_of_several_lines_is_one_message() -> None:
    two = text("two").replace("\n</g>", text("lines").partition(">")[2])

    assert svg.messages(figure(two)) == ["two\nlines"]
    for words, first, second in (
        ("두\n줄", "두", "줄"),
        ("두 줄", "두 줄", ""),
        ("두\n줄\n더", "두", "줄 더"),
    ):
        after = svg.translate(figure(two), {"two\nlines": words}, "ko")
        assert re.findall(r">([^<]*)</text>", after) == [first, second]


def test_only_the_words_change() -> None:
    before = figure(text("Rows"), text("12"), text("Loss"))

    after = svg.translate(before, {"Rows": "<행> & 열", "12": "십이"}, "zh_CN")

    assert "&lt;행&gt; &amp; 열" in after
    assert 'xml:lang="zh-CN"' in after
    assert before == after.replace("&lt;행&gt; &amp; 열", "Rows").replace(
        ' xml:lang="zh-CN"', ""
    )


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
        ("middle", 20, -90, [0, 0, 504, 216]),
        ("start", 20, -90, [0, -3, 504, 219]),
    ],
)
def test_longer_words_get_room(
    anchor: str, x: int, angle: int, expected: list[float]
) -> None:
    before = figure(text("Rows", x, anchor, angle))

    after = svg.translate(before, {"Rows": "열글자로된긴번역이다"}, "ko")

    assert view(after) == pytest.approx(expected)


def test_size_is_that_of_the_view() -> None:
    wide = svg.translate(
        figure(text("Rows", 480)), {"Rows": "열글자로된긴번역이다"}, "ko"
    )

    assert svg.size(figure()) == (700, 300)
    assert svg.size(wide) == (810, 300)


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


def test_colours_stand_out_in_light_and_dark() -> None:
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


def test_digits_of_a_run_are_no_message() -> None:
    script = 'ax.set(title="2 GPUs", xlabel=f"took {0.3} s")'
    drawn = figure(text("2 GPUs"), text("took 0.3 s"), text("so fast"))

    found = figures.figure_messages(drawn, "Took 0.3 s", script)

    assert found == ["2 GPUs", "so fast"]


def test_a_message_points_at_its_line() -> None:
    script = 'a = "one"\n"one"\nplt.subplots()\nc = ("two "\n"parts")\nd = "one"\n'

    assert figures.line_of("two parts", script, (2, 6)) == 4
    assert figures.line_of("one", script, (3, 6)) == 6
    assert figures.line_of("one", script, (3, 5)) == 2
    assert figures.line_of("computed", script, (2, 6)) == 3
    assert figures.line_of("computed", script, (4, 6)) == 4


@pytest.mark.parametrize("alt", ['a "b" <c> & \\d', ":alt: `x` |y|", "two\n lines"])
def test_any_alt_text_stays_on_its_line(alt: str) -> None:
    rst = "\n.. image-sg:: /a_001.svg\n   :alt: old\n   :srcset: /a_001.svg\n"

    after = upstream.with_alt(rst, "a_001.svg", alt)

    assert after == rst.replace("old", alt.replace("\n ", " "))
    assert upstream.with_alt(rst, "a_001.svg", "") == rst


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gallery whose scripts have run, once for all tests."""
    source = tmp_path_factory.mktemp("figures") / "root"
    shutil.copytree(ROOT, source)
    build(source, "html", "en")
    return source


def build(source: Path, builder: str, language: str, **values: bool) -> Path:
    settings = {f"sphinx_gallery_conf.{key}": value for key, value in values.items()}
    app = SphinxTestApp(
        builder,
        srcdir=source,
        builddir=source / f"_build-{builder}-{language}",
        confoverrides={"language": language, **settings},
    )
    try:
        app.build()
    finally:
        app.cleanup()
    assert app.warning.getvalue() == ""
    return Path(app.outdir)


def images(page: Path) -> list[dict[str, str]]:
    """The attributes of each figure on a page."""
    tags = re.findall(r"<img[^>]*sphx_glr[^>]*>", page.read_text(encoding="utf-8"))
    return [dict(re.findall(r'([\w-]+)="([^"]*)"', tag)) for tag in tags]


def test_a_second_run_draws_the_same_bytes(drawn: Path) -> None:
    path = drawn / "tutorials/images/sphx_glr_rows_001.svg"
    before = path.read_bytes()
    (drawn / "tutorials/rows.py.md5").unlink()
    path.unlink()

    build(drawn, "html", "en")

    assert path.read_bytes() == before
    assert b"DejaVu" not in before


def test_the_catalog_has_words_and_alt_with_their_lines(drawn: Path) -> None:
    pot = (build(drawn, "gettext", "en") / "tutorials/rows.pot").read_text("utf-8")

    entries = dict(
        (re.sub(r'"\n"', "", message), line)
        for line, message in re.findall(
            r'#: \S*/gallery/rows\.py:(\d+)\nmsgid ((?:".*"\n)+)', pot
        )
    )
    script = (drawn / "gallery/rows.py").read_text("utf-8").splitlines()
    assert {
        key.strip().strip('"'): script[int(n) - 1].strip() for key, n in entries.items()
    } == {
        ALT.replace("\\", "\\\\").replace('"', '\\"'): script[15].strip(),
        "first": 'places = ["first", "last"]',
        "last": 'places = ["first", "last"]',
        "rows on the device": 'ax.bar(places, [6, 4], label="rows on the device")',
        "Rows": 'ax.set(xlabel="all_reduce", ylabel="Rows")',
        "two\\nlines": 'ax.text(0, 1, "two\\nlines")',
        "a title": 'plt.subplots()[1].set(title="a title")',
    }
    for no_message in ("took", "as it is", "all_reduce", 'msgid "rows"'):
        assert no_message not in pot
    assert 'msgid "The first has no line."' in pot
    assert pot.count("#. alt text\n") == 2
    assert pot.count("#. figure label: alt text\n") == 1
    assert pot.count("#. figure label\n") == 6


def test_a_page_that_was_not_run_has_the_messages_that_it_had(
    drawn: Path, tmp_path: Path
) -> None:
    shutil.copytree(ROOT, tmp_path / "root")
    index = "Start\n=====\n\n.. toctree::\n\n   tutorials/index\n"
    (tmp_path / "root/index.rst").write_text(index)  # shows no figure
    out = build(tmp_path / "root", "gettext", "en", plot_gallery=False)
    ran = po.read(build(drawn, "gettext", "en") / "tutorials/rows.pot")
    template = po.read(out / "tutorials/rows.pot")
    assert len(template) == len(ran) - 7

    keep_labels(template, ran)

    assert [(x.msgid, x.comment) for x in template] == [
        (x.msgid, x.comment) for x in ran
    ]


@pytest.fixture
def of_others(drawn: Path, tmp_path: Path) -> Path:
    """The gallery, whose first figure is as another scraper would have saved it."""
    source = tmp_path / "root"
    shutil.copytree(drawn, source, ignore=shutil.ignore_patterns("_build*"))
    figure = source / "tutorials/images/sphx_glr_rows_001.svg"
    text = figure.read_text("utf-8").replace(svg.MODE, "@media print")
    figure.write_text(text, "utf-8")
    return source


def test_a_figure_of_another_scraper_is_shown_as_without_us(of_others: Path) -> None:
    html = build(of_others, "html", "en")

    shown, ours, *_ = images(html / "tutorials/rows.html")

    name = "sphx_glr_rows_001.svg"
    assert shown.pop("alt")
    assert shown == {"src": f"../_images/{name}", "srcset": f"../_images/{name}"}
    same = [html / "_images" / name, of_others / "tutorials/images" / name]
    assert same[0].read_bytes() == same[1].read_bytes()
    assert "dark-light" in ours["class"]
    elsewhere = images(html / "index.html")
    assert f"_images/{name}" in [image["src"] for image in elsewhere]


def test_a_translated_figure_of_another_scraper_follows_no_dark_mode(
    of_others: Path,
) -> None:
    html = build(of_others, "html", "ko")

    shown, *_ = images(html / "tutorials/rows.html")

    assert shown["class"] == "sphx-glr-single-img"
    assert not shown.keys() & {"width", "height"}
    assert "첫째" in (html / "tutorials" / shown["src"]).read_text("utf-8")


def test_the_page_shows_the_figure_of_its_language(drawn: Path) -> None:
    html = build(drawn, "html", "ko")

    shown, other, *_ = images(html / "tutorials/rows.html")

    file = (html / "tutorials" / shown["src"]).read_text("utf-8")
    assert shown["alt"] == (
        "막대: &quot;첫째&quot; &lt;b&gt; *6행 \\, &amp; 마지막은 4행."
    )
    assert shown["class"] == "sphx-glr-single-img dark-light no-scaled-link"
    assert (int(shown["width"]), int(shown["height"])) == svg.size(file)
    assert all(word in file for word in ("첫째", "last", ">Rows<", WIDE, "두<", "줄<"))
    assert view(file)[2] > 504
    assert 'xml:lang="ko"' in file
    assert not list((html / "_images").glob("sphx_glr_rows_001.svg"))
    assert "loading" not in shown
    assert other["loading"] == "lazy"


def test_figures_keep_their_shape_on_narrow_screens(drawn: Path) -> None:
    html = build(drawn, "html", "ko")

    assert "figures.css" in (html / "tutorials/rows.html").read_text("utf-8")
    assert "height: auto" in (html / "_static/figures.css").read_text("utf-8")


def test_card_and_front_page_show_it_too(drawn: Path) -> None:
    html = build(drawn, "html", "ko")

    for page in (html / "tutorials/index.html", html / "index.html"):
        (shown,) = images(page)
        assert shown["alt"] == ""
        assert "첫째" in (page.parent / shown["src"]).read_text("utf-8")


def test_english_keeps_the_figure_as_drawn(drawn: Path) -> None:
    html = build(drawn, "html", "en")

    shown, *_ = images(html / "tutorials/rows.html")

    source = drawn / "tutorials/images/sphx_glr_rows_001.svg"
    assert (html / "tutorials" / shown["src"]).read_bytes() == source.read_bytes()
    assert (shown["width"], shown["height"]) == ("700", "300")


def test_an_alt_text_without_translation_is_marked_as_english(drawn: Path) -> None:
    html = build(drawn, "html", "ja")

    shown, *_ = images(html / "tutorials/rows.html")

    assert shown["alt"] == escape(ALT)
    assert shown["lang"] == "en"


def test_words_in_the_text_describe_the_figures_that_follow(drawn: Path) -> None:
    html = build(drawn, "html", "ko")

    page = html / "tutorials/rows.html"
    *_, first, second = images(page)
    assert first["alt"] == "첫 그림에는 선이 없다."
    assert "lang" not in first
    assert (second["alt"], second["lang"]) == ("Nobody translated this.", "en")
    text = re.sub(r"<[^>]*>", "", page.read_text("utf-8"))
    assert "첫 그림" not in text
    assert "Nobody translated" not in text


def test_words_without_a_figure_are_named(tmp_path: Path) -> None:
    source = tmp_path / "root"
    shutil.copytree(ROOT, source)
    script = source / "gallery/rows.py"
    text = script.read_text("utf-8")
    script.write_text(f"{text}# %%\n# .. alt-text:: Of nothing.\nx = 1\n", "utf-8")

    app = SphinxTestApp("html", srcdir=source)
    app.build()
    app.cleanup()

    (said,) = app.warning.getvalue().splitlines()
    assert "this alt text has no figure" in said


def test_an_edited_catalog_refreshes_page_and_card(drawn: Path) -> None:
    html = build(drawn, "html", "ko")
    catalog = drawn / "locales/ko/LC_MESSAGES/tutorials/rows.po"
    text = catalog.read_text("utf-8")

    catalog.write_text(text.replace('msgstr "첫째"', 'msgstr "하나"'), "utf-8")
    build(drawn, "html", "ko")
    catalog.write_text(text, "utf-8")

    for page in (html / "tutorials/rows.html", html / "tutorials/index.html"):
        shown = images(page)[0]
        assert "하나" in (page.parent / shown["src"]).read_text("utf-8")


def test_a_figure_drawn_anew_refreshes_its_page(drawn: Path) -> None:
    html = build(drawn, "html", "en")
    source = drawn / "tutorials/images/sphx_glr_rows_001.svg"
    before = source.read_text("utf-8")

    source.write_text(before + "<!-- new -->", "utf-8")
    build(drawn, "html", "en")
    source.write_text(before, "utf-8")

    shown = images(html / "tutorials/rows.html")[0]
    assert "<!-- new -->" in (html / "tutorials" / shown["src"]).read_text("utf-8")


def test_a_png_of_an_earlier_run_is_no_card(drawn: Path) -> None:
    old = drawn / "tutorials/images/thumb/sphx_glr_rows_thumb.png"
    old.write_bytes(b"old")
    (drawn / "tutorials/rows.py.md5").unlink()

    html = build(drawn, "html", "en")

    (shown,) = images(html / "tutorials/index.html")
    assert not old.exists()
    assert shown["src"].endswith(".svg")
