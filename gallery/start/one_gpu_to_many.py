"""
From one GPU to many: what changes in your script
=================================================

:Card: What changes in a training script, and what stays equal.
:Learn: You will turn a training script for one GPU into one for many, know the reason
    for each change, and show that it still learns the same.
:Picture: diff
:Oldest torch: 2.8

You have a script that trains on one GPU, and a machine with several, so all but one do
nothing. ``torchrun`` can start a script once for each GPU. The script has to do the
rest: each process trains on a share of the samples, and all of them train one model.

We change a complete script in eight places, with a reason for each. Then we run both
scripts and compare them step by step.
"""

# %%
# The script for one GPU
# ----------------------
#
# This script has what most have: a loader that shuffles, gradient clipping, a schedule
# for the learning rate, a metric, and a file for the model. Two things are there only
# so that we can compare it later. Yours probably says ``shuffle=True``, but here a
# sampler seeded by the number of the epoch shuffles, because the sampler for many ranks
# draws the same order from the same seed. And ``history`` keeps the loss and the norm
# of the gradient at each step.
import tempfile
from pathlib import Path

temporary = tempfile.TemporaryDirectory()
folder = Path(temporary.name)

# %%

# language=Python
(folder / "train.py").write_text("""\
import torch
from torch import nn
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

features = torch.randn(256, 20)  # (samples, features)
data = TensorDataset(features, (features.sum(dim=1) > 0).long())
order = torch.Generator()
sampler = RandomSampler(data, generator=order)
loader = DataLoader(data, batch_size=32, sampler=sampler)

model = nn.Sequential(
    nn.Linear(20, 32), nn.LayerNorm(32), nn.ReLU(), nn.Linear(32, 2)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.8)

history = []
for epoch in range(3):
    order.manual_seed(epoch)
    counts = torch.zeros(2, device=device)  # correct, all
    for inputs, labels in loader:
        inputs, labels = inputs.to(device), labels.to(device)
        outputs = model(inputs)
        loss = nn.functional.cross_entropy(outputs, labels)
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        history.append((loss.item(), norm.item()))
        counts[0] += (outputs.argmax(dim=1) == labels).sum()
        counts[1] += len(labels)
    print(f"epoch {epoch}: accuracy {counts[0] / counts[1]:.3f}")
    scheduler.step()

torch.save(model.state_dict(), "model.pt")
torch.save(history, "history.pt")
""", encoding="utf-8")

# %%
# Eight changes, each with its reason
# -----------------------------------
#
# .. diff:: train.py train_ddp.py
#
#    Imports for the ranks
#       The calls between ranks, the wrapper and the sampler are part of PyTorch.
#    A device for each rank, then the group
#       ``torchrun`` gives each process its number, which says which GPU to take. With
#       fewer GPUs than ranks, all ranks use the CPU, and rank 0 prints what to type
#       instead. The group comes after the device, because its backend depends on it.
#       With plain ``python`` there is one rank, so the script still runs on one GPU.
#    A share of the samples
#       With two ranks, 16 samples from each make the same batch of 32. With three, the
#       batch would be 30, so choose a number that divides 32. The sampler shuffles and
#       deals out the samples. If your loader says ``shuffle=True``, leave that out.
#    One mean gradient
#       The wrapper averages the gradients of all ranks during ``backward``. Clipping
#       and the step come later and stay as they were.
#    Random numbers of its own
#       So far all ranks drew the same random numbers, because they must build the same
#       samples and the same model. From here on each rank draws its own. Otherwise
#       dropout would drop the same units on every rank, and augmentation would crop
#       every share in the same way.
#    A new order in each epoch
#       The sampler adds the number of the epoch to its seed. Without this line each
#       epoch would repeat the order of the first.
#    One metric over all ranks
#       Each rank counts its own samples. ``all_reduce`` adds up the counts, so every
#       rank has to call it, but only rank 0 prints.
#    One rank saves the model
#       ``.module`` is the model without its wrapper, so the keys stay the same. A file
#       that every rank writes has the rank in its name. Then every rank leaves the
#       group.
#
# The second change is the longest, but it is the same in every program with ranks, and
# :doc:`/tutorials/start/hello_ranks` explains its lines.

