"""
Checkpoints: go on as if nothing had happened
=============================================

:Card: A rank dies. The run goes on, equal to the bit.
:Learn: You will let a rank die while it saves, resume the training equal to the bit,
    and load on two ranks what four have saved.
:Know first: :doc:`/tutorials/ddp/one_gpu_to_many`,
    :doc:`/tutorials/larger_models/fully_sharded`
:Picture: checkpoint

Among many GPUs one fails often. `Llama 3 <https://arxiv.org/abs/2407.21783>`__ had 466
interruptions in 54 days of training. What is not in a file by then is lost.

First one rank saves a whole model, and dies while it writes. Then four ranks save a
sharded model, each its own rows, and two ranks load it.
"""

# %%
# One rank saves, all ranks load
# ------------------------------
#
# Both programs of this page import ``start.py``. Its lines are explained in
# :doc:`/tutorials/ranks/hello_ranks`. In real training leave ``timeout`` out.
import tempfile
from pathlib import Path

temporary = tempfile.TemporaryDirectory()
folder = Path(temporary.name)

# %%

# language=Python
(folder / "start.py").write_text("""\
import os
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.distributed.nn  # imported later, it would hold the group

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
backend = dist.get_default_backend_for_device(device)
dist.init_process_group(backend, timeout=timedelta(seconds=60))
""", encoding="utf-8")

# %%
# With DDP all ranks have the same model and optimizer, so rank 0 alone saves them. It
# needs no barrier, because the others wait for it in the next step.
#
# - Rank 0 writes under another name, and renames the file when it is complete. So no
#   final name has half a file. Older files stay, in case the newest is bad.
# - To load, rank 0 tells the others which file is the newest, so that all take the
#   same. Several machines need a folder that they share.
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
found = [max(Path().glob("step_*.pt"), key=lambda f: int(f.stem[5:]), default=None)]
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
            state = {name: part.state_dict() for name, part in parts.items()}
            torch.save(state | {"step": step}, "unfinished")
            if step == 6 and not newest:  # we let the first try die here
                os.truncate("unfinished", 1000)  # the rest is missing
                os._exit(1)
            os.replace("unfinished", f"step_{step:04}.pt")
del ddp_model
dist.destroy_process_group()
""", encoding="utf-8")

# %%
# A run needs more than its model. Without one of these it goes on, with other losses:
#
# - *The optimizer*: otherwise the means of Adam begin at zero again.
# - *The schedule*: otherwise it begins again with its first step.
# - *The data*: the epoch gives the order of the batches, and the step how many of them
#   ``islice`` skips. In :doc:`/tutorials/ddp/feeding_data` they are not even loaded.
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

def torchrun(n_ranks, program, *options):
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone",
         f"--nproc-per-node={n_ranks}", "--log-dir=logs", *options, program],
        env=os.environ | {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"},
        cwd=folder, timeout=600, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()

lines = torchrun(2, "train.py", "--max-restarts=1")
print(next(line for line in lines if line.startswith("device")))
log = [line.split()[1::2] for line in lines if line.startswith("step")]
for tried in log[:6], log[6:]:
    print(*(f"{step}: {float(loss):.3f}" for step, loss in tried), sep=", ")
assert [int(step) for step, _ in log] == [*range(1, 7), *range(4, 11)]
assert log[3:6] == log[6:9] and len({loss for _, loss in log}) == 10

# %%
# The half file was ignored, so the second try began after step 3, in the middle of an
# epoch. Steps 4 to 6 were done twice, without a break and after one. Their losses are
# equal to the bit; on GPUs this may need ``torch.use_deterministic_algorithms(True)``.
#
# ``TORCH_DISABLE_SHARE_RDZV_TCP_STORE`` lets the new ranks meet in a new store, because
# that of ``torchrun`` `still has addresses
# <https://github.com/pytorch/pytorch/issues/135712>`__ of the dead ones.
#
# Four ranks save their rows, two load them
# -----------------------------------------
#
# After ``fully_shard`` no rank has the whole model. So all ranks call ``save`` of
# ``torch.distributed.checkpoint``, in short ``dcp``, and each writes its rows into a
# file. Rank 0 writes ``.metadata`` last, so a new folder that has it is complete. It is
# a pickle and could run code, so load only what you trust.
#
# ``dcp.load`` fills tensors that are there already, so build the model as always first.
# Our ``snapshot`` takes its tensors from ``get_state_dict``, which names them by
# parameters, not by ranks. So two ranks find what four have saved.
#
# ``dcp.async_save`` copies the values into the memory of the CPU, and a thread writes
# them while training goes on. The thread has collectives too, so give it a Gloo group
# of its own. Otherwise they could meet those of the training.

# language=Python
(folder / "sharded.py").write_text("""\
import gc
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
del model, module, optimizer
gc.collect()  # otherwise they would hold the group
dist.destroy_process_group()
""", encoding="utf-8")

# %%
# Four ranks save step 3, once with each function. Two ranks load it and save it again.
# ``dcp_to_torch_save`` turns a folder into a file, which any program can load.
import torch
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
assert [*files["step_3"]] == [0, 3, 6, 9] and [*files["again"]] == [0, 5]

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
# When to use which
# -----------------
#
# - ``torch.save``: one rank has the whole model, and the others wait for its file.
# - ``dcp.save``: the model is sharded. All ranks write at the same time, and wait.
# - ``dcp.async_save``: ranks wait only for a copy of their rows, which takes memory.
#
# Try it
# ------
#
# - Write to ``step_0006.pt`` in place of ``unfinished``. How does the restart end?
# - Leave out ``process_group=group``, several times. In which ways does the run fail?
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/long_runs/several_nodes` keeps all ranks until the last has saved.
# - PyTorch's recipe for `asynchronous saving
#   <https://docs.pytorch.org/tutorials/recipes/distributed_async_checkpoint_recipe.html>`__
#   makes the copy faster with pinned memory.
