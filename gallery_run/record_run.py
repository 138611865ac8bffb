"""Run a page in processes of its own, one rank on each GPU, and give its record."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from gallery_intl.script.needs import needs
from gallery_intl.script.source import world_size
from gallery_run import processes, records
from gallery_run.machine import Machine
from gallery_run.outcomes import NOISE, is_echo
from gallery_run.records import Figure, Output, Record

PACKAGE_PARENT = Path(__file__).parents[1]
LAST_WORDS = 30  # lines


class RecordingError(Exception):
    """A page was not recorded; the text says why."""


class RefusalError(RecordingError):
    """A page does not run with so many ranks; it says so itself, with SystemExit."""


class Page(NamedTuple):
    """A script that can be recorded."""

    name: str  # such as part/page
    script: Path
    text: str

    @property
    def uses_gpus(self) -> bool:
        """Tell whether it runs on GPUs; one that is broken will say so itself."""
        try:
            return needs(self.text).uses_gpus
        except SyntaxError:
            return True

    def rank_counts(self, gpus: int) -> list[int]:
        """Give how many ranks to try, the most first; 0 stands for a plain program.

        Where there are GPUs, each rank has one; where there is none, or the page uses
        none, there are as many ranks as it asks for.
        """
        asked = world_size(self.text) or 0
        if not asked or not gpus or not self.uses_gpus:
            return [asked]
        return list(range(min(asked, gpus), 0, -1))


def gpus_here() -> tuple[str, int]:
    """Ask in a process of its own, which leaves no context on a GPU."""
    code = "import json, sys; from gallery_run.machine import used_gpus as used; "
    command = [sys.executable, "-c", f"{code}json.dump(used(0), sys.stdout)"]
    asked = subprocess.run(
        command, cwd=PACKAGE_PARENT, capture_output=True, text=True, check=False
    )
    if asked.returncode:
        raise RecordingError(f"torch does not start here\n\n{asked.stderr.strip()}")
    name, count = json.loads(asked.stdout)
    return str(name), int(count)


def run(page: Page, gpus: int, deadline: float) -> tuple[Record, list[str]]:
    """Run a page with the most ranks that it accepts.

    Give its record, and what it said to more ranks. Raise `RefusalError` if it accepts
    none, and any other `RecordingError` at once: with fewer ranks it would be hidden.
    """
    refusals: list[str] = []
    for ranks in page.rank_counts(gpus):
        try:
            return run_once(page, ranks, deadline), refusals
        except RefusalError as error:
            refusals.append(str(error))
    raise RefusalError("\n".join(refusals))


def run_once(page: Page, ranks: int, deadline: float) -> Record:
    """Run a page with so many ranks, 0 for a plain program."""
    with tempfile.TemporaryDirectory(prefix="record-") as name:
        folder = Path(name)
        status = execute(command(page, ranks, folder), folder / "log", deadline)
        if said := refusal(folder):
            raise RefusalError(f"{in_words(ranks)} refused: {said}")
        if status != 0:
            raise RecordingError(failure(page, folder, status, deadline))
        made = json.loads((folder / "outputs.json").read_text(encoding="utf-8"))
    outputs = {
        int(number): Output(lines, [Figure(*figure) for figure in figures])
        for number, (lines, figures) in made["outputs"].items()
    }
    return Record(records.code_hash(page.text), Machine(**made["machine"]), outputs)


def command(page: Page, ranks: int, folder: Path) -> list[str]:
    """Give the command that runs a page and leaves its outputs in a folder."""
    torchrun = ["torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"]
    launch = [*torchrun, "-m"] if ranks else []
    program = ["gallery_run.recording", str(page.script), str(folder)]
    return [sys.executable, "-m", *launch, *program]


def execute(command: list[str], log: Path, deadline: float) -> int | None:
    """Run a command with all below it for a while; None if it did not end."""
    with log.open("wb") as file:
        running = subprocess.Popen(
            command,
            cwd=PACKAGE_PARENT,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
            env=os.environ | {"MPLBACKEND": "agg", "PYTHONFAULTHANDLER": "1"},
        )
        try:
            return running.wait(deadline)
        except subprocess.TimeoutExpired:
            return None
        finally:
            processes.kill_tree(running.pid)
            running.wait()


def in_words(ranks: int) -> str:
    """Say how many ranks there are."""
    return {0: "a plain program", 1: "1 rank"}.get(ranks, f"{ranks} ranks")


def errors(folder: Path) -> dict[str, dict[str, Any]]:
    """Give the error of each rank that failed, without what others saw of it."""
    told = {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("rank-*.json"))
    }
    causes = {name: one for name, one in told.items() if not is_echo(one["text"])}
    return causes or told


def refusal(folder: Path) -> str:
    """Give the sentence with which a page refused to run; "" if it did not."""
    said = [str(one.get("refusal", "")) for one in errors(folder).values()]
    return said[0] if said and all(said) else ""


def failure(page: Page, folder: Path, status: int | None, deadline: float) -> str:
    """Say where a page failed and how; the cause, not what other ranks saw of it."""
    if status is None:
        return f"{page.script}:1: did not end within {deadline:g} s{rest(folder)}"
    if found := errors(folder):
        name, one = next(iter(found.items()))
        rank = name.replace("-", " ")
        return f"{page.script}:{one['line'] or 1}: {rank} failed\n\n{one['text']}"
    return f"{page.script}:1: ended with status {status}{rest(folder)}"


def rest(folder: Path) -> str:
    """Give the end of what the processes wrote; torchrun names the rank that died."""
    text = (folder / "log").read_text(encoding="utf-8", errors="replace")
    return "\n\n" + "\n".join(NOISE.sub("", text).splitlines()[-LAST_WORDS:])
