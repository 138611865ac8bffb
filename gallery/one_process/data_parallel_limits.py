"""
Limits: why one process is not enough
=====================================

:Card: One GPU holds more, nothing overlaps, Python takes turns.
:Learn: You will imitate a step of ``nn.DataParallel`` to see three of its limits, and
    two traps that change results.
:Prerequisites: :doc:`/tutorials/one_process/multi_gpu_examples`
:Picture: limits
:Oldest torch: 2.8

.. note::

   PyTorch `recommends DistributedDataParallel
   <https://docs.pytorch.org/docs/2.13/generated/torch.nn.DataParallel.html>`__ in place
   of ``DataParallel``, even on a single machine. Read this page if you maintain code
   that uses it; otherwise, go to :doc:`/tutorials/start/one_gpu_to_many`.

With ``nn.DataParallel``, one line puts all GPUs of a machine to work, and yet training
may be hardly faster than on one. This page shows three reasons, so that you can tell
when the one line is enough.

We take one training step apart and imitate it on any machine, to see what each device
holds, what has to travel, and what has to wait. On the CPU we measure the effect of
Python's lock. Then come two traps that can change your results, although the program
runs.
"""

# %%
# One training step has eight parts
# ---------------------------------
#
# This is all that a user writes. The model and the batch are on the first GPU, or on
# the CPU if there is none.
import torch
from torch import nn

n_gpus = torch.cuda.device_count()
gpus = [torch.device("cuda", i) for i in range(n_gpus)]
devices = gpus or [torch.device("cpu")]
device = devices[0]
accelerator = torch.accelerator.current_accelerator(check_available=True)
if accelerator and accelerator.type not in ("cuda", "mps"):
    raise SystemExit(f"nn.DataParallel does not run on {accelerator.type}.")

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 1000))
model = model.double().to(device)  # for a precise comparison
x = torch.randn(128, 64).double().to(device)  # (batch, features)
target = torch.randint(1000, (128,)).to(device)  # (batch,)
loss_function = nn.CrossEntropyLoss()

parallel_model = nn.DataParallel(model)
loss = loss_function(parallel_model(x), target)
loss.backward()
expected = [p.grad for p in model.parameters()]
print("parameters with a gradient:", len(expected))

# %%
# Going forward, the first device *splits* the batch and *replicates* the model. All
# devices *compute*. Then their outputs are *gathered* on the first, for the *loss*.
#
# Going backward, the gradient of the outputs is *split*. All devices compute the
# *gradients* of the weights. Then these are *reduced* to one sum on the first. In the
# figure, arrows show where data comes from and where it ends up.
#
# .. alt-text:: The eight parts of a step on four devices. All devices compute in two of
#    them. Every other part starts or ends on the first device.
import matplotlib.pyplot as plt

parts = "split replicate compute gather loss split gradients reduce".split()
fig, ax = plt.subplots(figsize=(7, 3))
for i, part in enumerate(parts):
    color, hatch = ("C0", "") if i < 5 else ("C1", "//")
    for d in range(4):
        if part in ("compute", "gradients") or (part, d) == ("loss", 0):
            ax.barh(d, 0.6, 0.6, left=i - 0.3, color=color, hatch=hatch)
        elif part != "loss" and d > 0:
            start, end = (d, 0) if part in ("gather", "reduce") else (0, d)
            ax.plot([i - 0.3, i + 0.3], [start, end], "s", color=color, markersize=9)
            arrow = {"arrowstyle": "-|>", "color": color, "shrinkA": 5, "shrinkB": 5}
            ax.annotate("", (i + 0.3, end), (i - 0.3, start), arrowprops=arrow)
ax.text(2, -0.6, "forward pass", ha="center")
ax.text(6, -0.6, "backward pass", ha="center")
ax.set(xlabel="part of the step", ylabel="device", yticks=range(4), ylim=(3.5, -0.9))
ax.set_xticks(range(8), parts, fontsize="small")
plt.show()

