"""Tell which line of a gallery script a text of its page comes from."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

BLOCK = re.compile(r"\.\. GENERATED FROM PYTHON SOURCE LINES (\d+)-(\d+)")
MAKES_FIGURE = re.compile(r"\b(subplots|subplot_mosaic|figure|subplot)\(")


def line_of(message: str, script: str, block: tuple[int, int]) -> int:
    """Give the line of a script that a figure's text comes from.

    That is its literal in the block, else its last literal before, else a literal with
    that word in it, else the call that makes the figure, else the block's first line.
    """
    first, last = block
    found = literals(script)
    lines = [line for text, line in found if text == message]
    lines = lines or [line for text, line in found if message in text.split()]
    inside = [line for line in lines if first <= line <= last]
    if inside:
        return min(inside)
    if earlier := [line for line in lines if line < first]:
        return max(earlier)
    for number, line in enumerate(script.splitlines()[first - 1 : last], start=first):
        if MAKES_FIGURE.search(line):
            return number
    return first


@lru_cache(maxsize=8)  # each text of a figure asks for them
def literals(script: str) -> list[tuple[str, int]]:
    """Give each string of a script, also as one line of text, with its line."""
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


def block_at(rst: str, line: int) -> tuple[int, int]:
    """Give the lines of the script that a line of generated reST comes from."""
    for text in reversed(rst.splitlines()[:line]):
        if found := BLOCK.match(text):
            return int(found[1]), int(found[2])
    return 1, 1
