"""Try the extension on published galleries of others, and print a table.

    make -f .ci/maintain.mk foreigners (NAMES="networkx tslearn": only these)

Source packages are fetched from wherever pip fetches packages, and held against their
hashes. Each has an environment of its own, in `_build/foreigners`, and goes through
`foreign.py`. A gallery passes if its programs, notebooks, figures and catalogs are as
they should be; one that cannot be fetched does not pass.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from paths import PROJECT, TESTS, TOOLS

OUT = PROJECT / "_build" / "foreigners"
KNOWN = TESTS / "torture" / "foreigners.toml"
FOREIGN = TESTS / "torture" / "foreign.py"
QUIET = ("--quiet", "--disable-pip-version-check")
Row = dict[str, str]


class Failed(Exception):
    """A project could not be fetched, installed or built."""


class Gallery(NamedTuple):
    """An entry of the list, which explains each field."""

    version: str
    sha256: str
    docs: str
    requirements: list[str]
    conf: str
    without: Sequence[str] = ()


def galleries() -> dict[str, Gallery]:
    known = tomllib.loads(KNOWN.read_text(encoding="utf-8"))
    of_all = known.pop("requirements")
    found = {name: Gallery(**fields) for name, fields in known.items()}
    return {
        name: gallery._replace(requirements=of_all + gallery.requirements)
        for name, gallery in found.items()
    }


def run(*command: Path | str) -> str:
    packages = (PROJECT / "packages").iterdir()
    path = os.pathsep.join(map(str, (TOOLS, *packages)))
    one = {"MPLBACKEND": "agg", "OMP_NUM_THREADS": "1", "PYTHONPATH": path}
    done = subprocess.run(
        command, env=os.environ | one, stdout=subprocess.PIPE, text=True, cwd=OUT
    )
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command))} failed, see its output above")
    return done.stdout


def fetched(name: str, gallery: Gallery) -> Path:
    """Return the source package, whose hash pip compares."""
    folder = OUT / f"{name}-{gallery.version}" / "source-package"
    if not [*folder.glob("*.tar.gz")]:
        folder.mkdir(parents=True, exist_ok=True)
        wanted = folder / "wanted.txt"
        pin = f"{name}=={gallery.version} --hash=sha256:{gallery.sha256}\n"
        wanted.write_text(pin, encoding="utf-8")
        pip = [sys.executable, "-m", "pip", "download", *QUIET, "--require-hashes"]
        only_source = ["--no-deps", "--no-binary", ":all:"]
        run(*pip, *only_source, "-r", wanted, "-d", folder)
    [package] = folder.glob("*.tar.gz")
    return package


def installed(folder: Path, requirements: list[str]) -> Path:
    """Return the Python of an environment that has what is required, and no more."""
    python = folder / "venv" / "bin" / "python"
    known, wanted = folder / "installed.txt", "\n".join(requirements)
    if not known.is_file() or known.read_text(encoding="utf-8") != wanted:
        venv.create(folder / "venv", clear=True, with_pip=True)
        run(python, "-m", "pip", "install", *QUIET, *requirements)
        known.write_text(wanted, encoding="utf-8")
    return python


def unpacked(package: Path, gallery: Gallery) -> Path:
    """Unpack a source package, without what is left out; return its folder."""
    folder = package.parents[1] / "source"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.unpack_archive(package, folder, filter="data")
    [source] = folder.iterdir()
    for pattern in gallery.without:
        for path in [*source.glob(pattern)]:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    with (source / gallery.docs / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write(gallery.conf)
    return source


def tried(name: str, gallery: Gallery) -> Row:
    package = fetched(name, gallery)
    folder = package.parents[1]
    python = installed(folder, gallery.requirements)
    source, work = unpacked(package, gallery), folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    output = run(python, FOREIGN, source, "--docs", gallery.docs, "--work", work)
    lines = (line.partition(": ") for line in output.splitlines())
    return {measure: value for measure, _, value in lines}


def is_all(value: str) -> bool:
    """Return whether "5 of 5" is said, and not of nothing."""
    done, _, total = value.partition(" of ")
    return done == total != "0"


MUST_BE = {
    "same program": is_all,
    "valid notebooks": is_all,
    "scripts run again": is_all,
    "images in en": is_all,
    "images in ja": is_all,
    "catalogs changed by it, fuzzy": "0, 0".__eq__,
    "new warnings in the source language": "0".__eq__,
}


def faults(row: Row) -> list[str]:
    return [name for name, is_good in MUST_BE.items() if not is_good(row.get(name, ""))]


def table(rows: dict[str, Row]) -> Iterable[str]:
    """Yield the lines of a table in Markdown: a gallery in each column."""
    yield f"| | {' | '.join(rows)} |"
    yield "|---" * (len(rows) + 1) + "|"
    for measure in dict.fromkeys(name for row in rows.values() for name in row):
        cells = (row.get(measure, "") for row in rows.values())
        yield f"| {measure} | {' | '.join(cells)} |"


def main(names: list[str]) -> int:
    OUT.mkdir(parents=True, exist_ok=True)
    known, rows, failed = galleries(), dict[str, Row](), list[str]()
    for name in names or known:
        print(f"{name} {known[name].version} ...", flush=True)
        try:
            rows[name] = tried(name, known[name])
        except Failed as error:
            failed.append(f"{name}: not tried to its end: {error}")
        else:
            failed += [f"{name}: {fault}" for fault in faults(rows[name])]
    print("\n".join([*(table(rows) if rows else ()), *failed]))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
