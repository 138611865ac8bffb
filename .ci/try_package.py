"""Install the wheel of a package alone in a new environment, and run Python there.

    python .ci/try_package.py packages/po-check-cjk -m po_check_cjk locales

Python runs in this folder and imports nothing from it, unless the arguments do.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path


def run(*command: str | Path) -> None:
    print("$", *command, flush=True)
    if status := subprocess.run(command, check=False).returncode:
        sys.exit(status)


def main(package: str, *arguments: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        wheels, environment = Path(folder, "wheels"), Path(folder, "environment")
        venv.create(environment, with_pip=True)
        programs = environment / ("Scripts" if os.name == "nt" else "bin")
        pip = (programs / "python", "-m", "pip", "--quiet")
        run(*pip, "wheel", "--no-deps", "--wheel-dir", wheels, package)
        run(*pip, "install", *wheels.iterdir())
        run(programs / "python", "-P", *arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
