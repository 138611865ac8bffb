"""Keep what pages printed and drew on other machines, as files that cannot lie.

A seal over all of a record tells an edit. It belongs to the code that ran, comments and
prose aside: one of other code is stale and is not shown. A page's records lie in a
folder of its own, one JSON file for each machine with the figures beside it.
"""

from __future__ import annotations

import hashlib
import json
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from gallery_intl.files import replace_file
from gallery_intl.script.source import Block, blocks, tokens
from gallery_run import machine
from gallery_run.machine import Machine
from gallery_run.needs import world_size

FOLDER = "records"  # beside conf.py


class RecordError(Exception):
    """A record cannot be trusted; the text is ``path:line: what (remedy)``."""


class Figure(NamedTuple):
    """A figure that a code block drew."""

    svg: str
    alt: str


class Output(NamedTuple):
    """What a code block printed and drew."""

    lines: list[str]
    figures: list[Figure]


@dataclass(frozen=True)
class Record:
    """What a page's code blocks, counted from 0, printed and drew on a machine."""

    code: str  # `code_hash` of the script that ran
    machine: Machine
    outputs: dict[int, Output]  # none for a block without any


def code_blocks(script: str) -> list[Block]:
    """Return the code blocks of a script that have code in them, beside comments."""
    return [
        block
        for block in blocks(script)
        if block.kind == "code" and without_comments(block.source).strip()
    ]


def code_hash(script: str) -> str:
    """Return a hash of what a record depends on: ranks, and code without comments."""
    code = [without_comments(block.source) for block in code_blocks(script)]
    return _hash(json.dumps([world_size(script), *code]))


def without_comments(code: str) -> str:
    """Leave out comments and empty lines; what stands in strings stays.

    The tokens themselves would not do: they differ between versions of Python.
    """
    lines = code.split("\n")
    empty = set()
    for token in tokens(code):
        row, column = token.start
        if token.type == tokenize.COMMENT:
            lines[row - 1] = lines[row - 1][:column].rstrip()
        elif token.type == tokenize.NL and not lines[row - 1].strip():
            empty.add(row)
    kept = (line for row, line in enumerate(lines, start=1) if row not in empty)
    return "\n".join(kept).strip("\n")


def read(path: Path) -> Record:
    """Read a record; raise `RecordError` if it is not as it was written."""
    try:
        text = path.read_text(encoding="utf-8")
        values = json.loads(text)
        record = Record(
            values["code"],
            Machine(**values["machine"]),
            {int(number): _output(path, x) for number, x in values["outputs"].items()},
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise _edited(path, getattr(error, "lineno", 1), repr(error)) from None
    if text != render(record, path.stem):
        raise _edited(path, 1, "not as it was recorded")
    return record


def _output(path: Path, values: Mapping[str, Any]) -> Output:
    figures = [
        Figure((path.parent / one["file"]).read_text(encoding="utf-8"), one["alt"])
        for one in values.get("figures", ())
    ]
    return Output(values.get("lines", []), figures)


def _edited(path: Path, line: int, reason: str) -> RecordError:
    return RecordError(
        f"{path}:{line}: a record is never edited: {reason} "
        "(take it back from git, or delete it and record the page again: make record)"
    )


def write(path: Path, record: Record) -> None:
    """Write a record in one step: figures first, then the file that names them."""
    figures = {
        path.with_name(figure_name(path.stem, figure)): figure.svg
        for output in record.outputs.values()
        for figure in output.figures
    }
    for file, svg in figures.items():
        replace_file(file, svg.encode("utf-8"))
    replace_file(path, render(record, path.stem).encode("utf-8"))
    for old in set(path.parent.glob(f"{path.stem}-????????.svg")) - set(figures):
        old.unlink()


def figure_name(profile: str, figure: Figure) -> str:
    """Name a figure's file by what is in it, so that none replaces another."""
    return f"{profile}-{_hash(figure.svg)[:8]}.svg"


def render(record: Record, profile: str) -> str:
    """Return the one text of a record, with its seal."""
    outputs = {}
    for number, output in sorted(record.outputs.items()):
        figures = [
            {"file": figure_name(profile, figure), "alt": figure.alt}
            for figure in output.figures
        ]
        made = {"lines": output.lines, "figures": figures}
        outputs[str(number)] = {key: value for key, value in made.items() if value}
    values = {
        "code": record.code,
        "machine": machine.as_values(record.machine),
        "outputs": outputs,
    }
    # a figure's name tells what is in it
    sealed = {**values, "seal": _hash(json.dumps(values, sort_keys=True))}
    return json.dumps(sealed, indent=1, ensure_ascii=False) + "\n"


def of_page(folder: Path, script: str) -> dict[str, Record]:
    """Return by name the records of a page's folder that are of the script's code."""
    records = {path.stem: read(path) for path in sorted(folder.glob("*.json"))}
    code = code_hash(script) if records else ""
    return {name: record for name, record in records.items() if record.code == code}


def stale(folder: Path, galleries: Iterable[Path]) -> Iterator[str]:
    """Name the records that are not shown, given the folders with the scripts."""
    scripts = {
        script.relative_to(gallery).with_suffix("").as_posix(): script
        for gallery in galleries
        for script in gallery.rglob("*.py")
    }
    for path in sorted(folder.rglob("*.json")):
        record, page = read(path), path.parent.relative_to(folder).as_posix()
        if page not in scripts:
            yield f"{path}: not shown, there is no page {page} (delete it)"
            continue
        text = scripts[page].read_text(encoding="utf-8")
        if record.code != code_hash(text):
            yield (
                f"{path}: not shown, the code of {page} has changed since"
                " (on that machine: make record)"
            )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
