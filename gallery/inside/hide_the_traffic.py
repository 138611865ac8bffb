"""
Hiding the traffic: buckets, overlap, fewer bytes
=================================================

:Card: Gradients travel while backward still computes.
:Learn: You will count what data parallel training sends, hide it behind the
    computation, and send less often and fewer bytes.
:Prerequisites: :doc:`/tutorials/start/distributed_data_parallel`
:Picture: buckets
:Oldest torch: 2.8

Data parallel training sends all gradients through the network in every step. If the
GPUs have to wait for them, more GPUs hardly make the training faster.

``DistributedDataParallel`` (DDP) can send while backward still computes, send less
often, and send fewer bytes. We count its messages, compute what they cost on a slow and
on a fast network, and see what each way saves.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 hide_the_traffic.py
"""

# %%
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin with the same lines, and
# :doc:`/tutorials/start/hello_ranks` explains them. One rank is enough here: it makes
# the same calls, but then nothing moves.
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
# Gradients travel in buckets
# ---------------------------
#
# DDP collects gradients in *buckets*, and sends a bucket when all of its gradients are
# ready, while backward goes on. It can leave the sending to a *communication hook*, a
# function that it calls with each bucket. PyTorch's ``allreduce_hook`` does what DDP
# does without one: a single all-reduce of the bucket. Our hook notes the size of the
# bucket, and leaves the rest to that one.
#
# The model has 48 layers of 1 MiB each. Rank 0 tries it in a group of its own, where
# nothing has to travel. When backward reaches the first layer, which it does last, we
# note how many messages have left.
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn.parallel import DistributedDataParallel

sent = []  # the bytes of each message


def counting_hook(group, bucket):
    sent.append(bucket.buffer().nbytes)
    return default_hooks.allreduce_hook(group, bucket)


layers = nn.Sequential(*[nn.Linear(512, 512) for _ in range(48)]).to(device)
gone = []
layers[0].weight.register_hook(lambda gradient: gone.append(len(sent)))
only_rank_0 = dist.new_group([0])  # every rank has to call it


def two_steps(**options):
    ddp_model = DistributedDataParallel(layers, process_group=only_rank_0, **options)
    ddp_model.register_comm_hook(only_rank_0, counting_hook)
    steps = []
    for _ in range(2):
        sent.clear()
        ddp_model(torch.ones(1, 512, device=device)).sum().backward()
        steps.append(list(sent))
    return steps


if rank == 0:
    first, default = two_steps()
    in_mib = [round(size / 2**20) for size in default]
    print("first step:", round(first[0] / 2**20), "MiB, second step:", *in_mib, "MiB")
    assert len(first) == 1 and sum(first) == sum(default) and in_mib == [1, 25, 22]
    assert gone == [0, len(default) - 1]

# %%
# In the first step DDP has one bucket and notes the order in which gradients become
# ready, so do not measure it. Later all buckets but the last leave during backward.
#
# Small buckets pay for each start, large ones leave late
# -------------------------------------------------------
#
# By default the first bucket is full at 1 MiB, so that the network soon has work, and
# the others at 25 MiB. ``bucket_cap_mb`` sets one size for all of them, the first too.
#
# A message costs its start, the *latency*, and its bytes divided by the *bandwidth*. We
# compute a step on two networks, and both are made up. On the slow one a start takes
# 1 ms and a gigabyte takes 1 s. On the fast one a start takes 0.03 ms, and 20 gigabytes
# take 1 s. Backward takes 60 ms. A message begins when its gradients are ready and the
# message before it has arrived.
#
# Bandwidth means here how fast an all-reduce as a whole gets through its tensor, which
# nccl-tests calls `algorithm bandwidth
# <https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md>`__. In a ring of
# w ranks, each of them sends 2 · (w - 1) / w times the tensor. The bandwidth already
# contains that, so the links have to carry almost twice as much per second.
networks = {"slow network": (1, 1e6), "fast network": (0.03, 2e7)}  # ms, bytes per ms
backward = 60  # ms


