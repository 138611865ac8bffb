"""What the interface takes from others that they do not promise.

Seen in Sphinx 9.0.4, sphinx-copybutton 0.5.2 and pydata-sphinx-theme 0.24.0; what
`search.js` replaces of Sphinx's searchtools.js is named there.
`tests/build/test_upstream_interface.py` asks the installed ones whether it is still so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import sphinx

# Sphinx's own catalogs, and the template of all its words.
SPHINX_LOCALE = Path(sphinx.__file__).parent / "locale"
# Modules that say something on HTML pages; its templates and scripts do so, too, but
# those of another builder, and one that no builder uses.
MODULES_OF_SPHINX = ("locale/__init__.py", "writers/html5.py")
UNSEEN = ("themes/basic/changes/", "themes/basic/defindex")
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
# The theme's rules for one colour mode; until a script has run the mode is "auto".
MODE = re.compile(r"""\[data-theme=["']?(light|dark)["']?\]""")


def with_search_words(script: str, translate: Callable[[str], str]) -> str:
    """Return Sphinx's ``translations.js`` with the words for a search's end.

    Sphinx has them in a few languages (fr), in the others empty or not at all.
    """
    key = json.dumps(SEARCH_ENDS[0])
    words = json.dumps([translate(text) for text in SEARCH_ENDS])
    is_ours = "true" if translate(SEARCH_ENDS[0]) != SEARCH_ENDS[0] else "false"
    added = (
        f"if ({is_ours} || !Documentation.TRANSLATIONS[{key}]?.[0]) {{\n"
        f"  Object.assign(Documentation.TRANSLATIONS, {{{key}: {words}}});\n"
        "  Documentation.PLURAL_EXPR = (n) => (n === 1 ? 0 : 1);\n"
        "}\n"
    )
    return script if added in script else f"{script}\n{added}"


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
