"""Rules about markup: what a translation must take over from the English text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

from docutils import nodes

from gallery_intl.rules.message import Message, kinds, problem, rule

KINDS = {"code": "code", "literal": "code", "math": "math"}  # of roles; "": others


@rule(guard=True)
def broken_markup(message: Message) -> Iterator[str]:
    """Markup is complete: docutils reads the translation without a complaint.

    Bad (ko): "Call ``step``." -> "``step`을 호출합니다."
    Good (ko): "Call ``step``." -> "``step``을 호출합니다."
    """
    if message.is_markup and (complaint := problem(message.target)):
        yield f"{complaint} (close the markup as in English, or put \\ before the sign)"


@rule(guard=True)
def glued_markup(message: Message) -> Iterator[str]:
    r"""No sign of markup is left over in the text, shown to readers as it is.

    Markup must not touch a Latin letter or a digit; a backslash and a space, which
    are not shown, divide them. Sphinx itself often says nothing.

    Bad (ja): "Wrap ``block``." -> "2``block``をラップします。"
    Good (ja): "Wrap ``block``." -> "2\ ``block``をラップします。"
    """
    if message.left_over and not problem(message.target):
        signs = " ".join(sorted(message.left_over))
        yield f"{signs} is shown as text (divide markup and letters by \\ and a space)"


@rule(guard=True)
def structure(message: Message) -> Iterator[str]:
    """A paragraph stays a paragraph: it begins with no sign of a list or a quote.

    Bad (zh_CN): "Number one" -> "1. 第一"
    Good (zh_CN): "Number one" -> "第一"
    """
    if message.is_whole:
        was, became = map(kinds, (message.source, message.target))
        if was != became:
            change = f"{', '.join(was)} became {', '.join(became)}"
            yield f"{change} (begin otherwise, or put \\ before the first sign)"


@rule()
def literals(message: Message) -> Iterator[str]:
    """The code in a message is that of the English text, each piece as often.

    Bad (ko): "Call ``step``." -> "``stop``을 호출합니다."
    Good (ko): "Call ``step``." -> "``step``을 호출합니다."
    """
    yield from compare(message, literals_of, "code stays as in English")


@rule(guard=True)
def roles(message: Message) -> Iterator[str]:
    """Roles and their targets are those of the English text; titles may change.

    Bad (ja): "See :doc:`/a`." -> ":doc:`/b`を参照してください。"
    Good (ja): "See :doc:`/a`." -> ":doc:`こちら </a>`を参照してください。"
    """
    yield from compare(message, roles_of, "keep role and target, translate the title")


@rule(guard=True)
def math(message: Message) -> Iterator[str]:
    """Formulas stay as they are.

    Bad (zh_CN): "Take :math:`2x`." -> "取 :math:`3x`。"
    Good (zh_CN): "Take :math:`2x`." -> "取 :math:`2x`。"
    """
    yield from compare(
        message, partial(roles_of, kind="math"), "formulas stay as in English"
    )


@rule(guard=True)
def urls(message: Message) -> Iterator[str]:
    """Links lead where the English ones lead.

    Bad (ja): "`Docs <https://a.org/>`__" -> "`文書 <https://b.org/>`__"
    Good (ja): "`Docs <https://a.org/>`__" -> "`文書 <https://a.org/>`__"
    """
    yield from compare(message, urls_of, "keep the address, translate the text")


@rule(guard=True)
def references(message: Message) -> Iterator[str]:
    """Footnotes, citations, substitutions and named references are kept.

    Bad (ko): "See the text [1]_." -> "본문을 참고하십시오."
    Good (ko): "See the text [1]_." -> "본문을 참고하십시오 [1]_."
    """
    yield from compare(message, references_of, "take the reference over")


@rule(guard=True)
def named_link(message: Message) -> Iterator[str]:
    """A link that was anonymous (two underscores) gets no name.

    A link with one underscore gives its text as a name to the whole page and can
    redirect another link.

    Bad (zh_CN): "`Docs <https://a.org/>`__" -> "`文档 <https://a.org/>`_"
    Good (zh_CN): "`Docs <https://a.org/>`__" -> "`文档 <https://a.org/>`__"
    """
    was, became = (
        list(document.findall(nodes.target))
        for document in (message.source, message.target)
    )
    if len(became) > len(was):
        yield "the link gives its text as a name to the page (end it with `__)"


@rule()
def emphasis(message: Message) -> Iterator[str]:
    """What is emphasized in English is in the translation too, and nothing else.

    Bad (ko): "the size of a batch" -> "배치*의*크기"
    Good (ko): "the size of a *batch*" -> "*배치*의 크기"
    """
    yield from compare(message, emphasis_of, "emphasize the same words")


def literals_of(document: nodes.document) -> list[str]:
    plain = [f"``{node.astext()}``" for node in document.findall(nodes.literal)]
    return plain + roles_of(document, "code")


def roles_of(document: nodes.document, kind: str = "") -> list[str]:
    """Return the roles of one kind, with their targets."""
    return [
        f":{node['role']}:`{node['target'] or '…'}`"
        for node in document.findall(nodes.inline)
        if "role" in node and KINDS.get(node["role"], "") == kind
    ]


def urls_of(document: nodes.document) -> list[str]:
    links = document.findall(nodes.reference)
    return [node["refuri"] for node in links if "refuri" in node]


def references_of(document: nodes.document) -> list[str]:
    kinds = (
        nodes.footnote_reference,
        nodes.citation_reference,
        nodes.substitution_reference,
    )
    found = [node.rawsource for kind in kinds for node in document.findall(kind)]
    links = document.findall(nodes.reference)
    # one without a name takes the next target of the page that has none either
    names = [f"{node.get('refname', '…_')}_" for node in links if "refuri" not in node]
    return found + names


def emphasis_of(document: nodes.document) -> list[str]:
    signs = {nodes.emphasis: "*…*", nodes.strong: "**…**"}
    return [sign for kind, sign in signs.items() for _node in document.findall(kind)]


def compare(
    message: Message, collect: Callable[[nodes.document], list[str]], remedy: str
) -> Iterator[str]:
    """Yield what a translation lost and added; nothing while its markup is broken.

    Something may be said once more than in English, in place of a pronoun.
    """
    if message.msgid == message.msgstr or not message.is_whole:
        return
    was, became = map(Counter, map(collect, (message.source, message.target)))
    changes = {"lost": was - became, "added": set(became) - set(was)}
    told = [f"{name}: {', '.join(sorted(c))}" for name, c in changes.items() if c]
    if told:
        yield f"{'; '.join(told)} ({remedy})"
