"""
Tensor parallel: one matrix on several GPUs
===========================================

:Card: Each rank has a part of every matrix and every sum.
:Learn: You will split two matrices by hand so that they need one all-reduce, then a
    transformer block with ``parallelize_module``, and count the bytes that it sends.
:Prerequisites: :doc:`/tutorials/inside/collectives`
:Picture: tiles
:Oldest torch: 2.8

A layer can be too large for one GPU, and a single sample cannot be dealt out to
several. With *tensor parallelism* (TP) the GPUs share each matrix, and all of them
compute the same layer of the same samples at the same time.

We split two matrices by hand so that both need only one message, let PyTorch split a
transformer block in the same way, and count what each rank sends. Then come the two
things that go wrong without an error or with an odd one: dropout, and clipping.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 tensor_parallel.py
"""

# %%
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin with the same lines, and
# :doc:`/tutorials/start/hello_ranks` explains them. One rank is enough here, but then
# nothing is split or sent.
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
assert torch.equal(y, (x @ w1).relu() @ w2), "the parts don't add up"

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
# placement of the input and the output of each pair of matrices. ``nn.Linear`` stores
# its matrix transposed, so the columns of the matrix are the rows of ``weight``, and
# ``ColwiseParallel`` makes ``weight`` a ``Shard(0)``.
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.parallel import (
    ColwiseParallel, RowwiseParallel, SequenceParallel, parallelize_module)


def plan(layout):
    columns = ColwiseParallel(input_layouts=layout)
    rows = RowwiseParallel(output_layouts=layout)
    return {"qkv": columns, "out": rows, "up": columns, "down": rows}


# %%
# ``CommDebugMode`` counts collectives, and ours also notes how many bytes each rank
# sends if they run in a ring. It looks at PyTorch's inner operations, so keep it for
# measuring.
sent = []  # kind and bytes of each message


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
    """Run both passes. Return the block, its output and the gradient of its input."""
    block = parallelize_module(deepcopy(model), mesh, plan)
    x = x.clone().requires_grad_()
    sent.clear()
    with Traffic():
        output = block(x)
        output.square().sum().backward()
    if rank == 0:
        print(len(sent), "messages", *sorted(set(sent)))
    return block, output, x.grad


def whole_gradients(block):
    grads = [p.grad for p in block.parameters()]
    return [g.full_tensor() if isinstance(g, DTensor) else g.clone() for g in grads]


# %%
# Each pair has one all-reduce forward, and one backward, because the gradient of its
# input is a sum over all ranks again. With an empty plan nothing is split or sent.
dim = 8 * world_size
torch.manual_seed(0)
model = Block(dim, head_dim=4).double().to(device)
x = torch.randn(2, 4 * world_size, dim, dtype=torch.float64).to(device)
single, output, x_grad = train({}, x)
grads = whole_gradients(single)

block, *found = train(plan(Replicate()), x)
once, n_times = x.nbytes // world_size * (world_size - 1), 4 if world_size > 1 else 0
assert sent == [("all_reduce", 2 * once)] * n_times
torch.testing.assert_close(found, [output, x_grad])
torch.testing.assert_close(whole_gradients(block), grads)
assert block.up.weight.placements == (Shard(0),)

# %%
# The output and all gradients equal those of one process. If q, k and v are three
# layers, let ``PrepareModuleInput`` make their input a DTensor, else backward sends
# three times.
#
# A rank needs whole heads
# ------------------------
#
# The number of heads must be divisible by the number of ranks. This block has one head
# more than ranks, so its forward pass fails before it sends anything. If keys and
# values have fewer heads than queries, their number must be divisible too. And if there
# are fewer key heads than ranks, the usual way out is to give several ranks a copy of
# the same key head. Each copy sees only some of the queries, so the gradients of the
# copies have to be added up.
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
# Dropout has two regions, and they need two seeds
# ------------------------------------------------
#
# All ranks need the same samples, and nothing checks that. With dropout it is not so
# simple, because there are two kinds of places:
#
# - Where every rank holds the same activations, as at the input and the output of our
#   block, all ranks have to drop the same numbers. If they don't, each of them goes on
#   with another input. So there they need the same seed.
# - Between a column layer and a row layer, inside attention (``dropout_p``), and
#   wherever sequence parallelism divides the tokens (below), ranks hold different
#   columns, heads or tokens. There the same seed is a silent mistake: column j of each
#   rank falls together with column j of all others, so on four ranks one mask for a
#   quarter of the columns is repeated four times.
#
# The usual ``torch.manual_seed(0)`` on all ranks is right for the first kind only. For
# the second we fork the random state: all ranks draw the same number, add their rank,
# and use the sum as a seed for a while. Then the old state comes back, so that the next
# common mask is common again.
from contextlib import contextmanager


