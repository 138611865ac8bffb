"""
Collectives: who has what before and after
==========================================

:Card: Eight ways to move data, each shown on four ranks.
:Learn: You will run eight collectives, see what each rank holds afterwards, and build a
    ring all-reduce whose bytes you count.
:Prerequisites: :doc:`/tutorials/start/hello_ranks`
:Picture: grid
:Oldest torch: 2.9

Every kind of parallel training moves data between ranks with the same few calls. If you
know what each rank holds before and after a call, you can choose the right one, and you
know what it costs.

We run eight of these calls on cells with letters, so that every cell shows which rank
it comes from. Then we build the most important one ourselves and count its bytes.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 collectives.py
"""

# %%
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin with the same lines, and
# :doc:`/tutorials/start/hello_ranks` explains them. One rank is enough here, but then
# nothing moves. The function at the end returns the values of all ranks as a list. It
# is slow, so we use it only to look.
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


def from_all_ranks(value):
    values = [None] * world_size
    dist.all_gather_object(values, value)
    return values


# %%
# Letters show where a cell comes from
# ------------------------------------
#
# Each rank begins with a row of as many numbers as there are ranks. On rank 0 they are
# 100, 101, and so on, and we call them A0, A1. On rank 1 they are 200, 201, so B0, B1.
# The sum of the first numbers of all ranks is Σ0. ``show`` collects the rows of all
# ranks, prints them in the order of the ranks, and keeps them for a figure.
cells = 100 * torch.arange(1, world_size + 1)[:, None] + torch.arange(world_size)
names = {x: f"Σ{i}" for i, x in enumerate(cells.sum(dim=0).tolist())}
names |= {x: f"{chr(64 + x // 100)}{x % 100}" for x in cells.flatten().tolist()}
sums = [names[x] for x in cells.sum(dim=0).tolist()]
grids = {}


def show(title, tensor):
    grids[title] = from_all_ranks([names.get(x, "?") for x in tensor.tolist()])
    if rank == 0:
        print(title, *(" ".join(row) or "-" for row in grids[title]), sep="\n")
    return grids[title]


mine = cells[rank].to(device)
before = show("before", mine)

# %%
# One rank gives: broadcast and scatter
# -------------------------------------
#
# A *collective* is a call that every rank of a group makes, in the same order and with
# tensors of fitting shapes and types. If one rank skips it, the others can wait until
# the timeout: 10 minutes with NCCL and 30 with Gloo, unless ``init_process_group`` gets
# a ``timeout``. If sizes or types differ, nothing is promised: there may be an error, a
# wait, or wrong numbers. :doc:`/tutorials/start/when_it_hangs` shows how to find the
# rank that differs.
#
# ``broadcast`` copies the row of rank 0 to all ranks. ``scatter`` hands it out, so each
# rank receives one part. Only rank 0 has a list of parts, but every rank has a tensor
# of the right shape and type ready.
row = mine.clone()
dist.broadcast(row, src=0)
part = torch.empty_like(mine[:1])
dist.scatter(part, list(mine.split(1)) if rank == 0 else None, src=0)
copies, parts = show("broadcast", row), show("scatter", part)
assert copies == [before[0]] * world_size
assert parts == [[cell] for cell in before[0]]

# %%
# One rank receives: gather and reduce
# ------------------------------------
#
# ``gather`` is the way back: rank 0 receives a part from each rank, here the first cell
# of its row. ``reduce`` adds the rows cell by cell. Nothing is promised about what the
# tensors of the other ranks hold afterwards, so we leave their rows out.
parts = [torch.empty_like(part) for _ in range(world_size)] if rank == 0 else None
dist.gather(mine[:1], parts, dst=0)
total = mine.clone()
dist.reduce(total, dst=0)
gathered = show("gather", torch.cat(parts) if rank == 0 else mine[:0])
totals = show("reduce", total if rank == 0 else mine[:0])
first_cells = [row[0] for row in before]
assert gathered == [first_cells] + [[]] * (world_size - 1)
assert totals == [sums] + [[]] * (world_size - 1)

