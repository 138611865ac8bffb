"""
Pipeline parallel: who works, and who waits (PP)
================================================

:Card: Four schedules, one gradient, and fewer idle ranks.
:Learn: You will run one model in stages with PyTorch's schedules, count how long each
    rank waits and what it keeps, and avoid three traps.
:Prerequisites: :doc:`/tutorials/larger_models/split_model`
:Picture: pipeline
:Oldest torch: 2.13

If each rank holds a few layers, a model can be as large as the memory of all GPUs
together. But a rank needs the output of the rank before it, so most of them would wait.

A pipeline cuts the batch into micro-batches, and a *schedule* decides their order. We
begin with a training loop in a few lines, which you can copy. Then we run four
schedules, compare their gradients, and draw who waits for whom.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 pipeline_parallel.py
"""

# %%
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin with the same lines, and
# :doc:`/tutorials/start/hello_ranks` explains them. One rank is enough here, but then
# nobody waits. The function at the end returns the values of all ranks as a list, and
# we use it only to look.
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
# Each rank holds consecutive layers
# ----------------------------------
#
# A *stage* is a part of consecutive layers, and the model has two layers for each rank.
# Each rank builds only its own, with a seed for each layer, so that a layer is the same
# wherever it is built. In training the optimizer has only their parameters.
#
# The layers keep their numbers in the whole model. Otherwise each rank would call its
# first layer ``0``, and in a :doc:`checkpoint </tutorials/long_runs/checkpoints>` one
# rank would overwrite another. With these names it also fits another number of stages.
from torch import nn

p = world_size  # number of ranks
m = 2 * world_size  # number of micro-batches


def build_layer(number):
    torch.manual_seed(number)
    layer = nn.Sequential(nn.Linear(64, 64), nn.Tanh())
    return layer.double()  # for a precise comparison


class Layers(nn.Module):
    def __init__(self, numbers):
        super().__init__()
        self.layers = nn.ModuleDict({str(n): build_layer(n) for n in numbers})

    def forward(self, x):
        for layer in self.layers.values():
            x = layer(x)
        return x


my_layers = Layers([2 * rank, 2 * rank + 1]).to(device)
whole = Layers(range(2 * p)).to(device)  # in one process, only to compare
names = sum(from_all_ranks(list(my_layers.state_dict())), [])
assert names == list(whole.state_dict()), "two ranks use the same name"

# %%
# A training loop: a stage and a schedule
# ---------------------------------------
#
# You give your layers to a ``PipelineStage``, and the stage to a schedule, which cuts
# the batch into micro-batches, runs forward and backward, and sends what the neighbors
# need. The first rank passes the inputs, and the last one the labels. Only that one
# knows the losses. By default it also keeps the outputs of the whole batch and returns
# them. For a language model they are large, so we say ``return_outputs=False``.
from torch.distributed.pipelining.schedules import Schedule1F1B
from torch.distributed.pipelining.stage import PipelineStage


def step(schedule, inputs, labels, has_first, has_last, train=True):
    """Compute the gradients; return the loss on the rank that knows it."""
    losses = []  # of the micro-batches
    arguments = [inputs] if has_first else []
    target = labels if has_last else None
    run = schedule.step if train else schedule.eval
    with torch.set_grad_enabled(train):
        run(*arguments, target=target, losses=losses, return_outputs=False)
    return torch.stack(losses).mean().item() if losses else None


# %%
# Five steps of the pipeline, and five of one process:
torch.manual_seed(1000)  # the same data on all ranks
inputs = torch.randn(4 * m, 64).double().to(device)  # (samples, features)
labels = torch.randn(4 * m, 64).double().to(device)
loss_function = nn.MSELoss()

