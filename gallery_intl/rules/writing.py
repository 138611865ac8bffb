"""Rules about writing: terms, letters, punctuation and spaces, polite Japanese."""
# ruff: noqa: RUF001, RUF002

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from gallery_intl.catalogs.po import SOURCE_LANGUAGE
from gallery_intl.rules.glossary import Glossary, has_term
from gallery_intl.rules.message import CODE, Message, rule
from gallery_intl.text.cjk import HAN, HAN_AND_KANA, HANGUL, HIRAGANA, KATAKANA

DOUBLED = re.compile(r"\b([^\W\d_]+)\s+\1\b", re.IGNORECASE)
# Letters that are never right twice; 了了 (除了了解) or のの (ものの) can be.
DOUBLED_LETTERS = re.compile(r"をを|がが|的的(?!确)|([、。，；：])\1|(?<!\.)\.\.(?!\.)")
SCRIPTS = {"kana": f"[{HIRAGANA}{KATAKANA}]", "Hangul": f"[{HANGUL}]"}
HALFWIDTH_KATAKANA = re.compile(r"[\uff61-\uff9f]+")
# Words as most texts of the field write them today.
VOWELS = (
    "エラー カウンター サーバー センター ヘッダー フィルター メンバー ユーザー ラッパー"
    " レイヤー ローダー ワーカー メモリ パラメータ オプティマイザ"
)
CJK = f"[{HAN_AND_KANA}]"
LATIN = rf"[A-Za-z0-9{CODE}]"
HALFWIDTH = re.compile(
    rf"""{CJK}[,;:?!]           # 汉字, or 汉字:
    |    [,;:?!]{CJK}
    |    {CJK}\.(?![\w.])       # 汉字. at the end
    |    {CJK}\s?\([^()\d]*\)   # 汉字(word), but no shape: (30, 10)
    |    \([^()]*{CJK}[^()]*\)
    |    {CJK}["']|["']{CJK}
    """,
    re.VERBOSE,
)
FULLWIDTH = re.compile(r"[，。、：；？！（）　０-９Ａ-Ｚａ-ｚ＿／％＋＝＜＞]+")
ALWAYS_HALFWIDTH = re.compile(r"[　０-９Ａ-Ｚａ-ｚ＿／％＋＝＜＞]+")
SIDE_SPACE = re.compile(
    r" +[，。、：；？！（）《》「」『』]|[，。、：；？！（）《》「」『』] +"
)
TOUCHING = re.compile(rf"{CJK}{LATIN}|{LATIN}{CJK}")
APART = re.compile(rf"{CJK} +{LATIN}|{LATIN} +{CJK}|{CJK} +{CJK}")
# A match begins where a word does: else a long word is looked through at each letter.
JAPANESE_PLAIN = re.compile(
    r"(?<!\w)\w*(?:(?<![まで])す|[くぐつぬぶむる]|(?<!しょ)う|(?<!さ)い|(?<!まし)(?<!でし)た|だ)。"
)
BRACKETED = re.compile(r"（[^（）]*）|「[^「」]*」")


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
    for pattern in (DOUBLED, DOUBLED_LETTERS):
        match = pattern.search(message.prose)
        if match and not DOUBLED.search(message.english):
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
    for match in HALFWIDTH_KATAKANA.finditer(message.prose):
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


@rule("zh", "ja")
def fullwidth_punctuation(message: Message) -> Iterator[str]:
    """Punctuation beside Han or kana is fullwidth; letters and digits are not.

    Bad (zh_CN): "First, split it." -> "首先,拆分。"
    Good (zh_CN): "First, split it (see (30, 10))." -> "首先，拆分（见 (30, 10)）。"
    """
    for match in places(HALFWIDTH, message):
        yield f'"{around(match)}" has halfwidth punctuation (write it fullwidth)'
    for match in places(ALWAYS_HALFWIDTH, message):
        yield f'"{match[0]}" is fullwidth (write letters, digits and spaces halfwidth)'


@rule("ko")
def halfwidth_punctuation(message: Message) -> Iterator[str]:
    """Korean punctuation is halfwidth.

    Bad (ko): "First, split it." -> "먼저，나눕니다。"
    Good (ko): "First, split it." -> "먼저, 나눕니다."
    """
    for match in places(FULLWIDTH, message):
        yield f'"{match[0]}" is fullwidth (write it halfwidth)'


@rule("zh", "ja")
def punctuation_space(message: Message) -> Iterator[str]:
    """No space stands beside fullwidth punctuation, which has its own.

    Bad (ja): "First, split it." -> "まず、 分割します。"
    Good (ja): "First, split it." -> "まず、分割します。"
    """
    for match in places(SIDE_SPACE, message):
        yield f'"{around(match)}" (delete the space)'


@rule("zh")
def latin_apart(message: Message) -> Iterator[str]:
    """In Chinese a space stands between Han and Latin letters, digits or code.

    Bad (zh_CN): "one GPU" -> "一个GPU"
    Good (zh_CN): "one GPU" -> "一个 GPU"
    """
    for match in places(TOUCHING, message):
        yield f'"{around(match)}" (put a space between)'


@rule("ja")
def latin_close(message: Message) -> Iterator[str]:
    """In Japanese no space stands beside kana and Han.

    Bad (ja): "one GPU" -> "1台の GPU"
    Good (ja): "one GPU" -> "1台のGPU"
    """
    for match in places(APART, message):
        yield f'"{around(match)}" (delete the space)'


@rule()
def spaces(message: Message) -> Iterator[str]:
    """No space is at an end where English has none, and none is double.

    Bad (ko): "Batch" -> "배치 "
    Good (ko): "Batch" -> "배치"
    """
    msgid, msgstr = message.msgid, message.msgstr
    for at, side in ((0, "before"), (-1, "after")):
        if msgstr and msgstr[at].isspace() and not msgid[at].isspace():
            yield f"a space {side} the text (delete it)"
    if "  " in message.prose and "  " not in message.english:
        yield "two spaces (leave one)"


@rule("ja")
def polite_japanese(message: Message) -> Iterator[str]:
    """Japanese sentences end in です or ます, or are no sentences.

    Bad (ja): "It computes." -> "計算する。"
    Good (ja): "It computes." -> "計算します。"
    """
    for match in JAPANESE_PLAIN.finditer(BRACKETED.sub("", message.prose)):
        yield f'"{match[0]}" is not です・ます (end with です or ます)'


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
    own = {"ja": "kana", "ko": "Hangul"}.get(language.partition("_")[0])
    for script, pattern in SCRIPTS.items():
        if script != own:
            yield from re.findall(pattern, text)
    # The national standards hold the characters of daily use, and no other forms.
    encoding = {"zh_CN": "gb2312", "zh_TW": "big5", "ja": "shift_jis"}.get(language)
    for character in re.findall(f"[{HAN}]", text) if encoding else ():
        if not character.encode(encoding or "", "ignore"):
            yield character


def places(pattern: re.Pattern[str], message: Message) -> Iterator[re.Match[str]]:
    """Find a place in a translation; what stands so in English is a quotation."""
    for match in pattern.finditer(message.prose):
        if match[0] not in message.english:
            yield match
            return  # one is enough to find the others


def around(match: re.Match[str]) -> str:
    """Quote the place of a finding, a few letters to each side."""
    start, end = max(0, match.start() - 4), match.end() + 4
    return match.string[start:end].replace(CODE, "…")
