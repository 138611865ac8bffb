"""Build languages side by side, each in a process that runs plain Sphinx.

Each only reads what the gallery's run made. A process dies with the one that asked for
it, so that nobody is left behind who would write into the next build.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import multiprocessing
import os
import pkgutil
import shutil
import time
import traceback
from collections.abc import Iterator
from importlib import import_module
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple, TextIO, cast

from sphinx.application import Sphinx, builtin_extensions
from sphinx.errors import SphinxError
from sphinx.util.console import nocolor
from sphinx.util.docutils import docutils_namespace, patch_docutils

from gallery_run.processes import end_with_parent
from gallery_site.project import BuildError, Site
from gallery_site.publish import add_language

# Most of a build's objects live to its end: to look for garbage more seldom than Python
# does (700) saves a fifth of its time, and costs some MiB.
NEW_OBJECTS = 20_000


class Built(NamedTuple):
    """How the build of one language ended."""

    language: str
    status: int
    output: str
    seconds: float


class Build(NamedTuple):
    """The process that builds a language, and the line on which its result comes.

    A pool of processes would want semaphores, which not every machine has.
    """

    language: str
    process: BaseProcess
    line: Connection

    def result(self) -> Built:
        """Return how it ended, also if it was killed."""
        try:
            return cast(Built, self.line.recv())
        except EOFError:
            self.process.join()
            said = f"its process ended with status {self.process.exitcode}"
            return Built(self.language, 1, said, 0.0)


def build_languages(site: Site, languages: list[str]) -> None:
    """Build languages side by side; show each as it ends, and all that went wrong."""
    print(f"building {', '.join(languages)} ...", flush=True)
    import_once(site)
    others = incomplete(site, [x for x in site.languages if x not in languages])
    builds = [start_build(site, language, others) for language in languages]
    try:
        results = [show(built) for built in as_completed(builds)]
    finally:
        for build in builds:
            build.process.kill()
    if failed := sorted(built.language for built in results if built.status):
        raise BuildError(f"not built: {', '.join(failed)}; the site is as it was")


def import_once(site: Site) -> None:
    """Import what every build imports, in the process that they are forked from."""
    needed = [*builtin_extensions, *site.extensions, "matplotlib.pyplot"]
    for name in [*needed, *own_modules(site.extensions)]:
        with contextlib.suppress(Exception):  # Sphinx will say what is wrong
            import_module(name)
    gc.freeze()


def own_modules(extensions: list[str]) -> Iterator[str]:
    """Yield the modules of our packages but for those with a process of their own."""
    for name in (name for name in extensions if name.startswith("gallery_")):
        for found in pkgutil.walk_packages(import_module(name).__path__, f"{name}."):
            if not found.name.rpartition(".")[2].startswith(("live", "__main__")):
                yield found.name


def incomplete(site: Site, languages: list[str]) -> list[str]:
    """Return the languages that lack pages: not each link to them leads somewhere."""
    pages = [f"{page}.html" for page in site.pages()]
    return [
        language
        for language in languages
        if not all((site.html / language / page).is_file() for page in pages)
    ]


def start_build(site: Site, language: str, others: list[str]) -> Build:
    """Start the process of a language; of ``others`` it links to what is there."""
    context = multiprocessing.get_context("fork")
    line, end = context.Pipe(duplex=False)
    process = context.Process(target=report_build, args=(end, site, language, others))
    process.start()
    end.close()  # the process has its own
    return Build(language, process, line)


def as_completed(builds: list[Build]) -> Iterator[Built]:
    """Yield the results in the order in which they come."""
    running = {build.line: build for build in builds}
    while running:
        for line in wait(list(running)):
            yield running.pop(cast(Connection, line)).result()


def show(built: Built) -> Built:
    """Print how a language went."""
    result = "failed" if built.status else f"{built.seconds:.1f} s"
    print(f"  {built.language:6} {result}", flush=True)
    if text := built.output.strip():
        print("\n".join(f"    {line}" for line in text.splitlines()), flush=True)
    return built


def report_build(line: Connection, *arguments: Any) -> None:
    """Build a language in this process, unless the one that asked for it dies."""
    end_with_parent()
    line.send(build_language(*arguments))


def build_language(site: Site, language: str, others: list[str]) -> Built:
    """Build one language, put it beside the others; return how that went, always."""
    start = time.monotonic()
    status, output = 1, io.StringIO()
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            if build_afresh_or_on(site, language, others, output) == 0:
                add_language(site, language)
                status = 0
    except SphinxError as error:
        print(f"{error.category}: {error}", file=output)
    except OSError as error:  # what Sphinx warned of before is its echo
        output = io.StringIO(f"Error: {explain(error)}")
    except Exception:
        traceback.print_exc(file=output)
    return Built(language, status, output.getvalue(), time.monotonic() - start)


def build_afresh_or_on(
    site: Site, language: str, others: list[str], output: TextIO
) -> int:
    """Go on from the last build if it came to its end; return the exit status."""
    stage, doctrees = site.stage(language), site.doctrees(language)
    marker = doctrees / ".complete"
    found = sources(site)
    start_afresh(marker, found, doctrees, stage)
    values: dict[str, Any] = {"language": language, "gallery_intl_run": False}
    values |= {f"gallery_intl_published.{x}": str(site.html / x) for x in others}
    if site.light:  # its policy is written when its scripts are joined
        values["gallery_intl_policy"] = False
    status = run_sphinx(site.srcdir, "html", stage, doctrees, values, output)
    if status == 0:
        marker.write_text(json.dumps(found), encoding="utf-8")
    return status


def sources(site: Site) -> list[str]:
    """Return what the site has files of: pages, and what is copied."""
    pages = [f"{page}.rst" for page in site.pages()]
    copied = [file for folder in site.copied for file in (folder, *folder.rglob("*"))]
    # an editor's files, which begin with a dot, come and go
    seen = (path for path in copied if not path.name.startswith("."))
    return [*pages, *sorted(os.path.relpath(path, site.srcdir) for path in seen)]


def start_afresh(marker: Path, found: list[str], *folders: Path) -> None:
    """Drop what an unfinished build left, or one of which a source is gone.

    Sphinx trusts what it finds: after a warning the page would be taken for right,
    after an interruption the page of an edited catalog would not be written again.
    """
    try:
        finished = set(json.loads(marker.read_text(encoding="utf-8"))) <= set(found)
    except (OSError, ValueError):
        finished = False
    if not finished:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.unlink(missing_ok=True)


def run_sphinx(
    srcdir: Path,
    builder: str,
    out: Path,
    doctrees: Path,
    values: dict[str, Any],
    warnings: TextIO,
) -> int:
    """Build once, with values that go before those of conf.py; give the exit status.

    Every warning is written to ``warnings``, and fails the build. What Sphinx and its
    extensions raise is raised.
    """
    nocolor()
    gc.set_threshold(NEW_OBJECTS)
    with patch_docutils(srcdir), docutils_namespace():
        app = Sphinx(
            srcdir=srcdir,
            confdir=srcdir,
            outdir=out,
            doctreedir=doctrees,
            buildername=builder,
            confoverrides=values,
            status=None,
            warning=warnings,
            warningiserror=True,
        )
        app.build()
        return app.statuscode


def explain(error: Exception) -> str:
    """Return in one line what went wrong; a copied tree has many errors in one."""
    if isinstance(error, shutil.Error) and error.args and error.args[0]:
        return str(error.args[0][0][-1])
    return str(error)
