"""The process that runs the gallery: start it, hear what it does, stop it in time."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

from gallery_run import processes
from gallery_run.outcomes import clip, tail

# this package may be importable only through the sys.path of conf.py's process
PACKAGE_PARENT = str(Path(__file__).parents[1])
START = (
    "import sys; sys.path[0] = sys.argv[1]; "
    "from gallery_run.generate import main; sys.exit(main(int(sys.argv[2])))"
)


class Child:
    """The process that runs the gallery, and what it says."""

    def __init__(self, request: tuple[Any, ...], folder: Path) -> None:
        self.log = folder / "log"
        self.pipe, theirs = Pipe()  # closed by the system if this process is killed
        environment = {"PYTHONFAULTHANDLER": "1", "TMPDIR": str(folder)}
        with theirs, self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", START, PACKAGE_PARENT, str(theirs.fileno())],
                env=os.environ | environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for us, and we end it
            )
        self.pipe.send(request)

    def hear(self) -> tuple[str, dict[str, Any]]:
        """Return what it says in a short while: "" for nothing, "gone" at its end."""
        with contextlib.suppress(EOFError, ConnectionError):
            if self.pipe.poll(0.1):
                kind, values = self.pipe.recv()
                return kind, values
            if self.process.poll() is None:
                return "", {}
        return "gone", {}

    def status(self) -> int:
        """Return how it ended; one that only closed its pipes is ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(timeout=2)
        self.process.kill()
        return self.process.wait()

    def last_words(self) -> str:
        """Return the end of what it and its scripts wrote past Sphinx-Gallery."""
        return clip(tail(self.log))

    def close(self) -> None:
        """End the child with everything below it."""
        processes.kill_tree(self.process.pid)
        self.process.wait()
        self.pipe.close()


class Deadline:
    """Stop a child that is silent for too long, more and more firmly.

    SIGABRT makes Python print where each of its threads stands.
    """

    def __init__(self, child: Child, seconds: float) -> None:
        self.child, self.passed = child, False
        self.restart(seconds)

    def restart(self, seconds: float) -> None:
        self.since = time.monotonic()
        if not self.passed:  # else it is the one that the error names
            self.seconds = seconds

    def pause(self) -> None:
        """Count from the next restart."""
        self.since = float("inf")

    def check(self) -> None:
        """Take the next step if its time has come."""
        over = time.monotonic() - self.since - self.seconds
        if over < 0:
            return
        if not self.passed:
            self.passed = True
            below = processes.descendants(self.child.process.pid)
            processes.send(below, signal.SIGABRT)
            # ranks that are ended bring their page to an end by themselves
            first = 5.0 if below else 0.0
            self.steps = [
                (first, signal.SIGINT),
                (first + 5, signal.SIGABRT),
                (first + 8, signal.SIGKILL),
            ]
        while self.steps and over >= self.steps[0][0]:
            processes.send([self.child.process.pid], self.steps.pop(0)[1])
