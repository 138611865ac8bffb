"""
Fully sharded: no rank keeps the whole model
============================================

:Card: Parameters are whole only while their layer computes.
:Learn: You will shard a model, and count what each rank keeps and what it sends.
:Know first: :doc:`/tutorials/ddp/distributed_data_parallel`,
    :doc:`/tutorials/ranks/collectives`
:Picture: shard

Data parallel training divides the batch, but every GPU keeps the whole model, its
gradients and the state of its optimizer. When these do not fit, more GPUs do not help.

We train one model in four ways, from whole copies to ``fully_shard``, where a rank
keeps only its share of everything. In each we count what is in memory and what is sent.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 fully_sharded.py
"""

# %%
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin like this, and
# :doc:`/tutorials/ranks/hello_ranks` explains the steps. In real training leave
# ``timeout`` out. One rank is enough here, but then its share is everything.
import os
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.distributed.nn  # imported later, it would hold the group

if "WORLD_SIZE" not in os.environ:
    raise SystemExit(
        "Start with: torchrun --standalone --nproc-per-node=4 fully_sharded.py")
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
# With DDP every rank keeps 16 bytes for each parameter
# -----------------------------------------------------
#
# With Adam a rank keeps four numbers for each parameter: the parameter, its gradient,
# and two in the state of the optimizer. In 32 bits these are 16 bytes. Our model has
# five equal blocks, as a transformer has many, and a last layer.
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn.parallel import DistributedDataParallel

def build(n_blocks=5, width=96):
    torch.manual_seed(0)
    blocks = [[nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width)]
              for _ in range(n_blocks)]
    return nn.Sequential(*(nn.Sequential(*b) for b in blocks), nn.Linear(width, width))

def bytes_of(tensors):  # of a sharded tensor, only what this rank keeps
    return sum((t.to_local() if hasattr(t, "to_local") else t).nbytes for t in tensors)

# %%
# The next code only measures. It notes the bytes of each collective, and those of an
# all-reduce twice, because it is a reduce-scatter and an all-gather. In each step it
# looks at the memory 13 times: before each of the six layers, after the backward pass
# of each, and before the optimizer's step. There ``train`` prints how many bytes each
# rank keeps for a parameter. With DDP they are 16, if ``gradient_as_bucket_view`` lets
# the gradients lie in the buckets that are sent. By default these are 4 bytes more.
sent, losses, moments, keeps, traffic = [], {}, {}, {}, {}
for name in "all_reduce", "broadcast", "all_gather_single", "reduce_scatter_single":
    def counted(*args, name=name, collective=getattr(dist, name), **kwargs):
        size = max(t.nbytes for t in (*args, *kwargs.values()) if torch.is_tensor(t))
        sent.append(2 * size if name == "all_reduce" else size)
        return collective(*args, **kwargs)
    setattr(dist, name, counted)  # only to look, never to train

def train(way, model, forward, optimizer):
    kept = list(model.parameters())
    def look(*_):
        present = {*kept, *model.parameters()}  # also what is whole for a moment
        gradients = [p.grad for p in present if p.grad is not None]
        states = getattr(optimizer, "optim", optimizer).state.values()
        numbers = [t for state in states for t in state.values() if t.dim() > 0]
        moments[way].append([*map(bytes_of, (present, gradients, numbers))])
    def watch(layer, args):
        look()
        args[0].register_hook(look)  # called when the layer's backward pass is done
    if isinstance(forward, DistributedDataParallel):  # only so that we can count
        forward.register_comm_hook(None, default_hooks.allreduce_hook)
    for layer in model:
        layer.register_forward_pre_hook(watch)
    for _ in range(3):
        moments[way], sent[:] = [], []
        loss = nn.MSELoss()(forward(inputs.clone().requires_grad_()), labels)
        loss.backward()
        look()
        optimizer.step()
        optimizer.zero_grad(set_to_none=forward is model)  # DDP's buckets stay
    losses[way], traffic[way], keeps[way] = loss.item(), sum(sent), [None] * world_size
    dist.all_gather_object(keeps[way], moments[way][-1])
    if rank == 0:
        print(f"{way}:", *(f"{4 * sum(parts) / whole:.1f}" for parts in keeps[way]))

