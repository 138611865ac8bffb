"""Make the lessons one book: the path through them, their words, their names."""

from __future__ import annotations

from sphinx.application import Sphinx

from gallery_site.book import names, path, words


def setup(app: Sphinx) -> None:
    # the file with the terms that a page explains, and to which lessons lead; or none
    app.add_config_value("gallery_site_glossary", "", "env", str)

    app.add_node(names.listed_names)
    app.add_directive("names-used", names.NamesUsed)
    app.add_directive("words", words.Words)
    app.connect("doctree-read", names.remember)
    app.connect("env-updated", names.outdated)
    app.connect("env-updated", path.forget)
    app.connect("gallery-complete-page", names.fill)
    app.connect("gallery-complete-page", path.show)
    app.connect("gallery-complete-page", words.link, priority=600)