# language=Python
(folder / "train_ddp.py").write_text("""\
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

torch.manual_seed(0)
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

features = torch.randn(256, 20)  # (samples, features)
data = TensorDataset(features, (features.sum(dim=1) > 0).long())
sampler = DistributedSampler(data)
loader = DataLoader(data, batch_size=32 // world_size, sampler=sampler)

model = nn.Sequential(
    nn.Linear(20, 32), nn.LayerNorm(32), nn.ReLU(), nn.Linear(32, 2)).to(device)
model = DistributedDataParallel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.8)
torch.manual_seed(rank)

history = []
for epoch in range(3):
    sampler.set_epoch(epoch)
    counts = torch.zeros(2, device=device)  # correct, all
    for inputs, labels in loader:
        inputs, labels = inputs.to(device), labels.to(device)
        outputs = model(inputs)
        loss = nn.functional.cross_entropy(outputs, labels)
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        history.append((loss.item(), norm.item()))
        counts[0] += (outputs.argmax(dim=1) == labels).sum()
        counts[1] += len(labels)
    dist.all_reduce(counts)
    if rank == 0:
        print(f"epoch {epoch}: accuracy {counts[0] / counts[1]:.3f}")
    scheduler.step()

if rank == 0:
    torch.save(model.module.state_dict(), "model.pt")
torch.save(history, f"history_{rank}.pt")
dist.destroy_process_group()
""", encoding="utf-8")

# %%
# Run both
# --------
#
# In a terminal you type ``python train.py``, and for the new script a line with
# ``torchrun``, which is a command for the module ``torch.distributed.run``.
#
# .. code-block:: bash
#
#    torchrun --standalone --nproc-per-node=2 train_ddp.py
#
# Here the page runs one after the other, each in a folder of its own: both take the
# first GPU, and many clusters let only one process at a time use it.
import os
import subprocess
import sys

os.environ.pop("NCCL_DEBUG", None)  # its messages would stand between ours


