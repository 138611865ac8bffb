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
from typing import Any

import tinycss2
from tinycss2.ast import AtRule, Comment, Node, QualifiedRule

GROUPS = ("media", "supports", "container", "layer")  # at-rules that hold rules
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|[/#]", re.IGNORECASE)
Uses = Callable[[str], bool]  # whether a class is used


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


def imported_file(rule: Node) -> str | None:
    """Return what a rule imports from a file beside it, on no condition."""
    if not isinstance(rule, AtRule) or rule.lower_at_keyword != "import":
        return None
    match [token for token in rule.prelude if token.type != "whitespace"]:
        case [token] if found := link_of(token):
            return found
    return None


def is_idle(rule: Node) -> bool:
    """Return whether a rule says nothing to a browser; licences are kept."""
    if isinstance(rule, Comment):
        return not rule.value.startswith("!")
    return isinstance(rule, AtRule) and rule.lower_at_keyword == "charset"


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
    quoted = tinycss2.ast.StringToken(0, 0, address, f'"{address}"').serialize()
    token.representation = f"url({quoted})" if token.type == "url" else quoted


def rebase(rule: Node, folder: str) -> None:
    """Let a rule's links start in the folder above the one given."""
    for token in links(rule):
        if folder and (address := link_of(token)):
            set_link(token, posixpath.normpath(f"{folder}/{address}"))


def purge(rules: Iterable[Node], uses: Uses) -> Iterator[Node]:
    """Yield the rules that can apply, each with those of its selectors that can."""
    for rule in rules:
        if isinstance(rule, QualifiedRule):
            kept = [
                selector
                for selector in split_selectors(rule.prelude)
                if all(map(uses, classes(selector)))
            ]
            if kept:
                rule.prelude = join_selectors(kept)
                yield rule
        elif isinstance(rule, AtRule) and rule.lower_at_keyword in GROUPS:
            if rule.content is None:  # the order of layers
                yield rule
            elif inner := list(purge(parse_group(rule), uses)):
                rule.content = inner
                yield rule
        else:
            yield rule


def parse_group(rule: AtRule) -> list[Node]:
    found = tinycss2.parse_rule_list(
        rule.content, skip_comments=True, skip_whitespace=True
    )
    return list(found)


def is_comma(token: Node) -> bool:
    return bool(token.type == "literal" and token.value == ",")


def split_selectors(prelude: Iterable[Node]) -> list[list[Node]]:
    """Split a selector list at its commas."""
    selectors: list[list[Node]] = [[]]
    for token in prelude:
        if is_comma(token):
            selectors.append([])
        else:
            selectors[-1].append(token)
    return selectors


def join_selectors(selectors: list[list[Node]]) -> list[Node]:
    comma = tinycss2.ast.LiteralToken(0, 0, ",")
    joined: list[Node] = []
    for selector in selectors:
        joined += [comma, *selector] if joined else selector
    return joined


def classes(selector: list[Node]) -> Iterator[str]:
    """Yield the classes that an element must have, or one near it.

    Those in the brackets of ``:not()``, ``:is()`` and the like are left out: some
    element may match without them.
    """
    for dot, name in itertools.pairwise(selector):
        if dot.type == "literal" and dot.value == "." and name.type == "ident":
            yield name.value


def strings(rules: Iterable[Node]) -> Iterator[str]:
    """Yield the strings in rules, such as the letters that stand for icons."""
    for rule in rules:
        yield from (node.value for node in inside(rule) if node.type == "string")


def write(rules: Iterable[Node]) -> str:
    """Return the text of rules; an import must be above all others."""

    def is_below(rule: Any) -> bool:
        return not (isinstance(rule, AtRule) and rule.lower_at_keyword == "import")

    return "\n".join(rule.serialize() for rule in sorted(rules, key=is_below)) + "\n"
