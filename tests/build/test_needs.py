"""What a page needs stands on it, and in its notebook, if the runner is there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from sphinx.testing.util import SphinxTestApp

from gallery_run.needs import uses_gpus, world_size
from gallery_run.notebook import ranks_cell

RANKS = '''"""
Title
=====

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 page.py
"""
import os
import torch.distributed as dist
from numpy.linalg import norm
if True:
    import matplotlib.pyplot as plt
device = torch.accelerator.current_accelerator()
'''


def test_what_a_page_needs_is_read_off_its_script() -> None:
    plain = '"""A plain page."""\nimport sys\n'

    assert (world_size(RANKS), uses_gpus(RANKS)) == (4, True)
    assert (world_size(plain), uses_gpus(plain)) == (None, False)


def test_a_plain_page_that_hides_gpus_runs_on_none() -> None:
    hides = 'import torch\nenv = {"CUDA_VISIBLE_DEVICES": ""}\ntorch.accelerator\n'

    assert not uses_gpus(f'"""A page."""\n{hides}')
    assert uses_gpus(f"{RANKS}{hides}")  # of another program that it starts


def test_the_world_size_is_that_of_the_torchrun_line() -> None:
    line = "   torchrun --standalone --nproc-per-node=4 page.py"

    assert world_size(f'"""Title\n\n.. code-block:: bash\n\n{line}\n"""') == 4
    assert world_size(f'"""Title\n\nSee ``{line.strip()}``.\n"""') is None
    assert world_size(f'"""Title"""\n"""{line}"""\n') is None


def test_the_cell_for_ranks_is_python_without_its_magic_lines() -> None:
    lines = ranks_cell(4, []).source.split("\n")

    assert lines[-1] == "%autopx"
    assert len(lines) <= 14
    assert len([line for line in lines if line]) <= 12
    compile("\n".join(x for x in lines if not x.startswith("%")), "cell", "exec")


def test_the_cell_for_ranks_says_what_it_does() -> None:
    source = ranks_cell(3, ["Why.", "긴 설명 " * 20]).source

    assert source.startswith("# Why.\n# 긴 설명")


PROJECT = """
extensions = ["gallery_intl"{runner}]
exclude_patterns = ["gallery"]
html_theme = "basic"
gallery_intl_source_downloads = True
sphinx_gallery_conf = {{
    "examples_dirs": "gallery",
    "gallery_dirs": "pages",
    "plot_gallery": False,
    "write_computation_times": False,
    "download_all_examples": False,
    "show_signature": False,
}}
"""
SAYS_HOW = [
    "4 processes, started with torchrun",
    "Runs on a CPU, and on GPUs where there are any",
    "The notebook also needs: jupyter, ipyparallel",
]
PACKAGES = "Packages: torch, numpy, matplotlib"


@pytest.fixture
def make_site(tmp_path: Path) -> Path:
    (tmp_path / "gallery").mkdir()
    header = "Gallery\n=======\n"
    (tmp_path / "gallery/GALLERY_HEADER.rst").write_text(header)
    (tmp_path / "gallery/page.py").write_text(RANKS)
    (tmp_path / "index.rst").write_text(f"{header}\n.. toctree::\n\n   pages/index\n")
    return tmp_path


@pytest.mark.parametrize("runner", [False, True])
def test_only_with_the_runner_a_page_and_its_notebook_speak_of_ranks(
    make_site: Path, make_app: type[SphinxTestApp], runner: bool
) -> None:
    conf = PROJECT.format(runner=', "gallery_run"' if runner else "")
    (make_site / "conf.py").write_text(conf)

    app = make_app("html", srcdir=make_site)
    app.build()

    assert app.warning.getvalue() == ""
    page = BeautifulSoup((app.outdir / "pages/page.html").read_bytes(), "html.parser")
    said = [item.get_text() for item in page.select(".intl-needs li")]
    assert said == ([*SAYS_HOW, PACKAGES, "Download"] if runner else [])
    folder = app.doctreedir / "downloads/pages"
    cells = json.loads((folder / "page.ipynb").read_bytes())["cells"]
    tags = [tag for cell in cells for tag in cell["metadata"].get("tags", ())]
    assert cells[0]["source"][0] == "# Title\n"
    assert tags == (["install", "ranks"] if runner else [])
    assert ("ipyparallel" in json.dumps(cells)) == runner
    shown = page.get_text() + (folder / "page.ipynb").read_text("utf-8")
    beside_code = re.sub(r"torchrun --standalone.*|accelerator", "", shown)
    assert bool(re.search(r"GPU|ranks|processes", beside_code)) == runner
