"""Put all languages into one published site."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what needs no Sphinx imports this package too
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

HAS_TRANSLATED_WORDS = True  # for `gallery_intl.interface`
FEATURES = (
    "sidebar",
    "tidy",
    "policy",
)


def setup(app: Sphinx) -> ExtensionMetadata:
    from gallery_intl import order
    from gallery_site.sharing import describe_page

    # the picture that is shown of shared pages: a file in a language's folder
    app.add_config_value("gallery_site_picture", "", "html", str)
    # after the links to the other languages (500), which it names
    app.connect("html-page-context", describe_page, priority=order.AFTER_THEME)
    for name in FEATURES:
        app.setup_extension(f"{__name__}.{name}")
    return {
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
