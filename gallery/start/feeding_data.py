"""
Feeding the data: each sample once, to one rank
===============================================

:Card: Count which rank sees which sample, and how often.
:Learn: You will count how often each sample is seen in an epoch, and mend the programs
    that see some twice, some never, or all of them eight times.
:Prerequisites: :doc:`/tutorials/start/distributed_data_parallel`
:Picture: deal
:Oldest torch: 2.9

If two ranks load the same sample, no error tells you. The training takes longer, the
accuracy is a little wrong, and the loss still falls. Only counting shows it.

So we begin with the two loaders that most programs need, and then gather from all ranks
which samples each of them has seen, and count.

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
# A sample is no more than its number, so a ``range`` serves as the data set, and
# ``times_seen`` counts the samples in the shares of all ranks. There are six for each
# rank and one more, so they can't be dealt out evenly.
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
globals().pop("__file__", None)  # only here; in a script: if __name__ == "__main__"
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
# All ranks must take equally many steps, because a step waits for all of them. So the
# sampler for training leaves out the remainder, another one in each epoch. The loader
# leaves out a smaller last batch, whose samples would count more in a mean.
#
# In validation each sample must count once. With DDP each rank may take every n-th
# sample and call the model without its wrapper, as in
# :doc:`/tutorials/start/one_gpu_to_many`. With fully sharded data parallel (FSDP) that
# hangs, because each forward pass gathers parameters, and a rank with one batch more
# waits for the others forever. The loader below works for both: it repeats some
# samples, and the loop further down doesn't count the repeated ones.
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def training_loader(data, batch_size, **workers):
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(
        data, batch_size=batch_size, sampler=sampler, drop_last=True, **workers)
    assert len(loader) > 0, "a rank has fewer samples than a batch"
    return loader


def validation_loader(data, batch_size, **workers):
    sampler = DistributedSampler(data, shuffle=False)  # repeats some
    return DataLoader(data, batch_size=batch_size, sampler=sampler, **workers)


# %%
# Before each epoch call ``set_epoch`` of the sampler. Without it every epoch has the
# order of the first, and nothing tells you.
training = training_loader(samples, batch_size=2)
epochs = []
for epoch in range(2):
    training.sampler.set_epoch(epoch)
    share = torch.cat(list(training)).tolist()
    epochs.append(from_all_ranks(share))
assert epochs[0] != epochs[1], "the second epoch has the order of the first"

validation = validation_loader(samples, batch_size=2)
share = torch.cat(list(validation)).tolist()
seen = {"training": epochs[0], "training, next epoch": epochs[1],
        "validation": from_all_ranks(share)}
n_training = times_seen(seen["training"])
n_validation = times_seen(seen["validation"])
never = [sample for sample in samples if n_training[sample] == 0]
twice = [sample for sample in samples if n_validation[sample] == 2]
if rank == 0:
    print("training, never seen:", *never)
    print("validation, seen twice:", *twice)
assert max(n_training.values()) == 1, "training sees a sample twice"
assert len(never) == 1, "more than the remainder is left out"
assert twice == list(range(world_size - 1)), "others are dealt twice"

# %%
# Padding makes a metric wrong
# ----------------------------
#
# Let a model be right on the first half of the samples only: the repeated ones are
# there, so the accuracy is too high. But without ``shuffle`` they come last, and each
# rank knows how many real ones come before. So mask them, add up hits and samples over
# the ranks, and then divide.
from torch import nn
from torch.utils.data import TensorDataset


@torch.no_grad()
def accuracy(model, loader, n_real):
    model.eval()  # and model.train() before you train on
    total = torch.zeros(2, dtype=torch.int64, device=device)  # hits, samples
    n_done = 0
    for inputs, labels in loader:
        inputs = inputs.to(device, non_blocking=True)
        labels = labels.to(device, non_blocking=True)  # (samples,)
        hits = model(inputs).argmax(dim=1) == labels
        is_real = torch.arange(len(labels), device=device) < n_real - n_done
        total[0] += (hits & is_real).sum()
        total[1] += is_real.sum()
        n_done += len(labels)
    dist.all_reduce(total)
    return total[0].item() / total[1].item()


class AlwaysZero(nn.Module):
    def forward(self, inputs):
        return torch.tensor([[1.0, 0.0]] * len(inputs), device=device)


numbers = torch.tensor(samples)
data = TensorDataset(numbers, (numbers > 3 * world_size).long())  # inputs, labels
loader = validation_loader(data, batch_size=4)
n_real = len(range(rank, len(data), world_size))
masked = accuracy(AlwaysZero(), loader, n_real)
too_high = accuracy(AlwaysZero(), loader, len(loader.sampler))
truth = (3 * world_size + 1) / len(samples)
if rank == 0:
    print(f"padded {too_high:.3f}, masked {masked:.3f}, truth {truth:.3f}")
assert masked == truth, "the mask counts a sample twice, or never"
assert too_high > truth or world_size == 1, "padding changes nothing"

# %%
# Count in ``int64``: float32 stops at ``2**24``, fewer than the tokens of many data
# sets. The sums stay on the device, so no batch waits for them. For a metric that isn't
# a sum, such as the area under a curve, gather the predictions and drop the repeated.
assert torch.tensor(2.0**24) + 1 == 2**24, "float32 counts further"

# %%
# Workers, so that no GPU waits for its samples
# ---------------------------------------------
#
# Train on one batch again and again, as :doc:`/tutorials/start/is_it_faster` does. If
# the steps are faster then, the GPUs have waited for the loader, and these things help:
#
# - **More workers.** ``num_workers`` counts for each rank, and the ranks of a machine
#   share its CPU cores. Divide the cores by the ranks, and try up to that number: up to
#   8 if four ranks share 32 cores.
# - **Less memory.** Each worker has a copy of the lists and arrays in the data set: 64
#   copies with 8 ranks and 8 workers. So keep file names there, not samples. Batches
#   come through shared memory. If a container has too little of it ("bus error"), start
#   it with a larger ``--shm-size``, as PyTorch's `README
#   <https://github.com/pytorch/pytorch#using-pre-built-images>`__ says.
# - **More batches in advance.** Each worker keeps two ready. With a larger
#   ``prefetch_factor`` a slow batch delays nothing, but slow workers still do.
# - **Copies in the background.** Only from pinned memory can a GPU copy a batch `while
#   the program goes on
#   <https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html>`__. It takes
#   both, ``pin_memory=True`` and ``non_blocking=True``.
# - **Less work.** Decode and resize once, beforehand. Put many samples into one file,
#   because shared file systems are slow with many small ones. Augment on the GPU.
#
# Forked workers may wait forever while the group is open, as
# :doc:`/tutorials/start/distributed_data_parallel` explains, so ours start by
# ``forkserver``. So a script needs the line ``if __name__ == "__main__":``, and no
# ``lambda`` may be a ``collate_fn`` or a transform ("Can't pickle"). To debug without
# workers, empty ``workers``: its other options are errors with ``num_workers=0``.
from torch.multiprocessing import set_forkserver_preload

set_forkserver_preload(["torch"])  # imported once for each rank, not in every worker
workers = {"num_workers": 2, "multiprocessing_context": "forkserver",
           "persistent_workers": True}

loader = training_loader(samples, batch_size=2, **workers, pin_memory=gpu_per_rank)
for batch in loader:
    batch = batch.to(device, non_blocking=True)  # then the training step
assert loader.prefetch_factor == 2, "another default"

# %%
# A stream knows nothing of ranks or workers
# ------------------------------------------
#
# An ``IterableDataset`` is read from its beginning to its end, and a sampler does not
# apply to it. So every rank reads all of it. If a loader has workers, each of them has
# a copy of the data set and reads all of it too.
#
# The cure is to number the workers of all ranks, and to deal out whole files to them.
# (So no worker reads what it skips.) ``get_worker_info`` tells a worker its number, and
# is ``None`` in a loader without workers. Hand the rank to the data set when you make
# it, because a worker does not know the process group.
#
# The order of the files should be another one in each epoch. But it must be the same in
# all workers, or some files are dealt twice and others never, so its seed is the epoch.
# With ``persistent_workers`` a worker keeps its copy of the data set: an attribute that
# you set later doesn't arrive, and every epoch has the order of the first. A tensor in
# shared memory does arrive.
#
# Python sends a worker started by ``forkserver`` no code, only the names of classes and
# of their modules. In a script the class stands above ``if __name__ == "__main__":``.
# But this page hides its file from the workers, so we write another one.
import tempfile
from pathlib import Path

temporary = tempfile.TemporaryDirectory()
folder = Path(temporary.name)

# %%

# language=Python
(folder / "stream.py").write_text("""\
import torch
from torch.utils.data import IterableDataset, get_worker_info


