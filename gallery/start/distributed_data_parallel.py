"""
Distributed data parallel: four ranks, one model (DDP)
======================================================

:Card: Each rank has its own samples, all share one gradient.
:Learn: You will train one model on four ranks, see how their gradients are averaged,
    choose the batch size and the learning rate, and break the training in three ways.
:Prerequisites: :doc:`/tutorials/start/hello_ranks`
:Picture: average
:Oldest torch: 2.9

*DistributedDataParallel* (DDP) is the usual way to train on several GPUs when the model
fits on one of them. Each *rank*, a process with a GPU of its own, computes by itself on
its own samples. Then the gradients are averaged, and no GPU does more than the others.

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
# The gradients of all ranks become their mean
# --------------------------------------------
#
# After the backward pass each rank has gradients from its own samples, so they differ.
# DDP adds them up over the ranks and divides by the number of ranks, and every rank
# goes on with the same mean. (The sum is an *all-reduce*, a call that all ranks make
# and that gives all of them the result: :doc:`/tutorials/inside/collectives`.)
#
# Here are the numbers for a model with one weight ``w``. It predicts ``w * x``, should
# learn to double ``x``, and starts with ``w = 0``. Then the squared error of a sample,
# ``(w * x - 2 * x) ** 2``, has the gradient ``-4 * x ** 2``. Rank ``r`` has the sample
# ``x = r + 1``. The model ``alone`` isn't wrapped, ``wrapped`` is, and ``single``
# receives the samples of all ranks.
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def one_weight():
    layer = nn.Linear(1, 1, bias=False).to(device)
    nn.init.zeros_(layer.weight)
    return layer


all_x = torch.arange(1.0, world_size + 1, device=device).unsqueeze(1)  # (samples, 1)
own_x = all_x[rank : rank + 1]
loss_function = nn.MSELoss()

alone = one_weight()
wrapped = DistributedDataParallel(one_weight())
single = one_weight()
loss_function(alone(own_x), 2 * own_x).backward()
loss_function(wrapped(own_x), 2 * own_x).backward()
loss_function(single(all_x), 2 * all_x).backward()

# %%
# **Predict first**: which four gradients has ``alone``, and what do the others have?
alone_gradients = from_all_ranks(round(alone.weight.grad.item(), 3))
ddp_gradients = from_all_ranks(round(wrapped.module.weight.grad.item(), 3))
single_gradient = round(single.weight.grad.item(), 3)

if rank == 0:
    print("alone: ", alone_gradients)
    print("ddp:   ", ddp_gradients)
    print("single:", single_gradient)
mean_by_hand = sum(-4 * (r + 1) ** 2 for r in range(world_size)) / world_size
for gradient in [*ddp_gradients, single_gradient]:
    assert abs(gradient - mean_by_hand) < 1e-3, "DDP's gradient isn't the mean"

# %%
# With the mean, all ranks take the same step. A single process that takes all samples
# as one batch takes it too, since the loss of a batch is the mean over its samples, and
# so its gradient is the mean of their gradients. That's what makes DDP easy to trust:
# it takes the step of one process with a larger batch.
#
# Wrapping makes the ranks equal
# ------------------------------
#
# A mean gradient is of use only if all ranks apply it to the same parameters. But every
# rank builds its own model. With different seeds the models differ too, until
# ``DistributedDataParallel`` copies the parameters and buffers of rank 0 to all others.
# Move the model to its device before you wrap it. With one device for each rank, the
# argument ``device_ids`` can be left out.
import hashlib


def ranks_agree(module):
    digest = hashlib.sha256()
    for parameter in module.parameters():
        values = parameter.detach().cpu().double()  # exact, and NumPy has no bfloat16
        digest.update(values.numpy().tobytes())
    digests = from_all_ranks(digest.hexdigest())  # short, even if the model is large
    return len(set(digests)) == 1


torch.manual_seed(rank)
fresh = nn.Linear(10, 1).to(device)
agree_before = ranks_agree(fresh)
agree_after = ranks_agree(DistributedDataParallel(fresh))

if rank == 0:
    print("ranks agree:", agree_before, "->", agree_after)
assert agree_after and (not agree_before or world_size == 1), "copied early, or never"

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
assert repeated == hands and next_hands != hands, "the order isn't that of the epoch"

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
# If the number of samples isn't a multiple of the world size, the sampler deals some of
# them twice. :doc:`/tutorials/start/feeding_data` leaves out some with ``drop_last``,
# and deals out streams and random augmentations.
#
# DataLoader: workers beside an open group
# ----------------------------------------
#
# A GPU shouldn't wait for its samples. So the ``DataLoader`` has *workers*, processes
# that load batches while the rank computes, and they need one more argument than on one
# GPU, which says how they start.
#
# Linux forks them by default up to Python 3.13, and a forked worker has the memory of
# the rank without its threads: if a thread of the open group was in the middle of
# something, the worker may wait forever for the end of it. So with NCCL the `manual
# <https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html>`__
# asks for ``forkserver`` or ``spawn``. With ``forkserver`` each rank starts one small
# process without such threads, and the workers are forked from that one.
#
# A worker that starts like this imports the main program once more, under another name.
# So give your script this form, or it ends, perhaps only after a timeout, with
# "DataLoader worker (pid(s) ...) exited unexpectedly". A worker finds classes and
# functions by their names, so those of the data stand outside ``main``, and a
# ``lambda`` is an error ("Can't pickle").
#
# .. code-block:: python
#
#    def main():
#        ...  # init_process_group, the loader and the training
#
#    if __name__ == "__main__":  # false in a worker
#        main()
#
# A page in blocks has no place for this. Its workers need nothing of the page, so the
# first line below hides its file from them.
globals().pop("__file__", None)  # only here; in a script: if __name__ == "__main__"

# %%
# ``batch_size`` is the batch of one rank, and ``num_workers`` counts the workers of one
# rank, not of all ranks, and not the GPUs. With ``persistent_workers`` the workers stay
# for the next epoch. ``pin_memory`` puts a batch into pinned memory of the CPU, from
# where a GPU can copy it while the program goes on. That is what ``non_blocking=True``
# asks for in the training loop below.
#
# The sampler already decides the order. With ``shuffle=True`` the loader would have two
# orders to follow, and `refuses
# <https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader>`__:
# "sampler option is mutually exclusive with shuffle".
from torch.multiprocessing import set_forkserver_preload
from torch.utils.data import DataLoader, TensorDataset

set_forkserver_preload(["torch"])  # imported once for each rank, not in every worker
torch.manual_seed(0)
features = torch.randn(240, 10)  # (samples, features)
train_data = TensorDataset(features, features.mean(dim=1, keepdim=True))
train_sampler = DistributedSampler(train_data)
trainloader = DataLoader(
    train_data, batch_size=8, sampler=train_sampler, num_workers=2,
    multiprocessing_context="forkserver", persistent_workers=True,
    pin_memory=gpu_per_rank)

# %%
# A complete training program
# ---------------------------
#
# What distinguishes it from a program for one device? The loader takes the sampler, the
# model is wrapped, ``set_epoch`` is called, and the loss is averaged over the ranks
# before it is printed, because each of them has seen other samples. Clipping gradients
# stays as it was, because after ``backward`` all ranks have the same ones. Validation
# is in :doc:`/tutorials/start/feeding_data`.
model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 1)).to(device)
ddp_model = DistributedDataParallel(model)
optimizer = torch.optim.SGD(ddp_model.parameters(), lr=0.1)


def train_one_epoch(epoch):
    train_sampler.set_epoch(epoch)
    # Losses times samples, samples. In float32 the count would stop at 2**24.
    total = torch.zeros(2, dtype=torch.double, device=device)
    for inputs, labels in trainloader:
        inputs = inputs.to(device, non_blocking=True)
        labels = labels.to(device, non_blocking=True)
        loss = loss_function(ddp_model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total[0] += loss.detach() * len(inputs)
        total[1] += len(inputs)
    return total


# %%
# Log the mean loss, without waiting in each step
# -----------------------------------------------
#
# A program that prints ``loss.item()`` on rank 0 logs only the samples of rank 0.
#
# The loss of a batch is the mean over its samples, and the last batch may be smaller
# than the others. So the ranks add up the losses times the samples, and the samples,
# and divide at the end. That is the mean over all samples, however they were dealt out.
#
# There's a second reason for ``total``. A GPU works later than the program, so to read
# a number back, as ``item`` and ``print`` do, the program has to wait for the GPU. So
# ``total`` stays on the device, and the ranks exchange it only once an epoch, or every
# 50 steps in a long one.
mean_losses = []
for epoch in range(4):
    total = train_one_epoch(epoch)
    dist.all_reduce(total)
    mean_losses.append((total[0] / total[1]).item())
    if rank == 0:
        print(f"epoch {epoch}: loss {mean_losses[-1]:.2f}")
assert mean_losses[-1] < 0.9 * mean_losses[0], "the model learns nothing"
assert total[1] == len(train_sampler) * world_size, "the log leaves samples out"

# %%
# Equal steps keep the ranks equal
# --------------------------------
#
# Equal parameters, equal gradients and equal optimizers give equal parameters again, so
# no parameters have to be sent after the first time. After the training above, all
# ranks still have the same ones, bit for bit.
assert ranks_agree(ddp_model), "the ranks have drifted apart"

# %%
# BatchNorm: each rank has its own statistics
# -------------------------------------------
#
# *Buffers* are the tensors of a model that are no parameters, because no optimizer
# changes them. A batch normalization keeps its running mean and variance in buffers,
# and these don't stay equal. They come from the samples of each rank alone, and before
# the next forward pass all ranks receive those of rank 0. So with buffers a forward
# pass of the wrapper is a *collective* too, a call that all ranks have to make, even in
# an evaluation. If rank 0 evaluates alone, always let it call ``ddp_model.module``.
inputs, labels = next(iter(trainloader))
assert inputs.is_pinned() == gpu_per_rank, "pinned without a GPU, or not pinned"
inputs = inputs.to(device)
labels = labels.to(device)

norm = DistributedDataParallel(nn.BatchNorm1d(10).to(device))
norm(inputs)
own_means = from_all_ranks(norm.module.running_mean.tolist())
norm.eval()(inputs)  # changes no statistics, but receives them
received = from_all_ranks(norm.module.running_mean.tolist())

assert own_means != received or world_size == 1, "the statistics were equal before"
assert received == [own_means[0]] * world_size, "the buffers aren't those of rank 0"

# %%
# So the saved statistics come from the samples of rank 0 only, and each batch is
# normalized by the mean and variance of one rank's share, which
# :doc:`/tutorials/start/one_gpu_to_many` compares with those of the whole batch.
#
# On GPUs, ``nn.SyncBatchNorm`` `takes the samples of all ranks
# <https://docs.pytorch.org/docs/stable/generated/torch.nn.SyncBatchNorm.html>`__
# instead, and pays for it with a message between the ranks in each forward and each
# backward pass. Its ``convert_sync_batchnorm`` replaces all batch normalizations of a
# model, if you call it before you wrap the model.
#
# Save from rank 0
# ----------------
#
# One rank saves the model, usually rank 0. The parameters are the same on all ranks.
# The buffers are not: the file has those of rank 0, which are also the ones that the
# wrapper sends to the others. :doc:`/tutorials/long_runs/checkpoints` saves what else
# you need to resume a training.
#
# Rank 0 saves the inner model, whose keys have no prefix, so a program for one device
# can load the file. With ``map_location="cpu"`` it can do so even without a GPU. Never
# put a collective below this ``if``, because rank 0 would wait there for the others.
from tempfile import TemporaryFile

if rank == 0:
    with TemporaryFile() as file:  # in your program: a name, such as "model.pt"
        torch.save(ddp_model.module.state_dict(), file)
    print("saved:", *ddp_model.module.state_dict())
outer, inner = ddp_model.state_dict(), ddp_model.module.state_dict()
assert list(outer) == [f"module.{key}" for key in inner], "the prefix isn't module."

# %%
# Unequal batches: a mean of means
# --------------------------------
#
# DDP averages over ranks and doesn't know what a rank's gradient is a mean of. If one
# rank has one sample and the others have eight, this one sample weighs as much as the
# eight of another rank.
#
# With a ``DistributedSampler`` that doesn't happen: it makes the shares equal, if need
# be by repeating samples. It does happen with shares of your own, and with texts, where
# the loss is a mean over *tokens* and each rank has another number of them. The cure is
# a factor. Let each rank add up its losses instead of averaging them, multiply by the
# world size, because DDP will divide by it, and divide by the number of samples or
# tokens of all ranks in this step.
#
# Here rank 0 has one sample, and ``one_process`` receives the samples of all ranks.
import copy

n_own = 1 if rank == 0 else 8
own_inputs = inputs[:n_own].double()
own_labels = labels[:n_own].double()
n_all = torch.tensor(n_own, device=device)
dist.all_reduce(n_all)

mean_of_means = DistributedDataParallel(copy.deepcopy(model).double())
loss_function(mean_of_means(own_inputs), own_labels).backward()

weighted = DistributedDataParallel(copy.deepcopy(model).double())
losses = nn.functional.mse_loss(weighted(own_inputs), own_labels, reduction="sum")
(losses * world_size / n_all).backward()

one_process = copy.deepcopy(model).double()
all_inputs = torch.cat(from_all_ranks(own_inputs.cpu())).to(device)
all_labels = torch.cat(from_all_ranks(own_labels.cpu())).to(device)
loss_function(one_process(all_inputs), all_labels).backward()

# %%
# The last bias is a single number, so its gradient is easy to look at.
wrong = mean_of_means.module[2].bias.grad.item()
right = one_process[2].bias.grad.item()
if rank == 0:
    print(f"mean of means: {wrong:.3f}")
    print(f"weighted: {weighted.module[2].bias.grad.item():.3f}")
    print(f"one process: {right:.3f}")
assert abs(wrong - right) > 1e-4 or world_size == 1, "unequal batches changed nothing"
for ours, theirs in zip(weighted.parameters(), one_process.parameters()):
    torch.testing.assert_close(ours.grad, theirs.grad)

# %%
# If a rank even has a batch more than the others, its backward pass waits for them, and
# the program hangs. :doc:`/tutorials/start/feeding_data` has ``Join`` for that.
#
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
step(bypassed.module, bypassed.parameters())

agree = ranks_agree(bypassed)
if rank == 0:
    print("ranks agree:", agree)
assert not agree or world_size == 1, "the inner model was averaged, too"

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
if rank == 0:
    nn.init.zeros_(changed.module[2].bias)
step(changed, changed.parameters())

agree = ranks_agree(changed)
agree_again = ranks_agree(DistributedDataParallel(changed.module))
if rank == 0:
    print("ranks agree:", agree, "-> wrapped again:", agree_again)
assert agree_again and (not agree or world_size == 1), "nothing was repaired"

# %%
# Third mistake: a parameter without a gradient
# ---------------------------------------------
#
# DDP waits for the gradient of each parameter. If ``forward`` leaves one unused, its
# gradient never comes, and the next ``forward`` raises an error. If that's on purpose,
# because your model has branches, ``find_unused_parameters=True`` lets DDP look in each
# step for the parameters that its output doesn't depend on, which costs time. If it's
# not, remove the layer.


def two_steps(**options):
    branches = copy.deepcopy(model)
    branches.unused = nn.Parameter(torch.zeros(1, device=device))
    branches = DistributedDataParallel(branches, **options)
    for _ in range(2):
        branches(inputs).sum().backward()


two_steps(find_unused_parameters=True)
try:
    two_steps()
except RuntimeError as error:
    refusal = str(error)
if rank == 0:
    print(refusal.split(". ")[0])
assert "have finished reduction in the prior iteration" in refusal, "another error"

# %%
# More GPUs: batch and learning rate
# ----------------------------------
#
# The gradient of one step is now a mean over as many samples as ``batch_size`` times
# the world size, the *global batch*. When you add GPUs, you must decide what stays the
# same.
#
# - Keep the global batch: divide ``batch_size`` by the world size. The gradients and
#   the learning rate stay those of one process, as
#   :doc:`/tutorials/start/one_gpu_to_many` shows.
# - Keep ``batch_size``: the global batch grows and an epoch has fewer steps. For SGD a
#   usual start is to `multiply the learning rate <https://arxiv.org/abs/1706.02677>`__
#   by the world size, with a *warm-up*, in which the rate grows to that value during
#   the first steps.
#
# Let's try the second. The data are 3072 samples of 20 features, each with a noisy
# number to predict. In each step the ranks share one global batch.
torch.manual_seed(6)
numbers = torch.randn(3072, 20, dtype=torch.double)  # (samples, features)
directions = torch.randn(20, 4, dtype=torch.double)
signal = torch.tanh(numbers @ directions / 4).sum(dim=1, keepdim=True)
targets = 2 + signal + 0.5 * torch.randn(3072, 1, dtype=torch.double)
numbers = numbers.to(device)
targets = targets.to(device)

untrained = nn.Sequential(
    nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
untrained.to(device).double()


def train(global_batch, lr):
    trained = DistributedDataParallel(copy.deepcopy(untrained))
    optimizer = torch.optim.SGD(trained.parameters(), lr=lr)
    for epoch in range(3):
        torch.manual_seed(epoch)  # all ranks shuffle alike
        for batch in torch.randperm(3072).split(global_batch):
            share = batch[rank::world_size]
            optimizer.zero_grad()
            loss_function(trained(numbers[share]), targets[share]).backward()
            optimizer.step()
    with torch.no_grad():
        return loss_function(trained(numbers), targets).item()


# %%
# The global batch has 24 samples at first, and then 4 and 16 times as many, as if 4 or
# 16 GPUs had 24 each. (We only pretend to have so many.) For the learning rate there
# are three choices: the same as before, multiplied by the square root of the factor,
# and multiplied by the factor. **Predict first**: which one comes closest to the loss
# of the small batch?
small = train(24, lr=0.03)
if rank == 0:
    print(f"24 samples, learning rate 0.03: loss {small:.2f}")

results = {}
for factor in (4, 16):
    rates = {"same": 0.03, "square root": 0.03 * factor**0.5, "linear": 0.03 * factor}
    for choice, lr in rates.items():
        results[choice, factor] = train(24 * factor, lr)
        if rank == 0:
            print(f"{24 * factor} samples, {choice}: {results[choice, factor]:.2f}")

# %%
# With four times the batch, the *linear scaling rule* nearly reaches the loss of the
# small batch, and the unchanged rate doesn't, because it takes a quarter of the
# steps, each as short as before. With sixteen times the batch, the rule fails and ends
# worse than the unchanged rate: 0.48 is too large for this model, even with all 3072
# samples as one batch. The square root does best.
#
# .. alt-text:: Loss after three epochs against the global batch of 24, 96 and 384
#    samples, three lines from one point. At 96 all are close together, the same rate
#    highest. At 384 only the square root is low. The linear line is the highest.
assert results["linear", 4] < results["same", 4], "the linear rule doesn't help"
assert results["linear", 16] > results["same", 16], "the linear rule still holds"
assert results["square root", 16] < results["same", 16], "the square root doesn't help"

if rank == 0:
    fig, ax = plt.subplots(figsize=(7, 3.5))
    for choice, style in zip(rates, ("o-", "s-", "D-")):
        losses = [small, results[choice, 4], results[choice, 16]]
        ax.plot([24, 96, 384], losses, style, label=choice)
    ax.set(xscale="log", xlabel="global batch (samples)", ylabel="loss after 3 epochs")
    ax.set(xticks=[24, 96, 384], xticklabels=[24, 96, 384], ylim=0)
    ax.minorticks_off()
    ax.legend(title="learning rate")

# %%
# It's one small model with plain SGD. With ten data sets (the seeds 0 to 9 above), the
# linear rule beat the unchanged rate at 96 samples with nine of them, and lost at 384
# samples with nine, also when we added a warm-up. For a ResNet-50, it was good `up to
# 8192 images <https://arxiv.org/abs/1706.02677>`__, with a warm-up. For Adam the usual
# start is `the square root <https://arxiv.org/abs/2205.10287>`__. So treat each rule as
# the first value to try, and try half and twice of it. If you can't afford that, keep
# the global batch.
#
# At the end every rank leaves the group.
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
# - ``batch_size`` and ``num_workers`` count for one rank. If you keep the global batch,
#   the learning rate stays. If it grows, multiply the rate, and try where that ends.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/start/when_it_hangs` helps when the ranks wait for each other.
# - :doc:`/tutorials/start/training_program` is a complete program for your own work.
# - :doc:`/tutorials/larger_models/split_model` is for a model that does not fit on one
#   GPU.
