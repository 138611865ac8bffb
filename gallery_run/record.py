"""Record what pages print and draw on this machine, for readers who have no such GPU.

A page that asks for several ranks runs under torchrun. It needs the standard library,
torch and matplotlib, and no Sphinx: a machine with GPUs is often borrowed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import runpy
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from gallery_run import machine, processes, records
from gallery_run.machine import Machine
from gallery_run.needs import uses_gpus, world_size
from gallery_run.outcomes import NOISE, clip, is_echo, tail
from gallery_run.records import Record, RecordError

PACKAGE_PARENT = Path(__file__).parents[1]


class RecordingError(Exception):
    """A page was not recorded; the text says why."""


class RefusalError(RecordingError):
    """A page does not run with so many ranks; it says so itself, with SystemExit."""


class Page(NamedTuple):
    """A script that can be recorded."""

    name: str  # such as part/page
    script: Path
    text: str

    def rank_counts(self, gpus: int) -> list[int]:
        """Return how many ranks to try, the most first; 0 stands for a plain program.

        Each rank has a GPU of its own, if the page uses any and there are any.
        """
        asked = world_size(self.text) or 0
        most = min(asked, gpus) if uses_gpus(self.text) else 0
        return list(range(most, 0, -1)) or [asked]


class Site(NamedTuple):
    """What conf.py says that concerns recording."""

    records: Path
    deadline: float
    pages: list[Page]


def read_site(srcdir: Path) -> Site:
    """Read conf.py as what it is, a Python file."""
    try:
        conf = runpy.run_path(str(srcdir / "conf.py"))
        gallery = conf["sphinx_gallery_conf"]
    except (OSError, ImportError, KeyError) as error:
        raise RecordingError(
            f"{srcdir / 'conf.py'}:1: cannot be read here: {error!r} (record from a"
            " folder whose conf.py imports nothing that this machine lacks)"
        ) from None
    folders = gallery.get("examples_dirs", "../examples")
    folders = [folders] if isinstance(folders, str) else folders
    pattern = gallery.get("filename_pattern", r"[\\/]plot")
    site_pages = [page for one in folders for page in pages(srcdir / one, pattern)]
    return Site(
        srcdir / conf.get("gallery_intl_records", records.FOLDER),
        float(conf.get("gallery_intl_deadline", 120)),
        site_pages,
    )


def pages(folder: Path, pattern: str) -> Iterator[Page]:
    """Yield the scripts of a gallery that Sphinx-Gallery would run."""
    for script in sorted(folder.rglob("*.py")):
        if re.search(pattern, str(script)) and script.name != "__init__.py":
            name = script.relative_to(folder).with_suffix("").as_posix()
            yield Page(name, script.resolve(), script.read_text(encoding="utf-8"))


def choose(site: Site, names: list[str]) -> list[Page]:
    """Return the pages that were named, else all that use a GPU."""
    if not names:
        return [page for page in site.pages if uses_gpus(page.text)]
    chosen = []
    for name in names:
        path = f"/{Path(name).with_suffix('').as_posix()}"
        matches = [page for page in site.pages if path.endswith(f"/{page.name}")]
        if not matches:
            known = ", ".join(page.name for page in site.pages)
            raise RecordingError(f"no page {name!r}; there are {known}")
        chosen += matches[:1]
    return chosen


def profile(here: Machine) -> str:
    """Name a machine's records: ``2x-h200``, or its CPU."""
    return slug(here.label.replace(" × ", "x-") if here.gpu else here.cpu)  # noqa: RUF001


def slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "cpu"


def expected(page: Page, gpu: str, gpus: int) -> Machine:
    """Return the machine that a page will run on if it accepts all that is here."""
    used = (page.rank_counts(gpus)[0] or gpus) if gpus and uses_gpus(page.text) else 0
    return Machine(machine.cpu_name(), 0, gpu if used else "", used)


def is_current(path: Path, page: Page) -> bool:
    """Return whether a record is there, whole and of the page's code."""
    try:
        return records.read(path).code == records.code_hash(page.text)
    except (RecordError, SyntaxError):
        return False


def gpus_here() -> tuple[str, int]:
    """Ask in a process of its own, which leaves no context on a GPU."""
    try:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
            return other.submit(machine.used_gpus, 0).result()
    except (ImportError, OSError, RuntimeError) as error:
        raise RecordingError(f"torch does not start here\n\n{error!r}") from None


def run(page: Page, gpus: int, deadline: float) -> tuple[Record, list[str]]:
    """Return the record of the most ranks that a page accepts, and its refusals.

    A failure is raised at once: with fewer ranks it would be hidden.
    """
    refusals: list[str] = []
    for ranks in page.rank_counts(gpus):
        try:
            return run_once(page, ranks, deadline), refusals
        except RefusalError as error:
            refusals.append(str(error))
    raise RefusalError("\n".join(refusals))


