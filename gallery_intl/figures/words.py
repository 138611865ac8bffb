"""Collect the words of figures as messages, each with its line in the script."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from gallery_intl.figures import svg

MAKES_FIGURE = re.compile(r"\b(subplots|subplot_mosaic|figure|subplot)\(")


def figure_messages(figure: str, alt: str, script: str) -> list[str]:
    """Return alt text and words of a figure, without those that a run has made.

    A text with digits is a message only if the script has it as it is.
    """
    known = {text for text, _ in literals(script)}
    words = svg.messages(figure) if figure else []  # of pixels there are none
    return [
        text
        for text in dict.fromkeys(filter(svg.is_message, [alt, *words]))
        if text in known or not re.search(r"\d", text)
    ]


def line_of(message: str, script: str, block: tuple[int, int]) -> int:
    """Return the line of a script that a figure's text comes from.

    That is its literal in the block, else its last literal before, else a literal with
    that word in it, else the call that makes the figure, else the block's first line.
    """
    first, last = block
    texts = literals(script)
    lines = [line for text, line in texts if text == message]
    lines = lines or [line for text, line in texts if message in text.split()]
    if inside := [line for line in lines if first <= line <= last]:
        return min(inside)
    if earlier := [line for line in lines if line < first]:
        return max(earlier)
    code = enumerate(script.splitlines()[first - 1 : last], start=first)
    return next((line for line, text in code if MAKES_FIGURE.search(text)), first)


@lru_cache(maxsize=8)  # each text of a figure asks for them
def literals(script: str) -> list[tuple[str, int]]:
    """Return each string of a script, also as one line of text, with its line."""
    try:
        tree = ast.parse(script)
    except SyntaxError:
        return []
    return [
        (text, node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for text in (node.value, " ".join(node.value.split()))
    ]
