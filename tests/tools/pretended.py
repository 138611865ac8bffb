"""The gallery's pages, and how to run one on a machine that torch only believes in."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import warm
from paths import PROJECT, TOOLS

from gallery_intl.script.files import emptied
from gallery_run.needs import world_size

GALLERY = PROJECT / "gallery"
CALL = "init_process_group("
PRETEND = TOOLS / "pretend"
MACHINES = ("", "mps:1", "cuda:1", "cuda:2", "cuda:3", "cuda:4", "cuda:8", "xpu:2")
RANKS = (1, 2, 3, 4, 8)
# how the CPU's build of torch refuses what only a real GPU can do
REFUSED = (
    "Torch not compiled with CUDA enabled",
    "Distributed package doesn't have NCCL built in",
    "Distributed package doesn't have XCCL built in",
    "Torch not compiled with XPU enabled",
    "PyTorch is not linked with support for xpu devices",
    "Cannot access accelerator device when none is available",  # asked by Adam
)


def kind_and_count(machine: str) -> tuple[str, int]:
    """Split the name of a machine: the kind of its GPUs, and their number."""
    kind, _, count = machine.partition(":")
    return kind, int(count or 0)


def computes_on_gpus(machine: str, ranks: int) -> bool:
    """Tell whether so many ranks take the GPUs of a machine; 0 is a plain program."""
    kind, count = kind_and_count(machine)
    return kind not in ("", "mps") and count >= max(ranks, 1)


def pages() -> list[Path]:
    return sorted(GALLERY.rglob("*.py"))


def launched_pages() -> list[Path]:
    return [page for page in pages() if world_size(page.read_text("utf-8"))]


def works_alone(page: Path) -> bool:
    """Tell whether one rank is enough for a page that torchrun starts."""
    return 'os.environ.get("WORLD_SIZE", "1") == "1"' not in page.read_text("utf-8")


def run(
    page: Path,
    folder: Path,
    machine: str = "",
    ranks: int = 0,
    *,
    python: Path | str = sys.executable,
    **told: str,
) -> subprocess.CompletedProcess[str]:
    """Run a page under torchrun, or Python if ranks is 0; ``told`` is environment."""
    launch = ["torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"]
    path = os.pathsep.join(map(str, (PRETEND, TOOLS, os.environ.get("PYTHONPATH", ""))))
    own = {"MPLBACKEND": "agg", "OMP_NUM_THREADS": "1", "PYTHONPATH": path}
    return subprocess.run(
        [str(python), *(["-m", *launch] if ranks else []), str(page)],
        cwd=folder,
        env=os.environ | own | {"PRETEND": machine} | told,
        capture_output=True,
        text=True,
        timeout=900,  # of a busy machine
        check=False,
    )


def run_in_forks(
    page: Path, folder: Path, machine: str = "", ranks: int = 0, **told: str
) -> subprocess.CompletedProcess[str]:
    """Run a page as `run` does, but nobody starts Python or torchrun."""
    work = warm.Script(page, folder)
    return warm.run(work, folder, ranks, PRETEND=machine, **told)


def statements(page: Path) -> list[str]:
    """Give the statements of a page, or of the programs that it writes to files.

    A function of such a program counts as its statements, and so does the function of
    a page that makes the group.
    """
    script = page.read_text("utf-8")
    emptied_script, files = emptied(script)
    if CALL in ast.unparse(ast.parse(emptied_script)):  # and not in a comment
        parts = [within(x) if CALL in ast.unparse(x) else [x] for x in body(script)]
    else:
        parts = [within(x) for file in files for x in body(file.text)]
    return [ast.unparse(node) for part in parts for node in part]


def body(program: str) -> list[ast.stmt]:
    return ast.parse(program).body


def within(statement: ast.stmt) -> list[ast.stmt]:
    return statement.body if isinstance(statement, ast.FunctionDef) else [statement]


def start_of(page: Path) -> list[str]:
    """Give the statements from a page's first of torchrun to that which joins."""
    found = statements(page)
    first = next(i for i, one in enumerate(found) if one.startswith("if 'RANK' not in"))
    last = next(i for i, one in enumerate(found) if CALL in one)
    return found[first : last + 1]
