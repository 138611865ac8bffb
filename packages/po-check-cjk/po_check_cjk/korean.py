"""Rules about Korean: the form of particles, their place, and the style."""
# ruff: noqa: RUF001

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from docutils import nodes

from po_check_cjk.characters import SYLLABLES
from po_check_cjk.glossary import Glossary
from po_check_cjk.message import CODE, ELSEWHERE, Message, rule
from po_check_cjk.writing import around

INLINE = (nodes.literal, nodes.reference, nodes.inline, nodes.strong, nodes.emphasis)
HANGUL_START, LETTERS_PER_FINAL = 0xAC00, 28
RIEUL = 8  # ㄹ, the final after which 로 follows as after a vowel
# The final letter of each digit as it is read: 영 일 이 삼 사 오 육 칠 팔 구.
DIGIT_FINALS = dict(zip("0123456789", (21, 8, 0, 16, 0, 0, 1, 8, 8, 0), strict=True))
ALIKE_DIGITS = "245"  # ``block2``: read 이 or 투, without a final in both languages
LETTER_FINALS = {"L": 8, "M": 16, "N": 4}
# The last syllable of words of code, where no pattern below knows it.
READINGS = (
    "epoch=폭 group=룹 step=텝 up=업 zip=집 timeout=웃 layout=웃 out=웃"
    " dropout=웃 split=릿 reset=셋 dataset=셋 snapshot=샷 bucket=킷 socket=킷"
    " input=풋 output=풋 hook=훅 book=북 block=록 type=입 dtype=입 none=논"
    " pipeline=인 combine=인 module=듈 compile=일 single=글 handle=들 shuffle=플"
    " pytorch=치 torch=치 batch=치 rank=크 chunk=크 task=크 check=크 benchmark=크"
    " sync=크 object=트 dict=트 assert=트 autocast=트 broadcast=트 checkpoint=트"
    " weight=트 wait=트 count=트 int=트 true=루 view=뷰 max=스 index=스 cos=인"
    " recv=브 exp=프 share=어"
)
SYLLABLE_OF = dict(pair.split("=") for pair in READINGS.split())
PARTNERS = {
    "은": "는",
    "이": "가",
    "을": "를",
    "과": "와",
    "으로": "로",
}  # final: none
FORMS = {
    **PARTNERS,
    **{without: final for final, without in PARTNERS.items()},
}
TAIL = r"(?:서|써|는|도|만|의|부터)?"
END = f"(?![{SYLLABLES}])"
PARTICLE = (
    rf"(?P<particle>(?:으로|로){TAIL}|(?:과|와)(?:의|는|도)?|[은는이가을를]){END}"
)
LATIN_AND_PARTICLE = re.compile(rf"(?P<word>[A-Za-z][A-Za-z0-9_.]{{0,40}}){PARTICLE}")
NUMBER_AND_PARTICLE = re.compile(rf"(?<![-A-Za-z_.\d])(?P<word>\d+){PARTICLE}")
BEFORE_BRACKETS = re.compile(rf"(?P<word>[{SYLLABLES}])\([A-Za-z][^()]*\){PARTICLE}")
# After Hangul only what is no ending of a noun or a verb: 평가 and 있는 are right.
AFTER_HANGUL = re.compile(
    rf"(?P<word>[{SYLLABLES}](?<!를))(?P<particle>를|와|으로){END}"
)
# Other particles after an open syllable: all but these, which are words or verbs.
AFTER_OPEN = re.compile(
    rf"(?P<word>(?<![{SYLLABLES}])[{SYLLABLES}]{{2,}}|(?<=[\dA-Za-z])[{SYLLABLES}])(?P<particle>[을은과]){END}"
)
WORDS_WITHOUT_PARTICLE = re.compile(
    "(?:.*[아어여])?(?:[지나이모부그저주]을|[지나이모부그저주고뵈]은|까?마은)"
    "|.*(?:[마가노고]을|[효초투사부여외내치교]과)"
)
# Nouns of computing besides those of the glossary: their particles are known.
NOUNS = (
    "모델 데이터 배치 코드 파일 그림 페이지 프로그램 함수 결과 컴퓨터 크기 평균"
    " 메모리 숫자 변수 출력 입력 순서 값 이름 방법 시간 단계 버전 오류 사이트 레슨"
    " 튜토리얼 문서 링크 연산 명령 객체 클래스 모듈 주석 설명 언어 셀 표 수 합"
    " 행 열 때 것 쪽 조각 절반 하나 여러분"
)
PARTICLE_OF_NOUN = "[은는이가을를과와]"
# A particle after a particle. What can be the end of a noun is left out: 경로로.
PARTICLE_TWICE = re.compile(
    rf"(?<=[A-Za-z0-9)\]{CODE}{ELSEWHERE}])"
    rf"(?:[을를은는이가의]{{2}}|(?:에서){{2}}|에{{2}}|로로|와와|과과){END}"
    rf"|(?<=[{SYLLABLES}])(?:를[을를은는이가의]|(?<![마가노])을[을를은는가의]|는[는을를은의]"
    r"|(?<![얇젊])은[은는을를의]|이이|에에|에서에서?|에(?:서)?[을를은]|에(?:서)?는는|와와"
    r"|으로으로|까지까지|부터부터|처럼처럼|(?<![경회도진통미항선프])(?<!제)로로|실제로로"
    r"|(?<![평추국증휴허작문자악업화상언군딘])가가|(?<![길깊높넓사차나아])이가가"
    rf"|(?<=..)(?<![정주회합논강동편유협토문심명결상고창성광임])의의){END}"
)
# No particles are alone in "이 페이지", "도 단위" and "더 가 볼".
ALONE = (
    "은|는|을|를|의|에|에서|에서는|에게|으로|으로는|으로써|로써|로부터|부터|까지|처럼|마다|에는"
    "|에도|와|과|라는|이라는|란|이란|조차"
)
APART_IN_TEXT = re.compile(
    rf"(?<=[A-Za-z0-9)\]\"'”’{SYLLABLES}]) +(?:{ALONE})(?![\w-])|(?<=으) 로(?!\w)"
    rf"|(?<=[A-Za-z)\]]) +(?:가|과|와|로|로는|도|만|보다)(?![\w-])"
    rf"|(?<=\d) +(?:가|과|와|로)(?![\w-])"
)
PARTICLES = (
    "(?:으로|로)(?:부터|서|써|는|도|만)?|에(?:서는|서|게|는|도)?|은|는|이|가|을|를|와|과|의"
    "|도|만|까지|부터|처럼|보다|마다|(?:이)?(?:라는|란)"
)
PARTICLE_APART = re.compile(rf" +({PARTICLES})(?!\w)")
# A match begins where a word does: else a long word is looked through at each letter.
KOREAN_PLAIN = re.compile(
    r"(?<!\w)\w*(?:(?<![니마보])다|(?<![중필주수까])요)[.!?](?!\w)"
)


