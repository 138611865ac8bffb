"""
Hello, ranks: one program in four processes
===========================================

Training on several GPUs usually means one process for each GPU. Such a program
looks like any other, but several copies of it run at once and talk to each
other. Once you can read it, the larger tools of PyTorch are easy to follow.

We start one file four times. The four processes find each other, send numbers
to each other, and find their sum in two ways. No GPU is needed.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 hello_ranks.py
"""

# %%
# One file runs four times
# ------------------------
#
# A *process* is a running program with its own memory. ``torchrun`` starts
# four processes, and each of them runs this whole file from top to bottom.
# They differ in one thing only: the environment variables that ``torchrun``
# sets for them. The number of a process is its *rank*. Lines printed by several
# ranks would appear in any order, so on this page only rank 0 prints.

import os

rank = int(os.environ["RANK"])
world_size = int(os.environ["WORLD_SIZE"])

# All four processes reach this line.
if rank == 0:
    print("rank", rank, "of", world_size)

# %%
# If you start the file with ``python hello_ranks.py``, nobody sets these
# variables, and the program stops with ``KeyError: 'RANK'``. The variables tell
# each process:
#
# - ``RANK``: its number, counted from 0 over all machines
# - ``WORLD_SIZE``: the number of processes on all machines
# - ``LOCAL_RANK``: its number on its own machine
# - ``LOCAL_WORLD_SIZE``: the number of processes on its own machine
# - ``MASTER_ADDR`` and ``MASTER_PORT``: the address and the port where the
#   processes meet for the first time
#
# The processes find each other
# -----------------------------
#
# So far the four processes do not know each other.
# ``init_process_group`` reads the variables, meets the other ranks at that
# address, and joins them to a *process group*. If a rank is lost, the others wait
# for it no longer than ``timeout``. The default is 30 minutes.

from datetime import timedelta

import torch.distributed as dist

dist.init_process_group(timeout=timedelta(seconds=60))

assert dist.get_rank() == rank
assert dist.get_world_size() == world_size

# %%
# Every rank has its own variables
# --------------------------------
#
# Processes share no variables. The next lines run four times and make four
# tensors, all called ``number``: 1 on rank 0, 2 on rank 1, and so on. Then
# ``all_gather_object`` collects one Python object from each rank, and every rank
# receives the whole list.

import torch

number = torch.tensor([rank + 1.0])
local_rank = int(os.environ["LOCAL_RANK"])
local_world_size = int(os.environ["LOCAL_WORLD_SIZE"])

reports = [None] * world_size
dist.all_gather_object(reports, (rank, local_rank, number.item()))

if rank == 0:
    print("rank, local rank, number", *reports, sep="\n")
assert reports == [(r, r % local_world_size, r + 1.0) for r in range(world_size)]

# %%
# On one machine the rank and the local rank are equal. On a second machine the
# local ranks start again at 0.
#
# One rank sends, another receives
# --------------------------------
#
# To let ranks do different things, ask for the rank with ``if``. Rank 0 sends 42
# to rank 1. The receiver must have a tensor of the same shape and type ready,
# and ``recv`` fills it. Ranks 2 and 3 do nothing, so their tensor stays 0.

message = torch.zeros(1)
if rank == 0:
    message[0] = 42
    dist.send(message, dst=1)
elif rank == 1:
    dist.recv(message, src=0)

messages = [None] * world_size
dist.all_gather_object(messages, message.item())

if rank == 0:
    print(messages)
assert messages == [42, 42] + [0] * (world_size - 2)

# %%
# .. warning::
#
#    Each ``recv`` waits for its ``send``. If two ranks both receive first, both
#    wait until the timeout.
#
# Pass a sum from rank to rank
# ----------------------------
#
# With these two functions we can add the four numbers. Each rank receives the
# sum so far, adds its own number, and sends the result to the next rank. Rank 0
# has nobody before it, and the last rank has nobody after it.

passed = number.clone()
if rank > 0:
    received = torch.zeros(1)
    dist.recv(received, src=rank - 1)
    passed += received
if rank < world_size - 1:
    dist.send(passed, dst=rank + 1)

passed_sums = [None] * world_size
dist.all_gather_object(passed_sums, passed.item())

if rank == 0:
    print(passed_sums)
assert passed_sums == [sum(range(1, r + 2)) for r in range(world_size)]

# %%
# The sum is right, but only the last rank knows it. The ranks also worked one
# after the other, and each of them had to wait for the one before.
#
# Each rank takes its own GPU
# ---------------------------
#
# So far the tensors were in the memory of the CPU. With a GPU for each rank, the
# local rank says which one to take: local rank 2 takes ``cuda:2``. On a machine
# with fewer GPUs than ranks, all ranks use the CPU.

