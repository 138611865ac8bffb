"""
Feeding the data: each sample once, to one rank
===============================================

:Card: Count which rank sees which sample, and how often.
:Learn: You will count how often each sample is seen in an epoch, and mend the programs
    that see some twice, some never, or all of them eight times.
:Prerequisites: :doc:`/tutorials/start/distributed_data_parallel`
:Picture: deal
:Oldest torch: 2.8

If two ranks load the same sample, no error tells you. The training takes longer, the
accuracy is a little wrong, and the loss still falls. Only counting shows it.

So we begin with the two loaders that most programs need, and then gather from all ranks
which samples each of them has seen, and count. We do it for samplers, for streams with
workers, for ranks with unequal numbers of batches, and for a training that resumes.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 feeding_data.py
"""

# %%
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin with the same lines, and
# :doc:`/tutorials/start/hello_ranks` explains them. One rank is enough here, but then
# it owns every sample, and little can go wrong.
#
# A sample is no more than its number, and ``times_seen`` counts the samples in the
# shares of all ranks. Each rank could have six of them, but there is one more.
import os
from collections import Counter

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
samples = range(6 * world_size + 1)


def from_all_ranks(value):
    values = [None] * world_size
    dist.all_gather_object(values, value)
    return values


def times_seen(shares):
    return Counter(sum(shares, []))


# %%
# One loader for training, another for validation
# -----------------------------------------------
#
# In training, all ranks must take equally many steps, because each step waits for the
# gradients of all. In validation each sample must count once, and nothing waits. So the
# two need different shares.
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def training_loader(data, batch_size):
    sampler = DistributedSampler(data, drop_last=True)  # equal shares
    return DataLoader(data, batch_size=batch_size, sampler=sampler, drop_last=True)


def validation_loader(data, batch_size):
    own_samples = range(rank, len(data), world_size)  # each sample once
    return DataLoader(data, batch_size=batch_size, sampler=own_samples)


# %%
# Before each epoch call ``set_epoch`` of the sampler. Without it every epoch has the
# order of the first, and nothing tells you. Workers, ``pin_memory`` and
# ``persistent_workers`` are as in :doc:`/tutorials/start/distributed_data_parallel`.
loader = training_loader(samples, batch_size=2)
epochs = []
for epoch in range(2):
    loader.sampler.set_epoch(epoch)
    epochs.append(torch.cat(list(loader)).tolist())

seen_in_epochs = [times_seen(from_all_ranks(share)) for share in epochs]
for counted in seen_in_epochs:
    assert set(counted.values()) == {1}, "a sample is seen twice"
    assert len(counted) == 6 * world_size, "more than the remainder is left out"
assert epochs[0] != epochs[1], "the second epoch has the order of the first"

# %%
# The rest of the page shows what goes wrong with other loaders, and what to do where
# these two don't fit.
#
# The sampler pads, or it drops
# -----------------------------
#
# ``DistributedSampler`` gives all ranks equally many samples, so that they take equally
# many steps. If there is a remainder, it deals the first samples of the epoch twice.
# With ``drop_last=True`` it leaves out the last ones.
padded = DistributedSampler(samples, shuffle=False)
dropped = DistributedSampler(samples, shuffle=False, drop_last=True)
seen = {"padded": from_all_ranks(list(padded)),
        "dropped": from_all_ranks(list(dropped))}
twice = [sample for sample, n in times_seen(seen["padded"]).items() if n == 2]
never = [sample for sample in samples if sample not in times_seen(seen["dropped"])]
if rank == 0:
    print("padded, seen twice:", twice)
    print("dropped, never seen:", never)
n_left = len(samples) % world_size  # 1 here, 0 if one rank takes all
assert twice == list(range(world_size - 1)), "others are dealt twice"
assert never == list(samples[len(samples) - n_left:]), "others are left out"

# %%
# Padding makes a metric wrong
# ----------------------------
#
# In training that matters little, because with ``set_epoch`` each epoch repeats other
# samples. In evaluation it matters. Let a model be right on the first half of the
# samples only: the repeated ones are there, so the accuracy is too high. The slice in
# ``validation_loader`` repeats nothing. Its shares are unequal, so add up hits and
# samples, then divide.
def accuracy(loader):
    total = torch.zeros(2, device=device)  # hits, samples
    for batch in loader:
        hits = batch <= 3 * world_size  # in your program: prediction == label
        total += torch.tensor([hits.sum(), len(batch)], device=device)
    dist.all_reduce(total)
    return total[0].item() / total[1].item()


