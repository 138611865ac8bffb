"""Run every page on every pretended machine, with 1, 2, 3, 4 and 8 ranks; and more.

Target `torture` runs it; it takes a quarter of an hour. A page that computes on the CPU
runs to its end. One that takes a pretended GPU says so, and goes as far as the CPU's
build of torch does: `ON_GPUS.md` lists what only real GPUs can show. Without GPUs,
every page also runs with 16 ranks, and beside a window that stays open for 90 seconds.

Every download runs as a reader runs it, under Python, torchrun and Jupyter. Every
lesson runs with the oldest torch that its head names: each version is installed from
the package index, in an environment of its own; the index has no CPU builds of old
versions, so this takes several gigabytes.
"""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import downloads
import pretended
import pytest
from paths import PROJECT
from pretended import MACHINES, RANKS, REFUSED

from gallery_run.needs import world_size

OF_RANKS = pretended.launched_pages()
PLAIN = [page for page in pretended.pages() if page not in OF_RANKS]


NO_INTEL = "nn.DataParallel does not run on xpu."


def takes_gpus(page: Path, machine: str, ranks: int) -> bool:
    if page.parent.name == "one_process" and machine.startswith("xpu"):
        return False
    if page.stem == "several_nodes":  # it hides them
        return False
    return pretended.computes_on_gpus(machine, ranks)


def check(page: Path, folder: Path, machine: str, ranks: int) -> None:
    """Run a page; it ends well, or where it needs the GPU that is not there."""
    done = pretended.run(page, folder, machine, ranks)

    if machine.startswith("xpu") and "DataParallel does not run" in page.read_text():
        assert (done.returncode, done.stderr) == (1, f"{NO_INTEL}\n")
    elif ranks < 2 and page in OF_RANKS and not pretended.works_alone(page):
        assert done.returncode == 1
        assert ". Start with: torchrun --standalone " in done.stderr
    elif takes_gpus(page, machine, ranks):
        assert done.returncode != 0
        assert any(one in done.stderr for one in REFUSED), done.stderr
        if ranks:
            kind, _ = pretended.kind_and_count(machine)
            assert f"device: {kind} (" in done.stdout
    else:
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("page", OF_RANKS, ids=lambda page: page.stem)
def test_a_page_of_ranks(tmp_path: Path, page: Path, machine: str, ranks: int) -> None:
    check(page, tmp_path, machine, ranks)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("page", PLAIN, ids=lambda page: page.stem)
def test_a_page_of_one_process(tmp_path: Path, page: Path, machine: str) -> None:
    check(page, tmp_path, machine, 0)


@pytest.mark.parametrize("ranks", [0, 5, 7, 16])
@pytest.mark.parametrize("page", OF_RANKS, ids=lambda page: page.stem)
def test_plain_python_and_any_number_of_ranks_fit(
    tmp_path: Path, page: Path, ranks: int
) -> None:
    check(page, tmp_path, "", ranks)


@pytest.mark.parametrize("page", pretended.pages(), ids=lambda page: page.stem)
def test_a_page_waits_for_a_window_that_stays_open(tmp_path: Path, page: Path) -> None:
    ranks = 2 if page in OF_RANKS else 0
    window = {"MPLBACKEND": "module://open_window", "WINDOW_SECONDS": "90"}

    done = pretended.run(page, tmp_path, ranks=ranks, **window)

    assert done.returncode == 0, done.stderr
    assert "a window was shown\n" in done.stdout
    assert "Warning" not in done.stderr


# as readers run them

each_download = pytest.mark.parametrize("name", downloads.PAGES)


@each_download
def test_a_script(site: Path, tmp_path: Path, name: str) -> None:
    path = downloads.download(site, "ko", name, ".py", tmp_path)

    assert downloads.run_script(path) == downloads.shown(site, "ko", name)


@each_download
def test_a_notebook(site: Path, tmp_path: Path, name: str) -> None:
    path = downloads.download(site, "ja", name, ".ipynb", tmp_path)

    assert downloads.run_notebook(path) == downloads.shown(site, "ja", name)


# with the oldest torch

OLDEST = re.compile(r"^:Oldest torch: ([0-9.]+)$", re.MULTILINE)
WITH_OLDEST = [p for p in pretended.pages() if OLDEST.search(p.read_text("utf-8"))]


@cache
def python_with(version: str) -> Path:
    """Install the newest patch of a minor version of torch; give its Python."""
    folder = PROJECT / ".venv" / f"torch-{version}"
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        packages = [f"torch=={version}.*", "matplotlib", "numpy"]
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        install = [python, "-m", "pip", "install", "--quiet", "--no-compile"]
        subprocess.run([*install, *packages], check=True)
        (folder / "complete").touch()
    return python


@pytest.mark.parametrize("page", WITH_OLDEST, ids=lambda page: page.stem)
def test_a_lesson_runs_with_the_oldest_torch_that_it_names(
    tmp_path: Path, page: Path
) -> None:
    text = page.read_text("utf-8")
    oldest = OLDEST.search(text)
    assert oldest

    done = pretended.run(
        page,
        tmp_path,
        ranks=world_size(text) or 0,
        python=python_with(oldest[1]),
    )

    assert done.returncode == 0, done.stderr
