"""
Starting processes: torchrun, srun, mpirun, spawn
=================================================

:Card: Who numbers the ranks, who ends them, and who says why?
:Learn: You will start one training in several ways, tell each rank its number, find the
    traceback of the rank that failed, and start ranks from a notebook.
:Prerequisites: :doc:`/tutorials/start/distributed_data_parallel`
:Picture: launch
:Oldest torch: 2.9

The ranks of a training are processes, and something has to start them. It also decides
how a rank learns its number, where its output goes, and who ends the other ranks when
one of them fails. If you may choose, take ``torchrun``, which answers all three:

.. code-block:: bash

   torchrun --standalone --nproc-per-node=gpu train.py

But you can't always choose. A cluster offers ``srun`` or ``mpirun``, a test starts its
ranks from a program of its own, and in a notebook there is no file to start.

.. list-table:: Which one when
   :header-rows: 1

   * - Way
     - Use it for
     - In a notebook
   * - ``torchrun``
     - Training, on one machine or on many
     - Write a file and start it
   * - ``srun``, ``mpirun``
     - Clusters: to start one ``torchrun`` on each machine, or the ranks themselves
     - Not from there
   * - ``spawn``
     - Ranks on one machine that a program starts itself, for example a test
     - Import the function from a file

We start the same training with ``torchrun`` and with ``spawn``, and give a program the
variables that ``srun`` and ``mpirun`` set. Then a rank fails, and we look for its
traceback. At the end a function without a file fails, as in a notebook.
"""

# %%
# Programs need a file
# --------------------
#
# All ways on this page start programs from files. So we write small programs into a
# temporary folder and run each of them there. This works in a notebook too.
import os
import subprocess
import sys
import tempfile
from pathlib import Path

if "RANK" in os.environ:
    if os.environ["RANK"] == "0":
        print("It starts the ranks itself. Start with: python starting_processes.py")
    raise SystemExit

temporary = tempfile.TemporaryDirectory()
folder = Path(temporary.name)

# The processes share the cores, so each of them gets one thread. NCCL must not print
# its messages between ours, and Python must not color its errors.
environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHON_COLORS": "0"}
environment.pop("NCCL_DEBUG", None)


def without_words_of_gloo(text):
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("[Gloo]"))


def run(*command, **variables):
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, timeout=300,
        env=environment | variables, capture_output=True, text=True)
    done.stdout = without_words_of_gloo(done.stdout)
    return done


# %%
# One training, however it is started
# -----------------------------------
#
# The training itself should not know who started it. ``train`` is given the device of
# its rank, and expects that the rank has joined the group. The loader takes a share of
# 2048 samples, whose labels are the means of their ten features, and at the end rank 0
# prints what each rank was given, and the loss.
#
# The workers of the loader are processes too. They start by ``forkserver``, because a
# fork of the rank may hang (:doc:`/tutorials/start/distributed_data_parallel`). That
# has a price: the data set is pickled and sent to each worker. It can't hold a lambda,
# and a Python list in it is copied, 64 times for 8 ranks of 8 workers each. So keep
# large data in files, and only their names in the data set.

# language=Python
(folder / "training.py").write_text("""\
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

torch.multiprocessing.set_forkserver_preload(["torch"])


def train(device, batch_size, num_worker):
    torch.manual_seed(0)
    features = torch.randn(2048, 10)  # (samples, features)
    train_data = TensorDataset(features, features.mean(dim=1, keepdim=True))
    train_sampler = DistributedSampler(train_data)
    trainloader = DataLoader(
        train_data, batch_size, sampler=train_sampler, num_workers=num_worker,
        multiprocessing_context="forkserver", persistent_workers=True,
        pin_memory=device.type != "cpu")
    model = torch.nn.parallel.DistributedDataParallel(
        torch.nn.Linear(10, 1).to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    losses = []
    for epoch in range(2):
        train_sampler.set_epoch(epoch)
        for inputs, labels in trainloader:
            inputs = inputs.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True)
            loss = (model(inputs) - labels).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
    first, last = losses[0].item(), losses[-1].item()
    if dist.get_rank() == 0:
        print(f"for each rank: batch {batch_size}, workers {num_worker}")
        print(f"loss: {first:.2f} -> {last:.2f}")
    assert last < first
""", encoding="utf-8")