# %%
# All ranks receive the same: all-gather and all-reduce
# -----------------------------------------------------
#
# These two collectives give the whole result to every rank, so they have no ``dst``.
# ``all_gather`` fills a list of tensors with the parts, in the order of the ranks.
# ``all_reduce`` overwrites its input with the sum. With ``op=dist.ReduceOp.AVG`` it is
# the mean. ``MAX`` finds the slowest rank, and ``MIN`` tells whether every rank has
# another batch.
parts = [torch.empty_like(mine[:1]) for _ in range(world_size)]
dist.all_gather(parts, mine[:1])
total = mine.clone()
dist.all_reduce(total)
gathered, totals = show("all_gather", torch.cat(parts)), show("all_reduce", total)
assert gathered == [first_cells] * world_size
assert totals == [sums] * world_size, "a row is not the sum of all rows"
slowest = torch.tensor(float(rank), device=device)
dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
assert slowest == world_size - 1, "this is not the largest number of all ranks"

# %%
# Each rank receives its own: reduce-scatter and all-to-all
# ---------------------------------------------------------
#
# ``reduce_scatter`` adds the rows too, but each rank receives only one part of the sum.
# In ``all_to_all_single`` every rank scatters its row, so the table of all rows is
# transposed: the first cells go to rank 0, the second ones to rank 1.
part = torch.empty_like(mine[:1])
dist.reduce_scatter(part, list(mine.split(1)))
column = torch.empty_like(mine)
dist.all_to_all_single(column, mine)
parts, columns = show("reduce_scatter", part), show("all_to_all_single", column)
assert parts == [[name] for name in sums]
assert columns == [list(column) for column in zip(*before)]

# %%
# Training code uses variants of two of these calls that take one tensor in place of a
# list, so that nothing has to be copied between the list and one contiguous buffer.
# They are ``all_gather_into_tensor`` and ``reduce_scatter_tensor``. PyTorch 2.13 also
# calls them ``all_gather_single`` and ``reduce_scatter_single``, and warns of the older
# names.
#
# In the figure each row is a rank, and each cell has the color of the rank that it
# comes from. A sum has the colors of all ranks.
#
# .. alt-text:: Nine grids with a row for each of four ranks: what they hold before, and
#    after each collective, as printed above.
if rank == 0:
    import matplotlib.pyplot as plt

    owners = {name: [r] for r, row in enumerate(before) for name in row}
    fig, axes = plt.subplots(3, 3, figsize=(7, 6))
    for ax, (title, grid) in zip(axes.flat, grids.items()):
        for r, row in enumerate(grid):
            for i, name in enumerate(row):
                parts = owners.get(name, range(world_size))
                for k, owner in enumerate(parts):
                    style = {"color": f"C{owner}", "alpha": 0.5}
                    ax.barh(r, 0.9 / len(parts), left=i + 0.9 * k / len(parts), **style)
                ax.text(i + 0.45, r, name, ha="center", va="center")
        ax.set(title=title, xticks=[], yticks=range(world_size))
        ax.set(xlim=(-0.1, world_size), ylim=(world_size - 0.5, -0.5))

# %%
# All-reduce is reduce-scatter, then all-gather
# ---------------------------------------------
#
# After the reduce-scatter each rank holds one finished part of the sum. An all-gather
# of these parts gives every rank all of it, as ``all_reduce`` does in one call. Sharded
# training calls the two at different times, and in between a rank stores only its part.
parts = [torch.empty_like(part) for _ in range(world_size)]
dist.all_gather(parts, part)
assert torch.equal(torch.cat(parts), total)

# %%
# These calls have no gradient
# ----------------------------
#
# Autograd doesn't follow a collective. A loss over parts that ``all_gather`` has
# brought, such as a contrastive loss over the samples of all ranks, trains nothing, and
# as long as something else in the loss has a gradient, nobody tells you. Put the rank's
# own part back into the list:
own_part = torch.ones(2, device=device, requires_grad=True)
gathered_parts = [torch.empty_like(own_part) for _ in range(world_size)]
dist.all_gather(gathered_parts, own_part.detach())
assert not torch.cat(gathered_parts).requires_grad, "all_gather has a gradient now"
gathered_parts[rank] = own_part
torch.cat(gathered_parts).sum().backward()
assert own_part.grad.tolist() == [1, 1], "the rank's own part gets no gradient"

