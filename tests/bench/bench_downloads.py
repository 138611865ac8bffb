"""Print what the downloads add to the build of one language.

    PYTHONPATH=.:tests/tools python tests/bench/bench_downloads.py [language]

The gallery must have been run; processor time counts, the best of five.
"""

import subprocess
import sys
import tempfile

from paths import PROJECT

BUILD = """
import sys, time
import gallery_intl
if sys.argv[1] == "without":
    gallery_intl.ROOMS = [x for x in gallery_intl.ROOMS if x != "downloads"]
from sphinx.cmd.build import main
assert not main(["-q", "-b", "html", "-D", "gallery_intl_run=0", *sys.argv[2:]])
print(time.process_time())
"""


def seconds(which: str, language: str) -> float:
    """Build once, afresh."""
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-c", BUILD, which, "-D", f"language={language}"]
        done = subprocess.run(
            [*command, ".", out],
            cwd=PROJECT,
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
    return float(done.stdout.split()[-1])


if __name__ == "__main__":
    language = sys.argv[1] if len(sys.argv) > 1 else "ko"
    found = [
        (seconds("without", language), seconds("with", language)) for _ in range(5)
    ]
    before, after = map(min, zip(*found, strict=True))
    added = after - before
    print(f"{language}: {before:.2f} s without downloads, {added:.2f} s more with them")
    print(f"downloads add {100 * added / before:.0f} %")
