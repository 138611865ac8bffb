"""The ranks beside rank 0: processes with what torchrun would give them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from gallery_run import processes
from gallery_run.outcomes import Outcome, tail


@dataclass
class Rank:
    """A rank other than rank 0: a process and what it writes."""

    number: int
    process: subprocess.Popen[bytes]
    errors: Path
    output: Path
    hung: bool = False

    def outcome(self) -> Outcome:
        """Say how the rank ended."""
        status = self.process.wait()
        said, printed = tail(self.errors), tail(self.output)
        return Outcome(self.number, status, said, printed, self.hung)

    def last_word(self) -> int:
        """Return when it last wrote an error, in nanoseconds."""
        return self.errors.stat().st_mtime_ns


def start_rank(number: int, source: Path, common: dict[str, str], folder: Path) -> Rank:
    """Start one rank as torchrun would."""
    own = {
        "RANK": str(number),
        "LOCAL_RANK": str(number),
        "OMP_NUM_THREADS": "1",  # as torchrun does: the ranks share the processors
        "MPLBACKEND": "agg",
        "PYTHONFAULTHANDLER": "1",  # SIGABRT prints where it stands
    }
    errors, output = folder / f"rank-{number}.err", folder / f"rank-{number}.out"
    with errors.open("wb") as err, output.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, str(source)],
            cwd=source.parent,
            env=os.environ | common | own,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )
    return Rank(number, process, errors, output)


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def abort(ranks: list[Rank], number: signal.Signals = signal.SIGABRT) -> None:
    """Stop ranks with all that they started; SIGABRT lets them print their stacks."""
    for rank in ranks:
        below = processes.descendants(rank.process.pid)
        processes.send([*below, rank.process.pid], number)


def end(ranks: list[Rank]) -> None:
    """End ranks with all that they started."""
    abort(ranks, signal.SIGKILL)
    for rank in ranks:
        rank.process.wait()
