"""The script for Slurm is the lesson's, and starts one run on two pretended nodes."""

import ast
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from downloads import GALLERY

SCRIPT = GALLERY / "long_runs" / "train.slurm"
PROGRAM = GALLERY / "start" / "training_program.py"

# What Slurm sets and offers. Here both nodes are this machine, which may have no GPU.
SLURM = r"""
export SLURM_NNODES=2 SLURM_JOB_ID="$1" SLURM_JOB_NODELIST=localhost,localhost
export SLURM_CPUS_PER_TASK=2 SLURM_GPUS_ON_NODE=1
scontrol() {
    if [ "$1" = requeue ]; then echo "$2" >> calls; else echo localhost; fi
}
"""

# It starts torchrun on each node, and ends the other one if one fails.
TWO_NODES = r"""
srun() {
    shift 2
    : > torchruns
    for node in 0 1; do
        "$@" &
        echo $! >> torchruns
    done
    wait -n && wait -n && return
    kill $(cat torchruns)
    wait
    false
}
"""

OPTIONS = "--steps 60 --batch 8 --log-every 2 --save-every 20 --workers 0"


def start(folder: Path, srun: str, saved: str = "checkpoint.pt") -> subprocess.Popen:
    script = SCRIPT.read_text("utf-8").replace("/shared/", f"{folder}/")
    for old, new in {
        "training_program.py --folder": f"{shlex.quote(str(PROGRAM))} --folder",
        "--steps 20000 --batch 512": OPTIONS,
        "saved=checkpoint.pt": f"saved={saved}",
    }.items():
        assert script.count(old) == 1, old
        script = script.replace(old, new)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {"PATH": path, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        ["bash", "-uc", SLURM + srun + script, "slurm", str(os.getpid())],
        cwd=folder,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def times_requeued(folder: Path) -> int:
    calls = folder / "calls"
    return len(calls.read_text().splitlines()) if calls.exists() else 0


def wait_for(line: str, process: subprocess.Popen) -> str:
    lines = []
    assert process.stdout is not None
    for one in process.stdout:
        lines.append(one)
        if one.startswith(line):
            return "".join(lines)
    raise AssertionError("".join(lines))


def test_the_file_to_take_is_the_script_of_the_lesson() -> None:
    lesson = ast.parse((GALLERY / "long_runs" / "several_nodes.py").read_text("utf-8"))
    scripts = [
        node.value.value
        for node in ast.walk(lesson)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "job"
    ]

    assert scripts == [SCRIPT.read_text("utf-8")]


def test_shellcheck_finds_no_mistake_in_the_script() -> None:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["shellcheck", SCRIPT],
        env={"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, "")


def test_the_script_goes_on_after_its_time_and_after_a_lost_node(
    tmp_path: Path,
) -> None:
    limited = start(tmp_path, TWO_NODES)
    said = wait_for("step 4:", limited)
    for torchrun in (tmp_path / "torchruns").read_text().split():
        os.kill(int(torchrun), signal.SIGUSR1)
    said += limited.communicate(timeout=300)[0]
    assert re.findall(r"^saved step \d+", said, re.MULTILINE), said
    state = torch.load(tmp_path / "run" / "checkpoint.pt")
    assert len(state["random"]) == 2, "two nodes are one run"
    assert times_requeued(tmp_path) == 1, said

    lost = start(tmp_path, TWO_NODES)
    said = wait_for("saved step", lost)
    torchrun = (tmp_path / "torchruns").read_text().split()[1]
    children = Path(f"/proc/{torchrun}/task/{torchrun}/children").read_text()
    for process in [torchrun, *children.split()]:
        os.kill(int(process), signal.SIGKILL)
    said += lost.communicate(timeout=300)[0]
    assert "resumed at step" in said
    assert times_requeued(tmp_path) == 2, said

    whole = start(tmp_path, TWO_NODES)
    said = whole.communicate(timeout=300)[0]
    assert whole.returncode == 0, said
    assert "saved step 60" in said
    assert times_requeued(tmp_path) == 2, said


# What a try leaves, and whether the job comes back.
ONE_FILE = "mkdir run; touch run/checkpoint.pt"
ONE_FOLDER = "mkdir -p run/step_00000010; touch run/step_00000010/.metadata"
TRIES = {
    "success": (ONE_FILE, 0, 0),
    "a checkpoint, then an accident": (f"{ONE_FILE}; false", 0, 1),
    "a folder, then an accident": (f"{ONE_FOLDER}; false", 0, 1),
    "half a folder": ("mkdir -p run/step_00000010; false", 1, 0),
    "no checkpoint at all": ("mkdir run; false", 1, 0),
    "only an old one": (f"{ONE_FILE} -d yesterday; false", 1, 0),
}


@pytest.mark.parametrize("what", TRIES)
def test_the_job_comes_back_only_if_this_try_has_saved(
    tmp_path: Path, what: str
) -> None:
    leaves, returncode, times = TRIES[what]
    saved = ".metadata" if "folder" in what else "checkpoint.pt"
    process = start(tmp_path, f"srun() {{ sleep 0.1; {leaves}; }}\n", saved)
    said = process.communicate(timeout=60)[0]

    assert process.returncode == returncode, said
    assert times_requeued(tmp_path) == times, said
