"""Write a notebook: its cells, and the cell that starts the ranks."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from gallery_intl.wrapping import wrap

START_RANKS = '''\
import socket

import ipyparallel

# {about_cluster}
cluster = ipyparallel.Cluster(n={size}, log_level=30)
cluster.start_cluster_sync()
client = cluster.connect_client_sync()
client.wait_for_engines({size}, interactive=False)
ranks = client[:]
ranks.activate()

# {about_port}
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]


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


# {about_environment}
ranks.map_sync(become, range({size}), [port] * {size})

# {about_autopx}
%autopx'''
