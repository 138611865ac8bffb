"""The words of menus and buttons, links between languages, search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gallery_intl import order

if TYPE_CHECKING:  # what needs no Sphinx imports this package too
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


def load_for_theme(app: Sphinx) -> None:
    """Load what is for one theme, or for those that are made from it."""
    if "pydata_sphinx_theme" in app.extensions:
        from gallery_intl.interface import pydata

        pydata.translate_options(app)
        complete = pydata.complete_style_sheets
        app.connect("build-finished", complete, priority=order.COMPLETE_STYLES)


def setup(app: Sphinx) -> ExtensionMetadata:
    from gallery_intl.interface import direction, languages, search, words

    # the languages of the site and their own names, as a menu shows them
    app.add_config_value("gallery_intl_languages", {}, "html", dict)
    # where another language is, from the first page of this one; "": nowhere, None:
    # "../{language}/" if the output folder is named after the language, else nowhere
    app.add_config_value("gallery_intl_siblings", None, "html", (str, type(None)))
    # languages that are not built now, and where their pages are: {"ko": "html/ko"}
    app.add_config_value("gallery_intl_published", {}, "html", dict)
    # set by us: downloads name the address, and are made while pages are read
    app.add_config_value("gallery_intl_address", "", "env", str)
    # set by us: Sphinx reads all pages again when it changes
    app.add_config_value("gallery_intl_interface", "", "env", str)
    for language in (search.KoreanSearch, search.JapaneseSearch, search.ChineseSearch):
        app.add_search_language(language)
    app.connect("config-inited", languages.configure)
    app.connect("config-inited", words.remember_interface)
    app.connect("builder-inited", words.collect_or_translate)
    app.connect("builder-inited", load_for_theme)
    app.connect("doctree-resolved", search.notice_page, priority=order.INDEX_PAGE)
    app.connect("html-page-context", languages.add_links)
    app.connect("html-page-context", words.site_title)
    app.connect("build-finished", direction.direct_pages)
    app.connect("build-finished", words.translate_scripts)
    app.add_css_file("gallery_intl.css")
    app.add_js_file("gallery_intl.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
