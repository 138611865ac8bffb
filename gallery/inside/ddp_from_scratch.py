"""
From scratch: DDP out of hooks and all-reduce
=============================================

:Card: All-reduces start while backward is still running.
:Learn: You will write data parallelism in three steps, compare each with
    ``DistributedDataParallel``, and draw how messages hide behind the backward pass.
:Prerequisites: :doc:`/tutorials/start/distributed_data_parallel`
:Picture: overlap
:Oldest torch: 2.8

``DistributedDataParallel``, or DDP, hides its work so well that a training loop shows
nothing of it. When it is slow or fails, you need to know what it sends, and when.

We average gradients after the backward pass, then during it, then in fewer, larger
messages. Each version trains the same model as DDP, and a timeline compares them.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=2 ddp_from_scratch.py
"""

# %%
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin with the same lines, and
# :doc:`/tutorials/start/hello_ranks` explains them. Two numbers have the same sum in
# either order, so two ranks on a CPU can equal DDP to the last bit. One rank is enough
# too, but then nothing moves.
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

# %%
# The goal: equal to DDP
# ----------------------
#
# The model has six layers, each with a weight and a bias. Every rank starts with
# parameters and samples of its own. DDP trains a first copy, and every later copy must
# end with the same parameters. With more than two ranks the order of a sum matters, and
# GPUs do not promise equal bits, so there we allow a difference of 0.00001.
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.nn.utils import parameters_to_vector, vector_to_parameters
from torch.testing import assert_close


torch.manual_seed(rank)  # each rank has samples of its own
inputs, labels = torch.randn(2, 16, 32).to(device)  # (samples, features) each
loss_function = nn.MSELoss()


def build():
    torch.manual_seed(rank)  # and parameters of its own
    return nn.Sequential(*[nn.Linear(32, 32) for _ in range(6)]).to(device)


def do_nothing():
    pass


def train(model, average=do_nothing):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss_function(model(inputs), labels).backward()
        average()
        optimizer.step()
    return parameters_to_vector(model.parameters()).detach()


by_ddp = train(DistributedDataParallel(build()))
tolerance = {"rtol": 0, "atol": 1e-5 if gpu_per_rank or world_size > 2 else 0}

# %%
# Step 1: average after the backward pass
# ---------------------------------------
#
# Data parallelism needs equal parameters at the start, and averaged gradients before
# each optimizer step. ``broadcast`` sends the parameters of rank 0 to all ranks. Later
# an all-reduce adds up each gradient. We divide before the sum, as DDP does.
model = build()
for parameter in model.parameters():
    dist.broadcast(parameter.detach(), src=0)


def average_gradients():
    for parameter in model.parameters():
        parameter.grad /= world_size
        dist.all_reduce(parameter.grad)


assert_close(train(model, average_gradients), by_ddp, **tolerance)

# %%
# The result equals that of DDP. But no message leaves before the last gradient is
# there, and nothing else happens while the messages travel.
#
# Step 2: send each gradient as soon as it is ready
# -------------------------------------------------
#
# The backward pass begins at the loss, so the last layer has its gradients first.
# ``register_post_accumulate_grad_hook`` takes a function, a *hook*, and autograd calls
# it as soon as ``parameter.grad`` is complete. The hook runs in the thread that
# computes the gradients, so it must not wait: the next layer would wait too. With
# ``async_op=True``, ``all_reduce`` returns a handle at once.
import functools

order, handles = [], []


def send(name, parameter):
    order.append(name)
    parameter.grad /= world_size
    handles.append(dist.all_reduce(parameter.grad, async_op=True))


def wait():
    assert len(handles) == 12, "a layer has no gradient"
    for handle in handles:
        handle.wait()
    handles.clear()


model = build()
for name, parameter in model.named_parameters():
    dist.broadcast(parameter.detach(), src=0)
    parameter.register_post_accumulate_grad_hook(functools.partial(send, name))
assert_close(train(model, wait), by_ddp, **tolerance)

if rank == 0:
    print(*order[:12])
names = [name for name, _ in model.named_parameters()]
assert order == 3 * names[::-1], "the last layer isn't the first"

