"""
Long sequences: attention around a ring (CP)
============================================

:Card: Each rank holds a part of the text. The keys travel.
:Learn: You will divide one long text among ranks, let keys and values travel around a
    ring, balance the work, and get the gradients of one process.
:Prerequisites: :doc:`/tutorials/inside/collectives`
:Picture: ring
:Oldest torch: 2.9

One long text can need more memory than a GPU has, even as the only sample of a batch.
Then there is no batch left to divide, so *context parallelism* divides the text: each
rank holds some of its tokens.

Only attention needs the other tokens. We pass what it needs around a ring, so that each
rank holds little at a time, and give all ranks the same work.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 long_sequences.py
"""

# %%
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin with the same lines, and
# :doc:`/tutorials/start/hello_ranks` explains them. One rank is enough here, but then
# nothing travels.
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
# Only attention looks at other tokens
# ------------------------------------
#
# We cut the text into pieces, two for each rank. Most layers compute each token alone,
# so there a rank needs only its own pieces, and keeps only their activations. In our
# small language model these are the layers before and after the attention.
import functools

from torch import nn
from torch.nn.functional import cross_entropy, scaled_dot_product_attention as sdpa
from torch.testing import assert_close

torch.manual_seed(0)  # the same numbers on all ranks
torch.set_default_dtype(torch.float64)  # for a precise comparison
n_pieces, per_piece, length = 2 * world_size, 32, 64 * world_size

embed, embed_position = nn.Embedding(50, 32), nn.Embedding(length, 32)
to_qkv = nn.Sequential(nn.LayerNorm(32), nn.Linear(32, 96))
mlp = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 50))
model = nn.ModuleList([embed, embed_position, to_qkv, mlp]).to(device)
x = torch.randn(n_pieces, per_piece, 32, device=device)
for layers in to_qkv, mlp:
    assert_close(layers(x)[-1], layers(x[-1]))

# %%
# Two parts of a softmax can be merged
# ------------------------------------
#
# A query gives a score to each key. Softmax makes it a weight: its exp, divided by the
# sum of exp over all keys. With only some of the keys this sum is too small. But if we
# keep it, two partial results can be merged exactly: the whole is their mean, weighted
# by their sums. The exp of a large score overflows, so we keep the logarithm of the
# sum, called *log-sum-exp*.


def weights_of(q, k, causal=False, lse=None):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if causal:
        scores += torch.full_like(scores, float("-inf")).triu(1)
    if lse is None:
        lse = scores.logsumexp(dim=-1, keepdim=True)
    return (scores - lse).exp(), lse


def merge(out, lse, part, part_lse):
    both = torch.logaddexp(lse, part_lse)
    return out * (lse - both).exp() + part * (part_lse - both).exp(), both


q, k, v = 30 * torch.randn(3, 1, length, 32, device=device)
weights, few_lse = weights_of(q, k[:, :7])  # of seven keys
few = weights @ v[:, :7]
weights, rest_lse = weights_of(q, k[:, 7:])  # of the rest
rest = weights @ v[:, 7:]
whole, _ = merge(few, few_lse, rest, rest_lse)

assert_close(whole, sdpa(q, k, v), msg="the merged parts aren't the whole")
assert not torch.allclose(few, sdpa(q, k, v)), "a part is like the whole"
assert (q @ k.mT).exp().isinf().any(), "no exp overflows, so the test is too easy"

# %%
# On GPUs a fused kernel computes the parts, and gives them in bfloat16. Keep the result
# and the log-sum-exp in float32 while you merge, because each merge in bfloat16 rounds
# them again. Here we pretend that a kernel gave eight parts:
q, k, v = torch.randn(3, 1, length, 32, device=device)
errors = {}
for dtype in torch.bfloat16, torch.float32:
    out = torch.zeros_like(q, dtype=dtype)
    lse = torch.full_like(q[..., :1], float("-inf"), dtype=dtype)
    for keys, values in zip(k.chunk(8, dim=1), v.chunk(8, dim=1)):
        weights, part_lse = weights_of(q, keys)
        part = (weights @ values).bfloat16()
        out, lse = merge(out, lse, part.to(dtype), part_lse.to(dtype))
    errors[dtype] = (out - sdpa(q, k, v)).norm() / sdpa(q, k, v).norm()
    if rank == 0:
        print(f"merged in {dtype}: error {errors[dtype]:.1%}")
