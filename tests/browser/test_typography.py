"""Each language is set as its readers expect: fonts, breaks, emphasis, code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from bs4 import BeautifulSoup
from paths import PROJECT
from playwright.sync_api import Browser, Page, expect

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
    if (text.parentElement.closest("code, .visually-hidden, .headerlink")) continue;
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

# The letters of texts, in which line each stands, and where words begin (by ICU).
LETTERS = """([places, language]) => [...document.querySelectorAll(places)]
.filter((node) => node.checkVisibility()).map((node) => {
  let [letters, line, left] = ["", 0, -Infinity];
  const lines = [];
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    if (text.parentElement.closest(".headerlink, .visually-hidden")) continue;
    for (let i = 0; i < text.data.length; i++) {
      if (text.data[i] === "\\u2060") continue;
      const range = document.createRange();
      range.setStart(text, i);
      range.setEnd(text, i + 1);
      const box = range.getClientRects()[0];
      if (box?.width && box.left < left) line++;
      if (box?.width) left = box.left;
      letters += text.data[i];
      lines.push(line);
    }
  }
  const words = new Intl.Segmenter(language, { granularity: "word" }).segment(letters);
  return [letters, lines, [...words].map((word) => word.index)];
})"""
TITLES = (
    "h1, h2, h3, .card-title, .prev-next-title, nav.lessons a, .know-first a, .search a"
)

each_language = pytest.mark.parametrize("language", LANGUAGES)
each_cjk = pytest.mark.parametrize("language", CJK)


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page(viewport=DESK)
    yield page
    page.close()


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
    served: str, page: Page, language: str
) -> None:
    page.goto(f"{served}{language}/{LESSON}")
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
def test_chips_of_code_do_not_touch_the_letters(
    served: str, page: Page, language: str
) -> None:
    page.goto(f"{served}{language}/{LESSON}")

    for side in ("marginLeft", "marginRight"):
        assert float(style(page, "article p code", side).removesuffix("px")) >= 2


@each_language
def test_a_line_of_88_columns_fits(served: str, page: Page, language: str) -> None:
    page.goto(f"{served}{language}/{LESSON}")

    block = page.locator(".highlight pre").first
    room = block.evaluate("(node) => node.clientWidth")
    padding = float(style(page, ".highlight pre", "paddingLeft").removesuffix("px"))
    assert page.evaluate(WIDTH, "x" * 88) <= room - 2 * padding


@each_language
def test_the_fonts_are_those_of_the_language_and_of_the_machine(
    served: str, page: Page, language: str
) -> None:
    page.goto(f"{served}{language}/{LESSON}")

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
    served: str, page: Page, language: str, text: str, gap: bool
) -> None:
    page.goto(f"{served}{language}/{LESSON}")

    found = page.evaluate(GAP, ["article p", text])

    assert (found > 1) == gap
    assert abs(page.evaluate(GAP, [".highlight pre", text])) < 1


@each_language
def test_lines_break_where_readers_expect(
    served: str, page: Page, language: str
) -> None:
    page.goto(f"{served}{language}/{LESSON}")

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


class Break(NamedTuple):
    """Where a line ends: what stands before and behind, and whether within a word."""

    before: str
    behind: str
    is_in_word: bool


def breaks(page: Page, places: str, language: str) -> list[list[Break]]:
    """Give the breaks of each text at some places."""
    texts = page.evaluate(LETTERS, [places, language.replace("_", "-")])
    return [
        [
            Break(letters[:i], letters[i:], i not in words)
            for i in range(1, len(letters))
            if lines[i] != lines[i - 1]
        ]
        for letters, lines, words in texts
    ]


@each_language
def test_no_title_is_cut_inside_a_word(served: str, page: Page, language: str) -> None:
    cut = []

    for name in ("index.html", *lessons(), "search.html?q=zzzqqq"):
        page.goto(f"{served}{language}/{name}")
        if name.startswith("search"):  # which finds nothing, and shows all titles
            expect(page.locator(".search a")).not_to_have_count(0)
        for width in (320, 360, 390, 1280):
            page.set_viewport_size({"width": width, "height": 900})
            found = breaks(page, TITLES, language)
            cut += [(name, width, x) for text in found for x in text if x.is_in_word]

    page.set_viewport_size(DESK)
    assert cut == []


def lessons() -> list[str]:
    """Give the pages that have titles of their own."""
    folder = PROJECT / "_build" / "html" / "en"
    paths = sorted((folder / "tutorials").rglob("*.html"))
    return [path.relative_to(folder).as_posix() for path in paths]


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_no_korean_line_begins_with_a_particle(
    served: str, page: Page, size: Any
) -> None:
    page.set_viewport_size(size)
    torn = []

    for name in lessons():
        page.goto(f"{served}ko/{name}")
        found = breaks(page, "article :is(p, li, h1, h2, h3)", "ko")
        pairs = [(each, each.before[-1] + each.behind[0]) for x in found for each in x]
        torn += [each for each, pair in pairs if re.match(r"\)[가-힣]|[가-힣]\(", pair)]

    page.set_viewport_size(DESK)
    assert torn == []


@each_language
def test_a_title_breaks_at_its_colon_first(
    served: str, page: Page, language: str
) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"{served}{language}/{LESSON}")
    halves = page.locator("h1 .half")

    tops = [half.bounding_box() for half in halves.all()]

    page.set_viewport_size(DESK)
    assert len(tops) == 2
    assert tops[0]
    assert tops[1]
    assert tops[1]["y"] >= tops[0]["y"] + tops[0]["height"]
    assert halves.nth(0).inner_text().strip()[-1] in ":："


@pytest.mark.parametrize("language", ["zh_CN", "ja"])
def test_paragraphs_do_not_end_in_a_line_of_one_letter(
    served: str, page: Page, language: str
) -> None:
    page.set_viewport_size(PHONE)
    texts = []

    for name in lessons():
        page.goto(f"{served}{language}/{name}")
        found = breaks(page, "article :is(p, li:not(:has(p)))", language)
        texts += [each[-1].behind for each in found if each]

    page.set_viewport_size(DESK)
    short = [text for text in texts if len(text.rstrip("。 ")) < 2]
    assert len(texts) > 100
    assert len(short) <= len(texts) / 100, short  # Chromium's `pretty` leaves one


@each_language
def test_what_holds_words_together_is_nowhere_but_in_text(
    site: Path, language: str
) -> None:
    folder = site / language
    index = (folder / "searchindex.js").read_text(encoding="utf-8")
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
