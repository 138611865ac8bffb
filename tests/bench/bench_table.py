"""The table of the benchmarks: what is measured, beside what it is compared with."""

from __future__ import annotations

import os
import platform
from typing import NamedTuple

import psutil

HEAD = "| measure | ours | against | ratio | aim | met |\n|---|---:|---:|---:|---:|---|"


class Row(NamedTuple):
    """A line of the table; what is measured and what it is compared with."""

    measure: str
    ours: float
    against: float
    aim: float  # the ratio that is allowed
    unit: str = "s"

    def __str__(self) -> str:
        ratio = self.ours / self.against
        met = "yes" if ratio <= self.aim else "**no**"
        cells = (
            self.measure,
            f"{self.ours:.2f} {self.unit}",
            f"{self.against:.2f} {self.unit}",
            f"{ratio:.2f}",
            f"{self.aim:.2f}",
            met,
        )
        return f"| {' | '.join(cells)} |"


def machine() -> str:
    """Say where this was measured."""
    memory = psutil.virtual_memory().total / 2**30
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GiB,"
        f" {platform.system()}, Python {platform.python_version()}"
    )
