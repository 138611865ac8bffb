"""
Distributed data parallel: four ranks, one model
================================================

:Card: Each rank has its own samples, all share one gradient.
:Learn: You will train one model on four ranks, see how their gradients are averaged,
    and break it in two ways.
:Prerequisites: :doc:`/tutorials/start/hello_ranks`
:Picture: average
:Oldest torch: 2.8

``DistributedDataParallel`` is the usual way to train on several GPUs when the model
fits on one of them. Each rank computes by itself on its own samples. Then the gradients
are averaged, and no GPU does more than the others.

We deal out the samples, train a model in a small but complete program, and look at what
the wrapper does. Then we break it in two ways.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 distributed_data_parallel.py
"""

# %%
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin with the same lines, and
# :doc:`/tutorials/start/hello_ranks` explains them. One rank is enough here: it trains
# the model as a program for one GPU would, but then there is nobody to share with. The
# function at the end returns the values of all ranks as a list. We use it only to look,
# never to train.
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
# Each rank owns a share of the samples
# -------------------------------------
#
# ``DistributedSampler`` gives each rank its share. It shuffles the samples, with the
# same order on all ranks, and deals them out in turn like cards. Here it deals six to
# each rank, 24 to four, so every rank gets equally many and no sample goes to two
# ranks.
from torch.utils.data.distributed import DistributedSampler

samples = range(6 * world_size)  # any data set with a length
sampler = DistributedSampler(samples)
hands = from_all_ranks(list(sampler))

if rank == 0:
    print(*hands, sep="\n")
assert sorted(sum(hands, [])) == list(samples), "a card is dealt twice, or never"

# %%
# The number of the epoch is added to the seed of the shuffle. So call ``set_epoch``
# before each epoch: without it every epoch repeats the order of the first, and nothing
# tells you.
repeated = from_all_ranks(list(sampler))
sampler.set_epoch(1)
next_hands = from_all_ranks(list(sampler))
assert repeated == hands and next_hands != hands

# %%
# In the figure each card is a sample, framed in the color of its first owner. In the
# next epoch many cards have moved, so no rank trains on the same samples for ever.
#
# .. alt-text:: Two panels, one for each epoch, with a row of numbered cards for each of
#    four ranks. In the first, each row has a color; in the second, colors are mixed.
if rank == 0:
    import matplotlib.pyplot as plt

    owner = {card: r for r, hand in enumerate(hands) for card in hand}
    fig, axes = plt.subplots(1, 2, sharey=True, figsize=(7, 2.8))
    for ax, dealt, title in zip(axes, (hands, next_hands), ("epoch 0", "epoch 1")):
        for r, hand in enumerate(dealt):
            for turn, card in enumerate(hand):
                frame = {"fc": "none", "ec": f"C{owner[card]}", "lw": 1 + owner[card]}
                ax.text(turn, r, f"{card:2}", ha="center", va="center", bbox=frame)
        ax.set(title=title, xticks=[], yticks=range(world_size))
        ax.set(xlim=(-0.7, len(hands[0]) - 0.3), ylim=(world_size - 0.4, -0.6))
        ax.spines[:].set_visible(False)
    axes[0].set(ylabel="rank")

# %%
# A complete training program
# ---------------------------
#
# What distinguishes it from a program for one device? The loader takes the sampler, the
# model is wrapped, ``set_epoch`` is called, and the loss is averaged over the ranks
# before it is printed, because each of them has seen other samples.
#
# The loader also says how its workers start, which are processes that load batches
# while the rank computes. Linux forks them by default up to Python 3.13, but a fork
# copies every lock of the rank and not the thread that would release it, and the open
# group has such threads. A forked worker may therefore wait forever, and with NCCL the
# `manual
# <https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html>`__
# asks for ``forkserver`` or ``spawn``. With ``forkserver`` each rank starts one small
# process without such threads, and the workers are forked from that one.
#
# A worker that starts like this imports the main program once more, under another name.
# So in a script of yours, put all that starts something under
# ``if __name__ == "__main__":``, as :doc:`/tutorials/inside/starting_processes` does. A
# page in blocks has no place for this line. Its workers need nothing of the page, so
# the first line below hides the page's file from them instead.
from torch.multiprocessing import set_forkserver_preload

