"""Print what the changelog says of a version: ``make release-notes TAG=v0.1``.

It stops if the changelog does not know the version, or if the code has another one.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)


def notes(changelog: str, version: str) -> str:
    """Return the section of a version; "" if there is none."""
    head = rf"^## {re.escape(version)}(?: [^\n]*)?\n"
    found = re.search(rf"{head}(?P<text>.*?)(?=^## |\Z)", changelog, re.M | re.S)
    return found["text"].strip() if found else ""


def main(tag: str) -> None:
    """Print the section that belongs to a tag."""
    [own] = VERSION.findall((PROJECT / "gallery_intl/__init__.py").read_text("utf-8"))
    if tag != f"v{own}":
        sys.exit(f"the tag is {tag!r}, but gallery_intl/__init__.py has {own!r}")
    text = notes((PROJECT / "CHANGELOG.md").read_text("utf-8"), own)
    print(text or sys.exit(f"CHANGELOG.md says nothing of {own}"))


if __name__ == "__main__":
    main(sys.argv[1])
