"""Rules about numbers, placeholders, HTML and invisible characters."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from po_check_cjk.catalogs import has_words
from po_check_cjk.message import PLACEHOLDER, TAG, Message, guard, rule
from po_check_cjk.mistyped import first_mistake

NUMBER = re.compile(
    r"(?<![A-Za-z_\d.])\d+(?:[.,]\d+)*(?:e[-+]?\d+)?(?![A-Za-z_][A-Za-z_\d])", re.ASCII
)
GROUPED = r"(?<=\d) (?=\d{3}(?!\d))"  # the space of 12 000
ISO_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")
NAMES = (
    *("zero none no", "a an one first once single", "two second twice both half pair"),
    *("three third", "four fourth quarter", "five fifth", "six sixth", "seven seventh"),
    *("eight eighth", "nine ninth", "ten tenth", "eleven eleventh", "twelve dozen"),
)
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
NUMBER_WORDS = {
    word: value for value, names in enumerate(NAMES) for word in names.split()
}
NUMBER_WORDS |= {word: 10 * value for value, word in enumerate(TENS, start=2)}
ENGLISH_POWERS = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
FEW = {"1", "2"}  # "each", "alone", "several": languages count them with digits
ENTITY = re.compile(r"&#?\w+;")
SCRIPT = re.compile(
    r"(?:javascript|vbscript):(?=\S)|data:\w+/|\bon\w+\s*=\s*[\"']", re.IGNORECASE
)
INVISIBLE = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u2028\u2029\u2060-\u2064\ufeff\ufffd"
    r"\u202a-\u202e\u2066-\u2069\ue000-\uf8ff\U000e0000-\U000e007f]"
)
REMEDIES = {"\t": "write a space", "\ufffd": "write the lost letter"}
UNSAFE = '<>"\\`\n\r'  # what ends an attribute, a tag or a string of a program
# What tools of Python obey in a comment, and the encoding of a file (PEP 263).
DIRECTIVE = re.compile(
    r"#\s*(?:(?i:noqa|nosec|nopep8|pragma)\b|-\*-|vim?:|sphinx_gallery_\w|language="
    r"|(?:type|fmt|ruff|flake8|yapf|isort|mypy|pyright|pylint|cython)\s*:)"
    r"|^#(?:!|\s?%%|\s?In\[|#{19})"
)
CODING = re.compile(r"#.*?coding[:=][ \t]*[-\w.]")
JOINERS = re.compile(r"[\u200b-\u200f]")  # needed in Persian, Hindi, ...
WITHOUT_JOINERS = {"en", "ja", "ko", "zh"}


@rule("ko *", "Take ten of 30 rows.", "20행에서 10행", "30행에서 10행")
def numbers(message: Message) -> Iterator[str]:
    """Every number is in the translation; new ones replace number words only."""
    if ISO_DATE.search(message.english) and not message.is_cjk:
        return  # each language has an order of its own
    marks = "" if message.is_cjk else "[.,]"  # other languages write 0,5 and 2.048
    was, became = (
        {re.sub(marks, "", number): number for number in numbers_in(text)}
        for text in (message.english, message.prose)
    )
    if lost := was.keys() - became:
        numbers = ", ".join(sorted(was[x] for x in lost))
        yield f"lost: {numbers} (write it in digits)"
    if added := became.keys() - was - spelled_out(message.english) - FEW:
        numbers = ", ".join(sorted(became[x] for x in added))
        yield f"not in English: {numbers} (count again)"


@guard("ja *", "by %(name)s", "%(nama)sによる", "%(name)sによる", kind="plain")
def placeholders(message: Message) -> Iterator[str]:
    """What a program fills in is there: ``%s``, ``%(name)s``, ``{name}``, ``&#9;``."""
    if not message.is_plain:
        return
    texts = (message.msgid, message.msgstr)
    was, became = (Counter(PLACEHOLDER.findall(t) + ENTITY.findall(t)) for t in texts)
    if changed := (was - became) + (became - was):
        yield f"not as in English: {', '.join(sorted(changed))} (copy it)"
    elif unnamed_placeholders(message.msgid) != unnamed_placeholders(message.msgstr):
        yield "the placeholders without names are in another order (keep the order)"


