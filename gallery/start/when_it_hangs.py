"""
When it hangs: find the missing rank
====================================

:Card: One rank does not come. Four tools find it.
:Learn: You will read what a job that hangs tells you, and make ranks hang on purpose to
    see which tool names the missing one.
:Prerequisites: :doc:`/tutorials/start/one_gpu_to_many`
:Picture: hang
:Oldest torch: 2.9

A training on many GPUs stops, and its log does not say why. Usually the ranks wait for
one that has not made the same call. You need to know which one, and where it is.

If your job hangs right now, don't end it yet. A process that hangs can still tell you
where it waits, and a process that you have ended can't. So find your symptom in these
tables first, and read the reasons later. **What this page says about NCCL, the backend
for NVIDIA GPUs, comes from PyTorch's sources and from public bug reports, because it
hasn't run on GPUs.**

.. list-table:: At the start
   :header-rows: 1

   * - Symptom
     - Cause
     - Remedy
   * - Nothing after the start
     - A rank was not started, or it does not reach the address of rank 0
     - :ref:`Compare the messages of all ranks <hang-store>`
   * - "waiting for clients. 3/4 clients joined"
     - Fewer ranks have come than ``WORLD_SIZE`` says
     - :ref:`Compare the messages of all ranks <hang-store>`
   * - "while trying to connect to"
     - A wrong address, a wrong port, or a firewall
     - :ref:`Compare the messages of all ranks <hang-store>`
   * - "last completed work: -1"
     - Already the first collective of this group hangs, perhaps because NCCL can't
       connect the GPUs
     - ``NCCL_DEBUG=INFO``, and look for :ref:`one of the usual causes
       <hang-first-collective>`

.. list-table:: In the middle of a run
   :header-rows: 1

   * - Symptom
     - Cause
     - Remedy
   * - GPUs at 100 %, but no progress
     - The GPUs wait for one rank, which counts as work
     - :ref:`The stack of each rank <hang-stacks>`, before you end the job. Ranks that
       are well may stand in several lines, such as ``backward`` or ``.item()``. Look
       for the one that waits for something else: data, a disk, a lock
   * - "Timed out", or with NCCL "Watchdog caught collective operation timeout"
     - One rank waits elsewhere, or has fewer batches
     - Find that rank by :ref:`the numbers in the logs <hang-log>` and see its stack;
       deal out equally many batches
   * - The stack of one rank has ``_try_get_data``
     - A worker of its data loader is slow or hangs: it reads from a slow disk, or a
       fork has copied a lock
     - The worker's stack is in the same file. Start workers by ``forkserver``, and let
       ``DataLoader(..., timeout=60)`` make an error of such a wait
   * - One rank saves or reads a file, or ``py-spy`` itself hangs at it
     - A shared disk is slow, full or gone. In the state "D" a process waits in the
       kernel, and ``py-spy`` can't stop it
     - ``ps -o stat,wchan:30 -p PID`` shows the state and what it waits for, and
       ``py-spy dump --nonblocking`` its stack
   * - Wrong sums, then rank 0 waits, often only at the end
     - A collective under ``if rank == 0``
     - :ref:`Let all ranks call it <hang-rank-0>`. :ref:`The list of the last calls
       <hang-recorder>` shows where it is
   * - "CUDA out of memory" on one rank, and the others wait
     - It has ended, or has caught the error and skipped the batch
     - Never catch it :ref:`on one rank alone <hang-loudest>`; balance the sizes of the
       batches
   * - "Expected to have finished reduction"
     - DDP got no gradient for a parameter
     - Find out why: the error lists them by number. If the model leaves them out on
       purpose, :doc:`/tutorials/start/distributed_data_parallel` has the remedy
   * - "Detected mismatch"
     - Different calls or shapes, compared by ``DETAIL``
     - Make :ref:`the two calls alike that the error names <hang-detail>`

.. list-table:: At the end, or after an error
   :header-rows: 1

   * - Symptom
     - Cause
     - Remedy
   * - "closed by peer"; with NCCL also "watchdog got stuck", or "TCPStore server has
       shut down too early"
     - Usually another rank has failed or timed out before, and a longer heartbeat
       timeout doesn't cure that
     - Look for :ref:`the first error of all ranks <hang-loudest>`
   * - Exit code -9 of one rank
     - The system has killed it, usually because the machine had no memory left
     - ``dmesg`` says so; fewer workers of data loaders need less memory
   * - "EnforceNotMet ... collective mismatch", or exit code -6, with Gloo
     - Two different calls have met. Perhaps a rank with fewer batches has left the loop
       and is already in the all-reduce at the end of the epoch
     - Deal out equally many batches

Whatever it is, collect before you end the job, in this order:

1. the stacks of all ranks, by ``py-spy dump``;
2. the logs of all ranks, of which you compare the last lines;
3. the flight recorder's files, in ``.cache/torch`` in your home on each machine, if the
   timeout has already struck. The next run overwrites them.

The tools come first, and then what to set before a long run. If you came to learn, you
can jump to :ref:`Start the ranks <hang-start>`: there we cause such failures on
purpose. They run on the CPU of a laptop, with the backend Gloo, and every wait ends
after three seconds. With NCCL they look different.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 when_it_hangs.py
"""

