"""
Fully sharded: no rank keeps the whole model
============================================

:Card: Parameters are whole only while their layer computes.
:Learn: You will shard a model, and count what each rank keeps and what it sends.
:Prerequisites: :doc:`/tutorials/start/distributed_data_parallel`,
    :doc:`/tutorials/inside/collectives`
:Picture: shard
:Oldest torch: 2.9

Data parallel training divides the batch, but every GPU keeps the whole model, its
gradients and the optimizer state. When these do not fit, more GPUs do not help.

We train one model in four ways, from whole copies to ``fully_shard``, where a rank
keeps only its share of everything. In each we count all memory that is in use at any
moment of a step, and everything that is sent.

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
# With DDP every rank keeps 16 bytes for each parameter
# -----------------------------------------------------
#
# With Adam a rank keeps four numbers for each parameter: the parameter, its gradient,
# and two in the state of the optimizer. In 32 bits these are 16 bytes. Our model has
# five equal blocks, as a transformer has many, and a last layer.
#
# Each rank has two samples of its own. ``fused=True`` lets Adam work in place, so that
# its step needs no other memory.
from torch import nn


def build(n_blocks=5, width=128):
    torch.manual_seed(0)
    blocks = [
        nn.Sequential(
            nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width))
        for _ in range(n_blocks)]
    return nn.Sequential(*blocks, nn.Linear(width, width))


def adam(model):
    return torch.optim.Adam(model.parameters(), fused=True)


def train(model, optimizer):
    for _ in range(3):
        loss = nn.functional.mse_loss(model(inputs).float(), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return loss.item()


torch.manual_seed(rank)  # each rank has its own samples
inputs, labels = torch.randn(2, 2, 128).to(device)  # (samples, features) each

# %%
# The next code only measures. It uses private parts of PyTorch, so do not train with
# it. ``Count`` sees every operation, and remembers each piece of memory that one of
# them has made, for as long as it is alive. To add up ``model.parameters()`` would not
# do, because no module knows the buffers in which whole blocks arrive and leave.
#
# It divides a step into 13 moments: the forward pass of each of the six layers, the
# backward pass of each, and the optimizer's step. For each moment it keeps the most
# that was alive at once, in four parts: the optimizer state, this rank's own
# parameters, their gradients, and all the rest. (Activations are in the rest too, but
# those of two samples are only a few hundredths of a block. What Gloo or NCCL take for
# themselves is not counted.) It also adds up the bytes of the collectives, and those of
# an all-reduce twice, because it is a reduce-scatter and an all-gather.
import weakref

from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

PARTS = ("Adam", "parameters", "gradients", "whole blocks and buffers")


def storages(tree):  # the memory of all tensors in nested lists and tuples
    tensors = [x for x in tree_leaves(tree) if isinstance(x, torch.Tensor)]
    # of a DTensor, what this rank keeps
    return {getattr(t, "_local_tensor", t).untyped_storage() for t in tensors}


class Count(TorchDispatchMode):
    def __init__(self, model, optimizer):
        super().__init__()
        self.own, self.optimizer = list(model.parameters()), optimizer
        self.alive = weakref.WeakKeyDictionary()  # storage: which part it belongs to
        self.moments, self.sent = [], 0
        model.register_forward_pre_hook(self.begin_step, prepend=True)
        for layer in model:
            layer.register_forward_pre_hook(self.begin_moment, prepend=True)
            layer.register_forward_hook(self.watch_backward, prepend=True)
        optimizer.register_step_pre_hook(self.begin_moment)

    def begin_step(self, *_):
        self.moments, self.sent = [], 0  # only the last step counts

    def begin_moment(self, *_):
        self.moments.append([0, 0, 0, 0])

    def watch_backward(self, layer, args, output):
        output.register_hook(self.begin_moment)  # called when its gradient is known

    def look(self):
        states = getattr(self.optimizer, "optim", self.optimizer).state.values()
        numbers = [t for state in states for t in state.values() if t.dim() > 0]
        gradients = [p.grad for p in self.own]
        for part, tensors in enumerate((numbers, self.own, gradients)):
            self.alive.update(dict.fromkeys(storages(tensors), part))
        sizes = [0, 0, 0, 0]
        for storage, part in self.alive.items():
            sizes[part] += storage.nbytes()
        self.moments[-1] = max(self.moments[-1], sizes, key=sum)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if DTensor in types:
            return NotImplemented  # its parts come here one by one
        result = func(*args, **(kwargs or {}))
        for made in storages(result) - storages((args, kwargs)):
            if made.device.type == device.type:
                self.alive.setdefault(made, 3)
        if func.namespace == "c10d" and world_size > 1:  # one rank sends nothing
            size = max(t.nbytes for t in tree_leaves(args) if torch.is_tensor(t))
            self.sent += 2 * size if "allreduce" in func.name() else size
        if self.moments:
            self.look()
        return result


losses, moments, keeps, sent = {}, {}, {}, {}


def count(way, model, optimizer, forward=None):
    with Count(model, optimizer) as counter:
        losses[way] = train(forward or model, optimizer)
    moments[way], sent[way] = counter.moments, counter.sent
    keeps[way] = [None] * world_size
    dist.all_gather_object(keeps[way], moments[way][12][:3])
    if rank == 0:
        print(f"{way}:", *(f"{4 * sum(parts) / whole:.1f}" for parts in keeps[way]))


def bytes_of(model):
    return sum(p.nbytes for p in model.parameters())


# %%
# For each way we print how many bytes each rank keeps for a parameter, just before the
# optimizer's step. With DDP they are 16, if ``gradient_as_bucket_view`` lets the
# gradients lie in the buckets that are sent. By default these are 4 bytes more.
from torch.nn.parallel import DistributedDataParallel

whole = bytes_of(build())

model = build().to(device)
optimizer = adam(model)
parallel = DistributedDataParallel(model, gradient_as_bucket_view=True)
count("DDP", model, optimizer, parallel)
assert keeps["DDP"] == [[2 * whole, whole, whole]] * world_size
assert moments["DDP"][12][3] < 0.01 * whole  # Adam needed nothing else

# %%
# ZeRO-1 deals out the optimizer state
# ------------------------------------
#
# With DDP all ranks compute the same step. The first stage of `ZeRO
# <https://arxiv.org/abs/1910.02054>`__ divides this work, and with it the optimizer
# state. ``ZeroRedundancyOptimizer`` is PyTorch's implementation for use with DDP. Its
# docstring calls it experimental. It deals the parameters out: each rank keeps the
# state of its own, computes their step and broadcasts them. The shares are uneven,
# because parameters are dealt out whole.
from torch.distributed.optim import ZeroRedundancyOptimizer

zero = "ZeroRedundancyOptimizer"
model = build().to(device)
optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, fused=True)
parallel = DistributedDataParallel(model, gradient_as_bucket_view=True)
count(zero, model, optimizer, parallel)
states = [state for state, _, _ in keeps[zero]]
assert sum(states) == 2 * whole and (world_size == 1 or max(states) > min(states))

# %%
# fully_shard cuts every parameter into rows
# ------------------------------------------
#
# ``fully_shard`` is PyTorch's *fully sharded data parallel*, FSDP, and resembles the
# third stage of ZeRO. It makes a parameter a ``DTensor``: it has the shape of the
# whole, but a rank keeps only its own rows, and those of the gradient and of the state.
# Call it for each block, then for the model, which takes what is left, here the last
# layer. It sends nothing, so all ranks must begin with the same model.
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

mesh = init_device_mesh(device.type, (world_size,))  # the ranks that share


def shard(model, **options):
    for block in model[:-1]:
        fully_shard(block, mesh=mesh, **options)
    return fully_shard(model, mesh=mesh, **options)


# %%
# Nothing else changes: ``count`` runs the same training loop, ``train``, as for the
# other ways. Only make the optimizer after sharding, because the parameters are new
# then.
model = shard(build().to(device))
optimizer = adam(model)
count("fully_shard", model, optimizer)  # trains, as above


def share(model, n):  # how many numbers the first of n ranks keeps
    return sum(p.chunk(n)[0].numel() for p in model.parameters())


part = 4 * share(build(), world_size)
assert keeps["fully_shard"][0] == [2 * part, part, part]
assert sum(state for state, _, _ in keeps["fully_shard"]) == 2 * whole

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
count(longer, model, adam(model))

# %%
# How much comes on top of a rank's share? We look for the most of "the rest", and give
# it in blocks. In the forward pass there are three at once, not one: the gathered rows
# arrive in a buffer, the parameters are copied out of it, and the buffer of the block
# before is kept until that is done. In the backward pass there are four: a block's
# parameters, their gradients, the next block, which is `gathered early to hide the
# traffic <https://docs.pytorch.org/tutorials/intermediate/FSDP_tutorial.html>`__, and
# the gradients of the block before, which wait in the buffer that is sent. The last
# layer and the activations add a little.
block = bytes_of(build()[0])


def most(way):  # of the rest, in blocks: in the forward and in the backward pass
    rest = [parts[3] / block for parts in moments[way]]
    return max(rest[:6]), max(rest[6:12])


if rank == 0:
    for way in (longer, "fully_shard"):
        print(f"{way}: {most(way)[0]:.1f} and {most(way)[1]:.1f} blocks on top")
for way in ("DDP", zero):
    assert max(most(way)) < 0.6  # a gradient on its way to its bucket
if world_size > 1:  # one rank gathers nothing
    forward, backward = most("fully_shard")
    assert 3 < forward < 3.3 and 4 < backward < 5.5, (  # 4, or 5 on a busy machine
        "another number of whole blocks on top")
    forward, _ = most(longer)
    assert 5 + 2 < forward < 5 + 2.3

# %%
# In the figure, on rank 0, parameters and buckets are always there with DDP and
# ``ZeroRedundancyOptimizer``. Without resharding, whole blocks add up, and are freed in
# the backward pass. ``fully_shard`` has only a few at a time. Here they look large,
# because the model has only five. Do not shard a model without its blocks, or all of it
# is whole at once, as buffers and as parameters. On GPUs
# ``torch.cuda.max_memory_allocated`` tells how much memory was in use at most.
#
# .. alt-text:: Four charts of stacked bars. DDP: 16 high. ZeroRedundancyOptimizer: less
#    of Adam. Without resharding, whole blocks rise and fall. With fully_shard all bars
#    are low, and whole blocks are the largest part of most.
if rank == 0:
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(
        2, 2, sharex=True, sharey=True, figsize=(7, 4.8), layout="constrained")
    styles = (("C2", ".."), ("C0", ""), ("C1", "//"), ("C3", "xx"))
    for ax, way in zip(axes.flat, ("DDP", zero, longer, "fully_shard")):
        floor = [0] * 13
        for k, (color, hatch) in enumerate(styles):
            bars = [4 * parts[k] / whole for parts in moments[way]]
            look = {"color": color, "hatch": hatch, "label": PARTS[k]}
            ax.bar(range(13), bars, 0.9, floor, **look)
            floor = [sum(pair) for pair in zip(floor, bars)]
        top, moment = max(zip(floor, range(13)))
        ax.text(moment, top + 0.4, f"{top:.1f}", ha="center")
        ax.set(title=way, ylim=(0, 21), xticks=[2.5, 8.5, 12])
        ax.set(xticklabels=["forward", "backward", "step"])
    legend = ax.get_legend_handles_labels()
    fig.legend(*legend, loc="outside lower center", ncols=4)
    fig.supylabel("bytes per parameter")

# %%
# Half as much again is sent, but not with 16 bits
# ------------------------------------------------
#
# DDP sends the bytes of the model twice, in all-reduces. ``fully_shard`` sends them
# three times: each block has two all-gathers and a reduce-scatter. The last layer has
# one all-gather, because its backward pass begins at once. The losses are the same.
#
# ``ZeroRedundancyOptimizer`` also sends three times as much as the model has, because
# its broadcasts come after DDP's all-reduces. That is a property of this class. The
# stages 1 and 2 of the ZeRO paper replace the all-reduce by a reduce-scatter, gather
# the parameters after the step, and so send twice, as DDP does.
#
# Large models usually compute in 16 bits. A ``MixedPrecisionPolicy`` whose
# ``param_dtype`` is ``bfloat16`` gathers the parameters in 16 bits too, while the rows
# that a rank keeps, and its optimizer state, stay in 32 bits. Unless ``reduce_dtype``
# says otherwise, the gradients are then also added up in 16 bits.
from torch.distributed.fsdp import MixedPrecisionPolicy

half = "bfloat16, reduced in float32"
policy = MixedPrecisionPolicy(torch.bfloat16, reduce_dtype=torch.float32)
model = shard(build().to(device), mp_policy=policy)
count(half, model, adam(model))

model = shard(build().to(device), mp_policy=MixedPrecisionPolicy(torch.bfloat16))
count("bfloat16", model, adam(model))

for way, loss in losses.items():
    assert abs(loss - losses["DDP"]) < (0.01 if "bfloat16" in way else 0.0001)
if rank == 0:
    print({way: round(size / whole, 2) for way, size in sent.items()})
full, once = (4 * world_size * share(m, world_size) for m in (build(), build()[-1]))
expected = {
    "DDP": 2 * whole, zero: 3 * whole, "fully_shard": 3 * full - once, longer: 2 * full,
    half: 2 * full - once / 2, "bfloat16": 1.5 * full - once / 2}
assert world_size == 1 or sent == expected

# %%
# So with 16 bits for the parameters ``fully_shard`` sends no more than DDP with 32, and
# with 16 bits for the gradients too, less. Whole blocks become smaller as well. In the
# forward pass three blocks of 16 bits are half as much as before. In the backward pass
# the buffer with gradients in 32 bits is as large as ever, and the other three pieces
# are half as large: 2.5 blocks instead of 4. With 16 bits for all four it is 2.
if rank == 0:
    for way in (half, "bfloat16"):
        print(f"{way}: {most(way)[0]:.1f} and {most(way)[1]:.1f} blocks on top")
if world_size > 1:
    assert 1.5 < most(half)[0] < 1.7 and 2.5 < most(half)[1] < 2.8
    assert 1.5 < most("bfloat16")[0] < 1.7 and 2 < most("bfloat16")[1] < 2.3

# %%
# A large model begins on the meta device
# ---------------------------------------
#
# So far each rank has built the whole model first. On the meta device tensors have a
# shape, but no memory. So a rank can build a large model there, and then go from block
# to block: ``to_empty`` gives it memory, ``reset_parameters`` draws its numbers as the
# constructor would have done, and ``fully_shard`` keeps this rank's rows and frees the
# others. Only one block is whole at a time. All ranks use the same seed, because each
# draws whole blocks, and the result equals a model that was built in one piece.
def draw(module):
    module.to_empty(device=device)
    for layer in module.modules():
        if hasattr(layer, "reset_parameters"):
            layer.reset_parameters()


with torch.device("meta"):
    model = build()
torch.manual_seed(0)  # the same on all ranks
for layers in model[:-1]:
    draw(layers)
    fully_shard(layers, mesh=mesh)
draw(model[-1])
fully_shard(model, mesh=mesh)

with device:
    in_one_piece = build()
for sharded, one in zip(model.parameters(), in_one_piece.parameters()):
    assert torch.equal(sharded.full_tensor(), one)
assert not [*model.buffers()]

# %%
# ``reset_parameters`` is what a module uses itself. So a norm gets ones, while a loop
# that draws all parameters from one distribution would spoil it. If a module of your
# own has parameters or buffers, give it such a method too.
#
# You will also meet programs that shard first, and then call ``to_empty`` and
# ``reset_parameters`` for the rows alone. On GPUs this is right with one seed, because
# there `PyTorch gives each rank random numbers of its own, and replicas the same
# <https://github.com/pytorch/pytorch/blob/main/torch/distributed/tensor/_random.py>`__.
# On the CPU it only warns, and all ranks draw the same rows. A seed for each rank would
# be no cure: replicas, as hybrid sharding has them in
# :doc:`/tutorials/larger_models/two_dimensions`, would begin with different weights.
#
# The large model has 70 billion parameters. Does it fit on 64 GPUs? We only pretend to
# have them: ``share`` computes with shapes, as it did for our own model. The blocks on
# top are as many as we counted in the backward pass, and half a gigabyte is enough for
# the last layer.
with torch.device("meta"):
    large = build(n_blocks=130, width=8192)
gigabytes = {n: round(16 * share(large, n) / 1e9) for n in (1, 8, 16, 64)}
n_blocks = {"float32": 4, half: 2.5, "bfloat16": 2}
on_top = {way: round(n * bytes_of(large[0]) / 1e9, 1) for way, n in n_blocks.items()}
if rank == 0:
    print("GB on each of n GPUs:", gigabytes)
    print("GB of whole blocks on top:", on_top)
assert gigabytes == {1: 1118, 8: 140, 16: 70, 64: 17}
assert on_top == {"float32": 8.6, half: 5.4, "bfloat16": 4.3}

# %%
# Activations come on top too. Each rank has those of its own samples. So with a given
# global batch more ranks divide the activations, whichever way you choose, but no way
# on this page divides those of a single sample.
#
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
#    * - ``ZeroRedundancyOptimizer``
#      - 8 + 8 / w
#      - Three times
#      - You need DDP, and only the optimizer state does not fit
#    * - Without resharding
#      - 16 / w + 4, and two blocks
#      - Twice
#      - Parameters fit, the rest does not
#    * - ``fully_shard``
#      - 16 / w, and four blocks
#      - Three times
#      - Not even the parameters fit
#    * - ``fully_shard`` in ``bfloat16``
#      - 16 / w, and 2 to 2.5 blocks
#      - 1.5 times to twice
#      - The same, and you compute in 16 bits
#
# So if only the optimizer state does not fit, ``fully_shard`` without resharding is
# usually the better way. With more than two ranks it keeps less than
# ``ZeroRedundancyOptimizer``, unless two blocks are a large part of the model, and it
# sends less.
#
# Small blocks or a slow network make ranks wait for each gather. And each forward pass
# has collectives, so all ranks must make it, also to evaluate.
#
# At the end every rank leaves the group. Only then does rank 0 open the window of its
# figure, because a window stops the program until you close it.
if world_size > 2:
    assert max(map(sum, moments[longer])) < max(map(sum, moments[zero]))
    assert sent[longer] < sent[zero]
dist.destroy_process_group()
if rank == 0:
    plt.show()  # last: while a window is open, no other rank waits

# %%
# Try it
# ------
#
# Predict first, then run.
#
# - Leave out the loop in ``shard``. Which assert notices? Then leave out the asserts
#   too. How high is the last chart?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      ``assert 3 < forward < 3.3`` fails, because about ten blocks come on top instead
#      of three. The last chart is then 11.0 high with four ranks, as without
#      resharding, and higher than ``ZeroRedundancyOptimizer``. The whole model is
#      gathered at once, as a buffer and as parameters, although each rank still keeps
#      only its 4 bytes.
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
#   share(model, n)`` for your number of GPUs, plus four times ``bytes_of`` its largest
#   block. How much is left on a GPU for activations?
#
# What to remember
# ----------------
#
# - ``fully_shard`` keeps 16 / w bytes for a parameter on w ranks, and some whole
#   blocks come on top: four in 32 bits, 2 to 2.5 with ``bfloat16``.
# - Call it for each block and then for the model, and make the optimizer after that.
#   Without the blocks, the whole model is gathered at once, and no error tells you.
# - It sends three times the model instead of twice. Parameters in ``bfloat16`` bring
#   that down to what DDP sends, or less.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/larger_models/real_run` puts all this into a program to copy.
# - :doc:`/tutorials/larger_models/fitting_in_memory` makes activations smaller.
# - The `manual <https://docs.pytorch.org/docs/stable/distributed.fsdp.fully_shard.html>`__
#   shows how to keep parameters in the CPU's memory.