stage = PipelineStage(my_layers, rank, p, device)
schedule = Schedule1F1B(stage, m, loss_function)
optimizer = torch.optim.SGD(my_layers.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    loss = step(schedule, inputs, labels, rank == 0, rank == p - 1)
    optimizer.step()

optimizer = torch.optim.SGD(whole.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    loss_of_one = loss_function(whole(inputs), labels)
    loss_of_one.backward()
    optimizer.step()

loss = from_all_ranks(loss)[-1]
if rank == 0:
    print(f"loss after 5 steps: pipeline {loss:.4f}, one process {loss_of_one:.4f}")
assert abs(loss - loss_of_one.item()) < 1e-6, "the pipeline trains something else"

# %%
# To validate, run ``schedule.eval``, which needs the labels too, and fails with the
# zero-bubble schedule below. It neither calls ``eval()`` of your layers, so dropout
# would stay on, nor turns gradients off: without ``set_grad_enabled(False)`` as above,
# it would keep the activations of all micro-batches.
my_layers.eval()
loss = step(schedule, inputs, labels, rank == 0, rank == p - 1, train=False)
my_layers.train()
expected_loss = loss_function(whole(inputs), labels).item()
if rank == p - 1:
    assert abs(loss - expected_loss) < 1e-6, "eval computes another loss"

# %%
# All batches need the same shape, because the stages learn the shapes of their messages
# in the first step. So set ``drop_last=True`` in the data loader, and take sequences of
# one length. If you ignore labels, accumulate gradients or clip them, there are three
# traps, and we come to them further below. But first, who waits for whom?
#
# A stage does what a schedule tells it
# -------------------------------------
#
# ``PipelineStage`` wraps the layers of a stage. A schedule calls its methods for the
# forward and the backward pass of micro-batch i. This subclass also writes them down.
#
# PyTorch's `manual
# <https://docs.pytorch.org/docs/stable/distributed.pipelining.html>`__ calls
# ``torch.distributed.pipelining`` alpha, so it may still change. It promises none of
# the methods that we override here. In your own training you need no such subclass:
# ``PipelineStage`` itself is enough.
from torch.distributed.pipelining import schedules

events = []


class RecordedStage(PipelineStage):
    def forward_one_chunk(self, i, *args, **kwargs):
        events.append(("forward", self.stage_index, i))
        return super().forward_one_chunk(i, *args, **kwargs)

    def backward_one_chunk(self, i, *args, **kwargs):
        full = kwargs.get("full_backward", True)
        events.append(("backward" if full else "input gradients", self.stage_index, i))
        return super().backward_one_chunk(i, *args, **kwargs)

    def backward_weight_one_chunk(self, i, *args, **kwargs):
        events.append(("weight gradients", self.stage_index, i))
        return super().backward_weight_one_chunk(i, *args, **kwargs)


# %%
# Four schedules, one gradient
# ----------------------------
#
# - *GPipe* does all forward passes, then all backward passes.
# - *1F1B* begins backward passes early, then alternates: one forward, one backward.
# - *Interleaved 1F1B* gives each rank several smaller stages. With eight stages on four
#   ranks, rank 0 has stages 0 and 4, so a micro-batch goes round twice.
# - *Zero-bubble* schedules split the backward pass. Another rank needs only the
#   gradients of the inputs, so those of the weights can wait and fill gaps. In ours, a
#   micro-batch goes down the ranks and up again, so the last rank has two stages in a
#   row. Over Gloo this schedule fails in PyTorch 2.10 and older.
runs = {  # class, stages of this rank
    "GPipe": (schedules.ScheduleGPipe, [rank]),
    "1F1B": (schedules.Schedule1F1B, [rank]),
    "interleaved 1F1B": (schedules.ScheduleInterleaved1F1B, [rank, p + rank]),
    "zero bubble": (schedules.ScheduleZBVZeroBubble, [rank, 2 * p - 1 - rank]),
}


def gradients_of_one_process(loss_function, labels):
    whole = Layers(range(2 * p)).to(device)
    loss_function(whole(inputs), labels).backward()
    return {name: weight.grad for name, weight in whole.named_parameters()}


# %%
# All four compute the gradients of one process. A schedule divides them by the number
# of micro-batches, which is right for our loss, a mean over equally many labels in each
# of them. With two stages a rank, one stage is one layer.
expected = gradients_of_one_process(loss_function, labels)
orders = {}
for name, (schedule_class, numbers) in runs.items():
    n_stages = p * len(numbers)
    size = 2 // len(numbers)  # layers in a stage
    stages = []
    for number in numbers:
        layers = Layers(range(number * size, (number + 1) * size)).to(device)
        stages.append(RecordedStage(layers, number, n_stages, device))
    single_or_all = stages[0] if len(stages) == 1 else stages
    schedule = schedule_class(single_or_all, m, loss_function)
    events.clear()
    step(schedule, inputs, labels, 0 in numbers, n_stages - 1 in numbers)
    for stage in stages:
        for weight_name, weight in stage.submod.named_parameters():
            torch.testing.assert_close(
                weight.grad, expected[weight_name], rtol=1e-6, atol=0)
    orders[name] = from_all_ranks(events)

# %%
# A clock shows who waits
# -----------------------
#
# Ranks that share a few cores cannot measure how GPUs would wait. So we lay the events
# on an imagined clock, where messages take no time. In one *slot* a layer computes the
# forward pass of a micro-batch. Its backward pass takes two, one for the gradients of
# the inputs and one for those of the weights. An event begins when its rank is free and
# the neighboring stage is done with the micro-batch.
from fractions import Fraction


def on_a_clock(orders, slots):  # slots: of a forward pass, for each stage
    """Return bars (rank, begin, end, kind, stage, micro-batch) and the last end."""
    neighbor = {"forward": -1, "backward": 1, "input gradients": 1}
    queues = [list(order) for order in orders]  # events to come, for each rank
    events = set(sum(queues, []))
    free = [0] * len(queues)  # when each rank is free
    ends = {}  # when an event ends
    bars = []
    while any(queues):
        n_before = len(bars)
        for r, queue in enumerate(queues):
            if not queue:
                continue
            kind, stage, i = queue[0]
            needed = None
            if kind in neighbor:
                needed = (kind, stage + neighbor[kind], i)
            if needed in events and needed not in ends:
                continue  # the neighboring stage isn't done
            begin = max(free[r], ends.get(needed, 0))
            end = begin + slots[stage] * (2 if kind == "backward" else 1)
            free[r] = ends[queue.pop(0)] = end
            bars.append((r, begin, end, kind, stage, i))
        assert len(bars) > n_before, "each rank waits for another"
    return bars, max(free)

# %%
# We also count the activations a rank keeps at most, as layers times micro-batches.
import itertools

bars, n_slots, idle, kept = {}, {}, {}, {}
change = {"forward": 1, "input gradients": 0, "backward": -1, "weight gradients": -1}
for name, (_, numbers) in runs.items():
    slots = 2 // len(numbers)
    times = [slots] * p * len(numbers)
    bars[name], n_slots[name] = on_a_clock(orders[name], times)
    busy = sum(end - begin for _, begin, end, *_ in bars[name])
    idle[name] = 1 - Fraction(busy, n_slots[name] * p)
    kept[name] = []
    for order in orders[name]:
        changes = [change[kind] for kind, *_ in order]
        kept[name].append(slots * max(itertools.accumulate(changes)))
    if rank == 0:
        print(f"{name:16} slots: {n_slots[name]:3}, idle: {idle[name]!s:>4}, "
              f"kept: {kept[name]}")

# %%
# Micro-batches fill the time, but not all of it
# ----------------------------------------------
#
# With m micro-batches on p ranks, GPipe and 1F1B are idle for (p - 1) / (m + p - 1) of
# the slots, the *bubble*, because the pipeline has to fill and to drain. If the batch
# stays whole, m = 1, one rank works and all others wait. More micro-batches make the
# bubble smaller, and so do smaller stages. Zero bubble leaves p - 1 slots on each rank,
# at both ends.
#
# Zero bubble looks this good because of our clock. Its class says so in PyTorch's
# source: ``ScheduleZBVZeroBubble`` has no bubble inside a step only if forward and both
# halves of backward take equal time, which "is not likely true for real models". Here
# they do, and messages are free.
#
# In the figures each cell is an event with the number of its micro-batch, gray slots
# are idle, and on the right is the most that the rank keeps.
#
# .. alt-text:: GPipe, a row for each of four ranks: forward passes of micro-batches 0
#    to 7, later on each further rank, a gap, then backward passes. All keep 16.
# .. alt-text:: 1F1B ends in the same slot. Backward passes begin earlier, the gaps are
#    spread, and the ranks keep 8, 6, 4 and 2.
# .. alt-text:: Interleaved 1F1B has smaller gaps at both ends, ends sooner, and rank 0
#    keeps 11.
# .. alt-text:: Zero bubble has gaps only at both ends and ends first. All keep 8.
assert idle["GPipe"] == idle["1F1B"] == Fraction(p - 1, m + p - 1)
assert idle["interleaved 1F1B"] == Fraction(p - 1, 2 * m + p - 1)
assert idle["zero bubble"] == Fraction(p - 1, 6 * m + p - 1)

if rank == 0:
    import matplotlib.pyplot as plt
    from matplotlib.patches import Patch

    styles = {"forward": ("C0", ""), "backward": ("C3", "xxxx"),
              "input gradients": ("C3", "////"), "weight gradients": ("C4", "\\\\\\\\")}
    right = max(n_slots.values())
    for name in runs:
        fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
        busy = set()  # rank, slot
        for r, begin, end, kind, _, i in bars[name]:
            color, hatch = styles[kind]
            width = end - begin - 0.15
            ax.barh(r, width, 0.9, begin, color=color, alpha=0.2)
            ax.barh(r + 0.31, width, 0.28, begin, facecolor=color, hatch=hatch)
            ax.text(begin + width / 2, r, i, color=color, fontsize=9, ha="center")
            busy.update((r, slot) for slot in range(begin, end))
        for r in range(p):
            for slot in range(n_slots[name]):
                if (r, slot) not in busy:
                    ax.barh(r, 0.85, 0.9, slot, color="0.6", alpha=0.5)
            ax.text(right + 4, r, kept[name][r], ha="center", va="center")
        ax.text(right + 4, -0.8, "kept", ha="center")
        ax.text(right - 5, -0.8, "idle", ha="right")
        ax.text(right, -0.8, f"{float(idle[name]):.0%}", ha="right")
        ax.set_title(name, loc="left")
        ax.set(xlabel="slot", ylabel="rank", yticks=range(p))
        ax.set(xlim=(0, right + 6), ylim=(p - 0.4, -0.6))
        strips = [Patch(facecolor=c, hatch=hatch) for c, hatch in styles.values()]
        strips.append(Patch(color="0.6", alpha=0.5))
        fig.legend(strips, [*styles, "idle"], loc="outside lower center", ncols=3)

# %%
# 1F1B keeps less, interleaving sends more
# ----------------------------------------
#
# A rank keeps the activations of a micro-batch until its backward pass ends. GPipe
# keeps those of all m, 1F1B those of p at most, so it is preferred, although it waits
# as long. Zero bubble keeps those of p on each rank, interleaved 1F1B of up to 1.5 · p.
#
# What a stage sends depends on the samples, not on the number of its layers. It goes to
# the next stage, and a gradient of the same size comes back. So pipelines suit slow
# links between machines. But with interleaved 1F1B each micro-batch crosses 2p - 1
# borders between stages, and not p - 1, so it sends more than twice as much as 1F1B.
assert kept["GPipe"] == [2 * m] * p and kept["zero bubble"] == [2 * p] * p
assert kept["1F1B"] == [2 * (p - r) for r in range(p)]
assert max(kept["interleaved 1F1B"]) == 3 * p - 1

# %%
# Three traps: ignored labels, accumulated gradients, clipping
# ------------------------------------------------------------
#
# ``CrossEntropyLoss`` ignores labels of -100, which padding has. Then the mean of the
# means of the micro-batches isn't the mean over the batch, because a label in a
# micro-batch with few of them counts more. If a micro-batch has none at all, its mean
# is NaN. Here three labels of the first one are ignored, and no error tells you.
classes = torch.arange(4 * m, device=device)  # (samples)
classes[:3] = -100
no_labels = torch.full((4,), -100, device=device)
assert nn.functional.cross_entropy(inputs[:4], no_labels).isnan(), "a mean of nothing"


def off_by(layers, expected):
    """Compare the gradients of this rank with those of one process."""
    ours = [weight.grad.flatten() for weight in layers.parameters()]
    theirs = [expected[name].flatten() for name, _ in layers.named_parameters()]
    difference = torch.cat(ours) - torch.cat(theirs)
    return (difference.norm() / torch.cat(theirs).norm()).item()


my_layers = Layers([2 * rank, 2 * rank + 1]).to(device)
stage = PipelineStage(my_layers, rank, p, device)
schedule = Schedule1F1B(stage, m, nn.CrossEntropyLoss())
step(schedule, inputs, classes, rank == 0, rank == p - 1)
expected = gradients_of_one_process(nn.CrossEntropyLoss(), classes)
errors = from_all_ranks(off_by(my_layers, expected))
if rank == 0:
    print("mean of means, gradients off by:", *[f"{error:.0%}" for error in errors])
assert min(errors) > 0.01, "the mean of the means is right"

# %%
# The second trap: a schedule divides all that is in ``grad`` at the end of each step,
# not only what this step added. So if you accumulate the gradients of two steps, those
# of the first are divided twice. Here both steps have the same batch, and we get
# 1 + 1/m times its gradient, not twice.
stage = PipelineStage(my_layers, rank, p, device)
schedule = Schedule1F1B(stage, m, loss_function)
my_layers.zero_grad()
for _ in range(2):
    step(schedule, inputs, labels, rank == 0, rank == p - 1)
twice_divided = gradients_of_one_process(loss_function, labels)
for gradient in twice_divided.values():
    gradient *= 1 + 1 / m
assert off_by(my_layers, twice_divided) < 1e-6, "the first step is not divided twice"

# %%
# One cure for both: take the sum as the loss, set ``scale_grads=False``, and divide
# once, after the last step and before the optimizer, by the number of labels that
# count. The loss to report is the sum of all losses divided by the same number. Here
# each rank has the labels. Otherwise the last rank sends the number. FSDP and DDP take
# the mean of the gradients over their ranks, so divide by the mean of their numbers.


def accumulate(layers, n_steps):
    """Compute the gradients of the mean over all labels of some steps."""
    stage = PipelineStage(layers, rank, p, device)  # in training, made only once
    loss_function = nn.CrossEntropyLoss(reduction="sum")
    schedule = Schedule1F1B(stage, m, loss_function, scale_grads=False)
    layers.zero_grad()
    counted = 0
    for _ in range(n_steps):  # in training, each with another batch
        step(schedule, inputs, classes, rank == 0, rank == p - 1)
        counted += (classes != -100).sum()
    for weight in layers.parameters():
        if weight.grad is not None:  # a frozen weight has none
            weight.grad /= counted


accumulate(my_layers, n_steps=2)
error = off_by(my_layers, expected)
assert error < 1e-6, "the gradients are not those of one process"

# %%
# The third trap is clipping. It needs the norm of all gradients, but a rank has those
# of its own stages. With ``clip_grad_norm_`` each rank would clip by its own smaller
# norm, so that the ranks shrink their gradients by different factors. So sum the
# squared norms over the ranks of the pipeline, and clip with the root of the sum. With
# FSDP the norm is a ``DTensor``, and ``full_tensor`` first takes it over the ranks that
# share the stage.
from torch.distributed.tensor import DTensor


def clip_over_stages(weights, max_norm, group=None):  # group: of the pipeline
    gradients = [weight.grad for weight in weights if weight.grad is not None]
    norm = nn.utils.get_total_norm(gradients)
    if isinstance(norm, DTensor):
        norm = norm.full_tensor()
    squares = norm**2  # of this stage
    dist.all_reduce(squares, group=group)
    total_norm = squares.sqrt()
    nn.utils.clip_grads_with_norm_(weights, max_norm, total_norm)
    return total_norm


norm_in_one_process = nn.utils.get_total_norm(list(expected.values()))
half = norm_in_one_process.item() / 2  # in training a constant, often 1.0
total_norm = clip_over_stages(list(my_layers.parameters()), half)
torch.testing.assert_close(total_norm, norm_in_one_process)
for gradient in expected.values():
    gradient /= 2
error = off_by(my_layers, expected)
assert error < 1e-4, "the gradients are not clipped to half of their norm"

# %%
# And this is a pipeline with FSDP, in which a group of ranks shares each stage. We
# pretend: here each group has one rank. On a real mesh, ``(4, 8)`` for example, replace
# ``rank`` by ``mesh.get_local_rank("pipeline")`` and ``p`` by
# ``mesh["pipeline"].size()``, and give ``PipelineStage`` the group of the pipeline too,
# as ``group=``.
#
# ``reshard_after_forward=False`` keeps the layers, as `torchtitan
# <https://github.com/pytorch/torchtitan>`__ does by default. Otherwise they would be
# gathered again for each micro-batch. The gradients of the stage stay whole too, until
# the last micro-batch, and only then FSDP shards them: plan memory for both.
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

mesh = init_device_mesh(device.type, (p, 1), mesh_dim_names=("pipeline", "fsdp"))
fully_shard(my_layers, mesh=mesh["fsdp"], reshard_after_forward=False)
accumulate(my_layers, n_steps=2)
total_norm = clip_over_stages(
    list(my_layers.parameters()), half, group=mesh["pipeline"].get_group())
torch.testing.assert_close(total_norm, norm_in_one_process)

# %%
# Unequal stages make the others wait
# -----------------------------------
#
# All ranks wait for the slowest stage. If the last one takes twice as long, a step of
# 1F1B on four ranks takes 114 slots, not 66. So give the stage with the output of a
# language model fewer layers, because it multiplies by a matrix as wide as the
# vocabulary. An embedding costs little time, but memory, and with 1F1B the first rank
# keeps the most activations already.
#
# If embedding and output share one weight, it is on two ranks now, each with a part of
# its gradient: add them up after each step, before the optimizer, or do without
# sharing. And batch normalization would take mean and variance from each micro-batch
# alone.
slower = [2] * (p - 1) + [4]
assert on_a_clock(orders["1F1B"], slower)[1] == 12 * m + 6 * (p - 1)

# %%
# Which schedule when
# -------------------
#
# Use a pipeline if the model does not fit, the links are slow, and the batch can be cut
# into many more micro-batches than there are ranks. Begin with 1F1B, which takes any
# number of them. Interleaved 1F1B pays with few micro-batches and fast links. It wants
# m to be divisible by m // p, as each multiple of p is, or stops with a ``ValueError``.
#
# A zero-bubble schedule pays if each half of backward takes about as long as forward,
# so measure it with your model. Ours needs exactly two stages on each rank, and refuses
# layers that ``torch.compile(layer)`` has wrapped. Its ``eval`` fails in PyTorch 2.13:
# validate with ``schedule.step``, and set the gradients to zero after it.
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
# - Set m to four times the number of ranks. What does 1F1B keep then?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      As much as before: 8, 6, 4 and 2 layers times micro-batches on four ranks. A rank
#      never has more micro-batches under way than there are stages from it to the end.
#      GPipe keeps twice as much as before, 32. The bubble shrinks for both, from 3/11
#      to 3/19.
#
# - Accumulate three steps with the default. How much does the first one count then?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      1 / m², because it is divided at the end of all three steps. The second counts 1
#      / m, and only the last counts whole. With 8 micro-batches the first step is as
#      good as lost, and no error tells you.
#
# - In your own training: how many micro-batches of one sample could a step have, and
#   how large is the bubble with four ranks?
#
# What to remember
# ----------------
#
# - The bubble of GPipe and 1F1B is (p - 1) / (m + p - 1), so a pipeline needs many more
#   micro-batches than ranks. 1F1B waits as long as GPipe, and keeps less.
# - A stage sends only activations, and gradients of the same size, to the stages before
#   and after it, so pipelines suit slow links.
# - Sum the loss and divide the gradients once by the number of labels that count, if
#   you ignore labels or accumulate steps. Clip by the norm of all stages.
#
# Where to go next
# ----------------
#
# - The `manual <https://docs.pytorch.org/docs/stable/distributed.pipelining.html>`__
#   also shows how to split a model without changing it.
# - :doc:`/tutorials/larger_models/two_dimensions` combines ways to share a model.
