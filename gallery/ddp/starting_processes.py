"""
Starting processes: what each way gives
=======================================

:Card: torchrun, spawn and a pool: who sets what.
:Learn: You will start the same training in two ways, compare the results, and see what
    breaks in a notebook.
:Know first: :doc:`/tutorials/ranks/hello_ranks`,
    :doc:`/tutorials/ddp/distributed_data_parallel`
:Picture: launch

Before several ranks can train one model, something has to start them. ``torchrun`` and
``torch.multiprocessing.spawn`` do it in different ways. Python's ``Pool`` also starts
processes, but for other work.

We start the same training in two ways and compare the results. Then we run a program
without a file, as a notebook does, and see what breaks.
"""

# %%
# Programs need a file
# --------------------
#
# All ways on this page start programs from files. So we write small programs into a
# temporary folder and run each of them there, for two minutes at most. This works in a
# notebook too.
import os
import subprocess
import sys
import tempfile
from pathlib import Path

temporary = tempfile.TemporaryDirectory()
folder = Path(temporary.name)

# The processes share the cores, so each of them gets one thread. NCCL must not print
# its messages between ours.
environment = os.environ | {"OMP_NUM_THREADS": "1"}
environment.pop("NCCL_DEBUG", None)

def run(*command):
    return subprocess.run(
        [sys.executable, *command], cwd=folder, timeout=120, env=environment,
        capture_output=True, text=True)


# %%
# Pool: tasks for whoever is free
# -------------------------------
#
# We begin without PyTorch: a ``Pool`` of five processes applies ``f`` to three numbers.
# Whichever process is free takes the next task, and the results come back in order.

# language=Python
(folder / "pool.py").write_text("""\
from multiprocessing import Pool


def f(x):
    return x * x


if __name__ == "__main__":
    with Pool(5) as p:
        print(p.map(f, [1, 2, 3]))
""", encoding="utf-8")

# %%
squares = run("pool.py")
print(squares.stdout, end="")
assert squares.stdout == "[1, 4, 9]\n", squares.stderr

# %%
# A pool is right for independent tasks, such as preparing many files: its processes
# have no ranks and never talk to each other. In training, all ranks must run at the
# same time, because each of them waits for the gradients of the others.
#
# One training for spawn and torchrun
# -----------------------------------
#
# The training itself does not depend on how it was started. It takes the device of its
# rank and joins the group, as in :doc:`/tutorials/ranks/hello_ranks`.
#
# The loader takes a share of 2048 samples, as in
# :doc:`/tutorials/ddp/distributed_data_parallel`. The label of a sample is the mean of
# its ten features.
#
# Before each epoch, ``set_epoch`` makes a new order. At the end rank 0 prints what each
# rank was given and the loss, and all ranks leave the group.

# language=Python
(folder / "training.py").write_text("""\
import os
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.distributed.nn  # imported later, it would hold the group
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def train(batch_size, num_worker):
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

    torch.manual_seed(0)
    features = torch.randn(2048, 10)  # (samples, features)
    train_data = TensorDataset(features, features.mean(dim=1, keepdim=True))
    train_sampler = DistributedSampler(train_data)
    trainloader = DataLoader(train_data, batch_size, sampler=train_sampler,
                             num_workers=num_worker, pin_memory=gpu_per_rank)
    model = torch.nn.parallel.DistributedDataParallel(
        torch.nn.Linear(10, 1).to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    losses = []
    for epoch in range(2):
        train_sampler.set_epoch(epoch)
        for inputs, labels in trainloader:
            loss = (model(inputs.to(device)) - labels.to(device)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    if rank == 0:
        print(f"for each rank: batch {batch_size}, workers {num_worker}")
        print(f"loss: {losses[0]:.2f} -> {losses[-1]:.2f}")
    assert losses[-1] < losses[0]
    del model
    dist.destroy_process_group()
""", encoding="utf-8")

# %%
# spawn: a function in several processes
# --------------------------------------
#
# ``main`` counts the GPUs and starts ``main_worker`` once for each. Without a GPU it
# starts two processes on the CPU, and on a Mac one. ``main`` also opens the store where
# the ranks meet. Port 0 means any free port, so two programs on one machine do not meet
# by mistake.
#
# Each process receives its number, here ``gpu``, and then ``args``, and sets the
# variables that ``torchrun`` would have set. The last one, which is internal to
# PyTorch, says that the store is there already, so rank 0 does not open another. The
# whole batch of 512 samples and the 8 loading processes are divided by the world size,
# and ``int`` rounds down: with six GPUs each rank has 85 samples, 510 in all.

