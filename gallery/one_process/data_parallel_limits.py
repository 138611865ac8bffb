"""
DataParallel: why one process is not enough
===========================================

``nn.DataParallel`` takes one line of code, and all GPUs of a machine take part. Often
they are hardly faster than one. The reasons show when this line is good enough, and
what its successor does in another way.

We take one training step apart, count its bytes on several devices, and measure the
effect of Python's lock. At the end stand two traps that give wrong results without a
message.
"""

# %%
# One training step has eight parts
# ---------------------------------
#
# This is all that a user writes. The model and the batch are on the first GPU, or on
# the CPU if there is none.
import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 1000)).to(device)
x = torch.randn(128, 64).to(device)  # (batch, features)
target = torch.randint(1000, (128,)).to(device)  # (batch,)

parallel_model = torch.nn.DataParallel(model)
loss = F.cross_entropy(parallel_model(x), target)
loss.backward()

expected = [p.grad for p in model.parameters()]
print("parameters with a gradient:", len(expected))

# %%
# Going forward, the first device *splits* the batch and *replicates* the model. All
# devices *compute*. Then their outputs are *gathered* on the first, for the *loss*.
#
# Going backward, the gradient of the outputs is *split*. All devices compute the
# *gradients* of the weights. Then these are *reduced* to one sum on the first.
import matplotlib.pyplot as plt

parts = "split replicate compute gather loss split gradients reduce".split()
arrow = {"arrowstyle": "->", "color": "C1"}
fig, ax = plt.subplots(
    figsize=(7, 3),
    label="The eight parts of a step on four devices. All devices compute in two of "
    "them. Every other part starts or ends on the first device.",
)
for i, part in enumerate(parts):
    for d in range(4):
        if d == 0 or part in ("compute", "gradients"):
            ax.plot(i, d, "s", color="C0", markersize=14)
        elif part in ("split", "replicate"):
            ax.annotate("", (i + 0.4, d), (i, 0), arrowprops=arrow)
        elif part in ("gather", "reduce"):
            ax.annotate("", (i, 0), (i - 0.4, d), arrowprops=arrow)
ax.set(xlabel="part of the step", ylabel="device", yticks=range(4), ylim=(3.5, -0.5))
ax.set_xticks(range(8), parts)
plt.show()

# %%
# The same step by hand
# ---------------------
#
# To count, we write the forward pass ourselves, over ``n`` devices. If there are fewer
# GPUs, a device takes several turns. The first replica uses the weights of the model
# itself, the others get copies.
from torch.func import functional_call

gpus = [torch.device("cuda", i) for i in range(torch.cuda.device_count())]


def forward(x, n):
    devices = ((gpus or [device]) * n)[:n]
    named = dict(model.named_parameters())
    copies = [{k: p.to(d, copy=True) for k, p in named.items()} for d in devices[1:]]
    weights = [named, *copies]
    pieces = [piece.to(d) for piece, d in zip(x.chunk(n), devices)]
    outputs = [functional_call(model, w, piece) for w, piece in zip(weights, pieces)]
    gathered = torch.cat([out.to(device) for out in outputs])
    return weights, pieces, outputs, gathered


# %%
# With four devices, the loss gives the model the same gradients as the step above.
weights, pieces, outputs, gathered = forward(x, 4)
loss = F.cross_entropy(gathered, target)
gradients = torch.autograd.grad(loss, list(model.parameters()))

torch.testing.assert_close(list(gradients), expected, rtol=0, atol=1e-6)
print([tuple(piece.shape) for piece in pieces], "->", tuple(gathered.shape))

# %%
# First limit: one device carries more
# ------------------------------------
#
# Every device holds weights, a piece of the batch and its outputs. Three things are
# on the first device only. These are the gradients of the model, the state of the
# optimizer, and the gathered outputs. We count them all after the step.


def size(tensors):
    return sum(t.nbytes for t in tensors)


optimizer = torch.optim.Adam(model.parameters())
optimizer.step()
state = [s[k] for s in optimizer.state.values() for k in ("exp_avg", "exp_avg_sq")]

