"""
From one GPU to many: what changes in your script
=================================================

:Card: What changes in a training script, and what stays equal.
:Learn: You will turn a training script for one GPU into one for many, know the reason
    for each change, and show that it still learns the same.
:Picture: diff
:Oldest torch: 2.9

You have a script that trains on one GPU, and a machine with several, so all but one do
nothing. ``torchrun`` can start a script once for each GPU. The script has to do the
rest: each process trains on a share of the samples, and all of them train one model.
PyTorch's wrapper for that is ``DistributedDataParallel`` (DDP).

We change a complete script in ten places, with a reason for each. Then we run both
scripts. Their numbers will differ, and we find out if that's a mistake.
"""

# %%
# The script for one GPU
# ----------------------
#
# This script has what most have: a loader that shuffles and has workers, *autocast*,
# which computes in bfloat16, gradient clipping, a schedule for the learning rate,
# a test after each epoch, and a file for the model.
import tempfile
from pathlib import Path

temporary = tempfile.TemporaryDirectory()
folder = Path(temporary.name)

# %%

# language=Python
(folder / "train.py").write_text("""\
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def make_data(n_samples):
    features = torch.randn(n_samples, 20)  # (samples, features)
    return TensorDataset(features, (features.sum(dim=1) > 0).long())


def accuracy(model, data, device):
    counts = torch.zeros(2, device=device)  # correct, all
    model.eval()
    for inputs, labels in DataLoader(data, batch_size=64):
        with torch.no_grad():
            outputs = model(inputs.to(device))
        counts[0] += (outputs.argmax(dim=1) == labels.to(device)).sum()
        counts[1] += len(labels)
    model.train()
    return (counts[0] / counts[1]).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--amp", action="store_true", help="compute in bfloat16")
    options = parser.parse_args()
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    train_data = make_data(256)
    test_data = make_data(201)
    loader = DataLoader(
        train_data, batch_size=32, shuffle=True, num_workers=2,
        persistent_workers=True, pin_memory=device.type == "cuda")

    model = nn.Sequential(
        nn.Linear(20, 32), nn.LayerNorm(32), nn.ReLU(), nn.Linear(32, 2)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.8)

    for epoch in range(3):
        for step, (inputs, labels) in enumerate(loader):
            inputs = inputs.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True)
            with torch.autocast(device.type, torch.bfloat16, enabled=options.amp):
                loss = nn.functional.cross_entropy(model(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
            optimizer.step()
            if step % 2 == 0:
                print(f"{epoch}.{step}: loss {loss:.3f}, norm {norm:.3f}")
        scheduler.step()
        print(f"epoch {epoch}: accuracy {accuracy(model, test_data, device):.3f}")

    torch.save(model.state_dict(), "model.pt")


if __name__ == "__main__":
    main()
""", encoding="utf-8")

