"""
Mixture of experts (MoE): more parameters, the same work per token
==================================================================

:Card: Tokens travel to their experts, and all wait for one rank.
:Learn: You will build a mixture of experts, give each rank experts of its own, send
    the tokens to them, and see who waits when most tokens want the same expert.
:Prerequisites: :doc:`/tutorials/inside/collectives`,
    :doc:`/tutorials/larger_models/fully_sharded`
:Picture: experts
:Oldest torch: 2.13

A model with more parameters learns more, but each *token*, one vector of its input,
takes more work. In a *mixture of experts* (MoE) a token goes through only a few of many
networks, so the parameters grow, and the work for a token does not. `Mixtral
<https://arxiv.org/abs/2401.04088>`__ computes with 13 of its 47 billion parameters for
each token, and `DeepSeek-V3 <https://arxiv.org/abs/2412.19437>`__ with 37 of 671
billion. What do they gain? `Switch Transformers <https://arxiv.org/abs/2101.03961>`__
report up to seven times faster pre-training than a *dense* model, which uses all its
parameters for each token, with the same work per token.

Memory isn't saved. With Adam each parameter takes
:doc:`16 bytes </tutorials/larger_models/fitting_in_memory>`, so DeepSeek-V3 takes
10.7 TB, which is more than 130 GPUs of 80 GB can hold. So the experts are spread over
the GPUs, and the tokens travel to them. That is *expert parallelism* (EP).

We build such a layer in one process and spread its experts over the ranks, with equal
gradients. Then most tokens want the same experts, all ranks wait for them, and we mend
it. We also count when all this is slower than a dense model.

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
# The router chooses the top-2 experts of each token
# --------------------------------------------------
#
# Our layer has eight experts, unless the number of ranks does not divide eight.
width = 32
hidden = 64  # inside an expert
top_k = 2  # experts for each token
own_experts = max(1, 8 // world_size)  # of each rank
n_experts = own_experts * world_size
n_tokens = 256  # of one rank

# %%
# An *expert* is a small network, like the feed-forward part of a transformer's block.
# All of ours lie in two tensors, which will help us later.
from torch import nn


class Experts(nn.Module):
    def __init__(self, into, out):
        super().__init__()
        self.into = nn.Parameter(into)  # (experts, width, hidden)
        self.out = nn.Parameter(out)  # (experts, hidden, width)

    def matrices(self):
        return self.into, self.out

    def one(self, i, rows):
        into, out = self.matrices()
        return torch.relu(rows @ into[i]) @ out[i]

    def forward(self, rows, sizes):
        """Give sizes[0] rows to expert 0, the next sizes[1] rows to expert 1, ..."""
        parts = rows.split(sizes)
        return torch.cat([self.one(i, part) for i, part in enumerate(parts)])


# %%
# A linear layer, the *router* or gate, gives a token a score for each expert. The two
# experts with the highest scores compute, and their outputs are added with weights that
# sum up to 1. The choice itself has no gradient. So the weights have to carry it: the
# weight of an expert rises where its output helps more than that of the other.
#
# We take the softmax of the two highest scores as weights, as Mixtral does. The softmax
# of all scores is for the auxiliary loss below.
def route(router, tokens):
    scores = router(tokens)  # (tokens, experts)
    highest, chosen = scores.topk(top_k, dim=1)  # (tokens, top_k)
    probabilities = scores.softmax(dim=1)  # (tokens, experts)
    weights = highest.softmax(dim=1)  # (tokens, top_k)
    return probabilities, weights, chosen


# %%
# Our router begins with a strong preference for experts 0 and 1. In a real model chance
# gives it one. To compare, each rank makes all experts from one seed. In a large model,
# make only those of the rank, each from its own seed, and the router from the same seed
# on all ranks.
def build(part=slice(None)):
    """Return the router, and those of the experts that are in ``part``."""
    torch.manual_seed(0)
    router = nn.Linear(width, n_experts)
    router.bias.detach()[:2] = 3  # a preference for experts 0 and 1
    into = torch.randn(n_experts, width, hidden) / width**0.5
    out = torch.randn(n_experts, hidden, width) / hidden**0.5
    experts = Experts(into[part].clone(), out[part].clone())
    return router.to(device), experts.to(device)


# %%
# The tokens are of eight kinds, each with a function of its own to learn, so that the
# experts have something to share out.
router, experts = build()
kind = torch.arange(n_tokens) % 8
tokens = torch.randn(world_size, n_tokens, width) + torch.randn(8, width)[kind]
maps = torch.randn(8, width, width)[kind]  # a matrix for each token, by its kind
labels = torch.einsum("rtw,twv->rtv", tokens, maps)  # ranks, tokens, width
labels = (labels / labels.std()).to(device)
tokens = tokens.to(device)  # those of all ranks

# %%
# Here is the layer as its definition says it: every expert computes every token, and
# most results are multiplied by 0.
def by_definition(router, experts, tokens):
    _, weights, chosen = route(router, tokens)
    output = torch.zeros_like(tokens)
    for i in range(n_experts):
        weight = (weights * (chosen == i)).sum(dim=1, keepdim=True)  # 0 if not chosen
        output += weight * experts.one(i, tokens)
    return output


# %%
# To save the work, we make a row for each choice, two for each token, and sort the rows
# by expert. Then each expert computes a block of neighboring rows. Afterwards the rows
# go back to their old places, and ``combine`` adds the two of each token.
def count(chosen):
    every_expert = torch.arange(n_experts, device=device)
    return (chosen.flatten()[:, None] == every_expert).sum(dim=0)  # (experts,)


def combine(results, weights):  # (tokens * top_k, width), (tokens, top_k)
    results = results.view(-1, top_k, width)
    return (weights[:, :, None] * results).sum(dim=1)  # (tokens, width)


def mixture(router, experts, tokens):
    _, weights, chosen = route(router, tokens)
    order = chosen.flatten().argsort(stable=True)  # choices, sorted by expert
    rows = tokens[order // top_k]  # choices 2t and 2t + 1 are those of token t
    results = experts(rows, count(chosen).tolist())
    return combine(results[order.argsort()], weights)


# %%
# Both functions have the same result. In ``mixture`` a token takes only the work of two
# experts and of the router: two operations for each of their parameters, as PyTorch's
# counter shows.
from torch.utils.flop_counter import FlopCounterMode

tokens.requires_grad_()  # in a model, the layers before need these gradients
defined = by_definition(router, experts, tokens.flatten(0, 1)).view_as(tokens)
with FlopCounterMode(display=False) as counter:
    expected = mixture(router, experts, tokens.flatten(0, 1)).view_as(tokens)
torch.testing.assert_close(expected, defined)

n_parameters = sum(p.numel() for p in experts.parameters())
n_used = n_parameters * top_k // n_experts
if rank == 0:
    print(f"{n_parameters} parameters in {n_experts} experts, {n_used} for each token")
operations = 2 * (n_used + router.weight.numel()) * world_size * n_tokens
assert counter.get_total_flops() == operations, "a token takes other work"

# %%
# In a transformer's block, the output of the layer is added to its input. That is the
# *residual connection*, and our loss has it too. The backward pass shows that the
# router gets a gradient, through the weights.
loss_function = nn.MSELoss()
loss_function(tokens + expected, labels).backward()
assert router.weight.grad.any(), "the router cannot learn"

# %%
# Tokens travel, and experts stay: ``all_to_all_single``
# ------------------------------------------------------
#
# In *expert parallel* training each rank has tokens and experts of its own, and a copy
# of the router. ``all_to_all_single`` sends each row to the rank of its expert. But
# autograd does not see it, so gradients would end there without an error.
rows = torch.ones(world_size, width, device=device, requires_grad=True)
received = torch.empty_like(rows)
dist.all_to_all_single(received, rows * 2)
assert not received.requires_grad, "autograd sees the call"

# %%
# So we tell autograd the way back: gradients go to where the rows came from, and the
# sizes are those of the forward pass, with sending and receiving swapped. (PyTorch has
# two versions of its own. The one in ``torch.distributed.nn.functional`` is deprecated.
# The other one, ``all_to_all_single_autograd``, is in a private module of PyTorch
# 2.13.)
class AllToAll(torch.autograd.Function):
    @staticmethod
    def forward(ctx, rows, send, receive, group):
        ctx.sizes = send, receive
        ctx.group = group
        received = rows.new_empty(sum(receive), rows.shape[1])
        dist.all_to_all_single(received, rows.contiguous(), receive, send, group)
        return received

    @staticmethod
    def backward(ctx, gradient):
        send, receive = ctx.sizes
        return AllToAll.apply(gradient, receive, send, ctx.group), None, None, None


# %%
# ``send`` and ``receive`` say how many rows go to each rank and come from it. A rank
# knows what it sends, because it has counted. What it will receive only the others
# know, so the counts travel first, in a small all-to-all of their own. The backward
# pass needs no other one, since it has both lists already.
def exchange_counts(counts, group):
    n_ranks = dist.get_world_size(group)
    arriving = torch.empty_like(counts)
    dist.all_to_all_single(arriving, counts, group=group)
    both = torch.stack([counts, arriving]).view(2, n_ranks, -1)  # 2, ranks, own experts
    on_cpu = both.cpu()  # waits for the GPU, once
    send, receive = on_cpu.sum(dim=2).tolist()
    sizes = on_cpu[1].sum(dim=0).tolist()
    return send, receive, arriving.view(n_ranks, -1), sizes


# %%
# The rows arrive sorted by sender, and those of a sender by expert. Our experts want
# all rows of one expert together, whoever sent them. So they are sorted once more, and
# the results go back to the order of their arrival.
def compute(my_experts, received, arriving, sizes):  # arriving: (ranks, own experts)
    n_ranks, n_own = arriving.shape
    expert = torch.arange(n_own, device=device).repeat(n_ranks)
    expert = expert.repeat_interleave(arriving.flatten(), output_size=len(received))
    order = expert.argsort(stable=True)
    results = my_experts(received[order], sizes)
    return results[order.argsort()]


def expert_parallel(router, my_experts, tokens, group=None):
    probabilities, weights, chosen = route(router, tokens)
    order = chosen.flatten().argsort(stable=True)
    counts = count(chosen)
    send, receive, arriving, sizes = exchange_counts(counts, group)

    received = AllToAll.apply(tokens[order // top_k], send, receive, group)
    results = compute(my_experts, received, arriving, sizes)
    returned = AllToAll.apply(results, receive, send, group)
    return combine(returned[order.argsort()], weights), probabilities, counts


# %%
# NCCL takes these lists from the CPU, and so does ``split``. So the CPU has to wait for
# the GPU in each such layer, and our code does it once, for all sizes together. To see
# what else waits in your own layer, call ``torch.cuda.set_sync_debug_mode("warn")``.
#
# A rank to which nobody sends a row has to take part in every collective of this layer
# too, or the others hang.
#
# The gradient of an expert is complete where the expert is
# ---------------------------------------------------------
#
# Each rank trains with its own tokens and its own experts, and all ranks have equally
# many tokens. Each divides its loss by the number of ranks, so that all losses add up
# to the mean over all tokens. If you accumulate gradients, call ``all_reduce`` only
# once, after the last backward pass, or it adds up sums again.
mine = slice(own_experts * rank, own_experts * (rank + 1))
my_tokens = tokens[rank].detach().requires_grad_()


def forward_backward(router, experts, extra_loss=None):
    output, probabilities, counts = expert_parallel(router, experts, my_tokens)
    loss = loss_function(my_tokens + output, labels[rank])
    extra = extra_loss(probabilities, counts) if extra_loss else 0
    ((loss + extra) / world_size).backward()
    for p in router.parameters():
        dist.all_reduce(p.grad)
    return output, loss.detach(), counts


# %%
# The outputs and all gradients equal those of the same model in one process, which has
# seen the tokens of all ranks.
my_router, my_experts = build(mine)
output, _, _ = forward_backward(my_router, my_experts)
torch.testing.assert_close(output, expected[rank])
torch.testing.assert_close(my_tokens.grad, tokens.grad[rank])
torch.testing.assert_close(my_router.weight.grad, router.weight.grad)
torch.testing.assert_close(my_experts.into.grad, experts.into.grad[mine])
torch.testing.assert_close(my_experts.out.grad, experts.out.grad[mine])

# %%
# Here only the router needs an all-reduce, and in a whole model all parameters but the
# experts. The gradients of an expert are complete, because the tokens of all ranks came
# to it. They are sums, not means, and they fit those of the router because every loss
# was divided by the number of all ranks.
#
# Two traps: experts in DDP and in a checkpoint
# ---------------------------------------------
#
# The first trap is to wrap the whole model in DDP, as you would with any other one. DDP
# takes for granted that all ranks have the same parameters. So it overwrites the
# experts with those of rank 0, and later averages the gradients of different experts.
# Nothing fails.
import copy

from torch.nn.parallel import DistributedDataParallel

wrapped = copy.deepcopy(my_experts)
DistributedDataParallel(wrapped)
equals_before = torch.equal(wrapped.into, my_experts.into)
assert equals_before == (rank == 0), "DDP keeps the experts of each rank"

# %%
# The second trap comes with the checkpoint. ``torch.distributed.checkpoint`` takes
# plain tensors of the same name for copies of one tensor, and writes only one of them.
# The experts have the same names on all ranks. So those of a single rank are saved, and
# when you go on training, every rank loads these. Again nothing fails.
import tempfile

import torch.distributed.checkpoint as dcp

temporary = tempfile.TemporaryDirectory()
folders = [temporary.name]
dist.broadcast_object_list(folders)  # all ranks use the folder of rank 0


def save_and_load(experts, name):
    folder = os.path.join(folders[0], name)
    dcp.save({"into": experts.into.detach()}, checkpoint_id=folder)
    loaded = {"into": torch.zeros_like(experts.into.detach())}
    dcp.load(loaded, checkpoint_id=folder)
    return loaded["into"]


is_mine = torch.equal(save_and_load(my_experts, "plain"), my_experts.into)
n_saved = torch.tensor(int(is_mine), device=device)
dist.all_reduce(n_saved)
assert n_saved == 1, "the experts of more than one rank were saved"

# %%
# The cure is to let each parameter know which part of all experts it is. A ``DTensor``
# does: ``from_local`` makes one of the parts of all ranks, without moving them, and a
# layer computes with ``to_local``. Then the checkpoint has all experts, and their
# numbers in Adam as well, because Adam makes those like the parameters.
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Shard


class SpreadExperts(Experts):
    def __init__(self, experts, mesh):
        into = DTensor.from_local(experts.into.detach(), mesh, [Shard(0)])
        out = DTensor.from_local(experts.out.detach(), mesh, [Shard(0)])
        super().__init__(into, out)

    def matrices(self):
        return self.into.to_local(), self.out.to_local()  # this rank's experts


all_ranks = init_device_mesh(device.type, (world_size,))
spread_experts = SpreadExperts(my_experts, all_ranks)
loaded = save_and_load(spread_experts, "spread").full_tensor()
assert torch.equal(loaded, experts.into), "the checkpoint lacks some experts"

# %%
# Load balancing: all wait for the fullest rank
# ---------------------------------------------
#
# The more rows a rank receives, the longer it computes, and the others wait for its
# results. Training by itself does not mend it. An expert that gets few tokens learns
# little, so the router has no reason to send it more.
#
# `Switch Transformers <https://arxiv.org/abs/2101.03961>`__ add an *auxiliary loss*,
# also called load-balancing loss. For each expert it multiplies the fraction of the
# choices that fell on it by its mean probability. The sum over the experts, times their
# number, is 1 if all get equally many. Only the probability has a gradient, and it
# falls most for experts with many tokens. Their factor is 0.01, and ours is 0.3 because
# our training is short.
def auxiliary_loss(probabilities, counts):
    fraction = counts / (n_tokens * top_k)
    mean_probability = probabilities.mean(dim=0)
    return 0.3 * n_experts * (fraction * mean_probability).sum()


def gather(table):
    tables = [torch.empty_like(table) for _ in range(world_size)]
    dist.all_gather(tables, table)
    return torch.stack(tables).cpu()  # those of all ranks


def train(steps, extra_loss=None):
    router, experts = build(mine)
    parameters = list(router.parameters()) + list(experts.parameters())
    optimizer = torch.optim.Adam(parameters, lr=0.02)
    for _ in range(steps):
        optimizer.zero_grad()
        forward_backward(router, experts, extra_loss)
        optimizer.step()
    _, loss, counts = forward_backward(router, experts)
    return router, experts, gather(loss).mean(), gather(counts)


trained = {"without auxiliary loss": train(20),
           "with auxiliary loss": train(20, auxiliary_loss)}

# %%
# So what does the auxiliary loss change? We count the choices after training, by
# expert and by rank, as multiples of the mean. The loss is without the auxiliary part.
def per_rank(numbers):  # (experts,)
    return numbers.view(world_size, own_experts).sum(dim=1)


fullest = []
losses = []
for title in trained:
    _, _, loss, choices = trained[title]  # (ranks that send, experts)
    relative = choices.sum(dim=0) / choices.sum() * n_experts  # 1 is the mean
    fullest.append(relative.max())
    losses.append(loss)
    if rank == 0:
        print(f"{title}: loss {loss:.2f}, choices as multiples of the mean:")
        print(f"    fullest expert {relative.max():.1f},",
              f"emptiest {relative.min():.1f},",
              f"fullest rank {per_rank(relative).max() / own_experts:.1f}")
assert fullest[0] > 2 > 1.5 > fullest[1], "the auxiliary loss does not balance"
assert losses[1] < losses[0], "the balanced experts learn less"

# %%
# Without the auxiliary loss some experts get almost nothing. They take as much memory
# as the others, and the model learns as if it didn't have them. With it, they are used,
# and the loss is lower as well.
#
# But a strong auxiliary loss makes the router choose for balance, not for the token. So
# `DeepSeek-V3 <https://arxiv.org/abs/2412.19437>`__ adds a bias to the score of each
# expert, only for the choice and not for the weights. After each step the bias of busy
# experts is lowered, and that of idle ones is raised.
#
# Each rank balances its own tokens here. If the counts are added up over all ranks
# first, an expert may be busy on one rank as long as it isn't on the others, and can
# specialize more. That is the `global-batch
# <https://arxiv.org/abs/2501.11873>`__ variant.

# %%
# A capacity drops what is too much
# ---------------------------------
#
# A second remedy works at once: an expert takes no more than its *capacity* of rows
# from each rank, here 1.25 times the mean, rounded up. Each expert gets so many slots
# in the message, even if some stay empty. ``assign_slots`` counts how many choices want
# the same expert before, the first choices of all tokens ahead of the second ones. If
# no slot is left, the choice is *dropped*: it goes to one last row, which is cut off
# before the message leaves.
import math

capacity = math.ceil(1.25 * n_tokens * top_k / n_experts)
last = n_experts * capacity  # the row of what is dropped


def assign_slots(chosen):
    first_then_second = chosen.T.flatten()
    every_expert = torch.arange(n_experts, device=device)
    is_chosen = first_then_second[:, None] == every_expert
    before = (is_chosen.cumsum(dim=0) * is_chosen).sum(dim=1) - 1  # same expert
    slot = first_then_second * capacity + before
    return torch.where(before < capacity, slot, last).view(top_k, -1).T  # as chosen


# %%
# Since every expert gets equally many slots from every rank, the slots are padded
# already, and one ``bmm`` computes all experts of the rank.
def compute_slots(my_experts, received):
    slots = received.view(world_size, own_experts, capacity, width)
    slots = slots.transpose(0, 1).flatten(1, 2)  # (own experts, rows, width)
    into, out = my_experts.matrices()
    results = torch.relu(slots.bmm(into)).bmm(out)
    results = results.view(own_experts, world_size, capacity, width).transpose(0, 1)
    return results.reshape(-1, width)


def with_capacity(router, my_experts, tokens):
    _, weights, chosen = route(router, tokens)
    slot = assign_slots(chosen)
    rows = tokens.repeat_interleave(top_k, dim=0)
    rows = tokens.new_zeros(last + 1, width).index_copy(0, slot.flatten(), rows)
    equal = [own_experts * capacity] * world_size  # as much to each rank as from it
    received = AllToAll.apply(rows[:-1], equal, equal, None)
    returned = AllToAll.apply(compute_slots(my_experts, received), equal, equal, None)
    returned = torch.cat([returned, returned.new_zeros(1, width)])  # dropped: 0
    return combine(returned[slot.flatten()], weights), chosen, slot == last


# %%
# What happens to a token whose choice is dropped? The result of that choice is 0. If
# the other choice has a slot, it alone makes the output, with its weight as before. If
# both are dropped, the output is 0, and through the residual connection the token
# leaves the block as it came. Nothing fails, and nothing warns you, so count them.
#
# We send the same tokens through both trained routers, with and without a capacity, and
# count on all ranks.
drops = {}  # (ranks that send, experts)
shares = []
for title in trained:
    router_now, experts_now, _, choices = trained[title]
    output, chosen, dropped = with_capacity(router_now, experts_now, my_tokens)
    everything, _, counts = expert_parallel(router_now, experts_now, my_tokens)
    assert torch.equal(gather(counts), choices), "other choices than after training"
    _, receive, _, _ = exchange_counts(counts, None)
    assert receive == choices[:, mine].sum(dim=1).tolist(), "the rank got other rows"
    kept = ~dropped.any(dim=1)
    torch.testing.assert_close(output[kept], everything[kept])
    skips = dropped.all(dim=1)
    after_block = my_tokens + output
    assert torch.equal(after_block[skips], my_tokens[skips]), "a dropped token changed"

    drops[title] = gather(count(chosen[dropped]))
    too_many = (choices - capacity).clamp(min=0)
    assert torch.equal(drops[title], too_many), "too many dropped"
    shares.append(drops[title].sum() / choices.sum())
    share_of_tokens = gather(skips.sum()).sum() / (world_size * n_tokens)
    if rank == 0:
        print(f"{title}: {shares[-1]:.0%} of the choices dropped,",
              f"{share_of_tokens:.0%} of the tokens skip the layer")
assert shares[1] < shares[0] / 2, "balance does not save tokens"

# %%
# Each row of the table is a rank that sends, and the numbers say how many choices of
# its tokens fell on each expert. Below, they pile up on the ranks that hold these
# experts. In step 3 the router without auxiliary loss gets a capacity, and the dropped
# choices are gray.
#
# .. alt-text:: Step 1, without auxiliary loss: most choices of all four ranks fall on
#    experts 0 and 1, so the bar of rank 0 is high, and the other ranks wait.
# .. alt-text:: Step 2, with auxiliary loss: the choices are spread over all experts,
#    and the four bars are about equally high.
# .. alt-text:: Step 3, with a capacity: the table of step 1, but most choices of
#    experts 0 and 1 are gray. The other ranks compute empty slots.
def draw_cell(ax, r, e, n, n_dropped):
    height = 0.45 if n_dropped else 0.9
    strength = min(1, 0.1 + 0.5 * n / n_tokens)
    ax.bar(e, height, 0.9, r - 0.45, color=f"C{r}", alpha=strength)
    ax.text(e, r - 0.45 + height / 2, n, ha="center", va="center", size=9)
    if n_dropped:
        ax.bar(e, 0.45, 0.9, r, color="0.6", alpha=0.5)
        ax.text(e, r + 0.225, n_dropped, ha="center", va="center", size=9)


if rank == 0:
    import matplotlib.pyplot as plt

    unbalanced = trained["without auxiliary loss"][3]
    balanced = trained["with auxiliary loss"][3]
    none = torch.zeros_like(balanced)
    steps = [("without auxiliary loss", unbalanced, none),
             ("with auxiliary loss", balanced, none),
             ("with a capacity", unbalanced, drops["without auxiliary loss"])]
    x = [own_experts * (r + 0.5) - 0.5 for r in range(world_size)]
    bar = 0.9 * own_experts
    for title, choices, dropped in steps:
        fig, ax = plt.subplots(2, figsize=(6, 5), layout="constrained")
        table, bars = ax
        kept = choices - dropped
        top = torch.zeros(world_size)
        for r in range(world_size):
            for e in range(n_experts):
                draw_cell(table, r, e, kept[r, e].item(), dropped[r, e].item())
            bars.bar(x, per_rank(kept[r]), bar, top, color=f"C{r}")
            top += per_rank(kept[r])
        end = top.max()
        if dropped.any():
            end = world_size * own_experts * capacity
            gone = per_rank(dropped.sum(dim=0))
            bars.bar(x, gone, bar, end, color="0.6", alpha=0.5, label="dropped")
        idle = "empty slots" if dropped.any() else "waits"
        bars.bar(x, end - top, bar, top, fill=False, ls=":", label=idle)
        line = "capacity" if dropped.any() else "all wait until here"
        bars.axhline(end, ls="--", label=line)
        table.set(title=title, xlabel="expert", xticks=range(n_experts))
        table.set(ylabel="from rank", yticks=range(world_size))
        table.set(ylim=(world_size - 0.4, -0.6))
        bars.set(xlabel="rank", xticks=x, xticklabels=range(world_size))
        bars.set(ylabel="rows", ylim=(0, 1.1 * top_k * n_tokens * world_size))
        fig.legend(loc="outside lower center", ncols=3)

# %%
# All sizes are known before a token is seen, so no counts travel, and ``with_capacity``
# has nothing that waits for the GPU. (We read that from its calls; this page hasn't run
# on GPUs.) You pay with dropped choices, and with bytes and operations for empty slots.
# You also pay later: which choices are dropped depends on the other tokens of the rank,
# so the same sentence may get another answer in another batch. That's why DeepSeek-V3
# drops nothing, and our layer didn't until this section: such a *dropless* layer takes
# what comes, and relies on balance.
#
# When a mixture of experts is slower
# -----------------------------------
#
# A token takes fewer operations than in a dense model of the same size. But there are
# two costs that you should know before.
#
# *Every token travels.* A layer makes five all-to-all calls in a step, one with counts
# and four with rows, and waits for each. For the counts even the CPU waits. Here are
# the sizes of one layer in the two models from above. Their experts have three
# matrices. A forward and a backward pass take 6 operations for each parameter that a
# token uses, and a row travels four times: to its expert and back, and then its
# gradients. We count numbers of two bytes, and assume that all rows leave their rank.
def operations_and_bytes(width, hidden, top_k):
    """Return those of one token in one layer, forward and backward."""
    return 6 * top_k * 3 * width * hidden, 4 * top_k * width * 2


models = {"Mixtral": (4096, 14336, 2), "DeepSeek-V3": (7168, 2048, 8)}
for name in models:
    width_of_model, hidden_of_model, k = models[name]
    operations, n_bytes = operations_and_bytes(width_of_model, hidden_of_model, k)
    if rank == 0:
        print(f"{name}: {operations / 1e9:.1f} GFLOP, {n_bytes:,} bytes:",
              f"{operations / 400e12 * 1e6:.1f} µs at 400 TFLOP/s,",
              f"{n_bytes / 50e9 * 1e6:.1f} µs at 50 GB/s")

# %%
# The speeds are assumptions: 40 % of what an H100 could do in bf16, and a fast network
# card for each GPU. Many small experts do the same work for seven times the bytes, and
# then the network is the slower part. DeepSeek-V3 fights this: a token visits at most
# four machines, it travels in 8 bits to its experts, and the messages of one
# micro-batch hide behind the computation of another. Within a machine, at 450 GB/s over
# NVLink, the time for the bytes would be a ninth.
#
# *Each expert sees few tokens.* With 2 of 8 experts, an expert gets a quarter of the
# tokens on average, and with 8 of 256 one in 32. A GPU is fast only on products with
# many rows. So a batch that keeps a dense model busy may be too small. And a model that
# answers a few users at a time reads the parameters of many experts for a token each.
#
# So use experts when training is limited by computation, the batch is large, and all
# experts fit into GPUs with fast links between them. Leave them when one GPU has to
# hold them all, or when most tokens would leave their machine through a slow network.
# These costs are counted and reasoned, not measured: compare with a dense model on your
# own machines.

# %%
# ``grouped_mm`` instead of a loop over the experts
# -------------------------------------------------
#
# The loop starts two products of matrices for each expert, and a GPU finishes small
# products before Python has started the next. ``torch.nn.functional.grouped_mm`` makes
# the products of all experts in one call. It takes the sorted rows, and where the rows
# of each expert end. It's what you should use on GPUs, where its documentation asks for
# bf16. On a CPU it takes fp32 as well, so here we can compare it with the loop.
from torch.nn.functional import grouped_mm


def grouped(experts, rows, counts):
    ends = counts.cumsum(dim=0, dtype=torch.int32)
    into, out = experts.matrices()
    inside = torch.relu(grouped_mm(rows, into, offs=ends))
    return grouped_mm(inside, out, offs=ends)


if device.type == "cpu":
    counts = torch.arange(n_experts)
    rows = torch.randn(counts.sum(), width)
    results = grouped(experts, rows, counts)
    torch.testing.assert_close(results, experts(rows, counts.tolist()))

# %%
# To use it, let the ``forward`` of ``Experts`` return ``grouped(self, rows, sizes)``,
# and give it the sizes as a tensor: ``count(chosen)`` in ``mixture``, and
# ``arriving.sum(dim=0)`` in ``compute``. We haven't run that on a GPU.
#
# In bf16, compute the scores in fp32, as `Switch Transformers
# <https://arxiv.org/abs/2101.03961>`__ do for a stable training: keep the router's
# weights in fp32, and call ``router(tokens.float())`` inside
# ``torch.autocast(device.type, enabled=False)``, because autocast would cast it down
# again. `ST-MoE <https://arxiv.org/abs/2202.08906>`__ also keeps the scores small, by a
# *router z-loss*: 0.001 times the mean of ``scores.logsumexp(dim=1).square()``.

# %%
# Experts and FSDP: shard among the copies, divide by all ranks
# -------------------------------------------------------------
#
# ``fully_shard`` (FSDP, :doc:`/tutorials/larger_models/fully_sharded`) takes the same
# for granted as DDP. Called over all ranks, it would keep only a part of each rank's
# own experts, and use the parts of the other ranks for the rest. So call it over those
# ranks only that have the same experts.
#
# Are there any? Large runs usually keep several copies of each expert, for example 8
# groups of 8 GPUs with all experts in each group. Tokens then travel in their group
# only, and each expert is on 8 ranks, one of each group. These 8 have to reduce its
# gradients among themselves. With four ranks we have two groups of two. A *mesh* is a
# table of the ranks: each of its rows is a group that holds all experts once, and each
# column holds the copies of the same experts.
n_copies = 2 if world_size % 4 == 0 else 1
mesh = init_device_mesh(device.type, (n_copies, world_size // n_copies),
                        mesh_dim_names=("copies", "experts"))
n_own = n_experts * n_copies // world_size
place = mesh.get_local_rank("experts")
ours = slice(n_own * place, n_own * (place + 1))

# %%
# The trap is in the number of ranks. ``fully_shard`` averages over the ranks that it
# was given, and so does DDP. For the router these are all ranks, for an expert only its
# copies. But tokens of all ranks came to the expert, so its gradient would be too
# large, by the size of a group that holds all experts once. So let ``fully_shard``
# divide it by the number of all ranks as well, and don't divide the loss.
from torch.distributed.fsdp import fully_shard

shard_router, plain_experts = build(ours)
fully_shard(shard_router, mesh=all_ranks)
shard_experts = SpreadExperts(plain_experts, mesh["experts"])
fully_shard(shard_experts, mesh=mesh["copies"])
shard_experts.set_gradient_divide_factor(world_size)
if n_copies > 1:  # Gloo has no scaled sum. (With one copy, 2.13 would divide twice.)
    shard_experts.set_force_sum_reduction_for_comms(True)

output, _, _ = expert_parallel(shard_router, shard_experts, my_tokens,
                               mesh.get_group("experts"))
loss_function(my_tokens + output, labels[rank]).backward()
gradient = shard_experts.into.grad.full_tensor()
torch.testing.assert_close(gradient, experts.into.grad)

# %%
# In your own model do it like this: make the experts DTensors over the group that holds
# all of them, call ``fully_shard`` on them over their copies, and afterwards on the
# block around them over all ranks. The second call leaves out what the first one has
# sharded. Adam hides the trap, because the scale of a gradient hardly matters to it,
# until you clip gradients. ``clip_grad_norm_`` refuses DTensors of different meshes. So
# take the norm of each kind, and clip by both together. (PyTorch 2.13 warns that the
# experts' norm takes two collectives. That's no harm for a single number.)
from torch.nn.utils import clip_grads_with_norm_, get_total_norm

of_router = list(shard_router.parameters())
of_experts = list(shard_experts.parameters())
norm_of_router = get_total_norm([p.grad for p in of_router]).full_tensor()
norm_of_experts = get_total_norm([p.grad for p in of_experts]).full_tensor()
norm = torch.stack([norm_of_router, norm_of_experts]).norm()
clip_grads_with_norm_(of_router, 1.0, norm)
clip_grads_with_norm_(of_experts, 1.0, norm)

in_one_process = list(router.parameters()) + list(experts.parameters())
expected_norm = get_total_norm([p.grad for p in in_one_process])
torch.testing.assert_close(norm, expected_norm, msg="the norm leaves something out")

# %%
# At the end every rank leaves the group. Only then does rank 0 open the windows of its
# figures, because a window stops the program until you close it.
import time

time.sleep(0.1)  # a thread of Gloo may still free a tensor, and aborts if Python ends
dist.destroy_process_group()
if rank == 0:
    plt.show()  # last: while a window is open, no other rank waits

# %%
# Try it
# ------
#
# Predict first, then run with four ranks.
#
# - Make the factor of the auxiliary loss 0.01. Which assert notices?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      The one that compares the fullest experts. With the smaller factor the fullest
#      one still gets 3.7 times the mean, because our training has only twenty steps.
#      In a long training 0.01 is enough, and more would make the router choose for
#      balance instead of for the token.
#
# - Set ``top_k = 1``. Why does the router stop learning, and how does Switch
#   Transformers, which takes one expert, prevent it?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      The softmax of a single score is 1, whatever the score is, so the router gets no
#      gradient, and the assert that says so fails. Switch Transformers multiply by the
#      probability among all experts, which isn't normalized.
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
#   experts in DDP. Make them DTensors, or a checkpoint has those of one rank only.
#   Reduce their gradients among their copies only, but divide by the number of all
#   ranks.
# - Balance by an auxiliary loss or a bias. A capacity makes all sizes known in advance,
#   and drops tokens.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/larger_models/two_dimensions` explains meshes of ranks.
# - `torchtitan <https://github.com/pytorch/torchtitan>`__ trains whole models with
#   experts, in PyTorch alone.
# - The `history <https://huggingface.co/blog/moe>`__ of experts, and how to tune them.
