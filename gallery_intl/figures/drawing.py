"""Draw the gallery's figures as SVG with words as text, in one style, and alt texts.

conf.py names `gallery_intl.figures.scraper` and `gallery_intl.figures.reset`. The
scripts know nothing of them: who runs one alone gets Matplotlib's own style.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gallery_intl.figures import svg, upstream


def save(
    block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any], **kwargs: Any
) -> str:
    """Save the open figures as SVG, each with its label as alt text; return reST."""
    import matplotlib.pyplot as plt

    paths = block_vars["image_path_iterator"].paths
    before = len(paths)
    labels = [plt.figure(number).get_label() for number in plt.get_fignums()]
    rst: str = upstream.matplotlib_scraper(
        block, block_vars, gallery_conf, **kwargs, format="svg"
    )
    for path, label in zip(paths[before:], labels, strict=True):
        figure = Path(path).with_suffix(".svg")
        if figure.is_file():  # an animation has none
            text = svg.finish(figure.read_text(encoding="utf-8"))
            figure.write_text(text, encoding="utf-8", newline="\n")
            upstream.remove_stale_png(figure)
        rst = upstream.with_alt(rst, figure.name, str(label))
    return rst
