"""
Checkpoints: go on as if nothing had happened
=============================================

:Card: A rank dies. The run goes on, equal to the bit.
:Learn: You will let a rank die while it saves, resume the training equal to the bit,
    and load on two ranks what four have saved.
:Prerequisites: :doc:`/tutorials/start/one_gpu_to_many`
:Picture: checkpoint
:Oldest torch: 2.8

Among many GPUs one fails often. `Llama 3 <https://arxiv.org/abs/2407.21783>`__ had 466
interruptions in 54 days of training. What is not in a file by then is lost.

The call is a single line: ``torch.save`` on rank 0 for a model that each rank has
whole, and ``dcp.save`` on all ranks for a sharded one. What makes it a checkpoint is
around that line: what goes into the file, what a crash may leave behind, who waits for
whom, and how often you save.

First one rank saves a whole model, and dies while it writes. Then four ranks save a
sharded model, each its own rows, and two ranks load it. At the end we compute how often
to save. If your model fits on one GPU, you can skip the second part, and for that part,
read :doc:`/tutorials/larger_models/fully_sharded` first. To copy a whole program, take
:doc:`/tutorials/start/training_program` or :doc:`/tutorials/larger_models/real_run`.
"""

# %%
# One rank saves, all ranks load
# ------------------------------
#
# The programs with ranks on this site begin with the same lines, and
# :doc:`/tutorials/start/hello_ranks` explains them. Both programs of this page need
# them, so here they have a file of their own, ``start.py``.
import tempfile
from pathlib import Path

temporary = tempfile.TemporaryDirectory()
folder = Path(temporary.name)

# %%

# language=Python
(folder / "start.py").write_text("""\
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
""", encoding="utf-8")

# %%
# With DDP all ranks have the same model and optimizer, so rank 0 alone saves them. In
# the middle of a run it needs no barrier, because the others wait for it in the next
# step. But after the last step nothing makes them wait. They leave, and on several
# machines ``torchrun`` may then end the run while rank 0 still writes, as
# :doc:`/tutorials/long_runs/several_nodes` shows. So the program ends with a barrier.
#
# The others wait no longer than the timeout of the group, which is 10 minutes with NCCL
# and 30 with Gloo. If saving may take that long, give ``init_process_group`` a longer
# ``timeout``.
#
# Something can go wrong at any moment, and the lines of ``save`` and
# ``newest_readable`` below are each there because of one such moment:
#
# - *The rank dies while it writes.* So it writes under another name, and renames the
#   file when it is complete. ``os.replace`` does this in one step, so a rank that dies
#   leaves no half file under a final name.
# - *The machine crashes.* The system keeps in memory what a program has written, and
#   brings it to the disk later, sometimes the new name before the contents. A crash in
#   between leaves a file that looks complete and is empty. So ``os.fsync`` waits until
#   the contents are on the disk, and only then does the file get its name. The name
#   itself needs `another fsync
#   <https://man7.org/linux/man-pages/man2/fsync.2.html>`__, that of the folder.
# - *The newest file cannot be read*, because a disk has failed, for example. So rank 0
#   keeps one older file, takes the newest that it can read, and says which it skipped.
#   If it can read none of them, it stops: a run that silently begins again at step 0
#   would be worse.
# - *The disk gets full.* So rank 0 deletes files. It does this last, when the new file
#   is safe, and only with older ones. So at no moment is the only complete file gone.
#
# To load, every rank needs the same file, so rank 0 tells the others which one it is.
# Several machines need a folder that they share. Two arguments of ``torch.load``:
#
# - ``map_location="cpu"``: otherwise tensors return to the GPU that they came from, and
#   all ranks fill the GPU of rank 0.
# - ``weights_only=True``, the default: otherwise a file could run code.

