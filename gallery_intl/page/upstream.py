"""What Sphinx-Gallery writes into a page, as it was seen in version 0.22.1.

None of it is documented. `tests/test_upstream_page.py` asks the installed version
whether it still writes each of these.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx_gallery.py_source_parser import (  # type: ignore[import-untyped]
    IGNORE_BLOCK_PATTERN,
    remove_config_comments,
    remove_ignore_blocks,
)

# Before each block stands a comment with its first and last line in the script,
# before the docstring a label, and before the footer another.
GENERATED = re.compile(r"(?:\.\. )?GENERATED FROM PYTHON SOURCE LINES (\d+)-(\d+)")
LABEL = ".. _sphx_glr_"
FOOTER_LABEL = ".. _sphx_glr_download_"


def shown(code: str, settings: dict[str, Any]) -> str:
    """Return what a page shows of a code block, as docutils gives it back."""
    code = remove_ignore_blocks(code)
    if settings.get("remove_config_comments"):
        code = remove_config_comments(code)
    lines = (f"    {line}".expandtabs(8)[4:].rstrip() for line in code.split("\n"))
    return "\n".join(lines).strip("\n")


def without_ignored(code: str) -> str:
    """Return a code block with empty lines in place of those that no page shows."""
    return str(IGNORE_BLOCK_PATTERN.sub(lambda x: "\n" * x[0].count("\n"), code))
