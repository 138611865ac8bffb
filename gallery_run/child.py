"""The process that runs the gallery: start it, hear what it does, stop it in time."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gallery_run import processes
from gallery_run.outcomes import clip, tail

# this package may be importable only through the sys.path of conf.py's process
PACKAGE_PARENT = str(Path(__file__).parents[1])
START = (
    "import json, sys; sys.path[0] = sys.argv[1]; "
    "from gallery_run.generate import main; sys.exit(main(json.loads(sys.argv[2])))"
)


class Child:
    """The process that runs the gallery, and what it says."""

    def __init__(self, request: dict[str, Any], folder: Path) -> None:
        self.log = folder / "log"
        alive, self.alive = os.pipe()  # closed by the system if this process is killed
        self.events, events = os.pipe()
        request |= {"events": events, "alive": alive}
        environment = {"PYTHONFAULTHANDLER": "1", "TMPDIR": str(folder)}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", START, PACKAGE_PARENT, json.dumps(request)],
                env=os.environ | environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(events, alive),
                start_new_session=True,  # Ctrl-C is for us, and we end it
            )
        os.close(alive)
        os.close(events)
        self.rest = b""

    def read(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield what the child said within a short while; ("gone", {}) at its end."""
        if not select.select([self.events], [], [], 0.1)[0]:
            if self.process.poll() is not None:
                yield "gone", {}
            return
        if not (data := os.read(self.events, 65536)):
            yield "gone", {}
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            kind, values = json.loads(line)
            yield kind, values

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
        os.close(self.alive)
        os.close(self.events)


class Deadline:
    """Stop a child that is silent for too long, more and more firmly.

    SIGABRT makes Python print where each of its threads stands.
    """

    def __init__(self, child: Child, seconds: float) -> None:
        self.child, self.passed = child, False
        self.restart(seconds)

    def restart(self, seconds: float) -> None:
        """Count from now."""
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
            self.steps = self._steps(bool(below))
            processes.send(below, signal.SIGABRT)
        while self.steps and over >= self.steps[0][0]:
            processes.send([self.child.process.pid], self.steps.pop(0)[1])

    def _steps(self, ranks: bool) -> list[tuple[float, signal.Signals]]:
        # ranks that are ended bring their page to an end by themselves
        interrupt = 5.0 if ranks else 0.0
        return [
            (interrupt, signal.SIGINT),
            (interrupt + 5, signal.SIGABRT),
            (interrupt + 8, signal.SIGKILL),
        ]
