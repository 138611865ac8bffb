"""
Checkpoints: go on as if nothing had happened
=============================================

:Card: A rank dies. The run goes on, equal to the bit.
:Learn: You will let a rank die while it saves, resume the training equal to the bit,
    and load on two ranks what four have saved.
:Prerequisites: :doc:`/tutorials/start/one_gpu_to_many`,
    :doc:`/tutorials/larger_models/fully_sharded`
:Picture: checkpoint
:Oldest torch: 2.9

Among many GPUs one fails often. `Llama 3 <https://arxiv.org/abs/2407.21783>`__ had 466
interruptions in 54 days of training. What is not in a file by then is lost.

The call is a single line: ``torch.save`` on rank 0 for a model that each rank has
whole, and ``dcp.save`` on all ranks for a sharded one. What makes it a checkpoint is
around that line: what goes into the file, what a crash may leave behind, who waits for
whom, and how often you save.

The first part is for DDP: one rank saves a whole model, and dies while it writes. The
second is for models that ``fully_shard`` has divided, and only that part needs
:doc:`/tutorials/larger_models/fully_sharded`. To copy a whole program, take
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
# Four things can go wrong. The comments (1) to (4) in the code say which of them a line
# is there for:
#
# 1. *The rank dies while it writes.* So it writes under another name, and renames the
#    file when it is complete. ``os.replace`` does this in one step, so a rank that dies
#    leaves no half file under a final name.
# 2. *The machine crashes.* The system keeps in memory what a program has written, and
#    brings it to the disk later, sometimes the new name before the contents. A crash in
#    between leaves a file that looks complete and is empty. So ``os.fsync`` waits until
#    the contents are on the disk, and only then does the file get its name. The folder,
#    which holds the name, needs `another fsync
#    <https://man7.org/linux/man-pages/man2/fsync.2.html>`__. (Windows doesn't allow
#    that. Leave these three lines out there.)
# 3. *The newest file cannot be read*, because a disk has failed, for example. So rank 0
#    keeps one older file, takes the newest that it can read, and says which it skipped.
#    If it can read none of them, it stops: a run that silently begins again at step 0
#    would be worse.
# 4. *The disk gets full.* So rank 0 deletes files. It does this last, when the new file
#    is safe, and only with older ones. With Adam a file has three numbers for each
#    parameter, in float32 12 bytes: 84 GB for 7 billion. Two files stay, and while the
#    next is written there are three. The file of the best model gets a name of another
#    form, such as ``best.pt``, and so is never deleted.
#
# To load, every rank needs the same file, so rank 0 tells the others which one it is.
# Several machines need a folder that they share. Three arguments of ``torch.load``:
#
# - ``map_location="cpu"``: otherwise tensors return to the GPU that they came from, and
#   all ranks fill the GPU of rank 0.
# - ``weights_only=True``, the default: otherwise a file could run code.
# - ``mmap=True``: the ranks of a machine share one copy of the file in its memory.
#   Otherwise each has its own.
#
# Pretrained weights are no checkpoint: they bring no optimizer and no step. Load them
# only if there is no checkpoint yet, or every restart begins with them again.

# language=Python
(folder / "train.py").write_text("""\
import os
import time
from itertools import islice
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def files():
    return sorted(Path().glob("step_*.pt"))  # eight digits, so in the order of steps


def newest_readable():
    for file in reversed(files()):
        try:  # (3)
            torch.load(file, map_location="cpu", weights_only=True)
            return file
        except Exception as error:  # damage has many kinds of errors
            print(f"skipped {file}: {type(error).__name__}", flush=True)
    if files():  # (3)
        raise RuntimeError("none of the checkpoints can be read")
    return None  # there is none yet


def save(step, parts):
    state = {name: part.state_dict() for name, part in parts.items()}
    with open("unfinished", "wb") as file:  # (1)
        torch.save(state | {"step": step}, file)
        file.flush()
        os.fsync(file.fileno())  # (2) the contents are on the disk
    new = Path(f"step_{step:08}.pt")
    os.replace("unfinished", new)  # (1)
    folder = os.open(".", os.O_RDONLY)
    os.fsync(folder)  # (2) the name is on the disk
    os.close(folder)
    older = [file for file in files() if file < new]
    for file in older[:-1]:  # (4) one stays, for (3)
        file.unlink()


