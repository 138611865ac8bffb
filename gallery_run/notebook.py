"""Begin a page's notebook with cells: install what is missing, start its ranks."""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.locale import _

from gallery_intl.downloads.notebook import Cell
from gallery_intl.script.source import packages
from gallery_intl.text.wrapping import wrap
from gallery_run.needs import world_size

# A service that runs notebooks has a torch that fits its GPUs, and a reader may have
# one: what can be imported is never installed again.
INSTALL = """\
from importlib.util import find_spec

missing = [name for name in {names} if not find_spec(name)]
if missing:
    %pip install --quiet {{" ".join(missing)}}"""
# The engines inherit what torchrun would set, and get their numbers one by one.
# ipyparallel's messages are off, and its progress bars appear after a day: a notebook
# that was run shows what the page shows. Switched off with -1, they take with them the
# wait for the last of the output.
START_RANKS = """\
import os

import ipyparallel

port, = ipyparallel.util.select_random_ports(1)
os.environ.update(WORLD_SIZE="{size}", LOCAL_WORLD_SIZE="{size}", OMP_NUM_THREADS="1",
                  MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
cluster = ipyparallel.Cluster(n={size}, log_level=30)
ranks = cluster.start_and_connect_sync(activate=True)[:]
ranks.scatter("rank", range({size}), flatten=True)
%pxconfig --progress-after 86400
%px import os; os.environ["RANK"] = os.environ["LOCAL_RANK"] = str(rank)
%autopx"""


def install_missing(app: Sphinx, script: str) -> list[Cell]:
    """Return the cell that installs what a page's notebook needs."""
    names = [*packages(script), *(["ipyparallel"] if world_size(script) else [])]
    if not names:
        return []
    about = _("Install what is missing. What is already here stays as it is.")
    source = INSTALL.format(names=repr(names).replace("'", '"'))
    return [Cell("code", "\n".join([*wrap(about, "# ", "# "), source]), "install")]


def ranks_cell(size: int, about: list[str]) -> Cell:
    """Return the cell that starts ``size`` ranks; ``about`` says what it does."""
    comments = [line for text in about for line in wrap(text, "# ", "# ")]
    source = "\n".join([*comments, START_RANKS.format(size=size)])
    return Cell("code", source, "ranks")


def start_ranks(app: Sphinx, script: str) -> list[Cell]:
    """Return the cell that a page with ranks begins its program with; else none."""
    size = world_size(script)
    if size is None:
        return []
    about = [
        _("This page runs in %d processes at once. This cell starts them.") % size,
        _("From here on, %autopx sends each cell to all of them."),
    ]
    return [ranks_cell(size, about)]