# %%
# torchrun: a whole file in several processes
# -------------------------------------------
#
# With ``torchrun`` every process runs the whole file and finds its number in the
# environment, so the program needs no arguments. Its first lines are those of
# :doc:`/tutorials/start/hello_ranks`. The global batch of 512 samples and the 8 workers
# are divided by the world size, and ``int`` rounds down: with six GPUs each rank has 85
# samples, 510 in all.
#
# The condition at the end is there for the workers. Python lets every worker import the
# file that was started, under another name, to find what the worker is given. Without
# the condition, each worker would start the training again.

# language=Python
(folder / "with_torchrun.py").write_text("""\
import os

import torch
import torch.distributed as dist

from training import train


def main():
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

    train(device, batch_size=int(512 / world_size),
          num_worker=max(1, int(8 / world_size)))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
""", encoding="utf-8")

# %%
# ``torchrun`` is a command for the module ``torch.distributed.run``, and with
# ``--standalone`` it takes a free port. We start one rank for each GPU, and two on a
# machine without any. Older scripts start the module ``torch.distributed.launch``. It
# also passes the argument ``--local-rank``, unless it is given ``--use-env``.
import torch

world_size = torch.accelerator.device_count() or 2
by_torchrun = run(
    "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={world_size}",
    # Otherwise its folder for logs would stay behind elsewhere.
    "--log-dir=logs", "with_torchrun.py")

print(by_torchrun.stdout, end="")
share = f"batch {512 // world_size}, workers {max(1, 8 // world_size)}"
assert share in by_torchrun.stdout, by_torchrun.stderr
assert by_torchrun.returncode == 0, by_torchrun.stderr

# %%
# srun and mpirun: other names for the same numbers
# -------------------------------------------------
#
# ``srun`` of Slurm and ``mpirun`` start all ranks of all machines at once. They number
# them too, but in variables of their own. A program that reads only ``RANK`` finds
# nothing there, and each rank takes itself for a run of one. Nothing fails: all of them
# train the same model, and write the same files.
#
# .. list-table::
#    :header-rows: 1
#
#    * - What a rank must know
#      - ``torchrun``
#      - ``srun``
#      - ``mpirun`` of Open MPI
#    * - Its number among all
#      - ``RANK``
#      - ``SLURM_PROCID``
#      - ``OMPI_COMM_WORLD_RANK``
#    * - Its number on this machine
#      - ``LOCAL_RANK``
#      - ``SLURM_LOCALID``
#      - ``OMPI_COMM_WORLD_LOCAL_RANK``
#    * - How many there are
#      - ``WORLD_SIZE``
#      - ``SLURM_STEP_NUM_TASKS``
#      - ``OMPI_COMM_WORLD_SIZE``
#    * - How many on this machine
#      - ``LOCAL_WORLD_SIZE``
#      - ``SLURM_STEP_TASKS_PER_NODE`` lists all machines, and ``SLURM_NODEID`` is the
#        place in this list
#      - ``OMPI_COMM_WORLD_LOCAL_SIZE``
#    * - Where rank 0 is
#      - ``MASTER_ADDR`` and ``MASTER_PORT``
#      - Your script sets these two, see below
#      - Your command sets these two, see below
#
# Two things can go wrong in the translation. Slurm gives the batch script itself
# ``SLURM_PROCID=0``, and whatever this script starts inherits it. So the ranks of an
# ``mpirun`` in a Slurm job would take a wrong number, and a plain ``python train.py``
# would wait for ranks that nobody started. That's why we look for ``mpirun`` first, and
# use Slurm's numbers only if there is a variable that ``srun`` sets for its *step*. And
# the number of ranks on each machine comes as a list in short form: ``8(x2),4`` means
# 8, 8 and 4.

