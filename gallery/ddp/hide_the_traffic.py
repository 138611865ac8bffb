"""
Hiding the traffic: buckets, overlap, fewer bytes
=================================================

:Card: Gradients travel while backward still computes.
:Learn: You will count what data parallel training sends, hide it behind the
    computation, and send less often and fewer bytes.
:Know first: :doc:`/tutorials/ddp/distributed_data_parallel`
:Picture: buckets

Data parallel training sends all gradients through the network in every step. If the
GPUs have to wait for them, more GPUs hardly make the training faster.

``DistributedDataParallel`` (DDP) can send while backward still computes, send less
often, and send fewer bytes. We count its messages, compute what they cost on a slow
network, and see what each of these ways saves and costs.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 hide_the_traffic.py
"""

# %%
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin like this, and
# :doc:`/tutorials/ranks/hello_ranks` explains the steps. In real training leave
# ``timeout`` out, because rank 0 may save or evaluate for longer than a minute.
import os
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.distributed.nn  # imported later, it would hold the group

if "WORLD_SIZE" not in os.environ:
    raise SystemExit(
        "Start with: torchrun --standalone --nproc-per-node=4 hide_the_traffic.py")
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

# %%
# Gradients travel in buckets
# ---------------------------
#
# DDP collects gradients in *buckets*, and sends a bucket when all of its gradients are
# ready, while backward goes on. For each bucket it calls a *communication hook*, if one
# is registered. The hook below does what DDP does without one, but through
# ``dist.all_reduce``, where we can count. We use the counter only to look.
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn.parallel import DistributedDataParallel

sent = []  # the bytes of each message
all_reduce = dist.all_reduce


def counted(tensor, *args, **kwargs):
    sent.append(tensor.nbytes)
    return all_reduce(tensor, *args, **kwargs)


dist.all_reduce = counted

# %%
# The model has 48 layers of 1 MiB each. Rank 0 tries it in a group of its own, so that
# nothing really has to travel. Backward reaches the first layer last, and then we note
# how many messages have left.
layers = nn.Sequential(*[nn.Linear(512, 512) for _ in range(48)]).to(device)
gone = []
layers[0].weight.register_hook(lambda gradient: gone.append(len(sent)))
only_rank_0 = dist.new_group([0])  # every rank has to call it


def two_steps(**options):
    ddp_model = DistributedDataParallel(layers, process_group=only_rank_0, **options)
    ddp_model.register_comm_hook(only_rank_0, default_hooks.allreduce_hook)
    for _ in range(2):
        sent.clear()
        ddp_model(torch.ones(1, 512, device=device)).sum().backward()
        yield list(sent)


if rank == 0:
    first, default = two_steps()
    in_mib = [round(size / 2**20) for size in default]
    print("first step:", round(first[0] / 2**20), "MiB, second step:", *in_mib, "MiB")
    assert len(first) == 1 and sum(first) == sum(default) and in_mib == [1, 25, 22]
    assert gone == [0, len(default) - 1]

# %%
# In the first step DDP has a single bucket and notes the order in which gradients
# become ready. From the second step on, all buckets but the last leave before backward
# ends. So never count or measure the first step.
#
# By default the first bucket is full at 1 MiB, so that the network soon has work, and
# the others at 25 MiB. ``bucket_cap_mb`` sets one size for all of them, the first too,
# and with 0 each tensor leaves alone.
if rank == 0:
    caps = (0, 1, 2, 4, 8, 16, 25, 64)
    sizes = {cap: list(two_steps(bucket_cap_mb=cap))[1] for cap in caps}
    sizes["default"] = default
    assert (len(sizes[0]), len(sizes[1]), len(sizes[64])) == (96, 48, 1)
    assert sizes[25][0] > 25 * 2**20

# %%
# Small buckets pay for each start, large ones leave late
# -------------------------------------------------------
#
# A message costs its start, the *latency*, and its bytes divided by the *bandwidth*. We
# compute the end of a step on a network that we made up, where a start takes 1 ms, a
# gigabyte takes a second, and backward takes 60 ms. A message begins when its gradients
# are ready and the message before it has arrived.
latency, bandwidth, backward = 1, 1e6, 60  # ms, bytes per ms, ms