def run(name, *command):
    (folder / name).mkdir()
    done = subprocess.run(
        [sys.executable, *command], cwd=folder / name, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


alone = run("one", "../train.py")
together = run(
    "many", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2",
    "--log-dir=logs", "../train_ddp.py")
print("one process:", alone, "with ranks:", together, sep="\n")
assert "accuracy" in alone and together.endswith(alone), "the accuracies differ"

# %%
# The accuracies are the same, because the ranks add up their counts before they divide,
# and because 256 samples leave no remainder. With a remainder the sampler repeats some,
# which :doc:`/tutorials/start/feeding_data` mends.
#
# The mean loss is that of one process
# ------------------------------------
#
# Each rank computes its loss from its own samples, so these losses differ. Their mean
# is the loss of one process at every step, because all have equally many labels.
import torch
single = torch.tensor(torch.load(folder / "one" / "history.pt"))  # (steps, values)
ranks = [torch.load(folder / "many" / f"history_{rank}.pt") for rank in (0, 1)]
losses, norms = torch.tensor(ranks).unbind(dim=2)  # (ranks, steps)
print("losses at the first step:", [round(loss, 3) for loss in losses[:, 0].tolist()])
print(f"mean: {losses[:, 0].mean():.3f}, one process: {single[0, 0]:.3f}")
torch.testing.assert_close(losses.mean(dim=0), single[:, 0], rtol=0, atol=1e-4)
assert (losses.std(dim=0) > 1e-3).all()

# %%
# In the figure the losses of the ranks scatter, but the dots of their mean lie on the
# line of the one process.
#
# .. alt-text:: Two thin lines, one for each rank, scatter around a thick falling line
#    for one process. The dots of their mean lie on that line at all 24 steps.
import matplotlib.pyplot as plt
fig, ax = plt.subplots(figsize=(7, 3.5))
ax.plot(losses.T, color="C0", lw=0.8, label=["each rank", ""])
ax.plot(single[:, 0], color="C1", lw=5, alpha=0.5, label="one process")
ax.plot(losses.mean(dim=0), "o", color="C2", ms=4, label="mean of the ranks")
ax.set(xlabel="step", ylabel="loss", ylim=(0, 1))
ax.legend(ncols=3, loc="upper right")
plt.show()

# %%
# Clipping, schedule and saved model stay the same
# ------------------------------------------------
#
# After ``backward`` the gradients are averaged already. So all ranks compute the norm
# of one process, and ``clip_grad_norm_`` shortens their gradients by the same factor.
clipped = (norms > 1).sum(dim=1).tolist()
print("clipped steps on each rank:", clipped)
assert torch.equal(norms[0], norms[1]) and 0 < clipped[0] < len(single)
torch.testing.assert_close(norms[0], single[:, 1], rtol=0, atol=1e-4)

# %%
# Equal steps give equal models. The file of rank 0 has the keys and values of the file
# of one process, so a script for one GPU can load it.
saved, expected = (torch.load(
    folder / name / "model.pt", map_location="cpu") for name in ("many", "one"))
print(*saved)
torch.testing.assert_close(dict(saved), dict(expected), rtol=0, atol=1e-4)

# %%
# The whole batch is as large as before, so the learning rate stays too.
# :doc:`/tutorials/start/distributed_data_parallel` has the other choice, a larger
# batch.
#
# Batch normalization sees only its share
# ---------------------------------------
#
# The equality ends where the samples of a batch meet inside the model. So our model has
# ``LayerNorm``, which looks at each sample alone. ``BatchNorm1d`` uses the mean and the
# variance of all samples it sees, and on a rank it sees only a share of the batch.
torch.manual_seed(0)
batch = torch.randn(32, 20)  # (samples, features)
norm = torch.nn.BatchNorm1d(20)
whole, split = norm(batch), torch.cat([norm(share) for share in batch.split(16)])
print(f"largest difference: {(whole - split).abs().max():.1f}")
assert (whole - split).abs().max() > 0.5

# %%
# ``SyncBatchNorm`` lets the ranks exchange their statistics. In a training on GPUs, one
# line before the wrapper replaces all batch normalizations.
model = torch.nn.SyncBatchNorm.convert_sync_batchnorm(torch.nn.Sequential(norm))
assert isinstance(model[0], torch.nn.SyncBatchNorm)

# %%
# One seed for all ranks drops the same units
# -------------------------------------------
#
# Our model draws no random numbers while it trains, but yours may, for dropout or for
# noise. With one seed all ranks draw the same numbers, so their masks repeat each other
# and the batch has less variety than it seems to have. No error tells you. That's why
# the script calls ``torch.manual_seed(rank)`` once the model is there. Here two ranks
# with one seed draw their masks, and then rank 1 with a seed of its own.


def dropped(seed):
    torch.manual_seed(seed)
    return torch.nn.functional.dropout(torch.ones(20)) == 0


assert torch.equal(dropped(seed=0), dropped(seed=0))
assert not torch.equal(dropped(seed=0), dropped(seed=1))

# %%
# Try it
# ------
#
# Predict first, then run.
#
# - Replace ``sampler.set_epoch(epoch)`` by ``sampler.set_epoch(0)``. In which epoch do
#   both scripts still print the same accuracy, and why?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      Only in epoch 0, where both shuffle with the seed 0. Later the ranks repeat this
#      order, while the one process draws a new one, so the batches and the steps
#      differ. The assert with ``together.endswith(alone)`` notices. In a script of
#      yours nothing would, because the model still learns.
#
# - Replace ``nn.LayerNorm`` by ``nn.BatchNorm1d`` in both scripts. Which accuracies
#   differ now, and which assert notices?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      All three differ, and the same assert notices. One process normalizes with the
#      mean and the variance of 32 samples, but each rank only with those of its 16. So
#      already the first step has other outputs and another gradient.
#
# - In your own script: turn dropout and augmentation off, keep the global batch,
#   shuffle as ``train.py`` does, and train 20 steps with one process and then with two
#   ranks. Is the mean of the ranks' losses that of the one process at every step? If
#   not, at which step do they begin to differ?
#
# What to remember
# ----------------
#
# - With the global batch unchanged, the mean loss, the gradients, clipping and the
#   learning rate stay those of one process. So you can check the new script against the
#   old one.
# - Three mistakes raise no error: no ``set_epoch``, one seed for the dropout of all
#   ranks, and a metric of one rank that is taken for that of all.
# - Whatever mixes the samples of a batch, such as batch normalization, sees only the
#   share of its rank.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/start/distributed_data_parallel` shows what the wrapper and the
#   sampler do.
# - :doc:`/tutorials/inside/starting_processes` starts ranks without ``torchrun``.
