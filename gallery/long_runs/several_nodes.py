"""
Several nodes: two machines, one run
====================================

:Card: Two torchruns become one run. What crosses the network?
:Learn: You will run a training on two nodes, count what crosses the network, and know
    what to check first when the nodes do not meet.
:Know first: :doc:`/tutorials/ranks/collectives`, :doc:`/tutorials/ddp/one_gpu_to_many`
:Picture: nodes

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
# your training. It takes the GPU by ``LOCAL_RANK`` and the samples by ``RANK``, as in
# :doc:`/tutorials/ranks/hello_ranks`, so it fits any number of nodes. The last rank
# saves the model slowly, and all wait for it.
import tempfile
from pathlib import Path

temporary = tempfile.TemporaryDirectory()
folder = Path(temporary.name)

# %%

# language=Python
(folder / "train.py").write_text("""\
import os
import time
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

torch.manual_seed(0)
samples = torch.randn(64, 10)[rank::world_size].to(device)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(10, 1).to(device))
(model(samples) - samples.mean(dim=1, keepdim=True)).square().mean().backward()
names = "NODE", "GROUP_RANK", "LOCAL_RANK", "RANK", "LOCAL_WORLD_SIZE", "WORLD_SIZE"
lines = [None] * world_size
dist.all_gather_object(lines, " ".join(f"{n}={os.environ[n]}" for n in names))
if rank == 0:
    for line in [*lines, f"gradient: {model.module.weight.grad.norm():.3f}"]:
        print(line)
if rank == world_size - 1:
    time.sleep(1)  # as if the model were large
    torch.save(model.module.state_dict(), "model.pt")
dist.barrier()
assert os.path.exists("model.pt")  # on every rank, since all see this folder
del model
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
# Here the page opens it, on any free port, so no ``torchrun`` is its host. We hide the
# GPUs, because NCCL refuses two ranks on one, and run the program with one rank, too.
import os
import re
import subprocess
import sys

import torch
import torch.distributed as dist

environment = os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
store, late = (dist.TCPStore(
    "127.0.0.1", 0, is_master=True, wait_for_workers=False) for _ in range(2))

def torchrun(store, name, address, *command):
    (folder / name).mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "torch.distributed.run", "--rdzv-backend=c10d",
         f"--rdzv-endpoint=127.0.0.1:{store.port}", "--rdzv-conf=is_host=false",
         f"--rdzv-id={name}", f"--local-addr={address}", "--log-dir=logs", *command],
        cwd=folder / name, env=environment | {"NODE": address}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)

def finish(process):
    try:
        return process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        process.terminate()  # it ends its ranks first
        return process.communicate()

processes = [
    torchrun(store, "two", address, "--nnodes=2", "--nproc-per-node=2", "../train.py")
    for address in ("localhost", "127.0.0.1")]
processes.append(torchrun(store, "one", "localhost", "../train.py"))
outputs, errors = zip(*map(finish, processes))
print("two nodes:", outputs[1], "one rank:", outputs[2], sep="\n", end="")
assert [process.returncode for process in processes] == [0, 0, 0], errors

# %%
# ``GROUP_RANK`` is the number of the node, and ``LOCAL_RANK`` begins at 0 on each of
# them. The gradient is that of a single rank. ``torchrun`` sorts the nodes by address,
# so rank 0 need not be on the node of the endpoint, nor on the one that starts first.
# Without ``--local-addr``, the address is the full host name.
assert re.findall(r"=(\S+)", outputs[1]) == [
    str(value) for node, address in enumerate(("127.0.0.1", "localhost"))
    for i in range(2) for value in (address, node, i, 2 * node + i, 2, 4)]
assert outputs[1].splitlines()[-1] == outputs[2].splitlines()[-1] != ""

# %%
# No node may leave too early
# ---------------------------
#
# When its ranks have ended, ``torchrun`` waits for the other nodes, but not longer than
# five minutes. Then the endpoint goes, and the store with it. The page makes this
# happen while a rank of another node still saves.
save = "print('saving', flush=True); import time; time.sleep(60); print('saved')"
process = torchrun(late, "late", "localhost", "--no-python", sys.executable, "-c", save)
begin = process.stdout.readline()
del late
end, errors = finish(process)
print(begin, end, *re.findall("Rendezvous.*Error: .* failed", errors)[-1:], sep="")
assert (begin, end) == ("saving\n", "") and "RendezvousConnectionError" in errors

