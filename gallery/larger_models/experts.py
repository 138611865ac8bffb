"""
Experts: more parameters, the same work per token
=================================================

:Card: Tokens travel to their experts, and all wait for one rank.
:Learn: You will build a mixture of experts, give each rank experts of its own, send
    the tokens to them, and see who waits when most tokens want the same expert.
:Prerequisites: :doc:`/tutorials/inside/collectives`
:Picture: experts
:Oldest torch: 2.8

A model with more parameters learns more, but each *token*, one vector of its input,
takes more work. In a *mixture of experts* (MoE) a token goes through only one of many
networks. So the parameters grow, and the work for a token does not.

We build such a layer in one process and spread its experts over the ranks, with equal
gradients. Then most tokens want the same expert, all ranks wait for it, and we mend it.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 experts.py
"""

# %%
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin with the same lines, and
# :doc:`/tutorials/start/hello_ranks` explains them. One rank is enough here, but then
# nothing travels and nobody waits.
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
# A router chooses an expert for each token
# -----------------------------------------
#
# An *expert* is a small network, like the feed-forward part of a transformer's block. A
# linear layer, the *router* or gate, gives a token a probability for each expert, and
# the most probable one computes. Many models take several and add their outputs. The
# choice itself has no gradient. So the output is multiplied by the probability, which
# then rises where the expert helps. Our router begins with a preference for expert 0.
from torch import nn

width, n_experts = 32, 2 * world_size
n_tokens = 256  # of one rank


def build(part=slice(None)):
    torch.manual_seed(0)
    router = nn.Linear(width, n_experts)
    router.bias.detach()[0] = 1
    experts = [nn.Sequential(nn.Linear(width, 64), nn.ReLU(), nn.Linear(64, width))
               for _ in range(n_experts)]
    return router.to(device), nn.ModuleList(experts[part]).to(device)


def count(chosen):
    every_expert = torch.arange(n_experts, device=device)
    return (chosen[:, None] == every_expert).sum(dim=0)  # (experts,)


def through(experts, tokens, sizes):
    """Give parts of these sizes to the first expert, the second, ..., the first, ..."""
    parts = tokens.split(sizes)
    outputs = [None] * len(parts)
    for i, expert in enumerate(experts):
        every = slice(i, None, len(experts))
        output = expert(torch.cat(parts[every]))
        outputs[every] = output.split(sizes[every])
    return torch.cat(outputs)


def mixture(router, experts, tokens):  # (tokens, features)
    probability, chosen = router(tokens).softmax(dim=1).max(dim=1)
    order = chosen.argsort()
    results = through(experts, tokens[order], count(chosen).tolist())
    return probability[:, None] * results[order.argsort()]


# %%
# ``through`` needs the tokens sorted by expert, and computes each expert once.
#
# All experts together have many times the parameters of one. But a token takes only the
# work of one expert and of the router, as PyTorch's counter of operations shows.
from torch.utils.flop_counter import FlopCounterMode

router, experts = build()
tokens = torch.randn(world_size, n_tokens, width).to(device)  # those of all ranks
labels, loss_function = tokens.sin(), nn.MSELoss()
tokens.requires_grad_()  # in a model, the layers before need these gradients
with FlopCounterMode(display=False) as in_mixture:
    expected = mixture(router, experts, tokens.flatten(0, 1)).view_as(tokens)
with FlopCounterMode(display=False) as in_one:
    router(tokens), experts[0](tokens)
one, every = (sum(p.numel() for p in m.parameters()) for m in (experts[0], experts))
if rank == 0:
    print(f"{every} parameters in {n_experts} experts, {one} for each token")
assert every == n_experts * one
assert in_mixture.get_total_flops() == in_one.get_total_flops()
loss_function(expected, labels).backward()
assert router.weight.grad is not None

# %%
# Tokens travel, and experts stay
# -------------------------------
#
# In *expert parallel* training each rank has tokens and experts of its own, and a copy
# of the router. ``all_to_all_single`` sends each token to the rank of its expert. But
# autograd does not see it, so gradients would end there without an error. We tell it
# the way back: gradients go to where the tokens came from. PyTorch's own version, in
# ``torch.distributed.nn.functional``, is deprecated.
sent = []  # bytes to other ranks, by journey


