"""Let readers find Korean, Japanese and Chinese words, compounds and parts of them.

These languages do not set every word apart: a run of their letters is indexed by its
pairs of neighbours, 数据并行 by 数据, 据并, 并行. The browser keeps the words as they
were typed, for snippets and marks, and asks for their pairs (``search.js``). Others
keep Sphinx's search; `RankedSearch` ranks the results of any.
"""

from __future__ import annotations

import itertools
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.search import SearchLanguage

from gallery_intl.text.cjk import HIRAGANA, IN_WORDS, SYLLABLES

ACROSS_SPACE = re.compile(rf"([{SYLLABLES}])\s(?=([{SYLLABLES}]))")
IS_HIRAGANA = re.compile(f"[{HIRAGANA}]+")
RUN = re.compile(rf"[{IN_WORDS}]+|(?:(?![{IN_WORDS}])\w)+")
IS_PAIRED = re.compile(f"[{IN_WORDS}]{{2,}}")
NO_PROSE = (nodes.literal_block, nodes.comment, nodes.raw, nodes.meta)

# What a Korean reader may type behind a noun. Left out are those that also end nouns
# of this field: 변화도, 정밀도.
PARTICLES = (
    "입니다|합니다|됩니다|에서는|에서도|으로는|으로|에서|에게|부터|까지|처럼|보다|하는|하기|하다"
    "|되는|은|는|이|가|을|를|의|에|로|와|과"
)

SCRIPT = (Path(__file__).parent / "search.js").read_text(encoding="utf-8")
OFTEN = (3, 9)  # times that the prose of a page says one of its main words
NAMED = 3  # what a name counts that the prose sets as code: it is explained there
MARK = "+"  # behind a main word in the index, once or twice


def normal(text: str) -> str:
    """Return one form to full and half width, and to the parts of Hangul on macOS."""
    return unicodedata.normalize("NFKC", text)


def pairs(text: str) -> list[str]:
    """Split a text into Latin words and pairs of CJK letters."""
    found: list[str] = []
    for run in RUN.findall(normal(text)):
        is_paired = IS_PAIRED.fullmatch(run)
        found += map("".join, itertools.pairwise(run)) if is_paired else [run]
    return found


def prose(node: nodes.Node, weight: int = 1) -> Iterator[tuple[str, int]]:
    """Yield the texts of a page, with their weights, without code and furniture."""
    if isinstance(node, nodes.Text):
        yield node.astext(), weight
    elif isinstance(node, nodes.Element) and is_prose(node):
        inner = NAMED if isinstance(node, nodes.literal) else weight
        for child in node.children:
            yield from prose(child, inner)


def is_prose(node: nodes.Element) -> bool:
    return not isinstance(node, NO_PROSE) and "no-search" not in node["classes"]


class RankedSearch(SearchLanguage):
    """Mark in the index which words are main words of a page; rank by them."""

    particles = ""  # endings that a query may carry, as a regular expression
    fillers = ""  # letters that a query may hold and a page need not

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__(options)
        self.said: Counter[str] = Counter()  # on the page that is indexed now
        self.marked: dict[str, str] = {}  # its words, with their marks
        known = {
            "letters": IN_WORDS,
            "particles": self.particles,
            "fillers": self.fillers,
            "synonyms": options.get("synonyms", {}),
        }
        self.js_splitter_code = f"const searchKnows = {json.dumps(known)};\n{SCRIPT}"

    def words(self, text: str) -> list[str]:
        """Split a text as the language does."""
        return super().split(normal(text))

    def notice(self, document: nodes.document) -> None:
        """Learn the main words of the page that Sphinx will index next."""
        self.said.clear()
        self.marked.clear()
        counted: Counter[str] = Counter()
        for text, weight in prose(document):
            for word in self.words(text):
                counted[word] += weight
        for word, count in counted.items():
            if self.word_filter(stem := self.stem(word)):
                self.said[stem] += count

    def mark(self, word: str) -> str:
        if word not in self.marked:
            count = self.said[self.stem(word)]
            self.marked[word] = word + MARK * sum(count >= often for often in OFTEN)
        return self.marked[word]

    def split(self, input: str) -> list[str]:
        return [self.mark(word) for word in self.words(input)]

    def stem(self, word: str) -> str:
        bare = word.rstrip(MARK)
        return super().stem(bare).lower() + word[len(bare) :]


class PairSearch(RankedSearch):
    """Search by pairs of letters; names and numbers by whole words."""

    def words(self, text: str) -> list[str]:
        return pairs(text)

    def stem(self, word: str) -> str:
        return word.lower()


class KoreanSearch(PairSearch):
    """Korean: queries may carry particles, and compounds may be typed unspaced."""

    lang = "ko"
    language_name = "Korean"
    particles = PARTICLES
    fillers = "간"

    def words(self, text: str) -> list[str]:
        return pairs(text) + [a + b for a, b in ACROSS_SPACE.findall(normal(text))]


class JapaneseSearch(PairSearch):
    """Japanese; Sphinx's own splits the index, but not the query."""

    lang = "ja"
    language_name = "Japanese"
    fillers = f"{HIRAGANA}間用化的"  # hiragana: の, を, とは, する

    def words(self, text: str) -> list[str]:
        """Leave out hiragana, which no query needs, but not headings like まとめ."""
        keeps_all = IS_HIRAGANA.fullmatch(text)
        return [w for w in pairs(text) if keeps_all or not IS_HIRAGANA.fullmatch(w)]


class ChineseSearch(PairSearch):
    """Chinese; Sphinx's own throws at every query (sphinx-doc/sphinx#14229)."""

    lang = "zh"
    language_name = "Chinese"
    fillers = "的之间与和及在用"


def notice_page(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Learn of a page; Sphinx resolves and indexes page by page, also side by side."""
    indexer = getattr(app.builder, "indexer", None)
    if indexer is not None and isinstance(indexer.lang, RankedSearch):
        indexer.lang.notice(document)