replicas = zip(weights, pieces, outputs)
held = [size(w.values()) + size([piece, out]) for w, piece, out in replicas]
held[0] += size(gradients) + size(state) + size([gathered])

one_model = size(model.parameters())
memory = {(p.device, p.data_ptr()) for w in weights for p in w.values()}
assert len(memory) == 4 * len(expected)
assert held[1] == held[2] == held[3]
assert held[0] - held[1] == 3 * one_model + gathered.nbytes
print("bytes on each device:", held)

# %%
# The difference is three times the model, and the outputs of the whole batch. So the
# first GPU runs out of memory while the others have room. The activations inside the
# model are not counted here. They add the same to every device.
#
# Second limit: every step copies the model
# -----------------------------------------
#
# The replicas live for one step only. With more devices there are more copies of the
# weights to send, and as many bytes of gradients to bring back. All of them leave or
# reach the first device.
for n in (2, 4, 8):
    weights, pieces, _, gathered = forward(x, n)
    copies = [p for w in weights[1:] for p in w.values()]
    returned = torch.autograd.grad(F.cross_entropy(gathered, target), copies)

    assert size(copies) == size(returned) == (n - 1) * one_model
    print(n, "devices:", len(pieces[0]), "rows each,", size(copies), "bytes of copies")

# %%
# A batch of the same size leaves fewer rows for each device, so there is less work for
# the same copies. A larger batch would help, but the first device limits its size.
#
# Third limit: one interpreter serves all devices
# -----------------------------------------------
#
# ``nn.DataParallel`` uses one thread for each device. Threads share one Python
# interpreter. Its lock, the GIL, lets only one of them run Python code at a time.
# Each process has an interpreter of its own.
#
# Two threads, then two processes, do the same work side by side. It is a round of many
# small matrix products, or a round of a few large ones.
import json
import os
import subprocess
import sys
import timeit
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

setup = "import torch; torch.set_num_threads(1); x = torch.ones({0}, {0}); wait()"
small = {"stmt": "x @ x", "setup": setup.format(4), "number": 5000, "repeat": 15}
large = {"stmt": "x @ x", "setup": setup.format(512), "number": 2, "repeat": 15}
jobs = [small, large]


def in_threads(n):
    # all threads start each round together
    start = {"wait": Barrier(n).wait}

    def work(_):
        return os.getpid(), [timeit.repeat(**job, globals=start) for job in jobs]

    with ThreadPoolExecutor(n) as pool:
        return list(pool.map(work, range(n)))


def in_processes(n):
    code = "import json, os, timeit\nwait = int\n"
    code += f"times = [timeit.repeat(**job, globals=globals()) for job in {jobs}]\n"
    code += "print(json.dumps([os.getpid(), times]))"
    command = [sys.executable, "-c", code]
    workers = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(n)]
    return [json.loads(worker.communicate()[0]) for worker in workers]


# %%
# Each worker returns its process ID and its times. Two threads have one process and
# one interpreter, two processes have two. The best round of a worker counts, because
# other programs disturb it least.
[(_, alone)] = in_threads(1)
ratios = {}
for start in (in_threads, in_processes):
    pids, times = zip(*start(2))
    ratios[start] = [
        max(min(first), min(second)) / min(one)
        for one, first, second in zip(alone, *times)
    ]
    assert len(set(pids)) == (1 if start is in_threads else 2)
    print(start.__name__, "- interpreters:", len(set(pids)))

# %%
# In the figure, 1 means that the second worker costs no time at all. A small product
# keeps the lock for most of its time, so two threads slow each other down. A large one
# gives the lock back while it computes. Two processes have no lock in common.
#
# .. note::
#
#    The times come from the machine that built this page. Two workers need two free
#    cores. Without them, all bars are long.
fig, ax = plt.subplots(
    figsize=(7, 3),
    label="Time of two workers, relative to one, for small and large operations. Two "
    "threads are compared with two processes.",
)
ax.barh([0, 3], ratios[in_threads], color="C0", label="two threads")
ax.barh([1, 4], ratios[in_processes], color="C1", hatch="//", label="two processes")
ax.axvline(1, color="C0", linestyle=":")
ax.set_yticks([0.5, 3.5], ["small operations", "large operations"])
ax.set(xlabel="time, where one worker alone takes 1", ylim=(8, -1))
ax.legend(loc="lower right")
plt.show()

