"""Write a notebook: its cells, and the cell that starts the ranks of its page."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from gallery_intl.text.wrapping import wrap

FORMAT = {"nbformat": 4, "nbformat_minor": 5}
KERNEL = {
    "kernelspec": {
        "display_name": "Python 3",
        "language": "python",
        "name": "python3",
    },
    "language_info": {"name": "python"},
}

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


class Cell(NamedTuple):
    """A cell of a notebook."""

    kind: str  # "markdown" or "code"
    source: str
    tag: str = ""


def ranks_cell(size: int, about: list[str]) -> Cell:
    """Give the cell that starts ``size`` ranks; ``about`` says what it does."""
    comments = [line for text in about for line in wrap(text, "# ", "# ")]
    source = "\n".join([*comments, START_RANKS.format(size=size)])
    return Cell("code", source, "ranks")


def notebook(cells: list[Cell]) -> str:
    """Give the file of a notebook without outputs; its ids count the cells."""
    written = [_cell(number, cell) for number, cell in enumerate(cells)]
    data = {"cells": written, "metadata": KERNEL, **FORMAT}
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def _cell(number: int, cell: Cell) -> dict[str, Any]:
    data: dict[str, Any] = {
        "cell_type": cell.kind,
        "id": f"cell-{number}",
        "metadata": {"tags": [cell.tag]} if cell.tag else {},
        "source": cell.source.splitlines(keepends=True),
    }
    if cell.kind == "code":
        data |= {"execution_count": None, "outputs": []}
    return data


def program(cells: list[Cell]) -> str:
    """Join the cells that hold the page's own program."""
    return "\n\n".join(
        cell.source for cell in cells if cell.kind == "code" and cell.tag != "ranks"
    )
