"""
Is it faster: measure before you scale
======================================

:Card: Samples per second, efficiency, and where the rest goes.
:Learn: You will measure how much faster several ranks train, find out where the rest
    of the time goes, and estimate the batch that hides the communication.
:Prerequisites: :doc:`/tutorials/start/one_gpu_to_many`
:Picture: speed
:Oldest torch: 2.9

You rented a second GPU, and the training got 1.3 times faster. Is that normal? Where
did the missing 0.7 go, and would four GPUs bring it back or waste even more? The script
won't tell you. It trains correctly at any speed, even when the second GPU makes it
slower, and that happens.

The short answer: two GPUs should be nearly twice as fast. The authors of DDP measured
`near-linear scaling <https://arxiv.org/abs/2006.15704>`__ up to 256 GPUs with a good
configuration. But a slow link alone can cost a quarter: `on the same two GPUs
<https://github.com/stas00/ml-engineering/blob/master/network/benchmarks/results/disable-nvlink.md>`__,
a small GPT-2 trained for 101 seconds with NVLink, and for 131 seconds without.

So where does the rest go? We'll write a clock that you can trust, compare samples per
second on one rank and on several, switch off the communication to see what it costs,
and go through the five usual brakes. That's enough for a first look. The second half
has a log line for real runs, a profiler trace, and a formula that estimates what more
ranks would bring.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=2 is_it_faster.py

Two ranks need two idle CPU cores or two GPUs. With more GPUs, type their number.
"""

# %%
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin with the same lines, and
# :doc:`/tutorials/start/hello_ranks` explains them.
import os

import torch
import torch.distributed as dist

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
# One more line, for the sake of a fair comparison. On a CPU, a single process uses all
# cores. If two ranks then share the cores that one rank had for itself, nothing can get
# faster. With one thread each, two ranks have twice as many cores as one. (``torchrun``
# sets ``OMP_NUM_THREADS=1`` when it starts several ranks, unless you have set it.)
if device.type == "cpu":
    torch.set_num_threads(1)

if rank == 0 and world_size == 1:
    print("One rank shows the clock, the trace and the formula, but no speed-up.")

# %%
# A clock that you can trust
# --------------------------
#
# Copy these functions. ``seconds_per_step`` takes any function that makes one training
# step, and returns the seconds of a step.
import math
import statistics
import time

WINDOW = 0.05 if device.type == "cpu" else 1.0  # seconds
MIN_STEPS = 3 if device.type == "cpu" else 20


def synchronize():
    if device.type != "cpu":
        torch.accelerator.synchronize()


def time_steps(train_step, n_steps, group=None):
    """Return the seconds of one of n steps, as the slowest rank of the group has it."""
    dist.barrier(group)  # all ranks begin together
    synchronize()
    start = time.perf_counter()
    for _ in range(n_steps):
        train_step()
    synchronize()  # the GPU has done what it was asked for
    own = (time.perf_counter() - start) / n_steps
    slowest = torch.tensor(own, device=device)
    dist.all_reduce(slowest, op=dist.ReduceOp.MAX, group=group)
    return slowest.item()


def seconds_per_step(train_step, group=None, warmup=5, windows=5):
    """Return the seconds of one step: of the slowest rank, in the median window.

    This is a collective: every rank of ``group`` has to call it.
    """
    for _ in range(warmup):
        train_step()
    roughly = time_steps(train_step, 3, group)  # the same number on all ranks
    n_steps = max(MIN_STEPS, math.ceil(WINDOW / roughly))
    times = []
    for _ in range(windows):
        times.append(time_steps(train_step, n_steps, group))
    return statistics.median(times)