globals().pop("__file__", None)  # only here; in a script: if __name__ == "__main__"
set_forkserver_preload(["torch"])  # imported once for each rank, not in every worker

# %%
# With ``persistent_workers`` the workers stay for the next epoch. A later section
# explains ``pin_memory`` and ``non_blocking``.
#
# The loss of a batch is the mean over its samples, and the last batch may be smaller
# than the others. So the ranks add up the losses times the samples, and the samples,
# and divide at the end. That is the mean over all samples, however they were dealt out.
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
features = torch.randn(240, 10)  # (samples, features)
train_data = TensorDataset(features, features.mean(dim=1, keepdim=True))
train_sampler = DistributedSampler(train_data)
trainloader = DataLoader(
    train_data, batch_size=8, sampler=train_sampler, num_workers=2,
    multiprocessing_context="forkserver", persistent_workers=True,
    pin_memory=gpu_per_rank)

model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 1)).to(device)
ddp_model = DistributedDataParallel(model)
loss_function = nn.MSELoss()
optimizer = torch.optim.SGD(ddp_model.parameters(), lr=0.1)

mean_losses = []
for epoch in range(4):
    train_sampler.set_epoch(epoch)
    total = torch.zeros(2, device=device)  # losses times samples, samples
    for inputs, labels in trainloader:
        inputs = inputs.to(device, non_blocking=True)
        labels = labels.to(device, non_blocking=True)
        loss = loss_function(ddp_model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total[0] += loss.detach() * len(inputs)
        total[1] += len(inputs)
    dist.all_reduce(total)
    mean_losses.append((total[0] / total[1]).item())
    if rank == 0:
        print(f"epoch {epoch}: loss {mean_losses[-1]:.2f}")
assert mean_losses[-1] < mean_losses[0]
assert total[1] == len(train_sampler) * world_size

# %%
# One rank saves the model, usually rank 0. The parameters are the same on all ranks.
# Buffers, such as the statistics of a batch normalization, are not, as you will see
# below: the file has those of rank 0, which are also the ones that the wrapper sends to
# the others before its next forward pass.
#
# Rank 0 saves the inner model, whose keys have no prefix, so a program for one device
# can load the file. With ``map_location="cpu"`` it can do so even without a GPU. Never
# put a collective below this ``if``, because rank 0 would wait there for the others.
from tempfile import TemporaryFile

if rank == 0:
    with TemporaryFile() as file:  # in your program: a name, such as "model.pt"
        torch.save(ddp_model.module.state_dict(), file)
    print("saved:", *ddp_model.module.state_dict())
assert all(key.startswith("module.") for key in ddp_model.state_dict())
assert not any(key.startswith("module.") for key in ddp_model.module.state_dict())

# %%
# Wrapping makes the ranks equal
# ------------------------------
#
# Every rank builds its own model. With different seeds the models differ too, until
# ``DistributedDataParallel`` copies the parameters and buffers of rank 0 to all others.
# Move the model to its device before you wrap it. With one device for each rank, the
# argument ``device_ids`` can be left out.
from torch.nn.utils import parameters_to_vector


def ranks_agree(module):
    weights = parameters_to_vector(module.parameters()).tolist()
    return all(other == weights for other in from_all_ranks(weights))


torch.manual_seed(rank)
fresh = nn.Linear(10, 1).to(device)
agree_before = ranks_agree(fresh)
agree_after = ranks_agree(DistributedDataParallel(fresh))

if rank == 0:
    print("ranks agree:", agree_before, "->", agree_after)
assert agree_after and (not agree_before or world_size == 1)

# %%
# The gradients of all ranks become their mean
# --------------------------------------------
#
# We use the last batch again, with three copies of the model. The first is wrapped, and
# the second computes alone on the samples of its rank. The third stands for a single
# process, so it receives the samples of all ranks as one batch. We compare in double
# precision, where the order of the sums makes no visible difference.
import copy

single = copy.deepcopy(model).double()
alone, wrapped = copy.deepcopy(single), DistributedDataParallel(copy.deepcopy(single))
batch = inputs.double(), labels.double()
parts = from_all_ranks([tensor.cpu() for tensor in batch])
whole_batch = [torch.cat(part).to(device) for part in zip(*parts)]

for module, (x, y) in (wrapped, batch), (alone, batch), (single, whole_batch):
    module.zero_grad()
    loss_function(module(x), y).backward()

# %%
# The last bias is a single number, so its gradient is easy to look at. Computed alone,
# it is different on every rank. With ``DistributedDataParallel`` all ranks have the
# mean of these numbers, which is the gradient of the single process.
alone_gradients = from_all_ranks(alone[2].bias.grad.item())
ddp_gradients = from_all_ranks(wrapped.module[2].bias.grad.item())

if rank == 0:
    print("alone: ", [round(gradient, 3) for gradient in alone_gradients])
    print("ddp:   ", [round(gradient, 3) for gradient in ddp_gradients])
    print("single:", round(single[2].bias.grad.item(), 3))
assert len(set(alone_gradients)) == world_size
for ours, theirs in zip(wrapped.parameters(), single.parameters()):
    torch.testing.assert_close(ours.grad, theirs.grad)

# %%
# The check covers every other parameter too. The mean over the ranks equals the mean
# over the whole batch because all ranks have equally many samples.
#
# Equal steps keep the ranks equal
# --------------------------------
#
# Equal parameters, equal gradients and equal optimizers give equal parameters again, so
# no parameters have to be sent after the first time. After the training above, all
# ranks still have the same ones, bit for bit.
agree = ranks_agree(ddp_model)
if rank == 0:
    print("ranks agree after training:", agree)
assert agree

# %%
# This holds for parameters, but not for buffers, such as the statistics of a batch
# normalization. They come from the samples of each rank alone, and before the next
# forward pass all ranks receive those of rank 0. So a forward pass of the wrapper is a
# collective too: if rank 0 evaluates alone, let it call ``ddp_model.module``. On GPUs,
# ``nn.SyncBatchNorm`` takes the samples of all ranks instead, if you call its
# ``convert_sync_batchnorm`` before you wrap the model.
norm = DistributedDataParallel(nn.BatchNorm1d(10).to(device))
norm(inputs)
own_means = from_all_ranks(norm.module.running_mean.tolist())
norm.eval()(inputs)  # changes no statistics, but receives them
received = from_all_ranks(norm.module.running_mean.tolist())

if rank == 0:
    print("statistics of rank 0 everywhere:", received == [own_means[0]] * world_size)
assert own_means != received or world_size == 1
assert received == [own_means[0]] * world_size
if gpu_per_rank:  # SyncBatchNorm does not run on a CPU
    synced = nn.SyncBatchNorm(10).to(device)
    synced(inputs)
    expected = torch.tensor(own_means).mean(dim=0)
    torch.testing.assert_close(synced.running_mean.cpu(), expected)

# %%
# First mistake: call the inner model
# -----------------------------------
#
# The wrapper prepares the averaging in its own ``forward``. A call of ``.module``, or
# of the model that was wrapped, skips this without an error, but then each rank steps
# along its own gradient.


def step(forward, parameters):
    optimizer = torch.optim.SGD(parameters, lr=0.1)
    loss_function(forward(inputs), labels).backward()
    optimizer.step()


bypassed = DistributedDataParallel(copy.deepcopy(model))
bypassed.zero_grad()
step(bypassed.module, bypassed.parameters())

agree = ranks_agree(bypassed)
if rank == 0:
    print("ranks agree:", agree)
assert not agree or world_size == 1

# %%
# Second mistake: change one rank
# -------------------------------
#
# Parameters are copied only once, when the model is wrapped. If rank 0 alone loads a
# checkpoint afterwards, its parameters stay different, because equal gradients cannot
# repair that. So let every rank load the checkpoint before the model is wrapped.
# Wrapping again repairs the parameters, but not the state of the optimizer. Here rank 0
# sets one bias to 0 in place of loading.
changed = DistributedDataParallel(copy.deepcopy(model))
changed.zero_grad()
if rank == 0:
    nn.init.zeros_(changed.module[2].bias)
step(changed, changed.parameters())

agree = ranks_agree(changed)
agree_again = ranks_agree(DistributedDataParallel(changed.module))
if rank == 0:
    print("ranks agree:", agree, "-> wrapped again:", agree_again)
assert agree_again and (not agree or world_size == 1)

# %%
# More GPUs: batch and learning rate
# ----------------------------------
#
# The gradient of one step is now a mean over as many samples as ``batch_size`` times
# the world size. When you add GPUs, you must decide what stays the same.
#
# - Keep the whole batch: divide ``batch_size`` by the world size. The gradients and the
#   learning rate stay those of one process.
# - Keep ``batch_size``: the whole batch grows and an epoch has fewer steps. For SGD a
#   usual start is to `multiply the learning rate <https://arxiv.org/abs/1706.02677>`__
#   by the world size, with a warm-up.
#
# Loading with a sampler, pinned memory and workers
# -------------------------------------------------
#
# The sampler already decides the order, so a ``DataLoader`` that should shuffle as well
# would have two orders to follow, and refuses. ``batch_size`` is the batch of one rank.
# ``pin_memory`` puts it into pinned memory of the CPU, from where a GPU can copy it
# while the program goes on. That is what ``non_blocking=True`` above asks for.
try:
    DataLoader(train_data, batch_size=8, sampler=train_sampler, shuffle=True)
except ValueError as error:
    refusal = str(error)

inputs, labels = next(iter(trainloader))
if rank == 0:
    print(refusal)
assert "mutually exclusive with shuffle" in refusal
assert len(inputs) == 8 and inputs.is_pinned() == gpu_per_rank

# %%
# ``num_workers`` counts the workers of one rank, not of all ranks, and not the GPUs. So
# a machine with eight ranks runs sixteen of them here. They have been there since the
# first epoch, each of them a process, and the rank can count its own.
from torch.multiprocessing import active_children

n_workers = from_all_ranks(len(active_children()))
if rank == 0:
    print("workers of each rank:", n_workers)
assert n_workers == [2] * world_size

# %%
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
# - Deal 26 samples to four ranks: write ``samples = range(26)``. Which two cards does
#   the sampler deal twice, and which assert notices?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      16 and 15, the first two of the shuffled order. 26 samples don't divide by four,
#      so the sampler goes on with the beginning of the order until each rank has seven.
#      They stand at the beginning of the rows of ranks 0 and 1, and at the end of those
#      of ranks 2 and 3. The assert that compares all hands with the samples fails.
#
# - Put ``dist.all_reduce(total)`` below an ``if rank == 0``. Which call of the other
#   ranks does it meet, and in which line do these ranks fail?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      It meets the all-reduce of the gradients in the first ``backward`` of the next
#      epoch. On a CPU, rank 0 receives more bytes than its tensor has room for, and
#      aborts with "Received data size doesn't match expected size". The other ranks
#      only see that their connections are closed, so their tracebacks end at
#      ``loss.backward()``, which is correct. The workers of rank 0 stay behind: look
#      for ``forkserver`` in the list of processes and end them. Such a mistake isn't
#      always an error: where the sizes fit, the sums are wrong, and
#      :doc:`/tutorials/start/when_it_hangs` has the tools to find it.
#
# - In your own script: after 100 steps, compare the parameters of all ranks, as
#   ``ranks_agree`` does. If they differ, look for a call that goes past the wrapper,
#   and for a rank that changes its parameters alone.
#
# What to remember
# ----------------
#
# - DDP sends the parameters once, from rank 0, and in the steps only gradients and
#   buffers. A rank that is changed afterwards stays different, without an error.
# - Train through the wrapper. Save the inner model, and if rank 0 evaluates alone, let
#   it call the inner model too.
# - ``batch_size`` and ``num_workers`` count for one rank. With more ranks either the
#   global batch grows, or you divide ``batch_size``, and the learning rate depends on
#   this decision.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/inside/starting_processes` shows other ways to start the ranks.
# - :doc:`/tutorials/start/when_it_hangs` helps when the ranks wait for each other.
# - :doc:`/tutorials/inside/ddp_from_scratch` builds the wrapper by hand.
# - :doc:`/tutorials/start/feeding_data` counts how often each sample is seen.
# - :doc:`/tutorials/inside/hide_the_traffic` makes the messages cost less.
# - :doc:`/tutorials/larger_models/split_model` is for a model that does not fit on one
#   GPU.
