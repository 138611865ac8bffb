"""Run gallery_intl on copies of the roots, each time in a process of its own."""

import os
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).parent
ROOTS = TESTS / "roots"
PACKAGE = TESTS.parent
TAG = re.compile(r"<[^>]+>")


def run(module: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run ``python -m module``, which finds this package wherever it is run."""
    path = os.pathsep.join([str(PACKAGE), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


class Copy(NamedTuple):
    """A copy of a root, in which commands are run."""

    source: Path

    def run(self, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command of gallery_intl, whatever its exit status is."""
        return run("gallery_intl", "--source", self.source, command, *arguments)

    def build(self, *languages: str, options: tuple[str, ...] = ()) -> str:
        """Build languages, by default all; return the warnings."""
        return self.succeed("build", *languages, options=options).stderr

    def catalogs(self, options: tuple[str, ...] = ()) -> str:
        """Bring the catalogs up to the pages; return the names of those changed."""
        return self.succeed("catalogs", "--run", options=options).stdout

    def succeed(
        self, command: str, *arguments: str, options: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Run a command with options of sphinx-build; fail the test if it fails."""
        result = self.run(command, *arguments, *(("--", *options) if options else ()))
        assert result.returncode == 0, result.stderr
        return result

    def written(self, language: str, name: str) -> Path:
        """Return the path of a source that was written in a language."""
        return self.source / "_build" / "source" / language / name

    def html(self, language: str, docname: str) -> str:
        """Return a page of HTML."""
        folder = self.source / "_build" / "html" / language
        return (folder / f"{docname}.html").read_text(encoding="utf-8")

    def download(self, language: str, name: str) -> Path:
        """Return the path of a file that a page offers, such as ``page.ipynb``."""
        folder = self.source / "_build" / "html" / language / "_downloads"
        (path,) = folder.rglob(name)
        return path


def copy_root(name: str, folder: Path) -> Copy:
    """Copy a root into a folder."""
    return Copy(Path(shutil.copytree(ROOTS / name, folder / name)))


def edit(path: Path, old: str, new: str) -> None:
    """Replace a text in a file, which has it."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def add_settings(copy: Copy, text: str) -> None:
    """Add lines to conf.py."""
    with (copy.source / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write(text)


def plain(html: str) -> str:
    """Return the text of some HTML."""
    return unescape(TAG.sub("", html))
