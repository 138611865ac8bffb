"""What a page needs, read off its script: ranks, GPUs, packages."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from gallery_intl.script.source import packages

GPU = re.compile(r"\b(cuda|accelerator)\b")
TORCHRUN = re.compile(r"torchrun --standalone --nproc-per-node=([1-9]\d*)\b")


class Needs(NamedTuple):
    """What a script starts with: ``ranks`` is None for a plain program."""

    ranks: int | None
    uses_gpus: bool
    packages: list[str]


def needs(source: str) -> Needs:
    """Return how many ranks a script wants, which packages and whether GPUs."""
    return Needs(world_size(source), GPU.search(source) is not None, packages(source))


def world_size(source: str) -> int | None:
    """Return how many ranks a script wants; None for a plain program.

    The script's docstring says so with the line that a reader would type:
    ``torchrun --standalone --nproc-per-node=4 script.py``.
    """
    if "torchrun" not in source:
        return None  # not worth the parsing
    try:
        docstring = ast.get_docstring(ast.parse(source)) or ""
    except (SyntaxError, ValueError):
        return None  # whoever runs it will say what is wrong
    for line in docstring.split("\n"):
        if found := TORCHRUN.match(line.strip()):
            return int(found.group(1))
    return None
