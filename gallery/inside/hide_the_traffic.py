"""
Hiding communication: overlap, buckets, no_sync, fewer bytes
============================================================

:Card: Gradients travel while backward still computes.
:Learn: You will count what data parallel training sends, hide it behind the
    computation, and send less often and fewer bytes.
:Prerequisites: :doc:`/tutorials/start/distributed_data_parallel`
:Picture: buckets
:Oldest torch: 2.9

Data parallel training sends all gradients through the network in every step. If the
GPUs have to wait for them, more GPUs hardly make the training faster.

``DistributedDataParallel`` (DDP) can send while backward still computes, send less
often, and send fewer bytes. We count its messages, compute what they cost on a slow and
on a fast network, and see what each setting saves. The surprise comes in the middle:
the size of the buckets, which everybody tries first, rarely makes the difference as
long as there are only a few machines.

With FSDP, look in :doc:`/tutorials/larger_models/fully_sharded` for its settings
(``reshard_after_forward``, ``reduce_dtype``, ``set_requires_gradient_sync``), and in
:doc:`/tutorials/long_runs/several_nodes` for what crosses the network.

.. list-table:: What you can set
   :header-rows: 1

   * - Setting
     - What it saves
     - What it costs
   * - ``bucket_cap_mb``
     - Starts of messages, or waiting at the end
     - Nothing in accuracy
   * - ``gradient_as_bucket_view=True``
     - Memory: one copy of the gradients
     - Nothing in accuracy
   * - ``no_sync``
     - Messages: you send once for several batches
     - A larger global batch, and two traps
   * - A hook that sends bf16 or fp16
     - Half of the bytes
     - Digits, and with fp16 the small gradients
   * - PowerSGD
     - Nearly all bytes
     - Accuracy, and computation

.. code-block:: bash

   torchrun --standalone --nproc-per-node=2 hide_the_traffic.py
"""

# %%
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin with the same lines, and
# :doc:`/tutorials/start/hello_ranks` explains them. One rank is enough here: it makes
# the same calls, but then nothing moves.
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
# Gradients travel in buckets
# ---------------------------
#
# DDP collects gradients in *buckets*, and sends a bucket when all of its gradients are
# ready, while backward goes on. It can leave the sending to a *communication hook*, a
# function that it calls with each bucket. PyTorch's ``allreduce_hook`` does what DDP
# does without one: a single all-reduce of the bucket. Our hook notes the size of the
# bucket, and leaves the rest to that one. (Buffers, such as the statistics of
# ``BatchNorm``, travel in the forward pass, and we don't count them.)
#
# Register a hook with the group of its model. With ``None``, PyTorch's hooks `average
# over all ranks
# <https://github.com/pytorch/pytorch/blob/main/torch/distributed/algorithms/ddp_comm_hooks/default_hooks.py>`__,
# even if DDP has a smaller group, and no error tells you.
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn.parallel import DistributedDataParallel

sent = []  # the bytes of each message


def counting_hook(group, bucket):
    sent.append(bucket.buffer().nbytes)
    return default_hooks.allreduce_hook(group, bucket)


# %%
# The model has 48 layers of 1 MiB each. When backward reaches the first layer, which it
# does last, we note how many messages have left.
layers = nn.Sequential(*[nn.Linear(512, 512) for _ in range(48)]).to(device)
gone = []
layers[0].weight.register_hook(lambda gradient: gone.append(len(sent)))


def messages_of_a_step(ddp_model):
    sent.clear()
    ddp_model.zero_grad()
    ddp_model(torch.ones(1, 512, device=device)).sum().backward()
    return list(sent)


ddp_layers = DistributedDataParallel(layers)
ddp_layers.register_comm_hook(ddp_layers.process_group, counting_hook)
first = messages_of_a_step(ddp_layers)
default = messages_of_a_step(ddp_layers)
in_mib = [round(size / 2**20) for size in default]
if rank == 0:
    print("first step:", round(first[0] / 2**20), "MiB, second step:", *in_mib, "MiB")