def main():
    from start import device, rank, world_size  # joins the group

    torch.manual_seed(0)
    data = TensorDataset(torch.randn(80, 20), torch.randint(2, (80,)))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=16 // world_size, sampler=sampler)
    model = nn.Sequential(
        nn.Linear(20, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 2)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), 0.02)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)
    parts = {"model": model, "optimizer": optimizer, "schedule": schedule}

    found = [newest_readable() if rank == 0 else None]
    dist.broadcast_object_list(found)
    newest, step = found[0], 0
    if newest:
        state = torch.load(newest, map_location="cpu", weights_only=True, mmap=True)
        for name, part in parts.items():
            part.load_state_dict(state[name])
        step = state["step"]
        del state  # it has done its work, so free its memory

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
                save(step, parts)
    dist.barrier()  # no rank leaves before the last file is complete
    time.sleep(0.1)  # a thread of Gloo may still be busy, see "When it hangs"
    dist.destroy_process_group()


if __name__ == "__main__":  # a worker imports this file and stops here
    main()
""", encoding="utf-8")

# %%
# A run needs more than its model. Without one of these it goes on, with other losses:
#
# - *The optimizer*: otherwise the means of Adam begin at zero again.
# - *The schedule*: otherwise it begins again with its first step.
# - *The data*: the epoch gives the order of the batches, and the step how many of them
#   ``islice`` skips. It loads the skipped batches only to drop them, and
#   :doc:`/tutorials/start/feeding_data` skips them without loading.
# - *The random numbers of the model*: dropout draws them. We seed each step by its
#   number and rank, so there is nothing to save. (Otherwise all ranks have to send
#   theirs to rank 0: :doc:`/tutorials/start/training_program` does it.)
#
# Whatever else you have goes in as well. An averaged copy of the weights (EMA), or the
# ``GradScaler`` of float16, is one more entry of ``parts``. The best metric so far is
# one more number beside ``step``.
#
# Another number of GPUs can load this file, too. As long as the number divides 16, the
# batches stay the same, and only dropout draws other numbers.
#
# .. admonition:: If workers draw random numbers, for augmentation
#    :collapsible: closed
#
#    After a restart a sample gets another random crop, for example. For most runs that
#    does no harm, so skip without loading and keep ``persistent_workers``. For the same
#    crops, give the loader a ``generator``, and seed it in each epoch by the epoch
#    and the rank, because the loader draws `the seeds of its workers
#    <https://docs.pytorch.org/docs/stable/notes/randomness.html#dataloader>`__ from it.
#    Then the workers have to load what is skipped, and ``persistent_workers`` is off,
#    because such workers get no new seeds.
#
# A rank dies while it saves
# --------------------------
#
# For this, a copy of the program gets three more lines: in its first try, rank 0 dies
# at step 6 in the middle of the file. So ``torchrun`` ends the other rank, and because
# of ``--max-restarts=1`` it starts both again.
program = (folder / "train.py").read_text(encoding="utf-8")
line = '        torch.save(state | {"step": step}, file)\n'
accident = """\
        if step == 6 and os.environ["TORCHELASTIC_RESTART_COUNT"] == "0":
            file.truncate(1000)  # the rest is missing
            os._exit(1)
"""
assert program.count(line) == 1, "save has changed"
program = program.replace(line, line + accident)
(folder / "dies.py").write_text(program, encoding="utf-8")

# %%
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


lines = torchrun(2, "dies.py", "--max-restarts=1")
device = next(line for line in lines if line.startswith("device"))
first, second = losses(lines)[:6], losses(lines)[6:]
print(device)
show(first)
show(second)
assert [step for step, _ in first] == [1, 2, 3, 4, 5, 6], "it died at another step"
assert [step for step, _ in second] == [4, 5, 6, 7, 8, 9, 10], "not from step 3"
rtol = 0 if device.startswith("device: cpu") else 1e-4
torch.testing.assert_close(dict(second[:3]), dict(first[3:]), rtol=rtol, atol=0)

# %%
# The half file was ignored, so the second try began after step 3, in the middle of an
# epoch. Steps 4 to 6 were done twice: once in a run without a break, once after the
# restart. On a CPU their losses are equal to the bit. On a GPU some operations add in
# another order each time. For equal bits choose
# ``torch.use_deterministic_algorithms(True)`` there, which is slower.
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
# Wherever you use ``--max-restarts``, set ``TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1``, as
# we do above. Otherwise ``torchrun`` keeps the store with the `addresses of the ranks
# that died <https://github.com/pytorch/pytorch/issues/135712>`__, and with torch 2.13 a
# restarted rank that reads one still fails or waits in ``init_process_group`` now and
# then. With the variable, rank 0 opens a new store after each restart.
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
# parameters, not by ranks. So two ranks find what four have saved. Before its first
# step Adam has no means yet, so there ``get_state_dict`` makes them.
#
# The program shows the calls and no more: its folders have fixed names, and it deletes
# none. :doc:`/tutorials/larger_models/real_run` looks for the newest complete folder
# and deletes the older ones.
#
# ``dcp.async_save`` copies the values into the memory of the CPU, and a thread writes
# them while training goes on. The thread has collectives too, so give it a Gloo group
# of its own. Otherwise they could meet those of the training. Call ``result`` before
# the next save and at the end: it waits until the folder is complete, and raises the
# error if a save has failed. The manual still calls ``async_save`` experimental.

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
    saving = None
    for step in range(1, 7):
        optimizer.zero_grad()
        model(inputs).square().mean().backward()
        optimizer.step()
        if step == 3:
            dcp.save(snapshot(), checkpoint_id="step_3")
        if step % 3 == 0:
            if saving is not None:
                saving.result()  # wait for the last save
            saving = dcp.async_save(
                snapshot(), checkpoint_id=f"async_{step}", process_group=group)
    saving.result()
dist.destroy_process_group()
""", encoding="utf-8")

