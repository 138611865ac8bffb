"""End every process below another, whatever session it is in.

torchrun puts its workers into sessions of their own, so ending a process group misses
them; the tree of parents does not. The other way round, a process ends with its parent.
"""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterable
from multiprocessing.connection import wait

import psutil  # type: ignore[import-untyped]

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h

# Of a process whose errors are read: SIGABRT prints where each thread stands, and
# FORCE_COLOR colors no traceback, as it does from Python 3.13 on.
READABLE = {"PYTHONFAULTHANDLER": "1", "PYTHON_COLORS": "0"}


def descendants(process: int) -> list[int]:
    try:
        below = psutil.Process(process).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    return [one.pid for one in below]


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
