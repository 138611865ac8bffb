"""What figures take from Sphinx-Gallery that it does not promise, seen in 0.22.1.

`tests/build/test_upstream_figures.py` asks the installed one whether it is still so.
"""

import re
from pathlib import Path

# Figures get no event and no language: the scraper is called, then its files changed.
from sphinx_gallery.scrapers import (  # type: ignore[import-untyped]
    matplotlib_scraper as matplotlib_scraper,
)


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
