"""Each language is set as its readers expect: fonts, breaks, emphasis, code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from made import html
from playwright.sync_api import Page
from readers import LESSON, PHONE, Open, each_language, each_translation

FONT = {"ko": "KR", "zh_CN": "SC", "ja": "JP"}
BREAKS = {  # how titles and texts break in words, and how texts break at punctuation
    "en": ("normal", "normal", "auto"),
    "ko": ("keep-all", "keep-all", "auto"),
    "zh_CN": ("keep-all", "normal", "auto"),
    "ja": ("auto-phrase", "normal", "strict"),
}
WIDTH = """(text) => {
  const span = document.createElement("span");
  span.textContent = text;
  document.querySelector(".highlight pre").append(span);
  const width = span.getBoundingClientRect().width;
  span.remove();
  return width;
}"""
SLANTED = """() => [...document.querySelectorAll("article :not(svg, svg *)")]
  .filter((node) => getComputedStyle(node).fontStyle !== "normal")
  .map((node) => node.outerHTML)"""
GAP = """([place, text]) => {
  const width = (text) => {
    const span = document.createElement("span");
    span.style.whiteSpace = "pre";
    span.textContent = text;
    document.querySelector(place).append(span);
    const width = span.getBoundingClientRect().width;
    span.remove();
    return width;
  };
  return width(text) - width(text[0]) - width(text.slice(1));
}"""


def style(page: Page, place: str, name: str) -> str:
    script = "(node, name) => getComputedStyle(node)[name]"
    return str(page.locator(place).first.evaluate(script, name))


@each_translation
def test_nothing_in_a_text_is_slanted(open_page: Open, language: str) -> None:
    page = open_page(f"{language}/{LESSON}")
    page.locator("article p").first.evaluate(
        "(node) => node.insertAdjacentHTML('beforeend', '<em>x</em><cite>x</cite>"
        "<dfn>x</dfn><var>x</var><i>x</i><address>x</address>')"
    )

    assert page.evaluate(SLANTED) == []


@each_language
def test_code_has_one_face_in_blocks_and_in_sentences(
    open_page: Open, language: str
) -> None:
    page = open_page(f"{language}/{LESSON}")
    client = page.context.new_cdp_session(page)
    client.send("DOM.enable")
    client.send("CSS.enable")
    root = client.send("DOM.getDocument")["root"]["nodeId"]

    def faces(place: str) -> set[str]:
        """Return the fonts that really draw what is at a place."""
        query = {"nodeId": root, "selector": place}
        node = client.send("DOM.querySelector", query)["nodeId"]
        fonts = client.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
        return {font["familyName"] for font in fonts}

    block = faces(".highlight-Python pre .kn")
    assert len(block) == 1
    assert faces("article p code .pre") == block
    assert "CJK" not in block.pop()


@each_language
def test_a_line_of_88_columns_fits(open_page: Open, language: str) -> None:
    page = open_page(f"{language}/{LESSON}")

    room = page.locator(".highlight pre").first.evaluate("(node) => node.clientWidth")
    padding = float(style(page, ".highlight pre", "paddingLeft").removesuffix("px"))

    assert page.evaluate(WIDTH, "x" * 88) <= room - 2 * padding


@each_language
def test_the_fonts_are_those_of_the_language_and_of_the_machine(
    open_page: Open, language: str
) -> None:
    page = open_page(f"{language}/{LESSON}")

    named = style(page, "article p", "fontFamily")

    cjk = {name for name in FONT.values() if f"Noto Sans CJK {name}" in named}
    assert cjk == ({FONT[language]} if language in FONT else set())
    loaded = page.evaluate(
        "performance.getEntriesByType('resource').map((entry) => entry.name)"
    )
    assert [x for x in loaded if re.search(r"\.(woff2?|[ot]tf)\b", x)] == []


@pytest.mark.parametrize(
    ("language", "text", "gap"),
    [
        ("ja", "のGPU", True),
        ("zh_CN", "个GPU", True),
        ("zh_CN", "个 GPU", False),  # the typed space is enough
        ("ko", "가GPU", False),
        ("en", "aGPU", False),
    ],
)
def test_han_and_latin_have_one_gap_between_them(
    open_page: Open, language: str, text: str, gap: bool
) -> None:
    page = open_page(f"{language}/{LESSON}")

    found = page.evaluate(GAP, ["article p", text])

    assert (found > 1) == gap
    assert abs(page.evaluate(GAP, [".highlight pre", text])) < 1


@each_language
def test_lines_break_where_readers_expect(open_page: Open, language: str) -> None:
    page = open_page(f"{language}/{LESSON}")
    title, text = ("article h1", "article > section > p:not(.learn)")

    found = [style(page, place, "wordBreak") for place in (title, text)]

    assert (*found, style(page, text, "lineBreak")) == BREAKS[language]
    assert style(page, title, "textWrap") == "balance"


@each_language
def test_a_title_breaks_at_its_colon_first(open_page: Open, language: str) -> None:
    page = open_page(f"{language}/{LESSON}", viewport=PHONE)
    halves = page.locator("h1 .intl-half")

    tops = [half.bounding_box() for half in halves.all()]

    assert len(tops) == 2
    assert tops[0]
    assert tops[1]
    assert tops[1]["y"] >= tops[0]["y"] + tops[0]["height"]
    assert halves.nth(0).inner_text().strip()[-1] in ":："
    assert page.locator(".right-next .intl-half").count() == 2


@each_language
def test_what_holds_words_together_is_nowhere_but_in_text(
    site: Path, language: str
) -> None:
    folder = site / language
    index = (folder / "_static/cjk-search-index.js").read_text(encoding="utf-8")
    programs = [*folder.rglob("_downloads/*/*.py"), *folder.rglob("*.ipynb")]

    assert "\u2060" not in index
    assert programs
    assert not [path for path in programs if "\u2060" in path.read_text("utf-8")]
    for path in folder.rglob("*.html"):
        page = html(path)
        code = page.select("pre, code, title")
        assert not [node for node in code if "\u2060" in node.get_text()], path
        for node in page.find_all(True):
            assert not [x for x in node.attrs.values() if "\u2060" in str(x)], node