def timeline(messages, latency, bandwidth):  # when each begins and ends, in ms
    ready = end = 0
    for size in messages:
        ready += backward * size / sum(messages)  # backward gets this far
        begin = max(ready, end)
        end = begin + latency + size / bandwidth
        yield begin, end


def end_of_step(messages, network):
    return max(end for _, end in timeline(messages, *network))


if rank == 0:
    caps = (0, 1, 2, 4, 8, 16, 25, 64)  # with 0, each tensor leaves alone
    sizes = {cap: two_steps(bucket_cap_mb=cap)[1] for cap in caps}
    sizes["default"] = default
    ends = {}
    for name, network in networks.items():
        ends[name] = {cap: end_of_step(sizes[cap], network) for cap in sizes}
    slow, fast = ends["slow network"], ends["fast network"]
    for cap in sizes:
        print(f"{cap!s:>7}: {len(sizes[cap]):2} messages, step of {slow[cap]:3.0f} ms",
              f"on the slow network, {fast[cap]:.1f} ms on the fast one")
    assert (len(sizes[0]), len(sizes[1]), len(sizes[64])) == (96, 48, 1)
    assert slow[0] > slow[1] > min(slow.values()) < slow[25] < slow[64], (
        "on the slow network, a bucket of medium size is not the best")
    latency, bandwidth = networks["slow network"]
    assert slow[64] == backward + latency + sum(default) / bandwidth
    assert backward < min(fast.values()) and max(fast.values()) < 1.05 * backward

# %%
# In the figure each message begins with its hatched start. On the slow network, small
# buckets fill the network with starts. Large ones leave it idle at first, and much is
# left after backward. A single one overlaps with nothing. The last row is the default.
#
# On the fast network the size hardly matters: for every size, the step ends less than 3
# ms after backward. So do not take home that 4 or 8 MiB is best. That is a property of
# the slow network, whose starts take tens of times as long as those of NCCL between the
# GPUs of one server. Our model is also too kind to small buckets, because real links
# reach their bandwidth only with large messages. In practice you would therefore rather
# try larger buckets than the default, and look in a trace of the profiler at what is
# left after backward. `nccl-tests <https://github.com/NVIDIA/nccl-tests>`__ measures
# latency and bandwidth of your network for each size of message.
#
# .. alt-text:: Two panels, each with nine rows of messages on an axis of time, for
#    bucket sizes from 0 to 64 MiB and the default. On the slow network, those of 4 and
#    8 MiB end soon after a line that marks the end of backward, and smaller and larger
#    ones end later and later. On the fast network all end right after the line.
if rank == 0:
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(2, sharex=True, figsize=(7, 6.4), layout="constrained")
    for ax, (title, network) in zip(axes, networks.items()):
        latency, _ = network
        for row, messages in enumerate(sizes.values()):
            spans = list(timeline(messages, *network))
            starts = [(begin, latency) for begin, _ in spans]
            rest = [(begin + latency, end - begin - latency) for begin, end in spans]
            ax.broken_barh(starts, (row - 0.4, 0.8), facecolor="C1", hatch="////")
            ax.broken_barh(rest, (row - 0.4, 0.8), facecolor="C0")
            end = spans[-1][1]
            ax.text(end + 1, row, f"{end:.0f} ms", va="center")
        ax.axvline(backward, color="C2", ls="--", label="end of backward")
        ax.set(yticks=range(len(sizes)), yticklabels=sizes, ylabel="bucket_cap_mb")
        ax.set(title=title, xlim=(0, 170), ylim=(8.6, -0.6))
    axes[0].legend()
    axes[1].set(xlabel="computed time (ms)")

# %%
# Accumulate gradients, and send once
# -----------------------------------
#
# A batch too large for a GPU's memory is computed in parts, whose gradients add up.
# ``no_sync`` keeps DDP from sending, so only the last part sends. Divide each loss by
# the number of parts, because the loss is a mean. All parts need equally many labels.
from contextlib import nullcontext
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 8)).to(device)
torch.manual_seed(rank)  # each rank has its own samples
inputs = torch.randn(32, 256).to(device)
labels = inputs[:, :8]
loss_function = nn.MSELoss()
ddp_model = DistributedDataParallel(model)
ddp_model.register_comm_hook(None, counting_hook)