# language=Python
(folder / "launcher.py").write_text("""\
import os

OURS = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE")
OF_MPIRUN = (
    "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK",
    "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE")
OF_SRUN = ("SLURM_PROCID", "SLURM_LOCALID", "SLURM_STEP_NUM_TASKS")


def tasks_on_this_node():
    counts = []  # one for each node
    for part in os.environ["SLURM_STEP_TASKS_PER_NODE"].split(","):
        count, _, nodes = part.rstrip(")").partition("(x")
        counts += [count] * int(nodes or 1)
    return counts[int(os.environ["SLURM_NODEID"])]


def translate_variables():
    if "RANK" in os.environ:
        return  # torchrun has set all of them
    if "OMPI_COMM_WORLD_RANK" in os.environ:
        values = [os.environ[name] for name in OF_MPIRUN]
    elif "MPI_LOCALRANKID" in os.environ:
        raise RuntimeError("not the mpirun of Open MPI: translate its variables")
    elif "SLURM_STEP_NUM_TASKS" in os.environ:
        values = [os.environ[name] for name in OF_SRUN]
        values.append(tasks_on_this_node())
    else:
        return  # nobody numbers the ranks, so there is only one
    if values[2] != "1":  # one task is a run of one, for example in an srun --pty
        os.environ.update(zip(OURS, values))


if __name__ == "__main__":
    translate_variables()
    print(*(f"{name}={os.environ.get(name)}" for name in OURS))
""", encoding="utf-8")

# %%
# There is no cluster here, so we only pretend: we set the variables that rank 17 of 20
# would see, on the last of three machines with 8, 8 and 4 ranks. The ``mpirun`` is
# inside a Slurm job, and so inherits the number of the batch script. The third time a
# batch script starts plain Python, without ``srun``. That has to be a run of one,
# although the job has 20 tasks.
batch_script = {"SLURM_PROCID": "0", "SLURM_LOCALID": "0", "SLURM_NODEID": "0",
                "SLURM_NTASKS": "20"}
for_srun = {"SLURM_PROCID": "17", "SLURM_LOCALID": "1", "SLURM_NODEID": "2",
            "SLURM_STEP_NUM_TASKS": "20", "SLURM_STEP_TASKS_PER_NODE": "8(x2),4"}
for_mpirun = {"OMPI_COMM_WORLD_RANK": "17", "OMPI_COMM_WORLD_LOCAL_RANK": "1",
              "OMPI_COMM_WORLD_SIZE": "20", "OMPI_COMM_WORLD_LOCAL_SIZE": "4"}
like_srun = run("launcher.py", **for_srun)
like_mpirun = run("launcher.py", **batch_script, **for_mpirun)
like_python = run("launcher.py", **batch_script)

print("srun:  ", like_srun.stdout, end="")
print("mpirun:", like_mpirun.stdout, end="")
print("python:", like_python.stdout, end="")
expected = "RANK=17 LOCAL_RANK=1 WORLD_SIZE=20 LOCAL_WORLD_SIZE=4\n"
assert like_srun.stdout == expected, like_srun.stdout + like_srun.stderr
assert like_mpirun.stdout == expected, like_mpirun.stdout + like_mpirun.stderr
assert "WORLD_SIZE=None" in like_python.stdout, "it waits for ranks of the job"

# %%
# Where does the call belong? Before anything that reads ``RANK``. So this is the file
# that works under ``torchrun``, ``srun``, the ``mpirun`` of Open MPI, and plain Python.
# (Those of MPICH and Intel use other names. There it stops with an error.)

# language=Python
(folder / "train.py").write_text("""\
from launcher import translate_variables
from with_torchrun import main

if __name__ == "__main__":
    translate_variables()
    main()
""", encoding="utf-8")

