"""Tell what a reader needs to run a page, from the script itself."""

from __future__ import annotations

import ast
import re
import sys
from typing import NamedTuple

from gallery_intl.script.source import world_size

GPU = re.compile(r"\b(cuda|accelerator)\b")


class Needs(NamedTuple):
    """What a script starts with: ``ranks`` is None for a plain program."""

    ranks: int | None
    uses_gpus: bool
    packages: list[str]


def needs(source: str) -> Needs:
    """Read off a script how many ranks, which packages and whether GPUs."""
    return Needs(world_size(source), GPU.search(source) is not None, packages(source))


def packages(source: str) -> list[str]:
    """Give the packages that a script imports beside Python's own, in its order."""
    found: dict[str, None] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= dict.fromkeys(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found[node.module] = None
    tops = dict.fromkeys(name.partition(".")[0] for name in found)
    return [name for name in tops if name not in sys.stdlib_module_names]
