"""Rules about words: the glossary, doubled words, foreign letters, long vowels."""
# ruff: noqa: RUF001

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from gallery_intl.catalogs.po import SOURCE_LANGUAGE
from gallery_intl.rules.glossary import Glossary, has_term
from gallery_intl.rules.message import Message, rule

DOUBLED = re.compile(r"\b([^\W\d_]+)\s+\1\b", re.IGNORECASE)
# Letters that are never right twice; 了了 (除了了解) or のの (ものの) can be.
DOUBLED_LETTERS = re.compile(r"をを|がが|的的(?!确)|([、。，；：])\1|(?<!\.)\.\.(?!\.)")
SCRIPTS = {
    "kana": r"[\u3041-\u3096\u30a1-\u30fa]",
    "Hangul": r"[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]",
}
HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
HALFWIDTH = re.compile(r"[\uff61-\uff9f]+")
KATAKANA = r"[\u30a1-\u30fa\u30fc]"
# Words as most texts of the field write them today.
VOWELS = (
    *(
        "エラー",
        "カウンター",
        "サーバー",
        "センター",
        "ヘッダー",
        "フィルター",
        "メンバー",
    ),
    *("ユーザー", "ラッパー", "レイヤー", "ローダー", "ワーカー"),
    *("メモリ", "パラメータ", "オプティマイザ"),
)


@rule()
def glossary(message: Message) -> Iterator[str]:
    """A term of the glossary has its one translation, inflected as needed.

    Bad (ko): "the gradient" -> "기울기"
    Good (ko): "the gradients" -> "변화도들"
    """
    if message.language == SOURCE_LANGUAGE:
        return
    for term in message.glossary.terms(message.english):
        wanted = message.glossary.translation(term, message.language)
        if wanted and not has_term(message.prose, term, wanted, message.language):
            yield f'"{term}" is not {wanted} here (glossary.csv)'


@rule()
def doubled(message: Message) -> Iterator[str]:
    """No word and no sign stands twice by mistake.

    Bad (ko): "Split the batch." -> "배치를 배치를 나눕니다."
    Good (ko): "Split the batch." -> "배치를 나눕니다."
    """
    if DOUBLED.search(message.english):
        return
    for match in (DOUBLED.search(message.prose), DOUBLED_LETTERS.search(message.prose)):
        if match:
            yield f'"{match[0]}" (write it once)'


@rule("ko", "zh", "ja")
def letters(message: Message) -> Iterator[str]:
    """Letters belong to the language: no Traditional Chinese in ``zh_CN``, no kana.

    Bad (zh_CN): "data" -> "數據"
    Good (zh_CN): "data" -> "数据"
    """
    other = "".join(foreign_letters(message.prose, message.language))
    if other and not set(other) <= set(message.msgid):
        yield f"{other} belongs to another language or script (write it in this one)"


@rule("ja")
def halfwidth_katakana(message: Message) -> Iterator[str]:
    """Katakana are fullwidth.

    Bad (ja): "Batch" -> "ﾊﾞｯﾁ"
    Good (ja): "Batch" -> "バッチ"
    """
    for match in HALFWIDTH.finditer(message.prose):
        yield f"{match[0]} is halfwidth (write it in fullwidth katakana)"


@rule("ja")
def long_vowel(message: Message) -> Iterator[str]:
    """A word has its long vowel sign always or never: the glossary and a list say.

    Bad (ja): "on the server" -> "サーバで"
    Good (ja): "on the server" -> "サーバーで"
    """
    for word, other in vowel_forms(message.glossary):
        if match := other.search(message.prose):
            yield f"{match[0]} is spelled otherwise elsewhere (write {word})"


@functools.lru_cache(maxsize=1)
def vowel_forms(glossary: Glossary) -> list[tuple[str, re.Pattern[str]]]:
    """Give each word in katakana with a pattern for its other spelling."""
    words = {*VOWELS, *glossary.translations("ja")}
    return [
        (word, re.compile(f"{word.removesuffix('ー')}(?!{KATAKANA})"))
        if word.endswith("ー")
        else (word, re.compile(f"{word}ー"))
        for word in sorted(words)
        if re.fullmatch(f"{KATAKANA}+", word)
    ]


def foreign_letters(text: str, language: str) -> Iterator[str]:
    """Give the letters of a text that its language does not use."""
    own = {"ja": "kana", "ko": "Hangul"}.get(language.partition("_")[0])
    for script, pattern in SCRIPTS.items():
        if script != own:
            yield from re.findall(pattern, text)
    # The national standards hold the characters of daily use, and no other forms.
    encoding = {"zh_CN": "gb2312", "zh_TW": "big5", "ja": "shift_jis"}.get(language)
    for character in HAN.findall(text) if encoding else ():
        if not character.encode(encoding or "", "ignore"):
            yield character