# %%
# The two commands look like this, as their manuals say: we had no cluster to run them
# on. Both give all ranks the address of the first machine, and a port that nobody else
# uses there:
#
# .. code-block:: bash
#
#    #!/bin/bash
#    #SBATCH --nodes=2 --ntasks-per-node=8 --gpus-per-node=8 --cpus-per-task=12
#    #SBATCH --time=24:00:00
#    export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
#    export MASTER_PORT=$((20000 + SLURM_JOB_ID % 10000))
#    srun --cpus-per-task=12 --kill-on-bad-exit=1 python train.py
#
#    # with Open MPI, from node0
#    port=$((20000 + RANDOM % 10000))
#    mpirun -np 16 --host node0:8,node1:8 -x MASTER_ADDR=node0 -x MASTER_PORT=$port \
#        python train.py
#
# Check two things in your script for Slurm, because neither of them fails:
#
# - ``--cpus-per-task`` has to be there twice, because since Slurm 22.05 ``srun``
#   doesn't take this number from the batch script. Write the CPUs of a node, divided by
#   its ranks. By default a task is given one CPU, and if the cluster binds tasks to
#   their CPUs, a rank and all its workers share this one.
# - Leave out ``--gpus-per-task=1`` and ``--gpu-bind=single:1``. With them each rank
#   sees one GPU. Our first lines then count fewer GPUs than ranks and take the CPU,
#   without an error, and their hint would leave you with one rank. So if a job has to
#   use GPUs, let it stop there: write ``assert gpu_per_rank, "fewer GPUs than ranks"``.
#   If your cluster always gives each rank one GPU of its own, use
#   ``gpu_per_rank = n_gpus > 0``, and ``local_rank % n_gpus`` as the index of the GPU.
#
# Does that have an advantage over ``torchrun``? One command starts all machines, and
# the cluster sees each rank. But there are no restarts and no error files. So on Slurm
# we'd rather let ``srun`` start one ``torchrun`` on each machine, as
# :doc:`/tutorials/long_runs/several_nodes` does.
#
# spawn: a function in several processes
# --------------------------------------
#
# Sometimes a program should start its own ranks, for example a test that runs under
# pytest. ``spawn`` does that. Below, ``main`` counts the GPUs and starts
# ``main_worker`` once for each. Without a GPU it starts two processes on the CPU, and
# on a Mac one. ``main`` also opens the store where the ranks meet. Port 0 means any
# free port, so two programs on one machine do not meet by mistake.
#
# Each process receives its number, here ``gpu``, and then ``args``. So what
# ``torchrun`` puts into the environment comes as arguments here, and
# ``init_process_group`` takes the store, the rank and the world size in place of the
# variables.

# language=Python
(folder / "spawned.py").write_text("""\
import torch
import torch.distributed as dist

from training import train


def main():
    n_gpus = torch.accelerator.device_count() or 2
    store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    torch.multiprocessing.spawn(main_worker, nprocs=n_gpus, args=(n_gpus, store.port))


def main_worker(gpu, n_gpus, port):
    accelerator = torch.accelerator.current_accelerator()
    seen = torch.accelerator.device_count()
    gpu_per_rank = seen >= n_gpus and accelerator.type != "mps"
    device = torch.device(f"{accelerator}:{gpu}" if gpu_per_rank else "cpu")
    if gpu_per_rank:
        torch.accelerator.set_device_index(gpu)
    if gpu == 0:
        print(f"device: {device.type} (GPUs seen: {seen}, ranks: {n_gpus})")

    backend = dist.get_default_backend_for_device(device)
    store = dist.TCPStore("127.0.0.1", port, is_master=False)
    device_id = device if gpu_per_rank else None
    dist.init_process_group(backend, store=store, rank=gpu, world_size=n_gpus,
                            device_id=device_id)

    train(device, batch_size=int(512 / n_gpus), num_worker=max(1, int(8 / n_gpus)))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
""", encoding="utf-8")

