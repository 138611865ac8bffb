"""Find in the live view what ``make check`` finds, for one page at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from gallery_intl.catalogs.po import NO_PAGE
from gallery_site.checks import catalog_findings
from gallery_site.live_build import Job
from po_check_cjk.check import glossary_or_finding

CHECKING = threading.Lock()  # the rules share one parser


def findings(job: Job, pages: Iterable[str]) -> list[str]:
    """Check the catalogs of pages, and the interface's, which each page shows."""
    names = {*NO_PAGE, *pages}
    paths = sorted((*job.catalogs.rglob("*.po"), *job.words))
    paths = [path for path in paths if job.name_of(path) in names]
    with CHECKING:
        terms = job.site.locale_dir / "glossary.csv"
        glossary, found = glossary_or_finding(terms)
        found += [x for path in paths for x in catalog_findings(path, glossary)]
    return [str(finding).removeprefix(f"{job.site.srcdir}/") for finding in found]


def place(text: str) -> str:
    """Return the path and the line that a finding begins with."""
    return ":".join(text.split(":")[:2])


def page_at(path: str) -> str:
    """Return the page at the path of an address."""
    name = f"{path}index" if path.endswith("/") else path.removesuffix(".html")
    return name.removeprefix("/")