def run_once(page: Page, ranks: int, deadline: float) -> Record:
    """Return the record of a page with so many ranks, 0 for a plain program."""
    with tempfile.TemporaryDirectory(prefix="record-") as name:
        folder = Path(name)
        status = execute(command(page, ranks, folder), folder / "log", deadline)
        if said := refusal(folder):
            names = {0: "a plain program", 1: "1 rank"}
            raise RefusalError(f"{names.get(ranks, f'{ranks} ranks')} refused: {said}")
        made = folder / "record.json"
        if status != 0 or not made.exists():
            raise RecordingError(failure(page, folder, status, deadline))
        return records.read(made)


def command(page: Page, ranks: int, folder: Path) -> list[str]:
    """Return the command that runs a page and leaves its outputs in a folder."""
    torchrun = ["torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"]
    launch = [*torchrun, "-m"] if ranks else []
    program = ["gallery_run.recording", str(page.script), str(folder), str(ranks)]
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
            env=os.environ | processes.READABLE | {"MPLBACKEND": "agg"},
        )
        try:
            return running.wait(deadline)
        except subprocess.TimeoutExpired:
            return None
        finally:
            processes.kill_tree(running.pid)
            running.wait()


def errors(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the error of each rank that failed, without what others saw of it."""
    told = {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("rank-*.json"))
    }
    causes = {name: one for name, one in told.items() if not is_echo(one["text"])}
    return causes or told


def refusal(folder: Path) -> str:
    """Return the sentence with which a page refused to run; "" if it did not."""
    said = [str(one.get("refusal", "")) for one in errors(folder).values()]
    return said[0] if said and all(said) else ""


def failure(page: Page, folder: Path, status: int | None, deadline: float) -> str:
    """Return where a page failed and how; the cause, not what other ranks saw of it."""
    if status is None:
        return f"{page.script}:1: did not end within {deadline:g} s{rest(folder)}"
    if rank_errors := errors(folder):
        name, one = next(iter(rank_errors.items()))
        rank = name.replace("-", " ")
        return f"{page.script}:{one['line'] or 1}: {rank} failed\n\n{one['text']}"
    return f"{page.script}:1: ended with status {status}{rest(folder)}"


def rest(folder: Path) -> str:
    """Return the end of what the processes wrote; torchrun names the rank that died."""
    return "\n\n" + clip(NOISE.sub("", tail(folder / "log")), 30)


def record_pages(site: Site, names: list[str], name: str | None = None) -> bool:
    """Record named pages anew, else what is not current; return whether all ran."""
    gpu, gpus = gpus_here()
    well = True
    for page in choose(site, names):
        known = name or profile(expected(page, gpu, gpus))
        if not names and is_current(site.records / page.name / f"{known}.json", page):
            print(f"{page.name}: recorded already", flush=True)
            continue
        well = record_page(site, page, gpus, name) and well
    return well


def record_page(site: Site, page: Page, gpus: int, name: str | None) -> bool:
    """Record one page, or say why not; it may refuse, which is no failure."""
    began = time.monotonic()
    print(f"{page.name} ... ", end="", flush=True)
    try:
        made, refusals = run(page, gpus, site.deadline)
    except RefusalError as error:
        print("not recorded", *str(error).split("\n"), sep="\n  ", flush=True)
        return True
    except RecordingError as error:
        print("failed", flush=True)
        print(f"{error}\n", file=sys.stderr, flush=True)
        return False
    path = site.records / page.name / f"{name or profile(made.machine)}.json"
    records.write(path, made)
    print(f"{time.monotonic() - began:.1f} s, {made.machine.label}: {path}", flush=True)
    ranks, asked = made.machine.ranks, made.machine.asked
    if ranks < asked:
        print(f"  it asks for {asked} ranks and ran with {ranks}", flush=True)
    for said in refusals:
        print(f"  {said}", flush=True)
    return True


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m gallery_run")
    parser.add_argument("--source", type=Path, default=Path(), help="folder of conf.py")
    parser.add_argument("page", nargs="*", help="such as part/page; default: not done")
    parser.add_argument("--profile", help="name of the records; default: the GPUs")
    options: Any = parser.parse_args(arguments)
    try:
        site = read_site(options.source.resolve())
        name = slug(options.profile) if options.profile else None
        return 0 if record_pages(site, options.page, name) else 1
    except RecordingError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nstopped; no record was changed", file=sys.stderr)
        return 130