# %%
# The optimizer must not read a gradient that is not averaged yet, so the program waits
# before the step. With NCCL, ``wait`` lets `only the GPU wait
# <https://docs.pytorch.org/docs/stable/distributed.html>`__, and the program goes on.
#
# Step 3: few large messages
# --------------------------
#
# Every message costs some time, however small it is: its *latency*. So we collect some
# gradients in a *bucket*, here four, and send them as one vector. After the wait,
# ``vector_to_parameters`` makes each gradient a view of its part of the vector.
class OurDDP:
    def __init__(self, model, per_bucket=4):
        self.per_bucket, self.sync = per_bucket, True
        self.ready = []  # parameters whose gradients are complete
        self.under_way = []  # of each bucket: parameters, vector, what waits for it
        for parameter in model.parameters():
            dist.broadcast(parameter.detach(), src=0)
            parameter.register_post_accumulate_grad_hook(self.collect)

    def collect(self, parameter):
        if not self.sync:
            return
        self.ready.append(parameter)
        if len(self.ready) == self.per_bucket:
            self.send()

    def send(self):
        flat = torch.cat([p.grad.flatten() for p in self.ready])
        flat /= world_size
        self.under_way.append((self.ready, flat, self.all_reduce(flat)))
        self.ready = []

    def all_reduce(self, flat):
        return dist.all_reduce(flat, async_op=True).wait

    def wait(self):
        if self.ready:  # the last bucket may not be full
            self.send()
        for bucket, flat, wait in self.under_way:
            wait()
            vector_to_parameters(flat, [p.grad for p in bucket])
        self.under_way = []


model = build()
parallel = OurDDP(model)
assert_close(train(model, parallel.wait), by_ddp, **tolerance)

# %%
# This class is our DDP. A step now sends three messages, with the gradients of two
# layers each. ``sync = False`` is our ``no_sync``: the hooks do nothing, and gradients
# accumulate until a later backward pass sends them.
def gradients_of(model):
    return parameters_to_vector(p.grad for p in model.parameters())


by_no_sync = build()
by_no_sync.load_state_dict(model.state_dict())
ddp_model = DistributedDataParallel(by_no_sync)
with ddp_model.no_sync():
    loss_function(ddp_model(inputs), labels).backward()
loss_function(ddp_model(inputs), labels).backward()

model.zero_grad()
parallel.sync = False
loss_function(model(inputs), labels).backward()
parallel.sync = True
loss_function(model(inputs), labels).backward()
sizes = [len(flat) for _, flat, _ in parallel.under_way]
parallel.wait()
if rank == 0:
    print("numbers in each message:", sizes)
assert sizes == [2 * (32 * 32 + 32)] * 3, "other messages"
assert_close(gradients_of(model), gradients_of(by_no_sync), **tolerance)

# %%
# Our class has a weak point, though. Its buckets fill in the order in which the hooks
# of each rank happen to run. If a model takes another branch on another rank, and its
# gradients become ready in another order there, then ``all_reduce`` adds gradients of
# different parameters. As long as the sizes are the same, no error tells you. DDP
# therefore fixes which parameters belong to a bucket and in which order the buckets are
# sent, the same on all ranks, and a bucket that is full too early waits for its turn.
# (It fixes both anew after the first step, in the order in which the gradients of rank
# 0 became ready.) Besides, a bucket of DDP holds one data type only. Ours would turn
# bf16 gradients into fp32 beside others in fp32.
#
# A timeline shows the overlap
# ----------------------------
#
# This model is too small to see anything, so we slow it down: the backward pass of a
# layer sleeps for 20 milliseconds, and each message for 15, whatever its size. One
# message is sent after another, by a thread of its own. On a machine with GPUs a new
# thread begins with GPU 0, on every rank, so ours first chooses the GPU of its rank.
# The first run sends all after the backward pass, as step 1 does. The others use hooks,
# first with one gradient in a bucket, then four.
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from time import perf_counter, sleep


def begin_layer(gradient):
    early[title] = len(parallel.under_way)  # messages handed over before this layer
    layers.append(perf_counter())
    sleep(0.020)


def send_slowly(flat):
    start = perf_counter()
    sleep(0.015)
    dist.all_reduce(flat)
    messages.append((start, perf_counter()))


def choose_gpu():
    if gpu_per_rank:
        torch.accelerator.set_device_index(local_rank)


link = ThreadPoolExecutor(max_workers=1, initializer=choose_gpu)


class SlowDDP(OurDDP):
    def all_reduce(self, flat):
        return link.submit(send_slowly, flat).result


runs, early, averages = {}, {}, []
for title, per_bucket in ("after backward", 1), ("hooks", 1), ("buckets", 4):
    model = build()
    parallel = SlowDDP(model, per_bucket)
    parallel.sync = title != "after backward"
    layers, messages = [], []  # when each begins
    runs[title] = layers, messages
    output = inputs
    for layer in model:
        output = layer(output)
        output.register_hook(begin_layer)
    loss_function(output, labels).backward()
    layers.append(perf_counter())
    if not parallel.sync:
        for parameter in model.parameters():
            parameter.grad /= world_size
            send_slowly(parameter.grad)
    parallel.wait()
    averages.append(gradients_of(model))