class AllToAll(torch.autograd.Function):
    @staticmethod
    def forward(ctx, rows, send, receive):
        ctx.send, ctx.receive = send, receive
        received = rows.new_empty(sum(receive), width)
        dist.all_to_all_single(received, rows.contiguous(), receive, send)
        sent.append((sum(send) - send[rank]) * width * rows.itemsize)
        return received

    @staticmethod
    def backward(ctx, gradient):
        return AllToAll.apply(gradient, ctx.receive, ctx.send), None, None


# %%
# ``send`` and ``receive`` say how many rows go to each rank and come from it. A rank
# sorts its tokens by expert and counts them, and the counts travel first. Then the
# tokens travel, the experts compute, and the results travel back to their old places.
def per_rank(counts):  # (..., experts) -> (ranks,)
    return counts.view(-1, world_size, 2).sum(dim=(0, 2))


def expert_parallel(router, my_experts, tokens):
    probabilities = router(tokens).softmax(dim=1)  # (tokens, experts)
    probability, chosen = probabilities.max(dim=1)
    order, counts = chosen.argsort(), count(chosen)
    arriving = torch.empty_like(counts)  # two from each rank, for our two experts
    dist.all_to_all_single(arriving, counts)
    sizes = torch.stack([counts, arriving]).cpu()  # waits for the GPU, once
    send, receive = per_rank(sizes[0]).tolist(), per_rank(sizes[1]).tolist()

    received = AllToAll.apply(tokens[order], send, receive)
    results = through(my_experts, received, sizes[1].tolist())
    returned = AllToAll.apply(results, receive, send)
    return probability[:, None] * returned[order.argsort()], probabilities, counts


# %%
# NCCL takes these lists from the CPU, and so does ``split``. So the CPU has to wait for
# the GPU in each such layer, and our code does it once, for all sizes together. More
# waits slip in easily, because everything whose shape depends on values waits too. With
# ``tokens[chosen == i]``, as this layer is often written, each mask waits, on the way
# in and on the way out of every expert. ``bincount`` waits, because it looks for the
# largest number, and so does ``repeat_interleave`` without ``output_size``. To see what
# waits in your own layer, call ``torch.cuda.set_sync_debug_mode("warn")``.
#
# Our experts compute one after the other. That is fine for two, and for many there are
# products of all experts in one call, such as ``torch.nn.functional.grouped_mm`` in
# recent versions of PyTorch. And a rank without tokens has to take part in every
# collective of this layer too, or the others hang.
#
# The gradient of an expert is complete where the expert is
# ---------------------------------------------------------
#
# Each rank trains with its own tokens and two of the experts. It divides its loss by
# the number of ranks, so all losses add up to the mean over all tokens.
mine = slice(2 * rank, 2 * rank + 2)
my_tokens = tokens[rank].detach().requires_grad_()


def train(steps, extra_loss=lambda probabilities, counts: 0):
    router, experts = build(mine)
    optimizer = torch.optim.SGD([*router.parameters(), *experts.parameters()], lr=2.0)
    for _ in range(steps):
        output, probabilities, counts = expert_parallel(router, experts, my_tokens)
        loss = loss_function(output, labels[rank]) + extra_loss(probabilities, counts)
        optimizer.zero_grad()
        (loss / world_size).backward()
        for p in router.parameters():
            dist.all_reduce(p.grad)
        optimizer.step()
    rows = [torch.empty_like(counts) for _ in range(world_size)]
    dist.all_gather(rows, counts)
    return router, experts, output, torch.stack(rows).cpu()  # from rank to expert


# %%
# In the first step, outputs and gradients equal those of one process.
my_router, my_experts, output, grid = train(steps=1)
torch.testing.assert_close(output, expected[rank])
torch.testing.assert_close(my_tokens.grad, tokens.grad[rank])
torch.testing.assert_close(my_router.weight.grad, router.weight.grad)
for p, q in zip(my_experts.parameters(), experts[mine].parameters()):
    torch.testing.assert_close(p.grad, q.grad)

