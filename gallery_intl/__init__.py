"""Give a Sphinx-Gallery site several languages over the same runnable code.

Each feature is a Sphinx extension of its own and can be loaded alone; this one loads
them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # recording a page needs this package, and no Sphinx
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

__version__ = "0.1"

FEATURES = (
    "languages",
    "sharing",
    "sidebar",
    "redirects",
    "direction",
    "run",
    "markup",
    "status",
    "safety",
    "translation_status",
    "issues",
    "comments",
    "locations",
    "contexts",
    "downloads",
    "chrome",
    "output_language",
    "machine_labels",
    "record_tabs",
    "gpu_runs",
    "cards",
    "figures",
    "interface",
    "search",
    "preview",
    "inner_links",
    "tidy",
    "color_modes",
    "content_policy",
)


def setup(app: Sphinx) -> ExtensionMetadata:
    app.setup_extension("sphinx_gallery.gen_gallery")
    for feature in FEATURES:
        app.setup_extension(f"gallery_intl.{feature}")
    return {
        "version": __version__,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
