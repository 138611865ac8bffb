"""Run every page on every pretended machine, with 1, 2, 3, 4 and 8 ranks.

Target `torture` runs it; it takes a quarter of an hour. A page that computes on the CPU
runs to its end. One that takes a pretended GPU says so, and goes as far as the CPU's
build of torch does: `ON_GPUS.md` lists what only real GPUs can show. Without GPUs,
every page also runs with 16 ranks, and beside a window that stays open for 90 seconds.
"""

from __future__ import annotations

from pathlib import Path

import pretended
import pytest
from pretended import MACHINES, RANKS, REFUSED

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
