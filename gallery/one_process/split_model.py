"""
Splitting the model: two halves on two devices
==============================================

A model that does not fit on one GPU may fit on two. Then you split the model, and not
the data.

We put each half of a network on its own device and check that it learns the same. We
count what travels, and see who waits. Then we split a single layer in two, as AlexNet
did.
"""

# %%
# Two ways to share the work
# --------------------------
#
# * **Split the data**: each device has the whole model, and a part of the batch.
# * **Split the model**: each device has a part of the model, and sees the whole batch.
#
# We need two devices. Where there are fewer than two GPUs, the CPU takes the empty
# places.
import torch
from torch import nn

torch.manual_seed(0)
gpus = [f"cuda:{i}" for i in range(torch.cuda.device_count())]
devices = [*gpus, "cpu", "cpu"][:2]

# %%
# One half on each device
# -----------------------
#
# The model moves its data itself. Each half goes to its device when the model is made.
# In ``forward``, the data follow: first to one device, then to the other.


class TwoHalves(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(32, 128), nn.ReLU()).to(devices[0])
        self.second = nn.Linear(128, 32).to(devices[1])

    def forward(self, x):
        x = self.first(x.to(devices[0]))
        return self.second(x.to(devices[1]))


model = TwoHalves()
x, y = torch.randn(128, 32), torch.randn(128, 32)  # (batch, features)
print(model(x).size())

# %%
# It learns the same as the whole model
# -------------------------------------
#
# For comparison, the whole model stays on the CPU and starts with the same parameters.
# Both models train one step. Autograd finds the way back through both devices, and one
# optimizer serves both.
import copy

whole = nn.Sequential(copy.deepcopy(model.first), copy.deepcopy(model.second)).cpu()
start = copy.deepcopy(whole)


def train_one_step(model):
    output = model(x)
    loss = nn.functional.mse_loss(output, y.to(output.device))
    loss.backward()
    torch.optim.SGD(model.parameters(), lr=0.1).step()


train_one_step(model)
train_one_step(whole)
for split, together in zip(model.parameters(), whole.parameters()):
    torch.testing.assert_close(split.grad.cpu(), together.grad)
    torch.testing.assert_close(split.cpu(), together)
assert not torch.equal(start[1].weight, whole[1].weight)
print("equal after one step:", len(list(model.parameters())), "tensors")

# %%
# Each device holds about half
# ----------------------------
#
# This is why you split a model: no device has to hold all parameters. Gradients and the
# state of the optimizer lie beside their parameters, so these are divided too.


def count(module):
    return sum(parameter.numel() for parameter in module.parameters())


print("parameters:", count(model.first), "+", count(model.second), "=", count(whole))
assert count(model.first) + count(model.second) == count(whole)
for half, device in zip((model.first, model.second), devices):
    assert all(str(parameter.device) == device for parameter in half.parameters())

# %%
# A split model sends activations
# -------------------------------
#
# Hooks write down which half computes, and how many numbers leave it or come back to
# it. What leaves the first half goes to the other device. In the backward pass,
# gradients of the same size come back.
events = []  # (device, pass, numbers)


def write_down(device):
    def hook(module, inputs, output):
        events.append((device, "forward", output.numel()))
        output.register_hook(
            lambda grad: events.append((device, "backward", grad.numel()))
        )

    return hook


model.first.register_forward_hook(write_down(0))
model.second.register_forward_hook(write_down(1))
model(x).sum().backward()
for event in events:
    print(*event)
assert events[0] == (0, "forward", x.size(0) * 128)
assert events[3] == (0, "backward", x.size(0) * 128)

# %%
# Split data send gradients
# -------------------------
#
# Now each device gets a copy of the whole model, and half of the rows. The gradients of
# one copy travel to the other, and their mean travels back. It is the gradient of the
# whole batch.
replicas = [copy.deepcopy(start).to(device) for device in devices]
for replica, device, x_part, y_part in zip(replicas, devices, x.chunk(2), y.chunk(2)):
    nn.functional.mse_loss(replica(x_part.to(device)), y_part.to(device)).backward()

sent = 0
for mine, other, together in zip(*(m.parameters() for m in (*replicas, whole))):
    mean = (mine.grad.cpu() + other.grad.cpu()) / 2
    sent += other.grad.numel() + mean.numel()
    torch.testing.assert_close(mean, together.grad)

# %%
# Which way sends less depends on the batch. A split model sends more with each row.
# With split data it is two numbers for each parameter, whatever the batch.
print("split data: ", sent, "numbers for any batch")
for batch in 32, 64, 128:
    events.clear()
    model(x[:batch]).sum().backward()
    travelled = events[0][2] + events[3][2]
    print("split model:", travelled, "numbers for", batch, "rows")
    assert (travelled < sent) == (batch < 128) and travelled == batch * 2 * 128
assert sent == 2 * count(whole)