sliced = accuracy(validation_loader(samples, batch_size=4))
too_high = accuracy(DataLoader(samples, batch_size=4, sampler=padded))
truth = (3 * world_size + 1) / len(samples)
if rank == 0:
    print(f"padded {too_high:.3f}, sliced {sliced:.3f}, truth {truth:.3f}")
assert sliced == truth, "the slice counts a sample twice, or never"
assert too_high > truth or world_size == 1, "padding changes nothing"

# %%
# Some ranks may have a batch more here, because the loop contains no collective. Keep
# it so: in the loop call ``ddp_model.module``, because the wrapper may send buffers in
# each ``forward``.
#
# A stream knows nothing of ranks or workers
# ------------------------------------------
#
# An ``IterableDataset`` is read from its beginning to its end, and a sampler does not
# apply to it. So every rank reads all of it. If a loader has workers, each of them has
# a copy of the data set and reads all of it too.
#
# The cure is to number the workers of all ranks, and to deal the samples out to them.
# ``get_worker_info`` tells a worker its number, and is ``None`` in a loader without
# workers. Hand the rank to the data set when you make it, because a worker does not
# know the process group.
#
# A forked worker may wait forever while the group is open, as
# :doc:`/tutorials/start/distributed_data_parallel` explains, so ours start by
# ``forkserver``. Python sends such a worker no code, only the names of classes and of
# their modules. So a data set of your own has to stand in a file that the worker can
# import. We write one, on each rank into a folder of its own.
import tempfile
from pathlib import Path

temporary = tempfile.TemporaryDirectory()
folder = Path(temporary.name)

# %%

# language=Python
(folder / "stream.py").write_text("""\
from itertools import islice

from torch.utils.data import IterableDataset, get_worker_info


class Stream(IterableDataset):
    def __init__(self, samples):
        self.samples = samples

    def __iter__(self):
        yield from self.samples


class ShardedStream(Stream):
    def __init__(self, samples, rank, world_size):
        super().__init__(samples)
        self.rank, self.world_size = rank, world_size

    def __iter__(self):
        info = get_worker_info()
        worker, n_workers = (info.id, info.num_workers) if info else (0, 1)
        first = self.rank * n_workers + worker
        return islice(super().__iter__(), first, None, self.world_size * n_workers)
""", encoding="utf-8")

# %%
# The workers need ``stream.py`` and nothing of this page, so the page hides its own
# file from them. A script has ``if __name__ == "__main__":`` instead.
import sys
from importlib import import_module

from torch.multiprocessing import set_forkserver_preload

sys.path.insert(0, str(folder))  # workers get the same path
streams = import_module("stream")  # the file above
globals().pop("__file__", None)  # only here; in a script: if __name__ == "__main__"
set_forkserver_preload(["torch"])  # imported once for each rank, not in every worker
workers = {"num_workers": 2, "multiprocessing_context": "forkserver"}

whole = streams.Stream(samples)
stream = streams.ShardedStream(samples, rank, world_size)
for title, data in ("stream", whole), ("sharded stream", stream):
    loader = DataLoader(data, batch_size=None, **workers)
    seen[title] = from_all_ranks(list(loader))
    if rank == 0:
        print(f"{title}, times seen:", *set(times_seen(seen[title]).values()))
n_readers = world_size * workers["num_workers"]
every_reader = Counter([*samples] * n_readers)
assert times_seen(seen["stream"]) == every_reader, "a worker skips a sample"
assert times_seen(seen["sharded stream"]) == Counter(samples), "not once each"
temporary.cleanup()  # the classes are imported

