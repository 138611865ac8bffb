"""Build the whole site twice, elsewhere and otherwise, and compare every byte.

Its scripts run again for each build. Only measurements may differ: the figures listed
here, and the running time on each page. That a build from the same outputs has the same
bytes is tested by `tests/build/test_reproducible.py`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from paths import PROJECT

# figures of times that a script measured
MEASURED = ("sphx_glr_data_parallel_limits_002", "sphx_glr_ddp_from_scratch_001")
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
    """Build all languages, the scripts too unless they ran already; return the files.

    Figures that are measured are left out, and so is each measured number on a page.
    """
    command = [sys.executable, "-m", "gallery_site", "html"]
    subprocess.run(
        command, cwd=site, env=os.environ | environment, umask=umask, check=True
    )
    html = site / "_build" / "html"
    return {
        path.relative_to(html).as_posix(): IN_PAGES.sub(b"", path.read_bytes())
        for path in html.rglob("*")
        if path.is_file() and not path.name.startswith(MEASURED)
    }


def test_the_whole_site_is_the_same_elsewhere(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "다른_곳" / "the_other"
    for site in (one, other):
        shutil.copytree(PROJECT, site, ignore=LEFT_OUT)

    here = build(one, ENVIRONMENTS[0], 0o022)
    there = build(other, ENVIRONMENTS[1], 0o077)

    assert here.keys() == there.keys()
    assert [name for name in here if here[name] != there[name]] == []
