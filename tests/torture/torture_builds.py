"""Build the whole site twice, elsewhere and otherwise, and compare every byte.

Its scripts run again for each build. Only measurements may differ: the figures listed
here, and the running time on each page. From the same outputs, not even that differs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from made import contents
from paths import PROJECT

# figures of times that a script measured
MEASURED = (
    "sphx_glr_data_parallel_limits_002",
    "sphx_glr_ddp_from_scratch_001",
    "sphx_glr_is_it_faster_001",
    "sphx_glr_is_it_faster_002",
    "sphx_glr_is_it_faster_003",
    "sphx_glr_is_it_faster_004",
)
# the same on a page: such a figure's name, with the hash of what it shows, and the time
IN_PAGES = re.compile(
    rb"(%s)-[0-9a-f]+\.svg|<p class=\"sphx-glr-timing\">[^<]*</p>"
    % "|".join(MEASURED).encode()
)
LEFT_OUT = shutil.ignore_patterns(".*", "_build", "tutorials", "__pycache__", "*.mo")
ENVIRONMENTS = (
    {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C.UTF-8"},
    {"PYTHONHASHSEED": "2", "TZ": "Pacific/Kiritimati", "LC_ALL": "C"},
)


def build(site: Path, environment: dict[str, str], umask: int) -> dict[str, bytes]:
    """Build all languages, and run the scripts that did not run; return the files."""
    command = [sys.executable, "-m", "gallery_site", "html"]
    subprocess.run(
        command, cwd=site, env=os.environ | environment, umask=umask, check=True
    )
    return contents(site / "_build" / "html")


def without_measurements(files: dict[str, bytes]) -> dict[str, bytes]:
    """Leave out figures that are measured, and each measured number on a page."""
    return {
        name: IN_PAGES.sub(b"", content) if name.endswith(".html") else content
        for name, content in files.items()
        if not Path(name).name.startswith(MEASURED)
    }


def differing(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    """Return the names of the files that are not the same in both sites."""
    names = sorted(one.keys() | other.keys())
    return [name for name in names if one.get(name) != other.get(name)]


def test_the_whole_site_is_the_same_elsewhere(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "다른_곳" / "the_other"
    for site in (one, other):
        shutil.copytree(PROJECT, site, ignore=LEFT_OUT)

    here = build(one, ENVIRONMENTS[0], 0o022)
    there = build(other, ENVIRONMENTS[1], 0o077)
    shutil.rmtree(other / "tutorials")
    # as new files: a build compares times
    shutil.copytree(
        one / "tutorials", other / "tutorials", copy_function=shutil.copyfile
    )
    from_the_same_outputs = build(other, ENVIRONMENTS[1], 0o077)

    assert differing(without_measurements(here), without_measurements(there)) == []
    assert differing(here, from_the_same_outputs) == []
