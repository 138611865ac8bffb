"""Split the tests into parts that run on machines of their own: ``--shard 1/4``.

Files stay whole, as ``--dist loadfile`` keeps them. They are dealt like cards, the long
ones first and every other round from the last part, so that parts take similar times.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import NamedTuple


class Shard(NamedTuple):
    """One part of several, such as 1/4."""

    number: int
    parts: int


def shard(text: str) -> Shard:
    """Read ``1/4``."""
    found = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", text)
    if not found or int(found[1]) > int(found[2]):
        raise argparse.ArgumentTypeError(f"{text!r} is no part (write 1/4)")
    return Shard(int(found[1]), int(found[2]))


def dealt(files: Sequence[str], own: Shard) -> set[str]:
    """Return the files of one part; ``files`` has the long ones first."""
    forth = [*range(1, own.parts + 1)]
    hands = forth + forth[::-1]
    return {x for i, x in enumerate(files) if hands[i % len(hands)] == own.number}
