"""Collect the words of figures as messages."""

import ast
import re
from functools import lru_cache

from gallery_intl.figures import svg

MAKES_FIGURE = re.compile(r"\b(subplots|subplot_mosaic|figure|subplot)\(")


def figure_messages(figure: str, alt: str, script: str) -> list[str]:
    """Return alt text and words of a figure, without those that a run has made.

    A text with digits is a message only if the script has it as it is.
    """
    known = literals(script)
    words = svg.messages(figure) if figure else []  # of pixels there are none
    return [
        text
        for text in dict.fromkeys(filter(svg.is_message, [alt, *words]))
        if text in known or not re.search(r"\d", text)
    ]


@lru_cache(maxsize=8)  # each text of a figure asks for them
def literals(script: str) -> set[str]:
    """Return the strings of a script, also as one line of text."""
    try:
        tree = ast.parse(script)
    except SyntaxError:
        return set()
    return {
        text
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for text in (node.value, " ".join(node.value.split()))
    }
