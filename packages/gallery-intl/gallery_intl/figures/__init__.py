"""Figures: drawn once, with words in each language."""

from pathlib import Path
from typing import Any


def scraper(
    block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any], **kwargs: Any
) -> str:
    """Save the open figures as SVG, each with its label as alt text; return reST.

    conf.py names it in ``image_scrapers``.
    """
    import matplotlib.pyplot as plt

    from gallery_intl.figures import style, svg, upstream

    paths = block_vars["image_path_iterator"].paths
    before = len(paths)
    labels = [plt.figure(number).get_label() for number in plt.get_fignums()]
    rst: str = upstream.matplotlib_scraper(
        block, block_vars, gallery_conf, **kwargs, format="svg"
    )
    for path, label in zip(paths[before:], labels, strict=True):
        figure = Path(path).with_suffix(".svg")
        if figure.is_file():  # an animation has none
            text = figure.read_text(encoding="utf-8")
            text = svg.finish(text, is_styled=style.is_used())
            figure.write_text(text, encoding="utf-8", newline="\n")
            upstream.remove_stale_png(figure)
        rst = upstream.with_alt(rst, figure.name, str(label))
    return rst


def reset(gallery_conf: dict[str, Any], fname: str | None) -> None:
    """Let the next script's figures have text that can be translated, and no new look.

    conf.py names it in ``reset_modules``, after "matplotlib", which resets all.
    """
    import matplotlib

    from gallery_intl.figures import style

    matplotlib.rcParams.update(style.AS_TEXT)  # type: ignore[arg-type]


def reset_with_style(gallery_conf: dict[str, Any], fname: str | None) -> None:
    """Also set the style of this package, with colours for light and dark mode."""
    from gallery_intl.figures import style

    style.use()