# %%
# Each worker still reads what it skips, so deal out whole files where you can. In the
# figure each sample is a column. Its height says how often it is seen, and its colors
# by which ranks.
#
# .. alt-text:: Four bar charts of 25 samples. Padded: three are seen twice. Dropped:
#    the last is missing. Stream: all are seen eight times, twice by each of four ranks.
#    Sharded stream: all are seen once.
if rank == 0:
    import matplotlib.pyplot as plt

    heights = [max(times_seen(shares).values()) for shares in seen.values()]
    fig, axes = plt.subplots(
        4, sharex=True, figsize=(7, 5), height_ratios=heights, layout="constrained")
    for ax, (title, shares), height in zip(axes, seen.items(), heights):
        top = Counter()
        for r, times in enumerate(map(Counter, shares)):
            look = {"color": f"C{r}", "hatch": ("", "//", "..", "xx")[r % 4]}
            ax.bar(samples, [times[sample] for sample in samples], label=r,
                   bottom=[top[sample] for sample in samples], **look)
            top += times
        ax.set(title=title, ylim=(0, height), yticks=(0, height))
    axes[3].set(xlabel="sample")
    fig.supylabel("times seen")
    fig.legend(*ax.get_legend_handles_labels(), title="rank", loc="outside right")

# %%
# Equal seeds give equal augmentations
# ------------------------------------
#
# Workers are seeded from the random numbers of their rank, each of them differently. If
# all ranks call ``manual_seed(0)`` to build equal models, their workers also crop and
# flip different samples in the same way. So build the model and split the data first,
# because ``random_split`` must draw the same everywhere, and then give each rank a seed
# of its own. Here the augmentation makes a random number of a sample.
loader = DataLoader(
    torch.zeros(4), batch_size=None, collate_fn=torch.rand_like, **workers)
torch.manual_seed(0)
equal = from_all_ranks([number.item() for number in loader])
torch.manual_seed(0 + rank)
own = from_all_ranks([number.item() for number in loader])
assert equal == [equal[0]] * world_size, "one seed, but other augmentations"
assert len(set(sum(own, []))) == 4 * world_size, "two ranks augment alike"

# %%
# An order is another matter. A stream that shuffles before it deals out must have the
# same order in all workers of all ranks, or some samples are dealt twice and others
# never. So it must not draw from the worker's random numbers, which differ by default,
# but from a generator whose seed it is given, the same everywhere and another in each
# epoch.


def dealt(seed):
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(samples), generator=generator)
    return order[rank::world_size].tolist()


same_order = times_seen(from_all_ranks(dealt(seed=0)))
other_orders = times_seen(from_all_ranks(dealt(seed=0 + rank)))
if rank == 0:
    print("never dealt:", sorted(set(samples) - set(other_orders)))
assert same_order == Counter(samples), "one order deals a sample twice, or never"
assert other_orders != Counter(samples) or world_size == 1, "other orders do no harm"

# %%
# Join: when some ranks have more batches
# ---------------------------------------
#
# The sharded stream, here read without workers, gives rank 0 one batch more. Its last
# all-reduce would wait for ranks that have left the loop. Inside ``Join`` they take
# part in it with zeros, and then receive the parameters of the rank that took the last
# step.
from torch import nn
from torch.distributed.algorithms import Join
from torch.nn.parallel import DistributedDataParallel


def build(momentum=0.0):
    layer = nn.Linear(1, 1, bias=False).to(device)
    nn.init.zeros_(layer.weight)
    optimizer = torch.optim.SGD(layer.parameters(), lr=1.0, momentum=momentum)
    return DistributedDataParallel(layer), optimizer


def step(ddp_layer, optimizer, batch):
    optimizer.zero_grad()
    inputs = batch.to(device).float().unsqueeze(1)  # (samples, 1)
    ddp_layer(inputs).sum().backward()  # the gradient is the sum of the batch
    optimizer.step()


def one_epoch(momentum=0.0, **options):
    ddp_layer, optimizer = build(momentum)
    with Join([ddp_layer], **options):
        for batch in DataLoader(stream, batch_size=3):
            step(ddp_layer, optimizer, batch)
    return ddp_layer.module.weight, optimizer


weight = one_epoch()[0].item()
weights = from_all_ranks(weight)
if rank == 0:
    print("weights:", *(round(of_rank, 2) for of_rank in weights))
assert weights == [weight] * world_size, "the ranks have different parameters"
assert abs(weight + sum(samples) / world_size) < 1e-3, "a sample counts otherwise"

# %%
# The weight is minus the sum of all samples, divided by the world size, so every sample
# counts equally. With ``divide_by_initial_world_size=False`` the divisor is the number
# of ranks that still have batches, and the last sample counts ``world_size`` times.
other_weight = one_epoch(divide_by_initial_world_size=False)[0].item()
surplus = samples[-1] - samples[-1] / world_size
assert abs(other_weight - weight + surplus) < 1e-3, "the last sample counts otherwise"

