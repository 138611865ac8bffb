"""Build one language again and again, each time in a process that stands ready for it.

Most of a small build is preparing it: importing Sphinx, its extensions and the theme,
reading the environment, compiling templates. All of that is done before the edit comes.
Each build has a Sphinx of its own: its tables of translations are global, filled once.
"""

from __future__ import annotations

import contextlib
import gc
import io
import multiprocessing
import os
import shutil
import signal
import traceback
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from sphinx.application import Sphinx
from sphinx.environment import CONFIG_OK, BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.util import logging
from sphinx.util.console import nocolor

from gallery_intl.catalogs.own import catalogs_in
from gallery_intl.catalogs.po import CatalogError, compile_language
from gallery_intl.files import replace_file
from gallery_run.processes import end_with_parent
from gallery_run.run import run_gallery
from gallery_site.languages import import_once
from gallery_site.project import Site


class Job(NamedTuple):
    """What is built, and where."""

    site: Site
    language: str
    out: Path
    runs: bool  # whether the gallery's scripts are run

    @property
    def catalogs(self) -> Path:
        return self.site.locale_dir / self.language / "LC_MESSAGES"

    @property
    def words(self) -> list[Path]:
        """The catalogs of gallery_intl's words, which are translated here, too."""
        return catalogs_in(self.site.srcdir, self.language)

    def name_of(self, path: Path) -> str:
        """Return the name of a catalog, which is that of its page."""
        folder = path.parent if path in self.words else self.catalogs
        return path.relative_to(folder).with_suffix("").as_posix()

    @property
    def sources(self) -> Path:
        """What Sphinx reads; pages of scripts that were not run are kept apart."""
        return self.site.srcdir if self.runs else self.out / "sources"


def stand_ready(job: Job, line: Connection) -> None:
    """Let one process after the other build; all begin with what is imported here."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    end_with_parent()
    import_once(job.site)
    context = multiprocessing.get_context("fork")
    status: int | None = 0
    while status == 0:
        process = context.Process(target=build_once, args=(job, line))
        process.start()
        process.join()
        status = process.exitcode


def build_once(job: Job, line: Connection) -> None:
    """Prepare a build, wait for the pages to build, do it, send what went wrong.

    No pages are all that changed; None says that this was prepared before the edit.
    """
    end_with_parent()
    warnings, problems = io.StringIO(), list[str]()
    is_awaited = line.poll()  # what is read from now on is as new as the edit
    known, good = job.out / "doctrees" / "environment.pickle", job.out / "good.pickle"
    with noted(problems):
        recall(known, good)
        app = prepare(job, warnings)
        if not is_awaited:
            rehearse(app)
    if problems and not is_awaited:
        line.poll(None)  # for an edit, which may have mended them: the next will see
        return
    if (pages := line.recv()) is None:
        return
    if not problems:
        with noted(problems):
            overrides = {} if job.runs else {"sphinx_gallery_conf.plot_gallery": False}
            problems += run_gallery(job.sources, job.site.srcdir, overrides=overrides)
            compile_language(job.site.locale_dir, job.language)
            build(app, pages)
    text = "\n".join([*problems, warnings.getvalue()]).strip()
    if not (text or pages):
        replace_file(good, known.read_bytes())
    text = text.replace(f"{job.sources}/", "")
    line.send(text.replace(f"{job.site.srcdir}/", ""))


@contextlib.contextmanager
def noted(problems: list[str]) -> Iterator[None]:
    """Note what is raised."""
    try:
        yield
    except (CatalogError, SphinxError) as error:
        problems.append(f"{getattr(error, 'category', 'Broken catalog')}: {error}")
    except Exception:
        problems.append(traceback.format_exc())


def recall(known: Path, good: Path) -> None:
    """Let Sphinx know what it had read in the last build without a fault.

    What it read with a fault, or until an interruption, would pass for read.
    """
    known.parent.mkdir(parents=True, exist_ok=True)
    known.unlink(missing_ok=True)
    if good.is_file():
        shutil.copyfile(good, known)


def prepare(job: Job, warnings: io.StringIO) -> Sphinx:
    """Do all of a build that an edited catalog does not change."""
    if not job.runs:
        mirror(job.site.srcdir, job.sources, [*job.site.generated, job.site.out])
    nocolor()
    values = {
        "language": job.language,
        "html_baseurl": "",  # what is seen here is not at the public address
        "gallery_intl_run": False,
        "gallery_site_light": False,  # a saved style sheet is loaded as it is
        "gallery_intl_preview": not job.runs,
    }
    folders = (job.sources, job.site.srcdir, job.out / "html", job.out / "doctrees")
    return Sphinx(*folders, "html", values, status=None, warning=warnings)


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


def rehearse(app: Sphinx) -> None:
    """Write a page as it is, so that templates and patterns are compiled already."""
    if app.env.config_status == CONFIG_OK:
        with logging.suppress_logging():  # the page may be one with a fault
            app.builder.prepare_writing(set())
            app.builder.write_documents({max(app.env.all_docs)})


def build(app: Sphinx, pages: set[str]) -> None:
    """Build some pages and no others, or all that changed."""

    def restrict(_app: Sphinx, _env: BuildEnvironment, changed: list[str]) -> None:
        changed[:] = [page for page in changed if page in pages]

    if pages and pages <= app.env.found_docs:
        gc.disable()  # a page makes little garbage
        app.connect("env-before-read-docs", restrict)
        app.build(filenames=[app.env.doc2path(page) for page in pages])
    else:
        os.nice(5)  # the browser comes first
        app.build()
