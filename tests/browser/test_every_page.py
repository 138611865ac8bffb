"""Every page in every language, opened once: quiet, as wide as its screen, well broken.

A page is loaded on a phone in dark mode, then made narrower, wider and light.
"""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect
from readers import each_language
from watching import is_too_wide, watch

PHONE, DESK = 390, 1280
WIDTHS = (PHONE, 320, 360, DESK)
HEIGHT = 400  # as high as a phone is wide at least; what is below is not painted
NOTHING = "search.html?q=zzzqqq"  # finds nothing, and shows all titles

# Where the lines of texts end, what stands around, and whether within a word (by ICU).
# A piece of text that has one box stands in one line; one that has more is divided.
BREAKS = """([places, language]) => {
const MOST = 40;  // letters that are told of a line
const boxesOf = (range) => [...range.getClientRects()].filter((box) => box.width);
const hasRows = (node) => {  // most titles stand in one, and ask for no more work
  const range = document.createRange();
  range.selectNodeContents(node);
  return new Set([...range.getClientRects()].map((box) => box.top)).size > 1;
};
return [...document.querySelectorAll(places)]
.filter((node) => node.checkVisibility() && hasRows(node)).map((node) => {
  let [letters, right] = ["", -Infinity];
  const ends = [];
  const range = document.createRange();
  const boxes = (text, from, to) => {
    range.setStart(text, from);
    range.setEnd(text, to);
    return boxesOf(range);
  };
  const look = (text, from, to) => {
    const found = boxes(text, from, to);
    if (found.length > 1 && to - from > 1) {
      const middle = (from + to) >> 1;
      look(text, from, middle);
      look(text, middle, to);
    } else if (found.length) {
      if (found[0].left < right - 1) {
        while (!boxes(text, from, from + 1).length) from++;  // a space at the end
        ends.push(letters.length + from);
      }
      right = found.at(-1).right;
    }
  };
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    const unseen = ".headerlink, .visually-hidden, .intl-said";
    if (text.parentElement.closest(unseen)) continue;
    look(text, 0, text.data.length);
    letters += text.data;
  }
  if (!ends.length) return [];
  const found = new Intl.Segmenter(language, { granularity: "word" }).segment(letters);
  const words = new Set([...found].map((word) => word.index));
  return ends.map((end) =>
    [letters.slice(0, end).slice(-MOST), letters.slice(end).slice(0, MOST),
     !words.has(end)]);
});
}"""
# Cells whose text stands in several lines of less than 5.5 letters.
NARROW = """() => {
const cells = [...document.querySelectorAll("article :is(td, th)")];
return cells.filter((cell) => {
  const style = getComputedStyle(cell), range = document.createRange();
  range.selectNodeContents(cell);
  const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
  const [width, left, right, letter] = [cell.clientWidth, style.paddingLeft,
    style.paddingRight, style.fontSize].map(parseFloat);
  return lines.size > 1 && width - left - right < 5.5 * letter;
}).map((cell) => cell.textContent.trim());
}"""
TITLES = (
    "h1, h2, h3, .intl-card-title, .prev-next-title, nav.lessons a, .know-first a,"
    " .search a"
)
# The texts whose breaks are looked at, by language and width.
PARTICLES = "article :is(p, li, h1, h2, h3)"
PARAGRAPHS = "article :is(p, li:not(:has(p)))"
TEXTS = {
    ("ko", PHONE): PARTICLES,
    ("ko", DESK): PARTICLES,
    ("zh_CN", PHONE): PARAGRAPHS,
    ("ja", PHONE): PARAGRAPHS,
}

# What nobody sees is laid out, but not painted; a page to be left needs neither.
UNSEEN = "document.documentElement.style.visibility = 'hidden'"
LEFT = "document.documentElement.style.display = 'none'"


class Break(NamedTuple):
    """Where a line ends: what stands before and behind, and whether within a word."""

    before: str
    behind: str
    is_in_word: bool


