"""Build the whole site: run the gallery once, then all languages side by side."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from gallery_intl import files
from gallery_intl.catalogs.own import folders_in
from gallery_intl.writer.guard import broken_catalogs
from gallery_run import records, run
from gallery_site.languages import build_languages
from gallery_site.project import BuildError, Site, read_site
from gallery_site.publish import begin, publish


def only_one(site: Site) -> AbstractContextManager[None]:
    """Wait until no other build works in the same folder."""
    waiting = "another build is running here; waiting for it"
    return files.only_one(site.out, lambda: print(waiting, flush=True))


def build_site(srcdir: Path, only: list[str] | None = None) -> Path:
    """Build the languages (all, or only some); return the page to open first."""
    site = read_site(srcdir)
    languages = site.known(only)
    with only_one(site):
        check_catalogs(site, languages)
        run_scripts(site)
        check_records(site)
        begin(site)
        build_languages(site, languages)
        publish(site, languages)
    return site.html / "index.html"


def run_scripts(site: Site) -> None:
    """Run the scripts that changed; a warning stops, as everywhere."""
    if warnings := run.run_gallery(site.srcdir, site.srcdir, settings=site.config):
        raise BuildError("\n".join(["the gallery ran with warnings:", *warnings]))


def check_records(site: Site) -> None:
    """Name the records that pages do not show; an edited one stops."""
    try:
        for line in records.stale(site.srcdir / records.FOLDER, site.generated[0]):
            print(line, flush=True)
    except records.RecordError as error:
        raise BuildError(str(error)) from None


def check_catalogs(site: Site, languages: list[str]) -> None:
    """Stop if catalogs are broken; name every one with file and line."""
    folders = [site.locale_dir / language / "LC_MESSAGES" for language in languages]
    if broken := list(broken_catalogs([*folders, *folders_in(site.srcdir)])):
        raise BuildError("\n".join(broken))
    for folder in folders:
        if not folder.is_dir():
            raise BuildError(f"{folder}: no catalogs (make them: make catalogs)")
