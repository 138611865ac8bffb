"""
When it hangs: find the missing rank
====================================

:Card: One rank does not come. Four tools find it.
:Learn: You will make ranks hang and find the one that is missing, with four tools.
:Prerequisites: :doc:`/tutorials/start/one_gpu_to_many`
:Picture: hang
:Oldest torch: 2.8

A training on many GPUs stops, and its log does not say why. Usually the ranks wait for
one that has not made the same call. You need to know which one, and where it is.

We cause such failures on purpose and see what each tool says. So that nothing hangs
for long here, we let every wait end after three seconds. A table at the end leads from
symptoms to remedies.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 when_it_hangs.py
"""

# %%
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin with the same lines, and
# :doc:`/tutorials/start/hello_ranks` explains them. One rank alone has nobody to wait
# for, so this page needs at least two. ``attempt`` collects the errors of all ranks.
#
# What fails here uses a group of its own, on every machine with Gloo, because NCCL ends
# the whole program after a timeout. That group also has a ``timeout`` of its own: three
# seconds, so that you don't wait for the default of 30 minutes to see an error that we
# cause on purpose.
import os
from datetime import timedelta

import torch
import torch.distributed as dist

# For the flight recorder below: up to PyTorch 2.10 it keeps no calls by default.
os.environ.setdefault("TORCH_FR_BUFFER_SIZE", "2000")
if os.environ.get("WORLD_SIZE", "1") == "1":
    raise SystemExit(
        "One rank has nobody to wait for, so it cannot hang. "
        "Start with: torchrun --standalone --nproc-per-node=4 when_it_hangs.py")
if "RANK" not in os.environ:  # without torchrun there is one rank
    os.environ.update(
        RANK="0", WORLD_SIZE="1", LOCAL_RANK="0", LOCAL_WORLD_SIZE="1",
        MASTER_ADDR="127.0.0.1", MASTER_PORT="0")
rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
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

backend = dist.get_default_backend_for_device(device)
dist.init_process_group(backend, device_id=device if gpu_per_rank else None)


def from_all_ranks(value):
    values = [None] * world_size
    dist.all_gather_object(values, value)
    return values


def attempt(function, *args):
    said = "no error"
    try:
        function(*args)
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    errors = from_all_ranks(said)
    if rank == 0:
        print([error.partition(":")[0] for error in errors])
    return errors


# %%
# A timeout turns waiting into an error
# -------------------------------------
#
# An all-reduce ends only when every rank has called it. Here the last rank has two
# batches and the others have three, so its third ``load_batch`` waits for data in vain.
# Before each step, ``dump_traceback_later`` sets an alarm. If the step takes too long,
# the alarm writes down where the rank is, and the program goes on.
import faulthandler
from queue import SimpleQueue
from tempfile import TemporaryFile

last, patience = world_size - 1, timedelta(seconds=3)  # in training: minutes
report = TemporaryFile("w+")  # without it, the alarm writes to the log
batches = SimpleQueue()
for _ in range(2 if rank == last else 3):
    batches.put(torch.ones(4))


def load_batch():
    return batches.get(timeout=patience.seconds)


def sum_grads(gradients):
    dist.all_reduce(gradients, group=group)


def train():
    for _ in range(3):
        faulthandler.dump_traceback_later(1.5, file=report)  # in training: minutes
        sum_grads(load_batch())


def small_group(name=""):
    from_all_ranks(name)  # meet first, so that all start to wait at once
    return dist.new_group(backend="gloo", timeout=patience, group_desc=name)


group = small_group("batches")
errors = attempt(train)
faulthandler.cancel_dump_traceback_later()
assert errors[last] == "Empty: " and not any(f"ank {last}" in one for one in errors)
assert all("Timed out" in error or "by peer" in error for error in errors[:last])
assert any("Timed out waiting 3000ms" in error for error in errors)

# %%
# The last rank got ``Empty``, as we let its queue give up. The others got "Timed out
# waiting 3000ms", or "closed by peer" once another had given up. No error names the
# last rank.
#
# The alarm tells where each rank waits
# -------------------------------------
#
# The report lists the functions that a rank was in, and we print the innermost of ours.
# Without an alarm, ``py-spy dump --pid`` shows the same of a running process. With NCCL
# a collective usually returns at once, so a rank waits in a later call that needs a
# result of the GPU, such as ``.item()``. Then use the flight recorder below.
import re

report.seek(0)
latest = report.read().rpartition("Timeout")[2]
places = from_all_ranks(re.search(r" in (load_batch|sum_grads)$", latest, re.M)[1])
if rank == 0:
    print(places)
assert places == ["sum_grads"] * last + ["load_batch"]

# %%
# A monitored barrier names who is missing
# ----------------------------------------
#
# Put ``monitored_barrier`` before the call that hangs, and rank 0 names the ranks that
# do not come. Only Gloo has it, so with NCCL make a Gloo group for it as well.


def meet():
    if rank != last:
        # Without a timeout of its own, it waits for 30 minutes.
        dist.monitored_barrier(group, timeout=patience, wait_all_ranks=True)


group = small_group()
errors = attempt(meet)
if rank == 0:
    print(errors[0])
