"""
Two dimensions: fast rows, slow columns
=======================================

:Card: Cut layers inside a machine, share them between machines.
:Learn: You will arrange ranks in a grid, train with FSDP along one direction and TP
    along the other, and count what crosses the slow links between machines.
:Prerequisites: :doc:`/tutorials/larger_models/fully_sharded`,
    :doc:`/tutorials/larger_models/tensor_parallel`
:Picture: mesh
:Oldest torch: 2.9

Tensor parallelism (TP) exchanges activations inside every layer, and the next operation
has to wait for them. So it needs the fast links inside one machine, which often has 8
GPUs. Data parallelism computes while its messages travel, so it may use the slower
network.

To have both, arrange the ranks in a grid, a *device mesh*, whose dimensions have names.
This line is for two machines with four GPUs each, and below it are the ranks that it
arranges, with a machine in each row:

.. code-block:: python

   mesh = init_device_mesh("cuda", (2, 4), mesh_dim_names=("dp", "tp"))

.. code-block:: text

            tp 0    tp 1    tp 2    tp 3
   dp 0   rank 0  rank 1  rank 2  rank 3
   dp 1   rank 4  rank 5  rank 6  rank 7

``mesh["tp"]`` is then the row of the rank that asks, and ``mesh["dp"]`` is its column.
On this page we train a small language model on such a mesh, and see which of the two
comes first, which rank reads which samples, over which ranks to average the loss, and
how to clip gradients. Then we use the same grid for *hybrid sharding* (HSDP), give it a
third dimension, and count what crosses the network. Each time we assert that the
training equals that of a single rank.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 two_dimensions.py
"""

# %%
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin with the same lines, and
# :doc:`/tutorials/start/hello_ranks` explains them. One rank is enough here, but then
# nothing is sent. The function at the end returns the values of all ranks as a list,
# and we use it only to look.
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


def from_all_ranks(value):
    values = [None] * world_size
    dist.all_gather_object(values, value)
    return values


# %%
# A mesh is a grid of ranks, and each dimension has groups
# --------------------------------------------------------
#
# Each row of our grid is a machine, and a single machine with an even number of ranks
# plays two. ``init_device_mesh`` fills the grid row by row, and makes a process group
# for each row and each column. torchrun gives the ranks of a machine consecutive
# numbers, so the *last* dimension is the one that stays inside a machine, and ``"tp"``
# belongs there. Assert this in your training too. PyTorch doesn't know which links are
# fast, and the wrong order gives the right weights, only slowly.
from torch.distributed.device_mesh import init_device_mesh

n_rows = world_size // local_world_size
if n_rows == 1 and world_size % 2 == 0:
    n_rows = 2  # one machine plays two
n_columns = world_size // n_rows
mesh = init_device_mesh(device.type, (n_rows, n_columns), mesh_dim_names=("dp", "tp"))

row = mesh.get_local_rank("dp")
column = mesh.get_local_rank("tp")
my_row = dist.get_process_group_ranks(mesh.get_group("tp"))
my_column = dist.get_process_group_ranks(mesh.get_group("dp"))
first_on_machine = from_all_ranks(rank - local_rank)
if rank == 0:
    print("mesh:", mesh.mesh.tolist(), "my row:", my_row, "my column:", my_column)
assert my_row == mesh.mesh[row].tolist(), "tp isn't a row of the grid"
assert my_column == mesh.mesh[:, column].tolist(), "dp isn't a column of the grid"
assert len({first_on_machine[r] for r in my_row}) == 1, "tp leaves the machine"

# %%
# The figure shows this mesh. Thick lines are the fast links within a machine, and
# dotted lines the network.
#
# .. alt-text:: A grid of circles with the numbers of the ranks. Each row is in a frame,
#    the machine, and thick lines join its ranks along tp. Dotted lines join the ranks
#    of a column along dp, from frame to frame.
if rank == 0:
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots(figsize=(5, 2.8))
    circle = {"boxstyle": "circle,pad=0.5", "fc": "none", "ec": "C0", "lw": 2}
    for r in range(world_size):
        y, x = divmod(r, n_columns)
        ax.text(x, y, r, size=14, ha="center", va="center", bbox=circle)
        if x > 0:
            ax.plot([x - 0.82, x - 0.18], [y, y], "C0-", lw=6)
        if y > 0:
            ax.plot([x, x], [y - 0.68, y - 0.32], "C1:", lw=4)
    for y in range(n_rows):
        ax.barh(y, n_columns - 0.2, 0.6, -0.4, fc="none", ec="C7")
        ax.text(-0.5, y, f"dp {y}", size=12, ha="right", va="center")
    for x in range(n_columns):
        ax.text(x, -0.45, f"tp {x}", size=12, ha="center")
    ax.set(xlim=(-0.9, n_columns - 0.3), ylim=(n_rows - 0.5, -0.7))
    ax.axis("off")