def gradients_of(ddp_model, n_parts):
    sent.clear()
    ddp_model.zero_grad()
    for i, (x, y) in enumerate(zip(inputs.chunk(n_parts), labels.chunk(n_parts))):
        with ddp_model.no_sync() if i < n_parts - 1 else nullcontext():
            loss = loss_function(ddp_model(x), y) / n_parts
            loss.backward()
    return [p.grad.clone() for p in ddp_model.parameters()]


gradients_of(ddp_model, 1)  # in the first step the buckets are not final
whole_batch, messages = gradients_of(ddp_model, 1), len(sent)
torch.testing.assert_close(gradients_of(ddp_model, 4), whole_batch)
assert len(sent) == messages

# %%
# Four parts have the gradients of the whole batch, with as many messages. Keep the
# forward pass inside ``no_sync`` too, because there DDP decides whether it will send.
# With only backward inside, every part sends, and no error tells you.
sent.clear()
for x, y in zip(inputs.chunk(4), labels.chunk(4)):
    loss = loss_function(ddp_model(x), y) / 4
    with ddp_model.no_sync():
        loss.backward()
if rank == 0:
    print("messages:", messages, "-> forward outside no_sync:", len(sent))
assert len(sent) == 4 * messages

# %%
# Send fewer bytes
# ----------------
#
# ``fp16_compress_hook`` rounds gradients to 16 bits, where tiny ones become 0 and those
# above 65504 infinite. bf16 avoids both, but keeps only two to three digits, and its
# hook needs NCCL or, on Intel's GPUs, XCCL. ``powerSGD_hook`` replaces the gradient of
# a weight matrix by the product of two thin matrices, and sends these. What gets lost
# is added to the next gradient, which is called *error feedback*.
import copy
from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import (
    PowerSGDState, powerSGD_hook)

hooks = {}
# On the CPU, PowerSGD fails where PyTorch sees a GPU of NVIDIA.
if gpu_per_rank or not torch.cuda.is_available():
    for name, feedback in ("no feedback", False), ("PowerSGD", True):
        state = PowerSGDState(None, start_powerSGD_iter=2, use_error_feedback=feedback)
        hooks[name] = powerSGD_hook, state
if backend == "nccl":
    hooks["bf16"] = default_hooks.bf16_compress_hook, None
hooks["fp16"] = default_hooks.fp16_compress_hook, None
hooks["all-reduce"] = default_hooks.allreduce_hook, None
assert torch.tensor(1e-8).half() == 0 < torch.tensor(1e-8).bfloat16()
assert torch.tensor(7e4).half().isinf() and torch.tensor(7e4).bfloat16() < 8e4

# %%
# We train once with each hook, and compare the third step. PowerSGD can begin only
# after two steps, so in these the parameters stay. In real training let it begin later:
# the default is step 1000.
#
# These hooks send something else than the bucket, so its size tells us nothing. To
# count what they send, we replace ``dist.all_reduce``, which all of them call, by a
# ``Mock`` that passes every call on and writes it down. That is for looking only:
# ``patch`` puts the function of PyTorch back after that one backward pass.
from unittest import mock

traffic, gradients, errors, losses = {}, {}, {}, {}
for name, (hook, state) in hooks.items():
    ddp_model = DistributedDataParallel(copy.deepcopy(model))
    ddp_model.register_comm_hook(state, hook)
    optimizer = torch.optim.SGD(ddp_model.parameters(), lr=0.2)
    for step in range(42):
        optimizer.zero_grad()
        loss = loss_function(ddp_model(inputs), labels)
        if step == 2:
            with mock.patch.object(dist, "all_reduce", wraps=dist.all_reduce) as calls:
                loss.backward()
            traffic[name] = [call.args[0].nbytes for call in calls.call_args_list]
            flat = [p.grad.flatten() for p in ddp_model.parameters()]
            gradients[name] = torch.cat(flat)
        else:
            loss.backward()
        if step >= 2:
            optimizer.step()
    total = loss.detach().clone()
    dist.all_reduce(total)
    losses[name] = total.item() / world_size