# %%
# Here only the router needs an all-reduce. The gradients of an expert are complete,
# because the tokens of all ranks came to it. So do not wrap experts in DDP: it would
# overwrite them with those of rank 0, and average the gradients of different experts.
#
# This holds because every rank has other experts. Large runs usually keep several
# copies of each expert, for example 8 groups of 8 GPUs with all experts in each group.
# Tokens then travel in their group only, and each expert is on 8 ranks, one of each
# group.
# These 8 have to reduce its gradients among themselves, with an all-reduce or with
# ``fully_shard`` over a mesh of just these ranks.
#
# A token that leaves its rank travels four times: to its expert and back, and then its
# gradients. Its own rank sends it on the first journey and on the third.
leaving = n_tokens - per_rank(grid[rank])[rank].item()
assert sent == [leaving * width * 4, sent[1]] * 2  # 4 bytes for each number

# %%
# All wait for the fullest rank
# -----------------------------
#
# The more tokens a rank receives, the longer it computes, and the others wait for its
# results. Training does not mend it, because an expert with more tokens learns more.
#
# `Switch Transformers <https://arxiv.org/abs/2101.03961>`__ add an *auxiliary loss*:
# the fraction of tokens that chose an expert times its mean probability, summed up.
# Only the probability has a gradient, and it falls most for experts with many tokens.
# Their factor is 0.01, and ours is 0.1 because our training is short.
def auxiliary_loss(probabilities, counts):
    return 0.1 * n_experts * (counts / n_tokens * probabilities.mean(dim=0)).sum()


trained = {"without auxiliary loss": train(20),
           "with auxiliary loss": train(20, auxiliary_loss)}
grids = {title: results[-1] for title, results in trained.items()}
fullest = [per_rank(grid).max() * world_size / grid.sum() for grid in grids.values()]
if rank == 0:
    print("fullest rank, times the mean:", *(f"{times:.1f}" for times in fullest))
assert world_size == 1 or fullest[0] > 1.5 > fullest[1], "not balanced"

# %%
# In the figure each row is a rank that sends, and the numbers say how many of its
# tokens go to each expert. Below, they pile up on the ranks that hold these experts.
#
# .. alt-text:: Two tables of four sending ranks and eight experts, above bars of the
#    tokens that each rank receives. Without auxiliary loss most go to rank 0, and the
#    others wait. With it, all four bars are about equally high.
if rank == 0:
    import matplotlib.pyplot as plt

    size = {"figsize": (7, 4.8), "layout": "constrained"}
    fig, axes = plt.subplots(2, 2, sharey="row", **size)
    x = [2 * r + 0.5 for r in range(world_size)]
    for (table, bars), (title, grid) in zip(axes.T, grids.items()):
        top = torch.zeros(world_size)
        for r, row in enumerate(grid):
            bars.bar(x, per_rank(row), 1.8, top, color=f"C{r}", hatch="/.x-"[r % 4] * 2)
            top += per_rank(row)
            for e, n in enumerate(row.tolist()):
                strength = min(1, 0.1 + 0.5 * n / n_tokens)
                table.bar(e, 0.9, 0.9, r - 0.45, color=f"C{r}", alpha=strength)
                table.text(e, r, n, ha="center", va="center", size=9)
        bars.bar(x, top.max() - top, 1.8, top, fill=False, ls=":", label="waits")
        bars.axhline(top.max(), ls="--", label="all wait until here")
        table.set(title=title, xlabel="expert", xticks=range(n_experts))
        bars.set(xlabel="rank", xticks=x, xticklabels=range(world_size))
    axes[0, 0].set(ylabel="from rank", yticks=range(world_size), ylim=(world_size, -1))
    axes[1, 0].set(ylabel="tokens", ylim=(0, 1.1 * n_tokens * world_size))
    bars.legend()

# %%
# A capacity drops what is too much
# ---------------------------------
#
# A second remedy works at once: an expert takes no more than its *capacity* of tokens
# from each rank, here 1.25 times the mean, rounded up. Each expert gets so many slots
# in the message, even if some stay empty. A token takes the next slot of its expert,
# and if all are taken, it goes to one last row, which is cut off before the message
# leaves. Its output is 0. In a transformer, whose blocks add their output to their
# input, such a token skips the layer.
import math

