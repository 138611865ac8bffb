"""Run pages in forks of one process that has imported torch, which takes seconds."""

from __future__ import annotations

import os
import random
import runpy
import sys
import traceback
from multiprocessing import get_context
from multiprocessing.connection import wait
from pathlib import Path

WARM = get_context("forkserver")
WARM.set_forkserver_preload(["pytest", "matplotlib.pyplot", "torch.distributed.nn"])
TIMEOUT = 120


def become(script: Path, errors: Path, environment: dict[str, str]) -> None:
    """Run a page in this process, and end it as Python would."""
    with errors.open("a") as said, open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(said.fileno(), 2)
    os.chdir(script.parent)
    os.environ.update(environment)
    random.seed()
    sys.argv = [script.name]
    sys.path.insert(0, str(script.parent))
    try:
        runpy.run_path(script.name, run_name="__main__")
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)  # other threads may wait for a rank that is gone


def environments(ranks: int, port: int) -> list[dict[str, str]]:
    """Give what torchrun would tell each rank; a plain program is told nothing."""
    common = {
        "WORLD_SIZE": str(ranks),
        "LOCAL_WORLD_SIZE": str(ranks),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "TORCHELASTIC_USE_AGENT_STORE": "True",
    }
    each = [{"RANK": str(n), "LOCAL_RANK": str(n)} for n in range(ranks)]
    return [common | own for own in each] or [{}]


def run(script: Path, ranks: int) -> tuple[int, str]:
    """Run a page, with some ranks unless it is 0; give its status and its errors."""
    from torch.distributed import TCPStore

    store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    errors = script.with_suffix(".err")
    processes = [
        WARM.Process(target=become, args=(script, errors, environment))
        for environment in environments(ranks, store.port)
    ]
    for process in processes:
        process.start()
    running = {process.sentinel: process for process in processes}
    while running:
        ended = wait(running, TIMEOUT)
        failed = not ended or any(running.pop(one).exitcode for one in ended)
        for process in running.values() if failed else ():
            process.terminate()
    return max(abs(process.exitcode or 0) for process in processes), errors.read_text()
