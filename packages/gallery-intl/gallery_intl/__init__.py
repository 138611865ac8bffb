"""Give a Sphinx-Gallery site several languages over the same runnable code.

Every room has one sentence, which is the docstring of its ``__init__``; arrows point
down only, and `tests/unit/test_rooms.py` keeps it so::

    downloads    figures
        └─────┬─────┘
     interface   page
         └────┬────┘
       catalogs  script
             text

`gallery_run` runs the pages and `gallery_site` joins the languages; this package knows
neither of them, no torch and no theme.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # recording a page needs this package, and no Sphinx
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

__version__ = "0.1"

ROOMS = ("text", "page", "downloads", "figures", "interface")


def setup(app: Sphinx) -> ExtensionMetadata:
    app.setup_extension("sphinx_gallery.gen_gallery")
    for room in ROOMS:
        app.setup_extension(f"{__name__}.{room}")
    return {
        "version": __version__,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