whole = bytes_of(build().parameters())
torch.manual_seed(rank)  # each rank has its own samples
inputs, labels = torch.randn(2, 16, 96).to(device)  # (samples, features) each
model = build().to(device)
optimizer = torch.optim.Adam(model.parameters())
train("DDP", model, DistributedDataParallel(
    model, gradient_as_bucket_view=True), optimizer)
assert keeps["DDP"] == [[whole, whole, 2 * whole]] * world_size

# %%
# ZeRO-1 deals out the optimizer state
# ------------------------------------
#
# With DDP all ranks compute the same step. ``ZeroRedundancyOptimizer``, the first stage
# of `ZeRO <https://arxiv.org/abs/1910.02054>`__, deals the parameters out. Each rank
# keeps the state of its own, computes their step and broadcasts them. The shares are
# uneven, because parameters are dealt out whole.
from torch.distributed.optim import ZeroRedundancyOptimizer
model = build().to(device)
optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam)
train("ZeRO-1", model, DistributedDataParallel(
    model, gradient_as_bucket_view=True), optimizer)
states = [state for _, _, state in keeps["ZeRO-1"]]
assert sum(states) == 2 * whole and (world_size == 1 or max(states) > min(states))

# %%
# fully_shard cuts every parameter into rows
# ------------------------------------------
#
# ``fully_shard`` makes a parameter a ``DTensor``: it has the shape of the whole, but a
# rank keeps only its own rows, and those of the gradient and of the state. Call it for
# each block, then for the model, which takes what is left, here the last layer. It
# sends nothing, so all ranks must begin with the same model.
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
mesh = init_device_mesh(device.type, (world_size,))  # the ranks that share

def shard(model, **options):
    for block in model[:-1]:
        fully_shard(block, mesh=mesh, **options)
    return fully_shard(model, mesh=mesh, **options)

def share(model, n):  # how many numbers the first of n ranks keeps
    return sum(p.chunk(n)[0].numel() for p in model.parameters())

model = shard(build().to(device))
optimizer = torch.optim.Adam(model.parameters())  # only now: the parameters are new
train("fully_shard", model, model, optimizer)
part = 4 * share(build(), world_size)
assert keeps["fully_shard"][0] == [part, part, 2 * part]
assert sum(map(sum, keeps["fully_shard"])) == 4 * whole

# %%
# A block is whole only while it computes
# ---------------------------------------
#
# A layer needs all of its rows to compute. So one all-gather makes a block whole before
# its forward pass, and afterwards it is freed. A second one makes it whole for its
# backward pass, and then a reduce-scatter gives each rank its rows of the mean
# gradients. With ``reshard_after_forward=False`` a block stays whole in between, which
# saves the second all-gather and resembles the second stage of ZeRO.
longer = "reshard_after_forward=False"
model = shard(build().to(device), reshard_after_forward=False)
train(longer, model, model, torch.optim.Adam(model.parameters()))
most = {way: max(present for present, _, _ in moments[way]) for way in moments}
own = keeps["fully_shard"][rank][0]
assert most["fully_shard"] == own + sum(bytes_of(m.parameters()) for m in build()[-2:])
assert most[longer] == own + whole and most["DDP"] == most["ZeRO-1"] == whole

