r"""
Several nodes: two machines, one run
====================================

:Card: Two torchruns become one run. What crosses the network?
:Learn: You will run a training on two nodes, lose one and go on without it, count what
    crosses the network, and know what to check first when the nodes do not meet.
:Prerequisites: :doc:`/tutorials/inside/collectives`,
    :doc:`/tutorials/start/one_gpu_to_many`
:Picture: nodes
:Oldest torch: 2.13

Your training runs on one machine, and now it gets a second one. The program can stay as
it is. You type this on both machines, which are called ``node0`` and ``node1`` here:

.. code-block:: bash

   torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d \
       --rdzv-endpoint=node0:29400 --rdzv-id=job1 train.py

.. list-table::
   :header-rows: 1

   * - Option
     - What it is for
   * - ``--nnodes=2``
     - How many machines (*nodes*) have to come before the ranks start
   * - ``--nproc-per-node=8``
     - How many ranks start on this node: one for each of its GPUs. Write the number:
       with ``gpu``, a node that doesn't find one of its cards starts 7 ranks, and the
       run goes on with 15, without an error
   * - ``--rdzv-backend=c10d``
     - How the nodes find each other (*rendezvous*): through a small key-value store
       that one of the torchruns opens. Without this option, the default is ``static``,
       which is explained further below
   * - ``--rdzv-endpoint=node0:29400``
     - Where this store is: a name or an address of one of the nodes, and a free port on
       it that the other nodes can reach
   * - ``--rdzv-id=job1``
     - The name of the run, any word. It has to be the same on all nodes, and another
       one for each run at the same endpoint
   * - ``--node-rank=0``
     - You'll see it elsewhere. Here it isn't needed, and ``torchrun`` ignores it

That's all if nothing goes wrong. But the machines have to find each other, none may
leave too early, one of them may break, and the network between them is slower than the
links inside.

We start ``torchrun`` twice on this machine, as if it were two, and look at what each
rank is told. Then one of the two "nodes" is lost, and the run goes on. After that we
count what crosses the network, read the log of NCCL, and check a script for Slurm.
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
import os
import tempfile
from pathlib import Path

if "RANK" in os.environ:
    if os.environ["RANK"] == "0":
        print("It calls torchrun itself. Start with: python several_nodes.py")
    raise SystemExit

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
    for line in lines:
        print(line)
    print(f"gradient: {model.module.weight.grad.norm():.3f}")
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
# At the endpoint ``torchrun`` opens a store, where all nodes meet: the *rendezvous*.
# The ``torchrun`` whose own name or address is that of the endpoint is the host.
#
# .. admonition:: How this page runs two nodes on one machine
#    :collapsible: closed
#
#    We run the command from the top of the page twice, with two ranks on each node.
#    Since both nodes are this one machine, what we run differs from it in four things:
#
#    - The page is the host itself, and ``is_host=false`` tells each ``torchrun`` that
#      it is not. So the store can take any free port, and further below the page closes
#      it.
#    - ``--local-addr`` gives each node a name of its own, as one machine has only one.
#    - The GPUs are hidden, because NCCL refuses two ranks on one GPU.
#    - The logs go into the page's folder, and ``NODE`` tells the program what to print.
#
# To compare, we also start the program with ``python`` alone, as a run of one rank.
#
# You can try the command without a second machine, too. Type it in two terminals, with
# ``--nproc-per-node=2``, ``--rdzv-endpoint=localhost:29400``, and in front of it
# ``CUDA_VISIBLE_DEVICES=``, so that the ranks take the CPU. The second ``torchrun``
# finds the port taken, and joins the first.
import os
import re
import subprocess
import sys

import torch.distributed as dist

environment = os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}


def open_store():
    return dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)


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


# %%
# Now start all three, and read what they print. Only rank 0 prints, and it is on the
# second node that we start.
store = open_store()
processes = []
for address in ("localhost", "127.0.0.1"):
    processes.append(torchrun(
        store, "two", address, "--nnodes=2", "--nproc-per-node=2", "../train.py"))
processes.append(start("one", "localhost", "../train.py"))

outputs = []
for process in processes:
    output, errors = finish(process)
    assert process.returncode == 0, errors
    outputs.append(output)
print("two nodes:", outputs[1], "one rank:", outputs[2], sep="\n", end="")
assert (folder / "two" / "model.pt").exists(), "a node left before rank 0 had saved"

# %%
# ``GROUP_RANK`` is the number of the node, and ``LOCAL_RANK`` begins at 0 on each of
# them. The gradient is that of a single rank. ``torchrun`` sorts the nodes by address,
# so rank 0 need not be on the node of the endpoint, nor on the one that starts first.
# Without ``--local-addr``, the address is the full host name. That of the node with
# rank 0 becomes ``MASTER_ADDR``, through which the ranks find each other.
assert outputs[1].splitlines()[-1] == outputs[2].splitlines()[-1] != "", (
    "two nodes and one rank have different gradients")

# %%
# Look at the first line once more: "ranks: 2", although four ranks train. The start
# lines print ``LOCAL_WORLD_SIZE`` there, the ranks of *this* node, because they compare
# it with the GPUs of this node. On several nodes this number misleads. The one that you
# want in a log is ``WORLD_SIZE``, or ``dist.get_world_size()``.
#
# They also take the CPU on a node that has fewer GPUs than ranks, for example because a
# card is broken. On a laptop that is handy. But such a node opens Gloo while the others
# open NCCL, and all wait for the timeout. So in training for which you pay, let the
# rank end with an error, before ``init_process_group``:
#
# .. code-block:: python
#
#    if device.type == "cpu":
#        raise SystemExit(f"{os.uname().nodename} has {n_gpus} GPUs")
#
# What lies on a disk of the node itself, such as data unpacked to ``/tmp``, has to be
# prepared on each node: by the rank whose ``LOCAL_RANK`` is 0, while the others wait at
# a barrier. With ``rank == 0``, the second node finds nothing.
assert "ranks: 2)" in outputs[1], "the first line counts the ranks of one node"
assert outputs[1].count("WORLD_SIZE=4") == 4, "all four ranks know that they are four"

# %%
# .. admonition:: If your script gives each node a number
#    :collapsible: closed
#
#    In older scripts you'll find a command that isn't the same on each node, because
#    each of them is given its number. It's the *static* rendezvous:
#
#    .. code-block:: bash
#
#       # on node0
#       torchrun --nnodes=2 --node-rank=0 --nproc-per-node=gpu \
#           --master-addr=node0 --master-port=29500 train.py
#       # on node1
#       torchrun --nnodes=2 --node-rank=1 --nproc-per-node=gpu \
#           --master-addr=node0 --master-port=29500 train.py
#
#    It has one advantage: you decide which node has rank 0. But no node can be
#    replaced, and by the sources of PyTorch 2.13 no node learns that another one has
#    restarted its ranks. Don't mix the two commands: with ``--rdzv-backend=c10d`` and
#    an endpoint, ``torchrun`` ignores ``--node-rank``, ``--master-addr`` and
#    ``--master-port``.

# %%
# No node may leave too early
# ---------------------------
#
# Rank 0 can be on another node than the endpoint, and it may save for a long time after
# the others are done. When the ranks of a node have ended, its ``torchrun`` waits for
# the other nodes, but not longer than five minutes. Then the endpoint goes, and the
# store with it. The page is the endpoint here, and it closes the store while a rank of
# a node still saves.
late = open_store()
save = "print('saving', flush=True); import time; time.sleep(60); print('saved')"
process = torchrun(late, "late", "localhost", "--no-python", sys.executable, "-c", save)
begin = process.stdout.readline()
del late  # the store closes
end, errors = finish(process)
print(begin, end, *re.findall("Rendezvous.*Error: .* failed", errors)[-1:], sep="")
assert begin == "saving\n", "the rank has begun to save"
assert end == "", "nothing has ended the rank while it saved"
assert "RendezvousConnectionError" in errors, "torchrun has lost the store"

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
# When a rank dies, or a whole node
# ---------------------------------
#
# By default, a rank that dies ends the run: its ``torchrun`` stops the other ranks of
# the node, and those of other nodes fail in their next collective. With Gloo they do so
# at once, and with NCCL at the latest when its watchdog has waited for the timeout of
# the group. Two options change this, and they are about two different accidents. (With
# both, set the variable ``TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1``, which is explained
# below.)
#
# - ``--max-restarts=3`` is about a rank that dies while its node lives on. All nodes
#   meet again, and all ranks start from the first line of the program. Each
#   ``torchrun`` counts for itself how often its own ranks have failed. Since a death
#   makes the other nodes fail too, it often costs every node one of its restarts.
# - ``--nnodes=2:4`` is about nodes that go and come (*elastic*). The run needs two
#   nodes and takes at most four. When a node is lost, the ranks of the others fail in
#   their next collective, and the nodes meet again without it. Such a failure counts
#   as a restart, so this too needs ``--max-restarts``. A node that comes later
#   restarts all ranks as well. That does not count, but the steps since the last
#   checkpoint are lost.
#
# In both cases nothing of the old processes is left. Ranks and world size are new, and
# rank 0 may be on another node. So the program needs a checkpoint, on a disk that all
# nodes share (:doc:`/tutorials/long_runs/checkpoints`), and everything that it
# derives from the world size has to be computed after the start, never stored. Let's
# watch that. This program "trains" 20 steps. After 10 of them rank 1 stops working, as
# if its node were about to break.

# %%

# language=Python
(folder / "elastic.py").write_text("""\
import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch.utils.data.distributed import DistributedSampler