exact = gradients["all-reduce"]
for name in reversed(hooks):
    errors[name] = ((gradients[name] - exact).norm() / exact.norm()).item()
    if rank == 0:
        print(f"{name:>11}: {sum(traffic[name]) / 1024:3.0f} KiB,",
              f"error {errors[name]:.4f}, loss {losses[name]:.2f}")
whole = sum(traffic["all-reduce"])
assert sum(traffic["fp16"]) == whole / 2
# Each addition rounds at the 11th binary digit, and every further rank adds once more.
assert 0 < errors["fp16"] < 2**-11 * world_size**0.5
if "PowerSGD" in hooks:
    assert sum(traffic["PowerSGD"]) < whole / 30 and errors["PowerSGD"] > 0.1
    assert losses["all-reduce"] < losses["PowerSGD"] < losses["no feedback"]
    assert len(traffic["PowerSGD"]) == 3 * len(traffic["all-reduce"])

# %%
# PowerSGD sends hardly anything, and its first gradient is far from the exact one. The
# model learns more slowly than with the exact one, but faster than without feedback.
# And each bucket needs three messages, so PowerSGD pays only on a slow network.
#
# Which knob for which symptom
# ----------------------------
#
# .. list-table::
#    :header-rows: 1
#
#    * - In a trace of `torch.profiler <https://docs.pytorch.org/docs/stable/profiler.html>`__
#      - What helps
#    * - Many short messages without a pause
#      - A larger ``bucket_cap_mb``
#    * - A long message after the end of backward
#      - A smaller ``bucket_cap_mb``
#    * - Long messages all the time
#      - First accumulation with ``no_sync``, then fp16 or bf16, last PowerSGD
#
# At the end every rank leaves the group, and only then does rank 0 open the window of
# its figure, because a window stops the program until you close it.
dist.destroy_process_group()
if rank == 0:
    plt.show()  # last: while a window is open, no other rank waits

# %%
# Try it
# ------
#
# Predict first, then run.
#
# - Make the slow network ten times as fast, with a latency of 0.1 and a bandwidth of
#   1e7. Do small buckets still cost more then, and which assert notices?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      No. All 96 starts together take about 10 ms, and the bytes 5 ms, so they fit
#      into the 60 ms of backward, and only the last message is exposed. Small buckets
#      are now best, and ``assert slow[0] > slow[1] ...`` fails. So the best size
#      depends on the ratio of latency, bandwidth and backward.
#
# - Set ``start_powerSGD_iter`` to 1. What does the error message say about the first
#   steps, and why is even the state without error feedback refused?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      PowerSGD can only be applied after the first two iterations. It remembers
#      tensors for each bucket, and DDP makes its buckets anew after the first step.
#      Without error feedback there is still ``warm_start``, which is on by default and
#      remembers tensors too.
#
# - In your own script: register ``counting_hook`` on your DDP model and print the
#   sizes in the third step. How many messages leave, and how large is the last one,
#   which nothing hides?
#
# What to remember
# ----------------
#
# - DDP sends a bucket when its gradients are ready, so all but the last one can travel
#   during backward. Its first step has other buckets than later ones, so don't measure
#   it.
# - Small buckets pay for each start, and large ones leave late. The best size depends
#   on the network, so look in a trace before you change it.
# - With ``no_sync``, keep the forward pass inside too. With only backward inside,
#   every part sends, and no error tells you.
#
# Where to go next
# ----------------
#
# - The `manual <https://docs.pytorch.org/docs/stable/ddp_comm_hooks.html>`__ of
#   communication hooks has others.
# - :doc:`/tutorials/larger_models/split_model` is for a model too large for one GPU.
