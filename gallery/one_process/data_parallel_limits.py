"""
Limits: why one process is not enough
=====================================

:Card: One GPU holds more, nothing overlaps, Python takes turns.
:Learn: You will imitate a step of ``nn.DataParallel`` to see three of its limits, and
    four traps that change results.
:Prerequisites: :doc:`/tutorials/one_process/multi_gpu_examples`
:Picture: limits
:Oldest torch: 2.9

.. note::

   PyTorch `recommends DistributedDataParallel
   <https://docs.pytorch.org/docs/2.13/generated/torch.nn.DataParallel.html>`__ in place
   of ``DataParallel``, even on a single machine. Read this page if you maintain code
   that uses it; otherwise, go to :doc:`/tutorials/start/one_gpu_to_many`.

With ``nn.DataParallel``, one line puts all GPUs of a machine to work, and yet training
may be hardly faster than on one. This page shows three reasons, so that you can tell
when the one line is enough.

We take one training step apart and imitate it on any machine, to see what each device
holds, what has to travel, and what has to wait. Then come four traps that can change
your results, although the program runs.
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
# The first replica uses the weights of the model itself, the others get copies, and
# autograd records the copying. With four devices, the model gets the same gradients as
# in the step above.
from torch.func import functional_call


def forward(x, n):
    places = (devices * n)[:n]
    own = dict(model.named_parameters())
    weights = [own]
    for d in places[1:]:
        weights.append({name: p.to(d, copy=True) for name, p in own.items()})
    pieces = [piece.to(d) for piece, d in zip(x.chunk(n), places)]
    outputs = [functional_call(model, w, piece) for w, piece in zip(weights, pieces)]
    gathered = torch.cat([out.to(device) for out in outputs])
    return weights, pieces, outputs, gathered


def size(tensors):
    return sum(t.nbytes for t in tensors)


weights, pieces, outputs, gathered = forward(x, 4)
loss = loss_function(gathered, target)
gradients = torch.autograd.grad(loss, list(model.parameters()))
torch.testing.assert_close(list(gradients), expected, msg="other gradients")
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
assert held[0] - held[1] == 2 * one_model + gathered.nbytes, (
    "the first device holds something else in addition")
print("bytes on each device:", held)

# %%
# What the first device holds in addition is twice the model, and the outputs of the
# whole batch. (While the gradients are reduced, their sums are a third model.) The loss
# of these outputs is computed there too, and cross-entropy adds up to three times as
# much again (:doc:`/tutorials/larger_models/fitting_in_memory` counts it). With a large
# vocabulary, that can be more than the model. So the first GPU runs out of memory while
# the others have room. The second trap shows the cure: compute the loss in the
# replicas.
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
    assert size(copies) == size(returned) == (n - 1) * one_model, "not one each"
    print(n, "devices:", len(pieces[0]), "rows each,", size(copies), "bytes of copies")

# %%
# The trouble is *when* this happens. All copies are made before the first layer begins.
# And all parameters go through `a single autograd function
# <https://github.com/pytorch/pytorch/blob/main/torch/nn/parallel/replicate.py>`__, so
# gradients are reduced only when the last one of the last replica is there. No GPU
# computes meanwhile. ``DistributedDataParallel`` (DDP) sends no parameters after its
# start, and its gradients travel while the backward pass goes on, as
# :doc:`/tutorials/inside/ddp_from_scratch` shows.
#
# .. admonition:: If you count what the first GPU sends
#    :collapsible: closed
#
#    You might expect the first GPU to be the bottleneck, because it has to send all
#    these copies. Our imitation does that, and so does the wrapper on Windows, where
#    PyTorch has no NCCL. With NCCL, the library that moves data between GPUs, `it is
#    different
#    <https://github.com/pytorch/pytorch/blob/main/torch/nn/parallel/comm.py>`__: the
#    other GPUs pass on what they receive, and add up gradients on the way back. So the
#    first GPU sends the model about once, and receives gradients of its size about
#    once, no matter how many GPUs there are.
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
#
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
import inspect
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from subprocess import PIPE, Popen
from threading import Barrier


def work(wait):
    torch.set_num_threads(1)
    windows = []
    for size, products in [(4, 5000), (512, 2)] * 10:
        x = torch.ones(size, size)
        wait()
        start = time.perf_counter()
        for _ in range(products):
            x @ x
        windows.append((start, time.perf_counter()))
    return windows


child = f"""
import json, time, torch
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
    for _ in range(20):  # two jobs, 10 rounds each
        for worker in workers:
            assert worker.stdout.readline() == "ready\n", "a process has failed"
        for worker in workers:
            print(file=worker.stdin)
    return [json.loads(worker.communicate()[0]) for worker in workers]


def best_times(windows):
    starts, ends = torch.tensor(windows, dtype=torch.float64).unbind(-1)
    rounds = ends.amax(0) - starts.amin(0)
    return rounds.view(10, 2).amin(0)  # small, large