@guard("ko *", "<b>Read</b> on", "<i>계속</i> 읽기", "<b>계속</b> 읽기", kind="plain")
def html(message: Message) -> Iterator[str]:
    """A translation brings no HTML and no script of its own."""
    texts = (message.english, message.prose)
    if message.is_plain:
        texts = (message.msgid, message.msgstr)
    elif any(first_mistake(message)):
        return  # a link that is not closed, perhaps
    was, became = (Counter(TAG.findall(text)) for text in texts)
    found = sorted(f"{tag} is added" for tag in became - was)
    found += sorted(f"{tag} is lost" for tag in was - became if message.is_plain)
    if message.is_plain and not found:
        added = Counter(message.msgstr) - Counter(message.msgid)
        found += sorted(f"{sign!r} is added" for sign in added if sign in UNSAFE)
    if SCRIPT.search(message.msgstr) and not SCRIPT.search(message.msgid):
        found.append("a script is added")
    if found:
        yield f"{', '.join(found)} (keep the tags of the English text, and no others)"


@rule("zh *", "The whole batch", "The whole batch", "整个批次")
def unchanged(message: Message) -> Iterator[str]:
    """English copied into a translation is no translation."""
    if message.msgstr == message.msgid and has_words(message.msgid):
        yield (
            "the text is still English (translate it; if it must stay, write above it"
            " # check-ignore: unchanged - why)"
        )


@guard("ja *", "Batch", "バッチ\u200b", "バッチ")
def invisible(message: Message) -> Iterator[str]:
    """There are no invisible characters, and each is composed (NFC)."""
    characters = set(INVISIBLE.findall(message.msgstr))
    if message.language.partition("_")[0] in WITHOUT_JOINERS:
        characters |= set(JOINERS.findall(message.msgstr))
    for character in sorted(characters - set(message.msgid)):
        before = INVISIBLE.sub("", message.msgstr.partition(character)[0])
        place = f'after "{before[-10:]}"' if before else "at the beginning"
        remedy = REMEDIES.get(character, "delete it")
        yield f"{character_name(character)} {place} ({remedy})"
    for word in message.msgstr.split():
        if (whole := unicodedata.normalize("NFC", word)) != word:
            remedy = "type it again, or save the text as NFC"
            yield f'"{whole}" is in pieces, as some systems type it ({remedy})'
            return


@guard("ko *", "A comment.", "noqa: 설명입니다.", "설명입니다.")
def tools(message: Message) -> Iterator[str]:
    """A comment of code has nothing that Python or its tools would obey."""
    if message.is_plain:
        return
    for sign in ('"""', "'''"):
        if sign in message.msgstr and sign not in message.msgid:
            yield f"{sign} ends the text of a script (leave it out)"
    was, became = (f"# {' '.join(x.split())}" for x in (message.msgid, message.msgstr))
    for pattern in (DIRECTIVE, CODING):
        if (match := pattern.search(became)) and not pattern.search(was):
            yield f"a tool would obey {match[0]!r} in a comment (leave it out)"


def character_name(character: str) -> str:
    if character == "\t":
        return "a tab"
    name = unicodedata.name(character, "").lower()
    return f"U+{ord(character):04X}" + (f", {name}," if name else "")


def numbers_in(text: str) -> set[str]:
    """Return the numbers of a text, without commas and in ASCII digits."""
    text = re.sub(GROUPED, "", unicodedata.normalize("NFKC", text))
    return {re.sub(r",(?=\d{3})", "", number) for number in NUMBER.findall(text)}


def spelled_out(english: str) -> set[str]:
    """Return the numbers that are words in an English text: "three hundred"."""
    values: set[int] = set()
    total = 0
    for word in re.findall(r"[a-z]+", english.lower()):
        if word in NUMBER_WORDS:
            total += NUMBER_WORDS[word]
            values |= {NUMBER_WORDS[word], total}
        elif power := ENGLISH_POWERS.get(word.rstrip("s")):
            total = (total or 1) * power
            values.add(total)
        elif word != "and":
            total = 0
    return {*map(str, values), *re.findall(r"\d+(?=(?:st|nd|rd|th)\b)", english)}


def unnamed_placeholders(text: str) -> list[str]:
    return [sign for sign in PLACEHOLDER.findall(text) if re.match("%[^(%]", sign)]
