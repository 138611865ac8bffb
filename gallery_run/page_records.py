"""Find the records of a generated page, and those of them that it may show."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sphinx.environment import BuildEnvironment

from gallery_intl.page import page as pages
from gallery_run import records
from gallery_run.records import Record


def folder_of(env: BuildEnvironment, docname: str) -> Path | None:
    """Give the folder of a page's records; None for a page that is no script's."""
    for _examples, generated in pages.folders(env.config):
        if docname.startswith(f"{generated}/"):
            name = docname.removeprefix(f"{generated}/")
            return Path(env.srcdir, env.config.gallery_intl_records, name)
    return None


def current(folder: Path, script: str) -> Iterator[tuple[Path, Record]]:
    """Give the records of the code that a page shows, and where they are."""
    for path in records.of_page(folder):
        record = records.read(path)
        if record.code == records.code_hash(script):
            yield path, record
