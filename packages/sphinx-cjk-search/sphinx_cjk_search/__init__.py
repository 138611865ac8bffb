"""Search a Sphinx site in English, Korean, Japanese and Chinese, section by section."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.search import SearchLanguage
from sphinx.util.typing import ExtensionMetadata

from sphinx_cjk_search import index

__version__ = "0.1.0"

PACKAGE = Path(__file__).parent


def add_settings(app: Sphinx) -> None:
    # CSV: the terms of the pages in each language, and what readers type for them
    app.add_config_value("cjk_search_synonyms", "", "html", str)
    # CSV: what readers type for a page, in each language
    app.add_config_value("cjk_search_queries", "", "html", str)
    # pages that come after all others, such as "about"; * matches any characters
    app.add_config_value("cjk_search_last", [], "html", list)
    # text below the results when no page has all words: what the site does not cover
    app.add_config_value("cjk_search_missing", "", "html", str)
    # words in titles that no line break may cut: {"ja": ["方法"]}
    app.add_config_value("cjk_search_unbroken", {}, "html", dict)


def add_files(app: Sphinx) -> None:
    """Add our scripts; one of them takes the place of Sphinx's ``searchtools.js``."""
    if not index.language_of(app) or not getattr(app.builder, "search", False):
        return
    # a new list: the old one may be Sphinx's default, which all applications share
    folder = str(PACKAGE / "static")
    app.config.html_static_path = [*app.config.html_static_path, folder]
    app.add_css_file("cjk-search.css")
    for name in ("cjk-search-marks.js", "cjk-search-dialog.js"):
        app.add_js_file(name, loading_method="defer")


def without_scripts(code: str) -> type[SearchLanguage]:
    """Keep Sphinx's scripts for a language out; the Chinese one raises an error."""
    return type("WithoutScripts", (SearchLanguage,), {"lang": code})


def setup(app: Sphinx) -> ExtensionMetadata:
    add_settings(app)
    app.add_message_catalog(index.CATALOG, str(PACKAGE / "locale"))
    app.add_domain(index.SearchDomain)
    for code in ("ja", "ko", "zh"):
        app.add_search_language(without_scripts(code))
    app.connect("builder-inited", add_files)
    app.connect("doctree-read", index.read_page)
    app.connect("build-finished", index.write_index)
    return {
        "version": __version__,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
