"""
Fully sharded (FSDP): no rank keeps the whole model
===================================================

:Card: Parameters are whole only while their layer computes.
:Learn: You will shard a model with two lines, see its memory at every moment of a step,
    and count what each setting keeps and sends.
:Prerequisites: :doc:`/tutorials/start/distributed_data_parallel`,
    :doc:`/tutorials/inside/collectives`
:Picture: shard
:Oldest torch: 2.9

With ``DistributedDataParallel`` (DDP), every GPU stores a full copy of everything: the
parameters, their gradients and the optimizer state. For a model with 7 billion
parameters and Adam that's 112 GB before the first sample arrives, and buying a second
GPU doesn't help, because it needs its own 112 GB.

*Fully sharded data parallel* (FSDP, also known as ZeRO-3) divides these bytes between
the GPUs. Each keeps only some rows of every parameter, its *shard*, and a block of
layers is put together just for the moment in which it computes. In PyTorch that's one
function, ``fully_shard``, and the training loop stays as it is.

We begin with the few lines that shard a model. Then we look at everything that a rank
has in memory while a step goes on, because that decides whether your model fits, and
we count the bytes that are sent, because they decide whether it's fast.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 fully_sharded.py
"""

# %%
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin with the same lines, and
# :doc:`/tutorials/start/hello_ranks` explains them. One rank is enough here, but then
# its share is everything.
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
# FSDP in a few lines: shard each block, then the model
# -----------------------------------------------------
#
# Our model has five equal *blocks*, as a transformer has many, and a last layer, its
# head. It is an ordinary model, and knows nothing about ranks.
from torch import nn


class Model(nn.Module):
    def __init__(self, n_blocks=5, width=128):
        super().__init__()
        self.blocks = nn.ModuleList()
        for _ in range(n_blocks):
            block = nn.Sequential(
                nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width))
            self.blocks.append(block)
        self.head = nn.Linear(width, width)

    def forward(self, x):  # (samples, width)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


# %%
# The loop and the line below it shard this model. A call of ``fully_shard`` takes all
# parameters of a module that no earlier call has taken. So call it for each block, and
# then for the model, which gets what is left, here the head. Make the optimizer only
# after that, because the parameters are new ones then. The *mesh* says which ranks
# share the model, here all of them. (In your script you may leave it out. Then
# ``fully_shard`` takes all ranks, and moves the model to the accelerator. This page
# gives it, because it may run on a CPU beside a GPU.)
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

torch.manual_seed(0)  # the same on all ranks
model = Model().to(device)
mesh = init_device_mesh(device.type, (world_size,))

for block in model.blocks:
    fully_shard(block, mesh=mesh)
fully_shard(model, mesh=mesh)

optimizer = torch.optim.Adam(model.parameters(), fused=True)

# %%
# There is one trap. DDP copies the parameters of rank 0 to the other ranks, but
# ``fully_shard`` sends nothing. All ranks must begin with the same model, and the
# easiest way is the same seed.
#
# The training loop doesn't change. Each rank has two samples of its own.
torch.manual_seed(rank)  # each rank has its own samples
inputs = torch.randn(2, 128, device=device)  # (samples, features)
labels = torch.randn(2, 128, device=device)