# %%
# First TP, then FSDP
# -------------------
#
# Here is the model. Our blocks are the second half of a transformer block: a
# normalization layer and two linear layers. Attention would be split in the same way,
# as the lesson on TP shows.
import copy

from torch import nn

torch.set_default_dtype(torch.float64)  # for a precise comparison
width = 8 * world_size  # every dimension of the mesh divides it


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.RMSNorm(width)
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)

    def forward(self, x):  # (samples, tokens, features)
        return x + self.down(self.up(self.norm(x)).relu())


class LanguageModel(nn.Module):
    def __init__(self, vocabulary=width):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList([Block(), Block()])
        self.norm = nn.RMSNorm(width)
        self.scores = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):  # (samples, tokens + 1)
        x = self.embedding(tokens[:, :-1])
        for block in self.blocks:
            x = block(x)
        scores = self.scores(self.norm(x)).flatten(0, 1)
        return nn.functional.cross_entropy(scores, tokens[:, 1:].flatten())


torch.manual_seed(0)  # all ranks draw the same weights
initial = LanguageModel().to(device)

# %%
# The plan for TP has an entry for *every* layer with parameters, the normalization
# layers included, and we'll need that when we clip. It uses *sequence parallelism*:
# between the pairs of split layers, each rank of a row has its share of the tokens
# (``Shard(1)``), and ``SequenceParallel`` normalizes there. So the size of a row must
# divide the number of tokens, in evaluation too: pad the sequences, or a collective
# gets pieces of unequal size, and Gloo aborts. (With a large vocabulary, also split the
# loss, by ``loss_parallel`` in :doc:`/tutorials/larger_models/tensor_parallel`. Here
# each rank of a row gets all scores.)
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel, RowwiseParallel, SequenceParallel, parallelize_module)


def split_layers(model, tp_mesh):
    tokens = Shard(1)
    parallelize_module(model, tp_mesh, {
        "embedding": RowwiseParallel(input_layouts=Replicate(), output_layouts=tokens),
        "blocks.*.norm": SequenceParallel(),
        "blocks.*.up": ColwiseParallel(input_layouts=tokens),
        "blocks.*.down": RowwiseParallel(output_layouts=tokens),
        "norm": SequenceParallel(),
        "scores": ColwiseParallel(input_layouts=tokens, output_layouts=Replicate()),
    })


# %%
# ``parallelize`` is the function to copy. First TP gives each rank of a row a part of
# every layer, and then ``fully_shard`` divides this part again among the ranks of the
# column. `torchtitan
# <https://github.com/pytorch/torchtitan/blob/main/torchtitan/models/llama3/infra/parallelize.py>`__
# and `PyTorch's tutorial <https://docs.pytorch.org/tutorials/intermediate/TP_tutorial.html>`__
# keep this order too. With activation checkpointing and ``torch.compile``, torchtitan
# puts both between the two. For bf16, give ``fully_shard`` an ``mp_policy``, as
# :doc:`/tutorials/larger_models/real_run` does, and compute the loss of
# ``scores.float()``. That page also shows how to begin on the meta device, if the whole
# model fits on no GPU.


def parallelize(model, data_mesh, tp_mesh=None):
    if tp_mesh is not None:
        split_layers(model, tp_mesh)
    for block in model.blocks:
        fully_shard(block, mesh=data_mesh)
    return fully_shard(model, mesh=data_mesh)


model = parallelize(copy.deepcopy(initial), mesh["dp"], mesh["tp"])
for name in ("up", "down"):
    weight = model.blocks[0].get_submodule(name).weight
    local = weight.to_local()
    if rank == 0:
        print(f"{name}: {tuple(weight.shape)}, here {tuple(local.shape)},", end=" ")
        print(*weight.placements)
    assert local.numel() * world_size == weight.numel(), "it's not divided by all ranks"