# %%
# .. _hang-stacks:
#
# Before you end the job: ask each process where it is
# ----------------------------------------------------
#
# A *stack* is the list of functions that a process is in, and it's the quickest answer
# there is. ``py-spy`` reads it from outside, so it works even if you prepared nothing.
#
# This script, ``stacks.sh``, writes a file for each rank of a machine that ``torchrun``
# has started. It knows them by a variable that only ``torchrun`` sets:
#
# .. code-block:: bash
#
#    for pid in $(pgrep -f train.py); do
#        parent=$(ps -o ppid= -p "$pid" | tr -d ' ')
#        rank=$(sed -nz 's/^RANK=//p' "/proc/$pid/environ" | tr -d '\0')
#        mark='^TORCHELASTIC_RUN_ID='
#        if ! grep -qz "$mark" "/proc/$pid/environ" ||
#                grep -qz "$mark" "/proc/$parent/environ"; then
#            continue  # torchrun and shells have none; the parent of a worker has one
#        fi
#        timeout 20 py-spy dump --subprocesses --pid "$pid" > "$1/rank_$rank.txt"
#    done
#
# In each file the rank itself comes first, and then the workers of its data loaders.
# Run it on every machine of the job. Slurm can do that (we had none to try it):
#
# .. code-block:: bash
#
#    pip install py-spy
#    mkdir -p /shared/stacks
#    bash stacks.sh /shared/stacks  # on one machine
#    srun --jobid=1234 --overlap --nodes=4 --ntasks-per-node=1 \
#        bash stacks.sh /shared/stacks  # on the four machines of job 1234
#
# Where it says "Permission Denied", use ``sudo``, or start the container with
# ``SYS_PTRACE``, as its `manual <https://github.com/benfred/py-spy>`__ says.
#
# Here are two such files, shortened, from a program with DDP: rank 0 waits in
# ``backward``, and rank 1 is missing there, because it still waits for a batch. Take
# them again after a minute: if they have changed, the job is probably slow and doesn't
# hang. If there are none, ``torchrun`` hasn't started the ranks: then use ``py-spy dump
# --pid`` for each process.
#
# .. code-block:: text
#
#    rank_0.txt:
#      _engine_run_backward (torch/autograd/graph.py:979)
#      backward (torch/autograd/__init__.py:395)
#      Tensor.backward (torch/_tensor.py:623)
#      train_step (train.py:9)
#      main (train.py:16)
#
#    rank_1.txt:
#      load_batch (train.py:5)
#      main (train.py:15)
#
# With NCCL a collective usually returns at once, so a rank waits in a later call that
# needs a result of the GPU, such as ``.item()``. So the stack still shows you who is
# elsewhere, but not always in which collective the others are. Then use the flight
# recorder.
#
# .. _hang-log:
#
# NCCL: the watchdog's message, field by field
# --------------------------------------------
#
# A timeout of NCCL reaches no ``except`` by default: a thread of each rank, the
# *watchdog*, writes to the log and ends the process. We composed the lines below from
# PyTorch's sources: rank 3 has two batches and the others three. (`This bug report
# <https://github.com/hiyouga/LlamaFactory/issues/7396>`__ has real ones, of an older
# version.)
#
# .. code-block:: text
#
#    [rank0]: [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=3,
#      OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 600013
#      milliseconds before timing out.
#    [rank0]: [PG ID 0 PG GUID 0(default_pg) Rank 0] failure detected by watchdog at
#      work sequence id: 3 PG status: last enqueued work: 3, ...
#      last completed work: 2
#    [rank0]: Stack trace of the failed collective:
#      #0 all_reduce from .../torch/distributed/distributed_c10d.py:3245
#      #2 sum_grads from train.py:38
#    [rank3]: [PG ID 0 PG GUID 0(default_pg) Rank 3] Received a dump signal due to a
#      collective timeout from rank 0 ... Last enqueued NCCL work: 2, last completed
#      NCCL work: 2.
#
# .. list-table:: What each field tells you
#    :header-rows: 1
#
#    * - Field
#      - Meaning
#    * - ``SeqNum=3``
#      - The third collective of this group. Only calls with the same number, in the
#        same group, belong together.
#    * - ``OpType=ALLREDUCE``
#      - The kind of the call. FSDP's calls are ``_ALLGATHER_BASE`` and
#        ``_REDUCE_SCATTER_BASE``.
#    * - ``NumelIn=4``
#      - The number of elements, by which you recognize the tensor. An all-reduce of a
#        single element is a logged number, or a barrier, because PyTorch makes NCCL's
#        barrier of that. Millions of elements are usually a bucket of DDP's gradients.
#    * - last enqueued work
#      - How many collectives the CPU of this rank has called. This is how far the
#        *program* came. As the CPU runs ahead of the GPU, it may be more than
#        ``SeqNum``, the call that has timed out.
#    * - last completed work
#      - How many have ended. With -1, not even the first one.
#
# Now compare "last enqueued work" of all ranks. It doesn't matter who wrote "Watchdog
# caught", because the first rank that gives up ends the job. There are four cases.
#
# - **One rank has a smaller number than the** ``SeqNum`` **that has timed out.** That's
#   your missing rank, rank 3 above. If it waits in no collective at all, it has no line
#   "Watchdog caught" of its own, only the "dump signal" from another one.
# - **One rank has a larger number, and all others have the same one and have completed
#   it.** Then it has probably made a call that the others don't have. With two ranks,
#   this looks like the first case, so read both stacks.
# - **All ranks have the same** ``SeqNum``, **but another** ``OpType`` **or**
#   ``NumelIn``. Then nobody is missing, but two different lines of your program have
#   met. The section on a call on rank 0 alone shows how.
# - **All ranks wait in the same call, with the same size.** Then your program is
#   probably right, and the network, a GPU or NCCL itself is the cause: see
#   ``NCCL_DEBUG`` below, and look in the output of ``dmesg`` for "Xid", which marks the
#   errors of a GPU.
#
# .. admonition:: For FSDP with tensor parallelism, and for pipelines: several groups
#    :collapsible: closed
#
#    **The missing rank of one group waits in another group.** That's common if you
#    combine FSDP with TP or pipelines. Note for each rank in which group and which call
#    it waits, and go on to a rank of that group that hasn't made this call. If you end
#    at a rank that waits in no collective, that's the one. If you come back to where
#    you began, the ranks have entered two groups in different orders: look for an
#    ``if`` that they don't decide alike. A "dump signal" has the numbers of the default
#    group alone, so take those of other groups from the flight recorder.
#
# .. _hang-recorder:
#
# The flight recorder: the last calls of each rank
# ------------------------------------------------
#
# PyTorch records the last collectives of each rank with their stacks: the *flight
# recorder*. With NCCL, each rank writes what its flight recorder holds to a file after
# a timeout. In PyTorch 2.13 you need not ask for it: the recorder keeps the last 2000
# calls, and the setting ``TORCH_NCCL_DUMP_ON_TIMEOUT`` is on unless you switch it off.
# So look for the files before you start the run again: their paths begin with
# ``.cache/torch/comm_lib_trace_rank_`` in your home. ``torchfrtrace`` compares them. Up
# to PyTorch 2.10 the recorder is empty until you set ``TORCH_FR_BUFFER_SIZE=2000``.
# (Older versions call it ``TORCH_NCCL_TRACE_BUFFER_SIZE``.)
#
# .. code-block:: bash
#
#    mkdir traces
#    cp ~/.cache/torch/comm_lib_trace_rank_* traces
#    torchfrtrace traces
#
# It wants the files of all ranks, and only those, so remove what an older run has left.
# With ``-j`` it prints the calls of all ranks side by side (install ``tabulate`` for
# that). On GPUs DDP's all-reduces may have no line of your program, because backward
# runs in a thread of its own there.
#
# Before a long run: variables worth setting
# ------------------------------------------
#
# You can't add these to a job that already hangs. All machines have to share the
# folder.
#
# .. code-block:: bash
#
#    mkdir -p /shared/run7/traces
#    export TORCH_FR_DUMP_TEMP_FILE=/shared/run7/traces/rank_
#    export TORCH_NCCL_DEBUG_INFO_PIPE_FILE=/tmp/dump_
#    export NCCL_DEBUG=WARN NCCL_DEBUG_FILE=/shared/run7/nccl.%h.%p
#    torchrun --tee=3 --log-dir=/shared/run7/logs --nproc-per-node=8 train.py
#
# And these lines belong into the program. For the alarm, take a few times as long as
# your longest step, and for the group more than your longest checkpoint takes:
#
# .. code-block:: python
#
#    import faulthandler
#    import signal
#    from datetime import timedelta
#
#    from torch.distributed.elastic.multiprocessing.errors import record
#
#
#    @record
#    def main():
#        faulthandler.register(signal.SIGUSR2)
#        dist.init_process_group(backend, timeout=timedelta(minutes=10))
#        for batch in loader:
#            faulthandler.dump_traceback_later(120)
#            train_step(batch)
#        faulthandler.cancel_dump_traceback_later()
#
# ``dump_traceback_later`` is the alarm: if a step takes longer than two minutes, it
# writes the stack to the log, and the program goes on. ``kill -USR2`` with the number
# of a process does it at once (not on Windows), but it ends ``torchrun`` and every
# process without ``register``. ``record`` and ``--tee=3`` save the errors and the
# output of each rank to files (:doc:`/tutorials/inside/starting_processes` has more).
# The first two variables are the beginnings of the flight recorder's paths, and of a
# pipe for each rank: ``echo 1 > /tmp/dump_0.pipe`` makes rank 0 write its file before a
# timeout. NCCL puts the machine and the process for ``%h`` and ``%p``. `PyTorch's
# manual
# <https://docs.pytorch.org/docs/stable/torch_nccl_environment_variables.html>`__
# lists more.
#
# .. _hang-start:
#
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin with the same lines, and
# :doc:`/tutorials/start/hello_ranks` explains them. One rank alone has nobody to wait
# for, so this page needs at least two.
import os
from datetime import timedelta

