"""Store outputs recorded on other machines, with checksums.

``records/part/page/2-h200`` holds what a page printed and drew on two H200:
``record.json`` and its figures. A record belongs to the code that ran, comments and
prose aside; after a change of the code it is stale and not shown.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gallery_intl.script.source import Block, blocks
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

    script: str  # as it ran
    machine: Machine
    outputs: dict[int, Output]  # by code block, from 0; none for a silent one
    svgs: dict[str, str]  # the figures by file name


def code_blocks(script: str) -> list[Block]:
    """Return the code blocks of a script that have more than comments."""
    code = (block for block in blocks(script) if block.kind == "code")
    return [block for block in code if ast.parse(block.source).body]


def program(script: str) -> tuple[object, ...]:
    """Return what a script does: its number of ranks, and its code block by block."""
    trees = (ast.dump(ast.parse(block.source)) for block in code_blocks(script))
    return world_size(script), *trees


def checksum(values: Any) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def write(folder: Path, record: Record) -> None:
    values = {
        "script": record.script,
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
        record = Record(values["script"], Machine(**values["machine"]), outputs, svgs)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise RecordError(f"{folder / FILE}: {error!r} ({REMEDY})") from None
    if written != checksum([values, svgs]):
        raise RecordError(f"{folder / FILE}: was edited ({REMEDY})")
    return record


def current(folder: Path, script: str) -> dict[str, Record]:
    """Return the records of a page that are of the script's code, by folder name."""
    records = {one.parent.name: read(one.parent) for one in sorted(folder.rglob(FILE))}
    now = program(script) if records else ()
    return {name: one for name, one in records.items() if program(one.script) == now}


def stale(folder: Path, gallery: Path) -> Iterator[str]:
    """Yield a line for each record that is not shown, given the folder of scripts."""
    for path in sorted(folder.rglob(FILE)):
        page = path.parents[1].relative_to(folder).as_posix()
        script, record = gallery / f"{page}.py", read(path.parent)
        if not script.is_file():
            yield f"{path}: not shown, there is no page {page} (delete it)"
        elif program(record.script) != program(script.read_text(encoding="utf-8")):
            yield (
                f"{path}: not shown, the code of {page} has changed since"
                " (on that machine: make record)"
            )
