"""A rule about numbers that are words: 네, 四 and "four" are the same number."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from po_check_cjk.characters import SYLLABLES
from po_check_cjk.message import Message, rule
from po_check_cjk.values import NUMBER_WORDS, numbers, numbers_in, spelled_out

KOREAN = {
    **{"하나": 1, "한": 1, "둘": 2, "두": 2, "셋": 3, "세": 3, "넷": 4, "네": 4},
    **{"다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9},
}
COUNTERS = "개|번|가지|대|명|줄|쪽|장|배|곳|차례|종류|단계|조각|벌|편|행|열|층"
KOREAN_TENS = {"열": 10, "스물": 20, "스무": 20, "서른": 30, "마흔": 40, "쉰": 50}
# 한, 두, 세, 네 and 열 are other words too: they count if what they count follows.
KOREAN_NUMBER = re.compile(
    rf"(?<![{SYLLABLES}])(?:(?P<ten>열|스물|서른|마흔|쉰) ?)?"
    r"(?P<word>하나(?!하나)|둘|셋(?!업)|넷(?!플)|다섯|여섯|일곱|여덟|아홉"
    rf"|[한두세네](?= ?(?:{COUNTERS}))|[두세네](?= [{SYLLABLES}A-Za-z]))"
    rf"|(?<![{SYLLABLES}])(?P<tens>열(?= (?:{COUNTERS}))|스물|스무|서른|마흔|쉰)"
)
KANA = {"ひとつ": 1, "ふたつ": 2, "みっつ": 3, "よっつ": 4, "いつつ": 5}
DIGITS = {digit: value for value, digit in enumerate("〇一二三四五六七八九")}
DIGITS |= {"零": 0, "两": 2, "俩": 2}
ONE = re.compile(r"\b(?:one|single)\b", re.IGNORECASE)
HAN_POWERS = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
HAN_NUMBER = re.compile(f"[{''.join(DIGITS)}{''.join(HAN_POWERS)}]{{1,12}}")
# Words with a number in them that count nothing, and numbers that nobody counted.
NO_NUMBERS = re.compile(
    r"十分(?![之钟の])|十足|[几数好上成][十百千万]+|[十百千万]+(?=[几数多来])|四[处周方角則则]"
    r"|三[角項]|四[舍捨]五入|再三|第三[方者]|万[一が]|千[差变]万[别化]|百分之?"
    r"|[二八十]+六?进制|十六進|[二八十]進|乱七八糟|五花八门|七転|一石二鳥|三者|八百万"
)

ORDINALS = {
    number: rf"\b{english}\b|(?<!\d)(?:{number}|{korean}) ?번째"
    rf"|第 ?[{number}{han}](?![\d十天])|(?<![\d十])[{number}{han}](?:つ|番)目"
    for number, english, korean, han in (
        (1, "first", "첫|한", "一"),
        (2, "second", "두", "二"),
        (3, "third", "세", "三"),
    )
}
ORDINALS[1] += "|첫|最初"
UNITS = {
    "seconds": r"seconds?|s|초|秒",
    "milliseconds": r"milliseconds?|ms|밀리초|毫秒|ミリ秒",
    "microseconds": r"microseconds?|[µμ]s|마이크로초|微秒|マイクロ秒",
    "bytes": r"bytes?|바이트|字节|バイト",
    "bits": r"bits?|비트|位|比特|ビット",
}
NUMBER_BEFORE = (
    rf"(?:\b(?:{'|'.join(NUMBER_WORDS)})[ -]"
    rf"|[\d한두세네섯곱덟홉{''.join(DIGITS)}{''.join(HAN_POWERS)}][ -]?)"
)


@rule("ko zh ja", "It takes 10 ms.", "10초 걸립니다.", "10밀리초 걸립니다.")
def units(message: Message) -> Iterator[str]:
    """Numbers keep their units: milliseconds do not become seconds."""
    was, became = map(units_in, (message.english, message.prose))
    if was - became and became - was:
        change = f"{'/'.join(was - became)} became {'/'.join(became - was)}"
        yield f"{change} (write the unit of the English text)"


@rule("ko zh ja", "Four ranks join.", "다섯 랭크가 참여", "네 랭크가 참여")
def number_words(message: Message) -> Iterator[str]:
    """A number word does not become another number; it may be left out or be digits."""
    if message.msgid == message.msgstr or any(numbers(message)):  # other findings
        return
    english, ours = message.english, message.prose
    first, ordinal = ordinals_in(english), ordinals_in(ours)
    if len(first) == len(ordinal) == 1 and first != ordinal:
        change = f"number {first.pop()} became number {ordinal.pop()}"
        yield f"{change} (count as in the English text)"
        return
    was = Counter([*number_words_of(english), *digits_in(english)])
    became = Counter([*numerals_in(ours, message.language), *digits_in(ours)])
    known = {
        *was,
        *numbers_in(english),
        *spelled_out(english),
        *digits_in(message.msgid),
    }
    lost = was - became - Counter({"0": 99, "1": 99})
    added = set(became) - known
    if any(int(number) > 2 for number in lost):
        added |= set(became - was) - {"0", "1"} - (known - {*was})
    elif message.language != "zh_CN" and "1" not in became and ONE.search(english):
        lost["1"] = 1
    if lost and added:
        change = f"{in_order(lost)} became {in_order(added)}"
        yield f"{change} (write the number of the English text)"


def units_in(text: str) -> set[str]:
    """Return the units that follow numbers."""
    forms = UNITS.items()
    return {x for x, y in forms if re.search(f"{NUMBER_BEFORE}(?:{y})(?![a-z])", text)}


def ordinals_in(text: str) -> set[int]:
    return {x for x, form in ORDINALS.items() if re.search(form, text, re.IGNORECASE)}


def in_order(numbers: Iterable[str]) -> str:
    return ", ".join(sorted(numbers, key=int))


def number_words_of(english: str) -> list[str]:
    """Return the numbers that are words in an English text, in ASCII digits."""
    words = re.findall(r"[a-z]+", english.lower())
    return [str(NUMBER_WORDS[word]) for word in words if word in NUMBER_WORDS]


def digits_in(text: str) -> list[str]:
    return re.findall(r"\d{1,18}", text, re.ASCII)


def numerals_in(text: str, language: str) -> list[str]:
    """Return the numbers that are words in a translation, in ASCII digits."""
    if language == "ko":
        values = [
            KOREAN.get(match["word"], 0)
            + KOREAN_TENS.get(match["ten"] or match["tens"], 0)
            for match in KOREAN_NUMBER.finditer(text)
        ]
    else:
        numerals = HAN_NUMBER.findall(NO_NUMBERS.sub(" ", text))
        values = [value for value in map(han_value, numerals) if value != 1]  # 一样
        values += [KANA[word] for word in KANA for _ in range(text.count(word))]
    return [str(value) for value in values]


def han_value(numerals: str) -> int:
    """Return the value of 三百二十, or of 一二 digit by digit."""
    if not set(numerals) & set(HAN_POWERS):
        return int("".join(str(DIGITS[numeral]) for numeral in numerals))
    total, digit = 0, 0
    for numeral in numerals:
        if numeral in DIGITS:
            digit = DIGITS[numeral]
        else:
            total += (digit or 1) * HAN_POWERS[numeral]
            digit = 0
    return total + digit