# %%
# The spawned processes import the file too, under another name, so there the condition
# is false as well, and only the first process calls ``main``. A test would import
# ``main``, and so do we. Both ways of starting print the same lines.
by_spawn = run("-c", "import spawned; spawned.main()")
print("same output:", by_spawn.stdout == by_torchrun.stdout)
assert share in by_spawn.stdout, by_spawn.stderr
assert by_spawn.stdout == by_torchrun.stdout, "spawn trains something else"

# %%
# A rank fails: who ends the others?
# ----------------------------------
#
# A rank that fails leaves the others waiting in their next collective, so somebody has
# to end them. In this program rank 1 fails at once, and rank 0 sleeps for longer than
# our ``run`` would wait.

# language=Python
(folder / "failing.py").write_text("""\
import os
import time

from torch.distributed.elastic.multiprocessing.errors import record


@record
def main():
    rank = int(os.environ["RANK"])
    print(f"rank {rank} starts", flush=True)
    if rank == 1:
        raise ValueError("bad sample")
    time.sleep(1000)  # in place of a collective that waits for rank 1


if __name__ == "__main__":
    main()
""", encoding="utf-8")

# %%
# ``torchrun`` ends rank 0 and fails itself. It can also try again: with
# ``--max-restarts=1`` it starts all ranks once more, on the same machine and from the
# beginning, so a program that should go on has to load a checkpoint. ``--tee=3`` copies
# what the ranks print (1 is their output, 2 their errors, 3 both) into files.
failed = run(
    "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2",
    "--log-dir=failed", "--tee=3", "failing.py")
assert failed.returncode != 0, "a failed rank is no success"

# %%
# Where is the traceback of the rank that failed first? The report at the end of
# ``torchrun`` names that rank as the root cause. Thanks to ``record``, which writes the
# exception into an *error file*, the report also has its traceback. Without it, the
# report says only with which exit code the rank ended. And the folder for logs has one
# folder for each try, with one for each rank in it.
report = failed.stderr[failed.stderr.index("Root Cause"):]
for line in report.splitlines():
    if "rank " in line or "ValueError" in line:
        print(line.strip())
for log in sorted(folder.glob("failed/*/attempt_*/*/stderr.log")):
    attempt, rank, name = log.parts[-3:]
    said = "bad sample" in log.read_text(encoding="utf-8")
    print(attempt, "rank", rank, name, "has the error:", said)
    assert said == (rank == "1"), "the error isn't that of rank 1"

# %%
# On many machines, ``--redirects=3 --tee=0:3`` lets only rank 0 of each print on the
# screen, and still writes all files.
#
# The table has the other differences that you may meet. What it says of ``torchrun``
# and ``spawn`` stands in the sources of PyTorch 2.13, and the rest in the manuals of
# `srun <https://slurm.schedmd.com/srun.html>`__ and `mpirun
# <https://docs.open-mpi.org/en/main/man-openmpi/man1/mpirun.1.html>`__.
#
# .. list-table::
#    :header-rows: 1
#
#    * -
#      - ``torchrun``
#      - ``spawn``
#      - ``srun``, ``mpirun``
#    * - A rank fails
#      - The others get SIGTERM, and SIGKILL 30 seconds later
#      - The same
#      - ``mpirun`` ends the others. ``srun`` lets them wait, unless an option (see
#        above) or the cluster's settings say otherwise
#    * - After that
#      - All ranks are restarted, if you allow it; after that, a report names the rank
#        that failed first
#      - The caller of ``spawn`` gets an exception with the traceback of the rank that
#        failed first
#      - The job ends
#    * - Signals
#      - It passes SIGTERM, SIGINT, SIGHUP and SIGQUIT on to the ranks
#      - SIGTERM reaches only the program that called ``spawn``; on Linux the ranks get
#        SIGINT when it dies
#      - ``scancel`` sends SIGTERM to all ranks; ``mpirun`` ends all ranks when it gets
#        SIGTERM or SIGINT
#
# A rank that saves when it is told to end may need more than 30 seconds, and Slurm can
# send a signal that isn't in the table. ``--shutdown-timeout`` and
# ``--signals-to-handle`` are for that, and :doc:`/tutorials/start/training_program`
# uses them.
#
# A notebook has no Python file
# -----------------------------
#
# In a notebook you type functions into cells, and no file holds them. Python's option
# ``-c`` also runs a program without a file. This one starts a process as ``spawn``
# does.
cell = """
from multiprocessing import get_context


def main_worker(rank):
    print("rank", rank)


get_context("spawn").Process(target=main_worker, args=(0,)).start()
"""
lost = run("-c", cell).stderr.splitlines()[-1]
print(lost)
assert "Can't get attribute 'main_worker'" in lost, lost

