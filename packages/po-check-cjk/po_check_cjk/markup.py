"""Rules about markup: a translation has the same as the English text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import wraps

from docutils import nodes

from po_check_cjk.message import Check, Message, guard, kinds, problem, rule
from po_check_cjk.mistyped import addresses, first_mistake, without_address

Collect = Callable[[nodes.document], list[str]]

# what inline markup asks for
APART = "no space inside the markup, \\ and a space between them and letters or digits"
KINDS = {"code": "code", "literal": "code", "math": "math"}  # of roles; "": others


def kept(remedy: str) -> Callable[[Collect], Check]:
    """Make a rule of a function that collects what a translation has as in English.

    Something may be repeated, in place of a pronoun; nothing is found while the markup
    is broken.
    """

    def make(collect: Collect) -> Check:
        @wraps(collect)
        def compare(message: Message) -> Iterator[str]:
            if message.msgid == message.msgstr or not is_readable(message):
                return
            was, became = map(Counter, map(collect, (message.source, message.target)))
            changes = {"lost": was - became, "added": set(became) - set(was)}
            found = [f"{x}: {', '.join(sorted(c))}" for x, c in changes.items() if c]
            if found:
                yield f"{'; '.join(found)} ({remedy})"

        return compare

    return make


@guard("ko *", "Call ``step``.", "``step`을 호출합니다.", "``step``을 호출합니다.")
def broken_markup(message: Message) -> Iterator[str]:
    """Markup is complete: docutils reads the translation without a warning."""
    if message.is_markup and (warning := problem(message.target)):
        yield unclosed(message.target) or f"{warning} (correct it as in English)"


@guard("ja *", "Wrap ``block``.", "2``block``を包む", "2\\ ``block``を包む")
def glued_markup(message: Message) -> Iterator[str]:
    """No character of markup is left over in the text, where readers see it.

    Markup must not touch a Latin letter or a digit; a backslash and a space, which
    are not shown, separate them. Sphinx itself often gives no warning.
    """
    if message.left_over and not problem(message.target):
        signs = " ".join(sorted(message.left_over))
        remedy = f"count the backquotes; {APART}" if "`" in signs else APART
        yield f"{signs} is shown as text ({remedy})"


@guard("zh *", "Number one", "1. 第一", "第一")
def structure(message: Message) -> Iterator[str]:
    """A paragraph stays a paragraph: it does not begin as a list or a quote.

    A heading may begin as a list does, in either language; a comment is no reST.
    """
    if not is_readable(message) or "\t" in {*message.msgstr} - {*message.msgid}:
        return  # other findings have the remedy
    was, became = map(kinds, (message.source, message.target))
    if became not in (was, ["paragraph"]) and not message.is_comment:
        remedy = "begin otherwise, or put \\ before the first character"
        if became[:1] == ["block quote"]:
            remedy = "delete the space before it"
        elif {*became} == {*was}:
            remedy = "leave out the empty line"
        yield f"{', '.join(was)} became {', '.join(became)} ({remedy})"


@rule("ko *", "Call ``step``.", "``stop``을 호출합니다.", "``step``을 호출합니다.")
@kept("write code as in English, two backquotes on each side")
def literals(document: nodes.document) -> list[str]:
    """The code in a message is that of the English text, each piece as often."""
    plain = [f"``{node.astext()}``" for node in document.findall(nodes.literal)]
    return plain + roles_of(document, "code")


@guard("ja *", "See :doc:`/a`.", ":doc:`/b`を参照", ":doc:`こちら </a>`を参照")
@kept("keep role and target, translate the title")
def roles(document: nodes.document) -> list[str]:
    """Roles and their targets are those of the English text; titles may change."""
    return roles_of(document, "")


@guard("zh *", "Take :math:`2x`.", "取 :math:`3x`。", "取 :math:`2x`。")
@kept("formulas stay as in English")
def math(document: nodes.document) -> list[str]:
    """Formulas stay as they are."""
    return roles_of(document, "math")


@guard("ja *", "`Docs <https://a/>`__", "`文 <https://b/>`__", "`文 <https://a/>`__")
@kept("keep the address, translate the text")
def urls(document: nodes.document) -> list[str]:
    """Links lead where the English ones lead."""
    return addresses(document)


@guard("ko *", "See the text [1]_.", "본문을 보십시오.", "본문을 보십시오 [1]_.")
@kept("take the reference over")
def references(document: nodes.document) -> list[str]:
    """Footnotes, citations, substitutions and named references are kept."""
    notes = (nodes.footnote_reference, nodes.citation_reference)
    marks = [
        node.rawsource
        for kind in (*notes, nodes.substitution_reference)
        for node in document.findall(kind)
    ]
    # one without a name takes the next target of the page that has none either
    names = [f"{node.get('refname', '…_')}_" for node in without_address(document)]
    return marks + names


@guard("zh *", "`Docs <https://a/>`__", "`文档 <https://a/>`_", "`文档 <https://a/>`__")
def named_link(message: Message) -> Iterator[str]:
    """A link that was anonymous (two underscores) gets no name.

    A link with one underscore gives its text as a name to the whole page and can
    redirect another link.
    """
    documents = (message.source, message.target)
    was, became = (len([*x.findall(nodes.target)]) for x in documents)
    if became > was:
        yield "the link gives its text as a name to the page (end it with `__)"


@rule("ko *", "the size of a *batch*", "배치의 크기", "*배치*의 크기")
@kept("emphasize the same words")
def emphasis(document: nodes.document) -> list[str]:
    """What is emphasized in English is in the translation too, and nothing else."""
    signs = {nodes.emphasis: "*…*", nodes.strong: "**…**"}
    return [sign for kind, sign in signs.items() for _node in document.findall(kind)]


def is_readable(message: Message) -> bool:
    """Return whether all markup is read as intended, so that it can be compared."""
    return message.is_whole and not any(first_mistake(message))


def unclosed(document: nodes.document) -> str:
    """Return which markup is not closed, and where; "" if that is not the problem."""
    if not problem(document).endswith("without end-string"):
        return ""
    sign = next(iter(document.findall(nodes.problematic)))
    after = sign.next_node(nodes.Text, descend=False, siblings=True)
    words = after.astext().split() if after else []
    before = f' before "{words[0]}"' if words else ""
    return f"{sign.astext()}{before} is not closed (close it as in English; {APART})"


def roles_of(document: nodes.document, kind: str) -> list[str]:
    """Return the roles of one kind, with their targets."""
    return [
        f":{node['role']}:`{node['target'] or '…'}`"
        for node in document.findall(nodes.inline)
        if "role" in node and KINDS.get(node["role"], "") == kind
    ]
