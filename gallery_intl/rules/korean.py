"""Tell which form a Korean particle has after a sound, where the sound is known."""

from __future__ import annotations

import re
from collections.abc import Iterator

HANGUL_START, LETTERS_PER_FINAL = 0xAC00, 28
RIEUL = 8  # ㄹ, the final after which 로 follows as after a vowel
# The final letter of each digit as it is read: 영 일 이 삼 사 오 육 칠 팔 구.
DIGIT_FINALS = dict(zip("0123456789", (21, 8, 0, 16, 0, 0, 1, 8, 8, 0), strict=True))
ALIKE = "245"  # ``block2``: read 이 or 투, without a final in both languages
LETTER_FINALS = {"L": 8, "M": 16, "N": 4}
PAIRS = {"은": "는", "이": "가", "을": "를", "과": "와", "으로": "로"}  # final: none
FORMS = {**PAIRS, **{without: final for final, without in PAIRS.items()}}
TAIL = r"(?:서|써|는|도|만|의|부터)?"
PARTICLE = rf"(?P<particle>(?:으로|로){TAIL}|(?:과|와)(?:의|는|도)?|[은는이가을를])"
LATIN_WORD = re.compile(
    rf"(?P<word>[A-Za-z][A-Za-z0-9_.]{{0,40}}){PARTICLE}(?![가-힣])"
)
NUMBER = re.compile(rf"(?<![-A-Za-z_.\d])(?P<word>\d+){PARTICLE}(?![가-힣])")
BEFORE_BRACKETS = re.compile(
    rf"(?P<word>[가-힣])\([A-Za-z][^()]*\){PARTICLE}(?![가-힣])"
)
# After Hangul only what is no ending of a noun or a verb: 평가 and 있는 are right.
HANGUL = re.compile(r"(?P<word>[가-힣])(?P<particle>를|와|으로)(?![가-힣])")


def particle_errors(text: str) -> Iterator[str]:
    """Say which particles of a text have the wrong form."""
    for pattern in (LATIN_WORD, NUMBER, BEFORE_BRACKETS, HANGUL):
        for match in pattern.finditer(text):
            right = right_form(match["word"], match["particle"])
            if right != match["particle"]:
                yield f"{match[0]} (write {right} after this sound)"


def right_form(word: str, particle: str) -> str:
    """Give the particle as it follows a word; as it is if the sound is unknown."""
    last = final(word)
    base = next(filter(particle.startswith, sorted(FORMS, key=len, reverse=True)))
    if last is None:
        return particle
    closed = last != 0 and not (base in ("으로", "로") and last == RIEUL)
    right = base if (base in PAIRS) == closed else FORMS[base]
    return right + particle.removeprefix(base)


def final(word: str) -> int | None:
    """Give the number of a word's final consonant, 0 for none, None if unknown."""
    if word[-1] >= "가":
        return (ord(word[-1]) - HANGUL_START) % LETTERS_PER_FINAL
    if word.isdigit():
        return DIGIT_FINALS[word[-1]]
    if word[-1].isdigit():
        return DIGIT_FINALS[word[-1]] if word[-1] in ALIKE else None
    word = re.split(r"[_.]", word)[-1]
    return english_final(word) if word else None


def english_final(word: str) -> int | None:
    """Give the final of an English word or an abbreviation as Koreans read it."""
    if len(word) == 1 or (word.isupper() and not re.search("[AEIOUY]", word)):
        return None if word[-1] in "rR" else LETTER_FINALS.get(word[-1].upper(), 0)
    if re.search(r"(?:[aiouy]|ee|[aeiou]r)$", word, re.IGNORECASE):
        return 0
    if re.search(r"(?:[lmn]|ng)$", word, re.IGNORECASE):
        return {"l": 8, "m": 16, "n": 4, "g": 21}[word[-1].lower()]
    return None
