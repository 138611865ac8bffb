"""Put all languages into one published site."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what needs no Sphinx imports this package too
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

HAS_TRANSLATED_WORDS = True  # for `gallery_intl.interface`


def setup(app: Sphinx) -> ExtensionMetadata:
    from gallery_intl import order
    from gallery_site import policy, publish, sharing
    from gallery_site.search import EnglishSearch
    from gallery_site.sidebar import Sidebars

    # whether pages load only the styles and scripts that they use; our commands do it
    app.add_config_value("gallery_site_light", True, "", bool)
    # the picture that is shown of shared pages: a file in a language's folder
    app.add_config_value("gallery_site_picture", "", "html", str)
    # whether pages run the site's own scripts only, and ask no other host for anything
    app.add_config_value("gallery_intl_policy", False, "html", bool)

    app.setup_extension("gallery_intl.finished")
    app.add_search_language(EnglishSearch)
    app.connect("config-inited", policy.switch_on)
    sidebars = Sidebars()
    app.connect("env-updated", sidebars.forget)
    app.connect("html-page-context", sidebars.replace, priority=order.AFTER_THEME)
    # after the links to the other languages (500), which it names
    app.connect("html-page-context", sharing.describe_page, priority=order.AFTER_THEME)
    app.connect("build-finished", publish.remove_outdated)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
