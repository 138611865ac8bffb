"""
Input sizes: which GPU gets which rows
======================================

You pass a batch of 30 rows to a wrapped model, and inside the model there are only
10. If you know the rule, you can read such sizes, and choose batch sizes that leave no
GPU idle.

We print the sizes inside and outside a small model. First it runs on the GPUs that
your machine has, then on one, two, three and eight devices.
"""

# %%
# ``to`` moves a module, but copies a tensor
# ------------------------------------------
#
# A program for GPUs names its device once, at the start. Without a GPU the device is
# the CPU, and nothing else changes. Modules and tensors go there with ``to``.
import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")

layer = nn.Linear(5, 2)
layer.to(device)
my_tensor = torch.ones(3, 5)  # (batch, features)
mytensor = my_tensor.to(device)
print(layer(mytensor).size())

# %%
# A module is changed in place. For a tensor, ``to`` returns a copy on the other
# device, and the old tensor stays where it was: keep the result. The device ``meta``
# exists on every machine. It knows the size of a tensor but not its values, so it can
# show this everywhere.
my_tensor.to("meta")
assert layer.to("meta") is layer
print("tensor:", my_tensor.device, "  module:", layer.weight.device)
assert my_tensor.device.type == "cpu" and layer.weight.device.type == "meta"

# %%
# One hundred random samples
# --------------------------
#
# The data set needs only two methods: one returns a sample, the other says how many
# there are. A batch has 30 rows, so one hundred samples make three full batches and a
# last one of 10 rows.
from torch.utils.data import DataLoader, Dataset

input_size, output_size = 5, 2
batch_size, data_size = 30, 100


class RandomDataset(Dataset):
    def __init__(self, size, length):
        self.len = length
        self.data = torch.randn(length, size)

    def __getitem__(self, index):
        return self.data[index]

    def __len__(self):
        return self.len


rand_loader = DataLoader(
    RandomDataset(input_size, data_size), batch_size=batch_size, shuffle=True
)
print([len(data) for data in rand_loader])

# %%
# A model that tells what it receives
# -----------------------------------
#
# The model is one linear layer. Each call prints the sizes that it sees, and adds them
# to a list for our checks.
seen = []  # for each batch: the sizes inside the model, then those outside


class Model(nn.Module):
    def __init__(self, input_size, output_size):
        super().__init__()
        self.fc = nn.Linear(input_size, output_size)

    def forward(self, input):
        output = self.fc(input)
        print("\tIn Model: input size", input.size(), "output size", output.size())
        seen[-1].append((input.size(), output.size()))
        return output


# %%
# Wrap the model if there are several GPUs
# ----------------------------------------
#
# PyTorch uses one GPU unless you ask for more. One line asks: it wraps the model in
# ``nn.DataParallel``. The model is still moved to one device only, the first. From
# there the wrapper copies it to the other GPUs in each forward pass.
model = Model(input_size, output_size)
if torch.cuda.device_count() > 1:
    print("Let's use", torch.cuda.device_count(), "GPUs!")
    # (30, ...) becomes (10, ...), (10, ...), (10, ...) on three GPUs.
    model = nn.DataParallel(model)
model.to(device)
assert {parameter.device for parameter in model.parameters()} == {device}

# %%
# Run it on your machine
# ----------------------
#
# The loop is the same with and without the wrapper. Without a GPU, or with one, the
# model receives the whole batch. With more GPUs you see lines like those of the next
# sections.


def run(model):
    seen.clear()
    for data in rand_loader:
        seen.append([])
        input = data.to(device)
        output = model(input)
        print("Outside: input size", input.size(), "output size", output.size())
        seen[-1].append((input.size(), output.size()))


run(model)

# %%
# On any number of GPUs, the rows inside follow the rule of
# `torch.chunk <https://docs.pytorch.org/docs/stable/generated/torch.chunk.html>`__.
# Several GPUs print from several threads: their lines come in any order and can run
# into each other. The check therefore sorts the sizes, the largest first.


def sizes(*rows):
    return [(torch.Size([n, 5]), torch.Size([n, 2])) for n in rows]


for *inside, outside in seen:
    pieces = torch.empty(outside[0]).chunk(max(1, torch.cuda.device_count()))
    assert sorted(inside, reverse=True) == sizes(*map(len, pieces))
assert [batch[-1:] for batch in seen] == [sizes(30), sizes(30), sizes(30), sizes(10)]

# %%
# As many devices as you like
# ---------------------------
#
# The sizes depend only on the number of devices. So we write the four steps of the
# wrapper in plain PyTorch: split the rows, copy the model, compute, put the results
# together. :doc:`/tutorials/one_process/multi_gpu_examples` explains each step.
import copy


def data_parallel(module, input, devices):
    pieces = input.chunk(len(devices))
    # There may be fewer pieces than devices: zip leaves out the last devices.
    outputs = [
        copy.deepcopy(module).to(device)(piece.to(device))
        for piece, device in zip(pieces, devices)
    ]
    return torch.cat([output.to(devices[0]) for output in outputs])


# %%
# A machine with fewer devices simulates eight: the devices that exist take turns, and
# compute one piece after another. The sizes are the same as on eight GPUs. One device
# receives the whole batch. The last size in a check is the one outside.
devices = 8 * ([f"cuda:{i}" for i in range(torch.cuda.device_count())] or ["cpu"])
model = Model(input_size, output_size).to(device)
last_batch = {}


