"""The commands say on Windows what works there."""

from __future__ import annotations

import subprocess
import sys

from paths import PROJECT


def test_windows_is_told_what_works_there() -> None:
    run = "import sys; sys.platform = 'win32'; import gallery_site.unix"

    done = subprocess.run(
        [sys.executable, "-c", run], cwd=PROJECT, capture_output=True, text=True
    )

    assert done.returncode == 1
    assert "WSL" in done.stderr
    assert "Traceback" not in done.stderr
    # before anything that Windows cannot import
    commands = (PROJECT / "gallery_site/__main__.py").read_text("utf-8")
    first = next(x for x in commands.splitlines() if x.startswith("from gallery_site"))
    assert first.startswith("from gallery_site import unix ")
