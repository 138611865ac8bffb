"""Let readers find Korean, Japanese and Chinese words, compounds and parts of them.

These languages do not set every word apart: a run of their letters is indexed by its
pairs of neighbours, 数据并行 by 数据, 据并, 并行. The browser splits a query so, too
(``search.js``), and shows what it found (``results.js``). Others keep Sphinx's search,
unless they have a class of their own that is a `RankedSearch`.
"""

from __future__ import annotations

import functools
import itertools
import json
import re
import unicodedata
from pathlib import Path
from typing import Any

from sphinx.search import SearchLanguage
from sphinx.search.en import SearchEnglish

from gallery_intl.text.cjk import HAN, HIRAGANA, IN_WORDS, KATAKANA, SYLLABLES

ACROSS_SPACE = re.compile(rf"([{SYLLABLES}])\s(?=([{SYLLABLES}]))")
IS_HIRAGANA = re.compile(f"[{HIRAGANA}]+")
RUN = re.compile(rf"[{IN_WORDS}]+|(?:(?![{IN_WORDS}])\w)+")
IS_PAIRED = re.compile(f"[{IN_WORDS}]{{2,}}")
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # of a name such as DataLoader
SHORTEST = 3  # letters of such a part

# What a Korean reader may type behind a noun. Left out are those that also end nouns
# of this field: 변화도, 정밀도.
PARTICLES = (
    "입니다|합니다|됩니다|에서는|에서도|으로는|으로|에서|에게|부터|까지|처럼|보다|하는|하기|하다"
    "|하려면|하면|으면|해서|해도|해야|하고|하게|이랑|마다|만|들|되는|은|는|이|가|을|를|의|에|로|와|과"
)

# How verbs end that are spoken; those of pages are written.
ENDINGS = "는데|은데|어요|아요|해요|져요|나요|까요|네요|세요|데요|습니다|려면|려고"
# What asks, and is on no page: why, how, what is the difference.
ASKED = {
    "ko": """
        수 수로 때 것 거 쓰기 쓰는 쓸 쓰면 하기 차이 차이점 비교 어떻게 어떤 무엇 뭐
        뭔가 뭔지 뭐야 뭔가요 뭐예요 뭐에요 왜 언제 어디 방법 하는법 하는방법 법
        사용법 쓰는법 설명 의미 뜻 예제 예시 튜토리얼 이란 란 좀 너무 그냥 하나요
        되나요 있나요 인가요 할까요
    """,
    "zh": """
        请问 我们 我 可以 应该 没有 非常 特别 很 只在 只有 只 把 被 的 了 在 使用 进行
        实现 问题 怎么办 怎么样 怎么 怎样 如何 什么是 是什么 有什么 什么 为什么 为何
        哪些 哪个 区别 作用 教程 用法 示例 例子 要不要 需不需要 是否 吗 呢 吧
    """,
    "ja": """
        使っても 使って 使った 使いたい 使う できません できない できる したい したら
        すると する しても して した 必要 場合 ときに とき って何 って とは何ですか
        とは何 とは どうすれば どうやって どうして どのように どう なぜ なんで
        何ですか ですか ますか でしょうか について 使い方 使用方法 書き方 やり方 仕方
        方法 意味 違い サンプル チュートリアル 入門 解説
        どっち どちら 使えばいい 使えば すればいい するべき すべき
    """,
}
# A particle between two words: データの並列.
BETWEEN = (
    rf"(?<=^|[{HAN}{KATAKANA}ー])"
    r"(?:から|まで|だけ|では|には|への|での|[はがをにのでとも])"
    rf"(?=[{HAN}{KATAKANA}]|$)"
)
HERE = Path(__file__).parent
SCRIPTS = [
    (HERE / name).read_text(encoding="utf-8") for name in ("search.js", "results.js")
]


def normal(text: str) -> str:
    """Return one form to full and half width, and to the parts of Hangul on macOS."""
    return unicodedata.normalize("NFKC", text)


def pairs(text: str) -> list[str]:
    """Split a text into Latin words and pairs of CJK letters."""
    tokens: list[str] = []
    for run in RUN.findall(normal(text)):
        is_paired = IS_PAIRED.fullmatch(run)
        tokens += map("".join, itertools.pairwise(run)) if is_paired else [run]
    return tokens


def parts(name: str) -> list[str]:
    """Return the words that a name is made of: of DataLoader data and loader."""
    words = [part.lower() for part in PARTS.findall(name)]
    return [x for x in words if len(x) >= SHORTEST] if len(words) > 1 else []


class RankedSearch(SearchLanguage):
    """Split texts for our index; Sphinx's own gets no words."""

    particles = ""  # endings that a query may carry, as a regular expression
    endings = ""  # the same of verbs, where only one letter may stand before it
    fillers = ""  # letters that a query may hold and a page need not
    asked = ""  # what a query may hold beside its subject, as a regular expression

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__(options)
        known = {
            "letters": IN_WORDS,
            "particles": self.particles,
            "endings": self.endings,
            "fillers": self.fillers,
            "asked": self.asked,
        }
        code = "\n".join([f"const searchKnows = {json.dumps(known)};", *SCRIPTS])
        self.js_splitter_code = code
        self.stems = functools.cache(self._stems)  # words are said again and again

    def split(self, input: str) -> list[str]:
        """Leave Sphinx's index without words: `search_index` writes ours."""
        return []

    def words(self, text: str) -> list[str]:
        """Split a text as the language does."""
        return super().split(normal(text))

    def words_to_find(self, text: str, is_code: bool = False) -> list[str]:
        """Return the words by which a text is found; in prose also parts of names."""
        return [stem for word in self.words(text) for stem in self.stems(word, is_code)]

    def _stems(self, word: str, is_code: bool) -> list[str]:
        """Return what a word of a text is found by."""
        words = [word] if is_code else [word, *parts(word)]
        stems = (self.stem(each).lower() for each in words)
        return [stem for stem in stems if self.word_filter(stem)]


class PairSearch(RankedSearch):
    """Search by pairs of letters; names and numbers by whole words."""

    stopwords = SearchEnglish.stopwords - {"out"}  # of messages; out of memory

    def words(self, text: str) -> list[str]:
        return pairs(text)

    def stem(self, word: str) -> str:
        return word.lower()


class KoreanSearch(PairSearch):
    """Korean: queries may carry particles, and compounds may be typed unspaced."""

    lang = "ko"
    language_name = "Korean"
    asked = "|".join(ASKED["ko"].split())
    particles = PARTICLES
    endings = ENDINGS
    fillers = "간"

    def words(self, text: str) -> list[str]:
        return pairs(text) + [a + b for a, b in ACROSS_SPACE.findall(normal(text))]


class JapaneseSearch(PairSearch):
    """Japanese; Sphinx's own splits the index, but not the query."""

    lang = "ja"
    language_name = "Japanese"
    asked = "|".join([*ASKED["ja"].split(), BETWEEN])
    fillers = f"{HIRAGANA}間用化的"  # hiragana: の, を, とは, する

    def words(self, text: str) -> list[str]:
        """Leave out hiragana, which no query needs, but not headings like まとめ."""
        keeps_all = IS_HIRAGANA.fullmatch(text)
        return [w for w in pairs(text) if keeps_all or not IS_HIRAGANA.fullmatch(w)]


class ChineseSearch(PairSearch):
    """Chinese; Sphinx's own throws at every query (sphinx-doc/sphinx#14229)."""

    lang = "zh"
    language_name = "Chinese"
    asked = "|".join(ASKED["zh"].split())
    fillers = "的之间与和及在用"