assert errors[torch.bfloat16] > 4 * errors[torch.float32], "bfloat16 is as precise"

# %%
# Which call gives output and log-sum-exp? ``scaled_dot_product_attention`` returns only
# the output. From PyTorch 2.9 on, `flex_attention
# <https://docs.pytorch.org/docs/stable/nn.attention.flex_attention.html>`__ gives both
# if you pass ``return_aux=AuxRequest(lse=True)``. PyTorch's own ring calls
# ``torch.ops.aten._scaled_dot_product_flash_attention``. The same name with
# ``_backward`` at its end takes the log-sum-exp of all keys, as our backward pass does.

# %%
# Keys and values travel around a ring
# ------------------------------------
#
# In *ring attention* the queries stay. In each step a rank computes with the keys and
# values of one rank, while the next arrive from its neighbor. So while it computes
# forward, it holds those of three ranks: its own, these, and the next. Attention is
# *causal*: no query may see a later token. A piece of queries and a piece of keys make
# a *block*. We skip it if the keys come later, and mask half of it if both are one
# piece. ``layout`` lists the pieces. Beside data parallelism, use rank and size in the
# ring's group, and ``P2POp`` with ``group`` and ``group_peer``: peers are global ranks.
sent, computed = [], {}  # bytes of messages, and the blocks of each step


def pass_on(tensor):
    """Begin to send a tensor to the next rank, and to receive one from the last."""
    received = torch.empty_like(tensor)
    works = dist.batch_isend_irecv([
        dist.P2POp(dist.isend, tensor, (rank + 1) % world_size),
        dist.P2POp(dist.irecv, received, (rank - 1) % world_size)])
    sent.append(tensor.nbytes)
    return works, received


def wait_for(message):
    works, received = message
    for work in works:
        work.wait()
    return received


def ring(tensor, layout, dtype):
    """Yield what the rank holds in each step, and the blocks that it computes."""
    for step in range(world_size):
        is_last = step == world_size - 1
        if not is_last:
            message = pass_on(tensor)
        mine, theirs = layout[rank], layout[(rank - step) % world_size]
        blocks = []  # (i, j, is half masked): the rank's piece i with its piece j
        computed[step] = set()
        for i in range(2):
            for j in range(2):
                if theirs[j] <= mine[i]:
                    blocks.append((i, j, theirs[j] == mine[i]))
                    computed[step].add((mine[i], theirs[j]))
        yield tensor.to(dtype), blocks
        if not is_last:
            tensor = wait_for(message)


# %%
# The backward pass runs the ring again
# -------------------------------------
#
# Autograd would keep all keys and all weights. So we write the backward pass, and keep
# only the rank's own tensors and the log-sum-exp, which gives the weights again, as
# flash attention does. Keys and values go around once more. Their gradients follow one
# step behind: each rank adds its part and passes them on, and they travel while the
# next rank's part is computed. Only the last message, which brings them home, has no
# computation left to hide behind. The gradients need buffers of their own, in float32
# for bfloat16 keys, so the ring holds most in this pass. And our code stores all scores
# of a block, so for long pieces you need a fused kernel.


class RingAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, layout, q, k, v):
        wide = torch.promote_types(q.dtype, torch.float32)  # float32 for bfloat16
        out = torch.zeros_like(q, dtype=wide)
        lse = torch.full_like(out[..., :1], float("-inf"))
        for (keys, values), blocks in ring(torch.stack([k, v]), layout, wide):
            for i, j, causal in blocks:
                weights, part_lse = weights_of(q[i].to(wide), keys[j], causal)
                out[i], lse[i] = merge(out[i], lse[i], weights @ values[j], part_lse)
        out = out.to(q.dtype)
        ctx.save_for_backward(q, k, v, out, lse)
        ctx.layout = layout
        return out

    @staticmethod
    def backward(ctx, grad):
        q, k, v, out, lse = ctx.saved_tensors
        q, grad = q.to(lse.dtype), grad.to(lse.dtype)
        delta = (grad * out).sum(dim=-1, keepdim=True)  # = sum(weights * their grads)
        kv, dq = torch.stack([k, v]), torch.zeros_like(q)
        for step, ((keys, values), blocks) in enumerate(ring(kv, ctx.layout, q.dtype)):
            part = torch.zeros_like(kv, dtype=q.dtype)  # gradients of keys and values
            for i, j, causal in blocks:
                weights, _ = weights_of(q[i], keys[j], causal, lse[i])
                d_scores = weights * (grad[i] @ values[j].mT - delta[i])
                d_scores /= q.shape[-1] ** 0.5
                dq[i] += d_scores @ keys[j]
                part[0, j] += d_scores.mT @ q[i]
                part[1, j] += weights.mT @ grad[i]
            if step == 0:
                own = part  # needs no journey
            elif step == 1:
                message = pass_on(part)
            else:
                message = pass_on(wait_for(message) + part)  # waits after computing
        if world_size > 1:
            own += wait_for(message)
        dk, dv = own.to(k.dtype)
        return None, dq.to(k.dtype), dk, dv  # in the order of forward's arguments


