"""Build languages side by side, each in a process that runs plain Sphinx.

Each only reads what the gallery's run made. A process dies with the one that asked for
it, so that nobody is left behind who would write into the next build.
"""

from __future__ import annotations

import contextlib
import gc
import io
import multiprocessing
import shutil
import sys
import time
import traceback
from importlib import import_module
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any, TextIO

from sphinx.application import Sphinx, builtin_extensions
from sphinx.errors import SphinxError
from sphinx.util.console import nocolor
from sphinx.util.docutils import docutils_namespace, patch_docutils

from gallery_intl.writer.places import with_origins
from gallery_intl.writer.tree import write_language
from gallery_run.processes import end_with_parent
from gallery_site.head import HOOKS
from gallery_site.project import BuildError, Site
from gallery_site.publish import add_language

# Most of a build's objects live to its end: to look for garbage more seldom than Python
# does (700) saves a fifth of its time, and costs some MiB.
NEW_OBJECTS = 20_000
# What is imported when it is first needed, and takes long.
LATER = ("matplotlib.pyplot", "gallery_site.light")
# The exit status of a process that showed how it went; one with another was ended.
BUILT, FAILED = 10, 11


def build_languages(site: Site, languages: list[str]) -> None:
    """Build languages side by side; each shows how it went as it ends."""
    print(f"building {', '.join(languages)} ...", flush=True)
    import_once(site)
    others = incomplete(site, [x for x in site.languages if x not in languages])
    builds = [start_build(site, language, others) for language in languages]
    try:
        failed = sorted(build.name for build in builds if not succeeds(build))
    finally:
        for build in builds:
            build.kill()
    if failed:
        raise BuildError(f"not built: {', '.join(failed)}; the site is as it was")


def import_once(site: Site) -> None:
    """Import what every build imports, in the process that they are forked from."""
    config = site.config
    for name in [*builtin_extensions, *config.extensions, config.html_theme, *LATER]:
        with contextlib.suppress(Exception):  # Sphinx will say what is wrong
            import_module(name)
    gc.freeze()


def incomplete(site: Site, languages: list[str]) -> list[str]:
    """Return the languages that lack pages: not each link to them leads somewhere."""
    pages = [f"{page}.html" for page in site.pages()]
    return [
        language
        for language in languages
        if not all((site.html / language / page).is_file() for page in pages)
    ]


def start_build(site: Site, language: str, others: list[str]) -> ForkProcess:
    """Start the process of a language; of ``others`` it links to what is there.

    A pool of processes would want semaphores, which not every machine has.
    """
    process = multiprocessing.get_context("fork").Process(
        name=language, target=lambda: sys.exit(build_language(site, language, others))
    )
    process.start()
    return process


def succeeds(build: ForkProcess) -> bool:
    """Wait for a language; show it if its process could not."""
    build.join()
    if build.exitcode not in (BUILT, FAILED):
        show(build.name, "failed", f"its process ended with status {build.exitcode}")
    return build.exitcode == BUILT


def show(language: str, result: str, output: str) -> None:
    """Print how a language went, at once: others print too."""
    lines = (f"\n    {line}" for line in output.strip().splitlines())
    print(f"  {language:6} {result}{''.join(lines)}\n", end="", flush=True)


def build_language(site: Site, language: str, others: list[str]) -> int:
    """Build one language, put it beside the others; show how that went, always."""
    end_with_parent()
    start = time.monotonic()
    status, output = FAILED, io.StringIO()
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            if build_source(site, language, others, output, is_live=False) == 0:
                add_language(site, language)
                status = BUILT
    except SphinxError as error:
        print(f"{error.category}: {error}", file=output)
    except OSError as error:  # what Sphinx warned of before is its echo
        output = io.StringIO(f"Error: {explain(error)}")
    except Exception:
        traceback.print_exc(file=output)
    done = f"{time.monotonic() - start:.1f} s"
    show(language, done if status == BUILT else "failed", output.getvalue())
    return status


def build_source(
    site: Site, language: str, others: list[str], output: io.StringIO, *, is_live: bool
) -> int:
    """Go on from the last build if it came to its end; return the exit status.

    A live view goes on from any build, because it shows what is wrong.
    """
    stage, doctrees = site.stage(language), site.doctrees(language)
    marker = doctrees / ".complete"
    if not is_live:
        # Sphinx trusts what it finds: after a warning it would take the page for right,
        # after an interruption it would not write the page of an edited catalog again
        if not marker.is_file():
            shutil.rmtree(doctrees, ignore_errors=True)
            shutil.rmtree(stage, ignore_errors=True)
        marker.unlink(missing_ok=True)
        # it copies all of this, and removes nothing
        shutil.rmtree(stage / "_static", ignore_errors=True)
    source, project = site.source(language), site.project
    written = write_language(project, language, source, HOOKS, [site.out])
    for warning in written:
        print(warning, file=output)
    values = {f"gallery_intl_published.{x}": str(site.html / x) for x in others}
    warnings = io.StringIO()
    run_sphinx(source, "html", stage, doctrees, values, warnings)
    output.write(with_origins(warnings.getvalue(), project, source, language))
    if written or warnings.getvalue():
        return 1
    marker.touch()
    return 0


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
        folders = (srcdir, srcdir, out, doctrees)
        app = Sphinx(*folders, builder, values, None, warnings, warningiserror=True)
        app.build()
        return app.statuscode


def explain(error: Exception) -> str:
    """Return in one line what went wrong; a copied tree has many errors in one."""
    if isinstance(error, shutil.Error) and error.args and error.args[0]:
        return str(error.args[0][0][-1])
    return str(error)
