"""Record what pages print and draw on this machine, for readers without such GPUs.

It needs torch and matplotlib, and no Sphinx, because a machine with GPUs is often
borrowed. A page that asks for several ranks runs under torchrun.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from signal import SIGTERM

from gallery_run import machine, records
from gallery_run.needs import uses_gpus, world_size

LIMIT = 600.0  # seconds for one page
PACKAGE_PARENT = Path(__file__).parents[1]


def rank_count(script: str, gpus: int) -> int:
    """Return how many ranks a page gets: a GPU for each, if it uses any; 0 for none."""
    asked = world_size(script) or 0
    return min(asked, gpus) if gpus and uses_gpus(script) else asked


def run(script: Path, ranks: int, folder: Path) -> bool:
    """Run a page, which leaves its record in a folder; return whether it ended well."""
    torchrun = ["torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"]
    program = ["gallery_run.record_page", str(script), str(folder), str(ranks)]
    running = subprocess.Popen(
        [sys.executable, "-m", *([*torchrun, "-m"] if ranks else []), *program],
        cwd=PACKAGE_PARENT,
        env=os.environ | {"MPLBACKEND": "agg"},
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return running.wait(LIMIT) == 0 and (folder / records.FILE).is_file()
    except subprocess.TimeoutExpired:
        print(f"{script}:1: did not end within {LIMIT:g} s", file=sys.stderr)
        return False
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, SIGTERM)  # torchrun then ends its ranks
        running.wait()


def record(script: Path, ranks: int, folder: Path) -> bool:
    """Record a page, in place of an earlier record of this machine."""
    with tempfile.TemporaryDirectory(prefix="record-") as name:
        made = Path(name)
        if not run(script, ranks, made):
            print(f"{script}:1: not recorded, see above", file=sys.stderr, flush=True)
            return False
        made_on = records.read(made).machine
        place = folder / re.sub("[^a-z0-9]+", "-", made_on.name.lower())
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(made, place)
    print(f"{made_on.name}, ranks: {ranks} of {made_on.asked}: {place}", flush=True)
    return True


def main(names: list[str]) -> int:
    gallery = Path("gallery").resolve()
    named = [gallery / f"{name}.py" for name in names]
    for script in named:
        if not script.is_file():
            sys.exit(f"{script}: there is no such page (name it as in part/page)")
    gpus, succeeded = machine.gpu_count(), True
    if not gpus and not named:
        sys.exit("there is no GPU here (to record pages on the CPU, name them)")
    for script in named or sorted(gallery.rglob("*.py")):
        text = script.read_text(encoding="utf-8")
        if named or uses_gpus(text):
            page = script.relative_to(gallery).with_suffix("")
            print(f"{page} ...", flush=True)
            folder = Path(records.FOLDER) / page
            succeeded = record(script, rank_count(text, gpus), folder) and succeeded
    return 0 if succeeded else 1
