"""Rules about writing: terms, letters, punctuation, spaces, and style."""
# ruff: noqa: RUF001

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from po_check_cjk.catalogs import SOURCE_LANGUAGE
from po_check_cjk.characters import HAN, HAN_AND_KANA, HANGUL, HIRAGANA, KATAKANA
from po_check_cjk.glossary import Glossary, is_stressed
from po_check_cjk.message import CODE, Message, rule

DOUBLED = re.compile(r"\b([^\W\d_]+)\s+\1\b", re.IGNORECASE)
# Letters that are never right twice; 了了 (除了了解) or のの (ものの) can be.
DOUBLED_LETTERS = re.compile(
    r"をを|がが|はは|的的(?!确)|([、。，；：])\1|(?<!\.)\.\.(?!\.)"
)
# The national standards hold the characters of daily use, and no other forms.
STANDARDS = {"ko": "ascii", "zh_CN": "gb2312", "zh_TW": "big5", "ja": "shift_jis"}
OWN_SCRIPTS = {"ja": f"[{HIRAGANA}{KATAKANA}]", "ko": f"[{HANGUL}]"}
# Words as most texts of the field write them today.
VOWELS = (
    "エラー カウンター サーバー センター ヘッダー フィルター メンバー ユーザー ラッパー"
    " レイヤー ローダー ワーカー メモリ パラメータ オプティマイザ"
)
CJK = f"[{HAN_AND_KANA}]"
LATIN = rf"[A-Za-z0-9{CODE}]"
HALFWIDTH = rf"""(?x)
         {CJK}[,;:?!]           # 汉字, or 汉字:
    |    [,;:?!]{CJK}
    |    {CJK}\.(?:{CJK}|(?![\w.]))  # 汉字.汉字, or at the end
    |    {CJK}\s?\([^()\d]*\)   # 汉字(word), but no shape: (30, 10)
    |    \([^()]*{CJK}[^()]*\)
"""
WIDE_LETTERS = "　０-９Ａ-Ｚａ-ｚ＿／％＋＝＜＞"
WIDE_SIGNS = "，。、：；？！（）"
SIDE = f"[{WIDE_SIGNS}《》「」『』]"
# A match begins where a word does: else a long word is looked through at each letter.
JAPANESE_PLAIN = re.compile(
    r"(?<!\w)\w*(?:(?<![まで])す|[くぐつぬぶむる]|(?<!しょ)う|(?<!さ)い|(?<!まし)(?<!でし)た|だ)。"
)
JAPANESE_QUOTES = re.compile(r"（[^（）]*）|「[^「」]*」")
# The polite endings that the text around the code has, and the full stop 。
SENTENCE_ENDINGS = {
    "ko": re.compile(r"(?:\S*(?:니다|십시오|세요|어요|아요|해요)[.]?)?$"),
    "ja": re.compile(
        r"(?:(?:です|ます|ません|でした|ました|ましょう|ください)[ねよ]?)?。?$"
    ),
    "zh": re.compile(r"。?$"),
}


@rule("ko *", "the gradients", "기울기", "변화도들")
def glossary(message: Message) -> Iterator[str]:
    """A term of the glossary has its one translation, inflected, and no wrong one."""
    if message.language == SOURCE_LANGUAGE or message.msgstr == message.msgid:
        return
    terms, texts = message.glossary, (message.english, message.prose, message.language)
    wrong = {word: term for term, word in terms.wrong(*texts)}
    for word, term in wrong.items():
        if word not in message.english.lower():
            right = terms.rows[term][message.language]
            yield f'"{word}" is wrong for "{term}" (write {right}, as in glossary.csv)'
    # elsewhere words change their forms: Rang, Ränge
    for term in terms.missing(*texts) if message.is_cjk else ():
        if term not in wrong.values() and not is_stressed(term, message.msgstr):
            right = terms.rows[term][message.language]
            yield f'"{term}" is not {right} here (write it, or change glossary.csv)'


@rule("ko zh ja en", "Split the batch.", "배치를 배치를 나눕니다.", "배치를 나눕니다.")
def doubled(message: Message) -> Iterator[str]:
    """No word and no mark is doubled by mistake; in Vietnamese many words are."""
    for pattern in (DOUBLED, DOUBLED_LETTERS):
        match = pattern.search(message.prose)
        if match and not pattern.search(message.english):
            yield f'"{match[0]}" (write it once)'


@rule("zh_CN zh ja ko", "data", "數據", "数据")
def letters(message: Message) -> Iterator[str]:
    """Letters belong to the language: no Han in Korean, no kana in Chinese."""
    other = "".join(foreign_letters(message.prose, message.language))
    if other and not set(other) <= set(message.msgid):
        yield f"{other} belongs to another language or script (write it in this one)"


@rule("ja", "Batch", "ﾊﾞｯﾁ", "バッチ")
def halfwidth_katakana(message: Message) -> Iterator[str]:
    """Katakana are fullwidth."""
    for match in re.finditer(r"[\uff61-\uff9f]+", message.prose):
        yield f"{match[0]} is halfwidth (write it in fullwidth katakana)"


