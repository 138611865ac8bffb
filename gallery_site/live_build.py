"""Build one language once, in a process that stands ready for it.

Most of a small build is preparing it: importing Sphinx, its extensions and the theme,
reading the environment, compiling templates. All of that is done before the edit
comes. Each build has a Sphinx of its own, because Sphinx's tables of translations are
global and are filled once.
"""

from __future__ import annotations

import functools
import gc
import io
import os
import shutil
import signal
import sys
import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from sphinx.application import Sphinx
from sphinx.environment import CONFIG_OK, BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.util import logging
from sphinx.util.console import (  # type: ignore[attr-defined]
    strip_escape_sequences,
)

from gallery_intl.catalogs import po as catalogs
from gallery_intl.files import replace_file
from gallery_run.processes import end_with_parent
from gallery_run.run import run_gallery


class Job(NamedTuple):
    """What is built, and where."""

    srcdir: Path
    locale_dir: Path
    made: list[Path]  # folders that nobody writes in: they are generated
    language: str
    out: Path
    runs: bool  # whether the gallery's scripts are run

    @property
    def catalogs(self) -> Path:
        return self.locale_dir / self.language / "LC_MESSAGES"

    @property
    def html(self) -> Path:
        return self.out / "html"

    @property
    def environment(self) -> Path:
        """Give the file in which Sphinx remembers what it has read."""
        return self.out / "doctrees" / "environment.pickle"

    @property
    def good(self) -> Path:
        """Give a copy of that file from the last build without a fault."""
        return self.out / "good.pickle"

    @property
    def sources(self) -> Path:
        """Give the folder that Sphinx reads.

        Pages of scripts that were not run are kept apart from the real ones.
        """
        return self.srcdir if self.runs else self.out / "sources"


class Result(NamedTuple):
    """What went wrong in a build, if anything, and what it imported."""

    problems: str
    modules: list[str]


def work(job: Job, wire: Connection) -> None:
    """Build once, in a process of its own, when the parent says so."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    end_with_parent()
    problems = build(job, wire)
    wire.send(Result(problems, importable()))


def importable() -> list[str]:
    """Give the modules that another process can import before its build."""
    return [
        name
        for name, module in sys.modules.items()
        if getattr(module, "__spec__", None) and not name.startswith("__")
    ]


def build(job: Job, wire: Connection) -> str:
    """Prepare a build, wait for the pages to build, do it; give what went wrong."""
    warnings = io.StringIO()
    problems: list[str] = []
    pages: set[str] = set()
    try:
        app = prepare(job, warnings)
        if not wire.poll():
            rehearse(app)
        pages = wire.recv()
        if not pages:
            os.nice(5)  # the browser comes first
        else:
            gc.disable()  # a page makes little garbage
            app.connect("env-before-read-docs", functools.partial(restrict, pages))
        problems += generate(job)
        catalogs.compile_language(job.locale_dir, job.language)
        app.build()
    except (catalogs.CatalogError, SphinxError) as error:
        problems.append(f"{getattr(error, 'category', 'Broken catalog')}: {error}")
    except Exception:
        problems.append(traceback.format_exc())
    text = "\n".join([*problems, warnings.getvalue()]).strip()
    if not text and not pages:
        remember(job)
    text = text.replace(f"{job.sources}/", "").replace(f"{job.srcdir}/", "")
    return str(strip_escape_sequences(text))


def restrict(
    pages: set[str], app: Sphinx, env: BuildEnvironment, changed: list[str]
) -> None:
    """Let Sphinx read only some of the pages that changed."""
    if pages <= env.found_docs:
        changed[:] = [page for page in changed if page in pages]


def prepare(job: Job, warnings: io.StringIO) -> Sphinx:
    """Do all of a build that an edited catalog does not change."""
    if not job.runs:
        mirror(job.srcdir, job.sources, job.made)
    recall(job)
    return Sphinx(
        job.sources,
        job.srcdir,
        job.html,
        job.environment.parent,
        "html",
        confoverrides={
            "language": job.language,
            "html_baseurl": "",  # what is seen here is not at the public address
            "gallery_intl_run": False,
            "gallery_intl_policy": False,
            "gallery_intl_preview": not job.runs,
        },
        status=None,
        warning=warnings,
    )


def rehearse(app: Sphinx) -> None:
    """Write a page as it is, so that templates and patterns are compiled already."""
    if app.env.config_status == CONFIG_OK:
        with logging.suppress_logging():  # the page may be one with a fault
            app.builder.prepare_writing(set())
            app.builder.write_documents({max(app.env.all_docs)})


def generate(job: Job) -> list[str]:
    """Generate the gallery's pages that changed; give the warnings."""
    overrides = {} if job.runs else {"sphinx_gallery_conf.plot_gallery": False}
    return run_gallery(job.sources, job.srcdir, overrides=overrides)


def recall(job: Job) -> None:
    """Let Sphinx know only builds without a fault.

    A page that was read with a fault would pass for read; like this it is read again,
    after an interruption too.
    """
    job.environment.parent.mkdir(parents=True, exist_ok=True)
    if job.good.is_file():
        shutil.copyfile(job.good, job.environment)
    else:
        job.environment.unlink(missing_ok=True)


def remember(job: Job) -> None:
    """Keep what Sphinx knows after a build without a fault."""
    if job.environment.is_file():
        replace_file(job.good, job.environment.read_bytes())


def mirror(source: Path, target: Path, leave_out: list[Path]) -> None:
    """Link to everything in a folder; what is left out has a place of its own."""
    target.mkdir(parents=True, exist_ok=True)
    for link in target.iterdir():
        if link.is_symlink() and not link.exists():
            link.unlink()
    for entry in source.iterdir():
        link = target / entry.name
        if entry in leave_out or entry.name.startswith("."):
            continue
        if any(path.is_relative_to(entry) for path in leave_out):
            mirror(entry, link, leave_out)
        elif not link.is_symlink():
            link.symlink_to(entry)
