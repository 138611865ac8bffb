"""Run a gallery page as rank 0 of a torchrun program, with the other ranks beside it.

Sphinx-Gallery runs the script in its own process, so that one is rank 0; two of its
hooks start the other ranks before the script and wait for them after it. A rank that
fails or hangs fails the page, with that rank's own traceback: what rank 0 then sees is
only a closed connection.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sphinx.errors import SphinxError

from gallery_run import processes, upstream
from gallery_run.needs import world_size
from gallery_run.outcomes import Outcome, is_echo, report, script_error, tail

PATIENCE = 2.0  # seconds in which one rank's end should bring down the others
STUCK = 15.0  # seconds after a signal until rank 0 is past help
WAIT = 30.0  # seconds that ranks may take longer than rank 0
AT_EXIT = Path(__file__).with_name("at_exit")  # its sitecustomize says why


class RankError(SphinxError):
    category = "A rank failed"


@dataclass
class Rank:
    """A rank other than rank 0: a process and what it writes."""

    number: int
    process: subprocess.Popen[bytes]
    errors: Path
    output: Path
    hung: bool = False

    def outcome(self) -> Outcome:
        status, said = self.process.wait(), tail(self.errors)
        return Outcome(self.number, status, said, tail(self.output), self.hung)


@dataclass
class Page:
    """The page that runs now, and what is to be done after it."""

    name: str
    source: Path
    target: Path
    ranks: list[Rank] = field(default_factory=list)
    store: Any = None  # keeps the port ours until the page's group takes it over
    after: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    over: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def running(self) -> list[Rank]:
        return [rank for rank in self.ranks if rank.process.poll() is None]

    def died(self) -> list[Rank]:
        return [rank for rank in self.ranks if rank.process.poll()]


_pages: list[Page] = []  # the page that runs now, if any
_ports: set[int] = set()  # of the stores of all pages in this process


def argv(gallery_conf: dict[str, Any], script_vars: dict[str, Any]) -> list[str]:
    """Start a page's ranks; a `reset_argv` hook: return the script's arguments."""
    source = Path(script_vars["src_file"])
    name = os.path.relpath(source, gallery_conf["src_dir"])
    page = Page(name, source, Path(script_vars["target_file"]))
    page.after.callback(os.environ.update, dict(os.environ))
    page.after.callback(os.environ.clear)  # called first
    page.after.enter_context(warnings.catch_warnings())  # torch's Join sets filters
    path = filter(None, (str(AT_EXIT), os.environ.get("PYTHONPATH")))
    os.environ["PYTHONPATH"] = os.pathsep.join(path)
    _pages.append(page)
    text = source.read_text(encoding="utf-8")
    uses_torch = "import torch" in text
    if uses_torch:
        keep_torch(page)
    if size := world_size(text):
        start(page, size, uses_torch=uses_torch)
    return []


def keep_torch(page: Page) -> None:
    """Let the next page find torch as this one did: only rank 0 outlives its page."""
    import torch
    import torch.distributed as dist

    page.after.callback(torch.set_default_dtype, torch.get_default_dtype())
    page.after.callback(vars(dist).update, dict(vars(dist)))  # what counts its calls


def reset(gallery_conf: dict[str, Any], fname: str, when: str) -> None:
    """End a page's ranks after its script; a `reset_modules` hook.

    Sphinx-Gallery does not call it after a script that aborts the build; then
    `gallery_run.generate` does. Raises RankError.
    """
    while _pages:
        page = _pages.pop()
        try:
            if when == "after":
                finish(page, sys.exc_info()[1])
        finally:
            restore(page)


def start(page: Page, size: int, *, uses_torch: bool) -> None:
    """Make this process rank 0 and start the others."""
    port = take_port(page, size) if uses_torch else free_port()
    common = {
        "WORLD_SIZE": str(size),
        "LOCAL_WORLD_SIZE": str(size),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
    }
    folder = tempfile.TemporaryDirectory(prefix="r-", ignore_cleanup_errors=True)
    path = Path(page.after.enter_context(folder))
    for number in range(1, size):
        page.ranks.append(start_rank(number, page.source, common, path))
    os.environ.update(common, RANK="0", LOCAL_RANK="0")
    watcher = threading.Thread(target=watch, args=(page,), daemon=True)
    watcher.start()
    page.after.callback(watcher.join)


def start_rank(number: int, source: Path, common: dict[str, str], folder: Path) -> Rank:
    """Start one rank as torchrun would."""
    own = {
        "RANK": str(number),
        "LOCAL_RANK": str(number),
        "OMP_NUM_THREADS": "1",  # as torchrun does: the ranks share the processors
        "MPLBACKEND": "agg",
    }
    own |= processes.READABLE
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
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def take_port(page: Page, size: int) -> int:
    """Open the page's store in advance, on a port that nobody can take from us.

    The script's own store for this port is the same one, since both are of one process
    (``multi_tenant``).
    """
    import torch

    # Its functions keep, as a default argument, the group that there is when it is
    # imported; a wrapped model imports it. So before there is one.
    import torch.distributed.nn
    from torch.distributed import TCPStore  # type: ignore[attr-defined]

    page.after.callback(torch.set_num_threads, torch.get_num_threads())
    torch.set_num_threads(1)
    # On the port of an earlier page's store, which is closed, torch would not find this
    # one and would open a second (2.13: ``TCPServer::start`` keeps the first it knew).
    while page.store is None or page.store.port in _ports:
        page.store = TCPStore(
            "127.0.0.1",
            0,
            size,
            is_master=True,
            wait_for_workers=False,
            multi_tenant=True,
        )
    _ports.add(page.store.port)
    return int(page.store.port)


def watch(page: Page) -> None:
    """End rank 0 soon after another rank died: it may wait for that one forever."""
    while not page.over.wait(0.05):
        if page.died():
            break
    if page.over.wait(PATIENCE):
        return  # rank 0 noticed by itself
    main = threading.main_thread()
    with page.lock:
        if not page.over.is_set() and main.ident:
            signal.pthread_kill(main.ident, signal.SIGINT)
    if page.over.wait(STUCK):
        return
    # rank 0 waits where no signal reaches it
    ended = outcomes(page)
    end(page)
    print(report(page.name, ended), file=sys.__stderr__, flush=True)
    os._exit(1)


def finish(page: Page, error: BaseException | None) -> None:
    """Wait for the ranks and raise RankError if one of them is the cause."""
    mark_over(page)
    said = script_error(error, page.source)[1] if error is not None else ""
    if not said or is_echo(said):
        wait_for(page, WAIT if error is None else PATIENCE)
        stop(page)
    else:
        wait_for(page, 0.3)  # the same error on every rank is said once
    early = [rank for rank in page.ranks if rank.process.poll() == 0]
    ended = outcomes(page, said)
    end(page)
    text = report(page.name, ended, [rank.number for rank in early])
    if error is None and not text and has_group():
        text = (
            f"{page.name}: the script leaves its process group open; end it with "
            "torch.distributed.destroy_process_group()"
        )
    if text:
        # Sphinx-Gallery took the script for done when rank 0 was
        upstream.forget(page.target)
        raise RankError(text)


def outcomes(page: Page, said: str = "") -> list[Outcome]:
    """Return how the ranks that failed ended: the first is first, rank 0 last."""
    died = sorted(page.died(), key=lambda rank: rank.errors.stat().st_mtime_ns)
    ended = [rank.outcome() for rank in died]
    return [*ended, Outcome(0, 1, said)] if said else ended


def mark_over(page: Page) -> None:
    """Tell the watcher that rank 0 is through."""
    try:
        with page.lock:
            page.over.set()
    except KeyboardInterrupt:  # the watcher was a moment faster
        page.over.set()


def wait_for(page: Page, seconds: float) -> None:
    """Wait for all ranks to end; not for long once one died."""
    limit = time.monotonic() + seconds
    while page.running() and time.monotonic() < limit:
        if page.died():
            limit = min(limit, time.monotonic() + PATIENCE)
        time.sleep(0.02)


def stop(page: Page) -> None:
    """End ranks that hang; let them say where, if they still can."""
    for rank in page.running():
        rank.hung = True
        processes.send_tree(rank.process.pid, signal.SIGABRT)
    wait_for(page, PATIENCE)
    end(page)  # a rank that ignores signals has failed, too


def end(page: Page) -> None:
    """End ranks with all that they started."""
    ranks = page.running()
    for rank in ranks:
        processes.kill_tree(rank.process.pid)
    for rank in ranks:
        rank.process.wait()


def has_group() -> bool:
    dist = sys.modules.get("torch.distributed")
    return dist is not None and dist.is_available() and bool(dist.is_initialized())


def restore(page: Page) -> None:
    """Leave nothing of a page behind, whatever became of it."""
    mark_over(page)
    end(page)
    if has_group():
        with contextlib.suppress(Exception):
            sys.modules["torch.distributed"].destroy_process_group()
    page.store = None
    gc.collect()  # the store closes its port
    page.after.close()