# %%
# The same step by hand
# ---------------------
#
# The wrapper shares the work only where there are several GPUs. To look inside on any
# machine, we imitate it over ``n`` devices, and if there are fewer GPUs, a device takes
# several turns. What this page counts, it counts on the imitation.
#
# We copy one detail from PyTorch's own `replicate
# <https://github.com/pytorch/pytorch/blob/main/torch/nn/parallel/replicate.py>`__,
# because it matters below: all parameters go through a single autograd function. Going
# forward, it makes the replicas. The first one uses the weights of the model itself,
# the others get copies. Going backward, it adds up the gradients of all replicas. With
# four devices, the model gets the same gradients as in the step above.
from torch.func import functional_call

n_parameters = len(expected)
events = []  # what happens in the backward pass, in order


class Broadcast(torch.autograd.Function):
    @staticmethod
    def forward(ctx, places, *parameters):
        copies = [p.to(d, copy=True) for d in places[1:] for p in parameters]
        return *parameters, *copies

    @staticmethod
    def backward(ctx, *gradients):  # those of replica 0, then of replica 1, ...
        events.append(f"reduce {len(gradients)} gradients")
        sums = []
        for i in range(n_parameters):
            sums.append(sum(g.to(device) for g in gradients[i::n_parameters]))
        return None, *sums  # places have no gradient


def forward(x, n):
    places = (devices * n)[:n]
    names, parameters = zip(*model.named_parameters())
    tensors = Broadcast.apply(places, *parameters)
    starts = range(0, n * n_parameters, n_parameters)
    weights = [dict(zip(names, tensors[i : i + n_parameters])) for i in starts]
    pieces = [piece.to(d) for piece, d in zip(x.chunk(n), places)]
    outputs = [functional_call(model, w, piece) for w, piece in zip(weights, pieces)]
    gathered = torch.cat([out.to(device) for out in outputs])
    return weights, pieces, outputs, gathered


def size(tensors):
    return sum(t.nbytes for t in tensors)


weights, pieces, outputs, gathered = forward(x, 4)
loss = loss_function(gathered, target)
gradients = torch.autograd.grad(loss, list(model.parameters()))
torch.testing.assert_close(list(gradients), expected)
print([tuple(piece.shape) for piece in pieces], "->", tuple(gathered.shape))

# %%
# First limit: one device holds more
# ----------------------------------
#
# Every device holds weights, a piece of the batch, its outputs, and the gradients of
# its replica. Two more large things are on the first device only: the optimizer state
# and the gathered outputs. We count all that one step needs, even if at different
# moments. We leave out the whole batch and what the loss keeps for the backward pass.
optimizer = torch.optim.Adam(model.parameters())
optimizer.step()
state = [s[k] for s in optimizer.state.values() for k in ("exp_avg", "exp_avg_sq")]
held = []
for w, piece, out in zip(weights, pieces, outputs):
    # Gradients are as large as the weights.
    held.append(2 * size(w.values()) + size([piece, out]))
held[0] += size(state) + size([gathered])
one_model = size(model.parameters())
memory = {(p.device, p.data_ptr()) for w in weights for p in w.values()}
assert len(memory) == 4 * len(expected)
assert held[1] == held[2] == held[3]
assert held[0] - held[1] == 2 * one_model + gathered.nbytes, (
    "the first device holds something else in addition")
assert size(gradients) == one_model
print("bytes on each device:", held)

# %%
# What the first device holds in addition is twice the model, and the outputs of the
# whole batch. When the gradients are reduced, it's three times the model for a moment,
# because the sums are made beside the gradients that they are made of. So the first GPU
# runs out of memory while the others have room. The activations, which are the outputs
# of the inner layers, are not counted here, because they add the same to every device.
#
# Second limit: nothing else happens while the model travels
# ----------------------------------------------------------
#
# The replicas live for one step only. So in each step every other device receives the
# whole model, and returns as many bytes of gradients.
for n in (2, 4, 8):
    weights, pieces, _, gathered = forward(x, n)
    copies = [p for w in weights[1:] for p in w.values()]
    returned = torch.autograd.grad(loss_function(gathered, target), copies)
    assert size(copies) == size(returned) == (n - 1) * one_model
    print(n, "devices:", len(pieces[0]), "rows each,", size(copies), "bytes of copies")

