"""
Input sizes: which GPU gets which rows
======================================

:Card: A batch of 30 goes in. Why does the model see 10?
:Learn: You will print which rows each device gets, and choose a batch size that leaves
    no GPU idle.
:Prerequisites: :doc:`/tutorials/one_process/multi_gpu_examples`
:Picture: rows
:Oldest torch: 2.9

.. note::

   PyTorch `recommends DistributedDataParallel
   <https://docs.pytorch.org/docs/2.13/generated/torch.nn.DataParallel.html>`__ in place
   of ``DataParallel``, even on a single machine. Read this page if you maintain code
   that uses it; otherwise, go to :doc:`/tutorials/start/one_gpu_to_many`.

You pass 30 rows to a wrapped model, and a print inside the model says 10, because the
wrapper has cut the batch into pieces, here for three GPUs. A batch size that is a
multiple of the number of GPUs leaves none idle.

We print the sizes inside and outside a small model. First it runs on the GPUs that
your machine has, then on one, two, three and eight devices.
"""

# %%
# One hundred random samples
# --------------------------
#
# The data set needs only two methods: one returns a sample, the other says how many
# there are. A batch has 30 rows, so one hundred samples make three full batches and a
# last one of 10 rows.
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

n_gpus = torch.cuda.device_count()
gpus = [torch.device("cuda", i) for i in range(n_gpus)]
devices = gpus or [torch.device("cpu")]
device = devices[0]

torch.manual_seed(0)
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


dataset = RandomDataset(input_size, data_size)
rand_loader = DataLoader(dataset, batch_size=batch_size, shuffle=True)
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
# The model is moved to the first device only, and from there the wrapper copies it to
# the other GPUs in each forward pass. The loop is the same with and without the
# wrapper. Without a GPU, or with one, the model receives the whole batch.
model = Model(input_size, output_size)
if n_gpus > 1:
    print("Let's use", n_gpus, "GPUs!")
    # (30, ...) becomes (10, ...), (10, ...), (10, ...) on three GPUs.
    model = nn.DataParallel(model)
model.to(device)
assert {parameter.device for parameter in model.parameters()} == {device}


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
# On any number of GPUs, the rows inside follow the rule of `torch.chunk
# <https://docs.pytorch.org/docs/stable/generated/torch.chunk.html>`__. Several GPUs
# print from several threads: their lines come in any order and can run into each other.
# The check therefore sorts the sizes, the largest first.


def sizes(*rows):
    return [(torch.Size([n, 5]), torch.Size([n, 2])) for n in rows]


for *inside, outside in seen:
    pieces = torch.empty(outside[0]).chunk(max(1, n_gpus))
    assert sorted(inside, reverse=True) == sizes(*map(len, pieces))
assert [batch[-1:] for batch in seen] == [sizes(30), sizes(30), sizes(30), sizes(10)]

# %%
# As many devices as you like
# ---------------------------
#
# For the same batch, the sizes depend only on the number of devices. So we pretend to
# have more: the devices that exist take turns and compute one piece after another. A
# deep copy of the model is enough here, because we want sizes and no gradients.
from contextlib import redirect_stdout
from copy import deepcopy


def forward_on(devices, module, input):
    pieces = input.chunk(len(devices))
    # There may be fewer pieces than devices: zip leaves out the last devices.
    outputs = [deepcopy(module).to(d)(p.to(d)) for p, d in zip(pieces, devices)]
    return torch.cat([output.to(devices[0]) for output in outputs])


model = Model(input_size, output_size)
last_batch = {}


def run_on(n):
    with redirect_stdout(None):
        run(lambda input: forward_on((devices * n)[:n], model, input))
    first_batch = [input[0] for input, output in seen[0][:-1]]
    last_batch[n] = [input[0] for input, output in seen[-1][:-1]]
    print("devices:", n, "rows:", first_batch, "in the last batch:", last_batch[n])


run_on(1)
assert seen == [sizes(30, 30)] * 3 + [sizes(10, 10)], "the batch was divided"
run_on(2)
assert seen == [sizes(15, 15, 30)] * 3 + [sizes(5, 5, 10)], "not one half each"
run_on(3)
assert seen == [sizes(10, 10, 10, 30)] * 3 + [sizes(4, 4, 2, 10)], (
    "three devices got other rows")
run_on(8)
assert seen == [sizes(4, 4, 4, 4, 4, 4, 4, 2, 30)] * 3 + [sizes(2, 2, 2, 2, 2, 10)], (
    "eight devices got other rows")

# %%
# The picture shows where the ten rows of the last batch went. With eight devices, the
# places of the last three are empty.
#
# .. alt-text:: Bars show how many of ten rows each device receives. Two devices receive
#    5 each, three receive 4, 4 and 2, and with eight devices only five receive 2 each.
import matplotlib.pyplot as plt

fig, axes = plt.subplots(ncols=3, figsize=(7, 3))
titles = "two devices", "three devices", "eight devices"
for ax, n, title in zip(axes, (2, 3, 8), titles):
    ax.barh(range(len(last_batch[n])), last_batch[n])
    ax.set(title=title, xlabel="rows", xticks=range(6))
    ax.set(yticks=range(n), ylim=(n - 0.5, -0.5))
axes[0].set_ylabel("device")
plt.show()

