"""
Hello, ranks: one program, four processes
=========================================

:Card: Four processes run one file. Each knows its number.
:Learn: You will run one file in four processes, let them talk, and find a sum in two
    ways.
:Picture: ranks
:Oldest torch: 2.9

Training on several GPUs usually means one process for each GPU. Such a program looks
like any other, but several copies of it run at once and talk to each other. Once you
can read it, the larger tools of PyTorch are easy to follow.

We start one file four times. No GPU is needed.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 hello_ranks.py
"""

# %%
# One file runs four times
# ------------------------
#
# A *process* is a running program with its own memory. ``torchrun`` starts four
# processes, and each of them runs this whole file from top to bottom. They differ in
# one thing only: the environment variables that ``torchrun`` sets for them. One of
# these variables holds the number of the process, its *rank*. (On Windows, start it in
# WSL, because PyTorch's build for Windows lacks what ``torchrun --standalone`` needs.)
import os

if "RANK" not in os.environ:  # without torchrun there is one rank
    os.environ.update(
        RANK="0", WORLD_SIZE="1", LOCAL_RANK="0", LOCAL_WORLD_SIZE="1",
        MASTER_ADDR="127.0.0.1", MASTER_PORT="0")
rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])

# All four processes reach this line.
if rank == 0:
    print("rank", rank, "of", world_size)

# %%
# The variables tell each process:
#
# - ``RANK``: its number, counted from 0 over all machines
# - ``WORLD_SIZE``: the number of processes on all machines
# - ``LOCAL_RANK``: its number on its own machine
# - ``LOCAL_WORLD_SIZE``: the number of processes on its own machine
# - ``MASTER_ADDR`` and ``MASTER_PORT``: the address and the port where the processes
#   meet for the first time
#
# Apart from starting the processes, that is all that ``torchrun`` does here, so any
# program can have ranks, not only one in Python. In this one, every process says
# hello:
#
# .. code-block:: bash
#
#    torchrun --standalone --nproc-per-node=4 --no-python \
#        sh -c 'echo "hello from rank $RANK of $WORLD_SIZE"'
#
# Rank 0 of this page types it for us.
import subprocess
import sys

if rank == 0:
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    say_hello = ["sh", "-c", 'echo "hello from rank $RANK of $WORLD_SIZE"']
    hellos = subprocess.run(
        [*torchrun, "--nproc-per-node=4", "--no-python", *say_hello],
        capture_output=True, text=True, check=True).stdout
    print(hellos, end="")
    expected = [f"hello from rank {number} of 4" for number in range(4)]
    assert sorted(hellos.splitlines()) == expected, "a rank is missing"

# %%
# The hellos stand in the order in which they came. It may be another one in the next
# run, because no process waits for another. Four such lines are easy to read, and those
# of 64 ranks are not, so from here on only rank 0 prints.
#
# If a rank raises an error, ``torchrun`` ends the others too, and names that rank last,
# below "Root Cause (first observed failure)". The error itself stands further up.
#
# If you start the file with ``python hello_ranks.py``, nothing sets these variables,
# and the first lines set them as ``torchrun`` would for a single rank. (Port 0 stands
# for any free port.) Then there is one process and nobody to talk to, but every line of
# this page still works. That's useful for debugging, because a mistake that shows with
# one rank has a single traceback, and a single process for a debugger to stop.
#
# Each rank takes its own GPU
# ---------------------------
#
# If the machine has a GPU for each of its ranks, the local rank says which one to take:
# local rank 2 takes ``cuda:2``. With fewer GPUs than ranks, all ranks use the CPU,
# because each rank needs a GPU of its own. Then rank 0 also prints what to type to use
# the GPUs.
import torch

local_rank = int(os.environ["LOCAL_RANK"])
local_world_size = int(os.environ["LOCAL_WORLD_SIZE"])

accelerator = torch.accelerator.current_accelerator()
n_gpus = torch.accelerator.device_count()
# Gloo sends no tensors of a Mac's GPU.
gpu_per_rank = n_gpus >= local_world_size and accelerator.type != "mps"
device = torch.device(f"{accelerator}:{local_rank}" if gpu_per_rank else "cpu")
if gpu_per_rank:
    torch.accelerator.set_device_index(local_rank)
if rank == 0:
    print(f"device: {device.type} (GPUs seen: {n_gpus}, ranks: {local_world_size})")
    if 0 < n_gpus < local_world_size and accelerator.type != "mps":
        print(f"To use the GPUs, start with --nproc-per-node={n_gpus}")