# %%
# Each rank now keeps one part in ``world_size`` of each matrix, and the two placements
# tell how: the first belongs to ``"dp"``, the second to ``"tp"``. (TP has divided the
# rows of ``up`` first, though, and FSDP divides each part again. ``_S(0, 2)``, a
# *strided shard*, says so.)
#
# Why this order? What a rank computes with is its part of the layer, and TP decides
# which part that is. FSDP only stores the part in pieces, and makes it whole again when
# its block computes. So FSDP has to wrap what TP has left, and then its all-gathers
# carry only that, one part in ``n_columns``. The other way round, TP would find pieces
# that belong to another mesh already, and PyTorch refuses to split them.
wrong_order = copy.deepcopy(initial)
fully_shard(wrong_order, mesh=mesh["dp"])
try:
    refusal = split_layers(wrong_order, mesh["tp"])
except ValueError as error:
    refusal = error
if rank == 0:
    print(refusal)
assert "Cannot distribute a DTensor" in str(refusal), "TP after FSDP was accepted"

# %%
# A row reads the same samples
# ----------------------------
#
# The ranks of a row compute one batch together, so the sampler gets the size of the
# column and the position in it. The default counts all ranks, a common mistake: then a
# row adds up parts of different samples, and no error tells you. A broadcast of samples
# and labels along the row repairs this, even if they were changed at random.
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

global_batch = 2 * world_size
context = 2 * world_size
data = torch.randint(width, (3 * global_batch, context + 1))  # for three steps
assert context % n_columns == 0, "tp doesn't divide the tokens"

# %%
# .. admonition:: For models with dropout
#    :collapsible: closed
#
#    Dropout needs more than one seed here. Once the weights are drawn, call
#    ``torch.manual_seed(row)``: the ranks of a row then drop the same where they hold
#    the same activations, and other rows, with other samples, drop something else. But
#    inside a pair of split layers each rank has columns of its own and must draw its
#    own numbers, as ``own_draws`` does in
#    :doc:`/tutorials/larger_models/tensor_parallel`.
#
#    With sequence parallelism, as in our plan, the same is true between the blocks,
#    where each rank has its own tokens.
#
# Further below, samples will differ along two dimensions of a mesh. So the next
# function counts through all dimensions of the mesh that it gets. For ``mesh["dp"]`` it
# simply returns the number of rows, and the row of this rank.


def data_position(data_mesh):
    """Return into how many parts a batch is divided, and which one this rank reads."""
    part = 0
    for size, here in zip(data_mesh.shape, data_mesh.get_coordinate()):
        part = part * size + here
    return data_mesh.size(), part


assert data_position(mesh["dp"]) == (n_rows, row), "a row isn't one reader"
assert data_position(mesh) == (world_size, rank), "it doesn't count like the ranks"

# %%
# Log the loss over the data dimension
# ------------------------------------
#
# The ranks of a row have the same loss, because they have the same samples. What you
# want in the log is the mean over the rows, so add up along ``"dp"`` only. Over all
# ranks, each token would count ``n_columns`` times.


def mean_loss(loss, n_tokens, groups):
    """Return the mean over all tokens of the groups, and how many tokens these are."""
    total = torch.tensor(
        [loss.item() * n_tokens, n_tokens],
        dtype=torch.float64, device=loss.device)  # bf16 can't count to 1001
    for group in groups:
        dist.all_reduce(total, group=group)
    return (total[0] / total[1]).item(), int(total[1])


with torch.no_grad():
    loss = model(data[:2].to(device))
along_dp = mesh.get_group("dp")
mean, n_tokens = mean_loss(loss, 2 * context, [along_dp])
assert n_tokens == 2 * context * n_rows, "each row's tokens don't count once"

# %%
# With padding, count only the labels that the loss counts. And if rows then have
# different numbers of labels, ``fully_shard`` still weights the rows equally. So in the
# training, divide the *sum* of a row's losses by the mean number of labels in a row,
# which needs an all-reduce along ``"dp"`` before the backward pass.
#
# Before we train, here is a trap that we fell into on this page. After a forward pass,
# ``fully_shard`` keeps the outermost module whole, because usually its backward pass
# begins at once. But we have only evaluated, so the embedding and the other parameters
# outside of the blocks are still whole. They are not the tensors that training updates,
# and an optimizer made *now* would train the blocks only. There was no error when we
# tried, and the embedding kept its initial values. So make the optimizer directly after
# ``parallelize``, or call ``reshard`` before you make it.
weight = model.embedding.weight
assert weight.device_mesh.mesh_dim_names == ("tp",), "the outermost module isn't whole"

