"""Find the processes that a test leaves running; the session's browser is none."""

from __future__ import annotations

import contextlib

import psutil


def children() -> set[psutil.Process]:
    return {*psutil.Process().children(recursive=True)}


def new_since(before: set[psutil.Process]) -> list[psutil.Process]:
    """Give what runs now and neither ran before nor belongs to what did."""
    return [child for child in children() - before if not below(child, before)]


def below(process: psutil.Process, others: set[psutil.Process]) -> bool:
    """Tell whether a process was started by one of the others, or is gone."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return bool(others & set(process.parents()))
    return True