# %%
# Four ranks save step 3, once with each function. Two ranks load it and save it again.
# ``dcp_to_torch_save`` turns a folder into a file, which any program can load.
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.format_utils import dcp_to_torch_save

torchrun(4, "sharded.py")
torchrun(2, "sharded.py")
saved = {}
for name in "step_3", "async_3", "again":
    dcp_to_torch_save(folder / name, folder / f"{name}.pt")
    state = torch.load(folder / f"{name}.pt")
    saved[name] = state["step"], state["model"], state["optimizer"]["state"]
    torch.testing.assert_close(saved[name], saved["step_3"], rtol=0, atol=0)
    weight = state["model"]["0.weight"]  # (10, 20)
    print(f"{name}, step {state['step']}, {weight.abs().sum():.6f}")
    print(*sorted(file.name for file in (folder / name).iterdir()))

# %%
# All three are equal to the bit, in every tensor. The folder that two ranks have saved
# has fewer files. In the figure each box is a row of the first weight, with the file
# that has it, as ``.metadata`` says. Two ranks share the second file, and each reads
# only the rows that it needs.
#
# .. alt-text:: Ten boxes, three, three, three and one for each of four ranks, with the
#    names of four files. Below, the same boxes, five for each of two ranks.
import matplotlib.pyplot as plt


def first_rows(name):
    """Return the first row of the first weight in each file."""
    parts = dcp.FileSystemReader(folder / name).read_metadata().storage_data
    return {place.relative_path: part.offset[0] for part, place in parts.items()
            if part.fqn == "model.0.weight"}


files = first_rows("step_3")
assert list(files.values()) == [0, 3, 6, 9], "four ranks have saved other rows"
assert list(first_rows("again").values()) == [0, 5], "two ranks have saved other rows"
names = [name.removesuffix(".distcp") for name in files]

fig, axes = plt.subplots(2, 1, sharex=True, figsize=(7, 3.4), height_ratios=(4, 2))
for ax, n_ranks, share in (axes[0], 4, 3), (axes[1], 2, 5):  # share: rows of a rank
    for row in range(10):
        writer = row // 3
        frame = {"fc": "none", "ec": f"C{writer}", "lw": 1 + writer, "pad": 3}
        ax.text(row, row // share, names[writer],
                ha="center", va="center", bbox=frame)
    ax.set(yticks=range(n_ranks), ylim=(n_ranks - 0.4, -0.6))
    ax.spines[:].set_visible(False)
axes[0].set_title("four ranks save")
axes[1].set_title("two ranks load")
ax.set(xlabel="row", xticks=range(10), xlim=(-0.6, 9.6))
fig.supylabel("rank")
plt.show()

# %%
# How often should you save?
# --------------------------
#
# Saving costs time, and so does every failure: on average half of an interval is lost
# and has to be done again. With longer intervals the first term of ``lost_share``
# falls and the second grows. Their sum is least at ``best_interval``, which `Young
# <https://doi.org/10.1145/361147.361115>`__ found in 1974. It holds if the time between
# failures is much longer than a save. And an asynchronous save has to be complete
# before the next begins.


def lost_share(interval, cost, between_failures):
    """Return the share of the time that saving and failures take."""
    return cost / interval + interval / (2 * between_failures)


def best_interval(cost, between_failures):
    """Return the seconds from one save to the next."""
    return (2 * cost * between_failures) ** 0.5


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
# A single machine fails much more rarely. With a failure in a week and 60 seconds for
# saving, the formula says every 2.4 hours, and then it's rather your patience that
# decides.
#
# Often you know before that the run has to end. Slurm sends a signal before the time of
# a job is over, and a cloud before it takes a machine away. Save then, at the end of
# the current step, and on all ranks at the same one:
# :doc:`/tutorials/start/training_program` does it.
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
# - PyTorch's recipe for `asynchronous saving
#   <https://docs.pytorch.org/tutorials/recipes/distributed_async_checkpoint_recipe.html>`__
#   makes the copy faster with pinned memory.
