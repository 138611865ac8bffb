"""What Sphinx (9.0), Sphinx-Gallery (0.22) and the theme (0.24) write into pages.

A shape that is none any more fails in `tests/build/test_upstream_site.py`.
"""

from __future__ import annotations

import re

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
# The theme's rules for one colour mode; until a script has run the mode is "auto".
MODE = re.compile(r"""\[data-theme=["']?(light|dark)["']?\]""")
# What the theme hides from readers without scripts; `gallery_site.css` says the same.
STYLE = re.compile(r"<noscript>\s*<style>[^<]*</style>\s*</noscript>\s*")
# Sphinx's way to hand its words to its scripts, which evaluates a text as a program.
EVALUATED = re.compile(r"Documentation\.addTranslations\((\{.*?^\})\);", re.S | re.M)
