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
from signal import SIGABRT, SIGINT, SIGKILL
from typing import Any

from gallery_run import processes
from gallery_run.outcomes import clip, tail

# this package may be importable only through the sys.path of conf.py's process
PACKAGE_PARENT = str(Path(__file__).parents[1])
START = (
    "import sys; sys.path[0] = sys.argv[1]; "
    "from gallery_run.generate import main; sys.exit(main(int(sys.argv[2])))"
)

# with these, warnings of libraries would stand on pages, with paths of this machine
TALKATIVE = {"PYTHONDEVMODE", "PYTHONWARNINGS"}


class Child:
    """The process that runs the gallery, and what it says.

    One that is silent for too long is stopped, more and more firmly; SIGABRT makes
    Python print where each of its threads stands.
    """

    def __init__(self, request: tuple[Any, ...], folder: Path, seconds: float) -> None:
        self.log = folder / "log"
        self.pipe, theirs = Pipe()  # closed by the system if this process is killed
        own = processes.READABLE | {"TMPDIR": str(folder)}
        environment = {k: v for k, v in os.environ.items() if k not in TALKATIVE}
        with theirs, self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", START, PACKAGE_PARENT, str(theirs.fileno())],
                env=environment | own,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for us, and we end it
            )
        self.pipe.send(request)
        self.is_late = False
        self.steps: list[tuple[float, signal.Signals]] = []  # of one that is late
        self.allow(seconds)

    def allow(self, seconds: float) -> None:
        """Let it be silent for so long."""
        self.since = time.monotonic()
        if not self.is_late:  # else it is the one that the error names
            self.seconds = seconds

    def hear(self) -> tuple[str, dict[str, Any]]:
        """Return what it says next; if it is gone, how it ended."""
        with contextlib.suppress(EOFError, ConnectionError):
            while self.pipe.poll(0.1) or self.process.poll() is None:
                if self.pipe.poll():
                    said: tuple[str, dict[str, Any]] = self.pipe.recv()
                    return said
                self.stop_if_late()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=2)
        self.process.kill()  # one that only closed its pipes
        status = self.process.wait()
        # the end of what it and its scripts wrote past Sphinx-Gallery
        return "failed", {"text": clip(tail(self.log)), "status": status}

    def stop_if_late(self) -> None:
        """Take the next step if its time has come."""
        over = time.monotonic() - self.since - self.seconds
        if over >= 0 and not self.is_late:
            self.is_late = True
            below = processes.descendants(self.process.pid)
            processes.send(below, SIGABRT)
            # ranks that are ended bring their page to an end by themselves
            first = 5.0 if below else 0.0
            self.steps = [(first, SIGINT), (first + 5, SIGABRT), (first + 8, SIGKILL)]
        while self.steps and over >= self.steps[0][0]:
            processes.send([self.process.pid], self.steps.pop(0)[1])

    def close(self) -> None:
        """End the child with everything below it."""
        processes.kill_tree(self.process.pid)
        self.process.wait()
        self.pipe.close()