# language=Python
(folder / "spawned.py").write_text("""\
import os

import torch
import torch.distributed as dist

from training import train


def main():
    n_gpus = torch.accelerator.device_count() or 2
    store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    torch.multiprocessing.spawn(main_worker, nprocs=n_gpus, args=(n_gpus, store.port))


def main_worker(gpu, n_gpus, port):
    os.environ.update(
        RANK=str(gpu), WORLD_SIZE=str(n_gpus),
        LOCAL_RANK=str(gpu), LOCAL_WORLD_SIZE=str(n_gpus),
        MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port),
        TORCHELASTIC_USE_AGENT_STORE="True")

    assert torch.multiprocessing.get_start_method() == "spawn"
    torch.multiprocessing.set_start_method(None, force=True)

    train(batch_size=int(512 / n_gpus), num_worker=int(8 / n_gpus))


if __name__ == "__main__":
    main()
""", encoding="utf-8")

# %%
# A spawned process would also spawn its loading processes, and each of them would
# import PyTorch again. So ``main_worker`` sets the start method to ``None``, which
# brings back the usual one of the system.
#
# The last lines of the file call ``main`` in the first process only. Every spawned
# process imports the file under another name, so there the condition is false. Without
# the condition, each process would try to start more processes.
import torch

by_spawn = run("spawned.py")
print(by_spawn.stdout, end="")
world_size = torch.accelerator.device_count() or 2
share = f"batch {512 // world_size}, workers {8 // world_size}"
assert share in by_spawn.stdout, by_spawn.stderr

# %%
# torchrun: a whole file in several processes
# -------------------------------------------
#
# With ``torchrun`` the program needs no ``main_worker``, no store and no arguments.
# Every process runs the whole file and finds its number in the environment. The
# condition stays: on Windows and macOS the loading processes are spawned, so they
# import this file too.

# language=Python
(folder / "with_torchrun.py").write_text("""\
import os

from training import train

if __name__ == "__main__":
    if "WORLD_SIZE" not in os.environ:
        raise SystemExit(
            "Start with: torchrun --standalone --nproc-per-node=2 with_torchrun.py")
    world_size = int(os.environ["WORLD_SIZE"])
    train(batch_size=int(512 / world_size), num_worker=int(8 / world_size))
""", encoding="utf-8")

# %%
# ``torchrun`` is a command for the module ``torch.distributed.run``. With
# ``--standalone`` it takes a free port too. Both ways print the same lines, because the
# training reads only the environment. One difference is hidden by our ``run``:
# ``torchrun`` gives each rank one thread, and ``spawn`` does not.
by_torchrun = run(
    "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={world_size}",
    # Otherwise its folder for logs would stay behind elsewhere.
    "--log-dir=logs", "with_torchrun.py")

print("same output:", by_torchrun.stdout == by_spawn.stdout)
assert by_torchrun.returncode == 0, by_torchrun.stderr
assert by_torchrun.stdout == by_spawn.stdout

# %%
# The figure shows what each way hands to its processes. Only a ``Pool`` gets results
# back.
#
# .. alt-text:: Three starters with arrows to their processes. Pool sends tasks and gets
#    results back, spawn sends a function and a number, torchrun a file and its
#    variables.
import matplotlib.pyplot as plt

tasks = [f"f({x})" for x in (1, 2, 3)]
calls = [f"main_worker({rank},…)" for rank in range(world_size)]
variables = [f"RANK={rank}" for rank in range(world_size)]
ways = [("Pool", "task and result", tasks, "<->"),
        ("spawn", "function and number", calls, "<-"),
        ("torchrun", "file and variables", variables, "<-")]

fig, axes = plt.subplots(1, 3, figsize=(7, 3))
for ax, (starter, given, processes, style) in zip(axes, ways):
    middle = (len(processes) - 1) / 2
    ax.text(0.26, middle, starter, ha="right", va="center")
    arrow = {"arrowstyle": style, "color": "C0", "relpos": (0, 0.5)}
    for y, process in enumerate(processes):
        ax.annotate(process, (0.28, middle), (0.48, y), va="center", arrowprops=arrow)
    ax.set_title(given, fontsize="medium")
    ax.set(xlim=(0, 1), ylim=(len(processes) - 0.5, -0.5))
    ax.axis("off")