def run_on(number):
    run(lambda input: data_parallel(model, input, devices[:number]))
    last_batch[number] = [input[0] for input, output in seen[-1][:-1]]


run_on(1)
assert seen == [sizes(30, 30)] * 3 + [sizes(10, 10)]

# %%
# Two devices receive one half each
# ---------------------------------
#
# Each device receives 15 rows. The last batch has 10 rows, so each device receives 5.
# Outside nothing changes: 30 rows go in and 30 rows come out.
run_on(2)
assert seen == [sizes(15, 15, 30)] * 3 + [sizes(5, 5, 10)]

# %%
# Three devices: the last one receives less
# -----------------------------------------
#
# Thirty rows divide evenly, ten rows do not. The first two devices receive 4 rows, and
# the third receives the 2 that are left.
run_on(3)
assert seen == [sizes(10, 10, 10, 30)] * 3 + [sizes(4, 4, 2, 10)]

# %%
# Eight devices: three have nothing to do
# ---------------------------------------
#
# A batch of 30 rows keeps all eight devices busy. Now look at the end of the output.
# The last batch has ten rows, enough for each device to receive one. Yet only five
# devices receive any.
run_on(8)
assert seen == [sizes(4, 4, 4, 4, 4, 4, 4, 2, 30)] * 3 + [sizes(2, 2, 2, 2, 2, 10)]

# %%
# The picture shows where the ten rows of the last batch went. With eight devices, the
# places of the last three are empty.
import matplotlib.pyplot as plt

fig, ax = plt.subplots(
    figsize=(7, 3),
    layout="constrained",
    label="Bars show how many of ten rows each device receives. Two devices receive 5 "
    "each, three receive 4, 4 and 2, and with eight devices only five receive 2 each.",
)
labels = "two devices", "three devices", "eight devices"
for i, number, hatch in (0, 2, ""), (1, 3, "//"), (2, 8, ".."):
    rows = last_batch[number]
    places = [device + 0.27 * (i - 1) for device in range(len(rows))]
    ax.bar(places, rows, width=0.25, label=labels[i], hatch=hatch)
ax.set(xlabel="device", ylabel="rows of the last batch", xticks=range(8), xlim=(-1, 8))
ax.legend()
plt.show()

# %%
# Why ten rows make five pieces
# -----------------------------
#
# ``torch.chunk`` first fixes the length of a piece: rows divided by devices, rounded
# up. Then it cuts such pieces until no rows are left. Ten rows on eight devices make
# pieces of two rows, and five of them are enough.
from math import ceil

for rows in range(1, 101):
    length = ceil(rows / 8)
    pieces = torch.empty(rows).chunk(8)
    assert len(pieces[0]) == length and len(pieces) == ceil(rows / length)

# %%
# ``torch.tensor_split`` would give rows to all eight devices. It would not be faster:
# all wait for the device with the most rows, and that device has two rows either way.
# Better is a batch size that is a multiple of the number of GPUs. The last small batch
# can be left out with ``DataLoader(drop_last=True)``.
rows = torch.empty(10)
print("chunk:       ", [len(piece) for piece in rows.chunk(8)])
print("tensor_split:", [len(piece) for piece in rows.tensor_split(8)])
assert len(rows.chunk(8)[0]) == len(rows.tensor_split(8)[0])

# %%
# Any module can be wrapped
# -------------------------
#
# A convolution, a recurrent network, a transformer: any module will do, if its inputs
# and outputs have the batch as their first dimension. Split over three devices, it
# returns the same as alone.
images = torch.randn(10, 3, 8, 8, dtype=torch.float64, device=device)
conv = nn.Conv2d(3, 4, 3)  # (batch, channels, height, width)
words = torch.randn(10, 6, 8, dtype=torch.float64, device=device)
encoder = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)

for module, input in (conv, images), (encoder, words):
    module.to(device, torch.float64)
    output = data_parallel(module, input, devices[:3])
    print(type(module).__name__, output.size())
    assert torch.allclose(output, module(input))

# %%
# One kind of layer notices the split. In training, batch normalization computes its
# mean over the rows that it sees. On three devices it sees only the rows of its own
# piece, so the result changes.
norm = nn.BatchNorm2d(3).to(device, torch.float64)
same = torch.allclose(data_parallel(norm, images, devices[:3]), norm(images))
print("BatchNorm2d: same result", same)
assert not same

# %%
# Summary
# -------
#
# * ``nn.DataParallel`` splits each batch by itself and sends the pieces to copies of
#   the model on several GPUs.
# * It collects the results and joins them before it returns them to you. Outside, the
#   sizes stay the same.
# * The split is ``torch.chunk``: equal pieces, a shorter last one, and sometimes fewer
#   pieces than GPUs.
#
# Where to go next
# ----------------
#
# * :doc:`/tutorials/one_process/multi_gpu_examples` takes the wrapper apart.
# * :doc:`/tutorials/ranks/hello_ranks` gives each GPU a process of its own. PyTorch
#   recommends this for training.
# * The reference of `nn.DataParallel
#   <https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html>`__ lists
#   all its arguments.
