"""
Two dimensions: fast rows, slow columns
=======================================

:Card: Cut layers inside a machine, share them between machines.
:Learn: You will arrange ranks in a grid, give each direction its own parallelism, and
    count what crosses the slow links between machines.
:Prerequisites: :doc:`/tutorials/larger_models/fully_sharded`,
    :doc:`/tutorials/larger_models/tensor_parallel`
:Picture: mesh
:Oldest torch: 2.8

Tensor parallelism (TP) exchanges activations inside every layer, and the next operation
has to wait for them. So it needs the fast links inside one machine, which often has 8
GPUs. Data parallelism computes while its messages travel, so it may use the slower
network.

We arrange the ranks in a grid, give each direction one of the two, and count which
collective runs where. Then the same grid serves hybrid sharding.

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
from collections import Counter

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
# A mesh is a grid of ranks
# -------------------------
#
# Each row of our grid is a machine, and a single machine with an even number of ranks
# plays two. ``init_device_mesh`` fills the grid row by row, and makes a group for each
# row and each column. ``"tp"`` is the direction of a row, for tensor parallelism, and
# ``"dp"`` that of a column, for data parallelism. torchrun gives the ranks of a machine
# consecutive numbers, so no row leaves its machine. Assert this in your training too,
# because a wrong order only makes it slow.
from torch.distributed.device_mesh import init_device_mesh

n_rows = max(world_size // local_world_size, 2 - world_size % 2)
n_columns = world_size // n_rows
mesh = init_device_mesh(device.type, (n_rows, n_columns), mesh_dim_names=("dp", "tp"))

row, column = mesh["dp"].get_local_rank(), mesh["tp"].get_local_rank()
my_column, my_row = map(dist.get_process_group_ranks, mesh.get_all_groups())
first_on_machine = from_all_ranks(rank - local_rank)
if rank == 0:
    print("mesh:", mesh.mesh.tolist(), "my row:", my_row, "my column:", my_column)
assert my_row == mesh.mesh[row].tolist() and my_column == mesh.mesh[:, column].tolist()
assert len({first_on_machine[r] for r in my_row}) == 1

# %%
# First cut the layers, then share out the parts
# ----------------------------------------------
#
# Tensor parallelism gives each rank of a row a part of every layer. ``fully_shard``
# divides this part again among the ranks of the column, and gathers it whenever it is
# needed. Call them in this order. Our model has two blocks, and each of them is an MLP:
# two layers, without the attention of a transformer.
import copy

from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel, RowwiseParallel, parallelize_module)
from torch.utils.data.distributed import DistributedSampler

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)  # for a precise comparison
width = 8 * world_size
plan = {"0": ColwiseParallel(), "2": RowwiseParallel()}
single = nn.Sequential(*[nn.Sequential(
    nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width), nn.Tanh())
    for _ in range(2)]).to(device)



def parallel(shard_mesh, tp_plan=None):
    model = copy.deepcopy(single)
    for block in model:
        if tp_plan:
            parallelize_module(block, mesh["tp"], tp_plan)
        fully_shard(block, mesh=shard_mesh)
    return fully_shard(model, mesh=shard_mesh)


# %%
# A row reads the same samples
# ----------------------------
#
# The ranks of a row compute one batch together, so the sampler gets the size of the
# column and the position in it. The default counts all ranks, a common mistake: then a
# row adds up parts of different samples, and no error tells you. A broadcast of samples
# and labels along the row repairs this, even if they were changed at random.
#
# Dropout needs more than one seed here. Once the weights are drawn, call
# ``torch.manual_seed(row)``: the ranks of a row then drop the same where they hold the
# same activations, and other rows, with other samples, drop something else. But inside
# a pair of split layers each rank has columns of its own and must draw its own numbers,
# as ``own_draws`` does in :doc:`/tutorials/larger_models/tensor_parallel`.
samples, labels = torch.randn(2, world_size, width).to(device)
own = list(DistributedSampler(samples, n_rows, row, shuffle=False))
default = list(DistributedSampler(samples, shuffle=False))
model, inputs = parallel(mesh["dp"], plan), samples[default]
with torch.no_grad():
    assert torch.allclose(model(inputs), single(inputs)) == (n_columns == 1)
    dist.broadcast(inputs, group=mesh.get_group("tp"), group_src=0)
    assert torch.allclose(model(inputs), single(inputs))

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
    "dp and tp": (mesh, parallel(mesh["dp"], plan), own),
    "hybrid": (hsdp, parallel(hsdp), default),
    "full": (full, parallel(full), default)}

for weights in layouts["hybrid"][1].parameters():
    replicas = [torch.empty_like(weights.to_local()) for _ in range(n_rows)]
    dist.all_gather(replicas, weights.to_local(), group=hsdp.get_group("replicate"))
    assert all(torch.equal(replicas[0], replica) for replica in replicas)

# %%
# Each direction has its own collectives
# --------------------------------------
#
# We note the group, the kind and the bytes of each collective. ``CommDebugMode`` does
# not tell the groups, so we look at every operation, with a class of a private module
# and private names of operations. Such things are for measuring, not for training.
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode

KINDS = {"all_reduce": "all-reduce", "_allgather_base_": "all-gather",
         "allreduce_": "all-reduce", "_reduce_scatter_base_": "reduce-scatter"}


class Note(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if DTensor in types:
            return NotImplemented  # its collectives come here one by one
        if kind := KINDS.get(func.name().partition("::")[2]):
            boxes = [arg for arg in args if isinstance(arg, torch.ScriptObject)]
            name = dist.ProcessGroup.unbox(boxes[0]).group_name if boxes else args[-1]
            tensors = args[0] if isinstance(args[0], list) else args[:2]
            sizes = [t.nbytes for t in tensors if isinstance(t, torch.Tensor)]
            noted.append((groups[name], kind, max(sizes)))
        return func(*args, **(kwargs or {}))


# %%
# After a backward pass each rank holds a piece of every gradient. ``place`` finds where
# the piece belongs. There it equals the gradient of a single process with all samples.
def place(parameter, whole):
    mine = parameter.to_local()
    start = (whole == mine.flatten()[0]).nonzero()[0].tolist()
    return tuple(slice(i, i + n) for i, n in zip(start, mine.shape))


nn.functional.mse_loss(single(samples), labels).backward()
calls, counts, cards = {}, {}, {}
for layout, (grid, model, batch) in layouts.items():
    dims = {dim: grid.get_group(dim) for dim in grid.mesh_dim_names}
    groups, noted = {group.group_name: group for group in dims.values()}, []
    inputs = samples[batch].requires_grad_()  # as if another layer came before
    with Note():
        nn.functional.mse_loss(model(inputs), labels[batch]).backward()
    for part, whole in zip(model.parameters(), single.parameters()):
        assert torch.allclose(part.grad.to_local(), whole.grad[place(part, whole)])
    calls[layout], counts[layout] = noted, {
        dim: dict(Counter(kind for group, kind, _ in noted if group == dims[dim]))
        for dim in dims}
    tile = place(model[0][2].weight, single[0][2].weight)
    cards[layout] = from_all_ranks((batch, tile))
    if rank == 0:
        print(f"{layout}: {counts[layout]}")

# %%
# Along the row each block adds up its outputs, and later the gradients of its inputs.
# Along the column it gathers its part of the weights for both passes, and averages the
# gradients. In hybrid sharding this is the work of the row, and the column has only one
# all-reduce for each block.
if min(n_rows, n_columns) > 1:  # a group of one rank sends nothing
    sharding = {"all-gather": 4, "reduce-scatter": 2}
    assert counts["dp and tp"] == {"dp": sharding, "tp": {"all-reduce": 4}}
    assert counts["hybrid"] == {"replicate": {"all-reduce": 2}, "shard": sharding}

# %%
# In the figure each frame is a weight, and the tile is what a rank holds of it. Above
# are the number of the rank and its samples. Each row of frames is a machine.
#
# .. alt-text:: Two grids of frames, one for each rank, joined by solid lines in rows
#    and dotted lines in columns. First: equal samples in a row, and each tile lies in
#    its frame as the frame in the grid. Second: own samples, and equal columns.
if rank == 0:
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(2, figsize=(7, 6.5))
    for ax, layout in zip(axes, ("dp and tp", "hybrid")):
        for (dim, kinds), style in zip(counts[layout].items(), ("C1:", "C0-")):
            kinds = ", ".join(f"{n} {kind}" for kind, n in kinds.items())
            ax.plot([], [], style, lw=5, label=f"{dim}: {kinds}")
        for r, (batch, (down, right)) in enumerate(cards[layout]):
            x, y = 5 * width * (r % n_columns), 1.7 * width * (r // n_columns)
            ax.barh(y, 4 * width, width, x, align="edge", fc="none", ec="C7")
            ax.barh(y + down.start, right.stop - right.start, down.stop - down.start,
                    x + right.start, align="edge", color="C2", hatch="..")
            ax.text(x, y - 0.1 * width, r, size=16)
            ax.text(x + 4 * width, y - 0.1 * width, batch, size=11, ha="right")
            ax.plot((x - width, x), 2 * [y + width / 2], "C0-", lw=5, alpha=x > 0)
            ax.plot(2 * [x + 2 * width], (y - 0.7 * width, y), "C1:", lw=5, alpha=y > 0)
        ax.set(title=layout, xlim=(-1, (5 * n_columns - 1) * width + 1))
        ax.set(ylim=((1.7 * n_rows - 0.6) * width, -0.45 * width))
        ax.axis("off")
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0), ncols=2, fontsize=11)

# %%
# What crosses the slow links
# ---------------------------
#
# If each group is a ring, as in :doc:`/tutorials/inside/collectives`, a rank sends to
# the next one of its group, and in an all-reduce twice. We add up what leaves a row.
slow = dict.fromkeys(calls, 0)
for layout, noted in calls.items():
    for group, kind, n_bytes in noted:
        ring = dist.get_process_group_ranks(group)
        if ring[(ring.index(rank) + 1) % len(ring)] not in my_row:
            passes = 2 if kind == "all-reduce" else 1
            slow[layout] += passes * n_bytes * (len(ring) - 1) // len(ring)
    slow[layout] = sum(from_all_ranks(slow[layout]))
    if rank == 0:
        print(f"{layout}: {slow[layout]} bytes between machines")
assert slow["hybrid"] == 2 * (n_rows - 1) * sum(p.nbytes for p in single.parameters())
assert slow["full"] >= 1.5 * slow["hybrid"]

# %%
# Full sharding sends at least 1.5 times as much as hybrid sharding, and blocks have to
# wait for its all-gathers. The all-reduces of hybrid sharding have time until the
# optimizer steps. But each rank holds more, because every row holds a whole model.
#
# Which parallelism goes where
# ----------------------------
#
# .. list-table::
#    :header-rows: 1
#
#    * - What and where
#      - Cost for each block
#    * - Tensor parallelism, inside a machine
#      - Two all-reduces of activations for our block, an MLP, and four for one of a
#        transformer, which has attention too. Computation waits for them.
#    * - Sharding, inside or across
#      - Two all-gathers and a reduce-scatter, beside the computation
#    * - Replicas, across
#      - One all-reduce, and the memory for a model in each row
#
# If sharding over all ranks is fast enough, one dimension is enough. A third one, such
# as ``"pp"`` for a pipeline, comes first in the mesh, because it sends least.
#
# At the end every rank leaves the group. Only then does rank 0 open the window of its
# figure, because a window stops the program until you close it.
dist.destroy_process_group()
if rank == 0:
    plt.show()  # last: while a window is open, no other rank waits

# %%
# Try it
# ------
#
# Predict first, then run.
#
# - Call ``model.set_requires_all_reduce(False)`` above ``with Note()``. Which layout
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
# - After the loop call ``nn.utils.clip_grad_norm_`` with the parameters of two layouts,
#   as if the plan had left out some layers. What does the error say?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      That all operands "must have the same mesh". The norms of the parts are sums over
#      different groups of ranks, so PyTorch doesn't combine them. Take a norm for each
#      mesh, and combine the numbers, as :doc:`/tutorials/larger_models/tensor_parallel`
#      does.
#
# - On your own machines: which links are fast and which are slow, and which dimension
#   of a mesh should follow which?
#
# What to remember
# ----------------
#
# - A mesh gives each dimension its own groups. What sends most belongs on the fastest
#   links: tensor parallelism inside a machine, data parallelism between machines.
# - Hybrid sharding shards within a machine and replicates between machines, so only one
#   all-reduce for each block crosses the slow links.
# - The ranks of a row with tensor parallelism get the same samples, those of a column
#   different ones.
#
# Where to go next
# ----------------
#
# - The `recipe <https://docs.pytorch.org/tutorials/recipes/distributed_device_mesh.html>`__
#   of PyTorch shows what a mesh saves you.
