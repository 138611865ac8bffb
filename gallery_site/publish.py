"""Put a site in place in one step, when all its languages are built."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path

from sphinx.application import Sphinx

from gallery_intl.files import replace_file
from gallery_site.project import BuildError, Site
from gallery_site.root_files import write_root_files

COPIED = ".copied.json"  # beside .buildinfo: the images and downloads of the last build
PUBLISHED = "published.json"  # what the last build put at the top of the site
OLD = "html.old"  # where the last site is while the next takes its place
LEFT_OUT = shutil.ignore_patterns(".buildinfo*", COPIED)


def begin(site: Site) -> None:
    """Forget what an interrupted build left; refuse to replace what others put."""
    there = {path.name for path in site.html.glob("*")} - {*site.languages}
    made = noted(site.out / PUBLISHED)
    # a build of Sphinx alone has these at its top, ours in a folder for each language
    for name in sorted(there - made if made else there & {"_static", "objects.inv"}):
        raise BuildError(
            f"{site.html / name}: not of this site, whose build replaces the folder"
            " (move it to another place)"
        )
    for folder in (site.new, site.out / OLD):
        shutil.rmtree(folder, ignore_errors=True)


def add_language(site: Site, language: str) -> None:
    """Copy the pages of a language that was built."""
    shutil.copytree(site.stage(language), site.new / language, ignore=LEFT_OUT)


def publish(site: Site, languages: list[str]) -> None:
    """Put the new pages in place, beside the languages that were not built now."""
    for language in site.languages:
        before = site.html / language
        if language not in languages and before.is_dir():
            shutil.copytree(before, site.new / language)
    write_root_files(site, site.new)
    if site.html.exists():
        site.html.rename(site.out / OLD)
    site.new.rename(site.html)
    shutil.rmtree(site.out / OLD, ignore_errors=True)
    names = sorted(path.name for path in site.html.glob("*"))
    replace_file(site.out / PUBLISHED, json.dumps(names).encode(), sync=False)


def remove_outdated(app: Sphinx, error: Exception | None) -> None:
    """Remove the images and downloads of an earlier build that this one has not.

    Sphinx removes nothing: a figure or a download that changed has a new name, and the
    old file would be published for ever. What others wrote there is theirs.
    """
    if error or app.builder.format != "html":
        return
    env, note = app.env, Path(app.outdir, COPIED)
    now = {f"_images/{name}" for _pages, name in env.images.values()}
    now |= {f"_downloads/{name}" for _pages, name in env.dlfiles.values()}
    for name in noted(note) - now:
        file = Path(app.outdir, name)
        file.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # a download has a folder of its own
            file.parent.rmdir()
    replace_file(note, json.dumps(sorted(now)).encode(), sync=False)


def noted(note: Path) -> set[str]:
    """Return what the last build copied; nothing if it did not come to its end."""
    try:
        return set(json.loads(note.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return set()