# language=Python
(folder / "train.py").write_text("""\
import os
from itertools import islice
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from start import device, rank, world_size

torch.manual_seed(0)
data = TensorDataset(torch.randn(80, 20), torch.randint(2, (80,)))
sampler = DistributedSampler(data)
loader = DataLoader(data, batch_size=16 // world_size, sampler=sampler)
model = nn.Sequential(
    nn.Linear(20, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 2)).to(device)
optimizer = torch.optim.Adam(model.parameters(), 0.02)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)
parts = {"model": model, "optimizer": optimizer, "schedule": schedule}


def files():
    return sorted(Path().glob("step_*.pt"))  # eight digits, so in the order of steps


def newest_readable():
    for file in reversed(files()):
        try:
            torch.load(file, map_location="cpu", weights_only=True)
            return file
        except Exception as error:  # damage has many kinds of errors
            print(f"skipped {file}: {type(error).__name__}", flush=True)
    if files():
        raise RuntimeError("none of the checkpoints can be read")
    return None  # there is none yet


def save(step):
    state = {name: part.state_dict() for name, part in parts.items()}
    with open("unfinished", "wb") as file:
        torch.save(state | {"step": step}, file)
        if step == 6 and not newest:  # we let the first try die here
            file.truncate(1000)  # the rest is missing
            os._exit(1)
        file.flush()
        os.fsync(file.fileno())  # the contents are on the disk
    new = Path(f"step_{step:08}.pt")
    os.replace("unfinished", new)
    folder = os.open(".", os.O_RDONLY)
    os.fsync(folder)  # the name is on the disk
    os.close(folder)
    older = [file for file in files() if file < new]
    for file in older[:-1]:  # one stays
        file.unlink()


found = [newest_readable() if rank == 0 else None]
dist.broadcast_object_list(found)
newest, step = found[0], 0
if newest:
    state = torch.load(newest, map_location="cpu", weights_only=True)
    for name, part in parts.items():
        part.load_state_dict(state[name])
    step = state["step"]

ddp_model = DistributedDataParallel(model)
for epoch in range(step // len(loader), 2):
    sampler.set_epoch(epoch)
    for inputs, labels in islice(loader, step % len(loader), None):
        torch.manual_seed(step * world_size + rank)
        outputs = ddp_model(inputs.to(device))
        loss = nn.functional.cross_entropy(outputs, labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        step += 1
        if rank == 0:
            print("step", step, "loss", loss.item(), flush=True)
        if rank == 0 and step % 3 == 0:
            save(step)
dist.barrier()  # no rank leaves before the last file is complete
dist.destroy_process_group()
""", encoding="utf-8")

# %%
# A run needs more than its model. Without one of these it goes on, with other losses:
#
# - *The optimizer*: otherwise the means of Adam begin at zero again.
# - *The schedule*: otherwise it begins again with its first step.
# - *The data*: the epoch gives the order of the batches, and the step how many of them
#   ``islice`` skips. In :doc:`/tutorials/start/feeding_data` they are not even loaded.
# - *The random numbers*: dropout draws them. We seed each step by its number and rank,
#   so there is nothing to save. Otherwise save the random state of each rank.
#
# A rank dies while it saves
# --------------------------
#
# At step 6 rank 0 dies in the middle of a file. So ``torchrun`` ends the other rank,
# and because of ``--max-restarts=1`` it starts both again.
import os
import subprocess
import sys

import torch


