"""Find typing mistakes in markup, which docutils reads as something else."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from docutils import nodes

from po_check_cjk.message import EXPLICIT_TITLE, Message, guard

MARKUP, MARKER = "markup", "marker"  # kinds of mistakes


@guard("ko *", "Call ``step``.", "`step`을 호출합니다.", "``step``을 호출합니다.")
def mistyped_markup(message: Message) -> Iterator[str]:
    """Markup is typed in full: two backquotes for code, a link's address."""
    kind, mistake = first_mistake(message)
    if kind == MARKUP:
        yield mistake


@guard("ko *", "Run this::", "실행합니다:", "실행합니다::")
def code_marker(message: Message) -> Iterator[str]:
    """A text before code ends with ``::``, as in English.

    Sphinx shows the code without it; where translations become source, it is lost.
    """
    kind, mistake = first_mistake(message)
    if kind == MARKER:
        yield mistake


@functools.lru_cache(maxsize=8)
def first_mistake(message: Message) -> tuple[str, str]:
    """Return the kind of the first mistake of a message, and the text, or "", ""."""
    if not message.is_markup or message.msgid == message.msgstr or not message.is_whole:
        return "", ""
    searches = {backquotes: MARKUP, links: MARKUP, marker: MARKER}
    mistakes = ((kind, x) for find, kind in searches.items() for x in find(message))
    return next(mistakes, ("", ""))


def backquotes(message: Message) -> Iterator[str]:
    """Find text in single backquotes, more often than in English."""
    was, became = map(default_roles, (message.source, message.target))
    if len(became) <= len(was):
        return
    code = {node.astext() for node in message.source.findall(nodes.literal)}
    roles = {x["target"]: x["role"] for x in message.source.findall(nodes.inline)}
    for node in became:
        text = node.astext()
        titled = EXPLICIT_TITLE.match(text)
        target = titled[2] if titled else text
        if text in code:
            yield not_markup(node, f"``{text}``")
        elif roles.get(target):
            yield not_markup(node, f":{roles[target]}:{node.rawsource}")
        elif target in addresses(message.source):
            yield not_markup(node, f"{node.rawsource}__")
    yield not_markup(became[-1], f"``{text}`` if it is code, else no backquotes")


def not_markup(node: nodes.Element, right: str) -> str:
    return f"{node.rawsource} is neither code nor a link (write {right})"


def links(message: Message) -> Iterator[str]:
    """Find links without an address, more often than in English."""
    was, became = map(without_address, (message.source, message.target))
    there = addresses(message.target)
    lost = [x for x in addresses(message.source) if x not in there]
    names = [node.get("refname") for node in was]
    for node in became if len(became) > len(was) else ():
        if (name := node.get("refname")) in names and name:
            continue
        titled = EXPLICIT_TITLE.match(node.astext())
        text = titled[1] if titled else node.astext()
        right = f"`{text} <{lost[0]}>`__" if lost else rf"{text}\_" + "_" * (not name)
        yield f"{node.rawsource} is a link without an address (write {right})"


def marker(message: Message) -> Iterator[str]:
    """Find a text that ends with ``::`` where the English does not, or the reverse."""
    was, became = (x.rstrip().endswith("::") for x in (message.msgid, message.msgstr))
    if was and not became:
        yield "without :: at the end, what follows is no code (end with ::)"
    if became and not was:
        yield "with :: at the end, what follows is code (end with :)"


def default_roles(document: nodes.document) -> list[nodes.inline]:
    """Return the texts in single backquotes."""
    return [node for node in document.findall(nodes.inline) if node.get("role") == ""]


def without_address(document: nodes.document) -> list[nodes.reference]:
    """Return the links that need a target elsewhere on the page."""
    return [x for x in document.findall(nodes.reference) if "refuri" not in x]


def addresses(document: nodes.document) -> list[str]:
    references = document.findall(nodes.reference)
    return [node["refuri"] for node in references if "refuri" in node]
