"""The training program saves and ends when torchrun is asked to end, and resumes."""

from __future__ import annotations

import os
import re
import runpy
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
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


# The loss stays finite, and one gradient becomes infinite.
INFINITE = """
import sys

sys.path.insert(0, sys.argv.pop(1))
bad = int(sys.argv.pop(1))
import training_program

loss_of, n_calls = training_program.loss_of, 0


def loss_of_a_bad_step(model, *args, **kwargs):
    global n_calls
    loss = loss_of(model, *args, **kwargs)
    n_calls += model.training
    if n_calls == bad and model.training:
        loss.register_hook(lambda gradient: gradient * float("inf"))
    return loss


training_program.loss_of = loss_of_a_bad_step
training_program.main()
"""


@pytest.mark.parametrize(("log_every", "save_every"), [(10, 10), (10, 15)])
def test_an_infinite_gradient_leaves_the_last_good_checkpoint(
    tmp_path: Path, log_every: int, save_every: int
) -> None:
    (tmp_path / "bad.py").write_text(INFINITE, encoding="utf-8")
    options = ["--folder=run", "--steps=60", "--batch=4", "--workers=0"]
    options += [f"--log-every={log_every}", f"--save-every={save_every}"]
    bad = str(3 * save_every)
    run = subprocess.run(
        [sys.executable, "bad.py", str(PROGRAM.parent), bad, *options],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=200,
    )

    assert run.returncode != 0, run.stdout
    assert f"at step {3 * save_every}" in run.stderr, run.stderr
    for name, step in {"checkpoint.pt": 2, "checkpoint.previous": 1}.items():
        state = torch.load(tmp_path / "run" / name)
        assert state["step"] == step * save_every
        for key, value in state["model"].items():
            assert value.isfinite().all(), f"{name}: {key}"


def test_the_samples_of_a_step_do_not_depend_on_the_number_of_ranks() -> None:
    program = runpy.run_path(str(PROGRAM))

    def third_batch(n_ranks: int, epoch: int) -> list[int]:
        dealt: list[int] = []
        for rank in range(n_ranks):
            sampler = program["ResumableSampler"](
                range(1000), n_ranks, rank, drop_last=True
            )
            sampler.resume(epoch, n_seen=2 * 48 // n_ranks)
            dealt += list(sampler)[: 48 // n_ranks]
        return sorted(dealt)

    assert third_batch(2, 1) == third_batch(4, 1), "four ranks train on other samples"
    assert third_batch(2, 0) != third_batch(2, 1), "every epoch has the same order"
