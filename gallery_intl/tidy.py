"""Leave no file of an earlier build in the site.

Sphinx builds into the same folder again and removes nothing: a figure or a download
that changed has a new name, and the old file would be published for ever.
"""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata


def remove_unused(folder: Path, used: set[str]) -> None:
    """Remove the files of a folder that are not used, and folders left empty."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.relative_to(folder).as_posix() not in used:
            path.unlink()


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