model.reshard()
weight = model.embedding.weight
assert weight.device_mesh.mesh_dim_names == ("dp", "tp"), "it isn't sharded again"

# %%
# Clip by one norm over both dimensions
# -------------------------------------
#
# Each rank has a piece of every gradient, so the norm of all gradients is a sum over
# rows *and* columns. ``clip_grad_norm_`` learns both from the placements, and scales
# all gradients by their common norm, if all parameters belong to the same mesh. That's
# why the plan lists even the normalization layers: a layer that the plan leaves out
# would belong to ``"dp"`` alone, and PyTorch refuses the mixture.
#
# What ``clip_grad_norm_`` returns is a DTensor too. Call ``full_tensor`` before you log
# it, and call it on all ranks, because it can be a collective. PyTorch 2.13 warns that
# the sum takes an all-reduce for each dimension, which doesn't matter for a single
# number.


def train(model, n_parts=1, part=0, groups=()):
    """Train for three steps, and return the loss, tokens and norm of each."""
    sampler = DistributedSampler(data, n_parts, part, shuffle=False)
    loader = DataLoader(data, global_batch // n_parts, sampler=sampler)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, fused=True)
    log = []
    for tokens in loader:
        loss = model(tokens.to(device))
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.1)
        if isinstance(norm, DTensor):
            norm = norm.full_tensor()
        optimizer.step()
        optimizer.zero_grad()
        n_tokens = tokens[:, 1:].numel()
        log.append([*mean_loss(loss, n_tokens, groups), norm.item()])
    return log


# %%
# Now the proof. We train on a single rank with the whole global batch, and on the mesh
# with its parts. All losses, numbers of tokens and norms are equal, and so are the
# weights afterwards. (To compare, ``full_tensor`` makes a weight whole again. Here too,
# PyTorch warns that it sends along one dimension after the other.)
single = copy.deepcopy(initial)
expected = train(single)


def train_like_one_rank(model, data_mesh):
    """Train on a mesh, and assert that one rank would have learned the same."""
    log = train(model, *data_position(data_mesh), data_mesh.get_all_groups())
    torch.testing.assert_close(log, expected)
    for weight, whole in zip(model.parameters(), single.parameters()):
        torch.testing.assert_close(weight.full_tensor(), whole.data)
    return log


log = train_like_one_rank(model, mesh["dp"])
assert min(norm for loss, n_tokens, norm in log) > 0.1, "nothing was clipped"
if rank == 0:
    for loss, n_tokens, norm in log:
        print(f"loss {loss:.4f}, {n_tokens} tokens, norm of the gradients {norm:.4f}")

# %%
# Hybrid sharding: a whole model in each row
# ------------------------------------------
#
# Without tensor parallelism, ``fully_shard`` takes both dimensions. It shards along the
# last one, and the rows are replicas of each other: *hybrid sharding*, or HSDP. Every
# rank has its own samples, as by default. For comparison we also shard over all ranks.
#
# The replicas must begin with equal weights, and ``fully_shard`` neither makes nor
# checks them so: it averages gradients, and weights that differ once differ forever.
# So draw the weights with one seed on all ranks, as we did. After
# ``torch.manual_seed(rank)`` each row would train a model of its own.
hsdp = init_device_mesh(device.type, mesh.shape, mesh_dim_names=("replicate", "shard"))
full = init_device_mesh(device.type, (world_size,), mesh_dim_names=("shard",))
layouts = {
    "FSDP + TP": (mesh["dp"], mesh["tp"]),
    "HSDP": (hsdp, None),
    "FSDP": (full, None)}
models = {"FSDP + TP": model}
for layout in ("HSDP", "FSDP"):
    data_mesh, _ = layouts[layout]
    models[layout] = parallelize(copy.deepcopy(initial), data_mesh)
    train_like_one_rank(models[layout], data_mesh)

