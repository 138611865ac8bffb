"""Give a Sphinx-Gallery site several languages over the same runnable code.

A writer puts what gettext cannot reach into the sources of each language, before plain
Sphinx builds them. Imports point down only::

        page  downloads          while Sphinx reads and writes pages
          └───┬───┘
           writer   interface    sources of a language; menus and strings
              └───┬───┘
               project           settings, scripts, translations of a page
        catalogs  script  figures
                text
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gallery_intl.text.cjk import end_markup_at_cjk

if TYPE_CHECKING:  # recording a page needs this package, and no Sphinx
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

__version__ = "0.1"

PARTS = ("page", "downloads", "interface")


def setup(app: Sphinx) -> ExtensionMetadata:
    from gallery_intl.project import SETTINGS

    for name, (default, rebuild, types) in SETTINGS.items():
        app.add_config_value(name, default, rebuild, types)
    end_markup_at_cjk()
    app.setup_extension("sphinx_gallery.gen_gallery")
    for part in PARTS:
        app.setup_extension(f"{__name__}.{part}")
    return {
        "version": __version__,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
