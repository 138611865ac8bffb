"""What Sphinx-Gallery writes into a page, as seen in its version 0.22.1.

It promises none of this, and a name that changed raises nothing: things are only not
found any more. So `tests/build/test_upstream_page.py` asks the installed version.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx_gallery.gen_gallery import (  # type: ignore[import-untyped]
    generate_gallery_rst,
)
from sphinx_gallery.py_source_parser import (  # type: ignore[import-untyped]
    IGNORE_BLOCK_PATTERN,
    remove_config_comments,
    remove_ignore_blocks,
)

try:
    from sphinx_gallery._doctree_links import (  # type: ignore[import-untyped]
        code_links_block,
    )
except ImportError:  # before 0.22 names in code are linked in the written pages

    class code_links_block(nodes.TextElement):  # type: ignore[no-redef]
        """Nothing writes this node."""


# Its listener that runs the scripts and writes their pages into the source folder.
GENERATOR = generate_gallery_rst

# The note above the title, that links to the end of the page. It is in an ``only``.
NOTE = "sphx-glr-download-link-note"
# The container at the end of a page, in an ``only`` too, and in it a box for each
# download, whose last class tells the kind: ``sphx-glr-download-python``. Beside the
# boxes stand the badges of Binder and JupyterLite, which are not ours.
FOOTER = "sphx-glr-footer"
BOX = "sphx-glr-download"
# What a code block printed, what it drew, and on whatever a page begins with.
OUTPUT = "sphx-glr-script-out"
FIGURE = "sphx-glr-single-img"
EXAMPLE_TITLE = "sphx-glr-example-title"
PREFIX = "sphx-glr"

# The comment before each block of a page, and the labels before its first text and
# before its footer, as lines of reST.
GENERATED = re.compile(r"\.\. GENERATED FROM PYTHON SOURCE LINES (\d+)-\d+")
LABEL = ".. _sphx_glr_"
FOOTER_LABEL = f"{LABEL}download_"


def block_line(comment: nodes.comment) -> int | None:
    """Return the script's line of the block that follows; None for another comment."""
    found = GENERATED.match(f".. {comment.astext()}")
    return int(found[1]) if found else None


def download_kind(box: nodes.Element) -> str:
    """Return what a box of the footer offers: ``python``, ``jupyter`` or ``zip``."""
    return str(box["classes"][-1]).removeprefix(f"{BOX}-")


def linked_code(document: nodes.document) -> Iterator[nodes.TextElement]:
    """Yield the blocks of code that are written with links, as page and not as text."""
    yield from document.findall(code_links_block)


def running_time(page: Path) -> float | None:
    """Return how many seconds a page's script took when it was last run."""
    try:
        text = page.with_name(f"{page.stem}.cost.json").read_text(encoding="utf-8")
        return float(json.loads(text)["time"])
    except (OSError, ValueError, KeyError):
        return None


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