# %%
# You might expect the first GPU to be the bottleneck, because it has to send all these
# copies. Our imitation does that, and so does the wrapper on Windows, where PyTorch has
# no NCCL. With NCCL, the library that moves data between GPUs, `it is different
# <https://github.com/pytorch/pytorch/blob/main/torch/nn/parallel/comm.py>`__: the other
# GPUs pass on what they receive, and add up gradients on the way back. So the first GPU
# sends the model about once, and receives gradients of its size about once, no matter
# how many GPUs there are.
#
# The trouble is *when* this happens. All copies are made before the first layer begins,
# and the reduction is the last event of the backward pass: since all parameters went
# through one autograd function, it starts when the last gradient of the last replica is
# there. Let's write down in which order the imitation gets them.
weights, _, _, gathered = forward(x, 4)
for replica, w in enumerate(weights):
    for name, tensor in w.items():
        event = f"{name} of replica {replica}"
        tensor.register_hook(lambda gradient, event=event: events.append(event))
events.clear()
loss_function(gathered, target).backward()
print("events:", len(events), "- the last one:", events[-1])
assert len(events) == 4 * n_parameters + 1
assert events[-1] == f"reduce {4 * n_parameters} gradients"

# %%
# Sixteen gradients come first, then all of them are reduced. Two things follow:
#
# - Until then, none of the gradients can be freed, so each of the other GPUs holds a
#   model of gradients as well. We counted them above.
# - No GPU computes while the model or its gradients travel. That is what processes do
#   better: ``DistributedDataParallel`` (DDP) sends no parameters after its start, and
#   its gradients travel while the backward pass goes on, as
#   :doc:`/tutorials/inside/ddp_from_scratch` shows.
#
# With more devices, a batch of the same size leaves fewer rows for each, so there is
# less work between the same journeys. A larger batch would help, but the first device
# limits its size.
#
# Third limit: one interpreter serves all devices
# -----------------------------------------------
#
# In its forward pass, ``nn.DataParallel`` uses one thread for each device, and all
# threads share one Python interpreter. In the usual build of Python, its lock, the GIL,
# lets only one of them run Python code at a time. Processes do not share it, because
# each has an interpreter of its own. The backward pass suffers less, because there
# autograd drives each GPU from a thread written in C++, which needs no Python for
# PyTorch's own operations.
#
# Two threads, then two processes, do the same work side by side, in rounds of many
# small matrix products and rounds of a few large ones. We measure on the CPU. On a GPU
# an operation returns at once, so there the threads compete to start operations.
import inspect
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from subprocess import PIPE, Popen
from threading import Barrier


def work(wait):
    torch.set_num_threads(1)
    windows = []
    for size, products in [(4, 5000), (512, 2)] * 20:
        x = torch.ones(size, size)
        wait()
        start = time.perf_counter()
        for _ in range(products):
            x @ x
        windows.append((start, time.perf_counter()))
    return os.getpid(), windows


# %%
# Both workers start each round together, because they disturb each other only while
# both work. Threads meet at a barrier. A process prints ``ready`` and waits for a line,
# which we send when all are ready.
child = f"""
import json, os, time, torch
{inspect.getsource(work)}
print(json.dumps(work(lambda: input("ready\\n"))))
"""


def in_threads(n):
    wait = Barrier(n, timeout=60).wait
    with ThreadPoolExecutor(n) as pool:
        return list(pool.map(work, [wait] * n))


def in_processes(n):
    pipes = {"stdin": PIPE, "stdout": PIPE, "bufsize": 1, "text": True}
    workers = [Popen([sys.executable, "-c", child], **pipes) for _ in range(n)]
    for _ in range(40):  # two jobs, 20 rounds each
        assert [worker.stdout.readline() for worker in workers] == ["ready\n"] * n
        for worker in workers:
            print(file=worker.stdin)
    return [json.loads(worker.communicate()[0]) for worker in workers]


# %%
# Each worker returns its process ID, and when its rounds began and ended, by a clock
# that all processes share. Two threads have one process and one interpreter, two
# processes have two. A round lasts from the first start to the last end, and the best
# one counts, because other programs disturb it least.
best = []
for run, n in (in_threads, 1), (in_threads, 2), (in_processes, 2):
    pids, windows = zip(*run(n))
    starts, ends = torch.tensor(windows, dtype=torch.float64).unbind(-1)
    assert starts[:, 0].max() < ends[:, -1].min()  # they worked at the same time
    best.append((ends.amax(0) - starts.amin(0)).view(20, 2).amin(0))  # small, large
    assert len(set(pids)) == (n if run is in_processes else 1)
    print(run.__name__, "- workers:", n, "interpreters:", len(set(pids)))

