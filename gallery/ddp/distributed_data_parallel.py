"""
Distributed data parallel: four ranks train one model
=====================================================

``DistributedDataParallel`` is the usual way to train on several GPUs when the
model fits on one of them. Each rank computes by itself on its own samples. Then
the gradients are averaged, and no GPU does more than the others.

We divide a dataset between four ranks, wrap a model, and compare its gradients
with those of a single process. Then we break it in two ways.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 distributed_data_parallel.py
"""

# %%
# Start the ranks
# ---------------
#
# Every program of this kind begins like this, and
# :doc:`/tutorials/ranks/hello_ranks` explains the steps. The function at the end
# returns the values of all ranks as a list. We use it only to look, never to train.

import os
from datetime import timedelta

import torch
import torch.distributed as dist

# Imported before there is a group. Otherwise it would keep the group alive.
import torch.distributed.nn

dist.init_process_group(timeout=timedelta(seconds=60))
rank, world_size = dist.get_rank(), dist.get_world_size()

local_rank = int(os.environ["LOCAL_RANK"])
accelerator = torch.accelerator.current_accelerator()
gpu_per_rank = torch.accelerator.device_count() >= int(os.environ["LOCAL_WORLD_SIZE"])
device = torch.device(f"{accelerator}:{local_rank}" if gpu_per_rank else "cpu")
if gpu_per_rank:
    torch.accelerator.set_device_index(local_rank)


def from_all_ranks(value):
    values = [None] * world_size
    dist.all_gather_object(values, value)
    return values


# %%
# Each rank owns a share of the samples
# -------------------------------------
#
# ``DistributedSampler`` gives each rank its share. It shuffles by itself, with
# the same order on all ranks, and deals out the samples like cards. Here every
# sample belongs to exactly one rank, because 160 can be divided by 4.

from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

torch.manual_seed(0)
features = torch.randn(160, 10)  # (samples, features)
train_data = TensorDataset(features, features.mean(dim=1, keepdim=True))
train_sampler = DistributedSampler(train_data)

owned = from_all_ranks(list(train_sampler))
if rank == 0:
    print("samples of each rank:", [len(samples) for samples in owned])
assert sorted(sum(owned, [])) == list(range(160))

# %%
# Call ``set_epoch`` before each epoch. The number of the epoch is the seed of the
# shuffle, and without the call every epoch repeats the order of the first.

repeated = from_all_ranks(list(train_sampler))
train_sampler.set_epoch(1)
owned_next = from_all_ranks(list(train_sampler))

if rank == 0:
    print("same order without set_epoch:", repeated == owned)
    print("same order with set_epoch:", owned_next == owned)
assert repeated == owned and owned_next != owned

# %%
# The figure shows who owns which sample. Each mark is one sample. Within an epoch
# no sample has a mark in two rows.

if rank == 0:
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(1, 2, figsize=(7, 3), layout="constrained", label=(
        "Two panels, one for each epoch, with one row of marks for each rank. Every "
        "sample has one mark in each panel, most of them in another row."))
    for ax, samples, title in zip(axes, (owned, owned_next), ("epoch 0", "epoch 1")):
        ax.eventplot(samples, lineoffsets=range(world_size), linelengths=0.7)
        ax.set(title=title, xlabel="sample", ylabel="rank", yticks=range(world_size))
    plt.show()

# %%
# A sampler and shuffle exclude each other
# ----------------------------------------
#
# The sampler already decides the order. A ``DataLoader`` that should shuffle as
# well has two orders to follow, so it refuses.

try:
    DataLoader(train_data, batch_size=8, sampler=train_sampler, shuffle=True)
except ValueError as error:
    refusal = str(error)

if rank == 0:
    print(refusal)
assert "mutually exclusive with shuffle" in refusal

# %%
# Load on each rank, pinned for its GPU
# -------------------------------------
#
# ``batch_size`` is the batch of one rank. ``pin_memory`` puts a batch into pinned
# memory of the CPU, from where it is copied to a GPU faster. The copy runs beside
# the computation if it is asked for with ``non_blocking=True``. Without a GPU
# there is nothing to pin for.

trainloader = DataLoader(
    train_data, batch_size=8, sampler=train_sampler, pin_memory=gpu_per_rank)

inputs, labels = next(iter(trainloader))
if rank == 0:
    print(inputs.shape, labels.shape)
assert inputs.shape == (8, 10)
assert inputs.is_pinned() == gpu_per_rank

# %%
# ``num_workers`` is the number of loading processes of one rank, not of all ranks
# and not the number of GPUs. Two on each of four ranks are eight processes, and
# they share the cores of the CPU. We count them: instead of a batch, this loader
# returns the ID of the process that loaded it.

# Forked processes can also be started from a notebook.
workers = DataLoader(
    train_data, batch_size=8, sampler=train_sampler, num_workers=2,
    collate_fn=lambda samples: os.getpid(), multiprocessing_context="fork")
loaded_by = set(workers)

counts = from_all_ranks(len(loaded_by))
if rank == 0:
    print("loading processes:", counts)
assert counts == [2] * world_size and os.getpid() not in loaded_by

# %%
# Wrapping makes the ranks equal
# ------------------------------
#
# Every rank builds its own model. The seeds differ here on purpose, so the models
# differ too. ``DistributedDataParallel`` then copies the parameters of rank 0 to
# all others. The model must be on its device before. With one device for each
# rank, the argument ``device_ids`` can be left out.

from torch.nn.parallel import DistributedDataParallel
from torch.nn.utils import parameters_to_vector


def ranks_agree(module):
    weights = parameters_to_vector(module.parameters()).tolist()
    return all(other == weights for other in from_all_ranks(weights))


