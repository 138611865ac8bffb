"""Licences: LICENSE names the owner of every file that the site ships of others."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

from paths import PROJECT

PATTERNS_START = "     "  # deeper than the owners in LICENSE's third point


def patterns() -> list[str]:
    lines = (PROJECT / "LICENSE").read_text("utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("3. "))
    end = next(i for i in range(start, len(lines)) if lines[i].startswith("---"))
    named = [line for line in lines[start:end] if line.startswith(PATTERNS_START)]
    return [pattern for line in named for pattern in line.split()]


def ours() -> set[str]:
    packages = (PROJECT / "gallery_site", *PROJECT.glob("packages/*/*_*"))
    folders = (PROJECT / "_static", *(package / "static" for package in packages))
    files = [(folder, path) for folder in folders for path in folder.rglob("*")]
    names = {path.relative_to(folder).as_posix() for folder, path in files}
    return {name.removesuffix(".jinja") for name in names} | {"cjk-search-index.js"}


def shipped(site: Path) -> set[str]:
    """Give the names of all files below each language's _static."""
    return {
        path.relative_to(static).as_posix()
        for static in site.glob("*/_static")
        for path in static.rglob("*")
        if path.is_file()
    }


def owners(name: str) -> list[str]:
    return [pattern for pattern in patterns() if fnmatch(name, pattern)]


def test_every_shipped_file_of_others_has_its_owner_and_licence(site: Path) -> None:
    others = shipped(site) - ours()

    assert len(others) > 10
    assert [name for name in sorted(others) if not owners(name)] == []


def test_no_licence_is_named_for_what_is_not_shipped(site: Path) -> None:
    files = shipped(site)

    unused = [p for p in patterns() if not any(fnmatch(name, p) for name in files)]

    assert unused == []


def test_each_language_brings_the_licences_along(site: Path) -> None:
    licence = (PROJECT / "LICENSE").read_bytes()

    copies = [folder.parent / "LICENSE" for folder in site.glob("*/_static")]

    assert copies
    assert [copy for copy in copies if copy.read_bytes() != licence] == []