assert len(first) == 1 and sum(first) == sum(default), (
    "in the first step all gradients travel in one bucket")
assert in_mib == [1, 25, 22], "the default: 1 MiB first, then 25 MiB"
assert gone == [0, len(default) - 1], (
    "before the first layer had its gradients, all buckets but the last had left")

# %%
# In the first step DDP has one bucket and notes the order in which gradients become
# ready, so do not measure it. Later all buckets but the last leave during backward.
# (With ``find_unused_parameters=True`` it has several from the start, by the order of
# the parameters, and keeps them.)
#
# By default the first bucket is full at 1 MiB, so that the network soon has work, and
# the others at 25 MiB. ``bucket_cap_mb`` sets one size for all of them, the first too.
# DDP doesn't cut a gradient in two, so a bucket is closed as soon as it has reached the
# limit, and a gradient that is larger than the limit makes a larger bucket. If all
# parameters have the same type, all get gradients and DDP doesn't look for unused ones,
# that's the whole rule, and we can write it down. It gives the same messages as DDP:


def cut(gradient_sizes, limit, first_limit):
    """Return the bytes of DDP's buckets in the order in which they leave."""
    buckets = []
    full = True
    for size in reversed(gradient_sizes):  # the last layer is ready first
        if full:
            buckets.append(0)
        buckets[-1] += size
        full = buckets[-1] >= (first_limit if len(buckets) == 1 else limit)
    return buckets


layer_sizes = [parameter.nbytes for parameter in layers.parameters()]
assert cut(layer_sizes, 25 * 2**20, first_limit=2**20) == default, "not DDP's default"
ddp_layers = DistributedDataParallel(layers, bucket_cap_mb=10)
ddp_layers.register_comm_hook(ddp_layers.process_group, counting_hook)
messages_of_a_step(ddp_layers)  # the first step is different
expected = cut(layer_sizes, 10 * 2**20, first_limit=10 * 2**20)
assert messages_of_a_step(ddp_layers) == expected, "not DDP's for 10 MiB"

# %%
# ``torch.compile`` would turn backward into one piece, whose gradients are ready only
# at its end. So it `cuts the model where DDP's buckets end
# <https://docs.pytorch.org/docs/stable/torch.compiler_faq.html>`__, and your limit also
# changes what is compiled together.
#
# A bucket is memory, too. DDP copies each gradient into its bucket, so during training
# the gradients exist twice. With ``gradient_as_bucket_view=True``, each ``grad`` is a
# *view*, a part of the bucket's memory, which `saves as many bytes as all gradients
# have
# <https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html>`__:
# 4 GB for a billion parameters. There is hardly a reason against it, except that you
# can't call ``detach_()`` on such a gradient.

# %%
# Your network in two numbers
# ---------------------------
#
# An *all-reduce* adds up a tensor over all ranks, and each rank gets the sum. Its time
# has two parts: the start, which even an all-reduce of a few bytes takes (the
# *latency*), and the bytes divided by the *bandwidth*. Write down both for your network
# here. They are in the output of ``all_reduce_perf`` from `nccl-tests
# <https://github.com/NVIDIA/nccl-tests>`__: the latency is the time of the smallest
# size, and the bandwidth is *busbw* of the largest one. Until you do that, the page
# computes with round numbers for Ethernet of 10 Gbit/s.
LATENCY = 2e-4  # seconds for an all-reduce of a few bytes
BANDWIDTH = 10e9 / 8  # bytes per second, in one direction
N_RANKS = 16  # not only those of this program