import torch
import torch.distributed as dist

if os.environ.get("WORLD_SIZE", "1") == "1":
    print("One rank has nobody to wait for, so it cannot hang. "
          "Start with: torchrun --standalone --nproc-per-node=4 when_it_hangs.py")
    raise SystemExit
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

# %%
# ``from_all_ranks`` gives every rank the values of all ranks, and ``attempt`` collects
# their errors. What fails here uses a group of its own with Gloo, because NCCL ends the
# whole program after a timeout. Its timeout is three seconds instead of 30 minutes.


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


last = world_size - 1
patience = timedelta(seconds=3)  # in training: minutes


def small_group(name=""):
    dist.barrier()  # meet first, so that all start to wait at once
    return dist.new_group(backend="gloo", timeout=patience, group_desc=name)


# %%
# A timeout turns waiting into an error
# -------------------------------------
#
# An all-reduce ends only when every rank has called it. Here the last rank has two
# batches and the others have three, so its third ``load_batch`` waits for data in vain.
# Each rank keeps a list of its calls, with ``"done"`` for a call that has ended.
from queue import SimpleQueue

calls = []


def load_batch(batches):
    return batches.get(timeout=patience.seconds)


def sum_grads(gradients, group):
    calls.append("waits")
    dist.all_reduce(gradients, group=group)
    calls[-1] = "done"


