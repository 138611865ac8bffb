"""Find and end every process below another, whatever session it is in.

torchrun puts its workers into sessions of their own, so ending a process group misses
them; the tree of parents does not. The other way round, a process ends with its parent.
"""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from multiprocessing.connection import wait
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h

# Of a process whose errors are read: SIGABRT prints where each thread stands, and
# FORCE_COLOR colors no traceback, as it does from Python 3.13 on.
READABLE = {"PYTHONFAULTHANDLER": "1", "PYTHON_COLORS": "0"}


def parents() -> Iterator[tuple[int, int]]:
    """Yield (process, parent) for every process of this machine."""
    if not Path("/proc/self/stat").exists():  # macOS
        ps = ["ps", "-A", "-o", "pid=,ppid="]
        for line in subprocess.check_output(ps, text=True).splitlines():
            process, parent = line.split()
            yield int(process), int(parent)
        return
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # ended in the meantime
            # "pid (name) state parent ...", and a name may hold spaces and brackets
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
            yield int(stat.parent.name), int(fields[1])


def descendants(process: int) -> list[int]:
    """Return the processes below `process`, the nearest first."""
    children = defaultdict(list)
    for child, parent in parents():
        children[parent].append(child)
    processes = [process]
    for each in processes:
        processes += children[each]
    return processes[1:]


def send(processes: Iterable[int], number: signal.Signals) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process, number)


def send_tree(process: int, number: signal.Signals) -> None:
    send([*descendants(process), process], number)


def kill_tree(process: int) -> None:
    """End `process`, all below it and what is left of its process group, now."""
    send_tree(process, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if process != os.getpgrp():
            os.killpg(process, signal.SIGKILL)


def adopt_orphans() -> None:
    """Keep processes below this one when their parent ends; on Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_with_parent() -> None:
    """End this process of multiprocessing when the one that started it is gone."""
    if parent := multiprocessing.parent_process():
        sentinel = parent.sentinel

        def wait_and_end() -> None:
            wait([sentinel])
            os._exit(1)

        threading.Thread(target=wait_and_end, daemon=True).start()
