"""What a reader downloads runs to its end and prints what the page shows."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbclient
import nbformat
import pytest
from bs4 import BeautifulSoup
from paths import PROJECT

from gallery_run.needs import world_size
from gallery_run.notebook import ranks_cell

GALLERY = PROJECT / "gallery"
PAGES = sorted(
    path.relative_to(GALLERY).with_suffix("").as_posix()
    for path in GALLERY.rglob("*.py")
)
TIMEOUT = 400
RANK_0 = "[stdout:0] "  # ipyparallel says which engine printed


def page(site: Path, language: str, name: str) -> tuple[BeautifulSoup, Path]:
    path = site / language / f"tutorials/{name}.html"
    return BeautifulSoup(path.read_text("utf-8"), "html.parser"), path


def download(site: Path, language: str, name: str, suffix: str) -> Path:
    """Give the file that the page's own link leads to."""
    html, path = page(site, language, name)
    file = f"/{Path(name).name}{suffix}"
    found = {str(a["href"]) for a in html.find_all("a") if a["href"].endswith(file)}
    assert len(found) == 1, f"links to {file}: {found}"
    return path.parent.joinpath(found.pop()).resolve()


def shown(site: Path, language: str, name: str) -> list[str]:
    """Give the lines that a page shows as printed."""
    html, _ = page(site, language, name)
    blocks = html.select(".sphx-glr-script-out pre")
    return lines("\n".join(block.get_text().strip("\n") for block in blocks))


def lines(text: str) -> list[str]:
    """Split what was printed; a page has spaces for tabs, and no empty lines."""
    printed = [line.expandtabs().rstrip() for line in text.split("\n")]
    return [line for line in printed if line]


@pytest.mark.parametrize("name", PAGES)
def test_a_script_prints_what_its_page_shows(
    site: Path, tmp_path: Path, name: str
) -> None:
    script = shutil.copy(download(site, "ko", name, ".py"), tmp_path)
    size = world_size(Path(script).read_text("utf-8"))
    launch = ["torch.distributed.run", "--standalone", f"--nproc-per-node={size}"]

    done = subprocess.run(
        [sys.executable, *(["-m", *launch] if size else []), script],
        cwd=tmp_path,
        env=os.environ | {"MPLBACKEND": "agg", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )

    assert done.returncode == 0, done.stderr
    assert lines(done.stdout) == shown(site, "ko", name)


@pytest.mark.parametrize("name", PAGES)
def test_a_notebook_prints_what_its_page_shows(
    site: Path, tmp_path: Path, name: str
) -> None:
    path = shutil.copy(download(site, "ja", name, ".ipynb"), tmp_path)
    notebook = nbformat.read(path, as_version=4)

    nbclient.NotebookClient(
        notebook, timeout=TIMEOUT, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()

    assert lines("".join(map(printed, notebook.cells))) == shown(site, "ja", name)


def printed(cell: nbformat.NotebookNode) -> str:
    """Give what a cell printed, on rank 0 where there are ranks."""
    if cell.cell_type != "code" or "ranks" in cell.metadata.get("tags", ()):
        return ""
    if cell.source.startswith("%%writefile "):
        return ""  # it names the file
    texts = []
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stdout":
            texts.append(output.text)
        text = output.get("data", {}).get("text/plain", "")
        if found := re.match(rf"{re.escape(RANK_0)}(.*)", text, re.DOTALL):
            texts.append(found[1])
        assert "[stderr:" not in text
    return "".join(texts)


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
