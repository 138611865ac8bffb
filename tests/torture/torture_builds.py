"""Build the whole site twice, elsewhere and otherwise, and compare every byte.

Its scripts run anew for each build. Only what is measured may differ: the figures
listed here, and the running time below each page. Nothing that scripts print is
measured. With the same outputs not even that differs. Target `torture` starts it; it
takes some minutes.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
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


def build(site: Path, environment: dict[str, str], umask: int) -> None:
    """Build all languages, the scripts too unless they ran already."""
    command = [sys.executable, "-m", "gallery_site", "html"]
    subprocess.run(
        command, cwd=site, env=os.environ | environment, umask=umask, check=True
    )


def contents(site: Path) -> dict[str, bytes]:
    """Give the built site's files."""
    html = site / "_build" / "html"
    files = (path for path in html.rglob("*") if path.is_file())
    return {path.relative_to(html).as_posix(): path.read_bytes() for path in files}


def differing(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    """Name the files that are not the same in both sites."""
    names = sorted(one.keys() | other.keys())
    return [name for name in names if one.get(name) != other.get(name)]


def without_measured(site: dict[str, bytes]) -> dict[str, bytes]:
    """Leave out the measured figures, and what is measured on pages."""
    return {
        name: IN_PAGES.sub(b"", content) if name.endswith(".html") else content
        for name, content in site.items()
        if not Path(name).name.startswith(MEASURED)
    }


def main() -> int:
    """Build, compare and report; give the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        one, other = Path(folder, "one"), Path(folder, "다른_곳", "the_other")
        for site in (one, other):
            shutil.copytree(PROJECT, site, ignore=LEFT_OUT)
        build(one, ENVIRONMENTS[0], 0o022)
        build(other, ENVIRONMENTS[1], 0o077)
        first, anew = contents(one), contents(other)
        shutil.rmtree(other / "tutorials")
        shutil.copytree(one / "tutorials", other / "tutorials")
        build(other, ENVIRONMENTS[1], 0o077)
        again = contents(other)
    unexpected = differing(without_measured(first), without_measured(anew))
    print("scripts run anew:", *differing(first, anew), sep="\n  ")
    print("of these not measured:", *unexpected, sep="\n  ")
    print("the same outputs:", *(changed := differing(first, again)), sep="\n  ")
    return bool(unexpected or changed)


if __name__ == "__main__":
    sys.exit(main())