# %%
# It's short, and each of its parts prevents a wrong number:
#
# - *Warm up, and drop the first steps.* They allocate memory, choose algorithms and
#   compile. DDP sends the gradients in packets, called *buckets*, and builds the real
#   ones only after the first step. And a GPU that gets hot slows down after a while, so
#   train for a minute before you measure a number for a report.
# - *Synchronize the accelerator.* A call on a GPU only queues the work and returns.
#   Without ``synchronize`` you'd measure how fast Python writes a to-do list.
# - *But not in every step.* While the GPU works, Python prepares the next step, and
#   that can't happen if you synchronize each time. So a window has as many steps as fit
#   into a second, and at least 20. (On a CPU there's no queue, and this page has
#   shorter windows.)
# - *A barrier before the clock starts*, a call that returns only when all ranks have
#   made it. Otherwise a rank that comes early also counts how long it waits for the
#   others.
# - *The slowest rank counts.* The optimizer can't make its step before the gradients of
#   all ranks are there, so a job is as fast as its slowest rank.
# - *The same number of steps on each rank.* If each of them decided by its own clock,
#   one might make a step more, and wait in an all-reduce that the others never call.
# - *The median over windows.* When another program wakes up for a moment, it spoils the
#   mean and leaves the median alone. But a program that runs for minutes slows down all
#   windows, so repeat each measurement. If one program differs from another by less
#   than from itself, the difference means nothing.
#
# In your own script, ``train_step`` takes no arguments, and does all that your loop
# does in a step (accumulation, the gradient scaler and the scheduler, too), each time
# with the same batch, which is already on the device. Start the script twice: on one
# GPU without DDP, and on all of them with DDP. End it after the measurement, because
# the clock has trained the model on one batch for hundreds of steps.
#
# .. code-block:: python
#
#    seconds = seconds_per_step(train_step)
#    if rank == 0:
#        print(world_size, "ranks:", world_size * batch_size / seconds, "samples/s")
#
# How long a step takes depends on your machine, so a page can't check that. But we can
# let the ranks sleep for different times, and check that they agree.
naps = []


def nap():
    naps.append("step")
    time.sleep(0.001 * (rank + 1))


seconds = seconds_per_step(nap)
counts = [None] * world_size
dist.all_gather_object(counts, len(naps))
assert len(set(counts)) == 1, "a rank with more steps would hang"
assert seconds >= 0.001 * world_size, "the last rank sleeps for the longest time"

# %%
# The program that we measure
# ---------------------------
#
# Four linear layers, trained on one batch that is already on the device. So loading
# data isn't part of the measurement. The loader has a test of its own below.
#
# On GPUs the layers are wider and the batches larger, because a GPU would finish the
# small ones before Python has queued the next. They train in bf16, floating-point
# numbers of 16 bits, as they would at work. Also, ``bucket_cap_mb=1`` is for our tiny
# model, which on a CPU would otherwise fit into two buckets. Leave it out in your
# script.
from torch import nn
from torch.nn.parallel import DistributedDataParallel

on_cpu = device.type == "cpu"
width = 512 if on_cpu else 4096
batch_size = 256 if on_cpu else 4096  # of one rank


def new_model(ddp=False):
    torch.manual_seed(0)
    layers = []
    for _ in range(4):
        layers += [nn.Linear(width, width), nn.ReLU()]
    model = nn.Sequential(*layers).to(device)
    if ddp:
        model = DistributedDataParallel(model, bucket_cap_mb=1)
    return model