accelerator = torch.accelerator.current_accelerator()
gpu_per_rank = torch.accelerator.device_count() >= int(os.environ["LOCAL_WORLD_SIZE"])
device = torch.device(f"{accelerator}:{local_rank}" if gpu_per_rank else "cpu")

# From now on "the current GPU" means another GPU on each rank.
if gpu_per_rank:
    torch.accelerator.set_device_index(local_rank)

assert number.to(device).device == device

# %%
# Older programs set the current GPU with ``torch.cuda.set_device(local_rank)``.
# Choosing GPUs from outside is possible too. A process sees only the GPUs that
# the variable ``CUDA_VISIBLE_DEVICES`` names, and it counts them from 0 again. In
# the next command, ``cuda:0`` and ``cuda:1`` are the GPUs 2 and 3 of the machine.
#
# .. code-block:: bash
#
#    CUDA_VISIBLE_DEVICES=2,3 torchrun --standalone --nproc-per-node=2 hello_ranks.py
#
# The variable has to be set before the program starts to use CUDA. So we start
# one more process from rank 0, in the way that ``torchrun`` started ours: with
# its own environment. An empty value hides every GPU, on any machine.

import subprocess
import sys

if rank == 0:
    hidden = subprocess.run(
        [sys.executable, "-c", "import torch; print(torch.cuda.device_count())"],
        env=os.environ | {"CUDA_VISIBLE_DEVICES": ""},
        capture_output=True, text=True, check=True,
    )
    visible_gpus = int(hidden.stdout)
    print("visible GPUs:", visible_gpus)
    assert visible_gpus == 0

# %%
# The device decides who carries the data
# ---------------------------------------
#
# A *backend* is the library that moves the data. Gloo moves tensors in the
# memory of the CPU, NCCL moves tensors between GPUs. The process group uses the
# right one for each tensor, so the same call works on both devices. Our messages
# above went through Gloo.

backends = {kind: dist.get_default_backend_for_device(kind) for kind in ("cpu", "cuda")}

if rank == 0:
    print(backends)
assert backends == {"cpu": "gloo", "cuda": "nccl"}
assert "cpu:gloo" in dist.get_backend_config()

# %%
# One call gives every rank the sum
# ---------------------------------
#
# ``all_reduce`` adds the tensors of all ranks and writes the sum into each of
# them. The chain of sends and receives becomes one line. It is a *collective*:
# every rank must call it. This is why it never stands under ``if rank == 0``.

total = number.to(device, copy=True)
dist.all_reduce(total)

totals = [None] * world_size
dist.all_gather_object(totals, total.item())

if rank == 0:
    print(totals)
assert totals == [passed_sums[-1]] * world_size

# %%
# Divided by the world size, the sum becomes the mean. Training with data
# parallelism does this with the gradients of all ranks, so that every rank takes
# the same step.

mean = total.item() / world_size

if rank == 0:
    print(mean)
assert mean == (1 + world_size) / 2

# %%
# The figure compares the two ways. When the sum is passed on, each rank knows the
# sum of the numbers up to its own. After the all-reduce every rank knows the whole
# sum.

if rank == 0:
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots(figsize=(7, 3), layout="constrained", label=(
        "Two bars for each of four ranks. When the sum is passed on, the bars grow "
        "from 1 to 10; after the all-reduce, all of them show 10."))
    for shift, sums, hatch, name in ((-0.2, passed_sums, "//", "sum passed on"),
                                     (0.2, totals, None, "all-reduce")):
        places = [r + shift for r in range(world_size)]
        ax.bar_label(ax.bar(places, sums, width=0.4, hatch=hatch, label=name))
    ax.set(xlabel="rank", ylabel="known sum", xticks=range(world_size))
    ax.set(ylim=(0, 14), yticks=range(0, 12, 2))
    ax.legend(loc="upper left", ncols=2)
    plt.show()

# %%
# At the end every rank leaves the group, which closes the connections.

dist.destroy_process_group()
assert not dist.is_initialized()

# %%
# Where to go next
# ----------------
#
# - :doc:`/tutorials/one_process/multi_gpu_examples` does data parallelism with
#   several GPUs in a single process.
# - :doc:`/tutorials/one_process/input_sizes` shows how a batch is split.
# - The manual of `torchrun <https://docs.pytorch.org/docs/stable/elastic/run.html>`__
#   lists all of its options.
