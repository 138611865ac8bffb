"""What a page needs, read off its script: ranks and GPUs."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

GPU = re.compile(r"\b(cuda|accelerator)\b")
HIDDEN = '"CUDA_VISIBLE_DEVICES": ""'
TORCHRUN = re.compile(
    r"^\s*torchrun --standalone --nproc-per-node=([1-9]\d*)\b", re.MULTILINE
)


def uses_gpus(source: str) -> bool:
    """Return whether a script runs on GPUs where there are any.

    A plain page may hide them from all programs that it starts.
    """
    hides = HIDDEN in source and world_size(source) is None
    return GPU.search(source) is not None and not hides


def world_size(source: str) -> int | None:
    """Return how many ranks a script wants; None for a plain program.

    The script's docstring says so with the line that a reader would type:
    ``torchrun --standalone --nproc-per-node=4 script.py``.
    """
    match = torchrun(source)
    return int(match[1]) if match else None


def command(source: str) -> str | None:
    """Return the line that starts a script's ranks; None for a plain program."""
    match = torchrun(source)
    return match.string[match.start() :].strip().split("\n")[0] if match else None


@lru_cache(maxsize=16)  # each of the above asks
def torchrun(source: str) -> re.Match[str] | None:
    """Find that line, which the docstring holds."""
    try:
        docstring = ast.get_docstring(ast.parse(source)) or ""
    except (SyntaxError, ValueError):
        return None  # whoever runs it will say what is wrong
    return TORCHRUN.search(docstring)