def train(model, optimizer):
    for _ in range(4):  # steps
        loss = nn.functional.mse_loss(model(inputs).float(), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return loss.item()


loss_sharded = train(model, optimizer)

# %%
# Is that still the same training? To find out, we do it once more with DDP, from the
# same seed and with the same samples. The losses are equal, except for the last digits,
# because the ranks add up in another order.
from torch.nn.parallel import DistributedDataParallel

torch.manual_seed(0)
parallel = DistributedDataParallel(Model().to(device))
loss = train(parallel, torch.optim.Adam(parallel.parameters(), fused=True))
assert abs(loss - loss_sharded) < 1e-4, "FSDP trains something else than DDP"

# %%
# And what has become of a parameter? It is a ``DTensor`` now. That is a tensor with the
# shape of the whole, of which a rank has only its own rows in memory. Adam has seen no
# other rows, so its numbers are divided in the same way.
weight = model.blocks[0][0].weight
rows = weight.to_local()
if rank == 0:
    print("a weight has the shape", tuple(weight.shape), "and here", tuple(rows.shape))

momentum = optimizer.state[weight]["exp_avg"].to_local()
assert world_size == 1 or rows.numel() < weight.numel(), "a rank has all rows"
assert momentum.shape == rows.shape, "Adam has numbers for the rows of other ranks"

# %%
# In your own model, take the layers that repeat for blocks. In a Llama model from
# Hugging Face, for example, they are in `model.model.layers
# <https://github.com/huggingface/transformers/blob/main/src/transformers/models/llama/modeling_llama.py>`__.
# Further below you'll see what happens if you shard only the whole model, without its
# blocks.
#
# ZeRO-1, ZeRO-2 and ZeRO-3: what is divided
# ------------------------------------------
#
# With Adam a rank keeps four numbers for each parameter: the parameter, its gradient,
# and two in the optimizer state. In fp32, numbers of 32 bits, these are 16 bytes. `ZeRO
# <https://arxiv.org/abs/1910.02054>`__, the *zero redundancy optimizer* of DeepSpeed,
# divides them between w ranks in three stages, and other libraries use its names, too.
#
# .. list-table::
#    :header-rows: 1
#
#    * - Stage
#      - What is divided
#      - Bytes for each parameter, in fp32
#      - In PyTorch
#    * - None
#      - Nothing
#      - 16 on each rank, or 20 with DDP's own buckets
#      - ``DistributedDataParallel`` (DDP)
#    * - ZeRO-1
#      - The optimizer state
#      - 8 + 8 / w
#      - ``ZeroRedundancyOptimizer`` together with DDP
#    * - ZeRO-2
#      - The optimizer state and the gradients
#      - 4 + 12 / w
#      - Nearly: ``fully_shard`` with ``reshard_after_forward=False``
#    * - ZeRO-3
#      - The optimizer state, the gradients and the parameters
#      - 16 / w
#      - ``fully_shard``
#
# Why "nearly"? With ZeRO-2 every rank keeps whole parameters all the time. With
# ``fully_shard`` it keeps its rows, and ``reshard_after_forward=False`` adds whole
# parameters only from their forward pass to their backward pass. Between the two,
# memory is fullest, and so both need the same bytes, as we'll count below.
#
# (You may also meet FSDP1, the class ``FullyShardedDataParallel``. What that class
# calls ``SHARD_GRAD_OP`` and ``FULL_SHARD`` are the last two rows. ``fully_shard`` is
# its successor, FSDP2.)
#
# ``ZeroRedundancyOptimizer`` deals the parameters out: each rank keeps the optimizer
# state of its own, computes their step and broadcasts them. The shares are uneven,
# because parameters are dealt out whole. Its docstring calls the class experimental.
#
# Two settings: reshard_after_forward and mixed precision
# -------------------------------------------------------
#
# The table says what a rank *keeps*. A step *needs* more than that, because a layer
# computes with all of its rows. So one *all-gather*, which gives each rank the rows of
# all ranks, makes a block whole before its forward pass, and afterwards it is freed. A
# second one makes it whole for its backward pass, and then a *reduce-scatter* gives
# each rank its rows of the mean gradients.
#
# The whole blocks decide how much memory a step needs, and the all-gathers and
# reduce-scatters decide how long the ranks wait for each other. With two settings you
# can trade one for the other. The first is ``reshard_after_forward``:
#
# - ``True`` is the default for blocks. A block is freed after its forward pass.
# - ``False`` lets a block stay whole until its backward pass, which saves the second
#   all-gather. For the outermost module that is the default, because its backward pass
#   begins at once.
# - With an integer k, a block is divided again after its forward pass, but only between
#   k ranks, for example the 8 of a machine. Then the second all-gather stays within the
#   machine.
#
# The second setting is the *mixed precision policy*. Large models usually compute in
# bf16, numbers of 16 bits. A ``MixedPrecisionPolicy`` whose ``param_dtype`` is
# ``bfloat16`` gathers the parameters in 16 bits too. The rows that a rank keeps, and
# its optimizer state, have the type in which the model was made, and here that's fp32.
# But if you load a model in bf16, they stay in bf16 too, and small updates get lost. So
# call ``model.float()`` before you shard it. Always say in ``reduce_dtype`` how the
# gradients are added up, because without it PyTorch 2.14 and older use 16 bits, and
# newer versions use the type of the parameters that a rank keeps.
from torch.distributed.fsdp import MixedPrecisionPolicy

bf16 = MixedPrecisionPolicy(torch.bfloat16, reduce_dtype=torch.float32)
bf16_reduced = MixedPrecisionPolicy(torch.bfloat16, reduce_dtype=torch.bfloat16)


def fsdp(model, reshard=True, policy=MixedPrecisionPolicy()):
    for p in model.parameters():
        assert p.dtype == torch.float32, "Adam would count in fewer bits"
    for block in model.blocks:
        fully_shard(block, mesh=mesh, reshard_after_forward=reshard, mp_policy=policy)
    fully_shard(model, mesh=mesh, mp_policy=policy)
    return model, torch.optim.Adam(model.parameters(), fused=True)


# %%
# We compare these settings with DDP and with ``ZeroRedundancyOptimizer``, and also with
# a mistake, a model whose blocks have been forgotten. (DDP sends gradients in
# *buckets*. By default these take 4 bytes more for each parameter, 20 instead of 16.
# With ``gradient_as_bucket_view`` the gradients lie in the buckets.)
from torch.distributed.optim import ZeroRedundancyOptimizer


def ddp(model):
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    return DistributedDataParallel(model, gradient_as_bucket_view=True), optimizer


def zero_1(model):
    optimizer = ZeroRedundancyOptimizer(
        model.parameters(), torch.optim.Adam, fused=True)
    return DistributedDataParallel(model, gradient_as_bucket_view=True), optimizer


def without_blocks(model):
    fully_shard(model, mesh=mesh)
    return model, torch.optim.Adam(model.parameters(), fused=True)


# %%
# Here are all strategies by name. With four ranks there is an integer, too: half of the
# ranks. (It's left out where the 128 rows of a weight can't be dealt out evenly,
# because then the numbers below would need their padding.)
from functools import partial

strategies = {
    "DDP": ddp,
    "ZeroRedundancyOptimizer": zero_1,
    "fully_shard": fsdp,
    "reshard_after_forward=False": partial(fsdp, reshard=False)}
k = world_size // 2
if k > 1 and 128 % world_size == 0:
    strategies[f"reshard_after_forward={k}"] = partial(fsdp, reshard=k)
strategies |= {
    "fully_shard, bf16": partial(fsdp, policy=bf16),
    "reshard_after_forward=False, bf16": partial(fsdp, reshard=False, policy=bf16),
    "fully_shard, reduced in bf16": partial(fsdp, policy=bf16_reduced),
    "without blocks": without_blocks}

# %%
# Memory in a step: only a few blocks are whole at once
# -----------------------------------------------------
#
# The folded code below trains with each strategy, and draws what it has counted. It
# sees every operation, and remembers each piece of memory that one of them has made,
# for as long as it is alive. To add up ``model.parameters()`` would not do, because no
# module knows the buffers in which whole blocks arrive and leave. The code uses private
# parts of PyTorch, so do not train with it.
#
# It divides a step into 13 moments: the forward pass of each of the six layers, the
# backward pass of each, and the optimizer's step. For each moment it keeps the most
# that was alive at once on rank 0, in four parts: the optimizer state, this rank's own
# parameters, their gradients, and all the rest. (Activations are in the rest too, but
# those of two samples are only a few hundredths of a block. What Gloo or NCCL take for
# themselves is not counted.)
#
# .. alt-text:: Six charts of stacked bars, bytes per parameter in each moment of a
#    step. DDP: 16 high. ZeroRedundancyOptimizer: less of Adam. fully_shard: all bars
#    are low, and whole blocks are the largest part of most. Without resharding, whole
#    blocks rise and fall, and with an integer half as much. With bf16 the whole blocks
#    are half as large.
import weakref

import matplotlib.pyplot as plt
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


def storages(tree):  # the memory of all tensors in nested lists and tuples
    tensors = [x for x in tree_leaves(tree) if isinstance(x, torch.Tensor)]
    # of a DTensor, what this rank keeps
    return {getattr(t, "_local_tensor", t).untyped_storage() for t in tensors}


class Watch(TorchDispatchMode):
    def __init__(self, model, optimizer):
        super().__init__()
        self.own = list(model.parameters())
        self.optimizer = getattr(optimizer, "optim", optimizer)
        self.alive = weakref.WeakKeyDictionary()  # storage: which part it belongs to
        self.steps = []  # for each step its moments, with the bytes of four parts
        model.register_forward_pre_hook(self.begin_step, prepend=True)
        for layer in [*model.blocks, model.head]:
            layer.register_forward_pre_hook(self.begin_moment, prepend=True)
            layer.register_forward_hook(self.watch_backward, prepend=True)
        self.optimizer.register_step_pre_hook(self.begin_moment)

    def begin_step(self, *_):
        self.steps.append([])
        self.sent = {}  # bytes by kind; only those of the last step count
        self.sent_to_some = 0  # bytes in groups that are not all ranks

    def begin_moment(self, *_):
        self.steps[-1].append([0, 0, 0, 0])

    def watch_backward(self, layer, args, output):
        output.register_hook(self.begin_moment)  # called when its gradient is known

    def moments(self):
        # Gloo may keep a buffer for a moment too long, so take the step with the least.
        # The first one does not count, because Adam makes its numbers in it.
        return [min(moment, key=sum) for moment in zip(*self.steps[1:])]

    def look(self):
        most_so_far = self.steps[-1][-1]
        if sum(storage.nbytes() for storage in self.alive) <= sum(most_so_far):
            return
        numbers = []
        for state in self.optimizer.state.values():
            numbers += [number for number in state.values() if number.dim() > 0]
        gradients = [parameter.grad for parameter in self.own]
        for part, tensors in enumerate((numbers, self.own, gradients)):
            self.alive.update(dict.fromkeys(storages(tensors), part))
        sizes = [0, 0, 0, 0]
        for storage, part in self.alive.items():
            sizes[part] += storage.nbytes()
        self.steps[-1][-1] = sizes

    def count(self, operation, args):
        sizes = [leaf.nbytes for leaf in tree_leaves(args) if torch.is_tensor(leaf)]
        for kind in ("all-gather", "reduce-scatter", "all-reduce", "broadcast"):
            if kind.replace("-", "") in operation.replace("_", ""):
                # An all-reduce is a reduce-scatter and an all-gather.
                size = max(sizes) * (2 if kind == "all-reduce" else 1)
                self.sent[kind] = self.sent.get(kind, 0) + size
        if 1 < max(sizes) // min(sizes) < world_size:
            self.sent_to_some += max(sizes)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if DTensor in types:
            return NotImplemented  # its parts come here one by one
        result = func(*args, **(kwargs or {}))
        for made in storages(result) - storages((args, kwargs)):
            if made.device.type == device.type:
                self.alive.setdefault(made, 3)
        if func.namespace == "c10d" and world_size > 1:  # one rank sends nothing
            self.count(func.name(), args)
        if self.steps and self.steps[-1]:
            self.look()
        return result


losses = {}
moments = {}
sent = {}
sent_to_some = {}
for name, prepare in strategies.items():
    torch.manual_seed(0)
    model = Model().to(device)
    wrapped, optimizer = prepare(model)
    with Watch(model, optimizer) as watch:
        losses[name] = train(wrapped, optimizer)
    moments[name] = watch.moments()
    sent[name] = watch.sent
    sent_to_some[name] = watch.sent_to_some

n_parameters = sum(p.numel() for p in Model().parameters())
if rank == 0:
    fig, axes = plt.subplots(
        3, 2, sharex=True, sharey=True, figsize=(6.4, 6.8), layout="constrained")
    parts = ("Adam", "parameters", "gradients", "whole blocks and buffers")
    styles = (("C2", ".."), ("C0", ""), ("C1", "//"), ("C3", "xx"))
    for ax, name in zip(axes.flat, strategies):
        floor = [0] * 13
        for part, (color, hatch) in enumerate(styles):
            bars = [sizes[part] / n_parameters for sizes in moments[name]]
            look = {"color": color, "hatch": hatch, "label": parts[part]}
            ax.bar(range(13), bars, 0.9, floor, **look)
            floor = [sum(pair) for pair in zip(floor, bars)]
        top, moment = max(zip(floor, range(13)))
        ax.text(moment, top + 0.4, f"{top:.1f}", ha="center")
        ax.set_title(name, fontsize="medium")
        ax.set(ylim=(0, 21), xticks=[2.5, 8.5, 12])
        ax.set(xticklabels=["forward", "backward", "step"])
    legend = ax.get_legend_handles_labels()
    fig.legend(*legend, loc="outside lower center", ncols=2)
    fig.supylabel("bytes per parameter")

# %%
# With DDP and ``ZeroRedundancyOptimizer`` parameters and buckets are always there. With
# ``fully_shard`` only a few blocks are whole at a time. (Here they look large, because
# the model has only five.) Without resharding, whole blocks add up in the forward pass,
# and are freed in the backward pass.
#
# Here is the same in numbers: what rank 0 keeps, at the optimizer's step, and the most
# that it needs at any moment.
peak = {}
kept = {}
for name in strategies:
    peak[name] = max(sum(parts) for parts in moments[name])
    kept[name] = sum(moments[name][12][:3])  # in the optimizer's step, without the rest

if rank == 0:
    print("bytes for each parameter:          kept  needed")
    for name in strategies:
        print(f"{name:34} {kept[name] / n_parameters:4.1f}",
              f"{peak[name] / n_parameters:6.1f}")

# %%
# ``share`` computes what a rank keeps from the shapes alone: rows are dealt out in
# equal parts, and if they can't be divided evenly, the last ranks have fewer.


def share(model, n):  # how many numbers the first of n ranks keeps
    return sum(p.chunk(n)[0].numel() for p in model.parameters())


of_rank_0 = 16 * share(Model(), world_size)
sharded = list(strategies)[2:]  # without DDP and ZeroRedundancyOptimizer
for name in sharded:
    assert rank > 0 or kept[name] == of_rank_0, f"{name} keeps another share"
assert kept["DDP"] == 16 * n_parameters, "DDP doesn't keep 16 bytes"
assert peak["DDP"] < 16.8 * n_parameters, "DDP needs much more than it keeps"

adam = [None] * world_size
dist.all_gather_object(adam, moments["ZeroRedundancyOptimizer"][12][0])
assert sum(adam) == 8 * n_parameters, "ZeRO-1 keeps a number twice, or not at all"
assert world_size == 1 or max(adam) > min(adam), "the shares are even"

# %%
# How many blocks are whole at once: 3 and 4 in fp32
# --------------------------------------------------
#
# How much comes on top of a rank's share? We look for the most of "the rest", and give
# it in blocks of fp32. In the forward pass there are three at once, not one: the
# gathered rows arrive in a buffer, the parameters are copied out of it, and the buffer
# of the block before is kept until that is done. In the backward pass there are four: a
# block's parameters, their gradients, the next block, which is `gathered early to hide
# the traffic <https://docs.pytorch.org/tutorials/intermediate/FSDP_tutorial.html>`__,
# and the gradients of the block before, which wait in the buffer that is sent. The last
# layer and the activations add a little.
#
# In bf16 the three blocks of the forward pass are half as much as before. In the
# backward pass the buffer with gradients in 32 bits is as large as ever, and the other
# three pieces are half as large: 2.5 blocks instead of 4. With 16 bits for all four it
# is 2. (The settings that let blocks stay whole between the passes have more, and the
# next section is about them.)
in_block = sum(p.numel() for p in Model().blocks[0].parameters())


def most(name):  # of the rest, in blocks: in the forward and in the backward pass
    rest = [parts[3] / (4 * in_block) for parts in moments[name]]
    return max(rest[:6]), max(rest[6:12])


if rank == 0:
    print("blocks on top:                     forward  backward")
    for name in sharded:
        forward, backward = most(name)
        print(f"{name:34} {forward:7.1f} {backward:9.1f}")

# %%
# If you forget the blocks, all of the model is whole at once, as a buffer and as
# parameters. Each rank still keeps no more than its share, and no error tells you. So
# look at the peak: on GPUs ``torch.cuda.max_memory_allocated`` gives it. What
# ``nvidia-smi`` shows is more, because PyTorch keeps freed memory for later
# (``torch.cuda.max_memory_reserved``), and NCCL has buffers of its own. (This page
# hasn't run on GPUs. The buffers are made by the same code there, but count on more
# than these numbers, and measure.)
whole_blocks = {  # in the forward and in the backward pass
    "fully_shard": (3, 4),
    "fully_shard, bf16": (1.5, 2.5),
    "fully_shard, reduced in bf16": (1.5, 2)}
if world_size > 1:  # one rank gathers nothing
    for name, (in_forward, in_backward) in whole_blocks.items():
        forward, backward = most(name)
        # PyTorch 2.15 keeps a buffer less in the forward pass.
        assert in_forward * 0.7 < forward < in_forward + 0.3, f"{name}: other blocks"
        assert in_backward < backward < in_backward + 0.7, f"{name}: other, backward"
    assert max(most("without blocks")) > 2 * 5, "not five blocks, twice"

# %%
# reshard_after_forward=False: 12 / w + 4 bytes in fp32, 12 / w + 2 in bf16
# -------------------------------------------------------------------------
#
# With ``False`` each rank comes to have the whole model: 4 more bytes for each
# parameter, or 2 with bf16. Do they come on top of 16 / w? No, only of 12 / w, because
# the gradients, 4 / w, aren't there yet. During the backward pass gradients come block
# by block, while whole blocks are freed block by block. So a step needs 12 / w + 4
# bytes for each parameter in fp32, and 12 / w + 2 with bf16.
#
# At most 8 bytes for each parameter of one block come on top in fp32, for two buffers
# in the forward pass. With bf16 it's at most 6, in the backward pass: the gradients of
# a block in 16 bits, and the buffer in which they are sent in 32 bits.
#
# All this is different if you accumulate gradients over several passes. Then those of
# the pass before are there already, and it's 16 / w instead of 12 / w.
#
# With an integer k, what stays between the passes is 4 / k instead of 4, and at most as
# many blocks come on top as with ``fully_shard`` alone.
needs = {  # bytes for each parameter, and on top for each parameter of a block
    "fully_shard": (16 / world_size, 16),
    "reshard_after_forward=False": (12 / world_size + 4, 8),
    "fully_shard, bf16": (16 / world_size, 10),
    "reshard_after_forward=False, bf16": (12 / world_size + 2, 6),
    "fully_shard, reduced in bf16": (16 / world_size, 8)}
if f"reshard_after_forward={k}" in strategies:
    needs[f"reshard_after_forward={k}"] = (12 / world_size + 4 / k, 16)

for name, (everywhere, on_top) in needs.items():
    formula = everywhere * n_parameters + on_top * in_block
    if world_size > 1:
        assert peak[name] < formula + 0.3 * 4 * in_block, f"{name} needs more"
        assert peak[name] > formula - 4 * in_block, f"{name} needs less"

# %%
# No formula is too low by more than a third of a block, and none is too high by more
# than one. (Those of ``fully_shard`` count all gradients, but those of two blocks
# aren't there yet when memory is fullest.)
#
# Bytes sent: 12 in fp32, but in bf16 no more than DDP
# ----------------------------------------------------
#
# How much is sent in a step? We add up the bytes that the collectives put together, and
# those of an all-reduce twice, because it is a reduce-scatter and an all-gather. (Where
# ranks send in a ring, (w - 1) / w of these bytes leave a rank.) One rank sends
# nothing.
if rank == 0 and world_size > 1:
    print("bytes sent for each parameter:")
    for name in strategies:
        kinds = [f"{n / n_parameters:.1f} {kind}" for kind, n in sent[name].items()]
        total = sum(sent[name].values()) / n_parameters
        print(f"{name:34} {total:4.1f} =", " + ".join(kinds))

# %%
# DDP sends the gradients in all-reduces, and so 8 bytes for each parameter. In fp32
# ``fully_shard`` sends 12: each block has two all-gathers and a reduce-scatter. The
# last layer has one all-gather, because its backward pass begins at once. With
# ``reshard_after_forward=False`` that's true for all layers, which makes 8. An integer
# saves no bytes, but all second all-gathers stay within k ranks.
#
# In bf16, an all-gather carries 2 bytes for each parameter. So ``fully_shard`` sends no
# more than DDP, and if gradients are reduced in bf16 too, less. (You may read that FSDP
# sends half as much again as DDP. That's true if both send numbers of the same size: 12
# and 8 in fp32, or 6 and 4 when a communication hook lets DDP send its gradients in
# bf16.)
#
# When can these bytes hide behind the computation? A forward and a backward pass take 6
# operations for each parameter and token, or 8 with activation checkpointing. So the
# size of the model doesn't matter, only the number of tokens on each GPU in a pass.
# Here is with how many it computes for as long as it sends 8 bytes for each parameter.
# The speeds are assumptions: 400 TFLOP/s, which is 40 % of the peak of an H100 in bf16,
# and two links.
for link, bytes_per_second in {"50 GB/s": 50e9, "450 GB/s (NVLink)": 450e9}.items():
    tokens_per_gpu = 8 / bytes_per_second * 400e12 / 6
    if rank == 0 and world_size > 1:
        print(f"{link}: {tokens_per_gpu:,.0f} tokens on each GPU,",
              f"with checkpointing {tokens_per_gpu * 6 / 8:,.0f}")

# %%
# With fewer tokens the ranks wait. If your links between machines ask for more than you
# have, use hybrid sharding (below), whose all-gathers stay within a machine.


def padded(module):  # numbers that a collective carries, with the padding of all ranks
    return world_size * share(module, world_size)


all_layers = padded(Model())
last_layer = padded(Model().head)
expected = {
    "DDP": 8 * n_parameters,
    "ZeroRedundancyOptimizer": 12 * n_parameters,
    "fully_shard": 12 * all_layers - 4 * last_layer,
    "reshard_after_forward=False": 8 * all_layers,
    f"reshard_after_forward={k}": 12 * all_layers - 4 * last_layer,
    "fully_shard, bf16": 8 * all_layers - 2 * last_layer,
    "reshard_after_forward=False, bf16": 6 * all_layers,
    "fully_shard, reduced in bf16": 6 * all_layers - 2 * last_layer,
    "without blocks": 8 * all_layers}

# %%
# These are the bytes to the last one. And the losses are those of DDP, so that no
# setting has changed the training. (With bf16, which has only two to three digits, they
# differ a little.)
for name in strategies:
    total = sum(sent[name].values())
    assert world_size == 1 or total == expected[name], f"{name} sends other bytes"
    is_int = name == f"reshard_after_forward={k}"
    within = 4 * (all_layers - last_layer) if is_int else 0
    assert sent_to_some[name] == within, f"{name}: other bytes stay within k ranks"
    tolerance = 0.01 if "bf16" in name else 1e-4
    assert abs(losses[name] - losses["DDP"]) < tolerance, f"{name} trains otherwise"

# %%
# Does a model with 70 billion parameters fit on 64 GPUs?
# -------------------------------------------------------
#
# We only pretend to have them. On the *meta device* tensors have a shape, but no
# memory, so a laptop can make the blocks of `Llama 3 with 70 billion parameters
# <https://arxiv.org/abs/2407.21783>`__, and ``share`` computes with their shapes, as it
# did for our own model. The blocks on top are as many as we counted.
def llama_block():  # its matrices, without the small norms
    shapes = [(8192, 8192), (8192, 1024), (8192, 1024), (8192, 8192)]  # attention
    shapes += [(8192, 28672), (8192, 28672), (28672, 8192)]  # feed-forward
    return nn.ModuleList(nn.Linear(n, m, bias=False) for n, m in shapes)


layers = 80
with torch.device("meta"):
    large = nn.ModuleList(llama_block() for _ in range(layers))
in_large_block = sum(p.numel() for p in large[0].parameters())
gigabytes = {n: round(16 * share(large, n) / 1e9) for n in (1, 8, 16, 64)}
on_top = {}
for name in ("fully_shard", "fully_shard, bf16", "fully_shard, reduced in bf16"):
    on_top[name] = round(needs[name][1] * in_large_block / 1e9, 1)
if rank == 0:
    print("GB on each of n GPUs:", gigabytes)
    print("GB of whole blocks on top:", on_top)
assert gigabytes == {1: 1095, 8: 137, 16: 68, 64: 17}, "other shares"
assert list(on_top.values()) == [13.7, 8.6, 6.8], "other blocks"

# %%
# That's 17 GB, and with bf16 9 more for whole blocks. But a language model has more
# than blocks. In this one the embedding and the head, with a vocabulary of 128,000,
# have 2 billion parameters. If only the last call of ``fully_shard`` takes both, they
# stay whole from the beginning of the forward pass to the end of the backward pass,
# when they take 2 bytes for a parameter, 2 for its gradient, and 4 for the buffer that
# is sent.
#
# And each rank has the activations of its own samples. Let it be one sample of 4,096
# tokens, with *activation checkpointing*: each of the 80 layers then keeps only its
# input, and computes the rest again when it's needed, one layer at a time. The logits,
# a number for each token and each entry of the vocabulary, are in fp32, and
# ``cross_entropy`` has three such numbers at once: the logits, their log-softmax, which
# is kept, and their gradients.
tokens = 4096
vocabulary = 128_000
embedding_and_head = 2 * vocabulary * 8192
in_one_layer = 6 * 8192 + 2 * 1024 + 4 * 28672  # numbers for a token, about
needed = {  # GB on each of 64 GPUs, with bf16
    "share of the blocks": 16 * share(large, 64) / 1e9,
    "whole blocks": on_top["fully_shard, bf16"],
    "share of embedding and head": 16 * embedding_and_head / 64 / 1e9,
    "whole embedding and head": (2 + 2 + 4) * embedding_and_head / 1e9,
    "inputs of the layers": layers * tokens * 8192 * 2 / 1e9,
    "one layer, computed again": 2 * tokens * in_one_layer / 1e9,
    "logits and loss": 3 * 4 * tokens * vocabulary / 1e9}
if rank == 0:
    for name, number in needed.items():
        print(f"{name:28} {number:4.1f} GB")
    print(f"{'together, if all at once':28} {sum(needed.values()):4.1f} GB")
assert 50 < sum(needed.values()) < 60, "other numbers than the text below has"

# %%
# So it fits on GPUs of 80 GB, with one or two samples at a time. But with checkpointing
# and links of 50 GB/s, a pass needs the 8,000 tokens from above to hide what is sent.
# With one sample of 4,096 tokens the ranks would wait for about half of the time.
#
# Not all of it is there at the same moment, so 56 GB is rather too much. Three things
# make it less. Give the embedding and the head a ``fully_shard`` of their own, and each
# is whole only while it computes. (If they share one weight, both must be in the same
# call: ``fully_shard([embedding, head])``. Otherwise ``fully_shard`` refuses.) Compute
# the :doc:`logits in chunks </tutorials/larger_models/fitting_in_memory>`. And with a
# given global batch more ranks divide the activations, although no strategy on this
# page divides those of a single sample.
#
# What else changes in your program
# ---------------------------------
#
# The training loop of this page is too simple for work.
# :doc:`/tutorials/larger_models/real_run` is a whole FSDP program, and shows what else
# differs from one for DDP:
#
# - *Meta device initialization*: if a model fits on no GPU, create it on the meta
#   device, then give memory to one block after the other, and shard it.
# - *Mixed precision*: the policy replaces ``autocast``, but it converts only parameters
#   and inputs. ``autocast`` also computes a softmax or a loss in fp32, and now you do
#   that yourself, as ``train`` does with ``float()``.
# - *Frozen parameters*, as with LoRA, have no gradients and no numbers in Adam. They
#   keep 4 / w bytes instead of 16 / w, and may be in one block with the others.
# - *Gradient clipping*: ``torch.nn.utils.clip_grad_norm_`` computes the norm over the
#   rows of all ranks by itself.
# - *Gradient accumulation*: ``set_requires_gradient_sync(False)`` leaves out the
#   reduce-scatters, and lets each rank keep the gradients of the whole model. Unlike
#   with DDP's ``no_sync``, a pass still sends something, its all-gathers: 8 of 12 bytes
#   in fp32, and 4 of 8 with bf16.
# - *Other methods than* ``forward``: ``model.score(x)``, say, doesn't gather what the
#   last call of ``fully_shard`` took. You get an error about ``mixed torch.Tensor and
#   DTensor``, unless you call ``register_fsdp_forward_method(model, "score")`` before.
# - *Checkpoints*: each rank saves its own rows, and another number of ranks can load
#   them.
# - *Evaluation*: each forward pass has collectives, so all ranks must make the same
#   number of them, or they hang.
#
# When to use which
# -----------------
#
# Here are the bytes for each parameter, on w ranks and with Adam. "+ 8 b" stands for at
# most 8 more bytes for each parameter of one block. Activations come on top, too.
#
# .. list-table::
#    :header-rows: 1
#
#    * - Strategy
#      - Needed in fp32
#      - Needed with bf16
#      - Sent in fp32, sent with bf16
#      - When
#    * - DDP
#      - 16 on each rank (20 with its own buckets)
#      - 16 or 20, and the copies that ``autocast`` makes
#      - 8 and 8
#      - Everything fits on a GPU
#    * - ``reshard_after_forward=False``
#      - 12 / w + 4 + 8 b
#      - 12 / w + 2 + 6 b
#      - 8 and 6
#      - The whole parameters fit, the rest doesn't
#    * - ``reshard_after_forward=k``
#      - 12 / w + 4 / k + 16 b
#      - Not counted here
#      - 12 in fp32, of which 4 stay within k ranks
#      - Slow links between machines, but try hybrid sharding first
#    * - ``fully_shard``
#      - 16 / w + 16 b
#      - 16 / w + 10 b
#      - 12 and 8
#      - Not even the whole parameters fit
#
# If the links between machines are slow, there is also *hybrid sharding* (HSDP): the
# GPUs of one machine share the model, and each machine has a copy. With a mesh of two
# dimensions ``fully_shard`` does that, and
# :doc:`/tutorials/larger_models/two_dimensions` counts what it keeps and sends.
#
# ``ZeroRedundancyOptimizer`` isn't in the table, because ``fully_shard`` without
# resharding is usually the better way. With more than two ranks it needs less, unless
# two blocks are a large part of the model, and it sends less.
#
# How large should a block be? Large ones need more memory, as the table shows. Small
# ones cost time, because each all-gather takes a while even if it carries little, and
# ranks wait for it. The layers of a transformer are usually a good size. (This is
# reasoned, not measured here.)
#
# At the end every rank leaves the group. Only then does rank 0 open the window of its
# figure, because a window stops the program until you close it.
if world_size > 2:
    assert peak["reshard_after_forward=False"] < peak["ZeroRedundancyOptimizer"], (
        "without resharding a step needs more than with ZeRO-1")
import time

time.sleep(0.1)  # a thread of Gloo may still free a tensor, and aborts if Python ends
dist.destroy_process_group()
if rank == 0:
    plt.show()  # last: while a window is open, no other rank waits

# %%
# Try it
# ------
#
# Predict first, then run.
#
# - Leave out ``optimizer.zero_grad()``, so that each pass adds to the gradients of the
#   one before, as in gradient accumulation. Which strategy needs more, and how much?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      ``reshard_after_forward=False``, and its assert says so. With four ranks a step
#      needs 9.6 bytes for each parameter instead of 8.6. The gradients of the pass
#      before take 4 / w bytes, here one, and now they are there when all blocks are
#      whole. ``fully_shard`` needs 7.3 instead of 6.9, which its formula allows,
#      because it counts all gradients.
#
# - Start the file with ``--nproc-per-node=8``. Which charts become lower, and which
#   ranks keep most with ``ZeroRedundancyOptimizer``?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      All but that of DDP, but the whole blocks on top stay as many as before. Ranks 0
#      and 1 keep most, 9.6 bytes for a parameter. The ten large weights are dealt out
#      whole to eight ranks, so two ranks get two of them.
#
# - In your own script: on the meta device, build your model and compute ``16 *
#   share(model, n)`` for your number of GPUs, plus 10 times the parameters of its
#   largest block. (If the last call of ``fully_shard`` takes more than that, it is the
#   largest.) How much is left on a GPU for activations?
#
# What to remember
# ----------------
#
# - Call ``fully_shard`` for each block and then for the model, and make the optimizer
#   after that. Without the blocks, the whole model is gathered at once, and no error
#   tells you.
# - A step needs 16 / w bytes for a parameter on w ranks, and some whole blocks on top:
#   four in fp32, 2 to 2.5 with bf16.
# - In fp32 it sends 12 bytes for a parameter, where DDP sends 8. With bf16 it sends 8,
#   and 6 if gradients are reduced in bf16 too.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/larger_models/real_run` puts all this into a program to copy.
# - :doc:`/tutorials/larger_models/fitting_in_memory` makes activations smaller.
# - :doc:`/tutorials/long_runs/choosing` compares FSDP with other strategies, in bytes
#   and seconds.
# - The `manual
#   <https://docs.pytorch.org/docs/stable/distributed.fsdp.fully_shard.html>`__ shows
#   how to keep parameters in the CPU's memory.