@contextmanager
def own_draws():
    """Draw other random numbers on each rank, for what the ranks hold in parts."""
    seed = torch.randint(2**40, ()).item() + rank  # drawn on the CPU, so nothing waits
    gpus = [device] if gpu_per_rank else []
    with torch.random.fork_rng(gpus, device_type=device.type):
        torch.manual_seed(seed)
        yield


def mask():
    my_part = torch.ones(16, device=device)  # of 16 * world_size columns
    return nn.functional.dropout(my_part).tolist()


torch.manual_seed(0)
drawn = {"columns, one seed": mask()}
with own_draws():
    drawn["columns, own_draws"] = mask()
drawn["whole activations"] = mask()

of_all_ranks = [None] * world_size
dist.all_gather_object(of_all_ranks, drawn)
different = {kind: len({tuple(d[kind]) for d in of_all_ranks}) for kind in drawn}
if rank == 0:
    print("different masks:", different)
assert different["columns, one seed"] == 1  # wrong
assert different["columns, own_draws"] == world_size
assert different["whole activations"] == 1

# %%
# Megatron keeps a second random state for this, in its `tracker of random states
# <https://docs.nvidia.com/megatron-core/developer-guide/latest/apidocs/core/core.tensor_parallel.random.html>`__.
# DTensor can do it too, but only on GPUs and for what is a DTensor: an ``nn.Dropout``
# that the plan lists with ``SequenceParallel()`` draws for its own tokens. What
# ``ColwiseParallel`` hands out is a plain tensor by default, and so is what attention
# gets, so there it is up to you.
#
# Clip by the norm of all parts
# -----------------------------
#
# ``clip_grad_norm_`` scales all gradients down if their common norm is too large. It
# can add up the parts of DTensors. But our plan lists only the matrices, so the norm
# layers still have plain tensors, and PyTorch refuses a list that has both.
try:
    refusal = nn.utils.clip_grad_norm_(block.parameters(), max_norm=1)
except RuntimeError as error:
    refusal = error
if rank == 0:
    print(refusal)
assert "got mixed torch.Tensor and DTensor" in str(refusal)

# %%
# So we take the norm of each kind, combine them, and scale each kind. The norm of the
# DTensors takes one message, which ``full_tensor`` waits for. It is a collective, so
# all ranks have to come here, even if only rank 0 prints the result.
from torch.nn.utils import clip_grads_with_norm_, get_total_norm


def clip(parameters, max_norm):
    """Clip gradients, some of them DTensors, and return the norm that they had."""
    parameters = list(parameters)
    split = [p for p in parameters if isinstance(p, DTensor)]
    whole = [p for p in parameters if not isinstance(p, DTensor)]
    norm_of_split = get_total_norm([p.grad for p in split]).full_tensor()
    norm_of_whole = get_total_norm([p.grad for p in whole])
    norm = torch.stack([norm_of_split, norm_of_whole]).norm()
    for some in split, whole:
        clip_grads_with_norm_(some, max_norm, norm)
    return norm


sent.clear()
with Traffic():
    norm = clip(block.parameters(), max_norm=1)
assert len(sent) == (world_size > 1)
norm_of_single = nn.utils.clip_grad_norm_(single.parameters(), max_norm=1)
torch.testing.assert_close(norm, norm_of_single)
torch.testing.assert_close(whole_gradients(block), whole_gradients(single))

# %%
# The plain gradients count once, because they are the same on all ranks. A sum over all
# ranks, as for a pipeline, would count them once for each.
#
# Sequence parallel: same bytes, fewer tokens to store
# ----------------------------------------------------
#
# Between the pairs, all ranks compute and store the same layer norms and residual sums.
# But an all-reduce is a reduce-scatter, then an all-gather. With ``Shard(1)`` the
# all-gather waits for the next pair. Until then a rank has its share of the tokens.
by_token = plan(Shard(1)) | {"norm*": SequenceParallel()}
block, *found = train(by_token, x.chunk(world_size, dim=1)[rank])
assert sorted(sent) == [("all_gather_into_tensor", once)] * n_times + [
    ("reduce_scatter_tensor", once)] * n_times
shares = [t.chunk(world_size, dim=1)[rank] for t in (output, x_grad)]
torch.testing.assert_close(found, shares)
torch.testing.assert_close(whole_gradients(block), grads)

# %%
# These are the bytes of the two passes, and there is a second bill. A rank has computed
# the norm layers for its own tokens only, so the gradients of their weights and biases
# are still ``Partial``: each rank has a part of the sum. DTensor adds it up wherever an
# operation needs the sum, and then forgets it. Adam uses each gradient three times, and
# a block has four of these, so its step sends 12 all-reduces for each block, where the
# plan before sends none. They are short, but everything waits for each of them, and 32
# blocks have 384.


