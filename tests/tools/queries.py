"""Ask the search of the built site what readers type; as a program, print the misses.

    PYTHONPATH=.:tests/tools python tests/tools/queries.py FILE.csv ...

A file's name ends with its language: readers_ko.csv. Its columns: query, page (which
should come first; -: the site does not treat it) and also (others that are as right,
set apart by spaces).
"""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path
from typing import NamedTuple

import browser
from paths import PROJECT
from playwright.sync_api import Browser, Page, sync_playwright
from serving import serve

LANGUAGE = re.compile(r"(en|ko|zh_CN|ja)$")
# Names of pages in the order of the results, and whether each has all the words.
SEARCH = """queries => queries.map(query =>
  Search.find(query).map(({address, isPart}) =>
    [address.split("/").at(-1).replace(".html", ""), !isPart]))"""


class Query(NamedTuple):
    """What a reader types, the pages that are right (none: not treated), the answer."""

    typed: str
    wanted: set[str]
    answer: list[str]  # pages, the best first
    whole: set[str]  # those of them that have all words

    @property
    def is_found(self) -> bool:
        """Return whether a right page is shown; of no subject, none as a full hit."""
        if not self.wanted:
            return not self.whole
        return not self.wanted.isdisjoint(self.answer)

    @property
    def is_first(self) -> bool:
        return self.is_found and (not self.wanted or self.answer[0] in self.wanted)

    def __str__(self) -> str:
        wanted = " or ".join(sorted(self.wanted)) or "nothing"
        found = ", ".join(self.answer[:3]) or "nothing"
        return f"{self.typed!r}: wanted {wanted}, found {found}"


def language_of(path: Path) -> str:
    """Return the language of a file of queries, by its name."""
    found = LANGUAGE.search(path.stem)
    assert found, f"{path}: no language at the end of its name"
    return found[1]


def read(path: Path) -> list[tuple[str, set[str]]]:
    """Read queries, and the names of the pages that are right for each."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    return [
        (row["query"], {page.split("/")[-1] for page in pages if page != "-"})
        for row in rows
        for pages in [[row["page"], *row["also"].split()]]
    ]


def ask(page: Page, path: Path) -> list[Query]:
    """Ask all queries of a file on a search page that is open."""
    queries = read(path)
    answers = page.evaluate(SEARCH, [typed for typed, _ in queries])
    return [
        Query(
            typed,
            wanted,
            list(dict.fromkeys(name for name, _ in answer)),
            {name for name, is_whole in answer if is_whole},
        )
        for (typed, wanted), answer in zip(queries, answers, strict=True)
    ]


def report(path: Path, queries: list[Query]) -> None:
    first = sum(query.is_first for query in queries)
    found = sum(query.is_found for query in queries)
    print(f"{path.name}: {len(queries)} queries, first {first}, found {found}")
    for query in queries:
        if not query.is_first:
            print(f"  {'second' if query.is_found else 'lost':7}{query}")


def measure(chromium: Browser, address: str, path: Path) -> list[Query]:
    page = chromium.new_page()
    page.goto(f"{address}/{language_of(path)}/search.html")
    page.wait_for_function("Search.hasIndex()")
    queries = ask(page, path)
    page.close()
    return queries


def main(paths: list[Path]) -> None:
    asked: list[Query] = []
    with serve(PROJECT / "_build" / "html") as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser.find(), args=browser.ARGUMENTS
        )
        for path in paths:
            queries = measure(chromium, address, path)
            report(path, queries)
            asked += queries
        chromium.close()
    treated = [query for query in asked if query.wanted]
    first = sum(query.is_first for query in treated) / len(treated)
    found = sum(query.is_found for query in treated) / len(treated)
    print(f"{len(treated)} of subjects: first {first:.1%}, found {found:.1%}")


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]])
