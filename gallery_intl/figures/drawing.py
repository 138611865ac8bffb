"""Draw the gallery's figures as SVG with words as text, in one style, and alt texts.

conf.py names `gallery_intl.figures.scraper` and `gallery_intl.figures.reset`. The
scripts know nothing of them: who runs one alone gets Matplotlib's own style.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx_gallery.scrapers import (  # type: ignore[import-untyped]
    matplotlib_scraper,
)

from gallery_intl.figures import svg


def save(
    block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any], **kwargs: Any
) -> str:
    """Save the open figures as SVG, each with its label as alt text."""
    import matplotlib.pyplot as plt

    paths = block_vars["image_path_iterator"].paths
    before = len(paths)
    labels = [plt.figure(number).get_label() for number in plt.get_fignums()]
    rst: str = matplotlib_scraper(
        block, block_vars, gallery_conf, **kwargs, format="svg"
    )
    for path, label in zip(paths[before:], labels, strict=True):
        figure = Path(path).with_suffix(".svg")
        if figure.is_file():  # an animation has none
            text = svg.finish(figure.read_text(encoding="utf-8"))
            figure.write_text(text, encoding="utf-8", newline="\n")
            _remove_stale_png(figure)
        rst = with_alt(rst, figure.name, str(label))
    return rst


def _remove_stale_png(figure: Path) -> None:
    """Remove the PNG of an earlier run: Sphinx-Gallery would prefer it."""
    thumb = re.sub(r"_\d+$", "_thumb", figure.stem)
    figure.with_suffix(".png").unlink(missing_ok=True)
    figure.with_name("thumb").joinpath(f"{thumb}.png").unlink(missing_ok=True)


def with_alt(rst: str, name: str, alt: str) -> str:
    """Set the alt text of one file in the reST that shows it; "" changes nothing."""
    alt = " ".join(alt.split())
    pattern = rf"({re.escape(name)}\n\s+:alt: ).*"
    return re.sub(pattern, lambda found: found[1] + alt, rst) if alt else rst
