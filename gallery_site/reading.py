"""Estimate how long a lesson takes to read."""

from __future__ import annotations

from gallery_intl.script.source import blocks
from gallery_site.folds import subject_of

WORDS = 200  # in a minute
LINES = 5  # of code that is not folded, in a minute
STEP = 5  # minutes


def minutes(script: str) -> int:
    """Return the minutes that an English script takes, the same for every language."""
    words = lines = 0
    for block in blocks(script):
        if block.kind == "code" and subject_of(block.source):
            continue
        if block.kind == "code":
            lines += sum(line.strip() != "" for line in block.source.split("\n"))
        else:
            words += sum(word.strip("#%=-") != "" for word in block.source.split())
    exact = words / WORDS + lines / LINES
    return max(STEP, -int(-exact // STEP) * STEP)
