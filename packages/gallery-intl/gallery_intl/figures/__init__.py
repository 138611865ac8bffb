"""Figures: drawn once, with words in each language."""

from pathlib import Path
from typing import Any


def scraper(
    block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any], **kwargs: Any
) -> str:
    """Save the open figures as SVG, each with its label as alt text; return reST.

    conf.py names it in ``image_scrapers``. A script that is run alone knows nothing of
    it, nor of the style.
    """
    import matplotlib.pyplot as plt

    from gallery_intl.figures import svg, upstream

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


def reset(gallery_conf: dict[str, Any], fname: str | None) -> None:
    """Set the style of the next script's figures; conf.py names it.

    In ``reset_modules`` it stands after "matplotlib", which takes every style away.
    """
    from gallery_intl.figures import style

    style.use()
