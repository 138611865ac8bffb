"""Run every download as a reader does, under Python, torchrun and Jupyter.

Target `torture` runs it; `make test` does so with one page of each kind.
"""

from __future__ import annotations

from pathlib import Path

import downloads
import pytest
from downloads import PAGES, shown

each_page = pytest.mark.parametrize("name", PAGES)


@each_page
def test_a_script(site: Path, tmp_path: Path, name: str) -> None:
    path = downloads.download(site, "ko", name, ".py", tmp_path)

    assert downloads.run_script(path) == shown(site, "ko", name)


@each_page
def test_a_notebook(site: Path, tmp_path: Path, name: str) -> None:
    path = downloads.download(site, "ja", name, ".ipynb", tmp_path)

    assert downloads.run_notebook(path) == shown(site, "ja", name)