# %%
# ``set_device_index`` gives each rank its own "current GPU". Without it, calls that
# name no GPU would all use GPU 0, on every rank.
#
# Before you wait for a long training, read the line printed above. If it says ``cpu``,
# a rank sees fewer GPUs than its machine has ranks (0 if PyTorch was built for the CPU
# only), or the GPU is a Mac's. Your own program should then rather stop with an error.
#
# .. admonition:: How to choose GPUs from outside the program
#    :collapsible: closed
#
#    Many programs set the current GPU with ``torch.cuda.set_device(local_rank)``. You
#    can also choose GPUs from outside the program, because a process sees only those
#    that the variable ``CUDA_VISIBLE_DEVICES`` names, and counts them from 0 again. In
#    the next command, ``cuda:0`` and ``cuda:1`` are the GPUs that were 2 and 3.
#
#    .. code-block:: bash
#
#       CUDA_VISIBLE_DEVICES=2,3 torchrun --standalone --nproc-per-node=2 hello_ranks.py
#
# Gloo for the CPU, NCCL for GPUs
# -------------------------------
#
# A *backend* is the library that moves the data. Gloo moves tensors in the memory of
# the CPU, NCCL moves tensors between NVIDIA GPUs. For AMD GPUs the library is called
# RCCL, but PyTorch gives it the same name, ``nccl``. A group of processes can have both
# Gloo and NCCL: then the device of a tensor decides which one carries it.
#
# This page sends tensors of the CPU and of the GPU, so it names both. Most programs
# need only the backend of their device, which ``get_default_backend_for_device`` knows.
import torch.distributed as dist

# In most programs: backend = dist.get_default_backend_for_device(device)
backend = "cpu:gloo"
if gpu_per_rank:
    backend += f",{device.type}:{dist.get_default_backend_for_device(device)}"

# %%
# The processes join a process group
# ----------------------------------
#
# So far the four processes do not know each other. ``init_process_group`` reads the
# variables, meets the other ranks at ``MASTER_ADDR``, and joins them to a *process
# group*.
#
# On GPUs, ``device_id`` tells NCCL which GPU this rank uses. NCCL then connects the
# ranks right here. Otherwise a mistake in the network or the drivers would show up only
# after the model and the data are loaded. Gloo needs no ``device_id``, so on the CPU it
# is ``None``.
dist.init_process_group(backend, device_id=device if gpu_per_rank else None)

assert dist.get_rank() == rank, "the group has other numbers"
assert dist.get_world_size() == world_size, "a rank is missing"

# %%
# A rank that never answers would block the others forever, so a call gives up after a
# while: by default after `10 minutes with NCCL and 30 minutes with other backends
# <https://docs.pytorch.org/docs/stable/distributed.html>`__. If one rank does anything
# alone for longer, such as saving a checkpoint, pass a longer ``timeout`` to
# ``init_process_group``, or a healthy run ends. A group with both backends waits for 30
# minutes. :doc:`/tutorials/start/when_it_hangs` shows what a timeout looks like.
#
# .. warning::
#
#    Always name the backend, or let ``get_default_backend_for_device`` name it. Without
#    a name, PyTorch takes the backend of the machine's accelerator, even if your
#    tensors are on the CPU. Such a program runs on your laptop and fails on a machine
#    with GPUs.
#
# Every rank has its own variables
# --------------------------------
#
# Processes share no variables. The next lines run four times and make four tensors, all
# called ``number``: 1 on rank 0, 2 on rank 1, and so on. To see them all, we collect
# them: ``all_gather_object`` takes one Python object from each rank, and every rank
# receives the whole list. We use it only to look at results, because it turns objects
# into bytes and back, which is slow. (With NCCL alone they travel by the GPU.)
def from_all_ranks(value):
    values = [None] * world_size
    dist.all_gather_object(values, value)
    return values


number = torch.tensor([rank + 1.0])
reports = from_all_ranks((rank, local_rank, number.item()))
if rank == 0:
    print("rank, local rank, number", *reports, sep="\n")
assert len(set(reports)) == world_size, "two ranks have the same variables"

# %%
# One rank sends, another receives
# --------------------------------
#
# All ranks run the same lines, so what only one of them should do stands below an
# ``if`` that asks for the rank. Here rank 0 sends 42 to rank 1. The receiver must have
# a tensor of the same shape and type ready, because ``recv`` only fills it. Ranks 2 and
# 3 do nothing, so their tensor stays 0. A rank cannot send to itself, so with a single
# rank nothing is sent.
message = torch.zeros(1)
if rank == 0:
    message[0] = 42
    if world_size > 1:
        dist.send(message, dst=1)
elif rank == 1:
    dist.recv(message, src=0)

messages = from_all_ranks(message.item())
if rank == 0:
    print(messages)
assert set(messages[:2]) == {42}, "rank 1 has received nothing"

# %%
# .. warning::
#
#    Each ``recv`` waits for its ``send``, and a ``send`` may wait for its ``recv``, as
#    with Gloo. If two ranks both receive first, or both send, they wait until the
#    timeout. So let one of them receive first.
#
# Pass a sum from rank to rank
# ----------------------------
#
# With ``send`` and ``recv`` we can add the four numbers. Each rank receives the sum so
# far, adds its own number, and sends the result to the next rank. Rank 0 has nobody
# before it, and the last rank has nobody after it.
passed = number.clone()
if rank > 0:
    received = torch.zeros(1)
    dist.recv(received, src=rank - 1)
    passed += received