# %%
# Ten changes, each with its reason
# ---------------------------------
#
# Each process is called a *rank*, and so is its number. All ranks together are a
# *process group*, and a *collective* is a call that all of them have to make.
#
# .. diff:: train.py train_ddp.py
#
#    The environment
#       ``torchrun`` gives each process its number in a variable of the environment.
#    Imports for the ranks
#       The calls between ranks, the wrapper and the sampler are part of PyTorch.
#    A share of the test samples
#       Each of n ranks tests every n-th sample, so no sample is tested twice. A
#       ``DistributedSampler`` would repeat some to make the shares equal, and the
#       accuracy would be wrong: :doc:`/tutorials/start/feeding_data`.
#    One accuracy over all ranks
#       Each rank counts its own samples. ``all_reduce`` adds up the counts, so every
#       rank has to call it, and then all of them divide.
#    A device for each rank, then the group
#       The *world size* is the number of ranks, and *local* means: on this machine. So
#       the local rank says which GPU to take. The group comes after the device, because
#       its *backend*, the library that moves the data, depends on it: NCCL for NVIDIA
#       GPUs, Gloo for the CPU. With fewer GPUs than ranks, all ranks use the CPU, so
#       that you can try the script. In a long training rather stop with an error. With
#       plain ``python`` there is one rank. With ``srun`` or ``mpirun``, which don't set
#       ``RANK``, each process would train alone:
#       :doc:`/tutorials/inside/starting_processes`.
#    A share of the samples
#       The sampler shuffles and deals out the samples, so ``shuffle=True`` goes. With
#       two ranks, 16 samples from each make the same batch of 32. With three ranks it
#       would be 30, so start a number of ranks that divides 32. A forked worker is a
#       copy of its rank and may hang:
#       :doc:`/tutorials/start/distributed_data_parallel` explains it. With
#       ``forkserver`` a worker begins anew and imports this file, so
#       ``if __name__ == "__main__":`` has to stay at its end.
#    One mean gradient, and random numbers of its own
#       The wrapper sends the model of rank 0 to all, and averages the gradients of all
#       ranks during ``backward``. Clipping and the step come later and stay as they
#       were. So far all ranks drew the same random numbers, because they must build the
#       same samples. From here on each rank draws its own. With one seed, dropout would
#       drop the same units on every rank, so the batch would have less variety than it
#       seems to have, and no error tells you.
#    A new order in each epoch
#       The sampler adds the number of the epoch to its seed. Without this line each
#       epoch would repeat the order of the first.
#    The wrapper is called
#       In training call ``ddp_model``, because it prepares the averaging in its own
#       ``forward``. If you call ``model``, the gradients are not averaged, and no error
#       tells you. Autocast stays around the same lines: the gradients are those of
#       the parameters, which remain in float32, and so is their mean. ``accuracy``
#       takes ``model``, the same parameters without the wrapper. In its ``forward`` the
#       wrapper may wait for all ranks, and one may have a test batch more than the
#       others.
#    One rank prints and saves
#       The loss of a rank is that of its own samples, so the ranks average it, and only
#       in the steps that print it: to average, a rank waits for the others, and to
#       print, for its GPU. ``model`` is the model without its wrapper, so the keys in
#       the file stay the same. At the end every rank leaves the group.
#
# The fifth change is the longest, but it is the same in every program with ranks. If
# yours always runs on NVIDIA GPUs with ``torchrun``, five lines and ``pin_memory=True``
# are enough. The others are for a CPU, a Mac or plain ``python``, and
# :doc:`/tutorials/start/hello_ranks` explains them.
#
# .. code-block:: python
#
#    local_rank = int(os.environ["LOCAL_RANK"])
#    device = torch.device(f"cuda:{local_rank}")
#    torch.accelerator.set_device_index(local_rank)
#    dist.init_process_group("nccl", device_id=device)
#    rank, world_size = dist.get_rank(), dist.get_world_size()

# language=Python
(folder / "train_ddp.py").write_text("""\
import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, Subset, TensorDataset


def make_data(n_samples):
    features = torch.randn(n_samples, 20)  # (samples, features)
    return TensorDataset(features, (features.sum(dim=1) > 0).long())


def accuracy(model, data, device):
    counts = torch.zeros(2, device=device)  # correct, all
    data = Subset(data, range(dist.get_rank(), len(data), dist.get_world_size()))
    model.eval()
    for inputs, labels in DataLoader(data, batch_size=64):
        with torch.no_grad():
            outputs = model(inputs.to(device))
        counts[0] += (outputs.argmax(dim=1) == labels.to(device)).sum()
        counts[1] += len(labels)
    dist.all_reduce(counts)
    model.train()
    return (counts[0] / counts[1]).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--amp", action="store_true", help="compute in bfloat16")
    options = parser.parse_args()
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

    train_data = make_data(256)
    test_data = make_data(201)
    sampler = DistributedSampler(train_data)
    loader = DataLoader(
        train_data, batch_size=32 // world_size, sampler=sampler, num_workers=2,
        persistent_workers=True, pin_memory=gpu_per_rank,
        multiprocessing_context="forkserver")

    model = nn.Sequential(
        nn.Linear(20, 32), nn.LayerNorm(32), nn.ReLU(), nn.Linear(32, 2)).to(device)
    ddp_model = DistributedDataParallel(model)
    torch.manual_seed(rank)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.8)

    for epoch in range(3):
        sampler.set_epoch(epoch)
        for step, (inputs, labels) in enumerate(loader):
            inputs = inputs.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True)
            with torch.autocast(device.type, torch.bfloat16, enabled=options.amp):
                loss = nn.functional.cross_entropy(ddp_model(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
            optimizer.step()
            if step % 2 == 0:
                mean = loss.detach().clone()
                dist.all_reduce(mean)
                mean /= world_size
                if rank == 0:
                    print(f"{epoch}.{step}: loss {mean:.3f}, norm {norm:.3f}")
        scheduler.step()
        value = accuracy(model, test_data, device)
        if rank == 0:
            print(f"epoch {epoch}: accuracy {value:.3f}")

    if rank == 0:
        torch.save(model.state_dict(), "model.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
""", encoding="utf-8")