# %%
# One device works, the other waits
# ---------------------------------
#
# The second half needs the output of the first. On the way back it is the other way
# round. At each moment one device works, so two GPUs are no faster than one. In the
# picture, the order comes from the hooks. The lengths are only drawn equal.
import matplotlib.pyplot as plt

order = [(device, kind) for device, kind, numbers in events]
assert order == [(0, "forward"), (1, "forward"), (1, "backward"), (0, "backward")]

fig, ax = plt.subplots(
    figsize=(7, 3),
    layout="constrained",
    label="Bars for two devices over four steps. Device 0 works in the first and the "
    "last step, device 1 in the two between. They never work at the same time.",
)
for step, (device, kind) in enumerate(order):
    color, hatch = ("C0", "") if kind == "forward" else ("C1", "//")
    ax.barh(device, 1, 0.6, left=step, color=color, hatch=hatch)
ax.set(xlabel="step", ylabel="device", xlim=(0, 5.6), xticks=range(5), yticks=[0, 1])
ax.legend([ax.patches[0], ax.patches[3]], ["forward pass", "backward pass"])
plt.show()

# %%
# A pipeline fills the gaps. It cuts the batch into micro-batches, and the first device
# begins the next one while the second device works.
#
# AlexNet splits its layers in two columns
# ----------------------------------------
#
# `AlexNet <https://doi.org/10.1145/3065386>`__ was trained in 2012 on two GPUs with
# 3 GB each. Each GPU had half of the channels of every layer. In the second layer, a
# GPU saw only its own channels. Today this is an ordinary layer with ``groups=2``.
full = nn.Conv2d(96, 256, kernel_size=5, padding=2)
grouped = nn.Conv2d(96, 256, kernel_size=5, padding=2, groups=2).double()
columns = [nn.Conv2d(48, 128, 5, padding=2).double().to(device) for device in devices]
print("parameters:", count(full), "full,", count(grouped), "in two columns")
assert count(grouped) == count(columns[0]) + count(columns[1])

# %%
# The first 128 filters of the grouped layer are the first column. All numbers here are
# small and whole, so that every sum is exact. Outputs and gradients then agree to the
# last digit.


@torch.no_grad()
def fill(tensor):
    return tensor.copy_(torch.randint_like(tensor, -3, 4))


for parameter in grouped.parameters():
    fill(parameter)
for i, column in enumerate(columns):
    half = {name: tensor.chunk(2)[i] for name, tensor in grouped.named_parameters()}
    column.load_state_dict(half)

images = fill(torch.empty(2, 96, 27, 27).double())  # (batch, channels, height, width)
parts = [part.to(device) for part, device in zip(images.chunk(2, dim=1), devices)]
maps = torch.cat([column(part).cpu() for column, part in zip(columns, parts)], dim=1)
print("largest difference:", (maps - grouped(images)).abs().max().item())
assert torch.equal(maps, grouped(images))

maps.square().sum().backward()
grouped(images).square().sum().backward()
gradient = torch.cat([column.weight.grad.cpu() for column in columns])
assert torch.equal(gradient, grouped.weight.grad)

# %%
# In the third layer the columns meet
# -----------------------------------
#
# Here each GPU reads the channels of both, and computes half of the filters. Together
# they make one ordinary layer, with no groups. Splitting single layers in this way is
# now called tensor parallelism.
from torch.nn.functional import conv2d, max_pool2d

third = nn.Conv2d(256, 384, kernel_size=3, padding=1).double()
for parameter in third.parameters():
    fill(parameter)

pooled = max_pool2d(maps.detach(), kernel_size=3, stride=2)  # (2, 256, 13, 13)
outputs = []
for device, weight, bias in zip(devices, third.weight.chunk(2), third.bias.chunk(2)):
    half = conv2d(pooled.to(device), weight.to(device), bias.to(device), padding=1)
    outputs.append(half.cpu())
print("two halves:", [tuple(half.shape) for half in outputs])
assert torch.equal(torch.cat(outputs, dim=1), third(pooled))

# %%
# Which way to choose
# -------------------
#
# Does the model fit on one GPU? Then split the data: it is simpler, and all GPUs work
# at the same time. Split the model when it does not fit.
#
# .. list-table::
#    :header-rows: 1
#    :stub-columns: 1
#
#    * - Question
#      - Split the data
#      - Split the model
#    * - What does a device hold?
#      - all parameters
#      - a part of them
#    * - What does it see?
#      - a part of the batch
#      - the whole batch
#    * - What travels?
#      - gradients of parameters
#      - activations and their gradients
#    * - Who waits?
#      - nobody, if the parts are equal
#      - the other device, without a pipeline
#
# Where to go next
# ----------------
#
# * :doc:`/tutorials/one_process/multi_gpu_examples` splits the data in one process.
# * :doc:`/tutorials/ddp/distributed_data_parallel` splits the data between processes.
# * :doc:`/tutorials/ranks/hello_ranks` starts one process for each GPU.
