"""
Tensor parallel: one matrix on several GPUs
===========================================

:Card: Each rank has a part of every matrix and every sum.
:Learn: You will split two matrices by hand so that they need one all-reduce, then a
    transformer block with ``parallelize_module``, and count the bytes that it sends.
:Know first: :doc:`/tutorials/ranks/collectives`
:Picture: tiles

A layer can be too large for one GPU, and a single sample cannot be dealt out to
several. Then the GPUs share each matrix, and all of them compute the same layer of the
same samples at the same time.

We split two matrices by hand so that both need only one message, let PyTorch split a
transformer block in the same way, and count what each rank sends.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 tensor_parallel.py
"""

# %%
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin like this, and
# :doc:`/tutorials/ranks/hello_ranks` explains the steps. In real training leave
# ``timeout`` out. One rank is enough here, but then nothing is split or sent.
import os
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.distributed.nn  # imported later, it would hold the group

if "WORLD_SIZE" not in os.environ:
    raise SystemExit(
        "Start with: torchrun --standalone --nproc-per-node=4 tensor_parallel.py")
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
# By columns: each rank has some of the outputs
# ---------------------------------------------
#
# Each column of a layer's matrix gives one output. A rank that has some of the columns
# computes these outputs alone, if it has the whole input. With the same seed all ranks
# draw the same ``x``, ``w1`` and ``w2``. Small whole numbers make sums exact.
torch.manual_seed(50)
sizes = (2, 2), (2, 2 * world_size), (2 * world_size, 2)
x, w1, w2 = (torch.randint(-2, 3, size).float().to(device) for size in sizes)
my_columns = w1.chunk(world_size, dim=1)[rank]
my_hidden = (x @ my_columns).relu()  # (tokens, features)
assert torch.equal(my_hidden, (x @ w1).relu().chunk(world_size, dim=1)[rank])

# %%
# The ReLU looks at each number alone, so it needs nothing from other ranks either. We
# have the whole ``w1`` only to compare. In training no rank needs it.
#
# By rows: each rank has a part of every sum
# ------------------------------------------
#
# An output of the second layer is a sum over all hidden numbers. A rank multiplies its
# own hidden numbers by the rows of ``w2`` that belong to them, and has a part of every
# sum. An all-reduce adds the parts.
my_rows = w2.chunk(world_size, dim=0)[rank]
partial = my_hidden @ my_rows
y = partial.clone()
dist.all_reduce(y)
assert torch.equal(y, (x @ w1).relu() @ w2)

# %%
# Columns come first, because they leave each rank exactly those numbers that its rows
# need. So two layers cost one all-reduce. Rows first would cost one before the ReLU
# too, because the ReLU of a sum is not the sum of the ReLUs of its parts.
wrong = partial.relu()
dist.all_reduce(wrong)
assert torch.equal(wrong, y.relu()) == (world_size == 1)