def train(batches, group):
    for _ in range(3):
        sum_grads(load_batch(batches), group)


batches = SimpleQueue()
for _ in range(2 if rank == last else 3):
    batches.put(torch.ones(4))
errors = attempt(train, batches, small_group("batches"))

# %%
# The last rank got ``Empty``, as we let its queue give up. The others got "Timed out
# waiting 3000ms", or "closed by peer" once another had given up. No error names the
# last rank.
assert errors[last] == "Empty: ", "the last rank has no third batch"
for error in errors[:last]:
    timed_out = "Timed out" in error or "by peer" in error
    assert timed_out, "a rank that waits ends by the timeout, or after another one"
    assert f"rank {last}" not in error.lower(), "no error names the last rank"

# %%
# The lists of calls do name it. Here they are as two numbers for each rank: how many
# calls it has made, its *last enqueued* one, and how many have ended, its *last
# completed* one. The rank with the smaller number of calls is the one that everybody
# waits for. NCCL's message has the same two numbers.
rows = from_all_ranks(calls)
if rank == 0:
    for r, row in enumerate(rows):
        print(f"rank {r}: last enqueued {len(row)}, last completed {row.count('done')}")
assert rows[:last] == [["done", "done", "waits"]] * last, "they wait in the third call"
assert rows[last] == ["done", "done"], "the last rank never made the third call"

