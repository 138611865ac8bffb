"""Split English, Korean, Japanese and Chinese text into the terms of the index.

Korean, Japanese and Chinese do not separate every word by a space. A run of their
characters is indexed by its pairs of neighbours: 数据并行 by 数据, 据并, 并行. The
browser splits a query in the same way (``static/cjk-search-engine.js``).
"""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from sphinx.search.en import SearchEnglish

# Ranges for use inside a regular expression's character class.
HAN = "\u3400-\u4dbf\u4e00-\u9fff"
HIRAGANA = "\u3041-\u3096"
KATAKANA = "\u30a1-\u30fa"  # without ー
SYLLABLES = "\uac00-\ud7a3"
HANGUL = f"\u1100-\u11ff\u3131-\u318e\ua960-\ua97f{SYLLABLES}\ud7a4-\ud7ff"
CJK = f"々〇{HAN}{HIRAGANA}ゝ-ゟ{KATAKANA}ー-ヿ{HANGUL}"  # without ・

WORD = re.compile(r"\w+")
ACROSS_SPACE = re.compile(rf"([{SYLLABLES}])\s(?=([{SYLLABLES}]))")
IS_HIRAGANA = re.compile(f"[{HIRAGANA}]+")
# What is counted stays with its number, and a number is in digits: 两台, 2 台 are 2台.
COUNTERS = "개대장台个個张枚块卡つ"
NUMBERS = dict(zip("두세네两双二三四五六七八", "234222345678", strict=True))
COUNTED = re.compile(rf"([{''.join(NUMBERS)}]|\d+)\s?([{COUNTERS}])")
RUN = re.compile(rf"\d+[{COUNTERS}]|[{CJK}]+|(?:(?![{CJK}])\w)+")
IS_PAIRED = re.compile(f"[{CJK}]{{2,}}")
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # of a name such as DataLoader
SHORTEST_PART = 3  # letters
STOPWORDS = SearchEnglish.stopwords - {"out"}  # for error messages: out of memory

# What a Korean reader may type after a noun. Particles that also end nouns are left
# out: 변화도, 정밀도.
PARTICLES = (
    "에서는|에서도|으로는|으로|에서|에게|부터|까지|처럼|보다|하는|하기|하다"
    "|하려면|하면|으면|해서|해도|해야|하고|하게|이랑|마다|만|들|되는|은|는|이|가|을|를|의|에|로|와|과"
)
# Endings of spoken verbs; pages have those of written language.
ENDINGS = "는데|은데|어요|아요|나요|까요|네요|세요|데요|습니다|려면|려고"
# Parts of a question that are on no page: why, how, what is the difference.
ENGLISH_QUESTIONS = """
    can could does get gets got use uses used using need needs want make way ways
    two three four five six seven eight
    explain explained tutorial tutorials example examples guide help
    difference differences vs versus please still only just
"""
KOREAN_QUESTIONS = """
    수 수로 때 것 거 쓰기 쓰는 쓸 쓰면 하기 차이 차이점 비교 어떻게 어떤 무엇 뭐
    뭔가 뭔지 뭐야 뭔가요 뭐예요 뭐에요 왜 언제 어디 방법 하는법 하는방법 법
    사용법 쓰는법 설명 의미 뜻 예제 예시 튜토리얼 이란 란 좀 너무 그냥 하나요
    되나요 있나요 인가요 할까요
"""
CHINESE_QUESTIONS = """
    请问 我们 我 可以 应该 没有 非常 特别 很 只在 只有 只 把 被 的 了 在 使用 进行
    实现 问题 怎么办 怎么样 怎么 怎样 如何 什么是 是什么 有什么 什么 为什么 为何
    哪些 哪个 区别 作用 教程 用法 示例 例子 要不要 需不需要 是否 吗 呢 吧
"""
JAPANESE_QUESTIONS = """
    使っても 使って 使った 使いたい 使う できません できない できる したい したら
    すると する しても して した 必要 場合 ときに とき って何 って とは何ですか
    とは何 とは どうすれば どうやって どうして どのように どう なぜ なんで
    何ですか ですか ますか でしょうか について 使い方 使用方法 書き方 やり方 仕方
    方法 意味 違い サンプル チュートリアル 入門 解説
    どっち どちら 使えばいい 使えば すればいい するべき すべき
"""
# A particle between two words: データの並列.
BETWEEN = (
    rf"(?<=^|[{HAN}{KATAKANA}ー])"
    r"(?:から|まで|だけ|では|には|への|での|[はがをにのでとも])"
    rf"(?=[{HAN}{KATAKANA}]|$)"
)


