"""Processes that are forked where Python would start: what is imported is there."""

from __future__ import annotations

import faulthandler
import os
import random
import re
import runpy
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterable, Sequence
from contextlib import suppress
from multiprocessing import util
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

inherited: set[int] = set()  # the files that a process has from its start
# What programs made, kept to the end: a wrapped model that is freed right after a
# collective waits for a thread of Gloo that waits for the GIL (torch 2.13).
made: list[dict[str, Any]] = []


def open_files() -> set[int]:
    """Give the numbers of this process's open files."""
    return {int(one.name) for one in Path("/dev/fd").iterdir()}


def close_files() -> None:
    """Close what a new process would not have, first: who forked may wait for it."""
    for number in open_files() - inherited - {0, 1, 2}:
        with suppress(OSError):  # it was that of the list itself
            os.close(number)


def begin(environment: dict[str, str]) -> None:
    """Take an environment as a new Python would."""
    os.environ.clear()
    os.environ.update(environment)
    random.seed()
    tempfile.tempdir = None
    if environment.get("PYTHONFAULTHANDLER"):
        faulthandler.enable()


def perform(arguments: list[str]) -> None:
    """Run what stands behind ``python``: a module, a text or a script."""
    kind, *rest = arguments
    if kind == "-m":
        sys.argv, sys.path[0] = rest, str(Path.cwd())
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif kind == "-c":
        sys.argv, sys.path[0] = ["-c", *rest[1:]], ""
        main = sys.modules["__main__"] = ModuleType("__main__")
        exec(rest[0], main.__dict__)
    else:
        script = Path(kind).resolve()
        sys.argv, sys.path[0] = arguments, str(script.parent)
        made.append(runpy.run_path(str(script), run_name="__main__"))


def play(arguments: list[str], environment: dict[str, str]) -> NoReturn:
    """Do what a new Python would do with its arguments, and end as it would."""
    close_files()
    status: object = 1
    try:
        begin(environment)
        # what the first has read, or printed and not yet written, is left to it
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
        sys.stdout, sys.stderr = (
            os.fdopen(n, "w", encoding="utf-8", closefd=False) for n in (1, 2)
        )
        perform(arguments)
        status = 0
    except SystemExit as end:
        status = end.code or 0
        if not isinstance(status, int):
            print(status, file=sys.stderr)
            status = 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)  # what the first does at its end is its own


def may_use_gpu() -> bool:
    """Tell whether torch may use one: that is lost in the forks of its user."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.backends.cuda.is_built()


class Forked(subprocess.Popen[Any]):
    """A process that another starts: a fork for a program of Python, else as ever."""

    def __init__(self, args: Any, **options: Any) -> None:
        command = [] if isinstance(args, str) else [str(one) for one in args]
        python, *arguments = [one for one in command if one != "-u"] or [""]
        plain = bool(arguments) and re.match("[^-]|-[cm]$", arguments[0])
        if python == sys.executable and plain and not may_use_gpu():
            environment = dict(options.get("env") or os.environ)
            options["preexec_fn"] = lambda: play(arguments, environment)
        super().__init__(args, **options)


start_anew = util.spawnv_passfds


def start(path: bytes, arguments: Sequence[str | bytes], files: Iterable[int]) -> int:
    """Start what multiprocessing starts: a fork for a process of its way `spawn`."""
    told = [os.fsdecode(one) for one in arguments]
    if told[-1] != "--multiprocessing-fork" or may_use_gpu():
        return start_anew(path, arguments, files)
    if child := os.fork():
        return child
    inherited.clear()
    inherited.update(files)
    play(told[told.index("-c") :], dict(os.environ))
