"""Print every line in which two built sites differ; the exit status is 1 if any does.

    python tests/tools/compare_builds.py BEFORE AFTER

Only hashes in the names of files are taken as the same, wherever a name stands.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path

IN_NAMES = re.compile(r"(?<=[-/])[0-9a-f]{8,}(?=\.\w|/)|(?<=\?v=)[0-9a-f]{8}\b")
LONG = 500  # letters of a line, after which it is shown in pieces
PIECE = re.compile(r"(?<=[,;{}>])")


def named(text: str) -> str:
    """Return a text without the hashes in the names of files."""
    return IN_NAMES.sub("HASH", text)


def files(site: Path) -> dict[str, list[list[str]]]:
    """Return the lines of a site's files, by name; some names differ only in a hash."""
    found = defaultdict(list)
    for path in site.rglob("*"):
        if path.is_file():
            name = named(path.relative_to(site).as_posix())
            found[name].append(lines(path.read_bytes()))
    return {name: sorted(contents) for name, contents in found.items()}


def lines(content: bytes) -> list[str]:
    """Return the lines of a file, long ones in pieces; what is no text is one line."""
    try:
        whole = named(content.decode("utf-8")).split("\n")
    except UnicodeDecodeError:
        return [f"no text, {len(content)} bytes: {sha256(content).hexdigest()}"]
    return [
        piece
        for line in whole
        for piece in (PIECE.split(line) if len(line) > LONG else [line])
    ]


def differences(before: Path, after: Path) -> Iterator[str]:
    """Yield each line that only one of two sites has, below the name of its file."""
    old, new = files(before), files(after)
    for name in sorted(old.keys() | new.keys()):
        one, other = old.get(name, []), new.get(name, [])
        if len(one) != len(other):
            yield f"{name}: {len(one)} before, {len(other)} after"
        for pair in zip(one, other, strict=False):
            yield from unified_diff(*pair, name, name, n=0, lineterm="")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    options = parser.parse_args()
    for site in (options.before, options.after):
        if not site.is_dir():
            parser.error(f"no folder: {site}")
    found = list(differences(options.before, options.after))
    print(*found, sep="\n", end="\n" if found else "")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
