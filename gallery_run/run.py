"""Run each gallery script once, however many languages are built.

A build runs the scripts that changed in one child process and then only reads what it
made. A page that does not end in time is stopped, and the build with it.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import SphinxError

from gallery_intl.files import only_one
from gallery_run import fingerprint
from gallery_run.child import Child
from gallery_run.outcomes import ended

START_UP = 60.0  # seconds in which a run should come to its first page
Say = Callable[[str], object]
say_on_stdout = functools.partial(print, end="", flush=True)  # at once, in a log too


class GalleryError(SphinxError):
    category = "The gallery failed"


def run_gallery(
    srcdir: Path,
    confdir: Path,
    overrides: dict[str, Any] | None = None,
    say: Say = say_on_stdout,
    settings: Config | None = None,
) -> list[str]:
    """Run the scripts that changed since the last run; return Sphinx's warnings.

    ``settings`` are those of conf.py, if it was read already. Raises GalleryError with
    the traceback of the script or rank that failed.
    """
    overrides = overrides or {}
    settings = settings or fingerprint.read_settings(confdir, overrides)
    gallery, seconds = settings.sphinx_gallery_conf, settings.gallery_intl_deadline
    dirs = fingerprint.gallery_dirs(srcdir, gallery)
    if not dirs or fingerprint.is_current(srcdir, gallery):
        return []
    waiting = "gallery: another build is running it; waiting for that\n"
    temporary = tempfile.TemporaryDirectory(prefix="g-", ignore_cleanup_errors=True)
    with only_one(dirs[0][1], lambda: say(waiting)), temporary as folder:
        if fingerprint.is_current(srcdir, gallery):
            return []
        request = srcdir, confdir, overrides, dirs[0][1]
        child = Child(request, Path(folder), max(seconds, START_UP))
        try:
            return follow(child, seconds, say)
        finally:
            child.close()


def follow(child: Child, seconds: float, say: Say) -> list[str]:
    """Show which page runs, and how long each took; return Sphinx's warnings."""
    page, done, total = "", 0, 0
    while True:
        kind, values = child.hear()
        # the start of Sphinx is no page
        child.allow(seconds if kind == "start" else max(seconds, START_UP))
        if kind == "plan":
            total = values["run"]
            say(f"gallery: {total} to run, {values['unchanged']} unchanged\n")
        elif kind == "start":
            page, done = values["page"], done + 1
            say(f"gallery: [{done}/{total}] {page} ... ")
        elif kind == "end":
            page = ""
            say(f"{values['seconds']:.1f} s\n")
        elif kind == "failed":
            if page:
                say("failed\n")
            raise GalleryError(failure(child, page, **values))
        else:
            warnings: str = values["warnings"]
            return warnings.splitlines()


def failure(child: Child, page: str, text: str, status: int | None = None) -> str:
    """Return a text: which page failed, and why; `status` if its process is gone."""
    page = page or "the gallery, before its first page,"
    if child.is_late:
        return (
            f"{page} did not end within {child.seconds:g} s "
            f"(gallery_intl_deadline)\n\n{text}"
        )
    if status is not None and f"{page}: " not in text:  # it could not say it itself
        return f"{page}: the process that ran it {ended(status)}\n\n{text}"
    return text


def allow_spaces(app: Sphinx, config: Config) -> None:
    """Let the project's folder have spaces; Sphinx-Gallery warns of names below it."""
    if " " in str(app.srcdir):
        config.suppress_warnings = [
            *config.suppress_warnings,
            "sphinx_gallery.space_in_filename",
        ]
