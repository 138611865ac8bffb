"""Run Sphinx and the project's commands as a person does, and copy small sites."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from bs4 import BeautifulSoup
from made import html
from paths import PROJECT, ROOTS

from gallery_intl.catalogs import po as catalogs


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return our environment, with the project's packages and ``more``."""
    own = os.environ | dict(more or {})
    own["PYTHONPATH"] = os.pathsep.join([str(PROJECT), own.get("PYTHONPATH", "")])
    return own


def run(
    module: str,
    *arguments: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run ``python -m module`` with some arguments; ``env`` is added to ours."""
    return subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        cwd=cwd,
        env=environment(env),
        capture_output=True,
        text=True,
        check=False,
    )


class SmallSite:
    """A copy of one of the folders in tests/roots."""

    def __init__(self, folder: Path, root: str = "test-site") -> None:
        self.source = Path(shutil.copytree(ROOTS / root, folder))
        self.html = self.source / "_build" / "html"
        self.runs = folder.with_name("runs")  # test-site's script adds a line to it

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        env = {"RUNS": str(self.runs)}
        return run("gallery_site", "--source", self.source, *arguments, env=env)

    def make(self, *arguments: str) -> str:
        """Run a command that succeeds; return its output."""
        result = self.run(*arguments)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def page(self, language: str, name: str) -> BeautifulSoup:
        return html(self.html / language / f"{name}.html")

    def pages(self, language: str) -> list[Path]:
        found = sorted((self.html / language).rglob("*.html"))
        return [path for path in found if "_static" not in path.parts]

    def po(self, name: str, language: str = "ko") -> Path:
        return catalogs.po_path(self.source / "locales", language, name)

    def add_settings(self, text: str) -> None:
        with (self.source / "conf.py").open("a", encoding="utf-8") as conf:
            conf.write(text)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