# %%
# What an all-reduce costs on real networks
# -----------------------------------------
#
# In a *ring* of w ranks, each of them sends 2 · (w - 1) / w times the tensor:
# :doc:`/tutorials/inside/collectives` counts it. That's the same number of bytes for 8
# ranks as for 800, nearly, and almost twice what you might have expected. The column
# *busbw* of nccl-tests is the `bandwidth with that factor
# <https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md>`__, so it can be
# compared with the data sheet of a link.
#
# .. list-table:: All-reduce with NCCL, the library that NVIDIA's GPUs use
#    :header-rows: 1
#
#    * - Network
#      - Latency
#      - Bandwidth
#    * - NVLink, 8 H100 in one machine
#      - 0.03 ms (round number)
#      - `370 GB/s <https://github.com/NVIDIA/nccl-tests/issues/212>`__
#    * - InfiniBand, one card of 400 Gbit/s per machine
#      - 0.05 ms (`16 GPUs of two machines
#        <https://github.com/NVIDIA/nccl/issues/1244>`__)
#      - 47 GB/s (`46 to 48 per card
#        <https://github.com/NVIDIA/nccl-tests/issues/290>`__)
#    * - InfiniBand, eight such cards per machine, 512 GPUs
#      - 0.5 ms (pretended: ten times that of two machines)
#      - 376 GB/s (eight times one card)
#    * - Ethernet, one card of 25 Gbit/s per machine
#      - 0.2 ms (round number)
#      - 3.1 GB/s (data sheet)
#
# If a machine has several network cards, NCCL uses all of them. GPUs of one machine
# without NVLink have PCIe, by the data sheet of version 4.0 with 32 GB/s: less than the
# second row. The switch between H100s can also add up by itself (*NVLink SHARP*), which
# is faster than a ring.


def ring_bytes(tensor_bytes, n_ranks):
    """Return the bytes that each rank sends in one all-reduce."""
    return 2 * (n_ranks - 1) / n_ranks * tensor_bytes


networks = {  # ranks, seconds, bytes per second
    "NVLink": (8, 3e-5, 370e9),
    "InfiniBand 400": (16, 5e-5, 47e9),
    "8 x 400, 512 ranks": (512, 5e-4, 8 * 47e9),
    "Ethernet 25": (16, 2e-4, 25e9 / 8),
    "your network": (N_RANKS, LATENCY, BANDWIDTH),
}
assert ring_bytes(100, 1) == 0, "a rank alone sends nothing"
assert ring_bytes(100, 800) < 200

# %%
# The model is a transformer of 302 million parameters, so its gradients have 1.2 GB.
# Only their sizes matter here. A tensor on the *meta* device has a shape and no data,
# so this costs no memory. Backward needs about four operations for each parameter and
# token (:doc:`/tutorials/start/is_it_faster` explains the rule). For 32,768 tokens at
# 200 TFLOP/s, which is a fifth of the peak of an H100, that's 198 ms, and for
# 4,096 tokens 25 ms. (At the 400 of that page it would be half.)
with torch.device("meta"):
    encoder = nn.ModuleList(
        nn.TransformerEncoderLayer(1024, 16, 4096) for _ in range(24))
gradient_sizes = [parameter.nbytes for parameter in encoder.parameters()]
total_bytes = sum(gradient_sizes)
n_parameters = total_bytes // 4  # float32 has 4 bytes
backward = 4 * n_parameters * 32_768 / 200e12  # seconds
few_tokens = backward / 8
if rank == 0:
    print(f"{len(gradient_sizes)} gradients, {total_bytes / 1e9:.2f} GB,",
          f"backward of {1000 * backward:.0f} ms")

# %%
# A message begins when its gradients are ready and the message before it has arrived.
# What is left after backward is *exposed*, and only that makes the step longer. (We let
# backward take the same time for each byte of gradients, and go through the parameters
# in reverse order. It does nearly that.)


def timeline(buckets, network, backward=backward):
    """Return when each message begins and how long it takes, in seconds."""
    n_ranks, latency, bandwidth = network
    messages = []
    ready = arrived = 0
    for size in buckets:
        ready += backward * size / sum(buckets)  # backward gets this far
        begin = max(ready, arrived)
        takes = latency + ring_bytes(size, n_ranks) / bandwidth
        messages.append((begin, takes))
        arrived = begin + takes
    return messages


def exposed(buckets, network, backward=backward):
    """Return the seconds from the end of backward until the last message arrives."""
    begin, takes = timeline(buckets, network, backward)[-1]
    return begin + takes - backward


