"""Run each page once, ranks beside it, and show what it printed on other machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # recording a page needs this package, and no Sphinx
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

HAS_TRANSLATED_WORDS = True  # for `gallery_intl.interface`


def add_settings(app: Sphinx) -> None:
    # whether a build runs the scripts that changed, before it reads their pages
    app.add_config_value("gallery_intl_run", True, "", bool)
    # seconds in which a page has to end, and each part of the run that is no page
    app.add_config_value("gallery_intl_deadline", 120, "", (int, float))


def setup(app: Sphinx) -> ExtensionMetadata:
    from gallery_run import install, notebook, run, upstream

    app.setup_extension("gallery_intl")
    app.setup_extension("sphinx_design")
    add_settings(app)
    upstream.stop_generating(app)
    app.connect("config-inited", run.allow_spaces)
    # Sphinx-Gallery starts at 10
    app.connect("builder-inited", run.run_first, priority=5)
    app.connect("gallery-notebook-cells", install.install_missing)
    app.connect("gallery-notebook-cells", notebook.start_ranks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
