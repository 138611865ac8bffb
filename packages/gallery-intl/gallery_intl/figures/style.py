"""Give Matplotlib's figures one style that a page can translate and darken.

It knows neither Sphinx nor Sphinx-Gallery: the machine where a page is recorded may
have neither of them.
"""

from typing import Any

from gallery_intl.figures import svg

DRAWN_IN_INK = (
    *("text.color", "axes.edgecolor", "axes.labelcolor", "patch.edgecolor"),
    *("xtick.color", "ytick.color", "boxplot.boxprops.color"),
    *("boxplot.capprops.color", "boxplot.whiskerprops.color"),
    *("boxplot.flierprops.color", "boxplot.flierprops.markeredgecolor"),
)
AS_TEXT: dict[str, Any] = {"svg.fonttype": "none", "svg.hashsalt": "gallery"}
RC_PARAMS: dict[str, Any] = {
    **AS_TEXT,
    "figure.figsize": (7, 3),
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.h_pad": 0.08,  # inches: CJK letters are high
    "figure.constrained_layout.w_pad": 0.08,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "font.size": 13,
    "axes.titlesize": 14,
    "xtick.labelsize": 12,
    "ytick.labelsize": 12,
    "legend.fontsize": 12,
    "legend.frameon": False,  # longer words would run over a frame
    "lines.linewidth": 2,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "hatch.color": svg.PAPER,
    "grid.color": svg.RULE,
    **dict.fromkeys(DRAWN_IN_INK, svg.INK),
}


def use() -> None:
    """Let what is drawn from now on have the style."""
    import matplotlib
    from cycler import cycler

    matplotlib.rcParams.update(RC_PARAMS)  # type: ignore[arg-type]
    matplotlib.rcParams["axes.prop_cycle"] = cycler(color=list(svg.CYCLE))


def is_used() -> bool:
    import matplotlib

    return bool(matplotlib.rcParams["text.color"] == svg.INK)
