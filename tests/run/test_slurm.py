"""The script for Slurm is the lesson's, and starts one run on two pretended nodes."""

import ast
import os
import subprocess
import sys
from pathlib import Path

from downloads import GALLERY

SCRIPT = GALLERY / "long_runs" / "train.slurm"

# What Slurm sets and offers. Here both nodes are this machine, which may have no GPU.
SLURM = r"""
export SLURM_NNODES=2 SLURM_JOB_ID="$1" SLURM_JOB_NODELIST=localhost,localhost
export SLURM_CPUS_PER_TASK=2
scontrol() { echo localhost; echo localhost; }
srun() {
    for node in 0 1; do "${@/--nproc-per-node=gpu/--nproc-per-node=1}" & done
    wait -n && wait -n
}
"""

PROGRAM = """
import torch.distributed as dist

dist.init_process_group("gloo")
ranks = [None] * dist.get_world_size()
dist.all_gather_object(ranks, dist.get_rank())
if dist.get_rank() == 0:
    print(ranks)
dist.destroy_process_group()
"""


def test_the_file_to_take_is_the_script_of_the_lesson() -> None:
    lesson = ast.parse((GALLERY / "long_runs" / "several_nodes.py").read_text("utf-8"))
    scripts = [
        node.value.value
        for node in ast.walk(lesson)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "job"
    ]

    assert scripts == [SCRIPT.read_text("utf-8")]


def test_the_script_makes_one_run_of_two_nodes(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM, encoding="utf-8")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    job = str(os.getpid())  # the port depends on it

    run = subprocess.run(
        ["bash", "-euc", SLURM + SCRIPT.read_text("utf-8"), "slurm", job],
        cwd=tmp_path,
        env=os.environ | {"PATH": path, "CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
        timeout=300,
    )

    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "[0, 1]"
