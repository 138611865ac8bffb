"""Align sentences by length and names (Gale-Church style) to detect missing ones.

Translators join sentences and cut them, so groups of up to three match groups of up to
three. The result is how much better the two texts match if one sentence of the English
text has no translation.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

# How many sentences become how many, and what that costs: it is seldom.
GROUPS = {(1, 1): 0.0, (1, 2): 0.5, (2, 1): 0.5, (2, 2): 1.2, (1, 3): 1.0, (3, 1): 1.0}
STRAY = 10.0  # a sentence without a translation, other than the one that may lack it
SPREAD = 9.0  # twice the variance of a length, by its letters, in our catalogs
WORST = 12.0  # what different lengths cost at most
SAVED = 2  # letters that a joined sentence has less: its ending, a pronoun
LEAST = 9  # letters: short texts vary more
LOSS = 0.9  # what a name, a number or a term costs that has no counterpart


class Sentence(NamedTuple):
    """How long a sentence is, in letters of the translation, and what it names."""

    size: float
    names: frozenset[str]  # what both languages write alike: code, names, numbers
    terms: frozenset[str]  # the translation may repeat these


def lack(source: Sequence[Sentence], target: Sequence[Sentence]) -> float:
    """Return how likely a sentence of the source is not translated.

    It is the difference of two costs, comparable to the logarithm of how much more
    likely it is; what is natural in our catalogs stays below 0.7.
    """

    @functools.cache
    def cost(start: int, begun: int, may_lack: bool) -> float:
        rest, others = len(source) - start, len(target) - begun
        if not rest or not others:
            lacking = 1 if rest and may_lack else 0
            return STRAY * (rest + others - lacking)
        ways = [
            price
            + difference(source[start : start + many], target[begun : begun + more])
            + cost(start + many, begun + more, may_lack)
            for (many, more), price in GROUPS.items()
            if many <= rest and more <= others
        ]
        if may_lack:
            ways.append(cost(start + 1, begun, False))
        return min(ways)

    return cost(0, 0, False) - cost(0, 0, True)


def difference(source: Sequence[Sentence], target: Sequence[Sentence]) -> float:
    """Return what it costs to take some sentences for the translation of others."""
    was, became = (sum(each.size for each in side) for side in (source, target))
    was = max(0, was - SAVED * max(0, len(source) - len(target)))
    spread = SPREAD * ((was + became) / 2 + LEAST)
    named, kept = (set(chain(*(s.names for s in side))) for side in (source, target))
    terms, there = (set(chain(*(s.terms for s in side))) for side in (source, target))
    changed = len(named ^ kept) + len(terms - there)
    return min((became - was) ** 2 / spread, WORST) + LOSS * changed
