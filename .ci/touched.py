"""Print what a change touches, for a workflow's later jobs: ``make touched BASE=...``.

``code`` says whether anything beyond translations and documents of the repository
changed; ``build`` has the commands that build what readers see of the change.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable

CATALOG = re.compile(r"locales/(?P<language>[^/]+)/LC_MESSAGES/.+\.po")
# what `make lint` checks is none: workflows, forms, the bot's configuration
DOCUMENT = re.compile(r"[A-Z_]+(\.md|\.cff)|\.github/(?!dependabot)[\w.]+")


def touched(paths: Iterable[str]) -> tuple[bool, list[str]]:
    """Return whether code changed, and which make commands build the change."""
    translated = {found["language"] for x in paths if (found := CATALOG.fullmatch(x))}
    others = [x for x in paths if not CATALOG.fullmatch(x)]
    code = any(not DOCUMENT.fullmatch(path) for path in others)
    # a translator's page leads to the English one beside it
    some = [f"html-{language}" for language in sorted(translated | {"en"})]
    return code, some if translated and not code else ["html"]


def changed_files(base: str) -> list[str]:
    """Return the files that a branch changed since it left another."""
    command = ["git", "diff", "--name-only", "-z", f"{base}...HEAD"]
    said = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    return said.stdout.split("\0")[:-1]


if __name__ == "__main__":
    code, build = touched(changed_files(sys.argv[1]))
    print(f"code={str(code).lower()}")
    print(f"build={' '.join(build)}")