if rank < world_size - 1:
    dist.send(passed, dst=rank + 1)

passed_sums = from_all_ranks(passed.item())
if rank == 0:
    print(passed_sums)
assert passed_sums[-1] == sum(range(1, world_size + 1)), "a number is missing"

# %%
# The sum is right, but only the last rank knows it. The ranks also worked one after the
# other, because each of them had to wait for the one before.
#
# All-reduce: one call gives every rank the sum
# ---------------------------------------------
#
# ``all_reduce`` adds the tensors of all ranks and writes the sum into each of them, so
# one line replaces the chain of sends and receives. ``all_reduce`` is a *collective*:
# every rank must call it, so it never stands under ``if rank == 0``. This tensor is on
# the device of its rank, so where each rank has a GPU it travels by NCCL.
total = number.to(device, copy=True)
dist.all_reduce(total)

totals = from_all_ranks(total.item())
if rank == 0:
    print(totals)
assert totals == [passed_sums[-1]] * world_size, "a rank has another sum"

# %%
# The figure is a drawing of what every rank holds. A bar is as long as its number, and
# its colors say which ranks this number comes from. Passed on, the sum grows from rank
# to rank. After the all-reduce, every rank holds a part from each rank.
#
# .. alt-text:: Three panels with one bar for each of four ranks. Before: 1, 2, 3 and 4.
#    Sum passed on: the bars grow from 1 to 10. All-reduce: every bar is 10.

if rank == 0:
    import matplotlib.pyplot as plt

    ranks = range(world_size)
    before, so_far = [[r] for r in ranks], [list(range(r + 1)) for r in ranks]
    fig, axes = plt.subplots(1, 3, figsize=(7, 3), sharey=True)
    titles = ("before", "sum passed on", "all-reduce")
    for ax, title, held in zip(axes, titles, (before, so_far, [ranks] * world_size)):
        for r in ranks:
            end = 0
            for part in held[r]:
                style = {"color": f"C{part}", "hatch": "/" * (part % 3)}
                ax.barh(r, part + 1, left=end, **style)
                end += part + 1
            ax.text(end, r, f" {end}", va="center")
        ax.set(title=title, xticks=[], yticks=range(world_size))
        ax.set(xlim=(0, 1.25 * passed_sums[-1]), ylim=(world_size - 0.5, -0.5))
    axes[0].set(ylabel="rank")

# %%
# Divided by the world size, the sum becomes the mean. Training with data parallelism
# does this with the gradients of all ranks, so that every rank takes the same step.
mean = total.item() / world_size
if rank == 0:
    print(mean)
assert mean == (1 + world_size) / 2, "no mean"

# %%
# The end: leave the group, then open the window
# ----------------------------------------------
#
# At the end every rank leaves the group, which closes the connections. Only then does
# rank 0 show its figure, because ``plt.show`` stops the program until you close the
# window, and the other ranks would wait for rank 0 in their next collective. All
# programs with ranks on this site therefore end with these lines. On a server without a
# screen no window opens, so there you would save a figure with ``fig.savefig``.
dist.destroy_process_group()
if rank == 0:
    plt.show()  # last: while a window is open, no other rank waits

# %%
# Try it
# ------
#
# Predict first, then run.
#
# - Start the file with ``--nproc-per-node=8``. Which number does the last rank receive,
#   and how many messages did the sum need?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      It receives 28, the sum of 1 to 7, and adds its own 8. The sum needs seven
#      messages, one after the other, because each rank after the first has to receive
#      before it can send. With more ranks the chain only gets longer, and still only
#      the last rank knows the whole sum.
#
# - In your own script: before the training, gather the rank, the name of the machine
#   and the device of every rank, and let rank 0 print them. Does each rank of a machine
#   have a GPU of its own, and does the script stop if the world size isn't what you
#   asked for?
#
# What to remember
# ----------------
#
# - All ranks run the same file from top to bottom. They share no variables and differ
#   only in what ``torchrun`` puts into their environment.
# - Each ``recv`` needs its ``send``, and a ``send`` its ``recv``. Each collective needs
#   every rank, so it never stands under ``if rank == 0``.
# - Name the backend and choose the timeout. Let the program print its device and its
#   number of ranks before a long training.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/inside/collectives` shows the other calls that move data.
# - :doc:`/tutorials/start/one_gpu_to_many` turns a training script for one GPU into one
#   for many.
# - :doc:`/tutorials/inside/starting_processes` shows other ways to start the ranks.
# - The manual of `torchrun <https://docs.pytorch.org/docs/stable/elastic/run.html>`__
#   lists all of its options.