# %%
# Bucket size: keep the default, unless messages start slowly
# ------------------------------------------------------------
#
# Let's try five limits: 0, so that each gradient leaves alone; 1, 25 and 100 MiB; and
# one bucket for all. The table shows the exposed communication in ms, first for 32,768
# tokens, then for 4,096.
caps = {"0": 0, "1": 1, "25": 25, "100": 100, "one": 4096}  # in MiB
by_cap = {}
for name, mib in caps.items():
    by_cap[name] = cut(gradient_sizes, mib * 2**20, mib * 2**20)
if rank == 0:
    print(f"{'bucket_cap_mb':<18}", *[f"{name:>6}" for name in caps])
    print(f"{'messages':<18}", *[f"{len(buckets):6}" for buckets in by_cap.values()])
for seconds in (backward, few_tokens):
    if rank == 0:
        print(f"backward of {1000 * seconds:.0f} ms:")
    for name, network in networks.items():
        late = {}  # exposed ms by limit
        for cap, buckets in by_cap.items():
            late[cap] = 1000 * exposed(buckets, network, seconds)
        if rank == 0:
            print(f"{name:<18}", *[f"{time:6.1f}" for time in late.values()])

# %%
# With the long backward pass, nearly everything is hidden on NVLink and InfiniBand with
# 1, 25 and 100 MiB. On Ethernet only a quarter can be hidden, because the bytes alone
# take 0.7 seconds and backward 0.2. With the short one, InfiniBand with one card hides
# half. On 512 GPUs, where each message starts slowly, 96 messages of 1 MiB no longer
# fit under it, and 36 of 25 MiB just do. Between 25 and 100 MiB there's hardly a
# difference on any of these networks.
many_gpus = networks["8 x 400, 512 ranks"]
late_1 = exposed(by_cap["1"], many_gpus, few_tokens)
late_25 = exposed(by_cap["25"], many_gpus, few_tokens)
assert late_1 > 10 * late_25, "with slow starts, 1 MiB should be too small"
one_bucket = exposed(by_cap["one"], many_gpus, few_tokens)
assert one_bucket > late_25, "one bucket should be worse: it hides nothing"

# %%
# The figure shows when messages are under way, with buckets of 25 MiB and with a single
# one. What lies to the right of the dashed line makes the step longer.
#
# .. alt-text:: Five rows of messages on an axis of time. A dashed line marks the end of
#    backward at 198 ms. NVLink, 25 MiB: thin messages with long pauses, the last one at
#    the line. InfiniBand, 25 MiB: wider ones, the last one at the line, too.
#    InfiniBand, one bucket: a single message, from the line on. Ethernet, 25 MiB:
#    messages without a pause until 738 ms. Ethernet, one bucket: one message from the
#    line until 924 ms.
if rank == 0:
    import matplotlib.pyplot as plt

    rows = [
        ("NVLink", "25"), ("InfiniBand 400", "25"), ("InfiniBand 400", "one"),
        ("Ethernet 25", "25"), ("Ethernet 25", "one")]
    fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
    for row, (name, cap) in enumerate(rows):
        bars = []
        for begin, takes in timeline(by_cap[cap], networks[name]):
            bars.append((1000 * begin, 1000 * takes))
        ax.broken_barh(bars, (row - 0.35, 0.7), facecolor="C0", edgecolor="C0", lw=0.5)
        last_begin, last_takes = bars[-1]
        late = 1000 * exposed(by_cap[cap], networks[name])
        ax.text(last_begin + last_takes + 12, row, f"+{late:.0f} ms", va="center")
    ax.axvline(1000 * backward, color="C1", ls="--", label="end of backward")
    sizes = {"25": "25 MiB", "one": f"{total_bytes / 2**20:.0f} MiB"}
    row_names = [f"{name}, {sizes[cap]}" for name, cap in rows]
    ax.set(yticks=range(len(rows)), yticklabels=row_names, ylim=(4.6, -0.6))
    ax.set(xlabel="computed time (ms)", xlim=(0, 1100))
    ax.legend()