assert f"Ranks {last} failed to pass monitoredBarrier" in errors[0]

# %%
# A call on rank 0 alone meets another one
# ----------------------------------------
#
# In a group, collectives are matched by their order alone: the second call of one rank
# meets the second call of every other. So if only rank 0 reduces its losses, they are
# added to the gradients of the others.


def log_loss(losses):
    dist.all_reduce(losses, group=group)


def train_and_log(losses, gradients):
    sum_grads(torch.ones(4))
    if rank == 0:
        log_loss(losses)
    sum_grads(gradients)


group, gradients = small_group("losses"), torch.ones(4)
errors = attempt(train_and_log, torch.full((4,), 100.0), gradients)
sums = from_all_ranks(gradients[0].item())
if rank == 0:
    print("sum of the gradients:", sums[1], "instead of", float(world_size))
assert "Timed out" in errors[0] and set(errors[1:]) == {"no error"}
assert set(sums[1:]) == {100.0 + world_size - 1}

# %%
# The flight recorder finds the first difference
# ----------------------------------------------
#
# Rank 0 waits in an innocent call, and the others have a wrong sum. But PyTorch records
# the last collectives of each rank with their stacks: the *flight recorder*. With Gloo
# only a private function reads it inside of a program, which may be another one in the
# next version, so use it to look and build nothing on it. (The public way,
# ``torch.distributed.debug.start_debug_server``, is experimental, and shows it in a
# browser.) We look for our function in each stack.
import pickle
from itertools import zip_longest
from torch._C._distributed_c10d import _dump_fr_trace


def recorded(group_desc):
    entries = pickle.loads(_dump_fr_trace(onlyActive=False))["entries"]
    return from_all_ranks([
        next(f["name"] for f in e["frames"] if f["name"] in ("sum_grads", "log_loss"))
        for e in entries if e["process_group"][1] == group_desc])


def first_difference(rows):
    return [len(set(calls)) > 1 for calls in zip_longest(*rows)].index(True)


missing, extra = recorded("batches"), recorded("losses")
assert (first_difference(missing), first_difference(extra)) == (2, 1)

# %%
# Read the rows from the left: the mistake is in the first column that differs.
#
# .. alt-text:: Two panels with a row of boxes for each of four ranks, a box for each
#    call. On the left the last rank has no third box. On the right the second box of
#    rank 0 is another function. A dashed frame marks the column.
if rank == 0:
    import matplotlib.pyplot as plt
    fig, axes = plt.subplots(1, 2, sharey=True, figsize=(7, 2.6))
    for ax, rows, title in zip(axes, (missing, extra), ("call missing", "extra call")):
        for r, row in enumerate(rows):
            for n, name in enumerate(row):
                frame = {"fc": "none", "ec": "C1" if name == "log_loss" else "C0"}
                ax.text(n, r, name, ha="center", va="center", fontsize=9, bbox=frame)
        n = first_difference(rows)
        ax.axvspan(n - 0.5, n + 0.5, fill=False, ec="C3", ls="--")
        ax.set(title=title, xlabel="call", xticks=range(3), xlim=(-0.6, 2.6))
        ax.set(ylabel="rank", yticks=range(world_size), ylim=(world_size - 0.4, -0.6))

# %%
# DETAIL compares the calls before they run
# -----------------------------------------
#
# If rank 0 reduces one number, different sizes meet, and what happens is not defined.
# Under ``DETAIL`` every rank gets an error that names the calls of two ranks. The
# variable ``TORCH_DISTRIBUTED_DEBUG`` sets it for a whole program, but on the CPU such
# a program crashes in torch 2.13 when it wraps a model. So we set it for one group.
dist.set_debug_level(dist.DebugLevel.DETAIL)
group = small_group()
dist.set_debug_level(dist.DebugLevel.OFF)
errors = attempt(train_and_log, torch.full((1,), 100.0), gradients)
call = r"Rank (\d+) is running .*?OpType=(\w+), TensorShape=\[(\d+)\]"
if rank == 0:
    print(re.findall(call, errors[0]))
assert all("Detected mismatch" in error for error in errors), "DETAIL saw none"
assert all(("0", "ALLREDUCE", "1") in re.findall(call, error) for error in errors)

# %%
# The loudest rank is not the cause
# ---------------------------------
#
# A rank that fails closes its connections, as it does here when it leaves its group.


def read_samples():
    group = small_group()
    try:
        if rank == last:
            raise ValueError("bad sample")
        dist.all_reduce(torch.ones(4), group=group)
    finally:
        dist.destroy_process_group(group)


errors = attempt(read_samples)
assert [e.partition(":")[0] for e in errors] == ["RuntimeError"] * last + ["ValueError"]