# %%
# Run both
# --------
#
# In a terminal you type ``python train.py``, and for the new script a line with
# ``torchrun``. ``--nproc-per-node`` says how many ranks to start on this machine, one
# for each GPU, and ``--standalone`` that there is no other machine.
#
# .. code-block:: bash
#
#    torchrun --standalone --nproc-per-node=2 train_ddp.py
#
# Here the page does that, with ``torch.distributed.run``, the module behind
# ``torchrun``. Each script runs in a folder of its own, because both write
# ``model.pt``.
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


def side_by_side(left, right):
    """Print the losses and accuracies of two runs."""
    left = left.splitlines()
    right = right.splitlines()[-len(left):]  # without the line about the device
    for one, other in zip(left, right):
        print(f"{one:30}{other}")


torchrun = "-m torch.distributed.run --standalone --nproc-per-node=2".split()
alone = run("one", "../train.py")
together = run("many", *torchrun, "--log-dir=logs", "../train_ddp.py")
print(together.splitlines()[0])
print(f"{'one process':30}two ranks")
side_by_side(alone, together)

# %%
# Both learn, but hardly a line is the same. Is that a mistake? Nobody can tell from
# such numbers, and that's the dangerous moment of this change: a real mistake, such as
# a gradient that's divided twice, looks just like that.
#
# The same order gives the same losses
# ------------------------------------
#
# One difference is harmless: ``shuffle=True`` draws another order of the samples than
# the sampler does. So we take it away. Give the old script the sampler of the new one,
# made for a single rank, for which it deals all samples to one. Then both scripts take
# the same samples in each step.
ordered = (folder / "train.py").read_text(encoding="utf-8")
replacements = {
    "import DataLoader,": "import DataLoader, DistributedSampler,",
    "    loader =":
        "    sampler = DistributedSampler(train_data, num_replicas=1, rank=0)\n"
        "    loader =",
    "shuffle=True": "sampler=sampler",
    "in range(3):": "in range(3):\n        sampler.set_epoch(epoch)"}
for old, new in replacements.items():
    assert ordered.count(old) == 1, f"train.py has changed: {old}"
    ordered = ordered.replace(old, new)
(folder / "ordered.py").write_text(ordered, encoding="utf-8")
same_order = run("ordered", "../ordered.py")
print(f"{'one process, same order':30}two ranks")
side_by_side(same_order, together)

# %%
# Now the numbers agree. We read them from the outputs and compare: the losses and the
# norms of the gradients in every second step, and the accuracies. (They are equal but
# for rounding, because two halves of a batch are added in another order than the
# whole.)
import re

import torch


def numbers(output, name):
    found = re.findall(rf"{name} ([\d.]+)", output)
    return torch.tensor([float(number) for number in found])


for name in "loss", "norm", "accuracy":
    ours, expected = numbers(together, name), numbers(same_order, name)
    tolerance = 0.006 if name == "accuracy" else 0.002  # one sample of 201
    assert torch.allclose(ours, expected, rtol=0, atol=tolerance), f"{name} differs"
assert len(numbers(together, "loss")) == 12, "losses are missing"
difference = numbers(alone, "loss") - numbers(same_order, "loss")
assert difference.abs().max() > 0.01, "the order makes no difference"
assert numbers(together, "norm").max() > 1, "nothing was clipped"

# %%
# In the figure the dots of the two ranks lie on the line of the old script with the
# same order. With its own order it learns as well, along another line.
#
# .. alt-text:: Training loss in every second step, from 0.7 to below 0.2. The dots of
#    two ranks lie on the thick line of one process with the same order. A thin line,
#    one process with its own order, falls beside them.
import matplotlib.pyplot as plt
fig, ax = plt.subplots(figsize=(7, 3.5))
steps = range(0, 24, 2)
ax.plot(steps, numbers(alone, "loss"), lw=1, label="one process, its own order")
ax.plot(steps, numbers(same_order, "loss"), lw=5, alpha=0.5, label="the same order")
ax.plot(steps, numbers(together, "loss"), "o", ms=4, label="two ranks")
ax.set(xlabel="step", ylabel="loss", ylim=0)
ax.legend()
plt.show()

