"""
From scratch: DDP out of hooks and all-reduce
=============================================

:Card: All-reduces start while backward is still running.
:Learn: You will write data parallelism in three steps, compare each with
    ``DistributedDataParallel``, and draw how messages hide behind the backward pass.
:Prerequisites: :doc:`/tutorials/start/distributed_data_parallel`
:Picture: overlap
:Oldest torch: 2.9

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
            if parameter.requires_grad:  # a frozen one has no gradient
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
model.zero_grad()
parallel.sync = False
loss_function(model(inputs), labels).backward()
parallel.sync = True
loss_function(model(inputs), labels).backward()
sizes = [len(flat) for _, flat, _ in parallel.under_way]
parallel.wait()
of_two_passes = model[0].weight.grad

assert sizes == [2 * (32 * 32 + 32)] * 3, "other messages"

model.zero_grad()
loss_function(model(inputs), labels).backward()
parallel.wait()
assert_close(of_two_passes, 2 * model[0].weight.grad)

# %%
# Our class has a weak point, though. Its buckets fill in the order in which the hooks
# of each rank happen to run. If a model takes another branch on another rank, and its
# gradients become ready in another order there, then ``all_reduce`` adds gradients of
# different parameters. As long as the sizes are the same, no error tells you. DDP
# therefore fixes which parameters belong to a bucket and in which order the buckets are
# sent, the same on all ranks, and a bucket that is full too early waits for its turn.
# (It fixes both anew after the first step, in the order in which the gradients of rank
# 0 became ready.)
#
# A trace shows the overlap
# -------------------------
#
# When do the messages really travel? ``torch.profiler`` notes when each operation
# begins and ends. We trace one backward pass of a larger model (six layers of 4 MiB)
# three times: averaged after backward as in step 1, with our buckets, and with DDP,
# whose buckets we let be as large as ours. (With torch 2.13 the profiler also writes
# lines that begin with ``USDT``.)
from torch.profiler import profile

large_inputs = torch.randn(64, 1024, device=device)


def build_large():
    layers = [nn.Linear(1024, 1024) for _ in range(6)]
    return nn.Sequential(*layers).to(device)


def trace(model, average):
    for _ in range(2):  # the first passes are slower, and DDP's buckets aren't final
        model(large_inputs).square().mean().backward()
        average()
    loss = model(large_inputs).square().mean()
    with profile() as profiler:
        loss.backward()
        average()
    return profiler.events()


traces = {}
model = build_large()
traces["after backward"] = trace(model, average_gradients)
model = build_large()
parallel = OurDDP(model, per_bucket=4)
traces["our buckets"] = trace(model, parallel.wait)
ddp_model = DistributedDataParallel(build_large(), bucket_cap_mb=8)
traces["DDP"] = trace(ddp_model, do_nothing)

# %%
# How many messages are handed over before backward comes to layer 0, its last one?
early = {}
for title, events in traces.items():
    layers = [e.time_range.start for e in events if e.name == "AddmmBackward0"]
    messages = [e.time_range.start for e in events if e.name == "c10d::allreduce_"]
    early[title] = sum(start < max(layers) for start in messages)
if rank == 0:
    print("messages handed over before layer 0:", early)
assert early == {"after backward": 0, "our buckets": 2, "DDP": 2}, (
    "messages were handed over earlier or later")

# %%
# Ours leave when DDP's do. In the figure, the upper row is the backward pass of the
# layers, from layer 5 to layer 0, and the lower row the messages. Only those after the
# end of the upper row make the step longer. (On a CPU, messages take the cores from
# backward, so the overlap saves little. NCCL's run on the GPU itself, in a *stream* of
# their own beside that of backward. There they take memory bandwidth and some of the
# processors from it, so it isn't free either.)
#
# .. alt-text:: Three timelines, each with six layers above and messages below. After
#    backward: all messages follow the layers. Our buckets and DDP: two messages begin
#    while later layers compute, and a third one follows the layers.
def spans(events):
    """Return the beginning and the length of each event in milliseconds."""
    times = [event.time_range for event in events]
    return [(time.start / 1000, time.elapsed_us() / 1000) for time in times]


def rows_of(events):
    backward = [e for e in events if e.name == "AddmmBackward0"]
    sending = [e for e in events if e.name.endswith(":all_reduce")]
    kernels = [e for e in events if e.device_type.name != "CPU"]
    if kernels:  # what ran on a GPU
        sending = [e for e in kernels if "ccl" in e.name.lower()]
        backward = [e for e in kernels if e not in sending]
    return spans(backward), spans(sending)


if rank == 0:
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(3, 1, sharex=True, figsize=(7, 4), layout="constrained")
    for ax, (title, events) in zip(axes, traces.items()):
        backward, sending = rows_of(events)
        ax.broken_barh(backward, (1, 0.8), facecolor="C0", edgecolor="white")
        ax.broken_barh(sending, (0, 0.8), facecolor="C1", edgecolor="white", hatch="//")
        ax.set(title=title, yticks=[0.4, 1.4], yticklabels=["all-reduce", "backward"])
    axes[-1].set(xlabel="milliseconds (measured)")

# %%
# What else DDP does
# ------------------
#
# `DDP <https://docs.pytorch.org/docs/stable/notes/ddp.html>`__ limits a bucket by its
# bytes, 25 MiB by default (``bucket_cap_mb``). If you don't set that, the first has
# only 1 MiB, so that its message leaves early. DDP waits by itself at the end of
# ``backward``. It also sends buffers, as
# :doc:`/tutorials/start/distributed_data_parallel` shows. Which buckets a running DDP
# has is in ``ddp_model._get_ddp_logging_data()`` (a private function).
#
# If one rank leaves a parameter unused, our ranks send buckets of unequal sizes, which
# ends in an error, a hang or wrong numbers. If all of them leave it unused, and an
# earlier pass with ``sync = False`` has left a gradient there, then nobody sends that
# gradient, and no error tells you. DDP stops at the next forward pass, and names the
# parameter if the variable ``TORCH_DISTRIBUTED_DEBUG`` is ``INFO``. With
# ``find_unused_parameters`` it averages in both cases.
#
# :doc:`/tutorials/inside/hide_the_traffic` counts DDP's own buckets, and changes what
# they send with a *communication hook*, which takes the place of our ``all_reduce``.
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
# - Put all twelve gradients into one of our buckets in the trace, and leave out the
#   assert that fails. When does the message start?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      At the end of the backward pass, because the bucket is full only when layer 0
#      has its gradients. The printed number is 0 instead of 2, and nothing is hidden.
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
