"""What is known of the scripts of Sphinx (9.0), the theme (0.24) and extensions.

`tests/build/test_upstream_site.py` asks whether it is still so.
"""

from __future__ import annotations

import re

SEARCH = ('id="search-results"', "search_as_you_type = true")
# Scripts that theme and extensions load everywhere; a sign of a page that needs them.
USED_FOR = {
    "searchtools.js": SEARCH,
    "language_data.js": SEARCH,
    "searchindex.js": SEARCH,
    "fontawesome.js": ["fa-custom"],
    "sg-tags.js": ["sphx-glr-tag"],
    "design-tabs.js": ["sd-tab-set"],
}
# What scripts inside the page read on its way: this cannot wait.
INLINED = "documentation_options.js"
# Scripts that waited for the page begin their work at once: their words come first.
FIRST = ("doctools.js", "translations.js")
# "bs-" in `bs-${name}` or "bs-" + name: a script makes names of classes with it
BEGINNING = re.compile(r"""([A-Za-z][\w-]*-)(?=["'`]|\$\{)""")
