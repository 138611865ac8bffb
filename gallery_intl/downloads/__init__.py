"""Downloads in the reader's language: ``.py``, ``.ipynb``, ``.zip``."""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from gallery_intl import order
from gallery_intl.downloads.downloads import (
    name_as_written,
    pack_archives,
    write_downloads,
)
from gallery_intl.page.page import pages_with_other_titles


def setup(app: Sphinx) -> ExtensionMetadata:
    # the file in which a page may offer the downloads of all pages
    app.add_config_value("gallery_intl_archive", "gallery.zip", "env", str)
    # whether pages in the source language offer downloads of ours too, which say where
    # they are from; else they offer Sphinx-Gallery's
    app.add_config_value("gallery_intl_source_downloads", False, "env", bool)
    app.add_event("gallery-notebook-cells")
    app.connect("env-get-outdated", pages_with_other_titles)
    app.connect("doctree-read", write_downloads, priority=order.WRITE_DOWNLOADS)
    app.connect("doctree-read", name_as_written, priority=order.NAME_DOWNLOADS)
    app.connect("env-updated", pack_archives)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
