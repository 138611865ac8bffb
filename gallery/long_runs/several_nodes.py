"""
Several nodes: two machines, one run
====================================

:Card: Two torchruns become one run. What crosses the network?
:Learn: You will run a training on two nodes, count what crosses the network, and know
    what to check first when the nodes do not meet.
:Prerequisites: :doc:`/tutorials/inside/collectives`,
    :doc:`/tutorials/start/one_gpu_to_many`
:Picture: nodes
:Oldest torch: 2.8

Your training runs on one machine, and now it gets a second one. The program can stay as
it is. But the machines have to find each other, none may leave too early, and the
network between them is slower than the links inside.

We start ``torchrun`` twice on this machine, as if it were two, and look at what each
rank is told. Then we count what crosses the network, and check a script for Slurm.
"""

# %%
# The program does not know the nodes
# -----------------------------------
#
# A *node* is one machine of a run. This program makes one training step, in place of
# your training. It begins with the same lines as all programs with ranks on this site.
# As :doc:`/tutorials/start/hello_ranks` explains, they take the GPU by ``LOCAL_RANK``,
# and the program takes its samples by ``RANK``, so it fits any number of nodes. At the
# end rank 0 saves the model, and all wait for it.
import tempfile
from pathlib import Path

temporary = tempfile.TemporaryDirectory()
folder = Path(temporary.name)

# %%

# language=Python
(folder / "train.py").write_text("""\
import os
import time

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

torch.manual_seed(0)
samples = torch.randn(64, 10)[rank::world_size].to(device)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(10, 1).to(device))
(model(samples) - samples.mean(dim=1, keepdim=True)).square().mean().backward()
names = "NODE", "GROUP_RANK", "LOCAL_RANK", "RANK", "LOCAL_WORLD_SIZE", "WORLD_SIZE"
lines = [None] * world_size
dist.all_gather_object(lines, " ".join(f"{n}={os.environ.get(n)}" for n in names))
if rank == 0:
    for line in [*lines, f"gradient: {model.module.weight.grad.norm():.3f}"]:
        print(line)
if rank == 0:  # all ranks have the same model
    time.sleep(1)  # as if it were large
    torch.save(model.module.state_dict(), "model.pt")
dist.barrier()  # no rank leaves before the model is saved
dist.destroy_process_group()
""", encoding="utf-8")

# %%
# Every node gets the same command
# --------------------------------
#
# You start ``torchrun`` once on each node, and it starts the ranks there. The command
# names one of the nodes and a free port on it, the *endpoint*.
#
# .. code-block:: bash
#
#    torchrun --nnodes=2 --nproc-per-node=2 --rdzv-backend=c10d \
#        --rdzv-endpoint=node0:29400 --rdzv-id=job1 train.py
#
# At the endpoint ``torchrun`` opens a store, where all nodes meet: the *rendezvous*.
# The ``torchrun`` whose own name or address is that of the endpoint is the host.
#
# We run this command twice. Since both nodes are this one machine, what we run differs
# from it in four things:
#
# - The page is the host itself, and ``is_host=false`` tells each ``torchrun`` that it
#   is not. So the store can take any free port, and further below the page closes it.
# - ``--local-addr`` gives each node a name of its own, as one machine has only one.
# - The GPUs are hidden, because NCCL refuses two ranks on one GPU.
# - The logs go into the page's folder, and ``NODE`` tells the program what to print.
#
# To compare, we also start the program with ``python`` alone, as a run of one rank.
import os
import re
import subprocess
import sys

import torch
import torch.distributed as dist

environment = os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
store, late = (dist.TCPStore(
    "127.0.0.1", 0, is_master=True, wait_for_workers=False) for _ in range(2))


def start(name, node, *command):
    (folder / name).mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, *command], cwd=folder / name, text=True,
        env=environment | {"NODE": node},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def torchrun(store, name, address, *command):
    return start(
        name, address, "-m", "torch.distributed.run", "--rdzv-backend=c10d",
        f"--rdzv-endpoint=127.0.0.1:{store.port}", "--rdzv-conf=is_host=false",
        f"--rdzv-id={name}", f"--local-addr={address}", "--log-dir=logs", *command)


def finish(process):
    try:
        return process.communicate(timeout=300)
    except subprocess.TimeoutExpired:
        process.terminate()  # it ends its ranks first
        return process.communicate()


processes = [
    torchrun(store, "two", address, "--nnodes=2", "--nproc-per-node=2", "../train.py")
    for address in ("localhost", "127.0.0.1")]