# %%
# This is the picture to have in mind for every hang. Read the rows from the left: the
# mistake is in the first column that differs.
#
# .. alt-text:: A row of three boxes for each rank, a box for each call. The first two
#    calls of all ranks are done. In the third column the last rank has a dotted box,
#    "missing", while all others have "waits". A dashed frame marks this column.
if rank == 0:
    import matplotlib.pyplot as plt
    colors = {"done": "C0", "waits": "C1", "missing": "C3"}

    fig, ax = plt.subplots(figsize=(5, 2.6), layout="constrained")
    for r, row in enumerate(rows):
        missing = ["missing"] * (3 - len(row))
        for n, call in enumerate(row + missing, start=1):
            style = ":" if call == "missing" else "-"
            box = {"fc": "none", "ec": colors[call], "lw": 1.5, "ls": style}
            ax.text(n, r, call, ha="center", va="center", fontsize=10, bbox=box)
    ax.axvspan(2.55, 3.45, fill=False, ec="C3", ls="--")
    ax.set(xlabel="call", xticks=[1, 2, 3], xlim=(0.4, 3.6))
    ax.set(ylabel="rank", yticks=range(world_size), ylim=(world_size - 0.4, -0.6))

# %%
# .. _hang-rank-0:
#
# A call on rank 0 alone meets another one
# ----------------------------------------
#
# In a group, collectives are matched by their order alone: the second call of one rank
# meets the second call of every other. So if only rank 0 reduces its losses, they are
# added to the gradients of the others. From then on each call of rank 0 meets the next
# one of the others. So if the sizes fit, a longer training goes on with wrong sums, and
# rank 0 waits only in its last call.


def log_loss(losses, group):
    calls.append("log_loss")
    dist.all_reduce(losses, group=group)


def train_and_log(losses, gradients, group):
    sum_grads(torch.ones(4), group)
    if rank == 0:
        log_loss(losses, group)
    sum_grads(gradients, group)


calls.clear()
gradients = torch.ones(4)
errors = attempt(
    train_and_log, torch.full((4,), 100.0), gradients, small_group("losses"))
extra = from_all_ranks(calls)
sums = from_all_ranks(gradients[0].item())
if rank == 0:
    print("sum of the gradients:", sums[1], "instead of", float(world_size))
    print("calls of rank 0:", extra[0])
    print("calls of rank 1:", extra[1])
assert "Timed out" in errors[0], "rank 0 has made one call more, and waits in it"
assert set(errors[1:]) == {"no error"}, "the others don't notice"
wrong = 100.0 + world_size - 1  # the loss of rank 0, and a 1 of each other rank
assert set(sums[1:]) == {wrong}, "the loss is in the gradients of the others"
assert extra[0][1] == "log_loss", "the second call of rank 0 is the extra one"