def breaks(page: Page, places: str, language: str) -> list[list[Break]]:
    texts = page.evaluate(BREAKS, [places, language.replace("_", "-")])
    return [[Break(*each) for each in text] for text in texts]


class Seen:
    def __init__(self) -> None:
        self.troubles: list[str] = []
        self.too_wide: list[tuple[str, int]] = []
        self.narrow: list[tuple[str, int, list[str]]] = []  # cells of tables
        self.cut: list[tuple[str, int, Break]] = []  # titles
        self.texts: dict[int, list[list[Break]]] = defaultdict(list)  # by width


def has_titles(name: str) -> bool:
    return name.startswith(("index.html", "tutorials/", "search.html?"))


def look(page: Page, seen: Seen, language: str, name: str, width: int) -> None:
    """Note what is wrong on an open page at a width, and how its texts break."""
    page.set_viewport_size({"width": width, "height": HEIGHT})
    if is_too_wide(page):
        seen.too_wide.append((name, width))
    if width in (360, DESK) and (cells := page.evaluate(NARROW)):
        seen.narrow.append((name, width, cells))
    if has_titles(name):
        for text in breaks(page, TITLES, language):
            seen.cut += [(name, width, each) for each in text if each.is_in_word]
    if name.startswith("tutorials/") and (language, width) in TEXTS:
        seen.texts[width] += breaks(page, TEXTS[language, width], language)


@pytest.fixture(scope="module")
def look_at(site: Path, served: str, chromium: Browser) -> Callable[[str], Seen]:
    """Look at all pages of a language, once for all tests."""

    @functools.cache
    def look_at(language: str) -> Seen:
        seen, page = Seen(), chromium.new_page()
        watch(page, urlsplit(served).netloc, seen.troubles)
        folder = site / language
        paths = [p.relative_to(folder) for p in sorted(folder.rglob("*.html"))]
        names = [path.as_posix() for path in paths if "_static" not in path.parts]
        for name in (*names, NOTHING):
            page.evaluate(LEFT)
            page.set_viewport_size({"width": PHONE, "height": HEIGHT})
            page.emulate_media(color_scheme="dark")
            page.goto(f"{served}{language}/{name}")
            if name == NOTHING:
                expect(page.locator(".search a")).not_to_have_count(0)
            page.evaluate(UNSEEN)
            for width in WIDTHS:
                look(page, seen, language, name, width)
            page.emulate_media(color_scheme="light")
        page.close()
        return seen

    return look_at


Look = Callable[[str], Seen]


@each_language
def test_every_page_is_quiet_and_fits_its_screen(look_at: Look, language: str) -> None:
    seen = look_at(language)

    assert seen.too_wide == []
    assert not seen.troubles, "\n".join(seen.troubles)


@each_language
def test_no_text_of_a_table_stands_in_a_narrow_column(
    look_at: Look, language: str
) -> None:
    assert look_at(language).narrow == []


@each_language
def test_no_title_is_cut_inside_a_word(look_at: Look, language: str) -> None:
    assert look_at(language).cut == []


@pytest.mark.parametrize("width", [DESK, PHONE])
def test_no_korean_line_begins_inside_a_word_or_with_a_particle(
    look_at: Look, width: int
) -> None:
    found = [each for text in look_at("ko").texts[width] for each in text]

    pairs = [(each, each.before[-1] + each.behind[0]) for each in found]
    assert len(pairs) > 100
    torn = re.compile(r"\)[가-힣]|[가-힣][가-힣(]")
    assert not [each for each, pair in pairs if torn.match(pair)]


@pytest.mark.parametrize("language", ["zh_CN", "ja"])
def test_paragraphs_do_not_end_in_a_line_of_one_letter(
    look_at: Look, language: str
) -> None:
    texts = [each[-1].behind for each in look_at(language).texts[PHONE] if each]

    short = [text for text in texts if len(text.rstrip("。 ")) < 2]
    assert len(texts) > 100
    assert len(short) <= len(texts) / 100, short  # Chromium's `pretty` leaves one