# %%
# ``Join`` copies the parameters, but not the optimizer state. Ranks with unequal
# momenta take unequal steps in the next epoch.
def momentum_of(trained):
    weight, optimizer = trained
    return round(optimizer.state[weight]["momentum_buffer"].item(), 1)


momenta = from_all_ranks(momentum_of(one_epoch(momentum=0.5)))
if rank == 0:
    print("momenta with Join:", *momenta)
assert world_size == 1 or momenta[0] != momenta[1], "the momenta are equal"

# %%
# So with momentum or Adam, let all ranks stop when the first has no batch left. Before
# each step they agree on it, by a small all-reduce that all of them have to wait for.
# (If you know the number of batches, compute the smallest one once, and save the
# waiting. ``Join`` can make the ranks stop too, by an error on each of them, as you can
# try below.)
def one_epoch_together(momentum):
    ddp_layer, optimizer = build(momentum)
    batches = iter(DataLoader(stream, batch_size=3))
    while True:
        batch = next(batches, None)
        all_have_one = torch.tensor(int(batch is not None), device=device)
        dist.all_reduce(all_have_one, op=dist.ReduceOp.MIN)
        if not all_have_one:
            return ddp_layer.module.weight, optimizer
        step(ddp_layer, optimizer, batch)


momenta = from_all_ranks(momentum_of(one_epoch_together(momentum=0.5)))
if rank == 0:
    print("momenta when all stop together:", *momenta)
assert momenta == [momenta[0]] * world_size, "a rank took another step"

# %%
# Resume in the middle of an epoch
# --------------------------------
#
# The order of a sampler follows from its seed and the epoch. So save the epoch and the
# number of batches done. The resumed program makes the same batches again and leaves
# those out. They are lists of indices, so no sample is loaded only to be skipped.
samples = range(6 * world_size)  # this time without a remainder


def batches_of(epoch):
    sampler = DistributedSampler(samples)
    sampler.set_epoch(epoch)
    return list(DataLoader(samples, batch_size=2, sampler=sampler).batch_sampler)


before = sum(batches_of(epoch=5)[:2], [])  # then the program stopped
resumed = DataLoader(samples, batch_sampler=batches_of(epoch=5)[2:])
after = [sample for batch in resumed for sample in batch.tolist()]
whole_epoch = times_seen(from_all_ranks(before + after))
assert whole_epoch == Counter(samples), "resuming repeats a sample, or skips one"

# %%
# The sampler's seed, the batch size and the number of ranks must stay the same. The
# package `torchdata <https://github.com/meta-pytorch/data>`__ has a loader that keeps
# its position itself, ``StatefulDataLoader``.
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
# - Leave the last ``* n_workers`` out of ``ShardedStream``, and the assert that fails.
#   What does the figure show then?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      Samples 0 to 3 are seen once, and all others twice: each sample from 4 on has the
#      colors of ranks 0 and 2, or of ranks 1 and 3. The eight workers still begin at
#      eight different samples, but each takes every fourth one. So a worker of rank 2
#      follows one of rank 0, four samples later.
#
# - Add ``throw_on_early_termination=True`` to the call with momentum. Which rank ends
#   with another error than the others?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      Rank 0, the only one with a third batch. It learns in its next ``forward`` that
#      others have finished, "Detected at least one rank that exhausted inputs". The
#      others raise "exhausted all inputs" when they leave the ``with`` block. If you
#      catch these errors around the block, all ranks have taken two steps and their
#      momenta are equal.
#
# - In your own script: let the data set return the index of each sample too, and count
#   over all ranks and one epoch, once for training and once for evaluation. Which
#   samples are seen twice, and which never?
#
# What to remember
# ----------------
#
# - Wrong shares raise no error. Gather the indices of one epoch from all ranks and
#   count them.
# - ``DistributedSampler`` repeats samples to make the shares equal. That's fine in
#   training, but in evaluation it makes a metric wrong, so add up hits and samples of
#   unequal shares.
# - A stream has to be dealt out by rank and by worker. The order must come from the
#   same seed everywhere, and the augmentation from a different seed on each rank.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/inside/starting_processes` shows other ways to start the ranks.