# %%
# In the figure, 1 means that the second worker costs no extra time. At 2, the workers
# might as well take turns. Every product gives the lock back while it computes, and
# must get it back before the next line of Python. For a small product, waiting for the
# lock and waking up takes longer than the product, so two threads can take longer
# together than if they took turns. For a large product the wait does not matter, and
# two processes have no lock in common.
#
# .. note::
#
#    The times come from the machine that built this page. Two workers need two free
#    cores. Without them, all bars are long.
#
# .. alt-text:: Time of two workers, relative to one, for small and large operations.
#    Two threads are compared with two processes.
alone, threads, processes = best
fig, ax = plt.subplots(figsize=(7, 3))
ax.barh([0, 3], (threads / alone).tolist(), label="two threads")
ax.barh([1, 4], (processes / alone).tolist(), hatch="//", label="two processes")
ax.axvline(1, color="C0", linestyle=":")
ax.set_yticks([0.5, 3.5], ["small operations", "large operations"])
ax.set(xlabel="time, where one worker alone takes 1", ylim=(8, -1))
ax.legend(loc="lower right")
plt.show()

# %%
# First trap: what forward changes is lost
# ----------------------------------------
#
# Replicas are thrown away after the forward pass, together with everything that
# ``forward`` stored on them. Only the first one uses the model's own parameters and its
# buffers, which are tensors that are not trained, such as the statistics of batch
# normalization. So an in-place change survives only there. This module counts its calls
# in an attribute and its rows in a buffer.
from copy import deepcopy


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.register_buffer("rows", torch.zeros(()))

    def forward(self, x):
        self.calls += 1
        self.rows += len(x)
        return x


counting = Counting().to(device)
replicas = [deepcopy(counting) for _ in range(4)]
replicas[0].rows = counting.rows  # the first replica shares the buffers
for replica, piece in zip(replicas, x.chunk(4), strict=True):
    replica(piece)
print("calls:", counting.calls, " rows:", int(counting.rows), "of", len(x))
assert counting.calls == 0 and counting.rows == 32

wrapped = nn.DataParallel(Counting().to(device))
wrapped(x)
assert wrapped.module.calls == (0 if len(gpus) > 1 else 1)
assert wrapped.module.rows == len(x.chunk(len(devices))[0])

# %%
# So the statistics of batch normalization come from the rows of the first device alone.
# On one device, ``nn.DataParallel`` makes no replicas and every change stays, so a test
# on a laptop does not find this trap.
#
# Second trap: a sum of losses is not their mean
# ----------------------------------------------
#
# If you compute the loss from the gathered outputs, as above, the gradients are right.
# But if a model returns its loss from ``forward``, ``nn.DataParallel`` returns one loss
# for each device, with a warning. ``backward`` needs a single number, so you must
# combine them. With their sum, the gradient grows with the number of devices.
#
# The mean is right only while all pieces have the same size. On four devices, ten rows
# give pieces of 3, 3, 3 and 1, so the single row counts three times as much as any
# other. The mean weighted by rows is right again. With ``ignore_index``, weight each
# loss by the number of targets that count, not by the rows.


def gradient(loss):
    return torch.autograd.grad(loss, model[0].weight, retain_graph=True)[0]


for n, batch in (2, 128), (4, 128), (8, 128), (4, 10):
    pieces = list(zip(x[:batch].chunk(n), target[:batch].chunk(n)))
    per_device = torch.stack([loss_function(model(a), b) for a, b in pieces])
    rows = torch.tensor([len(b) for _, b in pieces], device=device)
    weighted = (per_device * rows).sum() / rows.sum()
    whole = gradient(loss_function(model(x[:batch]), target[:batch]))
    torch.testing.assert_close(gradient(weighted), whole)
    mean, total = gradient(per_device.mean()), gradient(per_device.sum())
    torch.testing.assert_close(total, len(pieces) * mean)
    assert torch.allclose(mean, whole) == (batch == 128), (
        f"the mean of the losses for {batch} rows is not as expected")
