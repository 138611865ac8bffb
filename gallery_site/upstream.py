"""What the theme (0.24) writes into its style sheets.

A shape that is none any more fails in `tests/build/test_upstream_site.py`.
"""

from __future__ import annotations

import re

# The theme's rules for one colour mode; until a script has run the mode is "auto".
MODE = re.compile(r"""\[data-theme=["']?(light|dark)["']?\]""")
