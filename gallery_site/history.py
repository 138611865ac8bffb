"""Tell from git when a file last changed in substance.

A move, other line breaks and, in a catalog, comments and the header change nothing that
is read. Nothing is told where there is no git, no history, or only a part of it.
"""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE
from typing import NamedTuple

CHANGE = re.compile(r":\d+ \d+ (?P<old>\w+) (?P<new>\w+) \w+\t(?P<names>.+)")
GIT = ["git", "-c", "core.quotePath=false", "-C"]
NONE = re.compile("0+")  # git's name of a file that is not there


class Change(NamedTuple):
    """What a commit did to a file; ``old`` and ``new`` are git's names of its texts."""

    number: int  # from the newest
    date: str  # such as 2026-11-20
    old: str
    new: str
    before: str  # its path before the commit


History = dict[str, list[Change]]  # by the path after the commit, from the newest


def read_history(folder: Path) -> History:
    """Read all changes of files below a folder, by one call of git."""
    if git(folder, "rev-parse", "--is-shallow-repository").strip() != "false":
        return {}
    log = git(folder, "log", "--raw", "-M", "--no-abbrev", "--relative", "--format=%as")
    history: History = defaultdict(list)
    for path, change in changes(log.split("\n")):
        history[path].append(change)
    return dict(history)


def changes(log: list[str]) -> Iterator[tuple[str, Change]]:
    """Yield the changes of a log with the paths that they led to."""
    date = ""
    for number, line in enumerate(log):
        if match := CHANGE.fullmatch(line):
            before, *moved = match["names"].split("\t")
            after = moved[-1] if moved else before
            yield after, Change(number, date, match["old"], match["new"], before)
        elif line:
            date = line


def last_days(folder: Path, files: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return when each page's files last changed in substance; "" if none is known."""
    history = read_history(folder)
    if not history:
        return dict.fromkeys(files, "")
    with open_texts(folder) as text:
        return {
            page: max(last_day(history, path, text) for path in paths)
            for page, paths in files.items()
        }


def last_day(history: History, path: str, text: Callable[[str], str]) -> str:
    """Follow a file to its last change in substance; ``text`` gives what git keeps."""
    number, read = -1, catalog_words if path.endswith(".po") else words
    while change := next((x for x in history.get(path, ()) if x.number > number), None):
        if NONE.fullmatch(change.old):
            return change.date
        if change.old != change.new and read(text(change.old)) != read(
            text(change.new)
        ):
            return change.date
        number, path = change.number, change.before
    return ""


@contextmanager
def open_texts(folder: Path) -> Iterator[Callable[[str], str]]:
    """Yield what returns a text by git's name of it; one process gives them all."""
    command = [*GIT, str(folder), "cat-file", "--batch"]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE) as process:
        asks, gives = process.stdin, process.stdout
        assert asks
        assert gives

        def text(name: str) -> str:
            asks.write(f"{name}\n".encode())
            asks.flush()
            size = gives.readline().split()[-1]  # or "missing"
            data = gives.read(int(size) + 1) if size.isdigit() else b""
            return data.decode("utf-8", "replace")

        yield text


def words(text: str) -> list[str]:
    """Return a text without its line breaks, be they in a comment."""
    return [word for word in text.split() if word != "#"]


def catalog_words(text: str) -> list[str]:
    """Return what a catalog says: no header, and of comments only what is fuzzy."""
    entries = text.partition("\n\n")[2].split("\n")
    said = (x for x in entries if not x.startswith("#") or x.startswith("#, fuzzy"))
    return words(re.sub(r'"\n"', "", "\n".join(said)))


def git(folder: Path, *arguments: str) -> str:
    """Return what git says; "" where there is no git or no repository."""
    try:
        return subprocess.run(
            [*GIT, str(folder), *arguments],
            capture_output=True,
            check=True,
            encoding="utf-8",
            errors="replace",
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""
