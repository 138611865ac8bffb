"""Put a site in place in one step, with light pages, when all its languages are built.

Until then the old site stands. Each language is made light by the process that built
it, so that languages do not wait for each other.
"""

from __future__ import annotations

import shutil

from gallery_site import search_index
from gallery_site.light import bundle
from gallery_site.project import Site

LEFT_OUT = shutil.ignore_patterns(".buildinfo*")


def begin(site: Site) -> None:
    """Forget what an interrupted build left."""
    for folder in (site.new, site.old):
        shutil.rmtree(folder, ignore_errors=True)


def add_language(site: Site, language: str) -> None:
    """Copy the pages of a language that was built, and make them light."""
    folder = site.new / language
    shutil.copytree(site.stage(language), folder, ignore=LEFT_OUT)
    search_index.shrink(folder / bundle.INDEX)
    bundle.lighten(folder, site.out / "bundles" / language)


def publish(site: Site, languages: list[str]) -> None:
    """Put the new pages in place, beside the languages that were not built now."""
    from gallery_site.root_files import write_root_files  # with templates

    for language in site.languages:
        before = site.html / language
        if language not in languages and before.is_dir():
            shutil.copytree(before, site.new / language)
    write_root_files(site, site.new)
    if site.html.exists():
        site.html.rename(site.old)
    site.new.rename(site.html)
    shutil.rmtree(site.old, ignore_errors=True)
