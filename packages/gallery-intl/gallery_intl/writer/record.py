"""Remember what was written, so that only what changed is written again."""

import hashlib
import json
from functools import cache
from pathlib import Path

from gallery_intl.files import replace_file


class Record:
    """What the last run has written, and of what, so that the next does it again."""

    def __init__(self, target: Path) -> None:
        self.path = target / ".written.json"
        try:
            known = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            known = {}
        self.states: dict[str, str] = known.get("states", {})  # of pages, catalogs
        self.files: dict[str, list[str]] = known.get("files", {})  # by page

    def write(self) -> None:
        data = json.dumps({"states": self.states, "files": self.files}, indent=1)
        replace_file(self.path, data.encode("utf-8"), sync=False)


def file_state(path: Path) -> str:
    """Return what changes with a file."""
    status = path.stat() if path.exists() else None
    return f"{path} {status.st_mtime_ns} {status.st_size}" if status else f"{path} -"


def digest(*texts: str) -> str:
    # a path outside of the locale's encoding has surrogates
    data = "\0".join(texts).encode("utf-8", "surrogateescape")
    return hashlib.sha256(data).hexdigest()[:16]


@cache
def code_state(package: Path = Path(__file__).parents[1]) -> str:
    """Return what changes with the code that writes pages, and with its words."""
    files = [*package.rglob("*.py"), *package.rglob("*.po")]
    return digest(*map(file_state, sorted(files)))