@rule("ko", "Call ``step``.", "``step`` 을 호출합니다.", "``step``을 호출합니다.")
def particle_space(message: Message) -> Iterator[str]:
    """A Korean particle follows code, a link or an emphasized word without a space."""
    for node in message.target.findall(lambda node: isinstance(node, INLINE)):
        after = node.next_node(descend=False, siblings=True)
        if isinstance(after, nodes.Text) and (particle := PARTICLE_APART.match(after)):
            yield f'"{node.astext()}" and {particle[1]} are apart (delete the space)'
            return
    after_noun = re.compile(rf"{nouns(message.glossary)} +(?:가|과|와|로)(?!\w)")
    text = message.prose
    if match := APART_IN_TEXT.search(text) or after_noun.search(text):
        yield f'"{around(match)}" has its particle apart (delete the space)'


@rule("ko", "The wrapper is new.", "래퍼(wrapper)이 새것", "래퍼(wrapper)가 새것")
def particle_form(message: Message) -> Iterator[str]:
    """A Korean particle has the form that the sound before it asks for.

    The sound is known after Hangul, numbers, abbreviations such as GPU, and English
    words with a clear ending. After Hangul in front of brackets it counts as well.
    """
    after_noun = re.compile(
        rf"{nouns(message.glossary)}(?P<particle>{PARTICLE_OF_NOUN}){END}"
    )
    patterns = [LATIN_AND_PARTICLE, NUMBER_AND_PARTICLE, BEFORE_BRACKETS, AFTER_HANGUL]
    for pattern in (*patterns, AFTER_OPEN, after_noun):
        for match in pattern.finditer(message.target.astext()):
            if pattern is AFTER_OPEN and WORDS_WITHOUT_PARTICLE.fullmatch(match[0]):
                continue
            right = right_form(match["word"], match["particle"])
            if right != match["particle"]:
                yield f"{match[0]} (write {right} after this sound)"