# %%
# The function is lost because Python sends it to the other process as two names, that
# of its module and its own, without the code. The module of a cell is called
# ``__main__``, and the ``__main__`` of the new process is empty.
#
# So write the function into a file and import it, as we did with ``spawned.py``. Then
# its module has a name that the new process can import as well. Two packages start
# ranks from cells: ``ipyparallel``, which the notebooks of this site use, and
# Accelerate with its `notebook_launcher
# <https://huggingface.co/docs/accelerate/basic_tutorials/notebook>`__.
#
# Pool: tasks for whoever is free
# -------------------------------
#
# Python's own ``Pool`` looks similar, but it isn't for ranks. Here a pool of five
# processes applies ``f`` to three numbers. Whichever process is free takes the next
# task, and the results come back in order.

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
# A pool is right for independent tasks, such as preparing many files, because its
# processes have no numbers and never talk to each other. Its functions need a file too,
# except where Linux forks its processes (up to Python 3.13). Such a fork `cannot use
# CUDA <https://docs.pytorch.org/docs/stable/notes/multiprocessing.html>`__ if the
# original did before.
#
# Three traps of older programs
# -----------------------------
#
# *No GPU, no training.* Many programs pass ``torch.cuda.device_count()`` as ``nprocs``.
# Without a GPU it is 0, so ``spawn`` starts nothing and reports no error, even for
# ``None`` in place of a function.
context = torch.multiprocessing.spawn(None, nprocs=0, join=False)
print("processes:", context.pids())
assert context.pids() == [] and context.join(), "spawn started something"

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
assert refusal == "DistNetworkError", "two programs share a port"

# %%
# *Curly quotes.* Many web pages turn straight quotes into typographic ones, which
# Python refuses with a ``SyntaxError``. Type them again after copying.
#
# Try it
# ------
#
# Predict first, then run.
#
# - Leave out ``@record``, and let the page go on without its last assert on the report.
#   What does the report say now, and where is the traceback?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      It says ``exitcode: 1`` and "To enable traceback see", with an address of the
#      manual. The traceback is still in ``stderr.log`` of rank 1, and on the screen,
#      but there it stands above the report, among the lines of all other ranks.
#
# - In your own script: let rank 1 raise an exception in the third step. Do all other
#   ranks end, after how many seconds, and do you find the traceback of rank 1 in your
#   logs?
#
# What to remember
# ----------------
#
# - ``torchrun`` runs a whole file and puts rank and world size into the environment.
#   ``srun`` and ``mpirun`` do so under other names, and ``spawn`` runs a function and
#   passes a number. If you may choose, take ``torchrun``.
# - If a rank fails, ``torchrun``, ``spawn`` and ``mpirun`` end the others, and ``srun``
#   needs an option for that. Decorate the main function with ``record``, and the report
#   of ``torchrun`` has the traceback of the rank that failed first.
# - A spawned process imports its function by name, so the function must be in a file,
#   and the start of the program below ``if __name__ == "__main__"``.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/start/when_it_hangs` finds the rank that does not come.
# - :doc:`/tutorials/long_runs/several_nodes` has a script for Slurm.
# - The manual of `torch.multiprocessing
#   <https://docs.pytorch.org/docs/stable/multiprocessing.html>`__ describes ``spawn``.
