"""
When it hangs: find the missing rank
====================================

:Card: One rank does not come. Four tools find it.
:Learn: You will make ranks hang and find the one that is missing, with four tools.
:Know first: :doc:`/tutorials/ranks/hello_ranks`,
    :doc:`/tutorials/ddp/distributed_data_parallel`
:Picture: hang

A training on many GPUs stops, and its log does not say why. Usually the ranks wait for
one that has not made the same call. You need to know which one, and where it is.

We cause such failures on purpose and see what each tool says. Every wait ends after
three seconds, and a table at the end leads from symptoms to remedies.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 when_it_hangs.py
"""

# %%
# Start the ranks
# ---------------
#
# The first lines are those of :doc:`/tutorials/ddp/distributed_data_parallel`, and
# ``attempt`` collects the errors of all ranks. What fails uses a Gloo group of its own
# on every machine, because after a timeout NCCL ends the program.
import os
from datetime import timedelta

import torch
import torch.distributed as dist

if os.environ.get("WORLD_SIZE", "1") == "1":
    raise SystemExit(
        "Start with: torchrun --standalone --nproc-per-node=4 when_it_hangs.py")
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

backend = dist.get_default_backend_for_device(device)
dist.init_process_group(backend, timeout=timedelta(seconds=60))

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
    from_all_ranks(name)  # wait for rank 0, which may still draw or print
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
# a private function reads it. We look for our function in each stack.
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
    plt.show()

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
assert all("Detected mismatch" in error for error in errors)
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
dist.destroy_process_group()

# %%
# On Linux the others get echoes, "closed by peer" or "reset by peer". Look for another
# error: with ``torchrun --redirects=3 --log-dir=logs`` each rank writes its own files.
#
# A timeout of NCCL reaches no ``except`` by default, so none is shown here: a watchdog
# thread ends the process. With ``TORCH_NCCL_DUMP_ON_TIMEOUT=1`` it first writes the
# last calls to files, and ``torchfrtrace`` compares them. Their paths begin as
# ``TORCH_FR_DUMP_TEMP_FILE`` says, so choose a folder that all machines share.
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
#    * - "Expected to have finished reduction"
#      - DDP got no gradient for a parameter
#      - ``find_unused_parameters``, `shown by PyTorch
#        <https://docs.pytorch.org/docs/stable/distributed.html>`__
#
# Try it
# ------
#
# - Under ``DETAIL``, reduce four numbers again and print ``errors[0]``. Whom does it
#   blame, and is that the rank with the mistake? Then an assert fails.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/ddp/starting_processes` compares the ways to start ranks.
# - PyTorch's `tutorial on hangs
#   <https://docs.pytorch.org/tutorials/intermediate/debug_hangs_with_flight_recorder.html>`__
#   uses another library, TorchComms, and collects the records over the network.
