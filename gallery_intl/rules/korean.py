"""Rules about Korean: which form a particle has, where it stands, and the style."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docutils import nodes

from gallery_intl.rules.message import Message, rule
from gallery_intl.text.cjk import SYLLABLES

INLINE = (nodes.literal, nodes.reference, nodes.inline, nodes.strong, nodes.emphasis)
HANGUL_START, LETTERS_PER_FINAL = 0xAC00, 28
RIEUL = 8  # ㄹ, the final after which 로 follows as after a vowel
# The final letter of each digit as it is read: 영 일 이 삼 사 오 육 칠 팔 구.
DIGIT_FINALS = dict(zip("0123456789", (21, 8, 0, 16, 0, 0, 1, 8, 8, 0), strict=True))
ALIKE = "245"  # ``block2``: read 이 or 투, without a final in both languages
LETTER_FINALS = {"L": 8, "M": 16, "N": 4}
PAIRS = {"은": "는", "이": "가", "을": "를", "과": "와", "으로": "로"}  # final: none
FORMS = {**PAIRS, **{without: final for final, without in PAIRS.items()}}
TAIL = r"(?:서|써|는|도|만|의|부터)?"
END = f"(?![{SYLLABLES}])"
PARTICLE = (
    rf"(?P<particle>(?:으로|로){TAIL}|(?:과|와)(?:의|는|도)?|[은는이가을를]){END}"
)
LATIN_WORD = re.compile(rf"(?P<word>[A-Za-z][A-Za-z0-9_.]{{0,40}}){PARTICLE}")
NUMBER = re.compile(rf"(?<![-A-Za-z_.\d])(?P<word>\d+){PARTICLE}")
BEFORE_BRACKETS = re.compile(rf"(?P<word>[{SYLLABLES}])\([A-Za-z][^()]*\){PARTICLE}")
# After Hangul only what is no ending of a noun or a verb: 평가 and 있는 are right.
AFTER_HANGUL = re.compile(rf"(?P<word>[{SYLLABLES}])(?P<particle>를|와|으로){END}")
PARTICLES = (
    "(?:으로|로)(?:부터|서|써|는|도|만)?|에(?:서는|서|게|는|도)?|은|는|이|가|을|를|와|과|의"
    "|도|만|까지|부터|처럼|보다|마다|(?:이)?(?:라는|란)"
)
APART = re.compile(rf" +({PARTICLES})(?!\w)")
# A match begins where a word does: else a long word is looked through at each letter.
KOREAN_PLAIN = re.compile(
    r"(?<!\w)\w*(?:(?<![니마보])다|(?<![중필주수까])요)[.!?](?!\w)"
)


@rule("ko", "Call ``step``.", "``step`` 을 호출합니다.", "``step``을 호출합니다.")
def particle_space(message: Message) -> Iterator[str]:
    """A Korean particle follows code, a link or an emphasized word without a space."""
    for node in message.target.findall(lambda node: isinstance(node, INLINE)):
        after = node.next_node(descend=False, siblings=True)
        if isinstance(after, nodes.Text) and (found := APART.match(after)):
            yield f'"{node.astext()}" and {found[1]} are apart (delete the space)'


@rule("ko", "The wrapper is new.", "래퍼(wrapper)이 새것", "래퍼(wrapper)가 새것")
def particle_form(message: Message) -> Iterator[str]:
    """A Korean particle has the form that the sound before it asks for.

    The sound is known after Hangul, numbers, abbreviations such as GPU, and English
    words with a clear ending. After Hangul in front of brackets it counts as well.
    """
    for pattern in (LATIN_WORD, NUMBER, BEFORE_BRACKETS, AFTER_HANGUL):
        for match in pattern.finditer(message.target.astext()):
            right = right_form(match["word"], match["particle"])
            if right != match["particle"]:
                yield f"{match[0]} (write {right} after this sound)"


@rule("ko", "It computes.", "계산한다.", "계산합니다.")
def formal_korean(message: Message) -> Iterator[str]:
    """Korean sentences are in the formal polite style, 합니다체."""
    for match in KOREAN_PLAIN.finditer(message.prose):
        yield f'"{match[0]}" is not 합니다체 (end with -니다 or -십시오)'


def right_form(word: str, particle: str) -> str:
    """Return the particle as it follows a word; as it is if the sound is unknown."""
    last = final(word)
    base = next(filter(particle.startswith, sorted(FORMS, key=len, reverse=True)))
    if last is None:
        return particle
    closed = last != 0 and not (base in ("으로", "로") and last == RIEUL)
    right = base if (base in PAIRS) == closed else FORMS[base]
    return right + particle.removeprefix(base)


def final(word: str) -> int | None:
    """Return the number of a word's final consonant, 0 for none, None if unknown."""
    if word[-1] >= "가":
        return (ord(word[-1]) - HANGUL_START) % LETTERS_PER_FINAL
    if word.isdigit():
        return DIGIT_FINALS[word[-1]]
    if word[-1].isdigit():
        return DIGIT_FINALS[word[-1]] if word[-1] in ALIKE else None
    word = re.split(r"[_.]", word)[-1]
    return english_final(word) if word else None


def english_final(word: str) -> int | None:
    """Return the final of an English word or an abbreviation as Koreans read it."""
    if len(word) == 1 or (word.isupper() and not re.search("[AEIOUY]", word)):
        return None if word[-1] in "rR" else LETTER_FINALS.get(word[-1].upper(), 0)
    if re.search(r"(?:[aiouy]|ee|[aeiou]r)$", word, re.IGNORECASE):
        return 0
    if re.search(r"(?:[lmn]|ng)$", word, re.IGNORECASE):
        return {"l": 8, "m": 16, "n": 4, "g": 21}[word[-1].lower()]
    return None
