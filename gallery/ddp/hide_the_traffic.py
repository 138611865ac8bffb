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
network, and see what each way saves.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 hide_the_traffic.py
"""

# %%
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin like this, and
# :doc:`/tutorials/ranks/hello_ranks` explains the steps. In real training leave
# ``timeout`` out.
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
# ready, while backward goes on. It can leave the sending to a *communication hook*.
# PyTorch's ``allreduce_hook`` does what DDP does without one, but calls
# ``dist.all_reduce``, where we can count.
#
# The model has 48 layers of 1 MiB each. Rank 0 tries it in a group of its own, where
# nothing has to travel. When backward reaches the first layer, which it does last, we
# note how many messages have left.
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn.parallel import DistributedDataParallel
sent = []  # the bytes of each message
all_reduce = dist.all_reduce

def counted(tensor, *args, **kwargs):
    sent.append(tensor.nbytes)
    return all_reduce(tensor, *args, **kwargs)

dist.all_reduce = counted  # only to look, never to train
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
# compute a step on a network that we made up: a start takes 1 ms, a gigabyte takes 1 s,
# and backward takes 60 ms. A message begins when its gradients are ready and the
# message before it has arrived.
latency, bandwidth, backward = 1, 1e6, 60  # ms, bytes per ms, ms

def timeline(messages):  # when each begins and ends, in ms
    ready = end = 0
    for size in messages:
        ready += backward * size / sum(messages)  # backward gets this far
        begin = max(ready, end)
        end = begin + latency + size / bandwidth
        yield begin, end

if rank == 0:
    caps = (0, 1, 2, 4, 8, 16, 25, 64)  # with 0, each tensor leaves alone
    sizes = {cap: list(two_steps(bucket_cap_mb=cap))[1] for cap in caps}
    sizes["default"] = default
    ends = {cap: max(end for _, end in timeline(sizes[cap])) for cap in sizes}
    for cap, end in ends.items():
        print(f"{cap!s:>7}: {len(sizes[cap]):2} messages, step of {end:3.0f} ms")
    assert (len(sizes[0]), len(sizes[1]), len(sizes[64])) == (96, 48, 1)
    assert ends[0] > ends[1] > min(ends.values()) < ends[25] < ends[64]
    assert ends[64] == backward + latency + sum(default) / bandwidth

# %%
# In the figure each message begins with its hatched start. Small buckets fill the
# network with starts. Large ones leave it idle at first, and much is left after
# backward. A single one overlaps with nothing. The last row is the default. The best
# size depends on your network, which
# `nccl-tests <https://github.com/NVIDIA/nccl-tests>`__ measures.
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
        ax.text(end + 1, row, f"{end:.0f} ms", va="center")
    ax.axvline(backward, color="C2", ls="--", label="end of backward")
    ax.set(yticks=range(len(sizes)), yticklabels=sizes, ylabel="bucket_cap_mb")
    ax.set(xlim=(0, 170), ylim=(8.6, -0.6), xlabel="computed time (ms)")
    ax.legend()
    plt.show()

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
ddp_model.register_comm_hook(None, default_hooks.allreduce_hook)

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
# the default is step 1000. PowerSGD is trained first, because with Gloo its last
# callback can hold the group for a moment, and a rank that ends then may abort.
traffic, gradients, errors, losses = {}, {}, {}, {}
for name, (hook, state) in hooks.items():
    ddp_model = DistributedDataParallel(copy.deepcopy(model))
    ddp_model.register_comm_hook(state, hook)
    optimizer = torch.optim.SGD(ddp_model.parameters(), lr=0.2)
    for step in range(42):
        sent.clear()
        optimizer.zero_grad()
        loss = loss_function(ddp_model(inputs), labels)
        loss.backward()
        if step == 2:
            flat = [p.grad.flatten() for p in ddp_model.parameters()]
            traffic[name], gradients[name] = list(sent), torch.cat(flat)
        if step >= 2:
            optimizer.step()
    dist.all_reduce(total := loss.detach())
    losses[name] = total.item() / world_size
exact = gradients["all-reduce"]
for name in reversed(hooks):
    errors[name] = ((gradients[name] - exact).norm() / exact.norm()).item()
    if rank == 0:
        print(f"{name:>11}: {sum(traffic[name]) / 1024:3.0f} KiB,",
              f"error {errors[name]:.4f}, loss {losses[name]:.2f}")
whole = sum(traffic["all-reduce"])
assert sum(traffic["fp16"]) == whole / 2 and 0 < errors["fp16"] < 0.001
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
del ddp_model
dist.destroy_process_group()

# %%
# Try it
# ------
#
# - Make the network ten times as fast, with a latency of 0.1 and a bandwidth of 1e7.
#   Do small buckets still cost more then, and which assert notices?
# - Set ``start_powerSGD_iter`` to 1. What does the error message say about the
#   first steps?
#
# Where to go next
# ----------------
#
# - The `manual <https://docs.pytorch.org/docs/stable/ddp_comm_hooks.html>`__ of
#   communication hooks has others.
# - :doc:`/tutorials/one_process/split_model` is for a model too large for one GPU.
