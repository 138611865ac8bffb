"""Figures: drawn once, with words in each language."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what needs no Sphinx imports this package too
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


STYLE = Path(__file__).parents[1] / "static" / "figures.css"


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


def setup(app: Sphinx) -> ExtensionMetadata:
    app.setup_extension("sphinx_gallery.gen_gallery")
    app.add_css_file(STYLE.name)
    app.connect("builder-inited", add_style)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def add_style(app: Sphinx) -> None:
    # not appended: the list may be Sphinx's default, which all applications share
    app.config.html_static_path = [*app.config.html_static_path, str(STYLE)]
