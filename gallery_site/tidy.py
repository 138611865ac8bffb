"""Leave no file of an earlier build in the site.

Sphinx builds into the same folder again and removes nothing: a figure or a download
that changed has a new name, and the old file would be published for ever.
"""

from __future__ import annotations

import os
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata


def remove_unused(folder: Path, used: set[str]) -> None:
    """Remove the files of a folder that are not used, and folders left empty."""
    for path, folders, names in os.walk(folder, topdown=False):
        kept = [name for name in names if shown(Path(path, name), folder) in used]
        for name in set(names) - set(kept):
            Path(path, name).unlink()
        if not kept and not any(Path(path, name).is_dir() for name in folders):
            Path(path).rmdir()


def shown(file: Path, folder: Path) -> str:
    """Name a file as Sphinx does."""
    return file.relative_to(folder).as_posix()


def tidy(app: Sphinx, error: Exception | None) -> None:
    """Keep what this build's pages show and offer."""
    if error or app.builder.format != "html":
        return
    images = {str(name) for _pages, name in app.env.images.values()}
    downloads = {Path(name).as_posix() for _pages, name in app.env.dlfiles.values()}
    remove_unused(app.outdir / "_images", images)
    remove_unused(app.outdir / "_downloads", downloads)


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("build-finished", tidy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
