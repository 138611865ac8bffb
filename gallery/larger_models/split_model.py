"""
Splitting the model: two halves, two GPUs
=========================================

:Card: The model is too large for one GPU. Half of it is not.
:Learn: You will put two halves of a model on two devices, check that it learns the
    same, and count what travels.
:Picture: halves
:Oldest torch: 2.9

A model that does not fit on one GPU may fit on two, if each computes a part of it. Then
you split the model, and not the data. (To train a model that is too large, first try to
shard its parameters, because then all GPUs work at the same time:
:doc:`/tutorials/larger_models/fully_sharded`.)

We put each half of a network on its own device and check that it learns the same. We
count what travels, and see who waits. Then we split a single layer in two, as AlexNet
did.
"""

# %%
# Two ways to share the work
# --------------------------
#
# - **Split the data**: each device has the whole model, and a part of the batch.
# - **Split the model**: each device has a part of the model, and sees the whole batch.
#
# We need two devices. With fewer than two GPUs of NVIDIA or AMD we pretend: the only
# device stands in the list twice, so ``to`` moves nothing.
import torch
from torch import nn

n_gpus = torch.cuda.device_count()
device = torch.device("cuda:0" if n_gpus > 0 else "cpu")
places = [device, torch.device("cuda:1") if n_gpus > 1 else device]
print("the two devices:", *places)

# %%
# One half on each device
# -----------------------
#
# Each half is made on its own device, so that no device ever holds the whole model, and
# ``forward`` moves the data, first to one device, then to the other. Do not call
# ``to(device)`` on the whole model, because that would put both halves on one device.
# In a transformer, the first half is the embedding and the first blocks, and the second
# half the other blocks and the output layer.


class TwoHalves(nn.Module):
    def __init__(self, places):
        super().__init__()
        self.places = places
        self.first = nn.Sequential(
            nn.Linear(32, 128, device=places[0]), nn.ReLU())
        self.second = nn.Linear(128, 32, device=places[1])

    def forward(self, x):
        x = self.first(x.to(self.places[0]))
        return self.second(x.to(self.places[1]))


torch.manual_seed(0)
model = TwoHalves(places).double()  # for a precise comparison
x = torch.randn(128, 32).double()  # (batch, features)
y = torch.randn(128, 32).double()
print(model(x).size())

# %%
# The device ``meta`` knows shapes and has no numbers, but every machine has it, so it
# can stand for the second GPU. The output lies there. Without the line that moves ``x``
# in between, PyTorch stops, because a layer and its input are on two devices.
on_two = TwoHalves(["cpu", "meta"]).double()
assert on_two(x).device.type == "meta", "the second half computes elsewhere"
try:
    on_two.second(on_two.first(x))
except RuntimeError as error:
    print(error)
else:
    raise AssertionError("a layer takes an input from another device")

# %%
# It learns the same as the whole model
# -------------------------------------
#
# For comparison, the whole model stays on the CPU, starts with the same parameters, and
# trains for one step like the split one. The labels go where the output is. Autograd,
# ``clip_grad_norm_`` and the optimizer work with two devices without a change. While we
# pretend, this shows only that the formulas are right.
import copy

whole = nn.Sequential(copy.deepcopy(model.first), copy.deepcopy(model.second)).cpu()
start = copy.deepcopy(whole)
for network in model, whole:
    output = network(x)
    nn.functional.mse_loss(output, y.to(output.device)).backward()
    torch.optim.SGD(network.parameters(), lr=0.1).step()
for split, together in zip(model.parameters(), whole.parameters()):
    torch.testing.assert_close(split.grad.cpu(), together.grad)
    torch.testing.assert_close(split.cpu(), together)
assert not torch.equal(start[1].weight, whole[1].weight), "nothing was learned"
print("equal after one step:", len(list(model.parameters())), "tensors")

# %%
# Each device holds about half
# ----------------------------
#
# This is why you split a model: no device has to hold all parameters. Gradients and the
# state of the optimizer lie beside their parameters, so they are divided too. With Adam
# in fp32 that's :doc:`16 bytes for each parameter
# </tutorials/larger_models/fitting_in_memory>`.
#
# Activations come on top. They lie on the device that computed them, and seldom divide
# evenly. On GPUs, ``torch.cuda.max_memory_allocated(d)`` tells the peak of each device,
# and with it you choose where to cut. Layers that share a parameter, such as the
# embedding and the output layer of many language models, belong on one device.
parts = {"first half": model.first, "second half": model.second, "whole": whole}
sizes = {}
for name, part in parts.items():
    sizes[name] = sum(parameter.numel() for parameter in part.parameters())
    print(f"{name}: {sizes[name]} parameters")

# %%
# A model partly on the CPU, partly on a GPU
# ------------------------------------------
#
# A large embedding table may not fit on the GPU, while the layers after it should
# compute there. So ``forward`` moves the data in the middle, and autograd moves the
# gradient back. Outputs and gradients equal those of the same model on the CPU.
#
# If you only want to run a pretrained model that is too large, you need not write this:
# ``device_map="auto"`` of Hugging Face's `Accelerate
# <https://huggingface.co/docs/accelerate/concept_guides/big_model_inference>`__ puts
# the layers on your GPUs, then on the CPU, and loads the weights straight to them.


class DistributedModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1000, 10)
        # An RNN or any other layer could stand here.
        self.rnn = nn.Linear(10, 10).to(device)

    def forward(self, x):
        x = self.embedding(x)  # the table is read on the CPU
        x = x.to(device)  # only the rows that were read move to the GPU
        return self.rnn(x)


mixed = DistributedModel().double()
on_cpu = nn.Sequential(copy.deepcopy(mixed.embedding), copy.deepcopy(mixed.rnn).cpu())
words = torch.tensor([[4, 8, 15], [16, 23, 4]])  # (batch, words)
output = mixed(words)
expected = on_cpu(words)
torch.testing.assert_close(output.cpu(), expected)
output.square().mean().backward()
expected.square().mean().backward()
for ours, theirs in zip(mixed.parameters(), on_cpu.parameters()):
    torch.testing.assert_close(ours.grad.cpu(), theirs.grad)
table = mixed.embedding.weight
assert table.grad.device.type == "cpu", "the gradient has left the table"
assert table.grad.any(dim=1).sum() == 5, "word 4 occurs twice, so five rows are used"

# %%
# Only five rows of the table have a gradient that isn't zero, yet the gradient takes as
# much memory as the table, and Adam goes through all rows on the CPU in each step. With
# ``nn.Embedding(..., sparse=True)`` only the rows in use have a gradient. Then you need
# two optimizers, ``torch.optim.SparseAdam`` for the table and ``Adam`` for the rest,
# since each refuses the gradients of the other.
#
# A split model sends activations
# -------------------------------
#
# Hooks record which half computes, and how many numbers leave it or come back to it.
# What leaves the first half, its activations, goes to the other device, and in the
# backward pass, gradients of the same size come back.
events = []  # (device, pass, numbers)


def record(half, args, output):
    d = 0 if half is model.first else 1
    events.append((d, "forward", output.numel()))
    output.register_hook(lambda grad: events.append((d, "backward", grad.numel())))


model.first.register_forward_hook(record)
model.second.register_forward_hook(record)
model(x).sum().backward()
for d, kind, numbers in events:
    print(f"device {d}, {kind}: {numbers} numbers", "travel" if d == 0 else "stay")
assert events[0][2] == events[3][2] == len(x) * 128, "the two messages differ in size"

# %%
# Split data send gradients
# -------------------------
#
# Now each device gets a copy of the whole model, and half of the rows. The gradients of
# one copy travel to the other, and their mean travels back. It is the gradient of the
# whole batch, because both halves have equally many rows.
#
# A split model sends more with each row, while split data need two numbers for each
# parameter, whatever the batch.
#
# But don't choose by these counts alone. The gradients of split data can travel while
# the backward pass still computes, as they do :doc:`in DDP
# </tutorials/inside/ddp_from_scratch>`. Here the second half can't begin before the
# activations have arrived, and meanwhile both devices wait.
replicas = [copy.deepcopy(start).to(d) for d in places]
for replica, d, x_part, y_part in zip(replicas, places, x.chunk(2), y.chunk(2)):
    nn.functional.mse_loss(replica(x_part.to(d)), y_part.to(d)).backward()
sent = 0
for mine, other, together in zip(
        replicas[0].parameters(), replicas[1].parameters(), whole.parameters()):
    mean = (mine.grad.cpu() + other.grad.cpu()) / 2
    sent += other.grad.numel() + mean.numel()
    torch.testing.assert_close(mean, together.grad)

print("split data: ", sent, "numbers for any batch")
for batch in 32, 64, 128:
    events.clear()
    model(x[:batch]).sum().backward()
    travelled = events[0][2] + events[3][2]
    print("split model:", travelled, "numbers for", batch, "rows")
    assert travelled == batch * 2 * 128, "each row sends other numbers"
assert sent == 2 * sizes["whole"], "the gradients are not sent once in each direction"

# %%
# One device works, the other waits
# ---------------------------------
#
# The second half needs the output of the first, and in the backward pass the first half
# needs a gradient from the second. So in training only one device works at each moment,
# and two GPUs are no faster than one.
#
# A pipeline shortens the wait: it cuts the batch into micro-batches, and the first
# device starts on the next one while the second is still working. A device starts a
# micro-batch when its neighbor has finished it and the device itself is free. If all
# parts of the model and all m micro-batches take equally long, each of p devices is
# idle for (p - 1) / (m + p - 1) of the time.
from fractions import Fraction


def pipeline(p, m):
    """Return what each device does: (device, pass, number of the time slot)."""
    work = []
    free = [0] * p  # when each device is free
    done = [0] * m  # when each micro-batch can go on
    for kind in "forward", "backward":
        for d in range(p) if kind == "forward" else reversed(range(p)):
            for i in range(m):
                slot = max(free[d], done[i])
                work.append((d, kind, slot))
                free[d] = slot + 1
                done[i] = slot + 1
    return work