def timeline(messages):
    """Return when each message begins and ends, in ms."""
    ready = end = 0
    for size in messages:
        ready += backward * size / sum(messages)  # backward gets this far
        begin = max(ready, end)
        end = begin + latency + size / bandwidth
        yield begin, end


if rank == 0:
    ends = {cap: max(end for _, end in timeline(sizes[cap])) for cap in sizes}
    for cap, end in ends.items():
        print(f"{cap!s:>7}: {len(sizes[cap]):2} messages, step of {end:3.0f} ms")
    best = min(ends, key=ends.get)
    assert ends[0] > ends[1] > ends[best] < ends[25] < ends[64]
    assert ends[64] == backward + latency + sum(default) / bandwidth

# %%
# In the figure each row is a bucket size, and each message begins with its start, in
# another color. Small buckets fill the network with starts. Large ones leave it idle at
# first, and much is left to send after backward. With one bucket nothing overlaps. The
# best size lies between and depends on the network. For yours,
# `nccl-tests <https://github.com/NVIDIA/nccl-tests>`__ measures the first two numbers.
#
# .. alt-text:: Nine rows of messages on an axis of time, for bucket sizes from 0 to 64
#    MiB and the default. Those of 4 and 8 MiB end soon after a line that marks the end
#    of backward. Smaller and larger ones end later and later.
if rank == 0:
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots(figsize=(7, 3.6))
    for row, messages in enumerate(sizes.values()):
        for begin, end in timeline(messages):
            ax.barh(row, latency, left=begin, color="C1", hatch="////")
            ax.barh(row, end - begin - latency, left=begin + latency, color="C0")
        ax.text(end, row, f" {end:.0f} ms", va="center")
    ax.axvline(backward, color="C2", ls="--", label="end of backward")
    ax.set(yticks=range(len(sizes)), yticklabels=sizes, ylabel="bucket_cap_mb")
    ax.set(xlim=(0, 1.15 * max(ends.values())), xlabel="computed time (ms)")
    ax.invert_yaxis()
    ax.legend()
    plt.show()

# %%
# Accumulate gradients, and send once
# -----------------------------------
#
# A batch that does not fit into memory is computed in parts, whose gradients add up.
# ``no_sync`` keeps DDP from sending, so only the last part sends. Divide each loss by
# the number of parts, because the loss is a mean. To compare, we first take the whole
# batch at once, in a second step, when the buckets are final.
import copy
from contextlib import nullcontext

torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 8))
torch.manual_seed(rank)  # each rank has its own samples
inputs = torch.randn(32, 256).to(device)
labels = inputs[:, :8]
loss_function = nn.MSELoss()


def wrapped(hook, state=None):
    ddp_model = DistributedDataParallel(copy.deepcopy(model).to(device))
    ddp_model.register_comm_hook(state, hook)
    return ddp_model


ddp_model = wrapped(default_hooks.allreduce_hook)
for _ in range(2):
    sent.clear()
    ddp_model.zero_grad()
    loss_function(ddp_model(inputs), labels).backward()
at_once, expected = len(sent), [p.grad.clone() for p in ddp_model.parameters()]
parts = list(zip(inputs.chunk(4), labels.chunk(4)))

sent.clear()
ddp_model.zero_grad()
for i, (x, y) in enumerate(parts):
    with nullcontext() if i == len(parts) - 1 else ddp_model.no_sync():
        loss = loss_function(ddp_model(x), y) / len(parts)
        loss.backward()

assert len(sent) == at_once
torch.testing.assert_close([p.grad for p in ddp_model.parameters()], expected)

# %%
# The four parts have the same gradients, with as many messages as the whole batch. Keep
# the forward pass inside ``no_sync`` too, because there DDP decides whether it will
# send. With only backward inside, every part sends, and no error tells you.
sent.clear()
for x, y in parts:
    loss = loss_function(ddp_model(x), y) / len(parts)
    with ddp_model.no_sync():
        loss.backward()

if rank == 0:
    print("messages:", at_once, "-> forward outside no_sync:", len(sent))
assert len(sent) == len(parts) * at_once