# %%
# Then each rank has the gradient of its own loss with respect to its own part. The
# losses of the other ranks depend on that part too, and their gradients are still
# missing. A function such as that of :doc:`/tutorials/larger_models/experts` sends them
# back.

# %%
# On GPUs, a call returns before the data is there
# ------------------------------------------------
#
# On a CPU, the calls above return when their work is done. On a GPU they return as soon
# as NCCL's work is queued, as all operations of a GPU do. You rarely notice, because a
# GPU works through its queues, called *streams*, in order: what you compute with a
# result is queued behind the collective, and starts after it. Only what needs a value
# on the CPU, such as ``print`` or ``tolist``, makes the program wait.
#
# .. admonition:: How to measure the time of a collective
#    :collapsible: closed
#
#    Call it a few times first, because NCCL sets up its connections at the first call.
#    Then call ``dist.barrier``, or you measure how long you wait for the slowest rank,
#    and ``torch.accelerator.synchronize``, which waits for the GPU. Look at the clock,
#    call the collective many times, synchronize again, and look again.
#
# With ``async_op=True``, a call returns a handle at once. Until you have called the
# handle's ``wait``, neither read nor change the tensor: no error would tell you that
# its numbers are wrong. With Gloo the program waits there for the data. With NCCL `only
# the stream waits <https://docs.pytorch.org/docs/stable/distributed.html>`__, and the
# program goes on.
total_again = mine.clone()
work = dist.all_reduce(total_again, async_op=True)
work.wait()
assert torch.equal(total_again, total)

# %%
# A ring spreads the bytes over all ranks
# ---------------------------------------
#
# To see what an all-reduce costs, we begin with the obvious way: rank 0 receives all
# tensors, adds them, and sends the sum to all. Each rank counts the bytes it sends.


def through_rank_0(tensor):
    if rank > 0:
        dist.send(tensor, dst=0)
        dist.recv(tensor, src=0)
        return tensor.nbytes
    received = torch.empty_like(tensor)
    for other in range(1, world_size):
        dist.recv(received, src=other)
        tensor += received
    for other in range(1, world_size):
        dist.send(tensor, dst=other)
    return (world_size - 1) * tensor.nbytes


# %%
# In a *ring*, each rank sends only to the next one, and the last sends to rank 0. Every
# tensor is cut into as many chunks as there are ranks. In step 0 each rank sends the
# chunk of its own number, and in every later step the one that has just arrived. In the
# first half it adds what arrives to its own chunk: the reduce-scatter. In the second
# half it keeps the finished sums: the all-gather. ``batch_isend_irecv`` starts sending
# and receiving together, because ranks that all send first could wait for each other.


def ring_all_reduce(tensor, history=None):
    assert tensor.is_contiguous() and len(tensor) >= world_size, "can't be cut"
    chunks = tensor.tensor_split(world_size)  # views, the first ones may be longer
    sent = 0
    for step in range(2 * (world_size - 1)):
        outgoing = chunks[(rank - step) % world_size]
        incoming = chunks[(rank - step - 1) % world_size]
        received = torch.empty_like(incoming)
        works = dist.batch_isend_irecv([
            dist.P2POp(dist.isend, outgoing, (rank + 1) % world_size),
            dist.P2POp(dist.irecv, received, (rank - 1) % world_size)])
        for work in works:
            work.wait()
        sent += outgoing.nbytes
        if step < world_size - 1:
            incoming += received  # reduce-scatter
        else:
            incoming.copy_(received)  # all-gather
        if history is not None:
            history.append(tensor.tolist())
    return sent


# %%
# Let's watch it. Rank 0 begins with 1 in every cell, rank 1 with 10, rank 2 with 100,
# so the digits of a cell tell which ranks have been added to it.
start = torch.full([world_size], 10**rank, device=device)
history = []
ring_all_reduce(start, history)
histories = from_all_ranks(history)  # [rank][step][cell]
if rank == 0:
    print("rank 0 after each step:", *history, sep="\n")