# %%
# In the figure a tile has the color of its rank, whose number is in the circle. A tile
# of all colors is on all ranks. The colors go separate ways until the sum.
#
# .. alt-text:: Tiles of four ranks: columns of w1, below them those of the product
#    after the ReLU, rows of w2, and partial sums, which add up to y.
tiles, mine = [None] * world_size, (my_columns, my_hidden, my_rows, partial)
dist.all_gather_object(tiles, [tensor.int().tolist() for tensor in mine])
if rank == 0:
    import matplotlib.pyplot as plt
    def tile(left, top, rows, *owners):
        for k, owner in enumerate(owners):
            style = {"color": f"C{owner}", "alpha": 0.4, "align": "edge"}
            part = 1.9 / len(owners)
            ax.bar(left + 0.05 + k * part, 1.9, part, top + 0.05, **style)
        for i, number in enumerate(rows[0] + rows[1]):
            ax.text(left + i % 2 + 0.5, top + i // 2 + 0.5, number, **center)
    fig, ax = plt.subplots(figsize=(7, 3.4))
    n, m, center = 2 * world_size, world_size - 1, {"ha": "center", "va": "center"}
    tile(0, m - 3, x.int().tolist(), *range(world_size))
    tile(n + 11.5, m, y.int().tolist(), *range(world_size))
    for r, parts in enumerate(tiles):
        places = (2 * r + 3, m - 3), (2 * r + 3, m), (n + 4, 2 * r), (n + 7, 2 * r)
        for place, rows in zip(places, parts):
            tile(*place, rows, r)
        circle = {"boxstyle": "circle", "fc": "none", "ec": f"C{r}", "lw": 2}
        for place in (2 * r + 4, m + 2.7), (n + 9.7, 2 * r + 1):
            ax.text(*place, r, size="small", bbox=circle, **center)
    for left, top, word in (
            (1, m - 3.5, "x"), (n / 2 + 3, m - 3.5, "w1"), (n + 5, -0.5, "w2"),
            (n / 2 + 3, m - 0.5, "ReLU(x · w1)"), (n + 8, -0.5, "partial sums"),
            (n + 3.5, m + 1, "·"), (n + 6.5, m + 1, "="), (n + 10.8, m + 1, "+ →"),
            (2.5, m - 2, "·"), (n + 12.5, m - 0.5, "y")):
        ax.text(left, top, word, **center)
    ax.set(xlim=(-0.1, n + 13.6), ylim=(n + 0.2, min(-1, m - 4)))
    ax.axis("off")
    plt.show()

# %%
# A DTensor knows what its parts mean
# -----------------------------------
#
# A ``DTensor`` stands for a whole tensor, of which each rank holds a local part. Its
# *placement* says what the parts are: ``Shard(1)`` cuts dimension 1, ``Replicate``
# repeats the whole, and ``Partial`` has to be added up. The ranks form a *mesh*. We
# print each shape, the placement, and the shape of the part.
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
mesh = init_device_mesh(device.type, (world_size,))
wanted = zip((x, w1, w2), (Replicate(), Shard(1), Shard(0)))
dx, dw1, dw2 = (distribute_tensor(t, mesh, [placement]) for t, placement in wanted)
dy = (dx @ dw1).relu() @ dw2
for name, tensor in {"x": dx, "w1": dw1, "w2": dw2, "y": dy}.items():
    whole, part = tuple(tensor.shape), tuple(tensor.to_local().shape)
    if rank == 0:
        print(f"{name:>2}: {whole}, on a rank {part},", *tensor.placements)
assert dy.placements[0].is_partial() and torch.equal(dy.to_local(), partial)
assert torch.equal(dy.full_tensor(), y)

# %%
# A plan splits a transformer block
# ---------------------------------
#
# This block has two pairs of matrices: ``up`` and ``down``, and around attention
# ``qkv`` and ``out``. Attention works on *heads*, each with its own columns of ``qkv``,
# so a rank needs nothing from others between the two. The ``-1`` counts its heads.
from copy import deepcopy
from torch import nn

class Block(nn.Module):
    def __init__(self, dim, head_dim):
        super().__init__()
        self.head_dim = head_dim
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)

    def forward(self, x):  # (samples, tokens, features)
        heads = self.qkv(self.norm1(x)).unflatten(2, (-1, 3 * self.head_dim))
        q, k, v = heads.transpose(1, 2).chunk(3, dim=3)
        heads = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(heads.transpose(1, 2).flatten(2))
        return x + self.down(self.up(self.norm2(x)).relu())

# %%
# ``parallelize_module`` turns parameters into DTensors by a plan. ``layout`` is the
# placement of the input and the output of each pair of matrices.
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.parallel import (
    ColwiseParallel, RowwiseParallel, SequenceParallel, parallelize_module)

def plan(layout):
    columns = ColwiseParallel(input_layouts=layout)
    rows = RowwiseParallel(output_layouts=layout)
    return {"qkv": columns, "out": rows, "up": columns, "down": rows}