def messages_of_a_step(block):
    sent.clear()
    with Traffic():
        torch.optim.Adam(block.parameters()).step()
    return len(sent)


partial_sums = [p for p in block.parameters() if p.grad.placements[0].is_partial()]
assert len(partial_sums) == 4
assert messages_of_a_step(block) == (12 if world_size > 1 else 0)

# %%
# So add them up once, between backward and everything that reads a gradient. Clipping
# is one of these: it sends more messages too if gradients are ``Partial``, and in
# PyTorch 2.8 and 2.9 it even gave us a wrong norm. Now that all parameters are
# DTensors, ``clip_grad_norm_`` does not refuse, and the step sends nothing.


def add_up(block):
    for p in block.parameters():
        if p.grad.placements != p.placements:  # Partial, where the weight is Replicate
            p.grad = p.grad.redistribute(placements=p.placements)


block, *_ = train(by_token, x.chunk(world_size, dim=1)[rank])
sent.clear()
with Traffic():
    add_up(block)
assert len(sent) == n_times  # one for each of the four
norm = nn.utils.clip_grad_norm_(block.parameters(), max_norm=1).full_tensor()
torch.testing.assert_close(norm, norm_of_single)
torch.testing.assert_close(whole_gradients(block), whole_gradients(single))
assert messages_of_a_step(block) == 0

# %%
# If you also shard the block with ``fully_shard``, you need no ``add_up``: it does the
# same in backward, before it reduces a gradient.
#
# What it costs, and when to use it
# ---------------------------------
#
# A block sends eight times ``once``. We compute this for 32 blocks, 8192 tokens of 4096
# features in bf16, and eight GPUs, with NVLink of 450 GB/s or a network of 50 GB/s. To
# see what that means, set it beside the time that the GPUs compute. The matrices of a
# block have 12 times the square of the number of features, and each of these parameters
# takes six operations for a token: two forward and four backward. We leave out
# attention between tokens, and assume that a GPU gets through 400 teraFLOP/s, some 40 %
# of the peak of an `H100 <https://www.nvidia.com/en-us/data-center/h100/>`__ for bf16
# (989 teraFLOP/s, or 1979 with sparsity).
assert sum(p.numel() for p in model.parameters() if p.dim() == 2) == 12 * dim**2
n_bytes = 32 * 8 * (8192 * 4096 * 2) / 8 * 7
n_operations = 32 * 6 * (12 * 4096**2) * 8192 / 8  # of one GPU
computing, nvlink, network = n_operations / 400e12, n_bytes / 450e9, n_bytes / 50e9
if rank == 0:
    print(f"{n_bytes / 1e9:.0f} GB: NVLink {nvlink:.3f} s, network {network:.3f} s")
    print(f"computing: {computing:.3f} s")
assert 0.3 < nvlink / computing < 0.4 and 3 < network / computing < 3.1

# %%
# The GPUs wait for the messages, because the next matrix needs the sum. With NVLink a
# step takes a third longer, and over the network four times as long. So use tensor
# parallelism if a layer is too large, or if there are fewer samples than GPUs, and only
# among GPUs that NVLink connects, mostly the eight of a machine. Else sharded data
# parallel training is better, because it sends while it computes.
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
# - Seed with ``50 + rank``, so that each rank draws other numbers. What notices?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      The first assert below an all-reduce. Before it each rank computes something that
#      is right by itself, but the parts belong to different matrices, and their sum to
#      none. In training there is no such assert, so the ranks of a group must have the
#      same samples and the same initial values.
#
# - Leave the norms out of ``by_token``. The output stays right, but what does not?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      The gradients of the norm layers. Each rank computes its norms for its own tokens
#      only, so it has a part of the sum, in a plain tensor that nobody adds up.
#      ``SequenceParallel()`` in the plan makes the parameters DTensors, whose gradients
#      are known to be ``Partial``.
#
# - In your own model: how many attention heads and how many key heads are there? By how
#   many GPUs can you divide them?
#
# What to remember
# ----------------
#
# - Columns first, rows second: a pair of matrices then costs one all-reduce forward and
#   one backward, which everything waits for. So keep it inside a machine with fast
#   links.
# - All ranks of the group need the same samples, and equal random numbers where they
#   hold equal activations, but different ones where they hold parts.
# - With sequence parallelism, gradients of norms are partial sums: add them up once,
#   before you clip or step.
#
# Where to go next
# ----------------
#
# - The papers on `tensor parallel <https://arxiv.org/abs/1909.08053>`__ and
#   `sequence parallel <https://arxiv.org/abs/2205.05198>`__ training of Megatron.
# - :doc:`/tutorials/larger_models/two_dimensions` combines it with sharding.