# %%
# Clipping, schedule and saved model stay the same
# ------------------------------------------------
#
# After ``backward`` the gradients are averaged already. So each rank computes the norm
# that one process would have, and ``clip_grad_norm_`` shortens the gradients of all
# ranks by the same factor.
#
# Equal steps give equal models. The file of rank 0 has the keys and values of the file
# of one process, so a script for one GPU can load it.
saved = torch.load(folder / "many/model.pt", map_location="cpu")
expected = torch.load(folder / "ordered/model.pt", map_location="cpu")
print(", ".join(saved))
torch.testing.assert_close(dict(saved), dict(expected), rtol=0, atol=1e-4)

# %%
# The comparison is without ``--amp``. With bfloat16 each number has about three digits,
# and the two halves of a batch are rounded before they are added, so the scripts agree
# only roughly. Compare in float32, then train in bfloat16.
#
# The global batch is as large as before, so the learning rate stays too.
# :doc:`/tutorials/start/distributed_data_parallel` has the other choice, a larger
# batch.
#
# The wrapper averages the means of the ranks. That's the mean of the batch only if each
# rank has as many samples as the others, as here. If your loss is a mean over tokens,
# and their number differs from rank to rank, the gradient is wrong without an error.
# The same page has the factor that mends it.
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
whole = norm(batch)
split = torch.cat([norm(share) for share in batch.split(16)])
print(f"largest difference: {(whole - split).abs().max():.1f}")
assert (whole - split).abs().max() > 0.5, "a share has the statistics of the batch"

# %%
# ``SyncBatchNorm`` lets the ranks exchange their statistics. In a training on GPUs, one
# line before the wrapper replaces all batch normalizations.
model = torch.nn.SyncBatchNorm.convert_sync_batchnorm(torch.nn.Sequential(norm))
print(model)

# %%
# Try it
# ------
#
# Predict first, then run.
#
# - Leave ``sampler.set_epoch(epoch)`` out of ``train_ddp.py``. In which epoch do both
#   scripts still have the same losses, and why?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      Only in epoch 0, where both shuffle with the seed 0. Later the ranks repeat this
#      order, while the one process draws a new one, so the batches and the steps
#      differ. The assert that compares the losses notices. In a script of yours nothing
#      would, because the model still learns.
#
# - Replace ``nn.LayerNorm`` by ``nn.BatchNorm1d`` in both scripts. From which step on
#   do the losses differ, and which assert notices?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      From the first step on, and the same assert notices. One process normalizes with
#      the mean and the variance of 32 samples, but each rank only with those of its 16.
#      So already the first step has other outputs and another gradient.
#
# - In your own script: turn dropout, augmentation and bfloat16 off, keep the global
#   batch, give the old script the sampler as above, and train 20 steps with each. Are
#   the losses the same at every step? If not, at which step do they begin to differ?
#   (Rounding changes the last digits and grows slowly. A mistake shows in the first or
#   second step.)
#
# What to remember
# ----------------
#
# - With the same global batch, in equal shares, the mean loss, the gradients, clipping
#   and the learning rate stay those of one process. So you can check the new script
#   against the old one.
# - Some mistakes raise no error: a call of ``model`` instead of ``ddp_model``, no
#   ``set_epoch``, one seed for the dropout of all ranks, and a metric of one rank that
#   is taken for that of all.
# - Whatever mixes the samples of a batch, such as batch normalization, sees only the
#   share of its rank.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/start/distributed_data_parallel` shows what the wrapper and the
#   sampler do.
# - :doc:`/tutorials/start/is_it_faster` measures how much faster the ranks are.
# - :doc:`/tutorials/start/training_program` is a longer script, which also accumulates
#   gradients, calls ``torch.compile`` and resumes.
# - Before a long run: :doc:`/tutorials/long_runs/checkpoints` and
#   :doc:`/tutorials/start/when_it_hangs`.
# - :doc:`/tutorials/inside/starting_processes` starts ranks without ``torchrun``.
