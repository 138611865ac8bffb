"""Rules about punctuation and spaces, for each language's way of writing."""
# ruff: noqa: RUF001, RUF002

from __future__ import annotations

import re
from collections.abc import Iterator

from gallery_intl.rules.message import Message, rule
from gallery_intl.rules.nodes import CODE

CJK = r"[\u3005\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff]"
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


@rule("zh", "ja")
def fullwidth_punctuation(message: Message) -> Iterator[str]:
    """Punctuation beside Han or kana is fullwidth; letters and digits are not.

    Bad (zh_CN): "First, split it." -> "首先,拆分。"
    Good (zh_CN): "First, split it (see (30, 10))." -> "首先，拆分（见 (30, 10)）。"
    """
    for match in found(HALFWIDTH, message):
        yield f'"{around(match)}" has halfwidth punctuation (write it fullwidth)'
    for match in found(ALWAYS_HALFWIDTH, message):
        yield f'"{match[0]}" is fullwidth (write letters, digits and spaces halfwidth)'


@rule("ko")
def halfwidth_punctuation(message: Message) -> Iterator[str]:
    """Korean punctuation is halfwidth.

    Bad (ko): "First, split it." -> "먼저，나눕니다。"
    Good (ko): "First, split it." -> "먼저, 나눕니다."
    """
    for match in found(FULLWIDTH, message):
        yield f'"{match[0]}" is fullwidth (write it halfwidth)'


@rule("zh", "ja")
def punctuation_space(message: Message) -> Iterator[str]:
    """No space stands beside fullwidth punctuation, which has its own.

    Bad (ja): "First, split it." -> "まず、 分割します。"
    Good (ja): "First, split it." -> "まず、分割します。"
    """
    for match in found(SIDE_SPACE, message):
        yield f'"{around(match)}" (delete the space)'


@rule("zh")
def latin_apart(message: Message) -> Iterator[str]:
    """In Chinese a space stands between Han and Latin letters, digits or code.

    Bad (zh_CN): "one GPU" -> "一个GPU"
    Good (zh_CN): "one GPU" -> "一个 GPU"
    """
    for match in found(TOUCHING, message):
        yield f'"{around(match)}" (put a space between)'


@rule("ja")
def latin_close(message: Message) -> Iterator[str]:
    """In Japanese no space stands beside kana and Han.

    Bad (ja): "one GPU" -> "1台の GPU"
    Good (ja): "one GPU" -> "1台のGPU"
    """
    for match in found(APART, message):
        yield f'"{around(match)}" (delete the space)'


@rule()
def spaces(message: Message) -> Iterator[str]:
    """No space is at an end where English has none, and none is double.

    Bad (ko): "Batch" -> "배치 "
    Good (ko): "Batch" -> "배치"
    """
    msgid, msgstr = message.msgid, message.msgstr
    before = msgstr[:1].isspace() and not msgid[:1].isspace()
    after = msgstr[-1:].isspace() and not msgid[-1:].isspace()
    if before or after:
        yield f"a space {'before' if before else 'after'} the text (delete it)"
    if "  " in message.prose and "  " not in message.english:
        yield "two spaces (leave one)"


def found(pattern: re.Pattern[str], message: Message) -> Iterator[re.Match[str]]:
    """Find a place in a translation; what stands so in English is a quotation."""
    for match in pattern.finditer(message.prose):
        if match[0] not in message.english:
            yield match
            return  # one is enough to find the others


def around(match: re.Match[str]) -> str:
    """Quote the place of a finding, a few letters to each side."""
    start, end = max(0, match.start() - 4), match.end() + 4
    return match.string[start:end].replace(CODE, "…")
