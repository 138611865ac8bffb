"""What the interface takes from others that they do not promise.

Seen in Sphinx 9.0.4, sphinx-copybutton 0.5.2 and pydata-sphinx-theme 0.24.0.
`tests/test_interface.py` asks the installed ones whether it is still so.
"""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sphinx
import sphinx_gallery  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.theming import HTMLThemeFactory

# Sphinx's own catalogs, and the template of all its words.
SPHINX_LOCALE = Path(sphinx.__file__).parent / "locale"
# Modules that say something on HTML pages; its templates and scripts do so, too, but
# those of another builder, and one that no builder uses.
MODULES_OF_SPHINX = ("locale/__init__.py", "writers/html5.py")
UNSEEN = ("themes/basic/changes/", "themes/basic/defindex")
# Strings of Sphinx's scripts, whose table has "" for some languages (vi).
SCRIPT_WORDS = (
    "Search Results",
    "Your search did not match any documents. Please make sure that all words are"
    " spelled correctly and that you've selected enough categories.",
    "Searching",
    "Preparing search...",
    ", in ",
    "Hide Search Matches",
)
# The one plural that Sphinx shows: what a search ends with. Its catalogs lack it.
SEARCH_ENDS = (
    "Search finished, found one page matching the search query.",
    "Search finished, found ${resultCount} pages matching the search query.",
)
# The copy button has a table of some languages in its script, and no gettext.
COPY_BUTTON = {
    "copy": "Copy",
    "copy_to_clipboard": "Copy to clipboard",
    "copy_success": "Copied!",
    "copy_failure": "Failed to copy",
}
# Templates that Sphinx-Gallery offers themes; one of ours stands before its own.
COMPONENTS = [str(Path(sphinx_gallery.__file__).parent / "components")]


Translate = Callable[[str], str]


def theme_factory(app: Sphinx) -> HTMLThemeFactory:
    """Return what loads themes: Sphinx 8.2 makes it of the application alone."""
    known: dict[str, Any] = {
        "app": app,
        "confdir": app.confdir,
        "config": app.config,
        "registry": app.registry,
    }
    asked = inspect.signature(HTMLThemeFactory).parameters
    return HTMLThemeFactory(**{x: known[x] for x in known if x in asked})


def search_strings(translate: Translate) -> dict[str, str]:
    """Return the strings that Sphinx's scripts look up, in this language."""
    return {text: translate(text) for text in SCRIPT_WORDS}


def search_ends(translate: Translate) -> dict[str, Any]:
    """Return the plural that a search ends with; ``ours``: it has a translation.

    Sphinx has it in a few languages (fr), else empty or not at all.
    """
    texts = [translate(text) for text in SEARCH_ENDS]
    return {
        "message": SEARCH_ENDS[0],
        "texts": texts,
        "ours": texts[0] != SEARCH_ENDS[0],
    }


def copy_strings(translate: Translate) -> dict[str, str]:
    """Return the translated strings of the copy button, by their names in its script.

    It keeps its own for the others, which it has in some languages (ru).
    """
    texts = {key: translate(text) for key, text in COPY_BUTTON.items()}
    return {key: text for key, text in texts.items() if text != COPY_BUTTON[key]}
