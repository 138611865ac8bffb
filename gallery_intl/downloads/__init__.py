"""Downloads in the reader's language: ``.py``, ``.ipynb``, ``.zip``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what needs no Sphinx imports this package too
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


def setup(app: Sphinx) -> ExtensionMetadata:
    from gallery_intl import order
    from gallery_intl.downloads import downloads

    # the file in which a page may offer the downloads of all pages
    app.add_config_value("gallery_intl_archive", "gallery.zip", "env", str)
    app.add_event("gallery-notebook-cells")
    app.add_transform(downloads.WriteScript)
    app.connect("doctree-read", downloads.write_notebook, priority=order.WRITE_NOTEBOOK)
    app.connect("env-updated", downloads.pack_gallery)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
