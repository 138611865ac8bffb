"""Check what GitHub reads (workflows, issue forms, the bot) against its schemas.

`make lint` runs it. The schemas come with check-jsonschema, so this needs no network.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
CONFIG = ".github/ISSUE_TEMPLATE/config.yml"
# each schema, and the files that it describes
SCHEMAS = {
    "vendor.github-workflows": ".github/workflows/*.y*ml",
    "custom.github-workflows-require-timeout": ".github/workflows/*.y*ml",
    "vendor.github-actions": ".github/actions/*/action.y*ml",
    "vendor.github-issue-forms": ".github/ISSUE_TEMPLATE/*.y*ml",
    "vendor.github-issue-config": CONFIG,
    "vendor.dependabot": ".github/dependabot.y*ml",
    "vendor.citation-file-format": "CITATION.cff",
}


def files(project: Path, schema: str) -> list[Path]:
    """Return the files that a schema describes."""
    found = sorted(project.glob(SCHEMAS[schema]))
    is_forms = schema == "vendor.github-issue-forms"
    return [path for path in found if not (is_forms and path == project / CONFIG)]


def check(project: Path, schema: str) -> bool:
    """Check the files of one schema; tell whether all keep to it."""
    if not (found := files(project, schema)):
        return True
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema]
    done = subprocess.run([*command, *found], capture_output=True, text=True)
    if done.returncode:
        print(f"{schema}:\n{done.stdout}{done.stderr}", end="")
    return done.returncode == 0


def main() -> int:
    """Check all files, also behind the first that is wrong."""
    project = Path(sys.argv[1]) if len(sys.argv) > 1 else PROJECT
    return int(not all([check(project, schema) for schema in SCHEMAS]))


if __name__ == "__main__":
    sys.exit(main())