# %%
# Why ten rows make five pieces
# -----------------------------
#
# ``torch.chunk`` first fixes the length of a piece: rows divided by devices, rounded
# up. Then it cuts such pieces until no rows are left. Ten rows on eight devices make
# pieces of two rows, and five of them are enough.
#
# So choose a batch size that is a multiple of the number of GPUs. If the small last
# batch does not matter in training, drop it with ``DataLoader(..., drop_last=True)``,
# but keep it when you evaluate.
#
# Equal rows need not be equal work: of padded sentences, the device with the longest
# ones decides how long the step takes.
#
# The batch must be the first dimension
# -------------------------------------
#
# A convolution can be wrapped, and a transformer with ``batch_first=True``, because the
# batch is the first dimension of what they take and return. Their results do not change
# when the batch is split over three devices.
three = (devices * 3)[:3]
images = torch.randn(10, 3, 8, 8, dtype=torch.float64, device=device)
conv = nn.Conv2d(3, 4, 3)  # (batch, channels, height, width)
words = torch.randn(9, 6, 8, dtype=torch.float64, device=device)
encoder = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
for module, batch in (conv, images), (encoder, words):
    module.to(device, torch.float64)
    output = forward_on(three, module, batch)
    print(type(module).__name__, output.size())
    torch.testing.assert_close(output, module(batch))

# %%
# A recurrent network has the batch second, unless you ask for ``batch_first=True``. In
# its hidden state the batch is second even then, so the pieces are joined along the
# wrong dimension.
#
# Batch normalization notices the split, because in training it computes its mean over
# the rows that it sees. On three devices these are only the rows of one piece.
#
# *Every* tensor among the arguments is cut, also in lists and dicts. That's right for a
# padding mask (batch, tokens), and wrong for a causal mask (tokens, tokens) or class
# weights: make these in ``forward``, or keep them as buffers. Transpose a hidden state
# in ``forward``, or use ``nn.DataParallel(model, dim=1)`` if the batch is second in all
# arguments and results. For batch normalization, the remedy is ``SyncBatchNorm``, which
# needs ``DistributedDataParallel``.
causal_mask = torch.ones(6, 6).tril()  # (tokens, tokens)
parts = [tuple(part.size()) for part in causal_mask.chunk(3)]
print("causal mask on three devices:", parts)
assert parts == [(2, 6)] * 3, "the mask is whole"

rnn = nn.GRU(8, 4, batch_first=True).to(device, torch.float64)
hidden = torch.cat([rnn(piece)[1] for piece in words.chunk(3)])
print("hidden state:", tuple(hidden.size()), "instead of", tuple(rnn(words)[1].size()))
assert hidden.size() == (3, 3, 4), "the pieces are joined otherwise"

norm = nn.BatchNorm2d(3).to(device, torch.float64)
same = torch.allclose(forward_on(three, norm, images), norm(images))
print("BatchNorm2d: same result", same)
assert not same, "batch normalization sees all rows"

# %%
# ``to`` moves a module, but not a tensor
# ---------------------------------------
#
# ``module.to(device)`` moves the module itself. ``tensor.to(device)`` leaves the tensor
# alone and returns a copy, so write ``x = x.to(device)``. The device ``meta``, which
# exists on every machine, shows it.
layer = nn.Linear(5, 2)
my_tensor = torch.ones(3, 5)  # (batch, features)
mytensor = my_tensor.to(device)
assert my_tensor.to("meta") is not my_tensor, "the tensor has moved"
assert layer.to("meta") is layer, "the module has not moved"
print("tensor:", my_tensor.device, "  module:", layer.weight.device)

# %%
# Summary
# -------
#
# ``nn.DataParallel`` splits each batch with ``torch.chunk``, sends the pieces to copies
# of the model on the GPUs, and joins the results. Outside, the sizes stay the same.
#
# Try it
# ------
#
# Predict first, then run.
#
# - In ``forward_on``, write ``tensor_split`` in place of ``chunk``. Which check fails
#   first, and does the device with the most rows have less to do than before?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      The check for three devices: ``tensor_split`` cuts ten rows into 4, 3 and 3, and
#      ``chunk`` into 4, 4 and 2. With eight devices, all of them get rows: two get 2,
#      and six get 1. But the largest piece is the same with both functions, rows
#      divided by devices and rounded up, so the busiest device has as much to do as
#      before.
#
# - In your own script: take your batch size and the size of your last batch, and let
#   ``torch.chunk`` split both by the number of your GPUs. Which GPU gets the fewest
#   rows, and do all get some?
#
# What to remember
# ----------------
#
# - Inside the model you see only the rows of one device, because ``nn.DataParallel``
#   splits the first dimension. Outside, the sizes stay the same.
# - ``torch.chunk`` rounds the rows of a piece up, so eight devices share ten rows as
#   five pieces of two. A batch size that is a multiple of the number of GPUs leaves
#   none idle.
# - Every tensor argument is cut, a mask without a batch too. A hidden state is joined
#   along the wrong dimension, and batch normalization sees only its own piece.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/one_process/multi_gpu_examples` takes the wrapper apart.
# - :doc:`/tutorials/start/hello_ranks` gives each GPU a process of its own. PyTorch
#   recommends this for training.
