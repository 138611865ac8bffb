"""Begin a page's downloads: refuse an old torch, install packages, start ranks."""

from __future__ import annotations

import re

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
OLDEST_TORCH = re.compile(r"^:Oldest torch: *(\d+)\.(\d+)$", re.MULTILINE)
# torchrun prints a long report of every rank that fails: they end without an error.
REFUSE_OLD_TORCH = """\
import os
from importlib.metadata import version

if [*map(int, version("torch").split(".")[:2])] < [{0}, {1}]:
    if os.environ.get("RANK", "0") == "0":
        print("This needs torch {0}.{1} or newer. Type: pip install --upgrade torch")
    raise SystemExit
"""
# The engines inherit what torchrun would set, and get their numbers one by one. A shell
# waits for the end of the kernel, even if it is killed, and kills them: the kernel is
# not given the time to wait for each. After an error of %%px no further cell runs.
# ipyparallel's messages are off, and its progress bars appear after a day: a notebook
# that was run shows what the page shows. Switched off with -1, they take with them the
# wait for the last of the output.
START_RANKS = """\
import os
import subprocess

import ipyparallel
import torch

assert "RANK" not in os.environ, "to run the cells again, restart the kernel"
gpus = torch.cuda.device_count()
n = gpus if gpus > 1 else {size}
print("GPUs:", gpus, "ranks:", n)
port, = ipyparallel.util.select_random_ports(1)
os.environ.update(WORLD_SIZE=str(n), LOCAL_WORLD_SIZE=str(n), OMP_NUM_THREADS="1",
                  MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
cluster = ipyparallel.Cluster(n=n, log_level=30)
ranks = cluster.start_and_connect_sync(activate=True)[:]
ranks.scatter("rank", range(n), flatten=True)
%pxconfig --progress-after 86400
%px import os; os.environ["RANK"] = os.environ["LOCAL_RANK"] = str(rank)
pids = [cluster.controller.process.pid, *ranks.apply_sync(os.getpid)]
kill = "cat; kill -9" + "".join(f" -{{pid}}" for pid in pids)
watcher = subprocess.Popen(["sh", "-c", kill], stdin=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, start_new_session=True)
get_ipython().input_transformers_cleanup.append(lambda cell: ["%%px\\n", *cell])"""


def refuse_old_torch(script: str) -> str:
    """Return the lines that end a program where torch is too old for it."""
    match = OLDEST_TORCH.search(script)
    return REFUSE_OLD_TORCH.format(*match.groups()) if match else ""


def install_missing(app: Sphinx, script: str) -> list[Cell]:
    """Return the cell that installs what a page's notebook needs."""
    names = [*packages(script), *(["ipyparallel"] if world_size(script) else [])]
    if not names:
        return []
    about = _("Install what is missing. What is already here stays as it is.")
    source = INSTALL.format(names=repr(names).replace("'", '"'))
    lines = [*wrap(about, "# ", "# "), source, "", refuse_old_torch(script)]
    return [Cell("code", "\n".join(lines).strip(), "install")]


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
        _(
            "This page runs in several processes at once: one for each GPU if there "
            "are several, else as many as on the page. This cell starts "
            "them, and they end with the notebook."
        ),
        _("From here on, %%px sends each cell to all of them."),
    ]
    return [ranks_cell(size, about)]