# %%
# Send fewer bytes
# ----------------
#
# ``fp16_compress_hook`` rounds gradients to 16 bits. Tiny ones become 0 there but not
# in bf16, which rounds more coarsely, and whose hook needs NCCL. ``powerSGD_hook``
# replaces the gradient of a weight matrix by the product of two thin matrices, and
# sends only these. What gets lost is added to the next gradient, so it arrives late,
# which is called *error feedback*.
from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import (
    PowerSGDState, powerSGD_hook)
from torch.nn.utils import parameters_to_vector

hooks = {
    "all-reduce": (default_hooks.allreduce_hook, None),
    "fp16": (default_hooks.fp16_compress_hook, None)}
assert torch.tensor(1e-8).half() == 0 < torch.tensor(1e-8).bfloat16()
if backend == "nccl":
    hooks["bf16"] = default_hooks.bf16_compress_hook, None
# On the CPU, PowerSGD fails where PyTorch sees a GPU of NVIDIA.
if gpu_per_rank or not torch.cuda.is_available():
    for name, feedback in ("PowerSGD", True), ("no feedback", False):
        state = PowerSGDState(None, start_powerSGD_iter=2, use_error_feedback=feedback)
        hooks[name] = powerSGD_hook, state

# %%
# We train with each hook, and compare the first gradient that it sends in its own form.
# In the two steps before, the buckets become final, so the parameters stay as they are.
kib, gradients, errors, losses = {}, {}, {}, {}
for name, (hook, state) in hooks.items():
    ddp_model = wrapped(hook, state)
    optimizer = torch.optim.SGD(ddp_model.parameters(), lr=0.2)
    for step in range(42):
        sent.clear()
        optimizer.zero_grad()
        loss = loss_function(ddp_model(inputs), labels)
        loss.backward()
        if step == 2:
            kib[name] = sum(sent) / 1024
            gradients[name] = parameters_to_vector(p.grad for p in ddp_model.parameters())
        if step >= 2:
            optimizer.step()
    exact = gradients["all-reduce"]
    errors[name] = ((gradients[name] - exact).norm() / exact.norm()).item()
    dist.all_reduce(total := loss.detach())
    losses[name] = total.item() / world_size
    if rank == 0:
        print(f"{name:>11}: {kib[name]:3.0f} KiB, error {errors[name]:.4f},",
              f"loss {losses[name]:.2f}")

assert kib["fp16"] == kib["all-reduce"] / 2 and 0 < errors["fp16"] < 0.001
if "PowerSGD" in hooks:
    assert kib["PowerSGD"] < kib["all-reduce"] / 50 and errors["PowerSGD"] > 0.1
    assert losses["all-reduce"] < losses["PowerSGD"] < losses["no feedback"]

# %%
# fp16 halves the bytes, and its error is small. PowerSGD sends hardly anything, and its
# first gradient is far from the exact one. With error feedback the model still learns,
# though more slowly. PowerSGD also computes more and sends three messages for a bucket,
# so it pays only where the network is the limit.
#
# Which knob for which symptom
# ----------------------------
#
# A trace of `torch.profiler <https://docs.pytorch.org/docs/stable/profiler.html>`__
# shows computation and messages on one axis of time.
#
# .. list-table::
#    :header-rows: 1
#
#    * - In the trace
#      - What helps
#    * - Many short messages without a pause
#      - A larger ``bucket_cap_mb``
#    * - A long message after the end of backward
#      - A smaller ``bucket_cap_mb``
#    * - Long messages all the time
#      - Accumulation with ``no_sync``, then fp16 or bf16, then PowerSGD
#    * - All ranks wait for the same rank
#      - None of these, but equal work for all ranks
#
# At the end every rank leaves the group. Wrapped models hold it, so delete them first:
# otherwise its threads can outlive it, and now and then a rank aborts at its very end.
del ddp_model
dist.destroy_process_group()

# %%
# Try it
# ------
#
# - Make the network ten times as fast: a latency of 0.1 and a bandwidth of 1e7. Which
#   bucket size is best then, and how much is left to win?
# - Set ``start_powerSGD_iter`` to 1. What does the error say about the first steps?
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/one_process/split_model` is for a model that does not fit on one
#   GPU.
# - The manual of `communication hooks
#   <https://docs.pytorch.org/docs/stable/ddp_comm_hooks.html>`__ describes more hooks,
#   and how to write your own.
