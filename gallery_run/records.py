"""Store outputs recorded on other machines, with checksums.

``records/part/page/2-h200`` holds what a page printed and drew on two H200:
``record.json`` and its figures. A record belongs to the code that ran, comments and
prose aside; after a change of the code it is stale and not shown.
"""

from __future__ import annotations

import hashlib
import json
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gallery_intl.script.source import Block, blocks, tokens
from gallery_run import machine
from gallery_run.machine import Machine
from gallery_run.needs import world_size

FOLDER = "records"  # next to conf.py
FILE = "record.json"
REMEDY = "restore it with git, or delete its folder and record again: make record"


class RecordError(Exception):
    """A record cannot be used; the text is ``path: reason (remedy)``."""


class Output(NamedTuple):
    """What a code block printed, and the alt text of each figure that it drew."""

    lines: list[str]
    figures: dict[str, str]  # alt text by file name


class Record(NamedTuple):
    """What a page printed and drew on a machine."""

    code: str  # `code_checksum` of the script that ran
    machine: Machine
    outputs: dict[int, Output]  # by code block, from 0; none for a silent one
    svgs: dict[str, str]  # the figures by file name


def code_blocks(script: str) -> list[Block]:
    """Return the code blocks of a script that have more than comments."""
    code = (block for block in blocks(script) if block.kind == "code")
    return [block for block in code if without_comments(block.source).strip()]


def code_checksum(script: str) -> str:
    """Return a checksum of the number of ranks and of the code without comments."""
    code = [without_comments(block.source) for block in code_blocks(script)]
    return checksum([world_size(script), *code])


def without_comments(code: str) -> str:
    """Remove comments and empty lines, but not those in strings.

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


def checksum(values: Any) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def write(folder: Path, record: Record) -> None:
    """Write a record into a folder of its own."""
    values = {
        "code": record.code,
        "machine": machine.as_values(record.machine),
        "outputs": {str(n): one._asdict() for n, one in record.outputs.items()},
    }
    values["checksum"] = checksum([values, record.svgs])
    folder.mkdir(parents=True, exist_ok=True)
    for name, svg in record.svgs.items():
        (folder / name).write_text(svg, encoding="utf-8")
    text = json.dumps(values, indent=1, ensure_ascii=False)
    (folder / FILE).write_text(text + "\n", encoding="utf-8")


def read(folder: Path) -> Record:
    """Read a record; raise `RecordError` if it is not as it was written."""
    try:
        values = json.loads((folder / FILE).read_text(encoding="utf-8"))
        written = values.pop("checksum")
        outputs = {int(n): Output(**one) for n, one in values["outputs"].items()}
        names = [name for output in outputs.values() for name in output.figures]
        svgs = {name: (folder / name).read_text(encoding="utf-8") for name in names}
        record = Record(values["code"], Machine(**values["machine"]), outputs, svgs)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise RecordError(f"{folder / FILE}: {error!r} ({REMEDY})") from None
    if written != checksum([values, svgs]):
        raise RecordError(f"{folder / FILE}: was edited ({REMEDY})")
    return record


def current(folder: Path, script: str) -> dict[str, Record]:
    """Return the records of a page that are of the script's code, by folder name."""
    records = {one.parent.name: read(one.parent) for one in sorted(folder.rglob(FILE))}
    code = code_checksum(script) if records else ""
    return {name: record for name, record in records.items() if record.code == code}


def stale(folder: Path, gallery: Path) -> Iterator[str]:
    """Yield a line for each record that is not shown, given the folder of scripts."""
    for path in sorted(folder.rglob(FILE)):
        page = path.parents[1].relative_to(folder).as_posix()
        script, record = gallery / f"{page}.py", read(path.parent)
        if not script.is_file():
            yield f"{path}: not shown, there is no page {page} (delete it)"
        elif record.code != code_checksum(script.read_text(encoding="utf-8")):
            yield (
                f"{path}: not shown, the code of {page} has changed since"
                " (on that machine: make record)"
            )