backend = "gloo"  # on CPUs
dist.init_process_group(backend, init_method="env://")
rank, world_size = dist.get_rank(), dist.get_world_size()
checkpoint = Path("step.txt")  # on a disk that all nodes share
state = [0]
if rank == 0 and checkpoint.exists():
    state = [int(checkpoint.read_text())]
dist.broadcast_object_list(state)  # all ranks begin at the same step
sampler = DistributedSampler(range(1000))
of_a_step = range(rank, 64, world_size)  # together all 64, with any world size
if rank == 0:
    print(f"restarts: {os.environ['TORCHELASTIC_RESTART_COUNT']}, step: {state[0]},",
          f"ranks: {world_size}, samples of a rank: {len(sampler)} in an epoch,",
          f"{len(of_a_step)} in a step", flush=True)

for step in range(state[0], 20):
    dist.all_reduce(torch.ones(1))  # as if it were the gradients
    if rank == 0:  # a node that is lost while it writes must leave the old file whole
        checkpoint.with_suffix(".new").write_text(str(step + 1))
        checkpoint.with_suffix(".new").replace(checkpoint)
    if step == 9:
        if rank == 0:
            print("10 steps are saved", flush=True)
        else:
            time.sleep(300)  # in the meantime its node is lost
dist.destroy_process_group()
""", encoding="utf-8")

# %%
# Two "nodes" start it with ``--nnodes=1:2``, and we end the second one in the middle of
# the run. A node is dead to the others when they haven't heard from it for 15 seconds.
# And when enough nodes have come, but not all that may come, they wait another 30
# seconds. The page can't wait so long, and makes both times short by ``--rdzv-conf``. A
# variable has to be set, too: ``TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1`` gives restarted
# ranks a new store, and :doc:`/tutorials/long_runs/checkpoints` explains what fails
# without it.
environment["TORCH_DISABLE_SHARE_RDZV_TCP_STORE"] = "1"


def elastic_node(address):
    return torchrun(
        store, "elastic", address, "--nnodes=1:2", "--max-restarts=3",
        "--rdzv-conf=is_host=false,keep_alive_interval=1,last_call_timeout=1",
        "../elastic.py")


lasting = elastic_node("127.0.0.1")
lost = elastic_node("localhost")
printed = [lasting.stdout.readline(), lasting.stdout.readline()]
lost.terminate()
finish(lost)
output, errors = finish(lasting)
printed += output.splitlines(keepends=True)
print(*printed, sep="", end="")

assert lasting.returncode == 0, errors
assert "restarts: 0, step: 0, ranks: 2" in printed[0], "the run begins on two nodes"
assert "restarts: 1, step: 10, ranks: 1" in printed[2], "it goes on from the checkpoint"
assert (folder / "elastic" / "step.txt").read_text() == "20", "all steps are done"

# %%
# The remaining rank was told that it is one of one, and it began at step 10, where the
# checkpoint was. What does that mean for the parts of a training program?
#
# .. list-table::
#    :header-rows: 1
#
#    * - Part
#      - When the world size changes
#    * - ``DistributedSampler``
#      - It asks for rank and world size when it is made, so the new ranks share all
#        samples again. But the checkpoint must say how many samples all ranks
#        *together* have seen. A count for each rank is wrong now.
#    * - Batch size
#      - If each rank has a fixed one, the global batch shrinks with the nodes. Deal out
#        a fixed *global batch*, as our program does with its 64 samples. With three
#        ranks they get 22, 21 and 21, so weight each rank's loss by its samples, or
#        choose a batch that can be divided.
#    * - Learning rate
#      - It belongs to the global batch. If that stays, the learning rate and its
#        schedule stay too. If it shrinks, so should the learning rate, and then the
#        run isn't the one that you planned.
#
# :doc:`/tutorials/start/training_program` does this for DDP. It keeps the global batch,
# and its checkpoint contains nothing that depends on the number of ranks.
#
# Spare nodes keep the world size
# -------------------------------
#
# Mostly you don't want a smaller run, you want the same one on another node. Then let
# ``--nnodes=2`` stay, and start the same command on a third node. The third
# ``torchrun`` finds the run complete and waits as a *spare*, without a limit. When one
# of the two is lost, it takes its place, and world size, batch and sampler stay as they
# were. The price is a node that does nothing most of the time. One node can't be
# replaced: that of the endpoint, since the store is lost with it. And when the run is
# done, the spare ends with an error for the same reason, so look at the return code of
# the others.
#
# A spare also helps against the worst accident, a node that is silent: its power fails
# or its cable is pulled, no connection is closed, and the others wait in their
# collective until the timeout of the group. That a node is lost doesn't make the other
# torchruns restart their ranks, by the sources of PyTorch 2.13. That a spare waits to
# join does. We tried it on a CPU: we froze a node (SIGSTOP), and as soon as it counted
# as dead, the spare came in, and the frozen one was left behind. This page hasn't tried
# it with NCCL.
#
# Count what crosses the network
# ------------------------------
#
# In one ring of all ranks, as in :doc:`/tutorials/inside/collectives`, a single rank
# carries all that leaves its node. But often each GPU has a network card of its
# own, and the others would be idle. So NCCL divides the data and gives each part a ring
# of its own, which leaves the node from another rank. Such rings are *flat*: they don't
# care where a node ends.
#
# A *hierarchical* all-reduce does the reduce-scatter inside each node. Then each rank
# adds up only its chunk across the nodes, and the all-gather is inside again.
#
# What does that mean in seconds? Let two nodes with eight GPUs each add up the
# gradients of a model with 7 billion parameters in bf16, 14 GB. All that a node sends
# is divided among its cards.


def seconds_across(n_nodes, n_cards, gigabits, n_bytes=14e9):
    """Return the seconds of one all-reduce: in flat rings, and hierarchical."""
    bytes_per_second = n_cards * gigabits * 1e9 / 8
    n_ranks = 8 * n_nodes
    flat = 2 * (1 - 1 / n_ranks) * n_bytes
    hierarchical = 2 * (1 - 1 / n_nodes) * n_bytes
    return flat / bytes_per_second, hierarchical / bytes_per_second


for n_cards, gigabits in ((8, 400), (1, 100), (1, 10)):
    flat, hierarchical = seconds_across(2, n_cards, gigabits)
    print(f"{n_cards} x {gigabits} gigabit/s: {flat:.2f} seconds in flat rings,",
          f"{hierarchical:.2f} hierarchical")

# %%
# The time of a step decides which of these you can bear. If the GPUs compute for a
# second, DDP hides the first almost completely, and with the last one they'd wait for
# 20 seconds. (The page computes this from the bandwidth alone. It has no network.) In
# fp32, the gradients of DDP are twice as many bytes. FSDP in bf16 sends half as much
# again, because its all-gathers cross the network in the forward and in the backward
# pass. With more nodes the hierarchical way gains less.
flat, hierarchical = seconds_across(32, 8, 400)
assert hierarchical > 0.97 * flat, "with 32 nodes both take about the same time"

# %%
# Which algorithm NCCL takes, only its log tells
# ----------------------------------------------
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
# By the sources of NCCL 2.30, the choice is made anew for each message, by estimates of
# latency and bandwidth. To see what your run takes, ask for it. Rank 0 then writes a
# line for each collective, like the one below (its form is from the same sources).
#
# .. code-block:: bash
#
#    NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,TUNING torchrun …
#
# .. code-block:: none
#
#    NCCL INFO AllReduce: 4096 Bytes -> Algo TREE proto LL channel{Lo..Hi}={0..0}
#
# Which network card: a good and a bad log
# ----------------------------------------
#
# The most expensive mistake with several nodes makes no error. NCCL finds no fast
# network card, takes the slow one that also carries your SSH session, and everything
# works, many times slower. So start the first run on new machines with
# ``NCCL_DEBUG=INFO`` and read three lines. We have put the lines of this section
# together from the sources of NCCL 2.30, since this page hasn't run on GPUs. Other
# versions write them a little differently, we leave out the host and the process at the
# beginning, and names and addresses are examples. A good log on machines with
# InfiniBand (*IB*; RoCE is the same over Ethernet) looks like this:
#
# .. code-block:: none
#
#    NCCL INFO Bootstrap: Using eth0:10.0.0.1<0>
#    NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.1<0>
#    NCCL INFO Channel 00/0 : 7[7] -> 8[0] [send] via NET/IB/0/GDRDMA
#
# The first line is the network on which the ranks get to know each other, and an
# ordinary one is fine. The second one lists the fast cards: count them. The third says
# that rank 7 sends to rank 8 on the other node through card 0, and that the card reads
# the memory of the GPU directly (*GPUDirect RDMA*). And here are lines that should stop
# you:
#
# .. list-table::
#    :header-rows: 1
#
#    * - Line
#      - What it means
#    * - ``NET/IB : No device found.``
#      - NCCL sees no InfiniBand. Is it there (``ibv_devices``), and does the container
#        see it? Right on machines that have none.
#    * - ``via NET/Socket/0``
#      - The data go through TCP. Right only if this is your fastest network. In a cloud
#        it rarely is: there the fast cards often have a plugin of their own, and the
#        lines name it, as ``NET/OFI`` on AWS (`aws-ofi-nccl
#        <https://github.com/aws/aws-ofi-nccl>`__).
#    * - ``via NET/IB/0`` without ``/GDRDMA``
#      - Each message makes a detour through the memory of the host. Perhaps the GPU
#        and the card are too far apart for ``NCCL_NET_GDR_LEVEL``, or an older driver
#        needs the kernel module ``nvidia-peermem``.
#    * - ``Bootstrap: Using docker0:172.17.0.1<0>``
#      - NCCL has found only a virtual interface, whose address means, on each node,
#        the node itself. Choose another by ``NCCL_SOCKET_IFNAME``.
#    * - ``connect to 10.0.0.2<41234> returned Connection refused, retrying``
#      - A firewall, or an address that this node can't reach. NCCL takes ports that
#        nobody knows before, so all ports have to be open between the nodes.
#
# Two variables of NCCL choose, and its `manual
# <https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html>`__ explains more:
#
# .. code-block:: bash
#
#    export NCCL_SOCKET_IFNAME=eth0         # begins with "eth0"; "=eth0" is exact
#    export NCCL_IB_HCA==mlx5_0,mlx5_1      # with "=": else mlx5_1 is also mlx5_10
#    export GLOO_SOCKET_IFNAME=eth0         # the same for Gloo, by the exact name
#
# ``NCCL_SOCKET_IFNAME`` is for the interface with an IP address, as ``ip -brief
# address`` lists them, and ``NCCL_IB_HCA`` for the InfiniBand cards. They may differ
# from node to node. With NCCL's own choice, interfaces whose names begin with ``ib``
# come first, and ``docker`` and ``lo`` last. So set a variable only if the log is bad.
#
# The log names the card, but not its speed. So measure the network between two nodes
# once, before the first long run, with `nccl-tests
# <https://github.com/NVIDIA/nccl-tests>`__, and compare *busbw* with the bandwidth of
# all cards of a node together. Without ``MPI=1`` you'd get 16 tests of one GPU each,
# which send nothing, so look if the output lists 16 ranks.
#
# .. code-block:: bash
#
#    make MPI=1 MPI_HOME=/path/to/mpi
#    mpirun -np 16 -N 8 -H node0:8,node1:8 ./build/all_reduce_perf -b 1G -e 1G
#
# Slurm: one task on each node
# ----------------------------
#
# Let ``srun`` start one ``torchrun`` on each node, with all its GPUs, and ``torchrun``
# starts the ranks. This script, ``train.slurm``, starts
# :doc:`/tutorials/start/training_program`, and the job comes back into the queue until
# all steps are done. Adapt the numbers, the folder and the command. For
# :doc:`/tutorials/larger_models/real_run`, whose checkpoints are folders, set ``saved``
# to ``.metadata``.
job = r"""#!/bin/bash
#SBATCH --nodes=2 --ntasks-per-node=1 --gpus-per-node=8 --cpus-per-task=64
#SBATCH --time=24:00:00 --signal=USR1@120 --requeue
#SBATCH --output=%j.log --open-mode=append
folder=/shared/run   # on a disk that all nodes share, a new one for each run
saved=checkpoint.pt  # of training_program.py; for real_run.py: .metadata
# source /shared/venv/bin/activate  # if all nodes need it: the same Python