# %%
# In the figure, on rank 0, parameters and buckets are always there with DDP and ZeRO-1.
# Without resharding, whole blocks add up, and are freed in the backward pass.
# ``fully_shard`` adds the last layer and only one block at a time to the rank's rows.
# So do not shard a model without its blocks, or all of it is whole at once. On GPUs
# expect two whole blocks, because the next one is `gathered early to hide the traffic
# <https://docs.pytorch.org/tutorials/intermediate/FSDP_tutorial.html>`__.
#
# .. alt-text:: Four charts of stacked bars. DDP: 16 high. ZeRO-1: less of Adam. Without
#    resharding, parameters rise and fall. With fully_shard all bars are low.
if rank == 0:
    import matplotlib.pyplot as plt
    fig, axes = plt.subplots(2, 2, sharex=True, sharey=True, figsize=(7, 4.6))
    for ax, way in zip(axes.flat, ("DDP", "ZeRO-1", longer, "fully_shard")):
        floor = [0] * 13
        for k, label in (2, "Adam"), (0, "parameters"), (1, "gradients"):
            bars = [4 * moment[k] / whole for moment in moments[way]]
            style = {"color": f"C{k}", "hatch": ("", "//", "..")[k], "label": label}
            ax.bar(range(13), bars, 0.9, floor, **style)
            floor = [sum(pair) for pair in zip(floor, bars)]
        top, moment = max(zip(floor, range(13)))
        ax.text(moment, top + 0.4, f"{top:.1f}", ha="center")
        ax.set(title=way, ylim=(0, 19), xticks=[2.5, 8.5, 12])
        ax.set(xticklabels=["forward", "backward", "step"])
    ax.legend(reverse=True)
    fig.supylabel("bytes per parameter")
    plt.show()

# %%
# The same training sends half as much again
# ------------------------------------------
#
# DDP sends the bytes of the model twice, in all-reduces. ``fully_shard`` sends them
# three times: each block has two all-gathers and a reduce-scatter. The last layer has
# one all-gather, because its backward pass begins at once. The losses are the same.
assert all(abs(loss - losses["DDP"]) < 1e-4 for loss in losses.values())
if rank == 0:
    print({way: round(size / whole, 2) for way, size in traffic.items()})
full, once = (4 * world_size * share(m, world_size) for m in (build(), build()[-1]))
sizes = [2 * whole, 3 * whole, 3 * full - once, 2 * full]
assert world_size == 1 or [*traffic.values()] == sizes  # one rank gathers nothing

# %%
# A large model begins on the meta device
# ---------------------------------------
#
# So far each rank has built the whole model first. On the meta device tensors have a
# shape, but no memory. After sharding, ``to_empty`` gives memory to this rank's rows,
# and the rank draws numbers for them. Set buffers too, if your model has any.
#
# The large model has 70 billion parameters. Does it fit on 64 GPUs? We only pretend to
# have them: ``share`` computes with shapes, as it did for our own model. Whole blocks
# and activations come on top, and none of the four ways divides activations.
with torch.device("meta"):
    model, large = build(), build(n_blocks=130, width=8192)
shard(model).to_empty(device=device)
torch.manual_seed(rank)  # no two ranks draw the same rows
for parameter in model.parameters():
    nn.init.normal_(parameter.to_local(), std=0.02)
assert bytes_of(model.parameters()) == own and not [*model.buffers()]
gigabytes = {n: round(16 * share(large, n) / 1e9) for n in (1, 8, 16, 64)}
if rank == 0:
    print("GB on each of n GPUs:", gigabytes)
assert gigabytes == {1: 1118, 8: 140, 16: 70, 64: 17}

# %%
# When to use which
# -----------------
#
# On w ranks they keep so many bytes for a parameter, and send so many times the model:
#
# .. list-table::
#    :header-rows: 1
#
#    * - Way
#      - Kept
#      - Sent
#      - When
#    * - DDP
#      - 16 bytes
#      - Twice
#      - Everything fits on a GPU
#    * - ZeRO-1
#      - 8 + 8 / w
#      - Three times
#      - Only the optimizer does not fit
#    * - Without resharding
#      - 16 / w + 4
#      - Twice
#      - Parameters fit, the rest does not
#    * - fully_shard
#      - 16 / w + a block
#      - Three times
#      - Not even the parameters fit
#
# Small blocks or a slow network make ranks wait for each gather. And each forward pass
# has collectives, so all ranks must make it, also to evaluate.
dist.destroy_process_group()

# %%
# Try it
# ------
#
# - Leave out the loop in ``shard``. Which assert notices? Then leave out the
#   assert too. How high is the last chart?
# - Start the file with ``--nproc-per-node=8``. Which charts become lower, and which
#   ranks keep most with ZeRO-1?
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/larger_models/fitting_in_memory` makes activations smaller.
# - The `manual <https://docs.pytorch.org/docs/stable/distributed.fsdp.fully_shard.html>`__
#   shows how to gather in 16 bits, and how to keep parameters in the CPU's memory.
