r"""Rules about what a translation has left over from other work.

These are notes of translators, and what other formats write: ``\n``, Markdown, spaces.
"""
# ruff: noqa: RUF001

from __future__ import annotations

import re
from collections.abc import Iterator

from po_check_cjk.message import Message, rule

TRANSLATOR_NOTES = re.compile(
    r"(?<![\w])(?:TODO|FIXME|XXX+|TBD|WIP|TBC|REVIEW ME|CHECK THIS|lorem ipsum)(?![\w])"
    r"|(?i:\b(?:here(?: is|'s) the translation|translation|translated text)\s*[:：])"
    r"|(?i:\b(?:sure|certainly|of course)[,!] |as an ai\b)"
    r"|<{7}|>{7}|^={7}"
)
# The work itself, named at the start with a colon, or in brackets.
LABEL_WORDS = (
    "번역(?:문|본|결과)?|번역 ?결과|원문|영문|한국어|한글|국문|번역기|수정|교정|검수"
    "|译文|翻译|翻译结果|原文|中文|英文|简体中文|校对|译者注|译注|修改后"
    "|訳|訳文|翻訳|翻訳結果|原文|日本語|日本語訳|和訳|英語|訳注|訳者注|校正"
    "|역주|옮긴이 주|역자 주|Korean|Chinese|Japanese|English|Translation"
)
LABEL = re.compile(
    rf"^(?:{LABEL_WORDS})\s*[:：]|[\[【(（](?:{LABEL_WORDS})\s*(?:[:：][^\])）】]*)?[\]】)）]"
)
CHAT = re.compile(
    # "the following is ...", "here you are", "of course"
    r"다음은 .{0,20}(?:번역|옮긴)\S*(?:입니다)?\s*[:.]|번역하면 다음과 같습니다"
    r"|번역(?:해 드리|하겠|을 제공|결과입|은 다음)|^(?:물론입니다|알겠습니다|네, 알겠)"
    r"|요청하신 .{0,12}(?:번역|문장|내용)"
    r"|(?:以下|下面|如下)(?:是|为|就是).{0,16}(?:翻译|译文|译本)|翻译如下|译文如下"
    r"|^(?:当然可以|当然[，！,!]|好的[，。！,!])|希望(?:这|对你|对您|能帮)"
    r"|以下(?:は|が|に).{0,20}(?:翻訳|訳文|和訳|訳です|日本語訳)|翻訳(?:しました|いたし|すると次)"
    r"|^(?:もちろんです|かしこまりました|承知(?:しま|いたしま)|はい、)"
)
# What somebody still has to do, or left out.
OPEN = re.compile(
    r"미번역|번역 ?(?:필요|예정|안 ?됨|중\)|누락)|(?:확인|검토|수정) ?필요"
    r"|(?:나중에|추후|임시) ?번역|[\[(](?:이하 ?)?(?:생략|중략|후략)[\])]"
    r"|未翻译|待(?:翻译|译|确认|核对|校对|补充)|需要翻译|暂译|此处省略"
    r"|[（(【](?:略|下略|省略)[）)】]"
    r"|未訳|未翻訳|要確認|要翻訳|後で翻訳|翻訳予定|仮訳|[（(【](?:略|中略|以下略|省略)[）)】]"
)
ABOUT_TRANSLATING = re.compile(
    r"(?i:translat|fuzzy|review|original|omit|source|edit|correct)"
    r"|[A-Z][a-z]+(?:ese|ean)\b"
)
# Question marks for letters that were lost, and UTF-8 read as something else.
BROKEN = re.compile(
    r"\?{3,}|？{3,}|[\u00c0-\u00ff]{4,}|[ÃÂâïë][\u0080-\u00bf€™œ]|□{2,}"
)
HOLDER = re.compile(
    r"__[A-Z]+_?\d+__|⟦\w+⟧|\[\[?\w*\d+\]\]|\b[A-Z]*(?:PH|TAG|CODE)_?\d+\b"
)
CODE_OR_TARGET = re.compile(r"``.*?``|:[\w:+-]+:`[^`]*`|<[^>]*>", re.DOTALL)
ESCAPE = re.compile(
    r"\\(?:[abfnrtv0](?![A-Za-z])|[nrt]|u[0-9a-f]{4}|x[0-9a-f]{2}|[\"'])"
)
MARKDOWN = re.compile(
    r"!?\[[^\]\n]+\]\([^)\s]*\)|!?\[[^\]\n]+\]\[[\w-]*\]|\[\[[^\]]+\]\]"
    r"|^#{1,6} |^```|^> |~~[^~]+~~"
)
HTML_ENTITY = re.compile(
    r"&(?:#\d+|#x[0-9a-f]+|nbsp|amp|lt|gt|quot|apos|hellip|[lr][sd]quo);"
)
# All widths but that of Chinese and Japanese, which has a rule of its own.
SPECIAL_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f]")


@rule("ko *", "Split it.", "다음은 번역입니다: 나눕니다.", "나눕니다.")
def leftovers(message: Message) -> Iterator[str]:
    """Notes, labels and chat of translators are no part of the translation."""
    english, text = message.english, message.prose
    patterns = [TRANSLATOR_NOTES, CHAT, BROKEN, HOLDER]
    if not message.is_plain and not ABOUT_TRANSLATING.search(english):
        patterns += [LABEL, OPEN]
    for pattern in patterns:
        match = pattern.search(text)
        if match and match[0] not in message.msgid and not pattern.search(english):
            yield f'"{match[0]}" is no part of the text (delete it, or finish it)'
            return


@rule("ko zh ja", "one batch", "배치\u00a0하나", "배치 하나")
def no_break_space(message: Message) -> Iterator[str]:
    """A space is a plain one; no-break spaces come from word processors."""
    spaces = set(SPECIAL_SPACES.findall(message.msgstr)) - set(message.msgid)
    if spaces:
        names = ", ".join(f"U+{ord(space):04X}" for space in sorted(spaces))
        yield f"a special space: {names} (type a plain space)"


@rule("ko *", "Split it. Then add.", "나눕니다.\\n더합니다.", "나눕니다. 더합니다.")
def typed_escape(message: Message) -> Iterator[str]:
    r"""A text has no line break of its own, neither ``\n`` nor what it is read as."""
    was, became = (
        CODE_OR_TARGET.sub("", text) for text in (message.msgid, message.msgstr)
    )
    for match in ESCAPE.finditer(became):
        if match[0] not in was:
            yield f"{match[0]} is typed in the text (delete it)"
            return
    # of an empty line, structure speaks
    if re.search(r"[^\n]\n(?=[^\n])", message.msgstr) and "\n" not in message.msgid:
        yield "a line break, \\n, is in the text (delete it)"


@rule("ko *", "the manual", "[문서](https://a.org/)", "문서")
def other_markup(message: Message) -> Iterator[str]:
    """Links and emphasis are those of reStructuredText, not of Markdown."""
    if message.is_plain:
        return
    for pattern in (MARKDOWN, HTML_ENTITY):
        match = pattern.search(message.msgstr)
        if match and not pattern.search(message.msgid):
            yield f"{match[0]} is not reStructuredText (write it as the English does)"