# %%
# In real programs, the extra call is often hidden in a function: a metric that is
# reduced over the ranks when rank 0 prints it, a forward pass on rank 0 for an example
# (the layers of FSDP gather their parameters in it), or a checkpoint that only rank 0
# collects. A barrier in front of the call doesn't help, because it's a collective as
# well, and the extra call would meet it. What helps is to let all ranks make the calls
# that communicate, and rank 0 alone what comes after them:
#
# .. code-block:: python
#
#    from torch.distributed.checkpoint.state_dict import (
#        StateDictOptions, get_model_state_dict)
#
#    answer = model(example)  # all ranks, with the same example
#    whole = StateDictOptions(full_state_dict=True, cpu_offload=True)
#    state = get_model_state_dict(model, options=whole)  # all ranks
#    if rank == 0:
#        print(answer)
#        torch.save(state, path)
#
# The flight recorder finds the first difference
# ----------------------------------------------
#
# Rank 0 waits in an innocent call, and the others have a wrong sum. Here is what
# ``torchfrtrace`` wrote for the first run of this page, shortened. (With Gloo, the
# recorder leaves out which ranks belong to a group, so we had to add them by hand.)
#
# .. code-block:: text
#
#    Not all ranks joining collective, sequence number: 3
#    group info: 1:batches
#    collective: gloo:all_reduce
#    missing ranks: {3}
#    input sizes: [[4]]
#    expected ranks: {0, 1, 2, 3}
#    collective stack trace:
#     all_reduce at .../torch/distributed/distributed_c10d.py:3245
#     sum_grads at when_it_hangs.py
#
# For the second run it says ``missing ranks: {1, 2, 3}``. That's everybody but the rank
# with the extra call, because ``torchfrtrace`` compares kinds and sizes, and these are
# alike. So don't stop at its verdict, and look which lines of your program made the
# calls.
#
# .. _hang-detail:
#
# DETAIL compares the calls before they run
# -----------------------------------------
#
# If rank 0 reduces one number, different sizes meet, and what happens is not defined.
# Under ``DETAIL`` every rank gets an error that names the calls of two ranks. The
# variable ``TORCH_DISTRIBUTED_DEBUG`` sets it for a whole program, where it makes every
# call slower, so don't leave it on. On the CPU such a program crashes in torch 2.13
# when it wraps a model. So we set it for one group.
dist.set_debug_level(dist.DebugLevel.DETAIL)
group = small_group()
dist.set_debug_level(dist.DebugLevel.OFF)

errors = attempt(train_and_log, torch.full((1,), 100.0), gradients, group)
if rank == 0:
    print(errors[0].partition("differ in the following aspects:")[2].strip())
for error in errors:
    assert "Detected mismatch" in error, "DETAIL stops every rank"
    assert "Rank 0 is running" in error, "each error names the call of rank 0"

# %%
# If the losses have the shape of the gradients, ``DETAIL`` finds no mismatch, and it
# blames every rank *but* 0, as ``torchfrtrace`` did. (A `monitored_barrier
# <https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.monitored_barrier>`__
# before the call, in a group of Gloo, names the ranks that don't come.)
#
# .. _hang-loudest:
#
# The loudest rank is not the cause
# ---------------------------------
#
# A rank that fails closes its connections, and the others get an error because of that.
# Their errors are only echoes, but there are more of them, and they're longer. Here the
# last rank runs out of memory, which is common if the batches differ in size. (It only
# says so: we raise the error ourselves.)


def main():
    group = small_group()
    try:
        if rank == last:
            raise torch.OutOfMemoryError("CUDA out of memory (we only say so)")
        dist.all_reduce(torch.ones(4), group=group)
    finally:
        dist.destroy_process_group(group)  # as at the end of a process


errors = attempt(main)
assert errors[last].startswith("OutOfMemoryError"), "the last rank has the cause"
for error in errors[:last]:
    assert error.startswith("RuntimeError"), "the others have echoes"