for p, m in (2, 1), (2, 4), (4, 4), (4, 16):
    work = pipeline(p, m)
    n_slots = 1 + max(slot for d, kind, slot in work)
    idle = 1 - Fraction(len(work), p * n_slots)
    assert idle == Fraction(p - 1, m + p - 1), "the formula gives another share"
    print(f"{p} devices, micro-batches: {m}, idle: {idle}")
recorded = [(d, kind) for d, kind, numbers in events]
in_order = [(d, kind) for d, kind, slot in pipeline(2, 1)]
assert recorded == in_order, "the halves have worked in another order"

# %%
# In the upper panel the batch stays whole, in the order that the hooks saw. In the
# lower one it is cut into four micro-batches. Within each panel, all times are drawn
# equal.
#
# .. alt-text:: Bars for two devices. Above, they never work at the same time. Below,
#    with four micro-batches, they mostly do, and end sooner.
import matplotlib.pyplot as plt

fig, axes = plt.subplots(2, sharex=True, figsize=(7, 4))
for ax, m in zip(axes, (1, 4)):
    for d, kind, slot in pipeline(2, m):
        color = "C0" if kind == "forward" else "C1"
        ax.barh(d, 1 / m - 0.03, 0.6, left=slot / m, color=color)
    ax.set(ylabel="device", yticks=[0, 1], ylim=(1.5, -0.5), xlim=(0, 5.6))
axes[0].legend([ax.patches[0], ax.patches[-1]], ["forward pass", "backward pass"])
axes[1].set(xlabel="step", xticks=range(5))
plt.show()

# %%
# AlexNet splits its layers in two columns
# ----------------------------------------
#
# `AlexNet <https://doi.org/10.1145/3065386>`__ was trained in 2012 on two GPUs with 3
# GB each. Each GPU had half of the channels of every layer, and in the second layer it
# saw only its own. Today this is an ordinary layer with ``groups=2``.
#
# In the third layer the columns meet: each GPU reads the channels of both and computes
# half of the filters. To split a layer as this third one is now called :doc:`tensor
# parallelism </tutorials/larger_models/tensor_parallel>`.
from torch.nn.functional import conv2d

grouped = nn.Conv2d(96, 256, kernel_size=5, padding=2, groups=2).double()
images = torch.randn(2, 96, 27, 27).double()  # (batch, channels, height, width)
channels = images.chunk(2, dim=1)
weights = grouped.weight.chunk(2)  # each: half of the filters
biases = grouped.bias.chunk(2)

outputs = []
for i, d in enumerate(places):
    output = conv2d(channels[i].to(d), weights[i].to(d), biases[i].to(d), padding=2)
    outputs.append(output.cpu())
maps = torch.cat(outputs, dim=1)
torch.testing.assert_close(maps, grouped(images))
print(tuple(images.shape), "->", tuple(maps.shape))

# %%
# Which one to choose
# -------------------
#
# If the model fits on one GPU, with its gradients, the state of the optimizer and the
# activations, split the data: it is simpler, and all GPUs work at the same time. If it
# does not fit, shard the parameters first: split the data, and let each GPU keep only a
# part of every parameter (:doc:`/tutorials/larger_models/fully_sharded`).
#
# .. list-table::
#    :header-rows: 1
#    :stub-columns: 1
#
#    * - Question
#      - Split the data
#      - Split the model
#      - Shard the parameters
#    * - What does a device hold?
#      - all parameters
#      - a part of them
#      - a part of each, the rest only for a moment
#    * - What travels?
#      - gradients of parameters
#      - activations and their gradients
#      - parameters and their gradients
#    * - Who waits?
#      - all, for the gradients of the others
#      - the other device, less with a pipeline
#      - all, for parameters and gradients
#
# Try it
# ------
#
# Predict first, then run.
#
# - How many micro-batches do four devices need, to be idle for less than a tenth of
#   the time? Let ``pipeline`` count.
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      28. With 27 they are idle for exactly 3/30, a tenth, and with 28 for 3/31. The
#      three slots of filling and the three of draining stay, so only more
#      micro-batches make their share smaller.
#
# - In your own script: after which layer would you cut the model for two GPUs?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      Where both halves need about as much memory, activations included, and take about
#      as long. Of the layers near there, take one that few numbers leave: they travel
#      forward, and as many come back.
#
# What to remember
# ----------------
#
# - If the model fits on one GPU, split the data. If it doesn't, usually try sharding
#   first, and then splitting the model.
# - A split model sends activations, which grow with the batch. Split data send
#   gradients, which are the same for any batch.
# - In training without a pipeline only one device works at a time. With one, p devices
#   and m micro-batches are idle for (p - 1) / (m + p - 1) of the time.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/one_process/multi_gpu_examples` splits the data in one process.
# - :doc:`/tutorials/start/distributed_data_parallel` splits the data between processes.
# - :doc:`/tutorials/larger_models/pipeline_parallel` makes the gaps smaller.
# - :doc:`/tutorials/start/hello_ranks` starts one process for each GPU.
