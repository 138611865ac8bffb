"""The words of menus and buttons, links between languages."""

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from gallery_intl.interface import (
    languages,
    lines,
    menu,
    theme,
    words,
)


def add_settings(app: Sphinx) -> None:
    # the languages of the site and their own names, as a menu shows them
    app.add_config_value("gallery_intl_languages", {}, "html", dict)
    # where another language is, from the first page of this one; "": nowhere, None:
    # "../{language}/" if the output folder is named after the language, else nowhere;
    # or of each its folder below one place, or its address: {"en": "", "ko": "ko"}
    app.add_config_value("gallery_intl_siblings", None, "html", (str, dict, type(None)))
    # languages that are not built now, and where their pages are: {"ko": "html/ko"}
    app.add_config_value("gallery_intl_published", {}, "html", dict)
    # set by us: downloads name the address, and are made while pages are read
    app.add_config_value("gallery_intl_address", "", "env", str)
    # set by us: Sphinx reads all pages again when it changes
    app.add_config_value("gallery_intl_interface", "", "env", str)
    # settings of other extensions whose text is shown on pages, to be translated
    app.add_config_value("gallery_intl_shown_settings", [], "", list)
    # whether titles break at their colon first, and Korean keeps brackets with words
    app.add_config_value("gallery_intl_lines", False, "html", bool)
    # with it, words of titles that browsers would cut: {"ja": ["方法"]}
    app.add_config_value("gallery_intl_unbroken", {}, "html", dict)


def setup(app: Sphinx) -> ExtensionMetadata:
    add_settings(app)
    app.connect("config-inited", languages.configure)
    app.connect("gallery-complete-page", lines.break_lines, priority=700)  # after cards
    app.connect("config-inited", words.load_words)
    app.connect("config-inited", words.remember_interface)
    app.connect("builder-inited", words.collect_or_translate)
    app.connect("builder-inited", theme.translate_prompt)
    # the theme reads its lists of templates at 500
    app.connect("html-page-context", languages.add_links, priority=400)
    app.connect("html-page-context", menu.show, priority=400)
    app.connect("html-page-context", words.site_title)
    app.add_css_file("gallery_intl.css")
    app.add_js_file("gallery_intl.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
