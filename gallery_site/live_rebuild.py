"""Build one language again and again, and have a process ready for the next edit.

The page of an edited catalog is built first; what shows words of it, such as its card
or the downloads that link to it, follows when that page is there.
"""

from __future__ import annotations

import contextlib
import multiprocessing as mp
from collections.abc import Iterable
from multiprocessing.context import ForkServerContext, SpawnContext
from pathlib import Path

from gallery_site.live_build import Job, Result, work

INTERFACE = "sphinx.po"  # read once, when Sphinx starts


class Worker:
    """A process that prepares a build and does it when it is told to."""

    def __init__(self, context: SpawnContext | ForkServerContext, job: Job) -> None:
        self.wire, wire = context.Pipe()
        self.process = context.Process(target=work, args=(job, wire), daemon=True)
        self.process.start()
        wire.close()

    @property
    def is_ready(self) -> bool:
        """Tell whether it still waits: a fault while preparing ends it."""
        return self.process.is_alive() and not self.wire.poll()

    def build(self, pages: set[str]) -> Result:
        """Build only some pages; all that changed if none are named."""
        with contextlib.suppress(OSError):  # it may have come to its end already
            self.wire.send(pages)
        try:
            result: Result = self.wire.recv()
        except (EOFError, OSError):
            return Result("the process that builds ended without a word", [])
        return result

    def stop(self) -> None:
        self.process.kill()


class Rebuilder:
    """Builds a language at each edit; gives what went wrong, or nothing."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.stopped = False
        self.worker = Worker(mp.get_context("spawn"), job)
        self.is_new = True  # nothing was edited since the worker began to prepare
        self.forks: ForkServerContext | None = None

    def build_all(self) -> str:
        """Build all that changed."""
        if not self.is_new:
            self.renew()
        return self.build(set())

    def build_first(self, changed: Iterable[Path]) -> str | None:
        """Build the pages of edited catalogs alone; None if that is not possible."""
        pages = {page_of(self.job, path) for path in changed}
        if None in pages or not self.worker.is_ready:
            self.is_new = False
            return None
        return self.build({page for page in pages if page})

    def build(self, pages: set[str]) -> str:
        result = self.worker.build(pages)
        if self.stopped:
            return ""
        if not self.forks:
            self.forks = mp.get_context("forkserver")
            self.forks.set_forkserver_preload(result.modules)
        self.renew()
        self.is_new = bool(pages)  # then all the others follow at once
        return result.problems

    def renew(self) -> None:
        """Let another process stand ready."""
        self.worker.stop()
        if self.forks and not self.stopped:
            self.worker = Worker(self.forks, self.job)

    def stop(self) -> None:
        self.stopped = True
        self.worker.stop()


def page_of(job: Job, path: Path) -> str | None:
    """Give the page of a catalog; None for what is read when Sphinx starts."""
    if path.suffix != ".po" or path.name == INTERFACE:
        return None
    return path.relative_to(job.catalogs).with_suffix("").as_posix()
