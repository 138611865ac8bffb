"""Put a site in place in one step, when all its languages are built."""

from __future__ import annotations

import shutil
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from gallery_site.project import Site
from gallery_site.root_files import write_root_files

OLD = "html.old"  # where the last site is while the next takes its place
LEFT_OUT = shutil.ignore_patterns(".buildinfo*")


def begin(site: Site) -> None:
    """Remove what an interrupted build left."""
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


def forget_removed(
    app: Sphinx, env: BuildEnvironment, _added: object, _changed: object, gone: set[str]
) -> list[str]:
    """Remove pages that are gone, and read the others again: some may link to them."""
    for page in gone:
        Path(app.outdir, f"{page}.html").unlink(missing_ok=True)
    return sorted(env.found_docs) if gone else []


def remove_outdated(app: Sphinx, error: Exception | None) -> None:
    """Remove figures and downloads of earlier builds, which would stay for ever.

    Sphinx removes nothing, and one that changed has a new name.
    """
    if error or app.builder.format != "html":
        return
    env, out = app.env, Path(app.outdir)
    copied = {out / "_images" / name for _pages, name in env.images.values()}
    copied |= {out / "_downloads" / name for _pages, name in env.dlfiles.values()}
    figures, downloads = out.glob("_images/sphx_glr_*"), out.glob("_downloads/*/*")
    for file in {*figures, *downloads} - copied:
        file.unlink()