@rule("ja", "on the server", "サーバで", "サーバーで")
def long_vowel(message: Message) -> Iterator[str]:
    """A word has its long vowel mark always or never, as in the glossary and a list."""
    for word, other in vowel_forms(message.glossary):
        if match := other.search(message.prose):
            yield f"{match[0]} is spelled otherwise elsewhere (write {word})"


@rule("zh ja", "First, see (30, 10).", "首先,见 (30, 10)。", "首先，见 (30, 10)。")
def fullwidth_punctuation(message: Message) -> Iterator[str]:
    """Punctuation next to Han or kana is fullwidth; letters and digits are not."""
    for match in places(HALFWIDTH, message):
        yield f'"{around(match)}" has halfwidth punctuation (write it fullwidth)'
    for match in places(f"[{WIDE_LETTERS}]+", message):
        yield f'"{match[0]}" is fullwidth (write letters, digits and spaces halfwidth)'


@rule("ko", "First, split it.", "먼저，나눕니다。", "먼저, 나눕니다.")
def halfwidth_punctuation(message: Message) -> Iterator[str]:
    """Korean punctuation is halfwidth."""
    for match in places(f"[{WIDE_SIGNS}{WIDE_LETTERS}]+", message):
        yield f'"{match[0]}" is fullwidth (write it halfwidth)'


@rule("ja zh", "First, split it.", "まず、 分割します。", "まず、分割します。")
def punctuation_space(message: Message) -> Iterator[str]:
    """No space is next to fullwidth punctuation, which has its own."""
    for match in places(f" +{SIDE}|{SIDE} +", message):
        yield f'"{around(match)}" (delete the space)'


@rule("zh", "one GPU", "一个GPU", "一个 GPU")
def latin_apart(message: Message) -> Iterator[str]:
    """In Chinese a space is between Han and Latin letters, digits or code."""
    for match in places(f"{CJK}{LATIN}|{LATIN}{CJK}", message):
        yield f'"{around(match)}" (put a space between)'


@rule("ja", "one GPU", "1台の GPU", "1台のGPU")
def latin_close(message: Message) -> Iterator[str]:
    """In Japanese no space is next to kana and Han."""
    for match in places(f"{CJK} +{LATIN}|{LATIN} +{CJK}|{CJK} +{CJK}", message):
        yield f'"{around(match)}" (delete the space)'


@rule("ko *", "Batch", "배치 ", "배치")
def spaces(message: Message) -> Iterator[str]:
    """No space is at an end where English has none, and none is double."""
    msgid, msgstr = message.msgid, message.msgstr
    for at, side in ((0, "before"), (-1, "after")):
        if msgstr and msgstr[at].isspace() and not msgid[at].isspace():
            yield f"a space {side} the text (delete it)"
    for match in places("  +", message):
        yield f'"{around(match)}" has two spaces (leave one)'


@rule("ja", "It computes.", "計算する。", "計算します。")
def polite_japanese(message: Message) -> Iterator[str]:
    """Japanese sentences end in です or ます, or are no sentences; comments do not."""
    if message.is_comment:
        return
    for match in JAPANESE_PLAIN.finditer(JAPANESE_QUOTES.sub("", message.prose)):
        yield f'"{match[0]}" is not です・ます (end with です or ます)'


@rule("ko zh ja", "It is sent.", "전송됩니다.", "전송됨", kind="comment")
def comment_form(message: Message) -> Iterator[str]:
    """A comment of code is short: it ends in no polite form, and not in 。."""
    ending = SENTENCE_ENDINGS.get(message.language.partition("_")[0])
    if not message.is_comment or not ending:
        return
    match = ending.search(message.prose.rstrip())
    if match and match[0]:
        yield f'"{match[0]}" at the end of a comment (write it short, without)'


@functools.lru_cache(maxsize=1)
def vowel_forms(glossary: Glossary) -> list[tuple[str, re.Pattern[str]]]:
    """Return each word in katakana with a pattern for its other spelling."""
    words = {*VOWELS.split(), *glossary.translations("ja")}
    return [
        (word, re.compile(f"{word.removesuffix('ー')}(?![{KATAKANA}ー])"))
        if word.endswith("ー")
        else (word, re.compile(f"{word}ー"))
        for word in sorted(words)
        if re.fullmatch(f"[{KATAKANA}ー]+", word)
    ]


def foreign_letters(text: str, language: str) -> Iterator[str]:
    """Yield the letters of a text that its language does not use."""
    for own, pattern in OWN_SCRIPTS.items():
        if language.partition("_")[0] != own:
            yield from re.findall(pattern, text)
    encoding = STANDARDS.get(language, "utf-8")
    for character in re.findall(f"[{HAN}]", text):
        if not character.encode(encoding, "ignore"):
            yield character


def places(pattern: str, message: Message) -> Iterator[re.Match[str]]:
    """Find a place in a translation; the same text in English is a quotation."""
    for match in re.finditer(pattern, message.prose):
        if match[0] not in message.english:
            yield match
            return  # one is enough to find the others


def around(match: re.Match[str]) -> str:
    """Quote the place of a finding, a few letters to each side."""
    start, end = max(0, match.start() - 4), match.end() + 4
    return match.string[start:end].replace(CODE, "…")