alone = best_times(in_threads(1))
threads = best_times(in_threads(2))
processes = best_times(in_processes(2))
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
assert counting.calls == 0 and counting.rows == 32, "another device's change was kept"

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
# other. So return the *sum* of the losses and the number of targets that count, add
# both over the devices, then divide. Then no outputs are gathered, and each device
# computes the loss of its own rows.


class WithLoss(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x, target):
        output = self.model(x)
        loss = nn.functional.cross_entropy(output, target, reduction="sum")
        count = (target != -100).sum()  # -100: targets that the loss ignores
        return loss.reshape(1), count.reshape(1)


x, target = x[:10], target[:10].clone()
target[0] = -100
wrapped = nn.DataParallel(WithLoss(model))
losses, counts = wrapped(x, target)  # (devices,) each
loss = losses.sum() / counts.sum()
loss.backward()
torch.testing.assert_close(loss, loss_function(model(x), target), msg="another loss")

# %%
# On four pretended devices, only this quotient has the right gradient.


def gradient(loss):
    return torch.autograd.grad(loss, model[0].weight, retain_graph=True)[0]


results = [wrapped.module(a, b) for a, b in zip(x.chunk(4), target.chunk(4))]
losses = torch.cat([loss for loss, count in results])  # (4,)
counts = torch.cat([count for loss, count in results])  # (4,)
right = gradient(loss_function(model(x), target))
ours = gradient(losses.sum() / counts.sum())
torch.testing.assert_close(ours, right, msg="the quotient of the sums is wrong")

per_device = losses / counts
assert not torch.allclose(gradient(per_device.mean()), right), "the mean is right"
assert not torch.allclose(gradient(per_device.sum()), right), "the sum is right"
print("targets that count on each device:", counts.tolist())

# %%
# Third trap: bfloat16 becomes float16
# ------------------------------------
#
# Under ``torch.autocast("cuda", dtype=torch.bfloat16)``, several GPUs compute in
# float16, where small gradients become 0. The wrapper's threads `take over
# <https://github.com/pytorch/pytorch/blob/main/torch/nn/parallel/parallel_apply.py>`__
# that autocast is on, but not the ``dtype``, so each takes the default of its device.
# The cure is to write the ``with`` line inside ``forward``. (On a CPU the two types
# change places.)
matrix = torch.ones(4, 4)


def product_in_thread():
    with torch.autocast("cpu", enabled=True):  # as in parallel_apply: no dtype
        return matrix @ matrix


with torch.autocast("cpu", dtype=torch.float16), ThreadPoolExecutor() as pool:
    here = matrix @ matrix
    there = pool.submit(product_in_thread).result()
    of_gpus = pool.submit(torch.get_autocast_dtype, "cuda").result()
print(here.dtype, "->", there.dtype, "- on GPUs:", of_gpus)
assert here.dtype == torch.float16, "autocast is off"
assert there.dtype == torch.bfloat16, "the thread knows the dtype"
assert of_gpus == torch.float16, "another default for GPUs"

# %%
# Fourth trap: a replica has no parameters
# ----------------------------------------
#
# The weights of a replica are plain tensors. ``self.weight`` is there, but
# ``self.parameters()`` is empty: ``next(self.parameters()).device`` fails, and a
# penalty that ``forward`` computes from all parameters is 0, without an error. Take the
# device from the input, and compute the penalty outside, from ``model.parameters()``.
# (And every tensor argument is cut: :doc:`/tutorials/one_process/input_sizes`.)
linear = nn.Linear(3, 3)
replica = linear._replicate_for_data_parallel()  # as in nn.parallel.replicate
n_left = len(list(replica.parameters()))
print("parameters:", len(list(linear.parameters())), "->", n_left)
assert n_left == 0, "the replica has parameters"

# %%
# PyTorch recommends one process for each GPU
# -------------------------------------------
#
# With DDP each device has a process, a lasting copy of the model and an optimizer of
# its own. For GPT-2 on two GPUs with NVLink, Hugging Face `measured
# <https://huggingface.co/docs/transformers/v4.49.0/perf_train_gpu_many>`__ 110 seconds
# with DataParallel and 101 with DDP (PyTorch 1.8). The table compares one step on n
# devices.
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
#      - 2 times the model with Adam (3 for a moment), and the outputs of all rows,
#        up to four times with their loss
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
# - the first GPU has room for two or three models more than the others, and for four
#   times the outputs of all rows, unless the replicas compute the loss.
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
# - What ``forward`` stores on a replica is lost, its ``parameters()`` are empty, and
#   autocast's ``dtype`` must be set inside. From ``forward`` return the sum of losses
#   and their number, and divide outside.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/start/one_gpu_to_many` turns a training script for one GPU into one
#   for many.
# - :doc:`/tutorials/start/distributed_data_parallel` has none of the three limits.
# - You are through: this was the last lesson. Keep the :doc:`/cheat_sheet` and
#   :doc:`/silently_wrong` at hand.
