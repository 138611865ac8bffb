"""Run pages in forks of one process that has imported torch, which takes seconds.

A fork is told what torchrun or a notebook would tell it, and runs the same text; but
nobody has started Python, torchrun, Jupyter or ipyparallel for it. What a page starts
itself is started as ever.
"""

from __future__ import annotations

import os
import random
import runpy
import subprocess
import sys
import tempfile
import traceback
from contextlib import nullcontext as nothing
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from multiprocessing import forkserver, get_context, set_start_method
from multiprocessing.connection import wait
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from paths import TOOLS

from gallery_run.processes import kill_tree

WARM = get_context("forkserver")
WARM.set_forkserver_preload(
    [
        "pytest",
        "matplotlib.backends.backend_agg",
        "matplotlib.pyplot",
        "torch.distributed.checkpoint",
        "torch.distributed.nn",
        "torch.distributed.optim",
        "torch.distributed.pipelining",
        "torch.distributed.run",
        "torch.distributed.tensor.parallel",
        "torch.utils.checkpoint",
        "torch._dynamo",  # the first optimizer of a process imports it
        "IPython.core.interactiveshell",
    ]
)
# for all pages, as torchrun sets it: ranks share the processors
THREADS = {"OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"}
TIMEOUT = 300
# What programs made, kept to the end: a wrapped model that is freed right after a
# collective waits for a thread of Gloo that waits for the GIL (torch 2.13).
made: list[dict[str, Any]] = []
FILE = "%%writefile "  # a cell that writes itself into a file, and says so


def become(
    work: Script | Cells, files: tuple[Path, Path], environment: dict[str, str]
) -> None:
    """Do a rank's work in this process, and end it as Python would."""
    for number, file in enumerate(files, start=1):
        with file.open("ab") as said:
            os.dup2(said.fileno(), number)
    os.environ.clear()
    os.environ.update(environment)
    random.seed()
    tempfile.tempdir = None
    set_start_method(None, force=True)  # what it starts in turn is no matter of WARM
    if (backend := environment["MPLBACKEND"]) != THREADS["MPLBACKEND"]:
        import_module("matplotlib").use(backend)  # its start chose another one
    if machine := environment.get("PRETEND"):
        pretend(machine)
    try:
        work()
    except SystemExit:
        raise
    except BaseException:
        traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)  # other threads may wait for a rank that is gone


def pretend(machine: str) -> None:
    """Make torch believe in another machine, as Python's start would have done."""
    kind, _, count = machine.partition(":")
    names = runpy.run_path(str(TOOLS / "pretend" / "sitecustomize.py"))
    names["pretend"](kind, int(count))


class Script:
    """The work of Python: run a file in a folder."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path, self.folder = path, folder

    def __call__(self) -> None:
        os.chdir(self.folder)
        sys.argv = [str(self.path)]
        sys.path.insert(0, str(self.path.parent))
        made.append(runpy.run_path(str(self.path), run_name="__main__"))


class Cells:
    """The work of a notebook's kernel: run the code of its cells in a folder."""

    def __init__(self, sources: list[str], folder: Path) -> None:
        self.sources, self.folder = sources, folder

    def __call__(self) -> None:
        from IPython.core.displayhook import DisplayHook
        from IPython.core.interactiveshell import InteractiveShell

        class Silent(DisplayHook):
            def __call__(self, result: Any = None) -> None:
                """What a cell gives is shown, but it is not printed."""

        os.chdir(self.folder)
        sys.path.insert(0, "")
        main = sys.modules["__main__"] = ModuleType("__main__")
        InteractiveShell.displayhook_class = Silent
        shell = InteractiveShell(user_module=main)
        for source in self.sources:
            says = redirect_stdout(StringIO()) if source.startswith(FILE) else nothing()
            with says:
                shell.run_cell(source).raise_error()


def environments(ranks: int, port: int) -> list[dict[str, str]]:
    """Give what torchrun would tell each rank; a plain program is told nothing."""
    common = {
        "WORLD_SIZE": str(ranks),
        "LOCAL_WORLD_SIZE": str(ranks),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "TORCHELASTIC_USE_AGENT_STORE": "True",
    }
    each = [{"RANK": str(n), "LOCAL_RANK": str(n)} for n in range(ranks)]
    return [common | own for own in each] or [{}]


def start() -> None:
    """Start the process that is forked, if there is none; it may have one thread."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in THREADS.items():
            patch.setenv(name, value)
        forkserver.ensure_running()


def run(
    work: Script | Cells, folder: Path, ranks: int, **told: str
) -> subprocess.CompletedProcess[str]:
    """Do the same work on some ranks, or once if it is 0; ``told`` is environment."""
    from torch.distributed import TCPStore

    start()
    store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    files = folder / "warm.out", folder / "warm.err"
    processes = [
        WARM.Process(target=become, args=(work, files, os.environ | THREADS | told | x))
        for x in environments(ranks, store.port)
    ]
    for process in processes:
        process.start()
    running = {process.sentinel: process for process in processes}
    while running:
        ended = wait(running, TIMEOUT)
        failed = not ended or any(running.pop(one).exitcode for one in ended)
        for process in running.values() if failed else ():
            kill_tree(process.pid or 0)
    status = max(abs(process.exitcode or 0) for process in processes)
    printed, errors = (file.read_text("utf-8") for file in files)
    return subprocess.CompletedProcess([], status, printed, errors)
