"""What the interface takes from others: the installed ones still do it so."""

from __future__ import annotations

import gettext
from pathlib import Path

import pydata_sphinx_theme
import sphinx
import sphinx_copybutton
from babel.messages.pofile import read_po

from gallery_intl.interface import menu, theme, upstream
from gallery_intl.interface.words import messages_of_sphinx

STATIC = Path(sphinx.__file__).parent / "themes" / "basic" / "static"
BUTTON = Path(sphinx_copybutton.__file__).parent / "_static" / "copybutton.js_t"
THEME = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme"


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
    # gallery_intl.js changes these
    for name in (
        "const messages = {",
        "let locale = ",
        "let iconCheck = ",
        "let iconCopy ",
    ):
        assert script.count(name) == 1
    for key in ("copy_success", "copy_to_clipboard"):
        assert f"<title>${{messages[locale]['{key}']}}</title>" in script
    assert "data-tooltip=\"${messages[locale]['copy']}\"" in script


def test_a_script_keeps_its_own_strings_until_there_are_ours() -> None:
    assert upstream.copy_strings(str) == {}
    assert not upstream.search_ends(str)["ours"]
    assert upstream.copy_strings(str.upper)["copy_success"] == "COPIED!"
    assert upstream.search_ends(str.upper)["ours"]


def test_the_theme_has_a_prompt_and_a_list_for_the_menu() -> None:
    templates = "".join(path.read_text("utf-8") for path in THEME.rglob("*.html"))

    for name in (f"theme_{theme.PROMPT}", *menu.HEADERS):
        assert name in templates