# %%
# The rank worked well, but its ``torchrun`` lost the store and ended it. A barrier
# before ``destroy_process_group`` keeps all ranks until the last one has saved. It
# fails after the timeout of the group, so make that longer than saving takes.
#
# Count what crosses the network
# ------------------------------
#
# In the ring of :doc:`/tutorials/ranks/collectives`, each rank sends to the next one.
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
# A *hierarchical* all-reduce does the reduce-scatter inside each node. Then each rank
# adds up only its chunk across the nodes, and the all-gather is inside again.
def hierarchical(memory):
    for node in nodes:
        pass_on(memory, node, range(3))  # reduce-scatter
    for i, chunk in enumerate(memory.chunk(4, dim=1)):
        pass_on(chunk, [node[i - 1] for node in nodes], range(2 * n_nodes - 2))
    for node in nodes:
        pass_on(memory, node, range(3, 6))  # all-gather

for all_reduce in (flat_ring, hierarchical):
    memory, sent, across = ranks.view(-1, 1).repeat(1, 256), Counter(), Counter()
    all_reduce(memory)
    assert (memory == ranks.sum()).all() and sent.total() == 2 * (world_size - 1)
    for (source, target), rows in sent.items():
        across[source] += rows * (source // 4 != target // 4)
    counts[all_reduce.__name__] = sent, across
    print(f"{all_reduce.__name__}: {sent.total():g} in all, {across.total():g} across,",
          f"{max(across.values()):g} by one rank (rows)")
assert counts["flat_ring"][1].total() == 2 * n_nodes * (1 - 1 / world_size)
assert set(across.values()) == {2 * (n_nodes - 1) / world_size}

# %%
# Both send the same in all, but the hierarchical way sends less across. With more nodes
# this gain gets small, but each rank still sends only its fourth of what leaves a node,
# and often has a network card of its own. NCCL knows the machines and chooses such ways
# itself. You choose this one by hybrid sharding, as in
# :doc:`/tutorials/larger_models/two_dimensions`. In the figure each box is a node, and
# a thicker arrow carries more.
#
# .. alt-text:: Flat ring: two thick dashed arrows between two boxes of four ranks.
#    Hierarchical: eight thin ones, and a ring of solid arrows inside each box.
import matplotlib.pyplot as plt

fig, axes = plt.subplots(1, 2, figsize=(7, 3.8))
for ax, way, (sent, far) in zip(axes, ("flat ring", "hierarchical"), counts.values()):
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
    ax.text(0.5, -0.2, f"{far.total():g}", color="C1", ha="center", size=12)
    lines = ax.plot([], [], "C1--", [], [], "C0-", lw=3)
    ax.legend(lines, ["across", "inside"], loc=9, bbox_to_anchor=(0.5, 0), ncols=2)
    ax.set(title=way, xlim=(-0.5, n_nodes - 0.5), ylim=(3.6, -0.6))
    ax.axis("off")
plt.show()

# %%
# Slurm: one task on each node
# ----------------------------
#
# Let ``srun`` start one ``torchrun`` on each node, with all its GPUs. If each rank is a
# task with ``--gpus-per-task=1``, ``torch.accelerator.device_count()`` is 1. Programs
# like ours want a GPU for each local rank, so they take the CPU then.
job = r"""#!/bin/bash
#SBATCH --nodes=2 --ntasks-per-node=1 --gpus-per-node=8 --cpus-per-task=64
export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK  # srun does not inherit it
node0=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
port=$((20000 + SLURM_JOB_ID % 10000))  # another job may use the node, too
srun torchrun --nnodes="$SLURM_NNODES" --nproc-per-node=gpu \
    --rdzv-backend=c10d --rdzv-endpoint="$node0:$port" \
    --rdzv-id="$SLURM_JOB_ID" train.py
"""

# %%
# Two functions stand in for the commands of Slurm, and ``srun`` only prints what it has
# to start. The parser of ``torchrun`` reads that, so only ``#SBATCH`` is not checked.
from torch.distributed.run import get_args_parser

stand_in = r"""
SLURM_NNODES=2 SLURM_JOB_ID=123456 SLURM_JOB_NODELIST=node[1-2] SLURM_CPUS_PER_TASK=64
scontrol() { echo node1; echo node2; }
srun() { printf '%s\n' "$@"; }
"""
command, *options = subprocess.check_output(
    ["bash", "-euc", stand_in + job], text=True, timeout=60).splitlines()
args = get_args_parser().parse_args(options)
print(command, args.nnodes, args.rdzv_endpoint, args.rdzv_id, args.training_script)
assert (command, args.nnodes, args.rdzv_endpoint) == ("torchrun", "2", "node1:23456")

# %%
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
# - Set ``n_nodes`` to 8. How much is saved across, and how much does one rank send?
# - In the script, write ``--nnode``, then ``--node``. What does the parser say?
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/ddp/when_it_hangs` finds the rank that others wait for.
# - :doc:`/tutorials/long_runs/choosing` compares the ways of this site on one model.
# - The manual of `torchrun <https://docs.pytorch.org/docs/stable/elastic/run.html>`__
#   explains runs in which nodes come and go.
