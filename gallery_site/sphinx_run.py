"""Run plain Sphinx in this process, and say in one line what stopped it."""

from __future__ import annotations

import gc
import shutil
from pathlib import Path
from typing import Any, TextIO

from sphinx.application import Sphinx
from sphinx.util.console import nocolor
from sphinx.util.docutils import docutils_namespace, patch_docutils

# Most of a build's objects live to its end: to look for garbage more seldom than Python
# does (700) saves a fifth of its time, and costs some MiB.
NEW_OBJECTS = 20_000


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
    """Say in one line what went wrong; a copied tree has many errors in one."""
    if isinstance(error, shutil.Error) and error.args and error.args[0]:
        return str(error.args[0][0][-1])
    return str(error)
