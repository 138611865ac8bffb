"""Write the comment below a pull request: ``make comment FROM=folder LINK=address``.

The folder's files were made by the pull request's own code, so only lines of the known
form are taken from them, and few: names of pages, languages and numbers.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PAGE = re.compile(r"[A-Za-z_]{2,6}/[A-Za-z0-9_/-]{1,120}\.html")
FUZZY = re.compile(r"(?P<language>[a-z]{2,3}(?:_[A-Z]{2})?): (?P<count>\d{1,5}) fuzzy")
SIZE = 200_000  # bytes that are read of a file
SHOWN = 20  # pages that are named


def lines(path: Path, form: re.Pattern[str]) -> list[re.Match[str]]:
    """Return the lines of a file that have a form; none if there is no file."""
    if not path.is_file():
        return []
    with path.open("rb") as file:
        text = file.read(SIZE).decode("utf-8", "replace")
    return [found for line in text.split("\n") if (found := form.fullmatch(line))]


def about_pages(folder: Path, link: str) -> str:
    """Say which pages changed, and where they are."""
    if not (folder / "pages.txt").is_file():
        return "There was no build of the main branch to compare the pages with."
    pages = [found[0] for found in lines(folder / "pages.txt", PAGE)]
    if not pages:
        return "No built page differs from those of the main branch."
    more = f"\n- and {len(pages) - SHOWN} more" if len(pages) > SHOWN else ""
    named = "\n".join(f"- `{name}`" for name in pages[:SHOWN])
    what = "page differs" if len(pages) == 1 else "pages differ"
    return f"{len(pages)} {what} ([download]({link})):\n\n{named}{more}"


def about_fuzzy(folder: Path) -> str:
    """Say how many translations a change of the English text makes fuzzy."""
    found = lines(folder / "fuzzy.txt", FUZZY)
    some = [f"{x['language']} {x['count']}" for x in found if int(x["count"])]
    if not some:
        return ""
    return (
        f"Messages that turn fuzzy by this change: {', '.join(some)}. Until they are"
        " translated again, readers see them in English. A slip of wording is better"
        " mended in `locales/en`, which makes nothing fuzzy."
    )


def comment(folder: Path, link: str) -> str:
    """Return the text of the comment."""
    return "\n\n".join(filter(None, [about_pages(folder, link), about_fuzzy(folder)]))


if __name__ == "__main__":
    print(comment(Path(sys.argv[1]), sys.argv[2]))
