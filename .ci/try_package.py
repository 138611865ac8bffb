"""Install the wheel of a package alone in a new environment, and run Python there.

    python .ci/try_package.py packages/po-check-cjk -m po_check_cjk locales
    python .ci/try_package.py WHEEL sphinx==8.2.0 --in docs -m gallery_intl build

The package is a folder or a wheel; requirements after it choose versions. Python runs
in this folder, or in a copy of the one after ``--in``, and imports nothing from it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from itertools import takewhile
from pathlib import Path


def run(*command: str | Path, folder: Path | None = None) -> None:
    print("$", *command, flush=True)
    own = {"PYTHONPATH": "", "PYTHONUTF8": "1", "MPLBACKEND": "agg"}
    done = subprocess.run(command, cwd=folder, env=os.environ | own, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def main(package: str, *arguments: str) -> None:
    requirements = [*takewhile(lambda x: not x.startswith("-"), arguments)]
    rest, source = arguments[len(requirements) :], None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if rest[:1] == ("--in",):
            source, rest = shutil.copytree(rest[1], folder / "copy"), rest[2:]
        venv.create(folder / "environment", with_pip=True)
        programs = folder / "environment" / ("Scripts" if os.name == "nt" else "bin")
        pip = (programs / "python", "-m", "pip", "--quiet")
        run(*pip, "wheel", "--no-deps", "--wheel-dir", folder / "wheels", package)
        run(*pip, "install", *(folder / "wheels").iterdir(), *requirements)
        run(programs / "python", "-P", *rest, folder=source)


if __name__ == "__main__":
    main(*sys.argv[1:])
