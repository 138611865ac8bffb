"""Rules about punctuation: as in English, and of the language itself."""
# ruff: noqa: RUF001

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from po_check_cjk.characters import HAN_AND_KANA, HANGUL, SYLLABLES
from po_check_cjk.message import CODE, ELSEWHERE, Message, rule
from po_check_cjk.writing import around, places

PAIRS = ("()", "[]", "{}", "「」", "『』", "《》", "〈〉", "【】")
QUOTES = ("“”", "‘’")  # pairs only where no language writes „“ or an apostrophe
GROUP = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
MIXED = re.compile(r"（[^()（）]*\)|\([^()（）]*）")
# not two words in a row: (10 minutes with NCCL) is translated
ARITHMETIC = re.compile(
    r"(?!.*[a-z]{2} [A-Za-z]{2})(?=.*\d|.*[-+*/=])[\w\s.,+*/=-]*", re.ASCII
)
CLOSERS = "\"'”’」』》〉】)）] "
END_MARK = re.compile(r"[.!?…:。！？：;；]$")
FULL_STOP = re.compile(r"(?<!\.)[.。]$")
# A polite sentence, which needs its full stop; a comment in plain style needs none.
POLITE = {
    "ko": re.compile(r"(?:니다|십시오|세요|니까)$"),
    "ja": re.compile(r"(?:ます|です|ません|ました|でした|ください|しょう)か?$"),
}
OWN = rf"[{HANGUL}{HAN_AND_KANA}A-Za-z0-9)）{CODE}{ELSEWHERE}]"
SPACE_BEFORE = re.compile(
    rf"(?<={OWN})[ \u00a0]+[,.;:!?)\]}}。、，；：？！）](?![\w.])|[(\[（] +(?=\S)"
)
NO_SPACE_AFTER = re.compile(
    rf"[{SYLLABLES}][)\"”]?[.?!,;](?=[{SYLLABLES}A-Za-z{CODE}])"
    rf"|[)A-Za-z{CODE}][.?!,;](?=[{SYLLABLES}])"
)
TWICE = re.compile(r"(?<![.?!])([.,;:。、，；：?？!！])(?!\1)[.,;:。、，；：](?!\.)")
# What other languages write.
FOREIGN = {
    "ko": "「」『』《》〈〉【】“”„«»",
    "zh": "「」『』„«»・｡､．",
    "ja": "“”‘’„«»《》〈〉，；．",
}
STRAIGHT = {"zh": "“…”", "ja": "「…」"}
STOPS, SEVERAL = re.compile(r"[.?!:;](?=\s|$)"), 3
# A comma or a full stop between a Latin word and Han or kana: GPU, 然后; or at the end.
AFTER_LATIN = re.compile(
    rf"(?<=[A-Za-z0-9{CODE}])[,;:?!] +(?=[{HAN_AND_KANA}])"
    rf"|(?<=[A-Za-z0-9{CODE})])\.(?=\s*[{HAN_AND_KANA}]|$)"
)


@rule("ko *", "Split it (on two).", "나눕니다(2개로.", "나눕니다(2개로).")
def brackets(message: Message) -> Iterator[str]:
    """Each bracket and quote is closed; brackets of the English text are kept."""
    texts = (message.english, message.prose)
    pairs = PAIRS + (QUOTES if message.is_cjk else ())
    was, became = (set(unbalanced(halfwidth(text), pairs)) for text in texts)
    if mixed := MIXED.search(message.prose):
        yield f"{mixed[0]} has brackets of two widths (write both alike)"
        return
    for pair in sorted(became - was):
        yield f"{pair} is not in pairs (open or close it)"
    if became - was:
        return
    groups, ours = (GROUP.findall(halfwidth(text)) for text in texts)
    for formula in filter(ARITHMETIC.fullmatch, groups):
        if squeezed(formula) not in map(squeezed, ours):
            yield f"({formula}) has lost its brackets (write them as in English)"
            return
    # who translates several sentences freely makes a clause of some brackets
    if len(ours) < len(groups) and len(STOPS.findall(message.english)) < SEVERAL:
        yield "brackets are lost (write them as in English)"


@rule("ko zh ja", "It computes.", "계산합니다", "계산합니다.")
def last_stop(message: Message) -> Iterator[str]:
    """A sentence has its full stop, and a heading or a label gets none."""
    if message.is_plain or message.msgid == message.msgstr:
        return
    was, became = (text.rstrip(CLOSERS) for text in (message.english, message.prose))
    if not was or not became:
        return
    if FULL_STOP.search(became) and not END_MARK.search(was):
        yield "a full stop is added at the end (English has none: delete it)"
    elif END_MARK.search(was) and needs_end(message, was, became):
        yield "the punctuation at the end is lost (end as the English text does)"


@rule("ko zh ja", "First, split it.", "먼저 , 나눕니다.", "먼저, 나눕니다.")
def sign_space(message: Message) -> Iterator[str]:
    """No space is before a comma, a full stop or a closing bracket."""
    for match in SPACE_BEFORE.finditer(message.prose):
        if match[0] not in message.english:
            yield f'"{around(match)}" (delete the space)'
            return


@rule(
    "ko",
    "Split it. Then add.",
    "나눕니다.그리고 더합니다.",
    "나눕니다. 그리고 더합니다.",
)
def space_after(message: Message) -> Iterator[str]:
    """A space follows a Korean full stop or comma."""
    for match in NO_SPACE_AFTER.finditer(message.prose):
        yield f'"{around(match)}" (put a space after the mark)'
        return


@rule("ko zh ja", "Split it.", "나눕니다,.", "나눕니다.")
def signs_twice(message: Message) -> Iterator[str]:
    """No two of comma, full stop and others follow each other."""
    for match in places(TWICE.pattern, message):
        yield f'"{around(match)}" (leave one mark)'


@rule("ko zh_CN ja", 'It is "new".', "「새것」입니다.", '"새것"입니다.')
def foreign_signs(message: Message) -> Iterator[str]:
    """Quotes, commas and full stops are those of the language."""
    language = message.language.partition("_")[0]
    added = Counter(message.prose) - Counter(message.english)
    if signs := [sign for sign in FOREIGN[language] if sign in added]:
        yield f"{' '.join(signs)}: a mark of another language (write this one's)"
    if language == "ko" or message.msgid == message.msgstr:
        return
    match = re.search(r"([\"'])[^\"']+\1", message.prose)
    if match and match[0] not in message.english:  # the name of a file
        yield f"{match[0]} has straight quotes (write {STRAIGHT[language]})"
    elif match := AFTER_LATIN.search(message.prose.rstrip()):
        yield f'"{around(match)}" has a halfwidth mark (write it fullwidth)'


def halfwidth(text: str) -> str:
    """Make brackets comparable, whichever width they have."""
    return text.translate(str.maketrans("（）［］｛｝", "()[]{}"))


def unbalanced(text: str, pairs: Iterable[str]) -> Iterator[str]:
    """Yield the pairs of which a text opens more or fewer than it closes."""
    yield from (pair for pair in pairs if text.count(pair[0]) != text.count(pair[1]))
    if text.count('"') % 2:
        yield '"'


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", text.replace("、", ",").replace("，", ","))


def needs_end(message: Message, was: str, became: str) -> bool:
    """Return whether a translation lacks the end that its sentence needs."""
    if END_MARK.search(became) or message.is_comment:
        return False
    if polite := POLITE.get(message.language):
        return bool(polite.search(became) or re.search(r"[.。?？!！]\s*\S", became))
    return not was.endswith("?")  # a heading may ask without a mark