# %%
# On Linux the others get echoes, "closed by peer" or "reset by peer". Look for another
# error: with ``torchrun --redirects=3 --log-dir=logs`` each rank writes its own files.
#
# With NCCL a watchdog ends the program
# -------------------------------------
#
# A timeout of NCCL reaches no ``except`` by default, so none is shown here: a thread of
# each rank, the *watchdog*, ends the process. By the sources of PyTorch 2.13, it first
# writes two lines of this form, which are shortened here.
#
# .. code-block:: text
#
#    Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=ALLREDUCE,
#      NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600001 milliseconds
#    failure detected by watchdog ... last enqueued work: 5, last completed work: 4
#
# So this rank waits in its fifth call, an all-reduce of a single number, and the fourth
# was the last that ended. Compare "last enqueued work" in the logs of all ranks: a rank
# with a smaller number has not come to this call, and it is the one to look at.
#
# Then each rank writes what its flight recorder holds to a file. In PyTorch 2.13 you
# need not ask for it: the recorder keeps the last 2000 calls, and the setting
# ``TORCH_NCCL_DUMP_ON_TIMEOUT`` is on unless you switch it off. So look for the files
# before you start the run again: their paths begin with
# ``.cache/torch/comm_lib_trace_rank_`` in your home. ``torchfrtrace`` compares them. Up
# to PyTorch 2.10 the recorder is empty until you set ``TORCH_FR_BUFFER_SIZE=2000``, as
# the first lines of this page do.
#
# With several machines, set ``TORCH_FR_DUMP_TEMP_FILE`` to the beginning of the paths,
# in a folder that all of them share. To look into a run that hangs and has not timed
# out yet, set ``TORCH_NCCL_DEBUG_INFO_PIPE_FILE=/tmp/dump_`` before you start it: each
# rank then opens a pipe, such as ``/tmp/dump_0.pipe``, and writes its file when you
# send a line into it.
#
# From symptom to remedy
# ----------------------
#
# .. list-table::
#    :header-rows: 1
#
#    * - Symptom
#      - Cause
#      - Remedy
#    * - "Timed out", or with NCCL "Watchdog caught collective operation timeout"
#      - One rank waits elsewhere, or has fewer batches
#      - See its stack; deal out equally many batches
#    * - Wrong sums, then rank 0 waits
#      - A collective under ``if rank == 0``
#      - Find it by the flight recorder; let all ranks call it
#    * - "Detected mismatch"
#      - Different calls or shapes, compared by ``DETAIL``
#      - Make the two calls alike that the error names
#    * - "closed by peer"
#      - Another rank has failed
#      - Look for the first error of all ranks
#    * - GPUs at 100 %, but no progress
#      - A kernel of NCCL waits for the other ranks, which counts as work
#      - Compare "last enqueued work" of all ranks
#    * - Nothing after the start
#      - A rank was not started, or it does not reach the address of rank 0
#      - Count the processes; ``NCCL_DEBUG=INFO`` names the network that NCCL takes, and
#        :doc:`/tutorials/long_runs/several_nodes` has more
#    * - "Expected to have finished reduction"
#      - DDP got no gradient for a parameter
#      - Find out why: the error lists them by number. Only if the model leaves them out
#        on purpose, `pass find_unused_parameters
#        <https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html>`__,
#        which searches for them in every step, or ``static_graph``, if they are the
#        same ones in all steps
#    * - "terminate called without an active exception", after the last line of a run on
#        the CPU
#      - A thread of Gloo still frees a tensor while Python already shuts down, a `known
#        issue <https://github.com/pytorch/pytorch/issues/190489>`__. It is rare, and a
#        busy machine makes it likelier
#      - All the work was done, so nothing is lost
#
# At the end every rank leaves the group. Only then does rank 0 open the window of its
# figure, because a window stops the program until you close it.
dist.destroy_process_group()
if rank == 0:
    plt.show()  # last: while a window is open, no other rank waits

# %%
# Try it
# ------
#
# Predict first, then run.
#
# - In the section on ``DETAIL``, write ``torch.full((4,), 100.0)``, and print
#   ``errors[0]`` in place of what ``re.findall`` finds. Whom does it blame, and is that
#   the rank with the mistake?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      It says that all ranks but 0 "failed to pass monitoredBarrier", although rank 0
#      made the extra call. ``DETAIL`` compares the kind of the calls and their shapes,
#      and the losses look like gradients. So it finds no mismatch, an assert fails, and
#      rank 0 has waited alone in the check of its third call. Who is missing at a
#      barrier needn't be at fault, so compare the calls with the flight recorder.
#
# - In your own script: set an alarm with ``dump_traceback_later`` before each step, and
#   let one rank sleep for longer than the alarm, on purpose. Do the logs tell you which
#   rank it is and in which line, and after how many minutes would your timeout end the
#   run?
#
# What to remember
# ----------------
#
# - The errors come from the ranks that wait. The rank at fault is the one that is
#   missing from the call, has made one more, or has failed with another error.
# - Collectives are matched by their order alone. A call that only one rank makes can
#   give the others wrong sums without an error, if the sizes fit.
# - Set the alarm, the timeout and a log file for each rank before you start a long run,
#   because you can't add them to a run that already hangs.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/inside/starting_processes` compares the ways to start ranks.
# - PyTorch's `tutorial on hangs
#   <https://docs.pytorch.org/tutorials/intermediate/debug_hangs_with_flight_recorder.html>`__
#   uses another library, TorchComms, and collects the records over the network.
