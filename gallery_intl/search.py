"""Let readers find Korean, Japanese and Chinese words, compounds and parts of them.

These languages do not set every word apart, so a search for whole words finds little.
Here a run of their letters is indexed, and asked for, by its pairs of neighbouring
letters: データ並列 by デー, ータ, タ並, 並列. It needs no dictionary and no server, and
the splitter in the browser is the same as that of the index, so both always agree.
"""

from __future__ import annotations

import re

import sphinx.search
from sphinx.application import Sphinx
from sphinx.search import SearchLanguage
from sphinx.util.typing import ExtensionMetadata

# Hangul, Han with 々〇, kana without the middle dot. The same text in JavaScript.
LETTERS = (
    r"\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3"
    r"\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff"
    r"\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
)
RUN = re.compile(f"[{LETTERS}]+|[0-9A-Za-z_]+")
IS_RUN = re.compile(f"[{LETTERS}]+")

ACROSS_SPACE = re.compile(r"([\uac00-\ud7a3])\s(?=([\uac00-\ud7a3]))")

# What a Korean reader may type behind a noun. Only a query drops it: the pairs of the
# noun are in the index whatever follows it.
PARTICLES = (
    "입니다|합니다|됩니다|에서는|에서도|으로는|으로|에서|에게|부터|까지|처럼|보다|하는|하기|하다"
    "|되는|은|는|이|가|을|를|의|에|로|와|과|도|만|란"
)

SPLITTER = """
const pairRun = /[%(letters)s]+|[0-9A-Za-z_]+/gu;
const isPairRun = /^[%(letters)s]+$/u;
const particle = /^([\\uac00-\\ud7a3]{2,}?)(%(particles)s)$/u;
var splitQuery = (query) =>
  (query.match(pairRun) || []).flatMap((run) => {
    if (!isPairRun.test(run)) return [run];
    const letters = [...run.replace(particle, "$1")];
    if (letters.length < 2) return letters;
    return letters.slice(1).map((letter, i) => letters[i] + letter);
  });
"""


def pairs(text: str) -> list[str]:
    """Split a text into Latin words and pairs of CJK letters."""
    found: list[str] = []
    for run in RUN.findall(text):
        if IS_RUN.fullmatch(run) and len(run) > 1:
            found += [run[i : i + 2] for i in range(len(run) - 1)]
        else:
            found.append(run)
    return found


class PairSearch(SearchLanguage):
    """Search by pairs of letters; names and numbers by whole words."""

    js_splitter_code = SPLITTER % {"letters": LETTERS, "particles": PARTICLES}

    def split(self, input: str) -> list[str]:
        return pairs(input)

    def stem(self, word: str) -> str:
        return word.lower()


class KoreanSearch(PairSearch):
    """Korean: queries may carry particles, and compounds may be typed unspaced."""

    lang = "ko"
    language_name = "Korean"

    def split(self, input: str) -> list[str]:
        return pairs(input) + [a + b for a, b in ACROSS_SPACE.findall(input)]


class JapaneseSearch(PairSearch):
    """Japanese; Sphinx's own splits the index, but not the query."""

    lang = "ja"
    language_name = "Japanese"


class ChineseSearch(PairSearch):
    """Chinese; Sphinx's own throws at every query (sphinx-doc/sphinx#14229)."""

    lang = "zh"
    language_name = "Chinese"


def setup(app: Sphinx) -> ExtensionMetadata:
    for language in (KoreanSearch, JapaneseSearch, ChineseSearch):
        sphinx.search.languages[language.lang] = language
    return {"parallel_read_safe": True, "parallel_write_safe": True}
