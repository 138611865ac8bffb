"""
Pipeline parallel: who works, and who waits
===========================================

:Card: Four schedules, one gradient, and fewer idle ranks.
:Learn: You will run one model in stages with PyTorch's schedules, and count how long
    each rank waits, what it keeps, and what it sends.
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
# A *stage* is a part of consecutive layers. The model has two layers for each rank.
# Every rank builds all of them here, to have the gradients of one process. In real
# training it builds only its own, and its optimizer has only their parameters.
from torch import nn

p = world_size  # number of ranks
m = 2 * world_size  # number of micro-batches
torch.manual_seed(0)
layers = [nn.Sequential(nn.Linear(64, 64), nn.Tanh()) for _ in range(2 * p)]
model = nn.Sequential(*layers).double().to(device)  # for a precise comparison
inputs = torch.randn(4 * m, 64).double().to(device)  # (samples, features)
labels = torch.randn(4 * m, 64).double().to(device)
loss_function = nn.MSELoss()
loss_function(model(inputs), labels).backward()
expected = {parameter: parameter.grad for parameter in model.parameters()}

# %%
# A training loop: a stage and a schedule
# ---------------------------------------
#
# You give your layers to a ``PipelineStage``, and the stage to a schedule, which cuts
# the batch into micro-batches, runs forward and backward, and sends what the neighbors
# need. The first rank passes the inputs, and the last one the labels. Only that one
# knows the losses.
import copy

from torch.distributed.pipelining.schedules import Schedule1F1B
from torch.distributed.pipelining.stage import PipelineStage

my_layers = copy.deepcopy(model[2 * rank : 2 * rank + 2])
stage = PipelineStage(my_layers, rank, p, device)
schedule = Schedule1F1B(stage, m, loss_function)
optimizer = torch.optim.SGD(my_layers.parameters(), lr=0.1)


def step(schedule, has_first, has_last):
    """Compute the gradients; return the loss on the rank that knows it."""
    losses = []  # of the micro-batches
    arguments = [inputs] if has_first else []
    target = labels if has_last else None
    schedule.step(*arguments, target=target, losses=losses)
    return torch.stack(losses).mean().item() if losses else None


# %%
# Five steps of the pipeline, and five of one process:
for _ in range(5):
    optimizer.zero_grad()
    loss = step(schedule, has_first=rank == 0, has_last=rank == p - 1)
    optimizer.step()

single = copy.deepcopy(model)
optimizer = torch.optim.SGD(single.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    loss_of_single = loss_function(single(inputs), labels)
    loss_of_single.backward()
    optimizer.step()

loss = from_all_ranks(loss)[-1]
if rank == 0:
    print(f"loss after 5 steps: pipeline {loss:.4f}, one process {loss_of_single:.4f}")
assert abs(loss - loss_of_single.item()) < 1e-6, "the pipeline trains something else"

# %%
# That's all if you neither accumulate gradients nor clip them. Both have a trap, and we
# come to it further below. But first, who waits for whom?
#
# A stage does what a schedule tells it
# -------------------------------------
#
# ``PipelineStage`` wraps the layers of a stage. A schedule calls its methods for the
# forward and the backward pass of micro-batch i, and for messages. This subclass also
# writes down the calls and the bytes sent forward. Gradients of the same size return.
#
# PyTorch's `manual
# <https://docs.pytorch.org/docs/stable/distributed.pipelining.html>`__ calls
# ``torch.distributed.pipelining`` alpha, so it may still change. It promises none of
# the methods that we override here. In your own training you need no such subclass:
# ``PipelineStage`` itself is enough.
from torch.distributed.pipelining import schedules

events = []
sent = []


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

    def get_fwd_send_ops(self, i):
        messages = super().get_fwd_send_ops(i)
        sent.extend(message.tensor.nbytes for message in messages)
        return messages

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

# %%
# Our loss is a mean, so the schedule divides the gradients by the number of
# micro-batches. For a sum, set ``scale_grads=False``.
orders, traffic = {}, {}
for name, (schedule_class, mine) in runs.items():
    n_stages, size = p * len(mine), 2 // len(mine)  # size: layers in a stage
    stages = [RecordedStage(model[s * size:][:size], s, n_stages, device) for s in mine]
    schedule = schedule_class(stages if len(mine) > 1 else stages[0], m, loss_function)
    model.zero_grad()
    events.clear()
    sent.clear()
    step(schedule, 0 in mine, n_stages - 1 in mine)
    for stage in stages:
        for ours in stage.submod.parameters():
            torch.testing.assert_close(ours.grad, expected[ours], rtol=1e-6, atol=0)
    orders[name], traffic[name] = from_all_ranks(events), sum(from_all_ranks(sent), [])

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
from functools import cache
from itertools import accumulate, product

def on_a_clock(orders, slots):  # slots: of a forward pass, for each stage
    place = {e: (r, k) for r, order in enumerate(orders) for k, e in enumerate(order)}
    neighbor = {"forward": -1, "backward": 1, "input gradients": 1}

    @cache
    def begin_and_end(event):
        (kind, stage, i), (r, k) = event, place[event]
        before = orders[r][:k][-1:]  # on this rank
        if kind in neighbor:
            before.append((kind, stage + neighbor[kind], i))
        begin = max([begin_and_end(e)[1] for e in before if e in place], default=0)
        return begin, begin + slots[stage] * (2 if kind == "backward" else 1)

    bars = [(r, *begin_and_end(event), *event) for event, (r, _) in place.items()]
    return bars, max(end for _, _, end, *_ in bars)

# %%
# We also count the activations a rank keeps at most, as layers times micro-batches.
bars, idle, kept = {}, {}, {}
change = {"forward": 1, "input gradients": 0, "backward": -1, "weight gradients": -1}
for name, (_, mine) in runs.items():
    slots = 2 // len(mine)
    bars[name], n_slots = on_a_clock(orders[name], [slots] * p * len(mine))
    busy = sum(end - begin for _, begin, end, *_ in bars[name])
    idle[name] = 1 - Fraction(busy, n_slots * p)
    rows = [[change[kind] for kind, *_ in order] for order in orders[name]]
    kept[name] = [slots * max(accumulate(row)) for row in rows]
    if rank == 0:
        print(f"{name:16} slots: {n_slots:3}, idle: {idle[name]!s:>4}, "
              f"messages: {len(traffic[name]):2}, kept: {kept[name]}")

# %%
# To compare, we lay the whole batch on the same clock: one forward and one backward
# pass for each rank, which take as long as those of all m micro-batches together.
whole = [[("forward", r, 0), ("backward", r, 0)] for r in range(p)]
_, n_slots = on_a_clock(whole, [2 * m] * p)
busy = 2 * m + 2 * 2 * m  # forward and backward, of one rank
if rank == 0:
    print(f"whole batch      slots: {n_slots:3}, idle: {1 - Fraction(busy, n_slots)}")
assert 1 - Fraction(busy, n_slots) == Fraction(p - 1, p)

# %%
# Micro-batches fill the time, but not all of it
# ----------------------------------------------
#
# With a whole batch, one rank works and all others wait. With m micro-batches on p
# ranks, GPipe and 1F1B are idle for (p - 1) / (m + p - 1) of the slots, the *bubble*,
# because the pipeline has to fill and to drain. More micro-batches make it smaller, and
# so do smaller stages. Zero bubble leaves p - 1 slots on each rank, at both ends. In
# the figure each cell is an event with the number of its micro-batch.
#
# Zero bubble looks this good because of our clock. Its class says so in PyTorch's
# source: ``ScheduleZBVZeroBubble`` has no bubble inside a step only if forward and both
# halves of backward take equal time, which "is not likely true for real models". Here
# they do, and messages are free.
#
# .. alt-text:: Four timelines with a row for each of four ranks. GPipe has one large
#    gap between forward and backward passes, 1F1B has several. Interleaved 1F1B has
#    smaller gaps and ends sooner. Zero bubble has no gap within a row, and ends first.
assert idle["GPipe"] == idle["1F1B"] == Fraction(p - 1, m + p - 1)
assert idle["interleaved 1F1B"] == Fraction(p - 1, 2 * m + p - 1)
assert idle["zero bubble"] == Fraction(p - 1, 6 * m + p - 1)

if rank == 0:
    import matplotlib.pyplot as plt
    styles = {"forward": ("C0", ""), "backward": ("C3", "xxxx"),
              "input gradients": ("C3", "////"), "weight gradients": ("C4", "\\\\\\\\")}
    fig, axes = plt.subplots(4, sharex=True, figsize=(7, 6.5), layout="constrained")
    for ax, name in zip(axes, bars):
        for r, (kind, (color, hatch)) in product(range(p), styles.items()):
            cells = [bar for bar in bars[name] if bar[0] == r and bar[3] == kind]
            spans = [(begin, end - begin - 0.15) for _, begin, end, *_ in cells]
            ax.broken_barh(spans, (r - 0.45, 0.9), facecolor=color, alpha=0.2)
            ax.broken_barh(spans, (r + 0.17, 0.28), facecolor=color, hatch=hatch)
            for (x, w), cell in zip(spans, cells):
                ax.text(x + w / 2, r, cell[-1], color=color, fontsize=9, ha="center")
        ax.set_title(name, loc="left")
        ax.set_title(f"{float(idle[name]):.0%}", loc="right")
        ax.set_title("idle")
        ax.set(yticks=range(p), ylabel="rank", ylim=(p - 0.4, -0.6), xlim=(0, None))
    axes[-1].set(xlabel="slot")
    strips = axes[0].collections[1:8:2]  # of the first rank
    fig.legend(strips, styles, loc="outside lower center", ncols=4, fontsize=10)

# %%
# 1F1B keeps less, interleaving sends more
# ----------------------------------------
#
# A rank keeps the activations of a micro-batch until its backward pass ends. GPipe
# keeps those of all m, 1F1B those of p at most, so it is preferred, although it waits
# as long. Zero bubble keeps those of p on each rank, interleaved 1F1B of up to 1.5 · p.
#
# What a stage sends depends on the samples, not on the number of its layers, and goes
# to one neighbor. So pipelines suit slow links between machines. But interleaved 1F1B
# has more stages, so it sends more than twice as much as 1F1B.
assert kept["GPipe"] == [2 * m] * p and kept["zero bubble"] == [2 * p] * p
assert kept["1F1B"] == [2 * (p - r) for r in range(p)]
assert max(kept["interleaved 1F1B"]) == 3 * p - 1
borders = {"GPipe": p - 1, "1F1B": p - 1, "zero bubble": 2 * p - 2}
for name, n in (borders | {"interleaved 1F1B": (2 * p - 1) * (p > 1)}).items():
    assert len(traffic[name]) == n * m and sum(traffic[name]) == n * inputs.nbytes

# %%
# Two traps: accumulated gradients and their norm
# -----------------------------------------------
#
# A schedule divides all that is in ``grad`` at the end of each step, not only what this
# step added. So if you accumulate the gradients of two steps, those of the first are
# divided twice. Here both steps have the same batch, so we expect twice its gradient.
# By default we get 1 + 1/m times the gradient. Instead set ``scale_grads=False``, and
# divide once yourself, after the last step and before the optimizer.
own = list(model[2 * rank:][:2].parameters())
for scale_grads, times in (True, 1 + 1 / m), (False, 2):
    stage = PipelineStage(model[2 * rank:][:2], rank, p, device)
    schedule = schedules.ScheduleGPipe(
        stage, m, loss_function, scale_grads=scale_grads)
    model.zero_grad()
    for _ in range(2):
        step(schedule, rank == 0, rank == p - 1)
    for ours in own:
        if not scale_grads:
            ours.grad /= m
        torch.testing.assert_close(ours.grad, times * expected[ours], rtol=1e-6, atol=0)

# %%
# Clipping needs the norm of all gradients, but a rank has those of its own stages. With
# ``clip_grad_norm_`` each rank would clip by its own smaller norm, so that the ranks
# shrink their gradients by different factors. So sum the squared norms over the ranks
# of the pipeline, and clip with the root of the sum.
norm = nn.utils.get_total_norm([ours.grad for ours in own])  # of this rank
squares = norm**2
dist.all_reduce(squares)  # with other kinds of parallelism: group=, of the pipeline
total_norm = squares.sqrt()
max_norm = total_norm.item() / 2  # in training a constant, often 1.0
nn.utils.clip_grads_with_norm_(own, max_norm, total_norm)

in_one_process = 2 * nn.utils.get_total_norm(list(expected.values()))
torch.testing.assert_close(total_norm, in_one_process)
assert norm < total_norm or p == 1
for ours in own:  # two steps, clipped to half of their norm, equal one
    torch.testing.assert_close(ours.grad, expected[ours], rtol=1e-4, atol=0)

# %%
# Two limits: unequal stages and batch normalization
# --------------------------------------------------
#
# All ranks wait for the slowest stage. If the last one takes twice as long, a step of
# 1F1B on four ranks takes 114 slots, not 66. So give the stages with the embedding or
# the output fewer layers. And if embedding and output share one weight, it is on two
# ranks now, each with a part of its gradient: add them up after each step, before the
# optimizer, or do without sharing.
#
# Batch normalization takes mean and variance from each micro-batch alone. And in the
# first step, PyTorch calls each stage once more to learn the shapes. PyTorch 2.13 does
# so with memory that nobody has written, in all stages but the first, and the running
# statistics remember it. From 2.14 on, PyTorch restores them. If you give the shapes,
# the extra call is left out.
assert on_a_clock(orders["1F1B"], [2] * (p - 1) + [4])[1] == 12 * m + 6 * (p - 1)
x = torch.empty_like(inputs[:4], requires_grad=True)
for shapes, extra in ({}, (0, 1)), ({"input_args": x, "output_args": x}, (0,)):
    batch_norm = nn.BatchNorm1d(64).double().to(device)
    stage = PipelineStage(batch_norm, rank, p, device, **shapes)
    schedule = schedules.ScheduleGPipe(stage, m, loss_function)
    step(schedule, rank == 0, rank == p - 1)
    n_calls = batch_norm.num_batches_tracked.item()
    assert n_calls - m in extra, "batch normalization has seen other micro-batches"

# %%
# Which schedule when
# -------------------
#
# Use a pipeline if the model does not fit, the links are slow, and the batch can be cut
# into many more micro-batches than there are ranks. Begin with 1F1B. Interleaved 1F1B
# pays with few micro-batches and fast links. A zero-bubble schedule pays if each half
# of backward takes about as long as forward, so measure it with your model. Zero-bubble
# schedules refuse layers with ``torch.compile``.
#
# A pipeline goes together with FSDP: other ranks share the layers of a stage. Then use
# ``reshard_after_forward=False``, as `torchtitan
# <https://github.com/pytorch/torchtitan>`__ does by default, because otherwise the
# layers are gathered again for each micro-batch.
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
# - A stage sends only activations, to one neighbor, so pipelines suit slow links.
# - Scale gradients yourself if you accumulate steps, and clip by the norm of all
#   stages.
#
# Where to go next
# ----------------
#
# - The `manual <https://docs.pytorch.org/docs/stable/distributed.pipelining.html>`__
#   also shows how to split a model without changing it.
# - :doc:`/tutorials/larger_models/two_dimensions` combines ways to share a model.
