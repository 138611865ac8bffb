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


def setup(app: Sphinx) -> ExtensionMetadata:
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
    app.add_css_file("figures.css")
    app.add_css_file("gallery_intl.css")
    app.add_js_file("gallery_intl.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
