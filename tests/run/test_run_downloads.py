"""What a reader downloads runs to its end and prints what the page shows.

A plain page and one with ranks run as a reader runs them, as script and as notebook. Of
the page that starts processes itself, Jupyter runs what needs no PyTorch, and the
gallery the whole script, with the same processes. The other notebooks run in forks of a
warm process, on as many ranks. The other scripts are held against the one that the
gallery has run, of which the page shows what it prints; `torture` runs all of them
as a reader does.
"""

import re
import time
from collections.abc import Callable
from pathlib import Path

import downloads
import nbclient
import nbformat
import psutil
import pytest
from downloads import GALLERY, PAGES, TIMEOUT, printed, shown

from gallery_intl.script.source import same_program
from gallery_run.needs import command
from gallery_run.notebook import ranks_cell, refuse_old_torch

AS_READERS_DO = ("one_process/input_sizes", "start/hello_ranks")
STARTS_PROCESSES = "inside/starting_processes"

each_page = pytest.mark.parametrize("name", PAGES)
Run = Callable[[Path], list[str]]


@pytest.mark.parametrize("name", AS_READERS_DO)
def test_an_unpacked_script_started_by_the_readme_prints_what_its_page_shows(
    site: Path, tmp_path: Path, name: str
) -> None:
    folder = downloads.unpack(site, "ko", tmp_path)
    readme = (folder / "README.md").read_text("utf-8")
    (typed,) = [x for x in readme.splitlines() if x.endswith(f" {name}.py")]

    assert downloads.run_command(typed, folder) == shown(site, "ko", name)


@each_page
def test_a_script_is_the_program_that_its_page_was_made_of(
    site: Path, tmp_path: Path, name: str
) -> None:
    path = downloads.download(site, "ko", name, ".py", tmp_path)
    downloaded = path.read_text("utf-8")
    ran = (GALLERY / f"{name}.py").read_text("utf-8")

    check = refuse_old_torch(ran)
    assert check
    assert check in downloaded
    own = downloaded.replace(check, "")
    assert same_program(ran, own, docstring=False) is None
    assert command(ran) == command(downloaded)


@each_page
def test_a_notebook_prints_what_its_page_shows(
    site: Path, tmp_path: Path, name: str
) -> None:
    path = downloads.download(site, "ja", name, ".ipynb", tmp_path)
    as_reader = name in AS_READERS_DO
    run: Run = downloads.run_notebook if as_reader else downloads.run_notebook_in_forks

    assert run(path) == shown(site, "ja", name)


def test_a_notebook_writes_a_program_and_starts_it_as_readers_run_it(
    site: Path, tmp_path: Path
) -> None:
    path = downloads.download(site, "ja", STARTS_PROCESSES, ".ipynb", tmp_path)
    notebook = nbformat.read(path, as_version=4)
    needed = ("def run(", "pool.py")  # these cells do not wait for PyTorch
    notebook.cells = [
        cell for cell in notebook.cells if any(text in cell.source for text in needed)
    ]
    nbformat.write(notebook, path)

    (squares,) = downloads.run_notebook(path)
    assert squares == "[1, 4, 9]"
    assert squares in shown(site, "ja", STARTS_PROCESSES)


def test_a_cell_waits_for_all_that_its_ranks_print() -> None:
    many = "for _ in range(100):\n    print('x' * 2000, flush=True)\nprint('end')"
    sources = ranks_cell(2, []).source, many, "print('next')"
    written = nbformat.v4.new_notebook(
        cells=list(map(nbformat.v4.new_code_cell, sources))
    )

    nbclient.NotebookClient(written, timeout=TIMEOUT).execute()

    _, much, little = map(printed, written.cells)
    assert much == 100 * ("x" * 2000 + "\n") + "end\n"
    assert little == "next\n"


def test_a_failed_cell_ends_the_run_and_no_rank_outlives_the_kernel() -> None:
    pid = "import os\nprint(os.getpid())"
    sources = ranks_cell(2, []).source, pid, "raise ValueError", "print('next')"
    cells = list(map(nbformat.v4.new_code_cell, sources))
    client = nbclient.NotebookClient(
        nbformat.v4.new_notebook(cells=cells),
        timeout=TIMEOUT,
        shutdown_kernel="immediate",  # it is killed, and can end nothing itself
    )

    with pytest.raises(nbclient.exceptions.CellExecutionError):
        client.execute()

    pids = [int(x) for x in re.findall(r"\] (\d+)", str(cells[1].outputs))]
    time.sleep(3)
    assert len(pids) == 2
    assert not any(map(psutil.pid_exists, pids))
    assert not cells[3].outputs


def test_an_old_torch_gets_one_sentence(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(refuse_old_torch(":Oldest torch: 99.1\n") + "print('next')\n")

    typed = f"torchrun --standalone --nproc-per-node=2 {script.name}"
    assert downloads.run_command(typed, tmp_path) == [
        "This needs torch 99.1 or newer. Type: pip install --upgrade torch"
    ]
    script.write_text(refuse_old_torch(":Oldest torch: 2.9\n") + "print('next')\n")
    assert downloads.run_command(f"python {script.name}", tmp_path) == ["next"]