# %%
# On Linux the others get echoes, "closed by peer" or "reset by peer". The "Root Cause
# (first observed failure)" of ``torchrun`` is the rank that ended first on its machine.
# After a timeout, that may be one that has waited. So look for another error: with
# ``torchrun --tee=3 --log-dir=logs`` each rank also writes its own files.
#
# With NCCL the others often get no error at all, and wait until ``torchrun`` or the
# watchdog ends them. If the rank *catches* the error and goes on with the next batch,
# it makes one all-reduce less than the others. So let the error end the rank. If you
# want to leave out a batch, all ranks have to agree on that first.
#
# .. _hang-store:
#
# A hang in ``init_process_group``
# --------------------------------
#
# The ranks first meet at a *store*, a small server at ``MASTER_ADDR`` and
# ``MASTER_PORT``. Under ``torchrun`` it's there before the ranks are; otherwise rank 0
# opens it. So first print ``RANK`` and ``WORLD_SIZE`` of each process, and count them.
# We started three of four processes by hand, with a timeout of five seconds:
#
# - Rank 0 said "Timed out after 6 seconds waiting for clients. 3/4 clients joined."
# - The others, which had reached rank 0, said "wait timeout after 5000ms, keys:
#   /default_pg/0". They aren't at fault either: they wait for the missing rank, too.
# - A rank that doesn't reach rank 0 says "The client socket has timed out", with the
#   address and the port that it tried. One of them is wrong, or a firewall drops the
#   packets. Try it on that machine, for example with ``nc -zv 10.0.0.1 29500``.
# - "EADDRINUSE" is no hang: another process has the port, perhaps one of the last run.
#
# .. _hang-first-collective:
#
# A hang in the first collective
# ------------------------------
#
# The ranks know each other, but NCCL has not connected the GPUs yet. It does so in the
# first collective of each group, or already in ``init_process_group`` if you pass
# ``device_id``, as our start lines do. Pass it, so that such problems show up in the
# line where they belong. The usual causes:
#
# - A rank waits with "retrieving ncclUniqueId from [0]": rank 0 of the group has to
#   publish a key in the store, and has not come to this line. It has failed, or it's
#   still downloading the data, for example, while the others are already waiting.
# - NCCL takes the wrong network interface, for example one of Docker.
#   ``NCCL_DEBUG=INFO`` shows which one, and ``NCCL_SOCKET_IFNAME`` chooses another.
#   :doc:`/tutorials/long_runs/several_nodes` has more.
# - GPUs of one machine can't reach each other's memory, which happens in virtual
#   machines, for example (`NVIDIA's manual
#   <https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html>`__
#   tells what to change). If the job runs with ``NCCL_P2P_DISABLE=1``, that's it. Use
#   this variable to find the cause, and not to train, because it's slow.
#
# While NCCL connects, the watchdog sees no call that could time out, which is a `known
# limitation <https://github.com/pytorch/pytorch/issues/88103>`__. So such a hang can
# last longer than the timeout.
#
# Timeouts: the defaults, and what to choose
# ------------------------------------------
#
# A collective of NCCL waits for 10 minutes by default, and one of Gloo for 30. You
# change it by ``init_process_group(timeout=...)``, or in ``new_group`` for one group.
#
# A timeout has to be longer than the longest work that one rank does while the others
# wait for it: preparing the data, evaluating, saving, or compiling in the first step.
# Beyond that, shorter is better, because 64 GPUs that wait for ten minutes have cost
# you more than ten hours of a GPU. But don't set an hour because rank 0 needs one once.
# Let the others wait in a Gloo group that has a long timeout, and leave NCCL's short.
#
# .. code-block:: python
#
#    waiting_room = dist.new_group(backend="gloo", timeout=timedelta(hours=2))
#    if rank == 0:
#        prepare_data()
#    dist.barrier(waiting_room)
#
# If rank 0 fails in ``prepare_data``, the others now wait for two hours, unless they
# are ended. ``torchrun`` does that on its own machine, and ``srun`` with
# ``--kill-on-bad-exit=1``.
#
# At the end every rank leaves the group. Only then does rank 0 open the window of its
# figures, because a window stops the program until you close it.
dist.destroy_process_group()
if rank == 0:
    plt.show()  # last: while a window is open, no other rank waits

# %%
# Try it
# ------
#
# Predict first, then run.
#
# - This is the log of a job with eight ranks. Ranks 1 to 7 say "Watchdog caught",
#   ``SeqNum=812, OpType=ALLREDUCE, NumelIn=1``, and "last enqueued work: 812, last
#   completed work: 811". Rank 0 says "last enqueued work: 811, last completed work:
#   811". Where do you look?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      At rank 0, which has ended all its calls, and never came to call 812. If it still
#      runs, take its stack. If not, the last call in its file of the flight recorder
#      tells you where it was last seen. The others wait in a barrier, or they reduce a
#      single number. So look for a barrier that rank 0 reaches late, perhaps because it
#      is still saving a checkpoint. If that's all, nothing is wrong but the timeout: it
#      is too short.
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