if rank == 0:
    print("messages handed over before the turn of layer 0:", early)
assert early == {"after backward": 0, "hooks": 10, "buckets": 2}, (
    "messages were handed over earlier or later")
for average in averages:
    assert_close(average, averages[0], **tolerance)

# %%
# Each numbered block is the backward pass of a layer. At its end the layer's gradients
# are ready. The hatched blocks are messages, and only those to the right of the dashed
# line, the end of the backward pass, make the step longer. Twelve messages sleep for
# 180 milliseconds, and layers 4 to 0 hide 100 at most. Three messages sleep for 45,
# and most of it is hidden. (On GPUs the overlap isn't free, because the messages take
# memory bandwidth and some of the processors from the backward pass.)
#
# .. alt-text:: Three timelines, each with six layers above and messages below. After
#    backward: twelve messages follow the layers. Hooks: they begin below the layers.
#    Buckets: three messages, and only the last one follows the layers.
if rank == 0:
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(3, 1, sharex=True, figsize=(7, 4), layout="constrained")
    for ax, (title, (layers, messages)) in zip(axes, runs.items()):
        for y, spans, hatch in (1, pairwise(layers), ""), (0, messages, "//"):
            bars = [(start - layers[0], 0.95 * (end - start)) for start, end in spans]
            ax.broken_barh(bars, (y, 0.8), facecolor=f"C{1 - y}", hatch=hatch)
        for number, start in zip("543210", layers):
            ax.text(start - layers[0] + 0.01, 1.4, number, ha="center", va="center")
        ax.axvline(layers[-1] - layers[0], ls="--")
        ax.set(title=title, yticks=[0.4, 1.4], yticklabels=["all-reduce", "backward"])
    axes[-1].set(xlabel="seconds")

# %%
# What else DDP does
# ------------------
#
# `DDP <https://docs.pytorch.org/docs/stable/notes/ddp.html>`__ limits a bucket by its
# bytes, 25 MiB by default (``bucket_cap_mb``) and only 1 MiB for the first, so that its
# message leaves early. It waits by itself at the end of ``backward``. If one rank
# leaves a parameter unused, our ranks send buckets of unequal sizes, which ends in an
# error, a hang or wrong numbers, but DDP has ``find_unused_parameters``. It also sends
# buffers, as :doc:`/tutorials/start/distributed_data_parallel` shows.
#
# Our gradients exist twice until the wait is over, once in the bucket. With
# ``gradient_as_bucket_view=True`` those of DDP lie in the bucket from the beginning.
# :doc:`/tutorials/inside/hide_the_traffic` measures that, counts DDP's own buckets, and
# changes what they send.
#
# At the end every rank leaves the group, and only then does rank 0 open the window of
# its figure, because a window stops the program until you close it.
link.shutdown()
dist.destroy_process_group()
if rank == 0:
    plt.show()  # last: while a window is open, no other rank waits

# %%
# Try it
# ------
#
# Predict first, then run.
#
# - Put all twelve gradients into one bucket in the last run, and leave out the assert
#   that fails. When does the message start?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      At the end of the backward pass, because the bucket is full only when layer 0
#      has its gradients. The last number of the printed dictionary is 0 instead of 2,
#      and nothing is hidden. The step still ends earlier than in the first run,
#      because it pays for one message instead of twelve.
#
# - Start two ranks, and let a layer sleep for 0.040 seconds. What is then left to the
#   right of the dashed line in the second run?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      The two messages of layer 0. Two messages now take less time than a layer, so
#      each layer hides those of the layer before, and the link is idle in between.
#      Nothing hides the last two, because no layer is left to compute.
#
# - In your own script, without DDP: register such a hook for each parameter and note
#   the names for two steps. Is the order the same both times, and which parameters
#   never come?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      A parameter that never comes has no gradient, and with DDP such a parameter
#      needs ``find_unused_parameters``.
#
# What to remember
# ----------------
#
# - Data parallelism is equal parameters at the start and averaged gradients before
#   each optimizer step. With two ranks on a CPU, our version equals DDP to the last
#   bit.
# - Gradients become ready from the last layer to the first, so messages can travel
#   while backward still computes. The messages of the first layer are always exposed.
# - All ranks must send the same buckets in the same order. If they don't, and the
#   sizes match, gradients of different parameters are added up without an error.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/inside/hide_the_traffic` sends less often, and fewer bytes.
