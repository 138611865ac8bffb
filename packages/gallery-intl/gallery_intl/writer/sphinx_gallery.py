"""The form of what Sphinx-Gallery 0.22 generates, which it does not promise."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sphinx_gallery.py_source_parser import (  # type: ignore[import-untyped]
    remove_config_comments,
    remove_ignore_blocks,
)

GENERATED = re.compile(r"\.\. GENERATED FROM PYTHON SOURCE LINES (\d+)-\d+")
CODE = ".. code-block:: Python"
OPTION_LINE = re.compile(r" {3,4}:")  # three spaces where line numbers are asked for
EXAMPLE_TITLE = "sphx-glr-example-title"
PREFIX = "sphx-glr"  # of the classes of all that it adds


class CodeBlock(NamedTuple):
    """A block of code in generated reST; rows count from 0."""

    line: int  # of the script, where it begins, from 1
    first: int  # the row after its directive and options
    end: int  # the row after its code
    code: str


def code_block(lines: list[str], row: int) -> CodeBlock | None:
    """Return the code block whose comment is in a row; None if no code follows.

    Its code follows the comment; on a page of one block it follows the output.
    """
    match = GENERATED.match(lines[row])
    if not match:
        return None
    directive = row + 1
    while directive < len(lines) and lines[directive] != CODE:
        if GENERATED.match(lines[directive]):
            return None
        directive += 1
    if directive >= len(lines):
        return None
    first = directive + 1
    while first < len(lines) and OPTION_LINE.match(lines[first]):
        first += 1  # options
    end = first
    while end < len(lines) and (lines[end].startswith("    ") or not lines[end]):
        end += 1
    code = "\n".join(line[4:] for line in lines[first:end]).strip("\n")
    return CodeBlock(int(match[1]), first, end, code)


def visible(code: str, settings: dict[str, Any]) -> str:
    """Return code without what its author hides from readers."""
    code = str(remove_ignore_blocks(code))
    wanted = settings.get("remove_config_comments")
    return str(remove_config_comments(code)) if wanted else code


def shown(code: str, settings: dict[str, Any]) -> str:
    """Return what a page shows of a code block."""
    lines = visible(code, settings).split("\n")
    lines = [f"    {line}".expandtabs(8)[4:].rstrip() for line in lines]
    return "\n".join(lines).strip("\n")


def figures(script: Path) -> Iterator[Path]:
    """Yield the SVG figures of a page, and that of its card."""
    name = re.compile(rf"sphx_glr_{re.escape(script.stem)}_(\d{{3,}}|thumb)\.svg")
    for path in sorted((script.parent / "images").rglob("sphx_glr_*.svg")):
        if name.fullmatch(path.name):
            yield path
