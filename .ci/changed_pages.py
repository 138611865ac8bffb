"""Copy the built pages that differ from those of another build, with what they load.

``make changed BEFORE=folder`` writes _build/changed, which opens in a browser as it is,
and the pages' names into _build/comment/pages.txt. A page's own text counts, not what
all pages share: the menu, the list of lessons, the names of styles.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from compare_builds import named  # type: ignore[import-not-found]

OWN = re.compile(r"<article.*</article>", re.DOTALL)
SHARED = ("_static", "_images")


def own(path: Path) -> str:
    """Return what a page says itself; all of it if it has no article."""
    text = path.read_text(encoding="utf-8")
    found = OWN.search(text)
    return named(found[0] if found else text)


def changed(before: Path, after: Path) -> list[str]:
    """Return the pages that are new, or say something else than before."""
    return [
        name
        for path in sorted(after.glob("*/**/*.html"))
        if "_static" not in path.parts
        for name in [path.relative_to(after).as_posix()]
        if not (before / name).is_file() or own(before / name) != own(path)
    ]


def copy(site: Path, pages: list[str], to: Path) -> None:
    """Copy pages, and what the pages of their languages share."""
    for name in pages:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(site / name, to / name)
    for language in {name.partition("/")[0] for name in pages}:
        for folder in SHARED:
            if (site / language / folder).is_dir():
                shutil.copytree(site / language / folder, to / language / folder)


def main(before: Path, build: Path) -> None:
    """Write the folders of pages and of names anew."""
    for name in ("changed", "comment"):
        shutil.rmtree(build / name, ignore_errors=True)
        (build / name).mkdir(parents=True)
    if not before.is_dir():  # of main there is no build, or none any more
        print("there is no other build to compare with")
        return
    pages = changed(before, build / "html")
    copy(build / "html", pages, build / "changed")
    listed = "".join(f"{name}\n" for name in pages)
    (build / "comment" / "pages.txt").write_text(listed, encoding="utf-8")
    print(f"{len(pages)} pages changed")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path("_build"))
