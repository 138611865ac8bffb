"""Run each page once, ranks beside it, and show what it printed on other machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # recording a page needs this package, and no Sphinx
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

HAS_TRANSLATED_WORDS = True  # for `gallery_intl.interface`


def setup(app: Sphinx) -> ExtensionMetadata:
    from gallery_run import notebook, run

    app.setup_extension("gallery_intl")
    app.setup_extension("sphinx_design")
    # seconds in which a page has to end, and each part of the run that is no page
    app.add_config_value("gallery_intl_deadline", 120, "", (int, float))
    app.connect("config-inited", run.allow_spaces)
    app.connect("gallery-notebook-cells", notebook.install_missing)
    app.connect("gallery-notebook-cells", notebook.start_ranks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
