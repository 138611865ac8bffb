"""What a reader downloads, how a reader runs it, and what its page shows as printed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import made
import nbclient
import nbformat
import warm
from bs4 import BeautifulSoup
from paths import PROJECT

from gallery_run.needs import command

GALLERY = PROJECT / "gallery"
PAGES = sorted(
    path.relative_to(GALLERY).with_suffix("").as_posix()
    for path in GALLERY.rglob("*.py")
)
TIMEOUT = 400
MEASURED = re.compile(
    r"(?:above a batch of )?[\d.,]*\d(?: ms| times as fast as one| each)?"
    r"|too noisy to say"
)
VARYING = re.compile(r"\bmeasured\b|^hello from rank")
RANK_0 = "[stdout:0] "  # ipyparallel says which engine printed


def page(site: Path, language: str, name: str) -> tuple[BeautifulSoup, Path]:
    path = site / language / f"tutorials/{name}.html"
    return made.html(path), path


def download(site: Path, language: str, name: str, suffix: str, folder: Path) -> Path:
    """Copy the file that the page's own link leads to into a folder."""
    html, path = page(site, language, name)
    file = f"/{Path(name).name}{suffix}"
    links = (str(a["href"]) for a in html.find_all("a"))
    found = {x for x in links if x.endswith(file) and "://" not in x}
    assert len(found) == 1, f"links to {file}: {found}"
    return Path(shutil.copy(path.parent.joinpath(found.pop()).resolve(), folder))


def shown(site: Path, language: str, name: str) -> list[str]:
    """Give the lines that a page shows as printed."""
    html, _ = page(site, language, name)
    blocks = html.select(".sphx-glr-script-out pre")
    return lines("\n".join(block.get_text().strip("\n") for block in blocks))


def lines(text: str) -> list[str]:
    """Split what was printed; a page has spaces for tabs, and no empty lines.

    What differs from run to run is left out: numbers that the line calls measured, with
    their units, and the order in which ranks say hello.
    """
    printed = [line.expandtabs().rstrip() for line in text.split("\n")]
    return [
        MEASURED.sub("#", line) if VARYING.search(line) else line
        for line in printed
        if line
    ]


def unpack(site: Path, language: str, folder: Path) -> Path:
    """Unpack the archive of all programs into a folder; give where they are."""
    html = BeautifulSoup(
        (site / language / "index.html").read_text("utf-8"), "html.parser"
    )
    (link,) = html.select("a.download[href$='gallery.zip']")
    with zipfile.ZipFile(site / language / str(link["href"])) as packed:
        packed.extractall(folder)
    return folder / "gallery"


def run_script(script: Path) -> list[str]:
    """Run a script as a reader does, by Python or torchrun; give what it prints."""
    typed = command(script.read_text("utf-8")) or f"python {script.name}"
    return run_command(typed, script.parent)


def run_command(typed: str, folder: Path) -> list[str]:
    """Run in a folder what a reader types, with our Python; give what it prints."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        typed.split(),
        cwd=folder,
        env=os.environ | {"PATH": path, "MPLBACKEND": "agg", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return lines(done.stdout)


def run_notebook(path: Path) -> list[str]:
    """Run a notebook as a reader does, in Jupyter; give what it prints."""
    notebook = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(path.parent)}}
    nbclient.NotebookClient(notebook, timeout=TIMEOUT, resources=where).execute()
    return lines("".join(map(printed, notebook.cells)))


def run_notebook_in_forks(path: Path) -> list[str]:
    """Run a notebook's cells in IPython, without Jupyter and ipyparallel.

    Its ranks are there from the beginning: the cell that starts them is left out.
    """
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    sources = [cell.source for cell in code if "ranks" not in tags(cell)]
    starts = [cell.source for cell in code if "ranks" in tags(cell)]
    sizes = [int(re.search(r"else (\d+)$", text, re.M)[1]) for text in starts]
    work = warm.Cells(sources, path.parent)
    done = warm.run(work, path.parent, *(sizes or [0]))
    assert done.returncode == 0, done.stderr
    return lines(done.stdout)


def tags(cell: nbformat.NotebookNode) -> list[str]:
    return list(cell.metadata.get("tags", ()))


def printed(cell: nbformat.NotebookNode) -> str:
    """Give what a cell printed, on rank 0 where there are ranks."""
    if cell.cell_type != "code" or "ranks" in tags(cell):
        return ""
    if cell.source.startswith(warm.FILE):
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
