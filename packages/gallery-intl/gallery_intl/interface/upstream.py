"""What the interface takes from others that they do not promise.

Seen in Sphinx 9.0.4, sphinx-copybutton 0.5.2 and pydata-sphinx-theme 0.24.0.
`tests/build/test_upstream_interface.py` asks the installed ones whether it is still so.
"""

from __future__ import annotations

import inspect
import json
import re
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
# What Sphinx's scripts say: nothing, where its table of a language has "" (vi).
SCRIPT_WORDS = (
    "Search Results",
    "Your search did not match any documents. Please make sure that all words are"
    " spelled correctly and that you've selected enough categories.",
    "Searching",
    "Preparing search...",
    ", in ",
    "Hide Search Matches",
)
OURS = "\n// from sphinx.po\n"  # what follows is written anew by each build
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
# What the script says that filters examples by their tags.
TAG_WORDS = re.compile(r'(name|clear)(Element\.textContent = )"[^"]*";')


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


def with_search_words(script: str, translate: Callable[[str], str]) -> str:
    """Return Sphinx's ``translations.js`` with our words for its scripts.

    Those for a search's end it has in a few languages (fr), else empty or not at all.
    """
    texts = json.dumps({text: translate(text) for text in SCRIPT_WORDS})
    key = json.dumps(SEARCH_ENDS[0])
    words = json.dumps([translate(text) for text in SEARCH_ENDS])
    is_ours = "true" if translate(SEARCH_ENDS[0]) != SEARCH_ENDS[0] else "false"
    added = (
        f"Object.assign(Documentation.TRANSLATIONS, {texts});\n"
        f"if ({is_ours} || !Documentation.TRANSLATIONS[{key}]?.[0]) {{\n"
        f"  Object.assign(Documentation.TRANSLATIONS, {{{key}: {words}}});\n"
        "  Documentation.PLURAL_EXPR = (n) => (n === 1 ? 0 : 1);\n"
        "}\n"
    )
    return f"{script.partition(OURS)[0]}{OURS}{added}"


def with_tag_words(script: str, translate: Callable[[str], str]) -> str:
    """Return ``sg-tags.js`` with words of this language."""
    label = (translate("Tags: %s") % "").strip()
    words = {"name": f"🏷 {label}", "clear": translate("Clear")}

    def said(match: re.Match[str]) -> str:
        word = json.dumps(words[match[1]], ensure_ascii=False)
        return f"{match[1]}{match[2]}{word};"

    return TAG_WORDS.sub(said, script)


def with_copy_words(script: str, translate: Callable[[str], str]) -> str:
    """Return ``copybutton.js`` with words of this language.

    What nobody has translated is the button's own, which has some languages (ru).
    """
    own = "messages[document.documentElement.lang]"
    words = {key: translate(text) for key, text in COPY_BUTTON.items()}
    ours = {key: word for key, word in words.items() if word != COPY_BUTTON[key]}
    added = f"{own} = {{ ...messages.en, ...{own}, ...{json.dumps(ours)} }}\n"
    if added in script:
        return script
    return re.sub(r"(?m)^(?=let locale = 'en')", lambda _: added, script, count=1)
