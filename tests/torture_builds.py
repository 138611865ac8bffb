"""Build the whole site twice, elsewhere and otherwise, and compare every byte.

Its scripts run anew for each build. Only what they measure may differ, and that is in
the figures listed here; nothing that they print is measured. `make torture` starts
this; it takes some minutes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).parent.parent
# what differs from run to run: times that a script measured, in a figure
MEASURED = {"sphx_glr_data_parallel_limits_002.svg"}
LEFT_OUT = shutil.ignore_patterns(".*", "_build", "tutorials", "__pycache__", "*.mo")
ENVIRONMENTS = (
    {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C.UTF-8"},
    {"PYTHONHASHSEED": "2", "TZ": "Pacific/Kiritimati", "LC_ALL": "C"},
)


def build(site: Path, environment: dict[str, str], umask: int) -> None:
    """Build all languages, the scripts too unless they ran already."""
    command = [sys.executable, "-m", "gallery_intl", "html"]
    subprocess.run(
        command, cwd=site, env=os.environ | environment, umask=umask, check=True
    )


def contents(site: Path) -> dict[str, bytes]:
    """Give the built site's files."""
    html = site / "_build" / "html"
    files = (path for path in html.rglob("*") if path.is_file())
    return {path.relative_to(html).as_posix(): path.read_bytes() for path in files}


def differing(one: Path, other: Path) -> list[str]:
    """Name the files that are not the same in both sites."""
    mine, theirs = contents(one), contents(other)
    names = sorted(mine.keys() | theirs.keys())
    return [name for name in names if mine.get(name) != theirs.get(name)]


def unexpected(names: list[str]) -> list[str]:
    """Leave out the measured figures, each language's own too."""
    return [name for name in names if Path(name).name not in MEASURED]


def main() -> int:
    """Build, compare and report; give the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        one, other = Path(folder, "one"), Path(folder, "다른_곳", "the_other")
        for site in (one, other):
            shutil.copytree(PROJECT, site, ignore=LEFT_OUT)
        build(one, ENVIRONMENTS[0], 0o022)
        build(other, ENVIRONMENTS[1], 0o077)
        anew = differing(one, other)
        shutil.rmtree(other / "tutorials")
        shutil.copytree(one / "tutorials", other / "tutorials")
        build(other, ENVIRONMENTS[1], 0o077)
        same_outputs = differing(one, other)
    print(f"scripts run anew: {len(anew)} files differ", *anew, sep="\n  ")
    print(
        f"the same outputs: {len(same_outputs)} files differ", *same_outputs, sep="\n  "
    )
    return bool(unexpected(anew) or same_outputs)


if __name__ == "__main__":
    sys.exit(main())
