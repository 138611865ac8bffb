"""The words of menus and buttons, links between languages, search."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what needs no Sphinx imports this package too
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

FEATURES = (
    "languages",
    "direction",
    "words",
    "search",
    "pydata",
)


def setup(app: Sphinx) -> ExtensionMetadata:
    for name in FEATURES:
        app.setup_extension(f"{__name__}.{name}")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