torch.manual_seed(rank)
model = torch.nn.Sequential(
    torch.nn.Linear(10, 20), torch.nn.ReLU(), torch.nn.Linear(20, 1)).to(device)
agree_before = ranks_agree(model)
ddp_model = DistributedDataParallel(model)
agree_after = ranks_agree(model)

if rank == 0:
    print("ranks agree:", agree_before, "->", agree_after)
assert not agree_before and agree_after

# %%
# Four gradients become their mean
# --------------------------------
#
# We copy the model twice before the first step. One copy computes on the samples
# of this rank and talks to nobody. The other plays the single process: it
# receives the samples of all ranks as one batch of 32.

import copy

loss_function = torch.nn.MSELoss()
alone, single = copy.deepcopy(model), copy.deepcopy(model)

whole_inputs, whole_labels = map(torch.cat, zip(*from_all_ranks((inputs, labels))))
for module, x, y in ((ddp_model, inputs, labels), (alone, inputs, labels),
                     (single, whole_inputs, whole_labels)):
    loss_function(module(x.to(device)), y.to(device)).backward()

# %%
# The last bias is a single number, so its gradient is easy to look at. Each rank
# alone has another one. With ``DistributedDataParallel`` all ranks have their
# mean, and this is the gradient of the single process.

alone_gradients = from_all_ranks(alone[2].bias.grad.item())
ddp_gradients = from_all_ranks(model[2].bias.grad.item())

if rank == 0:
    print("alone: ", [round(gradient, 3) for gradient in alone_gradients])
    print("ddp:   ", [round(gradient, 3) for gradient in ddp_gradients])
    print("single:", round(single[2].bias.grad.item(), 3))
assert len(set(alone_gradients)) == world_size
assert abs(sum(alone_gradients) / world_size - ddp_gradients[rank]) < 1e-6

# %%
# The same is true for every other parameter. The mean over the ranks equals the
# mean over the whole batch because all ranks have equally many samples.

difference = max(
    (ours.grad - theirs.grad).abs().max().item()
    for ours, theirs in zip(model.parameters(), single.parameters()))

if rank == 0:
    print("same gradients:", difference < 1e-6)
assert difference < 1e-6

# %%
# Ten steps, still the same model
# -------------------------------
#
# Equal parameters, equal gradients and equal optimizers give equal parameters
# again, so nothing else has to be sent. After two epochs of five steps, all ranks
# have the same model, bit for bit.


def step(forward, optimizer, inputs, labels):
    inputs = inputs.to(device, non_blocking=True)
    labels = labels.to(device, non_blocking=True)
    optimizer.zero_grad()
    loss_function(forward(inputs), labels).backward()
    optimizer.step()


optimizer = torch.optim.SGD(ddp_model.parameters(), lr=0.1)
steps = 0
for epoch in range(2):
    train_sampler.set_epoch(epoch)
    for inputs, labels in trainloader:
        step(ddp_model, optimizer, inputs, labels)
        steps += 1

agree = ranks_agree(model)
if rank == 0:
    print("ranks agree after", steps, "steps:", agree)
assert steps == 2 * len(trainloader) and agree

# %%
# First way to lose it: call the inner model
# ------------------------------------------
#
# The averaging is prepared in the ``forward`` of the wrapper. A call of
# ``.module``, or of the model that was wrapped, skips it. There is no error, but
# each rank steps along its own gradient.

bypassed = DistributedDataParallel(copy.deepcopy(model))
step(bypassed.module, torch.optim.SGD(bypassed.parameters(), lr=0.1), inputs, labels)

agree = ranks_agree(bypassed)
if rank == 0:
    print("ranks agree:", agree)
assert not agree

# %%
# Second way to lose it: change one rank
# --------------------------------------
#
# Parameters are copied only once, when the model is wrapped. If rank 0 alone
# loads a checkpoint afterwards, its parameters stay different. Here it sets one
# bias to 0. Equal gradients cannot repair that.

changed = DistributedDataParallel(copy.deepcopy(model))
if rank == 0:
    torch.nn.init.zeros_(changed.module[2].bias)
step(changed, torch.optim.SGD(changed.parameters(), lr=0.1), inputs, labels)

agree = ranks_agree(changed)
repaired = DistributedDataParallel(changed.module)
agree_again = ranks_agree(repaired)
if rank == 0:
    print("ranks agree:", agree, "-> wrapped again:", agree_again)
assert not agree and agree_again

# %%
# More GPUs: batch and learning rate
# ----------------------------------
#
# The gradient of one step belongs to ``batch_size`` times the world size. When you
# add GPUs, you have two choices.
#
# - Keep the whole batch: divide ``batch_size`` by the world size. The gradients
#   and the learning rate stay those of one process.
# - Keep ``batch_size``: the whole batch grows and an epoch has fewer steps. A usual
#   start is to `multiply the learning rate <https://arxiv.org/abs/1706.02677>`__
#   by the world size, with a warm-up.

for gpus in (1, 2, 4):
    sampler = DistributedSampler(train_data, num_replicas=gpus, rank=0)
    steps = len(DataLoader(train_data, batch_size=8, sampler=sampler))
    if rank == 0:
        print(f"GPUs {gpus}: batch {8 * gpus}, steps {steps}, lr {0.1 * gpus:.1f}")
    assert steps * 8 * gpus == len(train_data)

# %%
# The wrapped models use the group, so they are deleted before it is destroyed.

del ddp_model, bypassed, changed, repaired
dist.destroy_process_group()

# %%
# Where to go next
# ----------------
#
# - :doc:`/tutorials/ranks/starting_processes` shows other ways to start the ranks.
# - :doc:`/tutorials/one_process/data_parallel_limits` measures what a single
#   process loses in comparison.
# - :doc:`/tutorials/one_process/split_model` is for a model that does not fit on
#   one GPU.
