"""Run every lesson with the oldest torch that its head names.

Target `torture` runs it. Each version is installed from the package index, in an
environment of its own; the index has no CPU builds of old versions, so this takes
several gigabytes.
"""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pretended
import pytest
from paths import PROJECT

from gallery_run.needs import world_size

OLDEST = re.compile(r"^:Oldest torch: ([0-9.]+)$", re.MULTILINE)
PAGES = [p for p in pretended.pages() if OLDEST.search(p.read_text("utf-8"))]


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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
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
