"""Count the translations that a change of the English text makes fuzzy.

The changed revision is unpacked into a folder of its own, where the catalogs are
brought up to its scripts, as `make catalogs` does; no script runs. What is fuzzy then
and was not in the base revision, turns fuzzy by the change.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from gallery_intl.catalogs import po
from gallery_intl.catalogs.own import folders_in
from gallery_site.project import BuildError, Site

Messages = set[tuple[str, str]]  # page and msgid


def turned(site: Site, before: str, after: str) -> Iterator[tuple[str, int]]:
    """Yield each language, and how many of its messages turn fuzzy."""
    with tempfile.TemporaryDirectory() as folder:
        old, new = Path(folder, "before"), Path(folder, "after")
        start = git(site.srcdir, "merge-base", before, after).decode().strip()
        unpack(site, start, old)
        unpack(site, after, new)
        follow(new)
        locales = site.locale_dir.relative_to(site.srcdir)
        for language in site.languages:
            if language != po.SOURCE_LANGUAGE:
                was, now = (
                    fuzzy([x / locales, *folders_in(x)], language) for x in (old, new)
                )
                yield language, len(now - was)


def fuzzy(folders: Iterable[Path], language: str) -> Messages:
    """Return the fuzzy messages of a language in folders of catalogs."""
    return {
        (str(page), entry.msgid)
        for folder in folders
        for page, file in po.read_all(folder / language / "LC_MESSAGES", ".po").items()
        for entry in po.active(file)
        if entry.fuzzy
    }


def follow(folder: Path) -> None:
    """Bring the catalogs of a folder up to its scripts, with its own code."""
    command = [sys.executable, "-m", "gallery_site", "catalogs"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise BuildError(f"the catalogs cannot follow:\n{done.stderr}")


def unpack(site: Site, revision: str, folder: Path) -> None:
    """Write what a revision has of the project into a folder."""
    packed = git(site.srcdir, "archive", "--format=zip", revision)
    zipfile.ZipFile(io.BytesIO(packed)).extractall(folder)


def git(folder: Path, *arguments: str) -> bytes:
    """Return what git says; raise BuildError with its complaint."""
    command = ["git", "-C", str(folder), *arguments]
    done = subprocess.run(command, capture_output=True)
    if done.returncode:
        raise BuildError(done.stderr.decode("utf-8", "replace").strip())
    return done.stdout
