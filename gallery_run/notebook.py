"""Begin the notebook of a page that has ranks with the cell that starts them."""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.locale import _

from gallery_intl.downloads.notebook import Cell
from gallery_intl.text.wrapping import wrap
from gallery_run.needs import world_size

# The engines get what torchrun gives to its processes. ipyparallel's messages are off,
# and its progress bars appear after a day: a notebook that was run shows what the page
# shows. Switched off with -1, they take with them the wait for the last of the output.
START_RANKS = """\
import socket

import ipyparallel

cluster = ipyparallel.Cluster(n={size}, log_level=30)
cluster.start_cluster_sync()
client = cluster.connect_client_sync()
client.wait_for_engines({size}, interactive=False)
ranks = client[:]
ranks.activate()


def become(rank, port):
    import os

    os.environ.update(
        RANK=str(rank),
        LOCAL_RANK=str(rank),
        WORLD_SIZE="{size}",
        LOCAL_WORLD_SIZE="{size}",
        MASTER_ADDR="127.0.0.1",
        MASTER_PORT=str(port),
        OMP_NUM_THREADS="1",
    )


with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
ranks.map_sync(become, range({size}), [port] * {size})
%pxconfig --block --progress-after 86400
%autopx"""


def ranks_cell(size: int, about: list[str]) -> Cell:
    """Return the cell that starts ``size`` ranks; ``about`` says what it does."""
    comments = [line for text in about for line in wrap(text, "# ", "# ")]
    source = "\n".join([*comments, START_RANKS.format(size=size)])
    return Cell("code", source, "ranks")


def start_ranks(app: Sphinx, script: str) -> list[Cell]:
    """Return the cell that a page's notebook begins with; none for a plain program."""
    size = world_size(script)
    if size is None:
        return []
    about = [
        _("This page runs in %d processes at once. This cell starts them.") % size,
        _("From here on, %autopx sends each cell to all of them."),
        _("It needs the package ipyparallel: pip install ipyparallel"),
    ]
    return [ranks_cell(size, about)]