# %%
# ``CommDebugMode`` counts collectives, and ours also notes how many bytes each rank
# sends if they run in a ring.
class Traffic(CommDebugMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = super().__torch_dispatch__(func, types, args, kwargs)
        name = str(func).split(".")[1]
        if name in ("all_reduce", "all_gather_into_tensor", "reduce_scatter_tensor"):
            part = max(args[0].nbytes, result.nbytes) // world_size
            rounds = 2 if name == "all_reduce" else 1
            sent.append((name, rounds * (world_size - 1) * part))
        return result

def train(plan, x):
    block = parallelize_module(deepcopy(model), mesh, plan)
    x = x.clone().requires_grad_()
    sent.clear()
    with Traffic():
        output = block(x)
        output.square().sum().backward()
    if rank == 0:
        print(len(sent), "messages", *sorted(set(sent)))
    grads = [p.grad for p in block.parameters()]
    grads = [g.full_tensor() if isinstance(g, DTensor) else g for g in grads]
    return output, x.grad, grads

# %%
# Each pair has one all-reduce forward, and one backward, because the gradient of its
# input is a sum over all ranks again. With an empty plan nothing is split or sent.
sent, dim = [], 8 * world_size
torch.manual_seed(0)
model = Block(dim, head_dim=4).double().to(device)
x = torch.randn(2, 4 * world_size, dim, dtype=torch.float64).to(device)
output, x_grad, grads = train({}, x)
torch.testing.assert_close(train(plan(Replicate()), x), (output, x_grad, grads))
once, n_times = x.nbytes // world_size * (world_size - 1), 4 if world_size > 1 else 0
assert sent == [("all_reduce", 2 * once)] * n_times

# %%
# The output and all gradients equal those of one process. All ranks need the same
# samples and, for dropout, the same seed, but nothing checks that. If q, k and v are
# three layers, let ``PrepareModuleInput`` make their input a DTensor, else backward
# sends three times.
#
# A rank needs whole heads
# ------------------------
#
# The number of heads must be divisible by the number of ranks. This block has one head
# more than ranks, so its forward pass fails before it sends anything. If keys and
# values have fewer heads than queries, their number must be divisible too.
if world_size > 1:
    n_heads, head_dim = world_size + 1, 2 * world_size
    uneven = Block(n_heads * head_dim, head_dim).to(device)
    parallelize_module(uneven, mesh, plan(Replicate()))
    try:
        refusal = uneven(torch.zeros(1, 1, n_heads * head_dim, device=device))
    except RuntimeError as error:
        refusal = error
    if rank == 0:
        print(refusal)
    assert "don't multiply up" in str(refusal)

# %%
# Sequence parallel: same bytes, fewer tokens to store
# ----------------------------------------------------
#
# Between the pairs, all ranks compute and store the same layer norms and residual sums.
# But an all-reduce is a reduce-scatter, then an all-gather. With ``Shard(1)`` the
# all-gather waits for the next pair. Until then a rank has its share of the tokens.
by_token = plan(Shard(1)) | {"norm*": SequenceParallel()}
share, *shares = (t.chunk(world_size, dim=1)[rank] for t in (x, output, x_grad))
torch.testing.assert_close(train(by_token, share), (*shares, grads))
assert sorted(sent) == [("all_gather_into_tensor", once)] * n_times + [
    ("reduce_scatter_tensor", once)] * n_times

# %%
# What it costs, and when to use it
# ---------------------------------
#
# A block sends eight times ``once``. We compute this for 32 blocks, 8192 tokens of 4096
# features in bf16, and eight GPUs, with NVLink of 450 GB/s or a network of 50 GB/s.
gb = 32 * 8 * (8192 * 4096 * 2) / 8 * 7 / 1e9
if rank == 0:
    print(f"{gb:.0f} GB: NVLink {gb / 0.450:.0f} ms, network {gb / 0.050:.0f} ms")

# %%
# The GPUs wait for it, because the next matrix needs the sum. So use tensor parallel if
# a layer is too large, or if there are fewer samples than GPUs. Use it only among GPUs
# that NVLink connects, mostly the eight of a machine. Else sharded data parallel
# training is better, because it sends while it computes. Last, all leave the group.
dist.destroy_process_group()

# %%
# Try it
# ------
#
# - Seed with ``50 + rank``, so that each rank draws other numbers. What notices?
# - Leave the norms out of ``by_token``. The output stays right, but what does not?
#
# Where to go next
# ----------------
#
# - The papers on `tensor parallel <https://arxiv.org/abs/1909.08053>`__ and
#   `sequence parallel <https://arxiv.org/abs/2205.05198>`__ training of Megatron.
# - :doc:`/tutorials/larger_models/two_dimensions` combines it with sharding.