capacity = math.ceil(1.25 * n_tokens / n_experts)


def with_capacity(router, my_experts, tokens):
    probability, chosen = router(tokens).softmax(dim=1).max(dim=1)
    is_chosen = chosen[:, None] == torch.arange(n_experts, device=device)
    place = (is_chosen.cumsum(dim=0) * is_chosen).sum(dim=1) - 1  # 0, 1, ... per expert
    last = n_experts * capacity
    slot = torch.where(place < capacity, chosen * capacity + place, last)

    rows = tokens.new_zeros(last + 1, width).index_copy(0, slot, tokens)
    equal = [2 * capacity] * world_size  # as much to each rank as from it
    received = AllToAll.apply(rows[:-1], equal, equal)
    results = through(my_experts, received, [capacity] * n_experts)
    returned = AllToAll.apply(results, equal, equal)
    returned = torch.cat([returned, returned.new_zeros(1, width)])
    return probability[:, None] * returned[slot], slot == last


# %%
# We send the same tokens through both routers, with and without a capacity, and count
# the tokens that were dropped on all ranks. The others have the same output as before,
# and a dropped token has no gradient.
dropped_parts = []
for title, results in trained.items():
    trained_router, trained_experts = results[:2]
    sent.clear()
    my_tokens.grad = None
    output, dropped = with_capacity(trained_router, trained_experts, my_tokens)
    output.square().sum().backward()
    assert sent == [(n_experts - 2) * capacity * width * 4] * 4  # full slots or empty

    everything, _, counts = expert_parallel(trained_router, trained_experts, my_tokens)
    torch.testing.assert_close(output[~dropped], everything[~dropped])
    assert not output[dropped].any() and not my_tokens.grad[dropped].any()
    assert dropped.sum() == (counts - capacity).clamp(min=0).sum()

    n_dropped = dropped.sum()
    dist.all_reduce(n_dropped)
    dropped_parts.append(n_dropped.item() / (world_size * n_tokens))
    if rank == 0:
        print(f"{title}: {n_dropped} tokens dropped, {dropped_parts[-1]:.0%}")
assert dropped_parts[1] < dropped_parts[0] / 2

# %%
# All sizes are known before a token is seen, so no counts travel, and ``with_capacity``
# has nothing that waits for the GPU. (The loop above does, to count and to compare.)
# But dropped tokens teach nothing, and a strong auxiliary loss makes the router choose
# for balance, not for the token. So `DeepSeek-V3 <https://arxiv.org/abs/2412.19437>`__
# chooses with a bias, lower for busy experts.
#
# When to use experts
# -------------------
#
# Use them when a model should learn more while a token takes no more work. Each layer
# makes five all-to-all calls in a step, one with counts and four with tokens, and waits
# for them, so links have to be fast. Leave them when one GPU has to hold them all, or
# when most tokens would leave their machine.
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
# - Make the factor of the auxiliary loss 0.01. Which assert notices?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      The one that compares the fullest ranks: with the smaller factor the fullest rank
#      still gets 2.4 times the mean, because our training has only twenty steps. In a
#      long training 0.01 is enough, and more would make the router choose for balance
#      instead of for the token.
#
# - Make the capacity 1.0 times the mean, then 2.0. How many tokens are dropped?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      With the auxiliary loss 64 of 1024 with 1.0, 4 with 1.25, and none with 2.0.
#      Without it more than 40 % in all three cases, because most tokens want the same
#      expert. A larger capacity costs bytes and computation for empty slots, so balance
#      comes first.
#
# - In your own model: how many tokens does the fullest expert get in a step, in
#   multiples of the mean? Log it from the first step on.
#
# What to remember
# ----------------
#
# - Tokens travel to the ranks of their experts and back, in all-to-all calls that
#   everything waits for. The fullest rank decides how long a step takes.
# - Autograd doesn't see ``all_to_all_single``, so write the way back. Don't wrap
#   experts in DDP, because each rank has others.
# - Balance by an auxiliary loss or a bias. A capacity makes all sizes known in advance,
#   and drops tokens.
#
# Where to go next
# ----------------
#
# - The `history <https://huggingface.co/blog/moe>`__ of experts, and how to tune them.