def training(model, batch_size):
    """Return a function that makes one training step."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    inputs = torch.randn(batch_size, width, device=device)

    def train_step(inputs=inputs):
        with torch.autocast(device.type, torch.bfloat16, enabled=not on_cpu):
            loss = nn.functional.mse_loss(model(inputs), inputs)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return train_step


# %%
# Efficiency: what you get of what you pay for
# --------------------------------------------
#
# *Throughput* is the number of samples that all ranks together finish in a second. The
# *speed-up* divides it by the throughput of one rank, and the *efficiency* divides the
# speed-up by the number of ranks. If one GPU trains on 100 samples per second and two
# on 150, the speed-up is 1.5 and the efficiency 75 %: you pay for two GPUs and get one
# and a half.


def efficiency(throughput, n_ranks, throughput_of_one):
    return throughput / (n_ranks * throughput_of_one)


assert efficiency(150, 2, 100) == 0.75, "two ranks that do the work of one and a half"

# %%
# There are two ways to add ranks, and they answer different questions.
#
# - *Weak scaling*: each rank keeps its batch size, so the global batch grows with the
#   ranks. How much more work can be done in the same time?
# - *Strong scaling*: the global batch stays, and each rank gets a smaller part of it.
#   How much sooner is the same work done?
#
# We measure both in one start: rank 0 trains alone, while the others wait at the
# barrier below. This *baseline* is one rank without DDP, because that's the program
# you'd otherwise run. DDP on one rank would be slower, and our efficiency would look
# better than it is.
part = max(1, batch_size // world_size)
# Every rank has to call it, also those outside of the group.
only_rank_0 = dist.new_group([0])
if rank == 0:
    alone = seconds_per_step(training(new_model(), batch_size), only_rank_0)
dist.barrier()  # the other ranks wait here

together = seconds_per_step(training(new_model(ddp=True), batch_size))
with_parts = seconds_per_step(training(new_model(ddp=True), part))

if rank == 0:
    baseline = batch_size / alone
    weak = world_size * batch_size / together
    strong = world_size * part / with_parts
    print(f"measured, one rank: {baseline:,.0f} samples/s")
    print(f"measured, weak scaling to {world_size}: {weak:,.0f} samples/s,",
          f"efficiency {efficiency(weak, world_size, baseline):.0%}")
    print(f"measured, strong scaling: {strong:,.0f} samples/s,",
          f"efficiency {efficiency(strong, world_size, baseline):.0%}")

# %%
# Lines that say "measured" differ on every machine and in every run. On a CPU, don't be
# surprised by two ranks that are hardly faster than one, or slower: the next section
# shows why.
#
# And remember that samples per second are not the goal, a low loss is. With weak
# scaling the global batch grows, and beyond the `critical batch size
# <https://arxiv.org/abs/1812.06162>`__ of a model, more samples in a step hardly
# improve the step. So report the global batch with each throughput, and compare the
# loss over time as well.
#
# Where the rest goes: switch off the communication
# -------------------------------------------------
#
# Before you tune anything, find out where the missing part goes. There are two very
# different causes:
#
# - *Shared hardware.* Ranks of one machine share its memory bandwidth, its power and
#   its cooling, its CPU cores and its disk. A processor with one busy core also clocks
#   higher than with all of them busy. All of this costs time even if no rank ever talks
#   to another.
# - *Exposed communication*: the part of the communication that the ranks wait for
#   because there's nothing left to compute. (What we'll measure also contains DDP's own
#   work, such as copying gradients into buckets.)
#
# To tell them apart, let all ranks train at the same time, each for itself, without
# communication. DDP has a switch for that: a step inside ``no_sync``, both forward and
# backward, computes the same and reduces no gradients (``SyncBatchNorm`` still
# communicates). Your ``train_step`` stays as it is.
#
# We measure one rank alone, all without communication, and all with DDP, three times in
# turns, because other programs may slow the machine down at any time.
#
# Predict first: on your machine, which of the two causes costs more?
train_alone = training(new_model(), batch_size)
ddp_model = new_model(ddp=True)
train_step = training(ddp_model, batch_size)
alone_times, apart_times, together_times = [], [], []
for _ in range(3):
    if rank == 0:
        alone_times.append(seconds_per_step(train_alone, only_rank_0, windows=3))
    dist.barrier()
    with ddp_model.no_sync():
        apart_times.append(seconds_per_step(train_step, windows=3))
    together_times.append(seconds_per_step(train_step, windows=3))


def gaps(longer, shorter):
    """Return the difference of each turn in milliseconds."""
    return [1000 * (a - b) for a, b in zip(longer, shorter)]


if rank == 0:
    in_hardware = gaps(apart_times, alone_times)
    in_communication = gaps(together_times, apart_times)
    print(f"measured, one rank alone: {1000 * min(alone_times):.1f}",
          f"to {1000 * max(alone_times):.1f} ms")
    print(f"measured, shared hardware: {min(in_hardware):.1f}",
          f"to {max(in_hardware):.1f} ms more")
    print(f"measured, exposed communication: {min(in_communication):.1f}",
          f"to {max(in_communication):.1f} ms more")

# %%
# .. alt-text:: Three horizontal bars with the milliseconds of a step: one rank alone,
#    all ranks at once without communication, and all ranks with DDP. Each bar begins
#    with the length of the bar above it, and what comes on top has another color.
if rank == 0:
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots(figsize=(7, 2.6), layout="constrained")
    names = ["one rank alone", "all, no communication", "all, with DDP"]
    steps = []  # milliseconds
    for times in (alone_times, apart_times, together_times):
        steps.append(1000 * statistics.median(times))
    causes = ["computation", "shared hardware", "exposed communication"]
    smallest = [steps[0], min(in_hardware), min(in_communication)]
    for row, (cause, color) in enumerate(zip(causes, ("C2", "C0", "C1"))):
        alpha = 1 if smallest[row] > 0 else 0.25
        left = max(steps[:row], default=0)
        more = max(0, steps[row] - left)
        ax.barh(names[row:], more, left=left, color=color, alpha=alpha, label=cause)
    for row, milliseconds in enumerate(steps):
        ax.text(milliseconds, row, f" {milliseconds:.1f}", va="center")
    ax.set(xlabel="milliseconds per step (measured)", xlim=(0, 1.15 * max(steps)))
    ax.invert_yaxis()
    fig.legend(loc="outside upper center", ncols=3, columnspacing=1, frameon=False)

# %%
# On a CPU either of them may cost more. No setting of DDP brings back what the shared
# hardware costs. With one GPU per rank the first gap is usually small and the second
# one matters. The slowest rank counts in both measurements, so a GPU that is slower
# than the others shows up as hardware. A gap that is 0 or negative in one of the turns
# is pale in the figure: either there's little to find, or other programs were busy.
#
# There's a third suspect, a *straggler*: one rank that is slower than the others. With
# DDP you can't see it in the times, because every rank waits for the slowest in each
# step, and all ranks are equally slow. Without communication you can: write
# ``print(rank, own)`` in front of the all-reduce of ``time_steps``.
#
# .. admonition:: If you train with FSDP or tensor parallelism
#    :collapsible: closed
#
#    Only DDP can be switched off like this. With FSDP,
#    ``set_requires_gradient_sync(False)`` leaves out the reduce-scatters, and the
#    parameters are still gathered. Tensor parallelism has no switch at all. There, take
#    a few layers of your model, as many as fit into one GPU, and let each rank train
#    them alone, with the batch that it has in the real run: for FSDP whole layers
#    without ``fully_shard``, for tensor parallelism layers with the heads and the
#    hidden width of one rank. Then train the same few layers with the strategy. What
#    comes on top is exposed communication.
#
# The five usual brakes
# ---------------------
#
# When a training run is slower than it should be, it's usually one of these. Small
# batches and ``.item()`` cost you the same on one GPU, so look for them there, before
# you add a second one. Test the loader again with all ranks at once, because they share
# the CPU and the disk. (The trace is the subject of a section below.)
#
# .. list-table::
#    :header-rows: 1
#
#    * - Brake
#      - How to tell, in a minute
#      - What helps
#    * - Data loading
#      - Train on one batch again and again, as this page does. If that's faster, it
#        was the loader. In the trace: gaps before the forward pass.
#      - More ``num_workers`` (they count for each rank), ``pin_memory``, decoding
#        beforehand; :doc:`/tutorials/start/feeding_data` has a section about workers
#    * - Small batch
#      - Double the batch. If a step takes the same time, the GPU wasn't busy. In the
#        trace: many short kernels, the programs that run on the GPU, with gaps.
#      - A larger batch, and autocast to make room for it; ``torch.compile``, which
#        calls fewer and longer kernels;
#        :doc:`/tutorials/larger_models/fitting_in_memory`
#    * - ``.item()``, ``print(loss)``, ``.cpu()``, ``if loss > 1``
#      - ``torch.cuda.set_sync_debug_mode("warn")`` names most of the lines that wait
#        for the GPU. In the trace: ``cudaStreamSynchronize``.
#      - Log every 50 steps; keep sums on the GPU
#    * - Buckets
#      - In the trace: one long all-reduce after backward, or very many short ones.
#      - ``bucket_cap_mb``, ``gradient_as_bucket_view=True`` to save memory;
#        :doc:`/tutorials/inside/hide_the_traffic`
#    * - Slow link
#      - Measure it with `nccl-tests <https://github.com/NVIDIA/nccl-tests>`__, and
#        compare with the data sheet. With ``NCCL_DEBUG=INFO``, NCCL says which link it
#        uses, and ``nvidia-smi topo -m`` shows how GPUs and network cards are
#        connected.
#      - Accumulation with ``no_sync``, gradients in bf16
#        (:doc:`/tutorials/inside/hide_the_traffic`), or a faster link
#        (:doc:`/tutorials/long_runs/several_nodes`)
#
# **You may stop here.** You know how much faster your ranks are, what costs the rest,
# and which brakes to look for. Come back before you rent more GPUs, or if you can't
# find the brake.
#
# A log line for real runs
# ------------------------
#
# To notice when a run gets slower, log two numbers every 50 steps: tokens per second
# and GPU, and the share of the GPU's peak, the *Model FLOPs utilization* (`MFU
# <https://arxiv.org/abs/2204.02311>`__). A good one is about 40 %: `Llama 3
# <https://arxiv.org/abs/2407.21783>`__ reports 38 to 43.
#
# A transformer needs about `6 floating-point operations
# <https://arxiv.org/abs/2001.08361>`__ for each parameter and token. In the forward
# pass they are two, a multiplication and an addition. The backward pass has four,
# because it computes the gradients of the weights and those of the inputs. Attention
# over long texts comes on top, and what is computed twice to save memory doesn't count.
# For our linear layers the rule is the same, with samples in place of tokens.


def model_flops_utilization(n_parameters, tokens_per_second, n_gpus, peak_flops):
    return 6 * n_parameters * tokens_per_second / (n_gpus * peak_flops)


n_parameters = 4 * (width * width + width)  # four layers with weight and bias
peak_flops = 200e9 if on_cpu else 989e12  # pretended for a CPU; of an H100 in bf16
log_every = 5  # at work 50
tokens = batch_size * log_every * world_size  # here: samples
train_step = training(new_model(ddp=True), batch_size)
start = time.perf_counter()
for step in range(1, 11):
    train_step()
    if step % log_every == 0:
        synchronize()
        seconds = time.perf_counter() - start
        mfu = model_flops_utilization(
            n_parameters, tokens / seconds, world_size, peak_flops)
        if rank == 0:
            print(f"measured, step {step}:",
                  f"{tokens / seconds / world_size:,.0f} samples/s per rank,",
                  f"MFU {mfu:.1%}")
        start = time.perf_counter()

mfu = model_flops_utilization(7e9, 75_000, n_gpus=8, peak_flops=989e12)
assert 0.39 < mfu < 0.41, "7B parameters, 75,000 tokens/s on 8 H100: 40 %"

# %%
# Put in the peak of your GPU for the type of numbers that you train in. One rank may
# log for all, because with DDP all are equally fast.
#
# A trace shows what waits for what
# ---------------------------------
#
# The clock says how much, a trace says where. ``torch.profiler`` writes down every
# operation with its beginning and end. Tracing costs time too, so trace a few steps and
# not the whole training run: the schedule below lets two steps warm up the profiler,
# records two, and stops. Any rank can do it, but each of them must make all the steps.
# (With torch 2.13 it also writes lines to the terminal that begin with ``USDT``. They
# mean nothing to us.)
import json
import tempfile
from pathlib import Path

from torch.profiler import profile, schedule

temporary = tempfile.TemporaryDirectory()
trace_file = Path(temporary.name) / "trace.json"
n_traced = 2
train_step = training(new_model(ddp=True), batch_size // 4)
for _ in range(5):
    train_step()  # warms up

with profile(
        schedule=schedule(wait=0, warmup=2, active=n_traced, repeat=1),
        on_trace_ready=lambda p: p.export_chrome_trace(str(trace_file)),
) as profiler:
    for _ in range(2 + n_traced):
        train_step()
        profiler.step()  # the next step begins

# %%
# Open such a file in `Perfetto <https://ui.perfetto.dev>`__, which keeps it on your
# machine.
#
# Now the picture. We sort the events into computation and communication. With a GPU
# these are its kernels, and those of NCCL, which moves data between GPUs, have NCCL's
# name. Without a GPU they are PyTorch's operators, and the all-reduces of Gloo, which
# moves data between CPUs in threads of its own.
#
# Time in which both happen is *overlap*. It costs little, but not nothing, because
# NCCL's kernels take a part of the GPU and of its memory bandwidth. Time in which only
# communication happens is *exposed*, and that's the time to get rid of.
#
# Both rows share one clock. Wherever the upper row is empty while the lower one is not,
# the rank waits for the communication.
#
# .. alt-text:: A timeline of two training steps on rank 0 with two rows. The upper row
#    has the spans of computation, the lower row those of communication. The lower row
#    is active while the upper one still computes, and again in the gaps of the upper
#    row.
events = json.loads(trace_file.read_text(encoding="utf-8"))["traceEvents"]
names = [event["name"] for event in events]
n_reduced = names.count("c10d::allreduce_")
assert n_reduced > n_traced, "several buckets, so some can leave during backward"
n_items = names.count("aten::item")
assert n_items == 0, "a step that calls .item() makes the CPU wait for the GPU"

spans = [event for event in events if event.get("ph") == "X"]
kernels = [event for event in spans if event.get("cat") == "kernel"]
sending = [event for event in kernels if "ccl" in event["name"].lower()]
computing = [event for event in kernels if "ccl" not in event["name"].lower()]
if not kernels:
    sending = [event for event in spans if event["name"].endswith(":all_reduce")]
    computing = [event for event in spans if event["name"].startswith("aten::")]

if rank == 0:
    first = min(event["ts"] for event in computing)
    fig, ax = plt.subplots(figsize=(7, 2.2), layout="constrained")
    for row, events_of_row, color in ((0, computing, "C0"), (1, sending, "C1")):
        bars = [((event["ts"] - first) / 1000, event["dur"] / 1000)
                for event in events_of_row]
        ax.broken_barh(bars, (row - 0.35, 0.7), facecolor=color)
    ax.set(yticks=(0, 1), yticklabels=("computation", "communication"))
    ax.set(xlabel="milliseconds (measured)")
    ax.invert_yaxis()

# %%
# Read such a trace with one thing in mind. An all-reduce ends when the *last* rank has
# brought its part, and on the others it looks long, because they wait inside it. So a
# long all-reduce doesn't prove a slow network. Compare the traces of two ranks: if the
# same all-reduce is long on one and short on the other, the rank with the short one
# arrived last, and what it did before is what you have to look at.
#
# A formula: what would four GPUs bring?
# --------------------------------------
#
# Let's estimate the efficiency. In one step, a rank computes for a time that is roughly
# proportional to its batch. (Very small batches cost more per sample.) Then there is
# the all-reduce of the gradients, whose time doesn't depend on the batch at all.
#
# How much does a rank send? In a ring of w ranks, as
# :doc:`/tutorials/inside/collectives` programs it, the gradients are cut into w equal
# pieces, and each rank sends 2 (w - 1) of them: w - 1 to add up, and w - 1 to pass the
# sums around. That's `2 (w - 1) / w
# <https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md>`__ times the
# gradients. With any number of ranks it's less than twice as much, which is why data
# parallelism scales so far.


def ring_bytes(gradient_bytes, n_ranks):
    """Return the bytes that each rank sends in one all-reduce."""
    return 2 * (n_ranks - 1) / n_ranks * gradient_bytes


gradient_bytes = 4 * n_parameters  # float32 has 4 bytes
assert ring_bytes(gradient_bytes, 2) == gradient_bytes
assert ring_bytes(gradient_bytes, 1000) < 2 * gradient_bytes

# %%
# How much of it hides under the backward pass, during which DDP sends? We assume that
# nothing does: computation and communication add up.
#
# Back to the question at the beginning. Suppose that all of the missing 0.7 is exposed
# communication, and that four GPUs have links as fast as two. Two ranks finish two
# batches in one step, so 1.3 is ``2 * compute / (compute + communicate)``. Solved for
# ``communicate``, that's ``(2 / 1.3 - 1) * compute``, about half of the computation.
# And the ring says how much more four ranks send.
communicate = 2 / 1.3 - 1  # if computing takes 1
with_four = communicate * ring_bytes(1, 4) / ring_bytes(1, 2)
speed_up = 4 / (1 + with_four)
if rank == 0:
    print(f"4 GPUs: {speed_up:.1f} times as fast, efficiency {speed_up / 4:.0%}")
assert 2.2 < speed_up < 2.3, "more, but not twice as much"
assert 2.8 < 4 * 2 / (2 + with_four) < 2.9, "twice the batch for each brings more"

# %%
# So four GPUs would bring 2.2 times the speed of one. That's more than 1.3, but each of
# them is used worse. Twice the batch brings more, if you have the memory and if the
# loss allows it. And if the cause isn't communication but shared hardware, such as a
# memory bus that is full, then four ranks may bring no more than two. That's why we
# measured the causes apart.
#
# The batch that hides the communication
# --------------------------------------
#
# DDP sends during the backward pass, so nearly all of the communication can hide there
# if the backward pass takes longer. For a transformer you can say this in tokens, and
# the size of the model cancels. For each parameter, the backward pass needs 4
# operations for each of the T tokens that a rank has in a step, and the ring sends 4
# bytes times 2 (w - 1) / w. With F operations and B bytes per second, the first takes
# longer than the second if
#
# .. code-block:: text
#
#    4 * T / F  >  4 * 2 * (w - 1) / w / B
#            T  >  2 * (w - 1) / w * F / B
#
# - F is the number of operations per second that a GPU *really reaches*. Measure it on
#   one GPU, where nothing is sent: 6 · parameters · tokens per second. In the table we
#   take 400 TFLOP/s, which is 40 % of the peak of an H100 in bf16.
# - B is the bandwidth of the slowest link in the ring, in bytes per second and one
#   direction. Within a machine that's NVLink, NVIDIA's connection between GPUs, or else
#   PCIe. Between machines it's the network, all cards of a machine together.


def tokens_to_hide(n_ranks, flops_per_second, bandwidth, bytes_per_gradient=4):
    """Return how many tokens each rank needs in a step to hide the all-reduce."""
    send = ring_bytes(bytes_per_gradient, n_ranks) / bandwidth  # seconds, a parameter
    backward = 4 / flops_per_second  # seconds, for a parameter and a token
    return send / backward


links = {  # the number of GPUs, and the bytes per second in one direction
    "8 GPUs of one machine, NVLink (450 GB/s)": (8, 450e9),
    "2 GPUs of one machine, PCIe 4.0 x16 (32 GB/s)": (2, 32e9),
    "16 GPUs, 8 cards of 400 Gbit/s per machine": (16, 8 * 50e9),
    "16 GPUs, 1 card of 10 Gbit/s per machine": (16, 1.25e9),
}
if rank == 0:
    for name, (n_gpus_of_ring, speed) in links.items():
        n_tokens = tokens_to_hide(n_gpus_of_ring, 400e12, speed)
        print(f"{name}: {n_tokens:,.0f} tokens for each GPU")

assert math.isclose(tokens_to_hide(2, 400e12, 32e9), 12_500), "PCIe 4.0"
assert math.isclose(tokens_to_hide(2, 400e12, 32e9, 2), 6_250), "two bytes, half"

# %%
# So with NVLink, or with a fast network card for each GPU, a few thousand tokens do.
# Through a single card of 10 Gbit/s hardly any batch that you can use will, and then
# you should accumulate gradients over several batches, so that one all-reduce serves
# them all, or send fewer bytes, or not scale at all. These are bandwidths from data
# sheets, and what an all-reduce reaches is less, for example `370 GB/s
# <https://github.com/NVIDIA/nccl-tests/issues/212>`__ with NVLink, and much less for
# small messages. `nccl-tests <https://github.com/NVIDIA/nccl-tests>`__ measures it, and
# its column *busbw* (bus bandwidth, what goes over each link) is the B of our formula.
#
# .. admonition:: Why more and more GPUs help less and less: Amdahl's law
#    :collapsible: closed
#
#    `Amdahl's law <https://doi.org/10.1145/1465482.1465560>`__ says the same of
#    everything that doesn't get faster. If a part s of the time stays as it is, n ranks
#    are at most 1 / (s + (1 - s) / n) times as fast, and never faster than 1 / s. In
#    data parallel training such parts are rank 0 that evaluates or saves while the
#    others wait, and the optimizer step, which every rank repeats for all parameters.
#
# At the end every rank leaves the group. Only then does rank 0 open the window of its
# figures, because a window stops the program until you close it.
dist.destroy_process_group()
temporary.cleanup()
if rank == 0:
    plt.show()  # last: while a window is open, no other rank waits

# %%
# Try it
# ------
#
# Predict first, then run.
#
# - On a CPU, replace the 1 in ``torch.set_num_threads(1)`` by the number of your cores.
#   What happens to the efficiency of two ranks?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      It drops, for two reasons. One rank alone now uses all cores, so the baseline is
#      faster. And two ranks start twice as many threads as there are cores, which
#      slows both down. That's why ``torchrun`` sets ``OMP_NUM_THREADS=1``.
#
# - You have 8 GPUs that reach 200 TFLOP/s each, in machines of one GPU with 25 Gbit/s
#   between them. How many tokens does each need, and which number would you change
#   first?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      ``tokens_to_hide(8, 200e12, 25e9 / 8)`` says 112,000. bf16 gradients halve that.
#      Then accumulate gradients over several batches, so that the ranks send once for
#      all of them.
#
# - In your own script: measure one GPU without DDP, then all of them with DDP, then all
#   inside ``no_sync``. Which of the two causes costs you more?
#
# What to remember
# ----------------
#
# - Warm up, synchronize, take the median of the slowest rank, and compare with one rank
#   without DDP. Give the global batch with each throughput.
# - Train once without communication: that separates shared hardware from exposed
#   communication, and a trace shows where the exposed part is.
# - The gradients cost the same for every batch size, so it's the batch of each rank
#   that decides if more GPUs pay off, and you can estimate it before you rent them.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/inside/hide_the_traffic` has buckets, ``no_sync``, and ways to send
#   fewer bytes.
# - :doc:`/tutorials/start/feeding_data` keeps the GPUs from waiting for the loader.
# - :doc:`/tutorials/long_runs/choosing` has the bytes of the other strategies.
# - The `Ultra-Scale Playbook
#   <https://huggingface.co/spaces/nanotron/ultrascale-playbook>`__ has thousands of
#   measured runs, on up to 512 GPUs.
# - `The profiler <https://docs.pytorch.org/docs/stable/profiler.html>`__ in PyTorch's
#   manual, and `Holistic Trace Analysis
#   <https://github.com/facebookresearch/HolisticTraceAnalysis>`__, which compares the
#   traces of many ranks.