plt.show()

# %%
# A notebook has no Python file
# -----------------------------
#
# In a notebook you type functions into cells, and no file holds them. Python's option
# ``-c`` also runs a program without a file, so we give it the text of ``spawned.py``,
# unchanged.
without_file = run("-c", (folder / "spawned.py").read_text(encoding="utf-8"))

errors = without_file.stderr.splitlines()
lost = next(line for line in errors if line.startswith("AttributeError"))
print(lost.partition(" on ")[0])
assert "Can't get attribute 'main_worker'" in lost
assert without_file.returncode != 0

# %%
# The function is lost because Python sends it to the other process as two names, that
# of its module and its own, without the code. The module of a cell is called
# ``__main__``, and the ``__main__`` of the new process is empty.
import pickle


def f(x):
    return x * x


sent = pickle.dumps(f)
print("names:", b"__main__" in sent, " code:", f.__code__.co_code in sent)
assert b"__main__" in sent and f.__code__.co_code not in sent

# %%
# So write the function into a file and import it. Then its module has a name that the
# new process can import as well.
imported = run("-c", "import spawned; spawned.main()")
print("same output:", imported.stdout == by_spawn.stdout)
assert imported.stdout == by_spawn.stdout, imported.stderr

# %%
# .. note::
#
#    By default, Windows and macOS spawn the processes of a ``Pool``, so ``map`` waits
#    forever if its function comes from a cell. Up to Python 3.13, Linux copies the
#    whole process instead, so the function is found, but such a copy `cannot use CUDA
#    <https://docs.pytorch.org/docs/stable/notes/multiprocessing.html>`__ if the
#    original did before.
#
# Three traps of older programs
# -----------------------------
#
# *No GPU, no training.* Many programs pass ``torch.cuda.device_count()`` as ``nprocs``.
# Without a GPU it is 0, so ``spawn`` starts nothing and reports no error, even for
# ``None`` in place of a function.
context = torch.multiprocessing.spawn(None, nprocs=0, join=False)
print("processes:", context.pids())
assert context.pids() == [] and context.join()

# %%
# *A fixed port.* With an address such as ``tcp://127.0.0.1:2568``, a second program on
# the same machine finds the port taken.
import torch.distributed as dist

first = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
try:
    dist.TCPStore("127.0.0.1", first.port, is_master=True, wait_for_workers=False)
except dist.DistNetworkError as error:
    refusal = type(error).__name__
del first

print(refusal)
assert refusal == "DistNetworkError"

# %%
# *Curly quotes.* Many web pages turn straight quotes into typographic ones, which
# Python refuses, so type them again after copying. The last character of the string
# below is such a quote.
try:
    compile("init_method='tcp://127.0.0.1:2568\u2019", "copied.py", "exec")
except SyntaxError as error:
    refusal = type(error).__name__

print(refusal)
assert refusal == "SyntaxError"

# %%
# Which one when
# --------------
#
# .. list-table::
#    :header-rows: 1
#
#    * - Way
#      - Use it for
#      - In a notebook
#    * - ``torchrun``
#      - Training, on one machine or on many
#      - Write a file and start it
#    * - ``spawn``
#      - Ranks on one machine that a program starts itself, for example a test
#      - Import the function from a file
#    * - ``Pool``
#      - Independent tasks without ranks
#      - Import the function from a file
#
# If you are not sure, take ``torchrun``.
#
# Try it
# ------
#
# - Replace ``nprocs=n_gpus`` by ``nprocs=1`` and keep the arguments. For whom does rank
#   0 wait, and for how long?
# - Leave out the last two lines of ``spawned.py``. What does the program print, and
#   with which exit status does it end?
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/ddp/when_it_hangs` finds the rank that does not come.
# - :doc:`/tutorials/ranks/hello_ranks` explains the variables of ``torchrun``.
# - :doc:`/tutorials/ddp/distributed_data_parallel` explains the training of this page.
# - The manual of `torch.multiprocessing
#   <https://docs.pytorch.org/docs/stable/multiprocessing.html>`__ describes ``spawn``.