def torchrun(n_ranks, program, *options):
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone",
         f"--nproc-per-node={n_ranks}", "--log-dir=logs", *options, program],
        env=os.environ | {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"},
        cwd=folder, timeout=600, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def losses(lines):
    words = [line.split() for line in lines if line.startswith("step")]
    return [(int(step), float(loss)) for _, step, _, loss in words]


def show(tried):
    print(*(f"{step}: {loss:.3f}" for step, loss in tried), sep=", ")


lines = torchrun(2, "train.py", "--max-restarts=1")
device = next(line for line in lines if line.startswith("device"))
first, second = losses(lines)[:6], losses(lines)[6:]
print(device)
show(first)
show(second)
assert [step for step, _ in first] == [1, 2, 3, 4, 5, 6], "it died at another step"
assert [step for step, _ in second] == [4, 5, 6, 7, 8, 9, 10], "not from step 3"
# On GPUs, equal bits need deterministic algorithms, which the program does not choose.
rtol = 0 if device.startswith("device: cpu") else 1e-4
torch.testing.assert_close(dict(second[:3]), dict(first[3:]), rtol=rtol, atol=0)

# %%
# The half file was ignored, so the second try began after step 3, in the middle of an
# epoch. Steps 4 to 6 were done twice: once in a run without a break, once after the
# restart. On a CPU their losses are equal to the bit. On a GPU some operations add in
# another order each time, so the page allows for a difference there. For equal bits
# choose ``torch.use_deterministic_algorithms(True)``, which is slower.
#
# After step 9 the file of step 3 was deleted. Now we make the newest file empty, as a
# crash of the machine may do without ``fsync``, and start again.
kept = sorted(file.name for file in folder.glob("step_*.pt"))
assert kept == ["step_00000006.pt", "step_00000009.pt"], "other files are kept"
(folder / kept[-1]).write_bytes(b"")
lines = torchrun(2, "train.py")
third = losses(lines)
print(next(line for line in lines if line.startswith("skipped")))
show(third)
assert [step for step, _ in third] == [7, 8, 9, 10], "not from the older file"
torch.testing.assert_close(dict(third), dict(second[3:]), rtol=rtol, atol=0)

# %%
# The run went on after step 6, so an unreadable file costs three steps and not the run.
# But not all damage makes a file unreadable. ``torch.load`` notices when a part is
# missing, and not when numbers have changed. So if a crash leaves zeros in place of a
# weight, it loads the zeros, and that is why falling back does not replace ``fsync``.
import io

content = (folder / kept[0]).read_bytes()
weight = torch.load(folder / kept[0], map_location="cpu")["model"]["0.weight"]
damaged = content.replace(weight.numpy().tobytes(), bytes(weight.nbytes))
loaded = torch.load(io.BytesIO(damaged), map_location="cpu")["model"]["0.weight"]
assert weight.any() and not loaded.any(), "the damage was noticed, or not loaded"

# %%
# Restarts have one more trap, which is not in your program. The ranks find each other
# through a store, in which each leaves its address. ``torchrun`` opens one store and
# keeps it, so after a restart it `still has the addresses
# <https://github.com/pytorch/pytorch/issues/135712>`__ of the ranks that died. A new
# rank that reads one before it is replaced fails or waits in ``init_process_group``.
# The issue is closed, but with torch 2.13 it still happens now and then. If
# ``TORCH_DISABLE_SHARE_RDZV_TCP_STORE`` is 1, rank 0 opens a new store after each
# restart. So set this variable wherever you use ``--max-restarts``, as we do above.
#
# Four ranks save their rows, two load them
# -----------------------------------------
#
# After ``fully_shard`` no rank has the whole model. So all ranks call ``save`` of
# ``torch.distributed.checkpoint``, in short ``dcp``, and each writes its rows into a
# file of its own. ``dcp`` calls ``fsync`` by itself. Rank 0 writes ``.metadata`` last,
# so a new folder that has it is complete, and only then may you delete older folders.
# ``.metadata`` is a pickle and could run code, so load only what you trust.
#
# ``dcp.load`` fills tensors that are there already, so build the model as always first.
# Our ``snapshot`` takes its tensors from ``get_state_dict``, which names them by
# parameters, not by ranks. So two ranks find what four have saved.
#
# ``dcp.async_save`` copies the values into the memory of the CPU, and a thread writes
# them while training goes on. The thread has collectives too, so give it a Gloo group
# of its own. Otherwise they could meet those of the training. The manual still calls
# this function experimental.

# language=Python
(folder / "sharded.py").write_text("""\
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

from start import device, rank, world_size

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(20, 10), nn.ReLU(), nn.Linear(10, 10)).to(device)
mesh = init_device_mesh(device.type, (world_size,))
for module in model[0], model[2], model:
    fully_shard(module, mesh=mesh)
optimizer = torch.optim.Adam(model.parameters())
inputs, step = torch.randn(6, 20).to(device), 0


def snapshot():
    of_model, of_optimizer = get_state_dict(model, optimizer)
    return {"model": of_model, "optimizer": of_optimizer, "step": step}


if Path("step_3/.metadata").exists():
    state = snapshot()
    dcp.load(state, checkpoint_id="step_3")
    set_state_dict(model, optimizer, model_state_dict=state["model"],
                   optim_state_dict=state["optimizer"])
    step = state["step"]
    dcp.save(snapshot(), checkpoint_id="again")  # only to compare
else:
    group = dist.new_group(backend="gloo")
    for step in range(1, 7):
        optimizer.zero_grad()
        model(inputs).square().mean().backward()
        optimizer.step()
        if step == 3:
            dcp.save(snapshot(), checkpoint_id="step_3")
            saving = dcp.async_save(
                snapshot(), checkpoint_id="behind", process_group=group)
    saving.result()  # wait, at the latest before the next save
dist.destroy_process_group()
""", encoding="utf-8")

# %%
# Four ranks save step 3, once with each function. Two ranks load it and save it again.
# ``dcp_to_torch_save`` turns a folder into a file, which any program can load.
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.format_utils import dcp_to_torch_save

torchrun(4, "sharded.py")
torchrun(2, "sharded.py")
saved, files = {}, {}  # files: the first row of each
for name in "step_3", "behind", "again":
    dcp_to_torch_save(folder / name, folder / f"{name}.pt")
    state = torch.load(folder / f"{name}.pt")
    saved[name] = state["step"], state["model"], state["optimizer"]["state"]
    torch.testing.assert_close(saved[name], saved["step_3"], rtol=0, atol=0)
    parts = dcp.FileSystemReader(folder / name).read_metadata().storage_data.items()
    files[name] = {part.offset[0]: place.relative_path[:5]
                   for part, place in parts if part.fqn == "model.0.weight"}
assert [*files["step_3"]] == [0, 3, 6, 9], "four ranks have saved other rows"
assert [*files["again"]] == [0, 5], "two ranks have saved other rows"

# %%
# All three are equal to the bit. In the figure each box is a row of the first weight,
# with the file that has it, as ``.metadata`` says. Two ranks share the second file, and
# each reads only the rows that it needs.
#
# .. alt-text:: Ten boxes, three, three, three and one for each of four ranks, with the
#    names of four files. Below, the same boxes, five for each of two ranks.
import matplotlib.pyplot as plt

four, two = files["step_3"], files["again"]
fig, axes = plt.subplots(2, 1, sharex=True, figsize=(7, 3.4), height_ratios=(4, 2))
for ax, firsts, title in zip(axes, (four, two), ("four ranks save", "two ranks load")):
    for row in range(10):
        k, rank = (sum(first <= row for first in one) - 1 for one in (four, firsts))
        frame = {"fc": "none", "ec": f"C{k}", "lw": 1 + k, "pad": 3}
        ax.text(row, rank, [*four.values()][k], ha="center", va="center", bbox=frame)
    ax.set(title=title, yticks=range(len(firsts)), ylim=(len(firsts) - 0.4, -0.6))
    ax.spines[:].set_visible(False)
ax.set(xlabel="row", xticks=range(10), xlim=(-0.6, 9.6))
fig.supylabel("rank")
plt.show()

# %%
# How often should you save?
# --------------------------
#
# Saving costs time, and so does every failure: on average half of an interval is lost
# and has to be done again. Often saved, little is lost, and the other way round. `Young
# <https://doi.org/10.1145/361147.361115>`__ found in 1974 where the sum of both is
# least, if failures are rare compared with saving.


def best_interval(cost, between_failures):
    """Return the seconds from one save to the next."""
    return (2 * cost * between_failures) ** 0.5


def lost_share(interval, cost, between_failures):
    """Return the share of the time that saving and failures take."""
    return cost / interval + interval / 2 / between_failures


# %%
# Llama 3 was interrupted once in 2.8 hours. Let saving make the ranks wait for 60
# seconds, as a whole file on a slow disk may, or for 5 seconds, the copy of an
# asynchronous save.
between_failures = 54 * 24 * 3600 / 466
for cost in (60, 5):
    interval = best_interval(cost, between_failures)
    least = lost_share(interval, cost, between_failures)
    print(f"{cost:2} seconds: save every {interval / 60:.0f} minutes, lose {least:.1%}")
    for other in (interval / 2, interval * 2):
        assert least < lost_share(other, cost, between_failures), "not the least"

# %%
# Each failure also costs the time until the run trains again, which no interval
# changes. A single machine fails much more rarely. With a failure in a week and 60
# seconds for saving, the formula says every 2.4 hours, and then it's rather your
# patience that decides.
#
# Often you know before that the run has to end. Slurm sends a signal before the time of
# a job is over, and a cloud before it takes a machine away. Save then, at the end of
# the current step, and on all ranks at the same one:
# :doc:`/tutorials/start/training_program` does it.
#
# When to use which
# -----------------
#
# - ``torch.save``: one rank has the whole model, and the others wait for its file.
# - ``dcp.save``: the model is sharded. All ranks write at the same time, and wait.
# - ``dcp.async_save``: ranks wait only for a copy of their rows, which takes memory.
# - Pretrained weights are no checkpoint: they bring no optimizer and no step. Load them
#   only if there is no checkpoint yet, or every restart begins with them again.
#
# Try it
# ------
#
# Predict first, then run.
#
# - In ``save``, open the final name in place of ``unfinished``, and leave out
#   ``os.replace``. Print ``lines`` after the first run. What does the restart say, and
#   after which step does it go on?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      It says ``skipped step_00000006.pt: RuntimeError`` and goes on after step 3. The
#      page still passes, because ``newest_readable`` loads a file before it chooses it.
#      But any other program that takes the newest file, such as an evaluation, would
#      get the half one. ``os.replace`` protects these too.
#
# - On a CPU, leave out ``process_group=group``, and add
#   ``timeout=timedelta(seconds=20)`` to ``init_process_group`` in ``start.py``, with
#   ``from datetime import timedelta``. Run it several times. In which ways does it
#   fail?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      That differs from run to run. In some of ours a rank aborted with "Received data
#      size doesn't match expected size", in the others the ranks waited until the
#      timeout. The thread and the training share one group, so a rank can receive a
#      message that belongs to the other collective. A group without a CPU backend, such
#      as one with NCCL alone, is refused at once.
#
# - In your own script: copy the folder of its checkpoints, make the newest file of the
#   copy empty, and resume from the copy. Does the run go on from an older file, does it
#   stop, or does it begin again at step 0?
#
# What to remember
# ----------------
#
# - To resume, a run needs its optimizer, its schedule, its place in the data and its
#   random numbers, too. Without one of them there is no error, only other losses.
# - Write under another name, call ``fsync``, rename, and only then delete older files.
#   A fallback doesn't replace this, because ``torch.load`` loads changed numbers
#   without an error.
# - If the model is sharded, all ranks save with ``dcp``, and another number of ranks
#   can load it. An asynchronous save needs a group of its own.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/long_runs/several_nodes` keeps all ranks until rank 0 has saved.
# - PyTorch's recipe for `asynchronous saving
#   <https://docs.pytorch.org/tutorials/recipes/distributed_async_checkpoint_recipe.html>`__
#   makes the copy faster with pinned memory.
