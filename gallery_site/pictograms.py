"""Draw pictograms: a page defines each once, and uses it by its name.

A picture of another file would not be found from ``file://``, and would not know the
page's colours. Beside words that say the same, it is hidden from screen readers.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

SPRITE = Path(__file__).parent / "templates" / "pictograms.svg"
SYMBOL = re.compile(r'<symbol id="p-([a-z]+)".*?</symbol>', re.DOTALL)
USE = """<svg class="pictogram" viewBox="0 0 96 64" aria-hidden="true">\
<use href="#p-%s"/></svg>"""
DEFINED = '<svg class="pictograms no-search" aria-hidden="true">%s</svg>'


@cache
def symbols() -> dict[str, str]:
    text = SPRITE.read_text(encoding="utf-8")
    return {match[1]: match[0] for match in SYMBOL.finditer(text)}


def pictogram(name: str, location: Any) -> nodes.container:
    """Return the use of a pictogram; warn of a name that is unknown."""
    place = nodes.container(classes=["card-picture"])
    if name in symbols():
        place += nodes.raw("", USE % name, format="html", pictogram=name)
    elif name:
        logger.warning(
            "no pictogram %r (there are: %s)",
            name,
            ", ".join(sorted(symbols())),
            type="gallery_site",
            subtype="pictogram",
            location=location,
        )
    return place


def define_used(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Define at the end of a page what it uses."""
    used = [raw.get("pictogram") for raw in document.findall(nodes.raw)]
    if names := [name for name in symbols() if name in used]:
        defined = "".join(symbols()[name] for name in names)
        document += nodes.raw("", DEFINED % defined, format="html")
