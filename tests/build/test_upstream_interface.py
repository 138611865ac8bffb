"""What the interface takes from others: the installed ones still do it so."""

from __future__ import annotations

import gettext
import re
from pathlib import Path

import pydata_sphinx_theme
import pytest
import sphinx
import sphinx_copybutton
from babel.messages.pofile import read_po
from sphinx.search import js_index
from sphinx.testing.util import SphinxTestApp

from gallery_intl.interface import menu, search, search_index, theme, upstream
from gallery_intl.interface.words import messages_of_sphinx

STATIC = Path(sphinx.__file__).parent / "themes" / "basic" / "static"
BUTTON = Path(sphinx_copybutton.__file__).parent / "_static" / "copybutton.js_t"
THEME = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme"
OUR_SEARCH = "\n".join(search.SCRIPTS)


def test_sphinx_has_its_words_where_they_are_looked_for() -> None:
    with (upstream.SPHINX_LOCALE / "sphinx.pot").open(encoding="utf-8") as file:
        places = {place for message in read_po(file) for place, _ in message.locations}
    french = gettext.translation("sphinx", upstream.SPHINX_LOCALE, ["fr"])

    assert french.gettext("Search") == "Recherche"
    for place in ("themes/basic/", *upstream.MODULES_OF_SPHINX, *upstream.UNSEEN):
        assert any(known.startswith(place) for known in places), place


def test_a_search_ends_with_these_words() -> None:
    script = (STATIC / "searchtools.js").read_text(encoding="utf-8")
    doctools = (STATIC / "doctools.js").read_text(encoding="utf-8")

    for text in upstream.SEARCH_ENDS:
        assert f'"{text}"' in script
    scripts = {text for text, where in messages_of_sphinx() if where.endswith(".js")}
    assert scripts == {*upstream.SCRIPT_WORDS}
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


def test_the_theme_has_a_prompt_and_a_list_for_the_menu() -> None:
    templates = "".join(path.read_text("utf-8") for path in THEME.rglob("*.html"))

    for name in (f"theme_{theme.PROMPT}", *menu.HEADERS):
        assert name in templates


def test_our_search_replaces_what_sphinxs_has() -> None:
    script = (STATIC / "searchtools.js").read_text(encoding="utf-8")

    methods = set(re.findall(r"^Search\.(\w+) = ", OUR_SEARCH, re.MULTILINE))
    assert methods == {"find", "query"}  # the first is ours
    for method in ("query", "performObjectSearch", "stopPulse"):
        assert re.search(rf"^  {method}: \(", script, re.MULTILINE), method
        assert f"Search.{method}" in OUR_SEARCH
    for name in ("Search.title", "Search.status", "Search.output"):
        assert f"{name} = out.appendChild(" in script
        assert name in OUR_SEARCH
    assert "else Search.deferQuery(query)" in script  # until the index is there
    assert "SHOW_SEARCH_SUMMARY" in script
    # [docname, title, anchor, descr, score, filename, kind]
    assert "[docname, title, anchor, descr, score, filename, kind]" in script


@pytest.mark.sphinx("html", testroot="components")
def test_an_index_has_the_parts_that_our_search_reads(app: SphinxTestApp) -> None:
    app.config.html_search_language = "ko"
    for name in ("last", "missing"):
        app.add_config_value(f"gallery_intl_search_{name}", "", "")
    app.add_config_value("gallery_intl_unbroken", {"en": ["ways"]}, "")
    app.add_search_language(search.KoreanSearch)
    app.add_env_collector(search_index.Collector)
    app.connect("build-finished", search_index.write)

    app.build()

    with (app.outdir / "searchindex.js").open(encoding="utf-8") as file:
        index = js_index.load(file)

    used = set(re.findall(r"Search\._index\.(\w+)", OUR_SEARCH))
    assert used == {"ours", "docnames", "titles"}
    parts = {"pages", "words", "places", "said", "subject", "synonyms", "unbroken"}
    assert set(index["ours"]) == parts
    assert index["ours"]["unbroken"] == ["ways"]
    assert {at for at, *_ in index["ours"]["pages"]} == {*range(len(index["docnames"]))}
    known = search_index.known_pages(app)
    assert index["titles"] == [known[name][0].title for name in index["docnames"]]
    # what Sphinx reads when it goes on from an earlier build, and for objects
    for name in (
        "docnames",
        "filenames",
        "titles",
        "objects",
        "objnames",
        *search_index.REPLACED,
    ):
        assert name in index
    assert not any(index[name] for name in search_index.REPLACED)
