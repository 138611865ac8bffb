"""Find in the live view what ``make check`` finds, for one page at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from gallery_intl.catalogs.po import NO_PAGE, CatalogError
from gallery_intl.rules.check import check_catalogs
from gallery_intl.rules.glossary import read_glossary
from gallery_site.live_build import Job

CHECKING = threading.Lock()  # the rules share one parser


def findings(job: Job, pages: Iterable[str]) -> list[str]:
    """Check the catalogs of pages, and the interface's, which each page shows."""
    names = {*NO_PAGE, *pages}
    paths = sorted((*job.catalogs.rglob("*.po"), *job.words))
    paths = [path for path in paths if job.name_of(path) in names]
    with CHECKING:
        try:
            glossary = read_glossary(job.site.locale_dir / "glossary.csv")
            texts = [str(finding) for finding in check_catalogs(paths, glossary)]
        except CatalogError as error:
            texts = [str(error)]
    return [text.removeprefix(f"{job.site.srcdir}/") for text in texts]


def place(text: str) -> str:
    """Return the path and the line that a finding begins with."""
    return ":".join(text.split(":")[:2])


def page_at(path: str) -> str:
    """Return the page at the path of an address."""
    name = f"{path}index" if path.endswith("/") else path.removesuffix(".html")
    return name.removeprefix("/")