print("the last pieces have", rows.tolist(), "rows")

# %%
# PyTorch recommends one process for each GPU
# -------------------------------------------
#
# The `documentation
# <https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html>`__ of
# ``nn.DataParallel`` recommends ``DistributedDataParallel`` instead, even on a single
# machine. There each device has a process, a lasting copy of the model and an optimizer
# of its own.
#
# The table compares one step on n devices. In its middle column, memory and order are
# what our imitation counted, and the bytes with NCCL follow from PyTorch's source. The
# last column is not computed here: no parameters are sent, as
# :doc:`/tutorials/start/distributed_data_parallel` shows, and the ring of
# :doc:`/tutorials/inside/collectives` spreads the traffic of the gradients evenly. So
# with three GPUs or more, the first one even has more to send and to receive than with
# DataParallel, but it computes meanwhile.
#
# .. list-table::
#    :header-rows: 1
#    :stub-columns: 1
#
#    * - In one step
#      - DataParallel
#      - DistributedDataParallel
#    * - Python interpreters
#      - one for all devices
#      - one for each device
#    * - Sent and received by the first device, in multiples of the model's size
#      - about 2 with NCCL, 2 (n - 1) without
#      - 4 (n - 1) / n
#    * - What is computed meanwhile
#      - nothing
#      - the backward pass
#    * - More on the first device than on others
#      - 2 times the model with Adam (3 for a moment), and the outputs of all rows
#      - nothing
#
# When the one line is enough
# ---------------------------
#
# Measure one step with the wrapper and one step on a single GPU, each with the batch
# that you want. If n GPUs are close to n times as fast, the one line is enough, and you
# keep a program that you can start as before, in a notebook as well. Expect that
# if all of this holds:
#
# - the model is small for the work that it does. A model with 100 million parameters in
#   float32 has 400 MB. There and back over links of 10 GB/s, it travels for 80 ms in
#   each step. That hardly matters if a step takes a second, but a lot if it takes 100
#   ms.
# - its operations are large, so that the GPUs are busy and not Python.
# - the first GPU has room for two or three models more than the others.
#
# Otherwise, and for any training that will run for days or on several machines, use
# ``DistributedDataParallel``.
#
# Try it
# ------
#
# Predict first, then run.
#
# - Take ``torch.optim.SGD`` in place of ``torch.optim.Adam``. Without momentum it has
#   no state. Which assert fails, and which numbers of the table must you change?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      The assert on ``held[0] - held[1]``. The two models that the first device held in
#      addition were the means of Adam. What is left are the gathered outputs, 1,024,000
#      bytes. So in the last row of the table, 2 becomes 0, and the 3 becomes 1, because
#      the sums of the gradients are still made beside them.
#
# - Take 9 rows in place of 10. Which assert fails then, and what does it say about the
#   mean of the losses?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      The last assert of that loop, because the mean is now right although the batch is
#      not 128. Nine rows on four devices make three pieces of 3 rows, and the fourth
#      device gets none. So what the mean needs are pieces of equal size. It doesn't
#      need a piece for each device.
#
# - In your own script: does ``forward`` return a loss, or does it store something on
#   ``self``? Then compare one step on one GPU with one step on all of them, with the
#   same batch and without dropout. Are the loss and the gradients the same?
#
# What to remember
# ----------------
#
# - With ``nn.DataParallel`` the first GPU holds more than the others, twice the model
#   with Adam and the outputs of all rows. So it's the first GPU that limits the batch.
# - In each step the model travels before the first layer, and the gradients after the
#   last one, while no GPU computes. One interpreter serves all threads, so small
#   operations wait for its lock.
# - What ``forward`` stores on a replica is lost. A loss that is returned from
#   ``forward`` must be weighted by rows: the sum grows with the devices, and the mean
#   is right only for pieces of equal size.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/larger_models/split_model` splits the model instead of the data.
# - :doc:`/tutorials/start/hello_ranks` starts one process for each device.
# - :doc:`/tutorials/start/one_gpu_to_many` turns a training script for one GPU into one
#   for many.
# - :doc:`/tutorials/start/distributed_data_parallel` has none of the three limits.
