"""Cut a stylesheet to the rules that pages can use.

A rule is left out only if one of its classes is nowhere: in no page and in no script.
Whatever else a selector asks for (elements, ids, states, attributes) keeps it.
"""

from __future__ import annotations

import itertools
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import tinycss2
from tinycss2.ast import Comment, LiteralToken, Node, QualifiedRule, StringToken

GROUPS = ("media", "supports", "container", "layer")  # at-rules that hold rules
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|[/#]", re.IGNORECASE)
COMMA = LiteralToken(0, 0, ",")


def read_rules(root: Path, name: str) -> Iterator[Node]:
    """Yield the rules of a stylesheet in a folder, those it imports in their place.

    Links are written as they are seen from the folder.
    """
    path = root / name
    text = path.read_text(encoding="utf-8-sig")
    folder = posixpath.dirname(name)
    for rule in tinycss2.parse_stylesheet(text, skip_whitespace=True):
        if imported := imported_file(rule):
            yield from read_rules(root, posixpath.normpath(f"{folder}/{imported}"))
        elif not is_idle(rule):
            rebase(rule, folder)
            yield rule


def keyword(rule: Node) -> str | None:
    """Return the word after the @ of a rule, if it has one."""
    return getattr(rule, "lower_at_keyword", None)


def imported_file(rule: Node) -> str | None:
    """Return what a rule imports from a file beside it, on no condition."""
    if keyword(rule) != "import":
        return None
    tokens = [token for token in rule.prelude if token.type != "whitespace"]
    return link_of(tokens[0]) if len(tokens) == 1 else None


def is_idle(rule: Node) -> bool:
    """Return whether a rule says nothing to a browser; licences are kept."""
    if isinstance(rule, Comment):
        return not rule.value.startswith("!")
    return keyword(rule) == "charset"


def inside(node: Node) -> Iterator[Node]:
    """Yield everything inside a rule, a block or a function."""
    for part in ("prelude", "arguments", "content"):
        for child in getattr(node, part, None) or ():
            yield child
            yield from inside(child)


def links(rule: Node) -> Iterator[Node]:
    """Yield the tokens of a rule that hold an address."""
    for node in inside(rule):
        if node.type == "url":
            yield node
        elif node.type == "function" and node.lower_name == "url":
            yield from (token for token in node.arguments if token.type == "string")


def link_of(token: Node) -> str | None:
    """Return the address in a token, if it is a file of the site."""
    value = getattr(token, "value", "")
    if token.type not in ("url", "string") or ELSEWHERE.match(value):
        return None
    return str(value)


def set_link(token: Node, address: str) -> None:
    token.value = address
    quoted = StringToken(0, 0, address, f'"{address}"').serialize()
    token.representation = f"url({quoted})" if token.type == "url" else quoted


def rebase(rule: Node, folder: str) -> None:
    """Let a rule's links start in the folder above the one given."""
    for token in links(rule):
        if folder and (address := link_of(token)):
            set_link(token, posixpath.normpath(f"{folder}/{address}"))


def purge(rules: Iterable[Node], uses: Callable[[str], bool]) -> Iterator[Node]:
    """Yield the rules that can apply, each with those of its selectors that can."""
    for rule in rules:
        if isinstance(rule, QualifiedRule):
            selectors = split_selectors(rule.prelude)
            kept = [each for each in selectors if all(map(uses, classes(each)))]
            rule.prelude = [token for each in kept for token in (COMMA, *each)][1:]
            if kept:
                yield rule
        elif keyword(rule) in GROUPS and rule.content is not None:
            inner = tinycss2.parse_rule_list(
                rule.content, skip_comments=True, skip_whitespace=True
            )
            rule.content = list(purge(inner, uses))
            if rule.content:
                yield rule
        else:  # such as the order of layers
            yield rule


def split_selectors(prelude: Iterable[Node]) -> list[list[Node]]:
    """Split a selector list at its commas."""
    parts = itertools.groupby(prelude, lambda token: token == COMMA.value)
    return [list(tokens) for is_comma, tokens in parts if not is_comma]


def classes(selector: list[Node]) -> Iterator[str]:
    """Yield the classes that an element must have, or one near it.

    Those in the brackets of ``:not()``, ``:is()`` and the like are left out: some
    element may match without them.
    """
    for dot, name in itertools.pairwise(selector):
        if dot == "." and name.type == "ident":
            yield name.value


def strings(rules: Iterable[Node]) -> Iterator[str]:
    """Yield the strings in rules, such as the letters that stand for icons."""
    for rule in rules:
        yield from (node.value for node in inside(rule) if node.type == "string")


def write(rules: Iterable[Node]) -> str:
    """Return the text of rules; an import must be above all others."""
    ordered = sorted(rules, key=lambda rule: keyword(rule) != "import")
    return "".join(f"{rule.serialize()}\n" for rule in ordered)
