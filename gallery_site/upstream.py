"""What Sphinx (9.0), Sphinx-Gallery (0.22) and the theme (0.24) write into pages.

A shape that is none any more fails in `tests/build/test_upstream_site.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from sphinx.application import Sphinx

# The theme's function in the templates that makes a sidebar.
SIDEBAR = "generate_toctree_html"

# The theme sets the colour mode before anything is painted and puts the cursor into the
# search field; it and Sphinx-Gallery set options of Sphinx's scripts; the light site
# has all of these in its pages.
KNOWN = re.compile(
    r"""\s*(?:
    (?:document\.documentElement\.dataset\.(?:mode|theme)
      \ =\ localStorage\.getItem\("(?:mode|theme)"\)\ \|\|\ "\w*";\s*)+
    | DOCUMENTATION_OPTIONS\.\w+\ =\ (?:'[^'\\<>]*'|\w+);\s*
    | const\ DOCUMENTATION_OPTIONS\ =\ \{
      (?:\s*\w+:\ (?:'[^'\\<>]*'|\w+),)*\s*\};?\s*
    | //\ Activate\ the\ search\ field\ on\ page\ load
      \s*let\ searchInput\ =\ document\.querySelector\("form\.bd-search\ input"\);
      \s*if\ \(searchInput\)\ \{\s*searchInput\.focus\(\);\s*searchInput\.select\(\);
      \s*console\.log\("[^"\\<>]*"\);\s*\}\s*
    )""",
    re.VERBOSE,
)
# What the theme hides from readers without scripts; `gallery_intl.css` says the same.
STYLE = re.compile(r"<noscript>\s*<style>[^<]*</style>\s*</noscript>\s*")
# Sphinx's way to hand its words to its scripts, which evaluates a text as a program.
EVALUATED = re.compile(r"Documentation\.addTranslations\((\{.*?^\})\);", re.S | re.M)


def section_of(app: Sphinx, pagename: str) -> str | None:
    """Return the page of the section that a page is in, as the theme finds it."""
    from pydata_sphinx_theme.toctree import _get_ancestor_pagename

    section: str | None = _get_ancestor_pagename(app, pagename, 1)[0]
    return section


def sidebar_of(app: Sphinx, section: str, options: dict[str, Any]) -> BeautifulSoup:
    """Let the theme make the sidebar of a section's own page.

    It is ours to change: the theme keeps only those that hold their page's own entry.
    """
    from pydata_sphinx_theme.toctree import add_toctree_functions

    context: dict[str, Callable[..., Any]] = {}
    add_toctree_functions(app, section, "", context, None)
    soup: BeautifulSoup = context[SIDEBAR]("sidebar", **options)
    return soup


def forget_sidebars(app: Sphinx) -> None:
    """Let the theme make its sidebars anew: it remembers them for an app's life."""
    vars(app).pop("_pst_sidebar_toctree_cache", None)
