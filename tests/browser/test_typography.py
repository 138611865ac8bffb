"""Each language is set as its readers expect: fonts, breaks, emphasis, code."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Page

LANGUAGES = ("en", "ko", "zh_CN", "ja")
CJK = LANGUAGES[1:]
LESSON = "tutorials/ranks/hello_ranks.html"
PAGES = (LESSON, "sources.html")
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
FONT = {"ko": "KR", "zh_CN": "SC", "ja": "JP"}
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
TORN = """() => [...document.querySelectorAll("article :is(h1, h2, p)")].flatMap(
(node) => {
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  const torn = [];
  while (walker.nextNode()) {
    const text = walker.currentNode;
    const left = "code, .visually-hidden, .intl-said, .headerlink";
    if (text.parentElement.closest(left)) continue;
    for (const word of text.data.matchAll(/[가-힣]+/g)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const rows = [...range.getClientRects()].map((box) => Math.round(box.top));
      if (new Set(rows).size > 1) torn.push(word[0]);
    }
  }
  return torn;
})"""

each_language = pytest.mark.parametrize("language", LANGUAGES)
each_cjk = pytest.mark.parametrize("language", CJK)


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page(viewport=DESK)
    yield page
    page.close()


@pytest.fixture(scope="module")
def lesson(served: str, chromium: Browser) -> Iterator[Callable[[str], Page]]:
    """Open the lesson of a language once for all that leave it as it is."""
    context = chromium.new_context(viewport=DESK)

    @functools.cache
    def lesson(language: str) -> Page:
        page = context.new_page()
        page.goto(f"{served}{language}/{LESSON}")
        return page

    yield lesson
    context.close()


Lesson = Callable[[str], Page]


def style(page: Page, place: str, name: str) -> str:
    return str(
        page.locator(place).first.evaluate(
            "(node, name) => getComputedStyle(node)[name]", name
        )
    )


@each_cjk
def test_nothing_in_a_text_is_slanted(served: str, page: Page, language: str) -> None:
    for name in PAGES:
        page.goto(f"{served}{language}/{name}")
        page.locator("article p").first.evaluate(
            "(node) => node.insertAdjacentHTML('beforeend', '<em>x</em><cite>x</cite>"
            "<dfn>x</dfn><var>x</var><i>x</i><address>x</address>')"
        )

        assert page.evaluate(SLANTED) == [], name


@each_language
def test_code_has_one_face_in_blocks_and_in_sentences(
    lesson: Lesson, language: str
) -> None:
    page = lesson(language)
    client = page.context.new_cdp_session(page)
    client.send("DOM.enable")
    client.send("CSS.enable")
    root = client.send("DOM.getDocument")["root"]["nodeId"]

    def faces(place: str) -> set[str]:
        """Give the fonts that really draw what is at a place."""
        query = {"nodeId": root, "selector": place}
        node = client.send("DOM.querySelector", query)["nodeId"]
        fonts = client.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
        return {font["familyName"] for font in fonts}

    block = faces(".highlight-Python pre .kn")
    assert len(block) == 1
    assert faces("article p code .pre") == block
    assert "CJK" not in block.pop()


@pytest.mark.parametrize("language", ["ja"])
def test_chips_of_code_do_not_touch_the_letters(lesson: Lesson, language: str) -> None:
    page = lesson(language)

    for side in ("marginLeft", "marginRight"):
        assert float(style(page, "article p code", side).removesuffix("px")) >= 2


@each_language
def test_a_line_of_88_columns_fits(lesson: Lesson, language: str) -> None:
    page = lesson(language)

    block = page.locator(".highlight pre").first
    room = block.evaluate("(node) => node.clientWidth")
    padding = float(style(page, ".highlight pre", "paddingLeft").removesuffix("px"))
    assert page.evaluate(WIDTH, "x" * 88) <= room - 2 * padding


@each_language
def test_the_fonts_are_those_of_the_language_and_of_the_machine(
    lesson: Lesson, language: str
) -> None:
    page = lesson(language)

    named = style(page, "article p", "fontFamily")

    cjk = {name for name in FONT.values() if f"Noto Sans CJK {name}" in named}
    assert cjk == ({FONT[language]} if language in CJK else set())
    loaded = page.evaluate(
        "performance.getEntriesByType('resource').map((entry) => entry.name)"
    )
    fonts = [name for name in loaded if re.search(r"\.(woff2?|[ot]tf)\b", name)]
    assert fonts == []


def test_no_korean_word_is_torn(served: str, page: Page) -> None:
    for size in (DESK, PHONE):
        page.set_viewport_size(size)
        page.goto(f"{served}ko/{LESSON}")

        assert page.evaluate(TORN) == []
    page.set_viewport_size(DESK)


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
def test_han_and_latin_stand_apart_once(
    lesson: Lesson, language: str, text: str, gap: bool
) -> None:
    page = lesson(language)

    found = page.evaluate(GAP, ["article p", text])

    assert (found > 1) == gap
    assert abs(page.evaluate(GAP, [".highlight pre", text])) < 1


@each_language
def test_lines_break_where_readers_expect(lesson: Lesson, language: str) -> None:
    page = lesson(language)

    title, text = ("article h1", "article > section > p:not(.learn)")
    assert style(page, title, "textWrap") == "balance"
    assert (style(page, title, "wordBreak"), style(page, text, "wordBreak")) == {
        "en": ("normal", "normal"),
        "ko": ("keep-all", "keep-all"),
        "zh_CN": ("keep-all", "normal"),
        "ja": ("auto-phrase", "normal"),
    }[language]
    expected = "strict" if language == "ja" else "auto"
    assert style(page, text, "lineBreak") == expected


@each_language
def test_a_title_breaks_at_its_colon_first(
    served: str, page: Page, language: str
) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"{served}{language}/{LESSON}")
    halves = page.locator("h1 .intl-half")

    tops = [half.bounding_box() for half in halves.all()]

    page.set_viewport_size(DESK)
    assert len(tops) == 2
    assert tops[0]
    assert tops[1]
    assert tops[1]["y"] >= tops[0]["y"] + tops[0]["height"]
    assert halves.nth(0).inner_text().strip()[-1] in ":："


@each_language
def test_what_holds_words_together_is_nowhere_but_in_text(
    site: Path, language: str
) -> None:
    folder = site / language
    index = (folder / "_static/cjk-search-index.js").read_text(encoding="utf-8")
    programs = [*folder.rglob("_downloads/*/*.py"), *folder.rglob("*.ipynb")]
    page = BeautifulSoup((folder / LESSON).read_text("utf-8"), "html.parser")

    assert "\u2060" not in index
    assert programs
    assert not [path for path in programs if "\u2060" in path.read_text("utf-8")]
    for node in page.find_all(True):
        assert not [x for x in node.attrs.values() if "\u2060" in str(x)], node
    code = page.select("pre, code, title")
    assert code
    assert not [node for node in code if "\u2060" in node.get_text()]