# %%
# What's the advice, then? **Leave the default at first. Try 100 MiB if you have
# hundreds of ranks, or if a trace shows many short messages without a pause,** and
# compare the times of a step. A ring of w ranks makes 2 (w - 1) steps, so its latency
# grows with the ranks. That's why Megatron-LM takes `40 million numbers
# <https://github.com/NVIDIA/Megatron-LM/blob/main/megatron/core/distributed/distributed_data_parallel.py>`__
# in a bucket, and more for more than 40 ranks. PyTorch's developers, too, `call 25 MiB
# too small <https://github.com/pytorch/pytorch/issues/118421>`__ for today's models.
#
# Our formula can't decide for you, because it is too kind to small buckets. Two costs
# are missing (by reasoning, for we measure no GPU here): each all-reduce takes some of
# the GPU's processors away from backward, and a link reaches its bandwidth only with
# large messages. On NVLink, a developer of NCCL finds `256 MB too small
# <https://github.com/NVIDIA/nccl-tests/issues/212>`__ to see the peak.
#
# A trace of the profiler decides, and :doc:`/tutorials/start/is_it_faster` shows how to
# take one.
#
# Send less often: gradient accumulation with no_sync
# ---------------------------------------------------
#
# If the network can't carry the bytes in time, send them less often.
#
# A batch too large for a GPU's memory is computed in parts, whose gradients add up.
# ``no_sync`` keeps DDP from sending, so only the last part sends.
#
# Often the parts have unequal numbers of labels or tokens, for example where padding
# doesn't count. Then the mean of their mean losses isn't the loss of the batch, and no
# error tells you. So add up the losses of a part, and divide by the number of labels of
# all parts and all ranks. (DDP divides by the number of ranks as well, so multiply by
# it. If all numbers are equal, you can divide each mean by the number of parts.)
from contextlib import nullcontext

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 8)).to(device)
torch.manual_seed(rank)  # each rank has its own samples
inputs = torch.randn(32, 256).to(device)
labels = inputs[:, :8]
loss_function = nn.MSELoss()  # a mean
summed_loss = nn.MSELoss(reduction="sum")


def gradient_of_batch(ddp_model):
    for _ in range(3):  # in the first step the buckets are not final
        sent.clear()
        ddp_model.zero_grad()
        loss_function(ddp_model(inputs), labels).backward()
    return torch.cat([p.grad.flatten() for p in ddp_model.parameters()])


# %%
# Here one part has 2 samples and another 14.


def gradient_of_parts(ddp_model, part_sizes):
    n_labels = torch.tensor(labels.numel(), device=device)
    dist.all_reduce(n_labels)  # of all parts and all ranks
    sent.clear()
    ddp_model.zero_grad()
    parts = list(zip(inputs.split(part_sizes), labels.split(part_sizes)))
    for i, (x, y) in enumerate(parts):
        is_last = i == len(parts) - 1
        communication = nullcontext() if is_last else ddp_model.no_sync()
        with communication:
            loss = summed_loss(ddp_model(x), y) * world_size / n_labels
            loss.backward()
    return torch.cat([p.grad.flatten() for p in ddp_model.parameters()])


ddp_model = DistributedDataParallel(model)
ddp_model.register_comm_hook(ddp_model.process_group, counting_hook)
whole_batch = gradient_of_batch(ddp_model)
messages = len(sent)
in_parts = gradient_of_parts(ddp_model, [2, 6, 10, 14])
torch.testing.assert_close(in_parts, whole_batch)
assert len(sent) == messages, "four parts should send as often as one batch"

# %%
# Four parts have the gradients of the whole batch, with as many messages. So in a
# training that accumulates four batches, the communication is paid once for four
# backward passes. Only the last of them can hide it, though. Clip the gradients, and
# unscale those of a ``GradScaler``, only after the last part: before that, each rank
# has only its own.
#
# Two traps of no_sync
# --------------------
#
# Keep the forward pass inside ``no_sync`` too, because there DDP decides whether it
# will send. With only backward inside, every part sends, and no error tells you.
sent.clear()
for x, y in zip(inputs.chunk(4), labels.chunk(4)):
    loss = loss_function(ddp_model(x), y) / 4
    with ddp_model.no_sync():
        loss.backward()