of_all = sum(10**r for r in range(world_size))
expected = [0] * (world_size - 2) + list(range(1, world_size + 1))
for steps in histories:
    n_finished = [row.count(of_all) for row in steps]
    assert n_finished == expected[: len(steps)], "a chunk comes too late"

# %%
# Each rank sends in every step, and always one chunk, which the arrows show. In the end
# it has sent as many chunks as there are steps.
#
# .. alt-text:: A row of four cells for each of four ranks. From each rank an arrow
#    leads to the next one, in another column for each: four cells have a second digit.
# .. alt-text:: The arrows have moved one column to the left. The four cells where they
#    end contain three ranks.
# .. alt-text:: Again one column to the left: now each rank has one cell with the digits
#    of all four ranks.
# .. alt-text:: From here on the arrows carry finished cells, and each rank has two.
# .. alt-text:: Each rank has three finished cells.
# .. alt-text:: After the last step all cells of all ranks are finished.
if rank == 0:
    for step in range(len(history)):
        fig, ax = plt.subplots(figsize=(7, 3.2))
        for r, steps in enumerate(histories):
            for i, value in enumerate(steps[step]):
                added = [k for k in range(world_size) if value // 10**k % 10]
                width = 0.9 / len(added)
                for place, k in enumerate(added):
                    left = i + place * width
                    ax.barh(r, width, 0.6, left, color=f"C{k}", alpha=0.5)
                ax.text(i + 0.45, r, f"{value}", ha="center", va="center")
            x = (r - step - 1) % world_size + 0.8  # the chunk that has just arrived
            for end in {r, r or world_size}:  # that of rank 0 leaves below the last row
                arrow = {"arrowstyle": "-|>", "linewidth": 2}
                ax.annotate("", (x, end - 0.25), (x, end - 0.75), arrowprops=arrow)
        first_half = step < world_size - 1
        ax.set_title("Reduce-scatter: add it" if first_half else "All-gather: keep it")
        ax.set(ylabel="rank", xticks=[], yticks=range(world_size))
        ax.set(xlim=(-0.1, world_size), ylim=(world_size - 0.2, -0.8))

# %%
# Both give the same sums as ``all_reduce``, and the ranks together send the same number
# of bytes. But with w ranks and N bytes, rank 0 first receives (w - 1) · N and then
# sends as much, while in the ring all ranks send at the same time, each of them
# 2 · (w - 1) / w · N. So the ring is w times as fast. Each half of it costs half of
# that, so a reduce-scatter, an all-gather or an all-to-all of N bytes in all sends
# (w - 1) / w · N from each rank.
gradient = torch.arange(1000.0 * world_size, device=device) % 10 + rank
by_rank_0, by_ring, by_torch = (gradient.clone() for _ in range(3))
star = from_all_ranks(through_rank_0(by_rank_0))
ring = from_all_ranks(ring_all_reduce(by_ring))
dist.all_reduce(by_torch)
w, n = world_size, gradient.nbytes
if rank == 0:
    print(f"tensor: {n} bytes\nthrough rank 0: {star}\nin a ring:      {ring}")
assert torch.equal(by_rank_0, by_torch) and torch.equal(by_ring, by_torch)
assert star == [(w - 1) * n] + [n] * (w - 1)
assert ring == [2 * (w - 1) * n // w] * w and sum(ring) == sum(star)

short = torch.ones(world_size + 1, device=device)  # the ranks don't divide its length
ring_all_reduce(short)
assert torch.equal(short, torch.full_like(short, world_size)), "chunks don't fit"

# %%
# How long does it take?
# ----------------------
#
# A ring has 2 · (w - 1) steps, one after the other. Each needs the latency of a message
# and the time for its bytes. Most links send and receive at the same time, so we count
# only what a rank sends. Let's pretend that it takes 10 µs until a message arrives, and
# that each rank sends 50 GB in a second, as between two machines with 400 Gbit/s for
# each GPU:


def ring_seconds(n_bytes, n_ranks, latency=10e-6, bytes_per_second=50e9):
    steps = 2 * (n_ranks - 1)
    return steps * (latency + n_bytes / n_ranks / bytes_per_second)


if rank == 0:
    print(f"14 GB on 16 ranks: {ring_seconds(14e9, 16):.2f} s")
    print(f"10 kB on 16 ranks: {ring_seconds(10e3, 16) * 1e6:.0f} µs")
    print(f"10 kB on 512 ranks: {ring_seconds(10e3, 512) * 1e6:.0f} µs")
assert ring_seconds(10e3, 16) < 1.01 * 30 * 10e-6, "a small tensor needs only latency"

# %%
# For a large tensor the bytes count, for a small one only the latency, which grows with
# the number of ranks. So NCCL has other algorithms too, and chooses by itself. On your
# own machines, `nccl-tests
# <https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md>`__ measures
# both: its *bus bandwidth* counts bytes as we do, and its time for the smallest tensor
# is the latency of all steps together.
#
# Each algorithm adds in another order, which can change the last bits of a sum. In
# bfloat16 every step of the ring rounds again. Our numbers are small and whole, so they
# agree.

# %%
# Groups: some of the ranks
# -------------------------
#
# Each of these calls takes a ``group``. All ranks must call ``new_group``, even those
# that aren't in it, and several groups in the same order. With NCCL, a rank in two
# groups has to call their collectives in the same order as the other ranks, or all can
# wait. ``src`` and ``dst`` still count ranks in the whole job; ``group_src`` and
# ``group_dst`` count inside the group.
last_ranks = list(range(world_size))[-2:]
group = dist.new_group(last_ranks)
row = mine.clone()
if rank in last_ranks:
    dist.broadcast(row, group_src=0, group=group)  # or src=last_ranks[0]
received = from_all_ranks(row.tolist())
expected = cells.tolist()
expected[-1] = expected[last_ranks[0]]
assert received == expected, "the last two ranks don't share a row"

# %%
# Which one when
# --------------
#
# .. list-table::
#    :header-rows: 1
#
#    * - Training
#      - Collectives
#    * - Data parallel (DDP)
#      - Broadcast of the parameters once, then all-reduce of the gradients, and a
#        broadcast of the buffers if there are any
#    * - Sharded (FSDP)
#      - All-gather of the parameters forward and again backward, then reduce-scatter of
#        the gradients
#    * - Tensor parallel
#      - All-reduce of the activations, for each transformer block twice forward and
#        twice backward
#    * - Pipeline parallel
#      - None: a stage sends activations to the next one, and receives their gradients
#    * - Context parallel
#      - All-gather or all-to-all of keys and values, or sends around a ring
#    * - Mixture of experts
#      - All-to-all of the tokens, to their experts and back
#
# At the end every rank leaves the group, and only then does rank 0 open the window of
# its figure, because a window stops the program until you close it.
dist.destroy_process_group()
if rank == 0:
    plt.show()  # last: while a window is open, no other rank waits

# %%
# Try it
# ------
#
# Predict first, then run.
#
# - Start the file with ``--nproc-per-node=2``. Does the rank that sends most send less
#   in the ring?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      No. Either way, each rank sends 8000 bytes, the size of the tensor, because with
#      two ranks (w - 1) · N and 2 · (w - 1) / w · N are both N. The ring is still twice
#      as fast, because both ranks send at once. With each rank that is added, rank 0
#      has to send one more N, while in the ring no rank ever sends as much as 2 · N.
#
# - In your own script: how many bytes do the gradients have, and how many bytes does
#   each rank send in a step? Count the bytes of the trainable parameters and use the
#   formula of the ring.
#
# What to remember
# ----------------
#
# - A collective is defined by what each rank holds before and after it. With ``all`` in
#   its name no rank is special: all-gather and all-reduce give every rank the whole
#   result. ``reduce`` means that the numbers are combined, usually added.
# - All-reduce is reduce-scatter, then all-gather. In a ring each rank sends less than
#   twice the bytes of its tensor, however many ranks there are.
# - On GPUs a collective returns before its data is there. With ``async_op=True`` call
#   ``wait`` before you use the result, and synchronize before you look at the clock.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/start/distributed_data_parallel` trains one model on all ranks,
#   with an all-reduce of the gradients.
# - The manual of `NCCL <https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/>`__
#   draws the same collectives for GPUs.