# %%
# Train a step on one text
# ------------------------
#
# Positions count from the beginning of the whole text, and are cut as the tokens are.
# With rotary embeddings (RoPE) too, cut ``position_ids``, or the tables of cos and sin.
# Labels are shifted by one token before the cut, because the next token can be on
# another rank.
#
# We pretend that the text ends with padding, whose labels don't count. So the ranks
# count different numbers of labels, and the mean of the ranks' means isn't the mean
# over the text. On a rank with nothing but padding it's even NaN. So each rank divides
# the sum of its losses by the number of labels in the whole text, and we add up the
# gradients. DDP and FSDP average them: with these, multiply the loss by the number of
# ranks. The hooks count what autograd keeps besides the parameters.
text = torch.randint(50, (length + 1,), device=device)
positions = torch.arange(length, device=device)
labels = text[1:].clone()
labels[-40:] = -100  # cross_entropy ignores -100
n_labels = (labels != -100).sum().item()  # before the cut
data = torch.stack([text[:-1], positions, labels])


def train(data, attention, dtype=torch.float64):
    """Return the gradients, and the KiB that autograd keeps besides the parameters."""
    model.zero_grad()
    parameters = {p.data_ptr() for p in model.parameters()}
    kept = {}  # bytes of each tensor, by its address

    def note(tensor):
        if tensor.data_ptr() not in parameters:
            kept[tensor.data_ptr()] = tensor.nbytes
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        x = embed(data[0]) + embed_position(data[1])  # (pieces, tokens, 32)
        logits = mlp(x + attention(*to_qkv(x).to(dtype).chunk(3, dim=-1)))
        logits = logits.flatten(0, 1)
        loss_sum = cross_entropy(logits, data[2].flatten(), reduction="sum")
        loss = loss_sum / n_labels  # not the number on this rank
    loss.backward()
    gradients = nn.utils.parameters_to_vector(p.grad for p in model.parameters())
    return gradients, sum(kept.values()) // 1024


def attention_of_one(q, k, v):
    return sdpa(q[None], k[None], v[None], is_causal=True)[0]


expected, kept_by_one = train(data[:, None], attention_of_one)

# %%
# The zig-zag layout gives all ranks the same work
# ------------------------------------------------
#
# If each rank takes the next two pieces, the last one has most to see, and the others
# wait for it. In the *zig-zag* layout rank 0 takes the first and the last piece, rank 1
# the second and the last but one. So each has a piece that sees little and one that
# sees much. We train with both layouts, and compare with one process.
layouts = {
    "contiguous": [[2 * r, 2 * r + 1] for r in range(world_size)],
    "zig-zag": [[r, n_pieces - 1 - r] for r in range(world_size)]}
done = {name: [None] * world_size for name in layouts}
for name, layout in layouts.items():
    sent.clear()
    pieces = data.view(3, n_pieces, per_piece)[:, layout[rank]]
    ring_attention = functools.partial(RingAttention.apply, layout)
    gradients, kept = train(pieces, ring_attention)
    dist.all_reduce(gradients)
    assert_close(gradients, expected, msg="other gradients")
    dist.all_gather_object(done[name], computed)

work = {}  # blocks of each rank
for name, ranks in done.items():
    work[name] = [sum(map(len, steps.values())) for steps in ranks]
if rank == 0:
    print("blocks of each rank:", work)
    print(f"kept: {kept} KiB on each rank, {kept_by_one} KiB in one process")
assert work["contiguous"] == [4 * r + 3 for r in range(world_size)], "other blocks"
assert work["zig-zag"] == [2 * world_size + 1] * world_size, "the work is unequal"
assert kept * world_size <= kept_by_one, "the ranks keep more than one process"
if device.type == "cpu":  # CUDA has no fused kernel for the float64 of one process
    assert kept_by_one < 1.1 * kept * world_size, "one process keeps much more"
