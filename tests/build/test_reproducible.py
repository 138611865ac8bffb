"""One source, one site: whoever builds it, wherever and whenever, byte for byte."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from made import contents
from paths import PROJECT, ROOTS, TOOLS

ROOT = ROOTS / "test-site"
OFFLINE = TOOLS / "offline"
EPOCH = "1735689600"  # in a year of which nothing is; the day that pages name
MINE = {
    "PYTHONHASHSEED": "1",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    "SOURCE_DATE_EPOCH": EPOCH,
}
OTHERS = {
    "PYTHONHASHSEED": "2",
    "TZ": "Pacific/Kiritimati",  # already tomorrow, for most of the day
    "LC_ALL": "C",
    "SOURCE_DATE_EPOCH": EPOCH,
}


class Builds(NamedTuple):
    """One source, built here and somewhere else, where there is no network."""

    here: Path
    there: Path
    attempts: Path


def build(site: Path, path: list[Path], environment: dict[str, str]) -> Path:
    """Run the scripts and build all languages; give the site."""
    made = subprocess.run(
        [sys.executable, "-m", "gallery_site", "--source", str(site), "html"],
        env=os.environ | environment | {"PYTHONPATH": os.pathsep.join(map(str, path))},
        umask=0o077 if environment["TZ"] == "UTC" else 0o022,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return site / "_build" / "html"


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Builds:
    folder = tmp_path_factory.mktemp("builds")
    here, there = folder / "here", folder / "멀리" / "a_longer_name" / "there"
    shutil.copytree(ROOT, here)
    shutil.copytree(ROOT, there)
    for path in there.rglob("*"):
        os.utime(path, (10**9, 10**9))  # in 2001
    notes = {"RUNS": str(folder / "runs"), "ATTEMPTS": str(folder / "attempts")}
    return Builds(
        build(here, [PROJECT], MINE | notes),
        build(there, [OFFLINE, PROJECT], OTHERS | notes),
        folder / "attempts",
    )


def test_a_site_is_the_same_wherever_and_whenever_it_is_built(builds: Builds) -> None:
    here, there = contents(builds.here), contents(builds.there)

    assert len(here) > 100
    assert [name for name in here if here[name] != there.get(name)] == []
    assert here.keys() == there.keys()


def test_no_build_asks_another_host(builds: Builds) -> None:
    assert not builds.attempts.exists(), builds.attempts.read_text("utf-8")
