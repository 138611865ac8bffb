"""The training program saves and ends when torchrun is asked to end, and resumes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from pretended import GALLERY

PROGRAM = GALLERY / "start" / "training_program.py"
TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
OPTIONS = ["--folder=run", "--steps=150", "--log-every=5", "--save-every=9999"]
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}


def test_a_signal_to_torchrun_ends_the_run_with_a_checkpoint(tmp_path: Path) -> None:
    told = ["--signals-to-handle=SIGTERM,SIGUSR1", str(PROGRAM), *OPTIONS]
    run = subprocess.Popen(
        [sys.executable, *TORCHRUN, *told],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stdout is not None
    for line in run.stdout:
        if line.startswith("step 10:"):
            run.send_signal(signal.SIGUSR1)
            break
    rest, errors = run.communicate(timeout=60)

    assert "got signal: 10" in errors or "SIGUSR1" in errors, errors
    assert (tmp_path / "run" / "checkpoint.pt").exists(), errors

    last = max([10, *map(int, re.findall(r"^step (\d+):", rest, re.MULTILINE))])
    resumed = subprocess.run(
        [sys.executable, str(PROGRAM), *OPTIONS, "--workers=0"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=200,
        check=True,
    )
    first = re.search(r"^step (\d+):", resumed.stdout, re.MULTILINE)
    assert first is not None
    assert int(first[1]) == last + 5
