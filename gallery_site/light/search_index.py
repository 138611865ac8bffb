"""Write a site's search index with fewer digits.

It is mostly numbers of pages, sorted: for each word those that have it. Here each
number after the first becomes its distance from the one before it, which has half as
many digits in a large site. The file adds them up again as it is loaded: what searches,
in whatever language, sees the index that Sphinx has written.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

CALL = ("Search.setIndex(", ")")
LISTS = ("terms", "titleterms")  # word: a page, or several
ADD_UP = (
    "((index)=>{for(const words of[index.terms,index.titleterms])"
    "for(const found of Object.values(words))"
    "if(Array.isArray(found))found.forEach((_,i)=>{if(i)found[i]+=found[i-1]});"
    "return index})(",
    ")",
)


def shrink(path: Path) -> None:
    """Write an index anew; a site without a search has none."""
    if not path.is_file():
        return
    index = json.loads(
        path.read_text(encoding="utf-8").removeprefix(CALL[0]).removesuffix(CALL[1])
    )
    for name in LISTS:
        # Sphinx, when it goes on from an earlier build, keeps words that no page has
        words = {word: found for word, found in index[name].items() if found != []}
        index[name] = {word: distances(found) for word, found in words.items()}
    text = json.dumps(index, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    path.write_text(text.join(ADD_UP).join(CALL), encoding="utf-8")


def distances(found: int | list[int]) -> int | list[int]:
    """Return the first number, then how far each is from the one before."""
    if isinstance(found, int):
        return found
    pages = sorted(found)
    return pages[:1] + [after - before for before, after in itertools.pairwise(pages)]
