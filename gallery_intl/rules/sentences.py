"""Rules about sentences: Korean particles, and the style of Korean and Japanese."""
# ruff: noqa: RUF001

from __future__ import annotations

import re
from collections.abc import Iterator

from docutils import nodes

from gallery_intl.rules.korean import particle_errors
from gallery_intl.rules.message import Message, rule

PARTICLES = (
    "(?:으로|로)(?:부터|서|써|는|도|만)?|에(?:서는|서|게|는|도)?|은|는|이|가|을|를|와|과|의"
    "|도|만|까지|부터|처럼|보다|마다|(?:이)?(?:라는|란)"
)
APART = re.compile(rf" +({PARTICLES})(?!\w)")
# A match begins where a word does: else a long word is looked through at each letter.
KOREAN_PLAIN = re.compile(
    r"(?<!\w)\w*(?:(?<![니마보])다|(?<![중필주수까])요)[.!?](?!\w)"
)
JAPANESE_PLAIN = re.compile(
    r"(?<!\w)\w*(?:(?<![まで])す|[くぐつぬぶむる]|(?<!しょ)う|(?<!さ)い|(?<!まし)(?<!でし)た|だ)。"
)
BRACKETED = re.compile(r"（[^（）]*）|「[^「」]*」")


@rule("ko")
def particle_space(message: Message) -> Iterator[str]:
    """A Korean particle follows code, a link or an emphasized word without a space.

    Bad (ko): "Call ``step``." -> "``step`` 을 호출합니다."
    Good (ko): "Call ``step``." -> "``step``을 호출합니다."
    """
    for node in message.target.findall(is_inline):
        after = node.next_node(descend=False, siblings=True)
        found = APART.match(str(after)) if isinstance(after, nodes.Text) else None
        if found:
            yield f'"{node.astext()}" and {found[1]} are apart (delete the space)'


@rule("ko")
def particle_form(message: Message) -> Iterator[str]:
    """A Korean particle has the form that the sound before it asks for.

    The sound is known after Hangul, numbers, abbreviations such as GPU, and English
    words with a clear ending. After Hangul in front of brackets it counts as well.

    Bad (ko): "The GPU computes." -> "GPU이 계산합니다."
    Good (ko): "The wrapper computes." -> "래퍼(wrapper)가 계산합니다."
    """
    yield from particle_errors(message.target.astext())


@rule("ko")
def formal_korean(message: Message) -> Iterator[str]:
    """Korean sentences are in the formal polite style, 합니다체.

    Bad (ko): "It computes." -> "계산한다."
    Good (ko): "It computes." -> "계산합니다."
    """
    for match in KOREAN_PLAIN.finditer(message.prose):
        yield f'"{match[0]}" is not 합니다체 (end with -니다 or -십시오)'


@rule("ja")
def polite_japanese(message: Message) -> Iterator[str]:
    """Japanese sentences end in です or ます, or are no sentences.

    Bad (ja): "It computes." -> "計算する。"
    Good (ja): "It computes." -> "計算します。"
    """
    for match in JAPANESE_PLAIN.finditer(BRACKETED.sub("", message.prose)):
        yield f'"{match[0]}" is not です・ます (end with です or ます)'


def is_inline(node: nodes.Node) -> bool:
    kinds = (nodes.literal, nodes.reference, nodes.inline, nodes.strong, nodes.emphasis)
    return isinstance(node, kinds)
