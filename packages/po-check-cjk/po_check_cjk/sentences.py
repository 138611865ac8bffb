"""Rules about whole sentences: none is missing, repeated or left in English."""
# ruff: noqa: RUF001

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import combinations

from po_check_cjk.alignment import Sentence, lack
from po_check_cjk.characters import HAN, HAN_AND_KANA, SYLLABLES
from po_check_cjk.glossary import has_term
from po_check_cjk.message import CODE, Message, prose, rule

# Letters of a translation for one of English: the medians of our catalogs.
RATIOS = {"ko": 0.54, "zh": 0.394, "ja": 0.625}
ENOUGH = 0.75  # see `lack`
ALMOST_EQUAL, SHORTEST = 0.9, 8  # sentences that are almost the same
MOST = 40  # sentences of a message: to compare more takes long
SENTENCE = re.compile(r".*?(?:[.!?](?=\s)|[。！？]|$)", re.DOTALL)
WORD = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.+-]*[A-Za-z0-9_+])?")
NAMED = re.compile(r"[0-9]|[A-Z].*[A-Z]")
LONGEST_GLOSS = 5  # words of English in brackets: 상태 사전(state dict)
GLOSS = re.compile(
    rf"[(（](?=[^)）]*[A-Za-z])(?:[!-'*-~]+ ?){{1,{LONGEST_GLOSS}}}(?<! )[)）]"
)
FIRST_MARK = 0xE100  # characters that no text uses, each for a piece of code
MARK = re.compile("[\ue100-\uf8ff]")
# One Han word twice is wrong but 一步一步; so are a few words or letters of others.
REPEATED = re.compile(
    rf"(?<!一)(?!一)([{HAN}]{{2,6}})\1|([{HAN_AND_KANA}]{{4,60}})[，、。； ]?\2"
    rf"|([{SYLLABLES}]{{3,}})\3|(?<!\w)(\w+(?: \w+)+)[ ,.]+\4(?!\w)"
)
FUNCTION_WORDS = (
    "a an the this that these those it its they them their we our you your i"
    " is are was were be been has have had do does did can will would should"
    " must may of to in on at by for from with without into onto over under"
    " and or but so if when while because than then as not no each every all"
    " which what who how why where there here only one both some any more"
)
LATIN_RUN = re.compile(
    r"(?<![A-Za-z])[A-Za-z][\w'’-]*(?:(?:, | )[A-Za-z0-9][\w'’-]*)+", re.ASCII
)
# Words that are no commands and no names of anything.
EVERYDAY_WORDS = (
    "about above across added adds after again against almost along already also"
    " always among and another answer answers apart are arguments around asks average"
    " averaged averages back bars because become been before begin beginning begins"
    " behind being belongs below beside between beyond billion both bubble buckets"
    " buffer buffers build built busy but called calling came can causes change"
    " changed changes choose closed come comes common compare compares computes cores"
    " costs could counted counts crosses cut cuts decides depends device devices"
    " differ different divide divided divides does doing draws drop dropped during"
    " each early eight empty ends enough equally estimate even every everything"
    " example explains failed fails falls far fast faster fewer files fill filled"
    " fills finds finished first fit fits five folder follow follows four further"
    " gathered gets give given gives goes going good grow grows had half halves hand"
    " hangs happens hardly has have having helps hence here hide hides hold holds how"
    " inside instead into is its itself just keep keeps kind know knows language large"
    " larger later leads learn learning learns leave leaves left less lesson lessons"
    " let lets little long longer look looks loop losses lost lower machine machines"
    " made makes manual many matter may means measure measured meet middle might"
    " minutes mistake more most moves much must near nearly need needs neither never"
    " new nobody nothing notices now of off often old older once one ones only onto"
    " opens other others otherwise our outside over own passes pay piece plain prints"
    " programs puts rate reach reaches ready reason receives refuses remember rest"
    " resume right row same saves say says second seconds see seen sees sends sent"
    " sets seven several shapes shared shares short should shows since six slice"
    " slices slow slower small smaller some something splits stands started starts"
    " stay stayed stays steps still stop stops such sums take teach tell tells ten"
    " than that the their them then there these they things third this those three"
    " through thus times together too toward training trains trap travel twice two"
    " under unless until upon upper uses usually very wait waiting waits was way ways"
    " were what when where which who whole whose why will within without works would"
    " writes written wrong yet you your yours"
)
LEFT_ALONE = re.compile(
    rf"(?<![\w.`-])(?:{EVERYDAY_WORDS.replace(' ', '|')})(?![\w`-])", re.ASCII
)
QUOTED = re.compile(r"“[^”]*”|「[^」]*」|『[^』]*』|《[^》]*》|\"[^\"]*\"")
INSIDE_BRACKETS = re.compile(r"[(（][^()（）]*[)）]")


@rule(
    "ko zh ja",
    "It holds for all parameters. The buffers are different.",
    "모든 매개변수가 이렇습니다.",
    "모든 매개변수가 이렇지만 버퍼는 다릅니다.",
)
def missing_sentence(message: Message) -> Iterator[str]:
    """Each sentence is translated, be it joined with another or cut in two.

    Their lengths are compared, and the code, names, numbers and terms in them.
    """
    if message.is_plain or message.msgid == message.msgstr:
        return
    english, ours = marked_sentences(message)
    if not 1 < len(english) <= MOST >= len(ours):
        return
    if lack(*both_sides(message, english, ours)) > ENOUGH:
        yield "a sentence seems to be missing (compare it with the English text)"


