"""What the interface takes from others: the installed ones still do it so."""

from __future__ import annotations

import gettext
import inspect
import re
from pathlib import Path

import pydata_sphinx_theme
import pytest
import sphinx
import sphinx_copybutton
from babel.messages.pofile import read_po
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.search import IndexBuilder, js_index
from sphinx.testing.util import SphinxTestApp

from gallery_intl.interface import search, upstream

STATIC = Path(sphinx.__file__).parent / "themes" / "basic" / "static"
BUTTON = Path(sphinx_copybutton.__file__).parent / "_static" / "copybutton.js_t"
THEME = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme"
OUR_SEARCH = Path(search.__file__).with_suffix(".js").read_text(encoding="utf-8")


def test_sphinx_has_its_words_where_they_are_looked_for() -> None:
    with (upstream.SPHINX_LOCALE / "sphinx.pot").open(encoding="utf-8") as file:
        places = {place for message in read_po(file) for place, _ in message.locations}
    french = gettext.translation("sphinx", upstream.SPHINX_LOCALE, ["fr"])

    assert french.gettext("Search") == "Recherche"
    for place in upstream.SHOWN_BY_SPHINX:
        assert any(known.startswith(place) for known in places), place


def test_a_search_ends_with_these_words() -> None:
    script = (STATIC / "searchtools.js").read_text(encoding="utf-8")
    doctools = (STATIC / "doctools.js").read_text(encoding="utf-8")

    for text in upstream.SEARCH_ENDS:
        assert f'"{text}"' in script
    assert "Documentation.ngettext(" in script
    for name in ("TRANSLATIONS", "PLURAL_EXPR"):
        assert f"  {name}: " in doctools


def test_the_copy_button_has_these_words_in_a_table() -> None:
    script = BUTTON.read_text(encoding="utf-8")

    for key, text in upstream.COPY_BUTTON.items():
        assert f"'{key}': '{text}'" in script
    translated = upstream.with_copy_words(script, lambda text: text.upper())
    before, line, after = translated.partition("let locale = 'en'")
    assert '"copy": "COPY"' in before.splitlines()[-1]
    assert before.splitlines()[-1].startswith("messages[document.documentElement.lang]")
    assert line
    assert "messages[document.documentElement.lang] !== undefined" in after


def test_the_theme_names_its_modes_so_and_has_a_prompt() -> None:
    sheets = [path.read_text("utf-8") for path in (THEME / "static").rglob("*.css")]
    templates = [path.read_text("utf-8") for path in THEME.rglob("*.html")]

    modes = {mode for css in sheets for mode in upstream.MODE.findall(css)}
    assert modes == {"light", "dark"}
    assert any("theme_search_bar_text" in template for template in templates)


def test_our_search_replaces_what_sphinxs_has() -> None:
    script = (STATIC / "searchtools.js").read_text(encoding="utf-8")

    methods = set(re.findall(r"^Search\.(\w+) = ", OUR_SEARCH, re.MULTILINE))
    assert methods == {"performTermsSearch", "makeSearchSummary"}
    for method in methods:
        assert re.search(rf"^  {method}: \(", script, re.MULTILINE), method
    assert 'typeof splitQuery === "undefined"' in script
    for name in ("Scorer.title", "SearchResultKind.text", "SHOW_SEARCH_SUMMARY"):
        assert name in script
        assert name in OUR_SEARCH
    # [docname, title, anchor, descr, score, filename, kind]
    assert "[docname, title, anchor, descr, score, filename, kind]" in script


@pytest.mark.sphinx("html", testroot="components")
def test_an_index_has_the_parts_that_our_search_reads(app: SphinxTestApp) -> None:
    app.build()

    with (app.outdir / "searchindex.js").open(encoding="utf-8") as file:
        index = js_index.load(file)

    read = set(re.findall(r"Search\._index\.(\w+)", OUR_SEARCH))
    for names in re.findall(r"const \{ (.*) \} = Search\._index", OUR_SEARCH):
        read |= set(names.split(", "))
    assert read == {
        "alltitles",
        "docnames",
        "filenames",
        "terms",
        "titles",
        "titleterms",
    }
    assert read <= set(index)


def test_a_page_is_indexed_after_it_was_resolved() -> None:
    """By then `notice_page` has seen it; ``indexer.lang`` is our splitter."""
    write = inspect.getsource(StandaloneHTMLBuilder.write_doc_serialized)

    assert "self.index_page(" in write
    assert "self.lang: SearchLanguage" in inspect.getsource(IndexBuilder)
    assert "self.indexer.feed(" in inspect.getsource(StandaloneHTMLBuilder.index_page)