# With --max-restarts the new ranks need a new store, not that of the dead ones.
export TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1
export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK  # srun does not inherit it
node0=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
port=$((20000 + SLURM_JOB_ID % 10000))  # another job may use the node, too

touch "$folder.started"
srun --kill-on-bad-exit=1 --label torchrun \
    --nnodes="$SLURM_NNODES" --nproc-per-node="$SLURM_GPUS_ON_NODE" --max-restarts=3 \
    --rdzv-backend=c10d --rdzv-endpoint="$node0:$port" --rdzv-id="$SLURM_JOB_ID" \
    --signals-to-handle=SIGTERM,SIGUSR1 --shutdown-timeout=110 \
    training_program.py --folder "$folder" --data /shared/data \
    --steps 20000 --batch 512 && exit

# Not yet done. Go on in another try, if this one has saved a checkpoint.
[ "$(find "$folder" -name "$saved" -newer "$folder.started")" ] &&
    scontrol requeue "$SLURM_JOB_ID"
"""

# %%
# - **The time is over.** Two minutes before, Slurm sends a signal (``--signal``), and
#   ``torchrun`` passes it on to the ranks, which save and end
#   (:doc:`/tutorials/start/training_program` shows how). After a signal ``torchrun``
#   ends with an error, even if all ranks have saved. So the last lines put the job back
#   into the queue, and the next try finds the checkpoint. They do so only if this try
#   has saved one, because a program with a mistake would come back forever.
# - **All steps are done.** Then ``srun`` succeeds, and the script ends at ``exit``.
# - **A rank dies.** All nodes start their ranks again (``--max-restarts``), and the
#   program goes on from the newest checkpoint. For that the script also sets the
#   variable from above.
# - **A node dies.** Slurm ends the job. With ``--requeue`` (see the `manual of sbatch
#   <https://slurm.schedmd.com/sbatch.html>`__) it queues the job again, and the script
#   begins anew. If ``srun`` notices it first, it ends the other torchruns
#   (``--kill-on-bad-exit``), and the last lines queue the job.
# - **A card is broken.** ``SLURM_GPUS_ON_NODE`` is the number that you have asked for,
#   so a rank finds no GPU, and the program stops.
#
# Try all of this once, with ``scancel --signal=USR1`` and a short job. We have run the
# script with stand-ins for the commands of Slurm, not on a cluster.
#
# Typing errors in such a script show only after hours in the queue. So let ``bash -n``
# read it first: it checks the syntax and runs nothing.
checked = subprocess.run(["bash", "-n"], input=job, capture_output=True, text=True)
assert checked.returncode == 0, f"the script for Slurm has an error: {checked.stderr}"
print("bash -n finds no error")

# %%
# Another way is common too: a task for each GPU, and no ``torchrun``. But by itself
# ``srun`` sets neither ``RANK`` nor ``LOCAL_WORLD_SIZE``. It numbers its tasks by
# ``SLURM_PROCID``, which our first lines do not read. So each task takes itself for a
# run of one rank, like the one that we started with ``python`` above. All tasks of a
# node then take GPU 0, and if you are lucky, its memory isn't enough for them. If it
# is, sixteen tasks train sixteen models and write one file over the other, and nothing
# fails. Only the first line tells: each task prints it, with ``ranks: 1``.
#
# If you translate the variables of Slurm yourself, leave out ``--gpus-per-task=1``.
# With it each task sees one GPU, so ``torch.accelerator.device_count()`` is 1. Programs
# like ours want a GPU for each local rank, so they take the CPU then.
#
# In Kubernetes, `Kubeflow Trainer
# <https://www.kubeflow.org/docs/components/trainer/>`__ starts ``torchrun`` and sets
# its options by variables, such as ``PET_NNODES``.
#
# When the nodes do not meet
# --------------------------
#
# In the order in which you'd see them. Begin with the simplest question: is the command
# really the same on all nodes?
#
# .. list-table::
#    :header-rows: 1
#
#    * - What you see
#      - Cause
#      - What to do
#    * - "while trying to connect to" the endpoint
#      - A wrong name or a firewall. Or no node takes the name for its own (an alias, or
#        the address of a second network card), so none of them opens the store.
#      - ``nc -zv node0 29400`` on the other nodes. If nothing listens: take the host
#        name of ``node0``, or tell that node, and no other, by ``--rdzv-conf`` with the
#        value ``is_host=true``
#    * - All nodes wait, then "RendezvousTimeoutError"
#      - A node did not come within ten minutes, or it is at another endpoint. With
#        ``localhost`` as the endpoint, each node is its own.
#      - Did it start? Compare ``--nnodes``, ``--rdzv-endpoint`` and ``--rdzv-id``
#    * - "RendezvousClosedError"
#      - The run with this ``--rdzv-id`` has ended already
#      - Start all nodes again, with a new ``--rdzv-id``
#    * - Each node prints ``WORLD_SIZE=8`` instead of 16, and both train
#      - They are separate runs: ``--standalone`` or ``--nnodes=1`` in the command
#      - Print the world size at the start, and stop if it is wrong
#    * - Ranks do not reach ``MASTER_ADDR``
#      - Other nodes do not know the host name of a node
#      - Give each node ``--local-addr`` with an address that the others can reach
#    * - The nodes meet, but the first collective waits
#      - A wrong interface, or closed ports
#      - ``NCCL_DEBUG=INFO``, then ``NCCL_SOCKET_IFNAME`` or ``GLOO_SOCKET_IFNAME``
#    * - Everything works, but a step takes ten times as long
#      - The data take the slow network
#      - Look for ``NET/Socket`` in the log, see above
#    * - ``ibv_reg_mr`` or ``ibv_create_qp`` failed
#      - A container may lock too little memory
#      - ``ulimit -l``: it should be ``unlimited``
#    * - NCCL fails as soon as a second node takes part
#      - Another image, driver or version on one of the nodes
#      - Print ``torch.__version__`` and ``torch.cuda.nccl.version()`` on each
#
# Try it
# ------
#
# Predict first, then run.
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
#   until rank 0 has saved. When a node is lost, everything begins again from the
#   checkpoint, with other ranks and maybe another world size.
# - On new machines, read the log of NCCL once: it says which network card and which
#   algorithm it takes. Several rings divide what crosses the network among the cards.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/start/when_it_hangs` finds the rank that others wait for.
# - :doc:`/tutorials/long_runs/choosing` compares the ways of this site on one model.
# - The manual of `torchrun <https://docs.pytorch.org/docs/stable/elastic/run.html>`__
#   explains runs in which nodes come and go.