class Stream(IterableDataset):
    def __init__(self, files):
        self.files = files

    def __iter__(self):
        for file in self.files:
            yield from file  # in your program: open it and read its samples


class ShardedStream(Stream):
    def __init__(self, files, rank, world_size):
        super().__init__(files)
        self.rank, self.world_size = rank, world_size
        self.epoch = torch.tensor(0).share_memory_()

    def __iter__(self):
        info = get_worker_info()
        worker, n_workers = (info.id, info.num_workers) if info else (0, 1)
        first = self.rank * n_workers + worker
        generator = torch.Generator().manual_seed(self.epoch.item())
        order = torch.randperm(len(self.files), generator=generator).tolist()
        for i in order[first :: self.world_size * n_workers]:
            yield from self.files[i]
""", encoding="utf-8")

# %%
# The files are pretended here: each is a range of three samples.
import sys
from importlib import import_module

sys.path.insert(0, str(folder))  # workers get the same path
streams = import_module("stream")  # the file above

files = [samples[i : i + 3] for i in range(0, len(samples), 3)]
whole = streams.Stream(files)
stream = streams.ShardedStream(files, rank, world_size)
for title, data in ("stream", whole), ("sharded stream", stream):
    loader = DataLoader(data, batch_size=None, **workers)
    seen[title] = from_all_ranks(list(loader))
    if rank == 0:
        print(f"{title}, times seen:", *set(times_seen(seen[title]).values()))
n_readers = world_size * workers["num_workers"]
assert set(times_seen(seen["stream"]).values()) == {n_readers}, "not read by all"
assert times_seen(seen["sharded stream"]) == Counter(samples), "not once each"

# %%
# This loader still has its workers. Set the next epoch before the loop over it begins,
# because the workers begin then too.
stream.epoch.fill_(1)
next_epoch = from_all_ranks(list(loader))
assert times_seen(next_epoch) == Counter(samples), "a file is dealt twice, or never"
assert next_epoch != seen["sharded stream"], "the workers don't know the epoch"
temporary.cleanup()  # the classes are imported

# %%
# With fewer files than workers some have nothing to do, so write many. For real files
# there are ready classes: `WebDataset <https://github.com/webdataset/webdataset>`__,
# `Streaming <https://github.com/mosaicml/streaming>`__, and ``split_dataset_by_node``
# of `Datasets <https://huggingface.co/docs/datasets/use_with_pytorch>`__. (The last
# deals out whole files only if their number is a multiple of the number of ranks.)
#
# This is how the samples are dealt: each column is a sample, and each number says how
# often the rank has seen it. Framed samples are seen more than once in all, and gray
# ones by nobody.
#
# .. alt-text:: Training, 25 samples in four rows: 24 are scattered over the ranks, and
#    sample 0 is seen by nobody.
# .. alt-text:: The next epoch scatters them in another order, and leaves out another
#    sample.
# .. alt-text:: Validation: every fourth sample for each rank. Samples 0, 1 and 2 are
#    framed, because a second rank gets them at the end.
# .. alt-text:: Sharded stream: whole files of three samples, and each sample is seen
#    once.
if rank == 0:
    import matplotlib.pyplot as plt

    del seen["stream"]  # every rank has seen every sample twice
    for title, shares in seen.items():
        fig, ax = plt.subplots(figsize=(7, 2.3), layout="constrained")
        in_all = times_seen(shares)
        for r, share in enumerate(shares):
            for sample, times in Counter(share).items():
                ax.bar(sample, 0.9, 0.9, r - 0.45, color="C0", alpha=0.3)
                if in_all[sample] > 1:
                    ax.bar(sample, 0.8, 0.8, r - 0.4, fill=False, ec="C1", lw=2)
                ax.text(sample, r, times, ha="center", va="center")
        for sample in samples:
            if in_all[sample] == 0:
                ax.axvspan(sample - 0.45, sample + 0.45, color="0.6", alpha=0.5)
        ax.set(title=title, xlabel="sample", ylabel="rank", yticks=range(world_size))
        ax.set(xlim=(-0.6, len(samples) - 0.4), ylim=(world_size - 0.4, -0.6))

# %%
# Equal seeds give equal augmentations
# ------------------------------------
#
# A loader draws the seeds of its workers from the random numbers of its rank. If all
# ranks call ``manual_seed(0)`` to build equal models, their workers also crop and flip
# different samples in the same way, and dropout drops the same units. So seed each rank
# differently, once, after the model is built and after ``random_split``, which must be
# alike on all ranks. After a restart, the seed needs the epoch too (say,
# ``1000 * epoch + rank``), or the augmentations of the first epochs come again. Here
# the augmentation makes a random number of a sample.
def augmented():
    loader = DataLoader(
        torch.zeros(4), batch_size=None, collate_fn=torch.rand_like, **workers)
    return [number.item() for number in loader]


torch.manual_seed(0)
equal = from_all_ranks(augmented())
torch.manual_seed(0 + rank)
own = from_all_ranks(augmented())
assert equal == [equal[0]] * world_size, "one seed, but other augmentations"
assert len(set(sum(own, []))) == 4 * world_size, "two ranks augment alike"

# %%
# Join: when some ranks have more batches
# ---------------------------------------
#
# The sharded stream, here read without workers, gives rank 0 one batch more. (With
# workers it may be several, because each of them ends with a smaller batch of its own.)
# Its last all-reduce would wait for ranks that have left the loop.
#
# So let all ranks stop when the first has no batch left. (What the others still have is
# left out: here the last batch of rank 0.) Before each step they agree on it by a small
# all-reduce. It runs on the CPU, in a Gloo group, because an answer from the GPU would
# come only after all work queued there. (If you know the number of batches, compute the
# smallest one once, and save the asking.)
from torch.nn.parallel import DistributedDataParallel

cpu_group = dist.new_group(backend="gloo")


def step(ddp_layer, optimizer, batch):
    optimizer.zero_grad()
    inputs = batch.to(device).float().unsqueeze(1)  # (samples, 1)
    ddp_layer(inputs).mean().backward()
    optimizer.step()


def train_together(ddp_layer, optimizer):
    batches = iter(DataLoader(stream, batch_size=3))
    while True:
        batch = next(batches, None)
        all_have_one = torch.tensor(int(batch is not None))  # on the CPU
        dist.all_reduce(all_have_one, op=dist.ReduceOp.MIN, group=cpu_group)
        if not all_have_one:
            break
        step(ddp_layer, optimizer, batch)


def steps_of_all_ranks(train):
    ddp_layer = DistributedDataParallel(nn.Linear(1, 1).to(device))
    optimizer = torch.optim.Adam(ddp_layer.parameters())
    train(ddp_layer, optimizer)
    state = optimizer.state[ddp_layer.module.weight]
    return from_all_ranks(int(state["step"]))


steps = steps_of_all_ranks(train_together)
if rank == 0:
    print("steps when all stop together:", *steps)
assert steps == [steps[0]] * world_size, "a rank took another step"

# %%
# With DDP there is also ``Join``, which leaves out nothing. Inside it, ranks without a
# batch take part in the all-reduces with zeros, and then receive the parameters of the
# rank that took the last step. But they don't receive its optimizer state. With
# momentum or Adam, the ranks therefore take unequal steps in the next epoch.
from torch.distributed.algorithms import Join


def train_with_join(ddp_layer, optimizer):
    with Join([ddp_layer]):
        for batch in DataLoader(stream, batch_size=3):
            step(ddp_layer, optimizer, batch)


steps = steps_of_all_ranks(train_with_join)
if rank == 0:
    print("steps in Adam's state with Join:", *steps)
assert steps == [3] + [2] * (world_size - 1), "Join evens out Adam's state"

# %%
# Resume in the middle of an epoch
# --------------------------------
#
# The order of a sampler follows from its seed and the epoch. So save the epoch and the
# number of batches done. The resumed program makes the same batches again and leaves
# those out. They are lists of indices, so no sample is loaded only to be skipped.
def batches_of(epoch):
    loader = training_loader(samples, batch_size=2)
    loader.sampler.set_epoch(epoch)
    return list(loader.batch_sampler)


before = sum(batches_of(epoch=5)[:2], [])  # then the program stopped
resumed = DataLoader(samples, batch_sampler=batches_of(epoch=5)[2:])
after = [sample for batch in resumed for sample in batch.tolist()]
whole_epoch = times_seen(from_all_ranks(before + after))
assert set(whole_epoch.values()) == {1}, "resuming repeats a sample, or skips one"

# %%
# The next epochs take ``training_loader`` again. (With a sampler that skips, as in
# :doc:`/tutorials/start/training_program`, one loader does both.) The sampler's seed,
# the batch size and the number of ranks must stay the same.
#
# For streams the package `torchdata <https://github.com/meta-pytorch/data>`__ has a
# loader that keeps its position itself, ``StatefulDataLoader``. Each rank saves and
# loads its own ``state_dict``.
#
# .. admonition:: With tensor, pipeline or context parallelism
#    :collapsible: closed
#
#    Here several ranks compute one replica of the model together, so they must read the
#    same samples. If each reads its own, the result is wrong, and no error comes. So
#    deal out along the *data-parallel* dimension of the device mesh that
#    :doc:`/tutorials/larger_models/two_dimensions` makes. Wherever this page uses
#    ``rank`` and ``world_size`` for samples, take these two, and add up in this group:
#
#    .. code-block:: python
#
#       dp_rank, dp_size = mesh["dp"].get_local_rank(), mesh["dp"].size()
#       sampler = DistributedSampler(data, num_replicas=dp_size, rank=dp_rank)
#       dist.all_reduce(total, group=mesh["dp"].get_group())
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
# - Leave the last ``* n_workers`` out of ``ShardedStream``, and the two asserts that
#   fail. What does the figure show then?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      The first four files of the order are seen once, and all others twice: each of
#      these has the colors of ranks 0 and 2, or of ranks 1 and 3. The eight workers
#      still begin at eight different files, but each takes every fourth one. So a
#      worker of rank 2 follows one of rank 0, four files later.
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
# - A rank with one batch more hangs, with FSDP even in validation. So let all take
#   equally many steps: in training leave out the remainder, in validation repeat
#   samples but don't count them.
# - A stream has to be dealt out by rank and by worker. The order must come from the
#   epoch everywhere, and the augmentation from another seed on each rank.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/inside/starting_processes` shows other ways to start the ranks.