@rule(
    "ko zh ja",
    "Split the batch. Then add.",
    "배치를 나눕니다. 배치를 나눕니다. 그리고 더합니다.",
    "배치를 나눕니다. 그리고 더합니다.",
)
def repeated(message: Message) -> Iterator[str]:
    """No sentence and no group of words is repeated, unless English repeats it."""
    if any(twice(message.english)) or REPEATED.search(message.english):
        return
    for repetition in twice(message.prose):
        yield f'"{repetition[:30]}" occurs twice (write it once)'
        return
    if match := REPEATED.search(message.prose):
        yield f'"{match[0]}" (write it once)'


@rule(
    "ko zh ja",
    "Split the batch. Then add the parts.",
    "배치를 나눕니다. Then add the parts.",
    "배치를 나눕니다. 그리고 부분을 더합니다.",
)
def left_in_english(message: Message) -> Iterator[str]:
    """No part of a sentence stays English; titles in quotes and names may."""
    if message.msgid == message.msgstr:  # see the rule `unchanged`
        return
    text = QUOTED.sub(CODE, INSIDE_BRACKETS.sub(without_gloss, message.prose))
    match: re.Match[str] | None
    for match in LATIN_RUN.finditer(text):
        words = re.split(r",? ", match[0])
        is_sentence = re.match(r"[.!?](?!\w)", text[match.end() :]) is not None
        lower = {word.lower() for word in words if word != word.upper() or word == "A"}
        known = lower.intersection(FUNCTION_WORDS.split())
        if known and len(words) >= (2 if is_sentence else 3):
            yield f'"{match[0][:40]}" is still English (translate it)'
            return
    if match := LEFT_ALONE.search(text):
        yield f'"{match[0]}" is still English (translate it)'


def both_sides(
    message: Message, english: list[str], ours: list[str]
) -> tuple[list[Sentence], list[Sentence]]:
    """Return the sentences of both texts as `lack` compares them."""
    kept = set(WORD.findall(GLOSS.sub("", message.prose)))
    ratio = RATIOS[message.language.partition("_")[0]]
    translated = dict(terms_of(message))
    source = [
        Sentence(
            count_letters(text, kept) * ratio,
            names_in(text, kept),
            frozenset(message.glossary.terms(text)).intersection(translated),
        )
        for text in english
    ]
    named = frozenset[str]().union(*(sentence.names for sentence in source))
    target = [
        Sentence(
            count_letters(text, kept),
            names_in(text, kept) & named,
            frozenset(
                term
                for term, ours in translated.items()
                if has_term(text, term, ours, message.language)
            ),
        )
        for text in ours
    ]
    return source, target


def marked_sentences(message: Message) -> tuple[list[str], list[str]]:
    """Return the sentences of both texts, with a letter for each piece of code."""
    marks: dict[str, str] = {}

    def mark(code: str) -> str:
        return marks.setdefault(code, chr(FIRST_MARK + len(marks) % 0x1000))

    english, ours = (
        sentences(" ".join(prose(side, mark).split()))
        for side in (message.source, message.target)
    )
    return english, ours


def sentences(text: str) -> list[str]:
    return [sentence.strip() for sentence in SENTENCE.findall(text) if sentence.strip()]


def terms_of(message: Message) -> Iterator[tuple[str, str]]:
    """Yield the glossary's terms in the English text, with their translations."""
    for term in message.glossary.terms(message.english):
        if translation := message.glossary.rows[term].get(message.language):
            yield term, translation


def count_letters(text: str, kept: set[str]) -> int:
    """Count the letters, but for English in brackets and words that stay."""
    text = GLOSS.sub("", text)
    words = WORD.sub(lambda word: "" if kept_form(word[0], kept) else word[0], text)
    return sum(map(str.isalnum, words))


def kept_form(word: str, kept: set[str]) -> str:
    """Return a word, or its singular, if the translation has it; else nothing."""
    if word in kept:
        return word
    bare = word.removesuffix("s")
    return bare if bare in kept else ""


def names_in(text: str, kept: set[str]) -> frozenset[str]:
    """Return what a sentence has in common with a translation: code, names, numbers."""
    words = (kept_form(word, kept) for word in WORD.findall(GLOSS.sub("", text)))
    return frozenset([*MARK.findall(text), *filter(NAMED.search, words)])


def twice(text: str) -> Iterator[str]:
    """Yield sentences that a text has twice, or almost so."""
    for first, second in combinations(sentences(text)[:MOST], 2):
        matcher = SequenceMatcher(None, first, second, autojunk=False)
        is_long = min(len(first), len(second)) >= SHORTEST
        if first == second or (
            is_long and matcher.quick_ratio() > ALMOST_EQUAL < matcher.ratio()
        ):
            yield second


def without_gloss(match: re.Match[str]) -> str:
    """Leave out a word of English in brackets, but no sentence."""
    is_short = len(match[0].split()) <= LONGEST_GLOSS
    return CODE if is_short else match[0]
