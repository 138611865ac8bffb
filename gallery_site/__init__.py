"""Put all languages into one published site."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what needs no Sphinx imports this package too
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

HAS_TRANSLATED_WORDS = True  # for `gallery_intl.interface`
FEATURES = (
    "sharing",
    "sidebar",
    "redirects",
    "issues",
    "tidy",
    "policy",
)


def setup(app: Sphinx) -> ExtensionMetadata:
    for name in FEATURES:
        app.setup_extension(f"{__name__}.{name}")
    return {
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