processes.append(start("one", "localhost", "../train.py"))
outputs, errors = zip(*map(finish, processes))
print("two nodes:", outputs[1], "one rank:", outputs[2], sep="\n", end="")
assert [process.returncode for process in processes] == [0, 0, 0], errors
assert (folder / "two" / "model.pt").exists()

# %%
# ``GROUP_RANK`` is the number of the node, and ``LOCAL_RANK`` begins at 0 on each of
# them. The gradient is that of a single rank. ``torchrun`` sorts the nodes by address,
# so rank 0 need not be on the node of the endpoint, nor on the one that starts first.
# Without ``--local-addr``, the address is the full host name.
assert re.findall(r"[A-Z]=(\S+)", outputs[1]) == [
    str(value) for node, address in enumerate(("127.0.0.1", "localhost"))
    for i in range(2) for value in (address, node, i, 2 * node + i, 2, 4)]
assert outputs[1].splitlines()[-1] == outputs[2].splitlines()[-1] != "", (
    "two nodes and one rank have different gradients")

# %%
# No node may leave too early
# ---------------------------
#
# Rank 0 can be on another node than the endpoint, and it may save for a long time after
# the others are done. When the ranks of a node have ended, its ``torchrun`` waits for
# the other nodes, but not longer than five minutes. Then the endpoint goes, and the
# store with it. The page is the endpoint here, so it need not wait. It closes the store
# while a rank of another node still saves.
save = "print('saving', flush=True); import time; time.sleep(60); print('saved')"
process = torchrun(late, "late", "localhost", "--no-python", sys.executable, "-c", save)
begin = process.stdout.readline()
del late
end, errors = finish(process)
print(begin, end, *re.findall("Rendezvous.*Error: .* failed", errors)[-1:], sep="")
assert (begin, end) == ("saving\n", "") and "RendezvousConnectionError" in errors

# %%
# The rank worked well, but its ``torchrun`` lost the store and ended it. So our program
# has a barrier after saving, which keeps the ranks of all nodes until rank 0 has saved.
#
# The barrier has a limit of its own, the timeout of its group: 10 minutes with NCCL and
# 30 with Gloo, if you choose none. If saving takes longer, the barrier fails and ends a
# healthy run. Then wait in a second group, for example
# ``dist.new_group(timeout=timedelta(hours=2))``, which you make at the beginning and
# give to ``barrier``. The first group keeps its short timeout, so a hang in the
# training still shows early.
#
# Count what crosses the network
# ------------------------------
#
# In the ring of :doc:`/tutorials/inside/collectives`, each rank sends to the next one.
# In the first half of the steps, the reduce-scatter, it adds what it receives, and in
# the second half, the all-gather, it keeps the sums. We simulate this with a tensor,
# in which each of eight ranks has a row, and count what leaves a row.
from collections import Counter

n_nodes = 2
ranks = torch.arange(4 * n_nodes).view(n_nodes, 4)  # (nodes, ranks of a node)
nodes, world_size, counts = ranks.tolist(), ranks.numel(), {}


def pass_on(memory, ring, steps):
    n = len(ring)
    for step in steps:
        for i, rank in enumerate(ring):
            after, part = ring[(i + 1) % n], (i - step) % n
            chunk, place = (memory[r].chunk(n)[part] for r in (rank, after))
            place.copy_(place + chunk if step < n - 1 else chunk)
            sent[rank, after] += len(chunk) / 256


def flat_ring(memory):
    pass_on(memory, range(world_size), range(2 * world_size - 2))


# %%
# In this ring a single rank carries all that leaves its node. But often each GPU has a
# network card of its own, and the others would be idle. So one divides the data and
# gives each part a ring of its own, which visits the ranks of a node in another order
# and leaves it from another rank.
def several_rings(memory):
    for i, chunk in enumerate(memory.chunk(4, dim=1)):
        ring = [node[(i + k) % 4] for node in nodes for k in range(4)]
        pass_on(chunk, ring, range(2 * world_size - 2))


# %%
# These rings are still *flat*: each connects all ranks, and does not care where a node
# ends. A *hierarchical* all-reduce does the reduce-scatter inside each node. Then each
# rank adds up only its chunk across the nodes, and the all-gather is inside again.
def hierarchical(memory):
    for node in nodes:
        pass_on(memory, node, range(3))  # reduce-scatter
    for i, chunk in enumerate(memory.chunk(4, dim=1)):
        pass_on(chunk, [node[i - 1] for node in nodes], range(2 * n_nodes - 2))
    for node in nodes:
        pass_on(memory, node, range(3, 6))  # all-gather


