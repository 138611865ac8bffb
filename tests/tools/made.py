"""Read what a build has made."""

from __future__ import annotations

from pathlib import Path

from bs4 import BeautifulSoup


def html(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def contents(folder: Path, pattern: str = "*") -> dict[str, bytes]:
    """Return the files of a folder, by their names below it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob(pattern)
        if path.is_file()
    }