if rank == 0:
    print("messages:", messages, "-> forward outside no_sync:", len(sent))
assert len(sent) == 4 * messages, "each part should send, in spite of no_sync"

# %%
# The other way round is worse. If the last forward pass is inside, and only its
# backward outside, nothing is sent at all. Each rank then steps with its own gradients,
# and from there on the ranks train different models, without any error.
sent.clear()
ddp_model.zero_grad()
with ddp_model.no_sync():
    loss = loss_function(ddp_model(inputs), labels)
loss.backward()
if rank == 0:
    print("messages with only backward outside:", len(sent))
assert sent == [], "nothing should be sent"

# %%
# The same happens at the end of an epoch, if the number of batches isn't a multiple of
# the number of parts, and the optimizer steps although the last parts were all inside.
#
# Send fewer bytes: bf16, fp16, PowerSGD
# --------------------------------------
#
# Gradients needn't travel in 32 bits. A hook may round them to 16, send these, and turn
# the sum back into 32 bits, so that the optimizer still works with ``float32``. (If
# your parameters are bf16, so are their gradients, and you need no hook. Under autocast
# they are ``float32``.)
#
# ``fp16_compress_hook`` rounds gradients to 16 bits, where tiny ones become 0 and those
# above 65504 infinite. bf16 avoids both, but keeps only two to three digits.
# PyTorch's ``bf16_compress_hook`` needs NCCL or, on Intel's GPUs, XCCL, so we write our
# own. It shows what a hook has to do: average, without waiting, and return a *future*,
# a promise of the result. (Call the second argument ``bucket``, because DDP looks for
# that name.)


def bf16_hook(group, bucket):
    small = bucket.buffer().to(torch.bfloat16) / group.size()
    sent.append(small.nbytes)
    future = dist.all_reduce(small, group=group, async_op=True).get_future()
    return future.then(lambda done: bucket.buffer().copy_(done.value()[0]))


assert torch.tensor(1e-8).half() == 0, "too small for fp16"
assert torch.tensor(7e4).half().isinf(), "too large for fp16"
assert torch.tensor(1e-8).bfloat16() > 0, "bf16 has the range of float32"

# %%
# ``fp16_compress_wrapper`` lets any hook send fp16. Around ``allreduce_hook`` it is
# ``fp16_compress_hook``; we put it around ours, which counts.
import copy

hooks = {
    "all-reduce": counting_hook,
    "fp16": default_hooks.fp16_compress_wrapper(counting_hook),
    "bf16": bf16_hook,
}
gradients = {}
n_bytes = {}
for name, hook in hooks.items():
    ddp_model = DistributedDataParallel(copy.deepcopy(model))
    ddp_model.register_comm_hook(ddp_model.process_group, hook)
    gradients[name] = gradient_of_batch(ddp_model)
    n_bytes[name] = sum(sent)

errors = {}
exact = gradients["all-reduce"]
for name, gradient in gradients.items():
    errors[name] = ((gradient - exact).norm() / exact.norm()).item()
    if rank == 0:
        print(f"{name:>10}: {n_bytes[name] / 1024:3.0f} KiB,",
              f"error of the gradient {errors[name]:.4f}")

whole = n_bytes["all-reduce"]
assert n_bytes["fp16"] == n_bytes["bf16"] == whole / 2, "16 bits are half of 32"
assert 0 < errors["fp16"] < 0.01, "fp16 lost too much"
assert 0 < errors["bf16"] < 0.03, "bf16 lost too much"

