"""What figures take from Sphinx-Gallery that it does not promise, seen in 0.22.1.

`tests/build/test_upstream_figures.py` asks the installed one whether it is still so.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

# The directive of a figure: what it is given is read here, and shown in our way.
from sphinx_gallery.directives import (  # type: ignore[import-untyped]
    ImageSg as ImageSg,
)

# The node of a figure; it is no image to Sphinx, so its alt text is no message.
from sphinx_gallery.directives import (
    imgsgnode as imgsgnode,
)

# Figures get no event and no language: the scraper is called, then its files changed.
from sphinx_gallery.scrapers import (  # type: ignore[import-untyped]
    matplotlib_scraper as matplotlib_scraper,
)

# Where the figures of a page lie, and that of its card: folder, and name of the page.
FIGURE = re.compile(r"(.+)/images/(?:thumb/)?sphx_glr_(.+)_(?:\d{3,}|thumb)\.svg")


def is_file_name(alt: str, uri: str) -> bool:
    """Return whether an alt text is only the name of the file: there was no title."""
    return re.sub("[-,_]", " ", PurePosixPath(uri).stem[9:-4]) == alt


def with_alt(rst: str, name: str, alt: str) -> str:
    """Set the alt text of one file in the reST that shows it; "" changes nothing."""
    alt = " ".join(alt.split())
    pattern = rf"({re.escape(name)}\n\s+:alt: ).*"
    return re.sub(pattern, lambda line: line[1] + alt, rst) if alt else rst


def remove_stale_png(figure: Path) -> None:
    """Remove the PNG of an earlier run: Sphinx-Gallery would prefer it."""
    thumb = re.sub(r"_\d+$", "_thumb", figure.stem)
    figure.with_suffix(".png").unlink(missing_ok=True)
    figure.with_name("thumb").joinpath(f"{thumb}.png").unlink(missing_ok=True)