# %%
# First trap: what forward changes is lost
# ----------------------------------------
#
# A replica disappears after the step, and its attributes with it. Only the first
# replica shares memory with the model. There, a change in place stays. This module
# counts its calls in an attribute and its rows in a buffer.
from copy import copy, deepcopy


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
# a shallow copy shares the buffer, a deep copy does not
replicas = [copy(counting)] + [deepcopy(counting) for _ in range(3)]
for replica, piece in zip(replicas, x.chunk(4), strict=True):
    replica(piece)

assert counting.calls == 0 and counting.rows == 32
print("calls:", counting.calls, " rows:", int(counting.rows), "of", len(x))

# %%
# Batch normalization keeps its statistics in buffers. So they come from the rows of
# the first device alone. On one device, ``nn.DataParallel`` makes no replicas and
# every change stays. A test on a laptop does not find this trap.
counting = Counting().to(device)
nn.DataParallel(counting)(x)

assert counting.calls == (0 if len(gpus) > 1 else 1)
assert counting.rows == len(x.chunk(max(1, len(gpus)))[0])

# %%
# Second trap: gradients are summed, not averaged
# -----------------------------------------------
#
# A loss that is the mean over the gathered batch needs no further thought. Some models
# return their loss from ``forward``. Then ``nn.DataParallel`` returns one loss for
# each device, and you choose what becomes of them.


def gradient(loss):
    return torch.autograd.grad(loss, model[0].weight, retain_graph=True)[0]


def losses(x, target):
    pairs = zip(x.chunk(4), target.chunk(4))
    return torch.stack([F.cross_entropy(model(a), b) for a, b in pairs])


whole = gradient(F.cross_entropy(model(x), target))
per_device = losses(x, target)

torch.testing.assert_close(gradient(per_device.mean()), whole, rtol=0, atol=1e-6)
torch.testing.assert_close(gradient(per_device.sum()), 4 * whole, rtol=0, atol=1e-6)
factor = gradient(per_device.sum()).norm() / whole.norm()
print("the sum of the losses multiplies the gradient by", round(factor.item(), 3))

# %%
# The mean is right only while all pieces have the same size. Ten rows give pieces of
# 3, 3, 3 and 1, and the single row counts three times as much as each other row. The
# weighted mean is right again.
few, answers = x[:10], target[:10]
whole = gradient(F.cross_entropy(model(few), answers))
rows = torch.tensor([len(piece) for piece in few.chunk(4)], device=device)
per_device = losses(few, answers)
weighted = (per_device * rows).sum() / rows.sum()

assert not torch.allclose(gradient(per_device.mean()), whole, atol=1e-3)
torch.testing.assert_close(gradient(weighted), whole, rtol=0, atol=1e-6)
print("pieces of", rows.tolist(), "rows")

# %%
# Not deprecated, not recommended
# -------------------------------
#
# ``nn.DataParallel`` gives no warning that it will be removed. Its `documentation
# <https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html>`__
# recommends ``DistributedDataParallel`` instead, even on a single machine. There each
# device has a process, a lasting copy of the model and an optimizer of its own.
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("error", DeprecationWarning)
    warnings.simplefilter("error", FutureWarning)
    nn.DataParallel(model)(x)
print("no deprecation warning")

# %%
# Where to go next
# ----------------
#
# - :doc:`/tutorials/one_process/split_model` splits the model instead of the data.
# - :doc:`/tutorials/ranks/hello_ranks` starts one process for each device.
# - :doc:`/tutorials/ddp/distributed_data_parallel` removes the three limits.