def any_of(words: str) -> str:
    return "|".join(words.split())


def normalize(text: str) -> str:
    """Return the same form for full and half width, and for decomposed Hangul."""
    return unicodedata.normalize("NFKC", text)


def split_pairs(text: str) -> list[str]:
    """Split a text into Latin words and pairs of CJK characters."""
    terms: list[str] = []
    digits = COUNTED.sub(lambda x: NUMBERS.get(x[1], x[1]) + x[2], normalize(text))
    for run in RUN.findall(digits):
        is_paired = IS_PAIRED.fullmatch(run)
        terms += map("".join, itertools.pairwise(run)) if is_paired else [run]
    return terms


def split_name(name: str) -> list[str]:
    """Return the words in a name: data and loader of DataLoader."""
    words = [part.lower() for part in PARTS.findall(name)]
    return [x for x in words if len(x) >= SHORTEST_PART] if len(words) > 1 else []


def split_english(text: str) -> list[str]:
    return WORD.findall(normalize(text))


def split_korean(text: str) -> list[str]:
    """Add the pairs across spaces: compounds may be typed without them."""
    across = ACROSS_SPACE.findall(normalize(text))
    return split_pairs(text) + [first + second for first, second in across]


def split_japanese(text: str) -> list[str]:
    """Leave out hiragana, which no query needs, but not headings like まとめ."""
    keeps_all = IS_HIRAGANA.fullmatch(text)
    words = split_pairs(text)
    return [word for word in words if keeps_all or not IS_HIRAGANA.fullmatch(word)]


@dataclass(frozen=True)
class Language:
    """How the texts and queries of a language become terms; patterns are for JS."""

    questions: str  # what is not the subject of a query
    split: Callable[[str], list[str]] = split_pairs
    stem: Callable[[str], str] = str.lower
    has_stemmer: bool = False  # in the browser, too
    particles: str = ""  # suffixes that a query may carry
    endings: str = ""  # suffixes of verbs, after a stem of any length
    fillers: str = ""  # characters that a query may have and a page need not

    def terms(self, text: str, *, is_code: bool = False) -> list[str]:
        """Return the terms by which a text is found; of prose also parts of names."""
        words = self.split(text)
        return [term for word in words for term in stem_terms(self, word, is_code)]

    def for_browser(self) -> dict[str, object]:
        names = ("questions", "particles", "endings", "fillers", "has_stemmer")
        values = {name: getattr(self, name) for name in names}
        counted = {"counters": COUNTERS, "numbers": NUMBERS}
        return {**values, **counted, "characters": CJK, "stopwords": sorted(STOPWORDS)}


@functools.cache  # the same words come again and again
def stem_terms(language: Language, word: str, is_code: bool) -> list[str]:
    words = [word] if is_code else [word, *split_name(word)]
    terms = (language.stem(each).lower() for each in words)
    return [term for term in terms if not term.isdigit() and term not in STOPWORDS]


LANGUAGES = {
    "en": Language(
        any_of(ENGLISH_QUESTIONS),
        split=split_english,
        stem=SearchEnglish({}).stem,
        has_stemmer=True,
    ),
    "ko": Language(
        any_of(KOREAN_QUESTIONS),
        split=split_korean,
        particles=PARTICLES,
        endings=ENDINGS,
        fillers="간",
    ),
    "zh": Language(any_of(CHINESE_QUESTIONS), fillers="的之间与和及在用"),
    "ja": Language(
        f"{any_of(JAPANESE_QUESTIONS)}|{BETWEEN}",
        split=split_japanese,
        fillers=f"{HIRAGANA}間用化的",  # hiragana: の, を, とは, する
    ),
}


def language_for(code: str) -> Language | None:
    """Return the language of a code such as zh_CN, if it is one of ours."""
    return LANGUAGES.get(code.partition("_")[0])