assert sum(sent) == 6 * (world_size - 1) * (k.nbytes // world_size), "other traffic"

gradients, _ = train(pieces, ring_attention, torch.bfloat16)  # in zig-zag
dist.all_reduce(gradients)
one, _ = train(data[:, None], attention_of_one, torch.bfloat16)
assert (gradients - expected).norm() < 1.5 * (one - expected).norm(), "rounds too much"

# %%
# The gradients equal those of one process, and each rank keeps only its share for the
# backward pass. ``RingAttention`` also takes (pieces, batch, heads, tokens, features).
# If keys have fewer heads than queries, repeat them first; then the messages grow.
#
# In the figure each row is a piece of queries, each column a piece of keys, and each
# number the rank that computed the block. Triangles are half masked.
#
# .. alt-text:: Two staircases of blocks, numbered by rank, above bars. Contiguous: each
#    rank has two neighboring rows, and the bars grow from 3 to 15. Zig-zag: each rank
#    has a short and a long row, and all bars are 9.
def draw_blocks(ax, r, blocks, alpha):
    for y, x in blocks:
        half = 0.15 if x == y else 0
        corners = [(x, y), (x, y + 0.9), (x + 0.9, y + 0.9), (x + 0.9, y)]
        corners = corners[:3] if half else corners
        ax.fill(*zip(*corners), facecolor=f"C{r}", alpha=alpha)
        ax.text(x + 0.45 - half, y + 0.45 + half, r, ha="center", va="center")


if rank == 0:
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(2, 2, figsize=(7, 5.4), sharey="row", height_ratios=[3, 1])
    for (grid, bars), name in zip(axes.T, done):
        for r, steps in enumerate(done[name]):
            draw_blocks(grid, r, set().union(*steps.values()), alpha=0.5)
            bars.barh(r, work[name][r], facecolor=f"C{r}", alpha=0.5)
            bars.text(work[name][r] + 0.2, r, work[name][r], va="center")
        grid.set(title=name, xlabel="keys", xticks=[], yticks=[], ylim=(n_pieces, 0))
        bars.set(xlabel="blocks", xlim=(0, 4.5 * world_size), ylim=(world_size, -1))
    axes[0, 0].set(ylabel="queries")
    axes[1, 0].set(ylabel="rank", yticks=range(world_size))

# %%
# And this is how the keys travel in the zig-zag layout, one step of the ring after the
# other. The bottom row says which rank holds each piece of keys. The blocks that this
# step adds are dark: in each step all ranks add equally many, so none waits.
#
# .. alt-text:: Step 1: each rank holds its own two pieces of keys, 0 1 2 3 3 2 1 0, and
#    computes its two triangles and one block beside them.
# .. alt-text:: Step 2: all keys have moved to the next rank, and each rank adds two
#    blocks.
# .. alt-text:: Step 3: the keys have moved again, and each rank adds two blocks.
# .. alt-text:: Step 4: each rank adds two blocks, and the staircase is complete.
if rank == 0:
    for step in range(world_size):
        fig, ax = plt.subplots(figsize=(5, 4.4), layout="constrained")
        for r, steps in enumerate(done["zig-zag"]):
            for earlier in range(step):
                draw_blocks(ax, r, steps[earlier], alpha=0.2)
            draw_blocks(ax, r, steps[step], alpha=0.8)
            for piece in layouts["zig-zag"][(r - step) % world_size]:
                ax.barh(n_pieces + 0.8, 0.9, 0.7, piece, color=f"C{r}", alpha=0.8)
                ax.text(piece + 0.45, n_pieces + 0.8, r, ha="center", va="center")
        ax.set(xlabel="keys", ylabel="queries", xticks=[], yticks=[])
        ax.set(xlim=(-0.1, n_pieces), ylim=(n_pieces + 1.3, -0.2))

# %%
# When to use it, and what it costs
# ---------------------------------
#
# Use it when one sample does not fit, even with activation checkpointing. Let w be the
# number of ranks, and n the bytes of keys on each. In *grouped-query attention* g heads
# of queries share one head of keys; otherwise g is 1. A rank sends forward:
#
# - **Ring attention**: 2 · (w - 1) · n bytes, and at least twice as many backward.
# - **All-gather**: as many, but each rank holds all keys and values for a while.
# - **Ulysses**: an all-to-all gives each rank all tokens of some heads. Queries and
#   output travel too, so it sends (2 · g + 2) · (w - 1) / w · n, more than the ring if
#   w < g + 1. With g = 8 and w = 4 that's 13.5 · n, and 6 · n in the ring. And w must
#   divide the number of heads of keys.
#
# The ring's messages hide if the pieces are long. With c tokens on each rank and d
# features, a zig-zag step computes 2 · c² · d · g floating-point operations for a head
# of keys, and sends 4 · c · d bytes in bfloat16. So c · g must exceed 2 · F / B, with F
# operations and B bytes a second. For example, with 4 · 10¹⁴ operations, 5 · 10¹⁰ bytes
# and g = 8, each rank needs more than 2000 tokens.
#
# PyTorch's own ring
# ------------------
#
# PyTorch has a `prototype
# <https://docs.pytorch.org/tutorials/unstable/context_parallel.html>`__,
# ``context_parallel``, that replaces ``scaled_dot_product_attention`` and its backward
# pass inside its ``with``, so call ``backward`` there. It needs the flash, efficient or
# cuDNN kernel, so it fails on a CPU, and we haven't run this loop.
#
# .. admonition:: A training loop with data and context parallelism
#    :collapsible: closed
#
#    .. code-block:: python
#
#       from torch.distributed.device_mesh import init_device_mesh
#       from torch.distributed.tensor.experimental import context_parallel
#       from torch.distributed.tensor.experimental._attention import set_rotate_method
#       from torch.utils.data import DataLoader, DistributedSampler
#
#       mesh = init_device_mesh("cuda", (n_texts, n_parts), mesh_dim_names=("dp", "cp"))
#       sampler = DistributedSampler(data_set, n_texts, mesh.get_local_rank("dp"))
#       loader = DataLoader(data_set, batch_size, sampler=sampler)
#       set_rotate_method("alltoall")  # a ring; the default is "allgather"
#       for tokens, labels in loader:  # (batch, length), labels already shifted
#           tokens, labels = tokens.to(device), labels.to(device)
#           n_labels = (labels != -100).sum()  # before the cut
#           dist.all_reduce(n_labels, group=mesh.get_group("dp"))
#           positions = torch.arange(tokens.shape[1], device=device)
#           with context_parallel(
#               mesh["cp"],
#               buffers=[tokens, labels, positions],  # cut in place
#               buffer_seq_dims=[1, 1, 0],
#               no_restore_buffers={tokens, labels, positions},
#           ):
#               logits = model(tokens, positions)  # attention with is_causal=True
#               loss_sum = cross_entropy(
#                   logits.flatten(0, 1), labels.flatten(), reduction="sum")
#               (loss_sum * dist.get_world_size() / n_labels).backward()
#           optimizer.step()
#           optimizer.zero_grad()
#
# Four traps give no error:
#
# - It replaces the name in ``torch.nn.functional``. A model that has imported the
#   function by itself, as this page does, goes on with attention inside each part.
# - It cuts in zig-zag only if 2 · w divides the length, so pad the batch. Otherwise the
#   parts are contiguous.
# - The ranks of a ``"cp"`` group must load the same text, so the sampler gets the rank
#   along ``"dp"``. But DDP or FSDP must average over all ranks, so don't give it the
#   group of ``"dp"`` alone.
# - If several documents share a text, ``is_causal`` lets each see those before it. A
#   mask for each document needs another balance too, and isn't on this page.
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
# - Below the cut, add ``pieces[1] %= per_piece``, so that the positions of each piece
#   begin at 0. Which assert notices?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      The one that compares the gradients with those of one process. A token of the
#      second piece no longer knows where in the whole text it is, so its position, and
#      everything computed from it, is another one. All shapes are right, so without
#      this comparison the training would go on.
#
# - In your own model: how many bytes of activations does one token of one block have,
#   and from which length on does a single sample not fit?
#
# What to remember
# ----------------
#
# - Context parallelism divides the tokens of a sequence. Only attention needs the
#   others, so keys and values travel around a ring.
# - With a causal mask cut in zig-zag, or the last rank has most to do and all others
#   wait for it.
# - Shift labels, and count positions and labels, before you cut.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/larger_models/experts` sends tokens to other ranks too.
# - :doc:`/tutorials/inside/hide_the_traffic` hides messages behind computation too.
# - `Ring Attention <https://arxiv.org/abs/2310.01889>`__ is the paper.