# %%
# Three dimensions: HSDP and TP together
# --------------------------------------
#
# Nothing stops you from adding a dimension. Here replicas are machines, and inside of
# each machine some ranks shard and some split layers. ``fully_shard`` gets the first
# two dimensions as a mesh of their own, by their names, and TP gets the third. All
# other functions are those from above. (With four ranks the middle dimension has the
# size 1. With ``--nproc-per-node=8`` all three are at work, and we ran that too.)
n_tp = 2 if n_columns % 2 == 0 else 1
cube = init_device_mesh(
    device.type, (n_rows, n_columns // n_tp, n_tp),
    mesh_dim_names=("replicate", "shard", "tp"))
data_mesh = cube["replicate", "shard"]

model = parallelize(copy.deepcopy(initial), data_mesh, cube["tp"])
train_like_one_rank(model, data_mesh)
if rank == 0:
    print("cube:", cube.mesh.tolist(), "parts of the batch:", data_mesh.size())
    print("down:", *model.blocks[0].down.weight.placements)
assert data_position(data_mesh)[1] == rank // n_tp, "a TP group reads other samples"

# %%
# Samples differ along the first two dimensions, so ``data_position`` counts through
# both, and the loss is added up along both. Clipping covers all three. Again, losses,
# norms and weights equal those of one rank.
#
# Other dimensions that you'll meet are ``"pp"`` for a
# :doc:`pipeline </tutorials/larger_models/pipeline_parallel>` and ``"cp"`` for *context
# parallelism*, which divides :doc:`long sequences
# </tutorials/larger_models/long_sequences>`. `torchtitan
# <https://github.com/pytorch/torchtitan/blob/main/torchtitan/distributed/parallel_dims.py>`__
# orders them by how badly they need fast links, with the neediest last: ``"pp"``,
# replicas, shards, ``"cp"``, ``"tp"``. (We have not run these two here. When a second
# dimension pays off at all is the subject of :doc:`/tutorials/long_runs/choosing`.)
#
# Checkpoints of a mesh need nothing special: ``torch.distributed.checkpoint`` saves
# each piece of a DTensor with its place in the whole, so a run may resume on a mesh of
# another shape. :doc:`/tutorials/long_runs/checkpoints` shows how, for another number
# of ranks.
#
# Why TP stays inside a machine
# -----------------------------
#
# It's tempting to say that TP sends more. That depends on the batch: TP sends
# activations, which grow with it, and FSDP sends parameters, which don't. What decides
# is who waits. Let's compute an example: 8 machines with 8 GPUs each, and a transformer
# block with 8192 features, about what a model of 70 billion parameters has. Each row of
# the mesh has 8192 tokens. Numbers are sent in bf16, but FSDP reduces gradients in
# fp32. As in :doc:`/tutorials/larger_models/tensor_parallel`, a GPU gets through 400
# teraFLOP/s, NVLink carries 370 GB/s and the network 50 GB/s for each GPU.
features = 8192
tokens_of_a_row = 8192
parameters = 12 * features**2 / 8  # of one block, on one of 8 GPUs
computing = 2 * parameters * tokens_of_a_row / 400e12  # backward takes twice as long
tp_bytes = 2 * 2 * (2 * tokens_of_a_row * features) * 7 / 8  # two all-reduces a pass
gather_bytes = 2 * parameters * 7 / 8
reduce_bytes = 4 * parameters * 7 / 8


def seconds_of_a_block(tp_link, dp_link):
    tp = tp_bytes / tp_link
    forward = max(computing + tp, gather_bytes / dp_link)
    backward = max(2 * computing + tp, (gather_bytes + reduce_bytes) / dp_link)
    return forward + backward


nvlink, network = 370e9, 50e9
tp_inside = seconds_of_a_block(tp_link=nvlink, dp_link=network)
tp_across = seconds_of_a_block(tp_link=network, dp_link=nvlink)
if rank == 0:
    dp_bytes = 2 * gather_bytes + reduce_bytes
    print(f"sent by a GPU: tp {2 * tp_bytes / 1e9:.2f} GB, dp {dp_bytes / 1e9:.2f} GB")
    print(f"a block takes {1000 * tp_inside:.1f} ms with TP inside the machine,")
    print(f"and {1000 * tp_across:.1f} ms with TP across machines")
assert 1.9 < tp_across / tp_inside < 2.1, "TP across machines isn't twice as slow"

# %%
# TP's messages add to the computing time, because the next matrix needs the sum. Those
# of FSDP run beside it, so a pass takes as long as the slower of the two. That's why we
# wrote ``max``, and it's the best case. The example is arithmetic and not a
# measurement, but it shows what is at stake: the same 64 GPUs send the same bytes, and
# the wrong order of two names makes a block take twice as long.
#
# Each direction has its own collectives
# --------------------------------------
#
# What is sent along which dimension, and how much of it leaves a row? The code of this
# figure notes each collective of a forward and a backward pass, and adds up the bytes,
# if each group is a ring, as in :doc:`/tutorials/inside/collectives`. It's for
# measuring, not for training, because it uses inner names of PyTorch.
#
# .. alt-text:: Three bars of the bytes between machines in a step. FSDP + TP and FSDP
#    send more than twice the bytes of the model, and HSDP just twice.
from collections import Counter

from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

COLLECTIVES = {  # name of the operation: (dimension, kind)
    "c10d::_allgather_base_": ("shard", "all-gather"),
    "c10d::_reduce_scatter_base_": ("shard", "reduce-scatter"),
    "c10d::allreduce_": ("replicate", "all-reduce"),
    "_c10d_functional::all_gather_into_tensor": ("tp", "all-gather"),
    "_c10d_functional::reduce_scatter_tensor": ("tp", "reduce-scatter"),
    "_c10d_functional::all_reduce": ("tp", "all-reduce")}


class Traffic(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.calls = []  # dimension, kind and bytes of each collective

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if DTensor in types:
            return NotImplemented  # its collectives come here one by one
        result = func(*args, **(kwargs or {}))
        if func.name() in COLLECTIVES:
            dim, kind = COLLECTIVES[func.name()]
            leaves = tree_leaves((args, result))
            sizes = [x.nbytes for x in leaves if isinstance(x, torch.Tensor)]
            self.calls.append((dim, kind, max(sizes)))
        return result


calls = {}
counts = {}
for layout, model in models.items():
    n_parts, part = data_position(layouts[layout][0])
    with Traffic() as traffic:
        model(data[part:global_batch:n_parts].to(device)).backward()
    calls[layout] = traffic.calls
    counts[layout] = {"shard": Counter(), "replicate": Counter(), "tp": Counter()}
    for dim, kind, n_bytes in traffic.calls:
        counts[layout][dim][kind] += 1
    if rank == 0:
        print(layout)
        for dim, kinds in counts[layout].items():
            if kinds:
                print(f"    {dim}: {dict(sorted(kinds.items()))}")

if min(n_rows, n_columns) > 1:  # a group of one rank sends nothing
    sharding = {"all-gather": 2 * 2 + 1, "reduce-scatter": 2 + 1}
    of_tp = {"all-gather": 2 * 2 + 3, "reduce-scatter": 2 * 2 + 2, "all-reduce": 3}
    assert counts["FSDP + TP"]["shard"] == sharding, "dp has other collectives"
    assert counts["FSDP + TP"]["tp"] == of_tp, "tp has other collectives"
    assert counts["HSDP"]["shard"] == sharding, "shard has other collectives"
    assert counts["HSDP"]["replicate"] == {"all-reduce": 3}, "replicas, too"


def bytes_leaving_the_row(layout):
    """Return how many bytes all ranks together send to other rows in one step."""
    data_mesh, tp_mesh = layouts[layout]
    groups = {
        "replicate": data_mesh.get_group(0),
        "shard": data_mesh.get_group(data_mesh.ndim - 1),
        "tp": tp_mesh.get_group() if tp_mesh is not None else None}
    total = 0
    for dim, kind, n_bytes in calls[layout]:
        ring = dist.get_process_group_ranks(groups[dim])
        next_rank = ring[(ring.index(rank) + 1) % len(ring)]
        if next_rank not in my_row:
            passes = 2 if kind == "all-reduce" else 1
            total += passes * n_bytes * (len(ring) - 1) // len(ring)
    return sum(from_all_ranks(total))


slow = {layout: bytes_leaving_the_row(layout) for layout in models}
in_blocks = sum(p.nbytes for p in initial.blocks.parameters())
whole = sum(p.nbytes for p in initial.parameters())
if rank == 0:
    for layout, n_bytes in slow.items():
        print(f"{layout}: {n_bytes} bytes between machines, the model has {whole}")
assert slow["HSDP"] == 2 * (n_rows - 1) * whole, "HSDP sends something else"
if n_rows > 1:
    all_passes = 2 * whole + in_blocks  # three for the blocks, two for the rest
    ring = n_rows * (world_size - 1) / world_size  # n_rows links leave a row
    assert slow["FSDP"] == ring * all_passes, "FSDP sends something else"
    columns = slow["FSDP + TP"] / ((n_rows - 1) * all_passes)
    assert 1 <= columns < 1.02, "the columns send more than their share"

if rank == 0:
    fig, ax = plt.subplots(figsize=(7, 2), layout="constrained")
    ax.barh(list(slow), [n_bytes / whole for n_bytes in slow.values()], color="C1")
    ax.invert_yaxis()
    ax.set(xlabel="bytes between machines (models in a step)")

# %%
# .. admonition:: Which of these collectives is whose
#    :collapsible: closed
#
#    Where ``fully_shard`` shards, in ``"dp"`` or ``"shard"``, each block has two
#    all-gathers and a reduce-scatter. What is outside of the blocks, the embedding and
#    the last two layers, has one of each, because ``fully_shard`` keeps the outermost
#    module whole until its backward pass. In hybrid sharding there is one more
#    all-reduce for each of the three, along ``"replicate"``.
#
#    Along ``"tp"`` a block has two all-gathers and two reduce-scatters, and these four
#    are what two all-reduces would send. (The first and the last layer have the rest.
#    The all-reduces are short, and add up gradients of the normalization layers.)
#
# HSDP sends fewer bytes between machines
# ---------------------------------------
#
# Let's read these numbers for m machines and a model of many blocks:
#
# - HSDP sends 2 (m - 1) times the bytes of the model in a step, however many GPUs a
#   machine has. Its all-reduces have time until the optimizer steps.
# - FSDP over w ranks sends 3 m (w - 1) / w times the model, because each block is
#   gathered twice and its gradients are reduced once. No block can begin before its
#   all-gather has ended. With two machines of eight GPUs that's almost three times as
#   much as HSDP, and with many machines one and a half times.
# - FSDP + TP sends 3 (m - 1) times the model, because each column sends only the part
#   of the layers that TP has left to it. (The normalization layers add a little. All
#   ranks of a row have them whole, so they are sent in every column.)
#
# That's for numbers of one size. If blocks are gathered in bf16 and gradients are
# reduced in fp32, FSDP and HSDP both send 8 bytes for each parameter instead of 12 and
# 8, so FSDP sends nearly twice as much as HSDP with two machines, and as much with
# many.
#
# What HSDP saves on the network, it pays with memory, because every row holds a whole
# model. If that doesn't fit, or if a global batch has fewer samples than there are
# GPUs, you need FSDP + TP, where a row needs only one sample.
#
# At the end every rank leaves the group. Only then does rank 0 open the window of its
# figure, because a window stops the program until you close it.
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
# - Swap the names in the line that makes ``mesh``: ``("tp", "dp")``. What notices on
#   four ranks, and what if you leave out the asserts of that cell?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      The first of these asserts notices. Without them, all goes well until
#      ``clip_grad_norm_``: PyTorch 2.13 refuses there, because the names of FSDP's and
#      TP's dimensions are not "in ascending order". If you also leave out clipping, all
#      losses and weights are again those of one rank, and the page goes on until it
#      adds up bytes. A run on real machines would be right and slow, and in our example
#      a block would take twice as long.
#
# - In the loop that trains ``HSDP`` and ``FSDP``, call
#   ``models[layout].set_requires_all_reduce(False)`` before the training. Which layout
#   has no gradients then, and when is this useful?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      The hybrid one, because only there replicas have to be averaged. It's useful for
#      accumulation: in all micro-batches but the last, a rank then sums up within its
#      row, over fast links, and the slow links between machines carry the gradients
#      once in a step.
#
# - On your own machines: which links are fast and which are slow, and which dimension
#   of a mesh should follow which?
#
# What to remember
# ----------------
#
# - A mesh gives each dimension its own groups. What computation waits for belongs on
#   the fastest links: tensor parallelism inside a machine, and applied first; data
#   parallelism between machines, and applied second.
# - Hybrid sharding shards within a machine and replicates between machines, so only one
#   all-reduce for each block crosses the slow links.
# - The ranks of a row with tensor parallelism get the same samples, those of a column
#   different ones. So average the loss along the column, and clip over both.
#
# Where to go next
# ----------------
#
# - The `recipe <https://docs.pytorch.org/tutorials/recipes/distributed_device_mesh.html>`__
#   of PyTorch shows what a mesh saves you.