for all_reduce in (flat_ring, several_rings, hierarchical):
    memory, sent, across = ranks.view(-1, 1).repeat(1, 256), Counter(), Counter()
    all_reduce(memory)
    assert (memory == ranks.sum()).all() and sent.total() == 2 * (world_size - 1)
    for (source, target), rows in sent.items():
        across[source] += rows * (source // 4 != target // 4)
    counts[all_reduce.__name__] = sent, across
    print(f"{all_reduce.__name__}: {sent.total():g} in all, {across.total():g} across,",
          f"{max(across.values()):g} by one rank (rows)")
flat, several, hierarchy = (across for _, across in counts.values())
assert flat.total() == several.total() == 2 * n_nodes * (1 - 1 / world_size)
assert set(several.values()) == {max(flat.values()) / 4}
assert set(hierarchy.values()) == {2 * (n_nodes - 1) / world_size}

# %%
# All three send the same in all. Several rings send as much across as one, but divide
# it among the network cards. The hierarchical way also sends less across. With more
# nodes that second gain gets small.
#
# NCCL `chooses by itself
# <https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-algo>`__
# between rings, trees and the help of switches that can add, depending on how the
# machines are connected. As `one of its authors explains
# <https://github.com/NVIDIA/nccl/issues/530>`__, its rings are flat, and together they
# use all cards. Its tree is nearer to the hierarchical way: it adds up inside a node,
# then between the nodes, and for each card it begins at another rank. If your model is
# sharded, you can choose the hierarchical way yourself, by hybrid sharding, as in
# :doc:`/tutorials/larger_models/two_dimensions`.
#
# In the figure each box is a node, and a thicker arrow carries more.
#
# .. alt-text:: Flat ring: two thick dashed arrows between two boxes of four ranks, 3.5
#    across. Several rings: eight thin ones, 3.5 across. Hierarchical: eight thinner
#    ones, 2 across. In all three, solid arrows connect the ranks inside each box.
import matplotlib.pyplot as plt

titles = "flat ring", "several rings", "hierarchical"
fig, axes = plt.subplots(1, 3, figsize=(7, 3.8))
for ax, title, (sent, across) in zip(axes, titles, counts.values()):
    for (source, target), rows in sent.items():
        inside = source // 4 == target // 4
        bend = -0.4 if inside and source > target else 0.12
        ax.annotate("", divmod(target, 4), divmod(source, 4), arrowprops={
            "arrowstyle": "-|>", "lw": 3 * rows, "shrinkA": 11, "shrinkB": 11,
            "color": "C0" if inside else "C1", "ls": "-" if inside else "--",
            "connectionstyle": f"arc3,rad={bend}"})
    for rank in range(world_size):
        ax.text(*divmod(rank, 4), rank, ha="center", va="center", size=12)
    ax.bar(range(n_nodes), 4, 0.7, -0.5, fc="none", ec="C7")
    ax.text((n_nodes - 1) / 2, 3.8, f"{across.total():g}",
            color="C1", ha="center", size=12)
    ax.set(title=title, xlim=(-0.5, n_nodes - 0.5), ylim=(4, -0.6))
    ax.axis("off")
lines = ax.plot([], [], "C1--", [], [], "C0-", lw=3)
fig.legend(lines, ["across", "inside"], loc="lower center", ncols=2)
plt.show()

# %%
# Slurm: one task on each node
# ----------------------------
#
# Let ``srun`` start one ``torchrun`` on each node, with all its GPUs, and ``torchrun``
# starts the ranks. When a rank dies, all nodes start their ranks again, and a program
# that saves checkpoints goes on from the newest. ``--max-restarts=3`` allows for three
# such deaths on each node. For the restarts the script also sets a variable, which
# :doc:`/tutorials/long_runs/checkpoints` explains.
#
# If a whole node dies, Slurm ends the job. With `--requeue
# <https://slurm.schedmd.com/sbatch.html>`__ it queues the job again, and the script
# begins anew.
job = r"""#!/bin/bash
#SBATCH --nodes=2 --ntasks-per-node=1 --gpus-per-node=8 --cpus-per-task=64 --requeue
# With --max-restarts the new ranks need a new store, not that of the dead ones.
export TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1
export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK  # srun does not inherit it
node0=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
port=$((20000 + SLURM_JOB_ID % 10000))  # another job may use the node, too
srun torchrun --nnodes="$SLURM_NNODES" --nproc-per-node=gpu --max-restarts=3 \
    --rdzv-backend=c10d --rdzv-endpoint="$node0:$port" \
    --rdzv-id="$SLURM_JOB_ID" train.py
"""

# %%
# Two functions stand in for the commands of Slurm, and ``srun`` only prints the
# variable, if it is exported, and what it has to start. The parser of ``torchrun``
# reads that, so only ``#SBATCH`` is not checked.
from torch.distributed.run import get_args_parser

stand_in = r"""
SLURM_NNODES=2 SLURM_JOB_ID=123456 SLURM_JOB_NODELIST=node[1-2] SLURM_CPUS_PER_TASK=64
scontrol() { echo node1; echo node2; }
srun() { printenv TORCH_DISABLE_SHARE_RDZV_TCP_STORE; printf '%s\n' "$@"; }
"""
exported, command, *options = subprocess.check_output(
    ["bash", "-euc", stand_in + job], text=True, timeout=60).splitlines()
args = get_args_parser().parse_args(options)
print(command, args.nnodes, args.rdzv_endpoint, args.rdzv_id, args.training_script)
assert (command, args.nnodes, args.rdzv_endpoint) == ("torchrun", "2", "node1:23456")
assert (exported, args.max_restarts) == ("1", 3)

# %%
# Another way is common too: a task for each GPU, and no ``torchrun``. But by itself
# ``srun`` sets neither ``RANK`` nor ``LOCAL_WORLD_SIZE``. It numbers its tasks by
# ``SLURM_PROCID``, which our first lines do not read. So each task takes itself for a
# run of one rank, like the one that we started with ``python`` above. Sixteen tasks
# then train sixteen models and write one file over the other, and nothing fails. Only
# the first line tells: each task prints it, with ``ranks: 1``.
#
# If you translate the variables of Slurm yourself, leave out ``--gpus-per-task=1``.
# With it each task sees one GPU, so ``torch.accelerator.device_count()`` is 1. Programs
# like ours want a GPU for each local rank, so they take the CPU then.
#
# In Kubernetes, `Kubeflow Trainer <https://www.kubeflow.org/docs/components/trainer/>`__
# starts ``torchrun`` and sets its options by variables, such as ``PET_NNODES``.
#
# When the nodes do not meet
# --------------------------
#
# - "while trying to connect to" the endpoint: a wrong name or a firewall. Try
#   ``nc -zv node0 29400`` on the other nodes.
# - The nodes meet, but the first collective waits: a wrong interface, or closed ports.
#   See ``NCCL_DEBUG=INFO``; set ``NCCL_SOCKET_IFNAME`` or ``GLOO_SOCKET_IFNAME``.
# - Ranks do not reach ``MASTER_ADDR``: other nodes do not know the host name of a node.
#   Give each node ``--local-addr`` with an address that the others can reach.
# - "RendezvousTimeoutError": a node did not come within ten minutes. Did it start?
# - A healthy node counts as dead: the clocks differ by 15 seconds. Compare ``date``.
#
# Try it
# ------
#
# Predict first, then run.
#
# - Set ``n_nodes`` to 8. How much is saved across, and how much does one rank send?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      The hierarchical way saves 1.5 rows, as with two nodes, but now it's 14 rows in
#      place of 15.5, so the gain is small. In the flat ring, a rank at the end of a
#      node sends 1.9375 rows across. With several rings it's 0.484 rows for each rank,
#      and in the hierarchical way 0.4375. With more nodes both come near to half a row.
#
# - In ``train.py``, take the samples by ``local_rank`` in place of ``rank``. Which
#   assert fails, and which samples are missing?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      The assert that compares the gradient with that of one rank. The local ranks are
#      0 and 1 on both nodes, so ranks 0 and 2 take the same samples, and so do ranks 1
#      and 3. Half of the samples come twice, and the others never. The run itself ends
#      without an error, and on a single node nothing would be wrong.
#
# - In your own script: look at every place that uses the local rank or the number of
#   GPUs in a machine. Does each of them choose a device, or does one choose samples,
#   seeds, or who saves?
#
# What to remember
# ----------------
#
# - Start the same ``torchrun`` command once on each node. The local rank chooses the
#   GPU, the rank chooses the samples and who saves. If each task prints ``ranks: 1``,
#   you have started separate runs, and nothing else tells.
# - No node may leave while another one still works, so all ranks wait at a barrier
#   until rank 0 has saved. The timeout of its group must be longer than saving takes.
# - Several rings divide what crosses the network among the cards. A hierarchical
#   all-reduce also sends less across, but with many nodes that gain is small.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/start/when_it_hangs` finds the rank that others wait for.
# - :doc:`/tutorials/long_runs/choosing` compares the ways of this site on one model.
# - The manual of `torchrun <https://docs.pytorch.org/docs/stable/elastic/run.html>`__
#   explains runs in which nodes come and go.