@rule("ko", "Split the batch.", "배치를를 나눕니다.", "배치를 나눕니다.")
def particle_twice(message: Message) -> Iterator[str]:
    """A word has one particle that marks its part in the sentence."""
    twice = re.compile(rf"{nouns(message.glossary)}{PARTICLE_OF_NOUN}{{2}}{END}")
    if match := PARTICLE_TWICE.search(message.prose) or twice.search(message.prose):
        yield f'"{around(match)}" (leave one particle)'


@rule("ko", "It computes.", "계산한다.", "계산합니다.")
def formal_korean(message: Message) -> Iterator[str]:
    """Korean sentences are in the formal polite style, 합니다체."""
    for match in KOREAN_PLAIN.finditer(message.prose):
        yield f'"{match[0]}" is not 합니다체 (end with -니다 or -십시오)'


@functools.lru_cache(maxsize=1)
def nouns(glossary: Glossary) -> str:
    """Return a pattern for the nouns of the glossary and others of this field."""
    last = (word.split()[-1:] for word in glossary.translations("ko"))
    known = {noun for words in last for noun in words if noun[-1] not in "다않"}
    hangul = [
        noun
        for noun in {*known, *NOUNS.split()}
        if re.fullmatch(rf"[{SYLLABLES}]+", noun)
    ]
    long, short = (
        "|".join(sorted(noun for noun in hangul if (len(noun) > 1) is is_long))
        for is_long in (True, False)
    )
    return rf"(?P<word>{long}|(?<![{SYLLABLES}])(?:{short}))"


def right_form(word: str, particle: str) -> str:
    """Return the particle as it follows a word; as it is if the sound is unknown."""
    last = final(word)
    base = next(filter(particle.startswith, sorted(FORMS, key=len, reverse=True)))
    if last is None:
        return particle
    closed = last != 0 and not (base in ("으로", "로") and last == RIEUL)
    right = base if (base in PARTNERS) == closed else FORMS[base]
    return right + particle.removeprefix(base)


def final(word: str) -> int | None:
    """Return the number of a word's final consonant, 0 for none, None if unknown."""
    if word[-1] >= "가":
        return (ord(word[-1]) - HANGUL_START) % LETTERS_PER_FINAL
    if word.isdigit():
        return DIGIT_FINALS[word[-1]]
    if word[-1].isdigit():
        return DIGIT_FINALS[word[-1]] if word[-1] in ALIKE_DIGITS else None
    word = re.split(r"[_.]", word)[-1]
    return english_final(word) if word else None


def english_final(word: str) -> int | None:
    """Return the final of an English word or an abbreviation as Koreans read it."""
    if len(word) == 1 or (word.isupper() and not re.search("[AEIOUY]", word)):
        return None if word[-1] in "rR" else LETTER_FINALS.get(word[-1].upper(), 0)
    if reading := SYLLABLE_OF.get(word.lower()):
        return final(reading)
    if re.search(r"(?:[aiouyds]|ee|[cdgstvz]e|sh|[aeiou]r)$", word, re.IGNORECASE):
        return 0
    if re.search(r"(?:[lmn]|ng)$", word, re.IGNORECASE):
        return {"l": 8, "m": 16, "n": 4, "g": 21}[word[-1].lower()]
    return None