# %%
# Both 16-bit hooks send half. If your network is so slow that this isn't enough, there
# is ``powerSGD_hook``, which sends two thin matrices in place of the gradient of each
# weight matrix. By its `documentation
# <https://docs.pytorch.org/docs/stable/ddp_comm_hooks.html>`__ it needs three messages
# for each bucket and computation between them, and leaves the first 1000 steps exact.
#
# Which of the two? fp16 has more digits. But gradients can be as small as 0.000001,
# which is why training in fp16 `scales its loss <https://arxiv.org/abs/1710.03740>`__.
# If yours does, its gradients are large, and fp16 is the better choice. Of small ones
# fp16 loses more with every rank, because the hook divides by the number of ranks
# before it adds. With 512 ranks nothing is left: the model stops learning, and no error
# tells you. So without a scaled loss take bf16. Its sum over many ranks is rounded many
# times, so compare the loss with that of a run without a hook.
assert torch.tensor(1e-6).half() / 512 == 0, "too small for fp16 on 512 ranks"

# %%
# What helps on your network
# --------------------------
#
# Back to the transformer, with DDP's default buckets and 32,768 tokens. How much is
# exposed for each batch if we send half the bytes, or once for 4 batches, or both?
default_buckets = cut(gradient_sizes, 25 * 2**20, first_limit=2**20)
half = [size / 2 for size in default_buckets]
ways = {
    "as it is": (default_buckets, 1),
    "bf16": (half, 1),
    "4 batches": (default_buckets, 4),
    "both": (half, 4),
}
left = {}  # ms
for way, (buckets, n_batches) in ways.items():
    for name, network in networks.items():
        left[way, name] = 1000 * exposed(buckets, network) / n_batches
if rank == 0:
    print(f"{'exposed (ms)':<18}", *[f"{way:>9}" for way in ways])
    for name in networks:
        print(f"{name:<18}", *[f"{left[way, name]:9.1f}" for way in ways])

assert left["as it is", "NVLink"] < 1 and left["as it is", "InfiniBand 400"] < 1, (
    "on fast networks nearly everything is hidden already")

# %%
# On the fast networks there is nothing to gain, because less than a millisecond is
# exposed. On Ethernet of 25 Gbit/s, bf16 saves more than half of the exposed time,
# because backward hides as much as before. With accumulation on top less than a tenth
# is left.
#
# Which knob for which symptom
# ----------------------------
#
# .. list-table::
#    :header-rows: 1
#
#    * - In a trace of `torch.profiler
#        <https://docs.pytorch.org/docs/stable/profiler.html>`__
#      - What helps
#    * - Many short messages without a pause
#      - A larger ``bucket_cap_mb``
#    * - The network is idle during backward, and a long message is left after it
#      - A smaller ``bucket_cap_mb``
#    * - Long messages all the time, and still after backward
#      - Compare the ranks: where a message is shorter on one rank, the others have
#        waited for this one. If they're alike: first accumulation with ``no_sync``,
#        then bf16, last PowerSGD
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
# - Leave out ``/ group.size()`` in ``bf16_hook``. What do the ranks then train with,
#   and does DDP say something?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      With the sum of all ranks instead of the mean. With two ranks each gradient is
#      twice as large, so the error is 1, and only our assert notices, because DDP
#      takes whatever the hook returns. With SGD you'd see another learning rate. With
#      Adam, which divides by the size of the gradients, you'd see hardly anything.
#
# - In your own script: register ``counting_hook`` on your DDP model, with the model's
#   ``process_group``, and print the sizes in the third step. How many messages leave,
#   and how large is the last one, which nothing hides?
#
# What to remember
# ----------------
#
# - DDP sends a bucket when its gradients are ready, so all but the last one can travel
#   during backward. Keep the bucket size at first. Larger buckets help if messages
#   start slowly, as with hundreds of ranks; on a slow network ``no_sync`` and bf16 save
#   more.
# - Register a hook with the ``process_group`` of its model, and divide by its size.
# - With ``no_sync``, keep forward and backward of a part together inside. With only
#   backward inside, every part sends; with only forward inside, none does; and no error
#   tells you.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/inside/ddp_from_scratch` traces messages and backward.
# - :doc:`/tutorials/larger_models/split_model` is for a model too large for one GPU.
