"""
Multi-GPU examples
==================

When training on one GPU takes too long, several GPUs can share the work. The simplest
way is *data parallelism*. It cuts each mini-batch into several smaller mini-batches
and computes them in parallel, each with a copy of the same model.

We wrap a layer in ``nn.DataParallel``, then build the same thing from four small
functions. At the end we place one part of a model on the CPU and the other on a GPU.
Every example also runs without a GPU.
"""

# %%
# Wrap a layer to split its batch
# -------------------------------
#
# The model below has three layers, and only the one in the middle is wrapped. On a
# machine with two GPUs, each of them computes ``block2`` for one half of the rows. The
# layers around it do not change.
import torch
import torch.nn as nn


class DataParallelModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.block1 = nn.Linear(10, 20)
        # the wrapper takes all the GPUs that it finds
        self.block2 = nn.DataParallel(nn.Linear(20, 20))
        self.block3 = nn.Linear(20, 20)

    def forward(self, x):
        x = self.block1(x)
        x = self.block2(x)
        x = self.block3(x)
        return x


torch.manual_seed(0)
print(DataParallelModel())

# %%
# The code does not change between CPU and GPU
# --------------------------------------------
#
# The model and its input start on the first GPU, or on the CPU if there is none. A
# small hook notes how many rows each copy of ``block2`` receives.
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
device_ids = list(range(torch.cuda.device_count()))

model = DataParallelModel().to(device)
x = torch.randn(30, 10).to(device)  # (batch, features)

rows = []
layer = model.block2.module
hook = layer.register_forward_pre_hook(lambda _, args: rows.append(len(args[0])))
y = model(x)
hook.remove()
print(tuple(x.shape), "->", tuple(y.shape))

# %%
# Each device received one piece of the batch. Without a GPU there is only one piece,
# the whole batch. In that case ``nn.DataParallel`` simply calls the layer inside,
# without an error and without a message.
pieces = x.chunk(max(1, len(device_ids)))

assert sorted(rows) == sorted(len(piece) for piece in pieces)
assert device_ids or rows == [30]
print("rows computed by block2:", sum(rows))

# %%
# The results equal those of the unwrapped layers
# -----------------------------------------------
#
# Splitting the batch must not change what is learned. We put the same layers together
# without the wrapper. Then the outputs and the gradients of all six parameters are
# compared. They agree within 1e-6.
plain = nn.Sequential(model.block1, layer, model.block3)
parameters = list(plain.parameters())

wrapped_grads = torch.autograd.grad(y.square().mean(), parameters)
plain_grads = torch.autograd.grad(plain(x).square().mean(), parameters)

torch.testing.assert_close(y, plain(x), rtol=0, atol=1e-6)
torch.testing.assert_close(wrapped_grads, plain_grads, rtol=0, atol=1e-6)
print("gradients compared:", len(wrapped_grads))

# %%
# Four primitives make a DataParallel
# -----------------------------------
#
# The wrapper is made of four functions of ``nn.parallel``, in the style of MPI. Each
# of them can also be used alone.
#
# - **replicate** copies a module to several devices.
# - **scatter** cuts the input along its first dimension, one piece for each device.
# - **parallel_apply** calls each copy on its own piece, all at the same time.
# - **gather** joins the outputs along the first dimension, on one device.


def data_parallel(module, input, device_ids, output_device=None):
    if not device_ids:
        return module(input)

    if output_device is None:
        output_device = device_ids[0]

    replicas = nn.parallel.replicate(module, device_ids)
    inputs = nn.parallel.scatter(input, device_ids)
    replicas = replicas[: len(inputs)]
    outputs = nn.parallel.parallel_apply(replicas, inputs)
    return nn.parallel.gather(outputs, output_device)


# %%
# Three lines need an explanation.
#
# - With an empty list of devices, the module itself is called. So the same program
#   runs on a CPU.
# - Without an ``output_device``, the outputs meet on the first device of the list.
# - A small batch gives fewer pieces than devices. The slice ``[: len(inputs)]`` drops
#   the replicas that have no work.
layer = nn.Linear(10, 20).to(device)
y = data_parallel(layer, x, device_ids)

assert y.device == device
torch.testing.assert_close(y, layer(x), rtol=0, atol=1e-6)

few = x[:3].chunk(4)
assert len(few) == 3
print("3 rows for 4 devices:", len(few), "pieces")

# %%
# The four steps in plain PyTorch
# -------------------------------
#
# The primitives of PyTorch need GPUs. To see every step on any machine, we write our
# own over a list of two devices. They are the first two GPUs. If there are fewer, the
# same device stands in the list twice.
#
# **Replicate.** A replica is the module and a copy of its weights. Autograd records
# the copying, so gradients find their way back from each device to the original.
from copy import deepcopy

gpus = [torch.device("cuda", i) for i in device_ids]
devices = ((gpus or [device]) * 2)[:2]


def replicate(module, devices):
    named = dict(module.named_parameters())
    weights = [{n: p.to(d, copy=True) for n, p in named.items()} for d in devices]
    return [(deepcopy(module), copies) for copies in weights]


replicas = replicate(layer, devices)
assert [weights["bias"].device for _, weights in replicas] == devices
print([tuple(weights["weight"].shape) for _, weights in replicas])

# %%
# **Scatter.** The batch is cut along its first dimension, the batch dimension. Each
# device gets 15 of the 30 rows, and every row stays whole.


def scatter(input, devices):
    return [piece.to(d) for piece, d in zip(input.chunk(len(devices)), devices)]


inputs = scatter(x, devices)
print([tuple(piece.shape) for piece in inputs])

# %%
# **Parallel apply.** One thread for each replica starts the work on its device.
# ``functional_call`` puts the copied weights into the module for the time of the call.
# This is why each thread needs a module of its own.
from concurrent.futures import ThreadPoolExecutor

from torch.func import functional_call


def parallel_apply(replicas, inputs):
    modules, weights = zip(*replicas)
    with ThreadPoolExecutor() as pool:
        return list(pool.map(functional_call, modules, weights, inputs))


outputs = parallel_apply(replicas, inputs)
assert [part.device for part in outputs] == devices
print([tuple(part.shape) for part in outputs])

# %%
# **Gather.** The outputs move to one device and become one tensor again. It is the
# output of the whole batch, with the rows in their order.


def gather(outputs, output_device):
    return torch.cat([part.to(output_device) for part in outputs])


y = gather(outputs, devices[0])
torch.testing.assert_close(y, layer(x), rtol=0, atol=1e-6)
print(tuple(y.shape))

# %%
# Going backward, the gradients are summed
# ----------------------------------------
#
# The loss is a mean over the whole batch. Each replica receives the gradient of its
# own rows only. The original layer receives the sum of the two, which is the gradient
# that it gets without any splitting.
loss = y.exp().mean()
copies = [weights["bias"] for _, weights in replicas]
shares = torch.autograd.grad(loss, copies, retain_graph=True)
split = torch.autograd.grad(loss, list(layer.parameters()))
whole = torch.autograd.grad(layer(x).exp().mean(), list(layer.parameters()))

torch.testing.assert_close(split, whole, rtol=0, atol=1e-6)
total = sum(share.to(device) for share in shares)
torch.testing.assert_close(total, whole[1], rtol=0, atol=1e-6)
assert not torch.allclose(shares[0].to(device), whole[1], atol=1e-3)
print("replicas that give a gradient:", len(shares))

# %%
# In the figure, each column is one value of the bias. The gradients from the two
# devices are stacked. Together they reach the mark, the gradient of the whole batch.
import matplotlib.pyplot as plt

first, second = (share.tolist() for share in shares)
fig, ax = plt.subplots(
    figsize=(7, 3),
    label="Stacked bars: for each of 20 output features, the gradients from two "
    "devices add up to the gradient of the whole batch.",
)
ax.bar(range(20), first, color="C0", label="first device")
ax.bar(range(20), second, bottom=first, color="C1", hatch="//", label="second device")
ax.plot(range(20), whole[1].tolist(), "D", color="C2", label="whole batch")
ax.set(xlabel="output feature", ylabel="gradient of the bias")
ax.set(xticks=range(20), ylim=(0, 1.3 * max(whole[1].tolist())))
ax.legend(ncols=3, loc="upper center")
plt.show()

# %%
# Our functions do what PyTorch's do
# ----------------------------------
#
# Where there are GPUs, we compare each step with the original, over all of them. On a
# CPU this comparison is skipped.
if device_ids:
    inputs, originals = scatter(x, gpus), nn.parallel.scatter(x, device_ids)
    torch.testing.assert_close(inputs, list(originals))

    replicas = nn.parallel.replicate(layer, device_ids)[: len(originals)]
    originals = nn.parallel.parallel_apply(replicas, originals)
    outputs = parallel_apply(replicate(layer, gpus)[: len(inputs)], inputs)
    torch.testing.assert_close(outputs, originals, rtol=0, atol=1e-6)

    original = nn.parallel.gather(originals, device_ids[0])
    torch.testing.assert_close(gather(outputs, gpus[0]), original, rtol=0, atol=1e-6)
    print("compared with nn.parallel")
else:
    print("skipped: no GPU")

# %%
# A model partly on the CPU, partly on a GPU
# ------------------------------------------
#
# A model itself can be split too. A large embedding table may not fit on the GPU, while
# the layers after it should compute there. So ``forward`` moves the data in the
# middle, and autograd moves the gradient back.


class DistributedModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1000, 10)
        # an RNN or any other layer could stand here
        self.rnn = nn.Linear(10, 10).to(device)

    def forward(self, x):
        # the table is read on the CPU
        x = self.embedding(x)
        # only the rows that were read move to the GPU
        x = x.to(device)
        return self.rnn(x)


words = torch.tensor([[4, 8, 15], [16, 23, 4]])  # (batch, words)
model = DistributedModel()
y = model(words)
y.square().mean().backward()

table = model.embedding.weight
assert y.device == device and table.grad.device == torch.device("cpu")
print("rows with a gradient:", table.grad.any(dim=1).nonzero().flatten().tolist())

# %%
# Word 4 occurs twice, so six words use five rows of the table. All other rows have a
# gradient of zero. To check the values too, we compare with the same model on the CPU.
on_cpu = nn.Sequential(deepcopy(model.embedding), deepcopy(model.rnn).cpu())
on_cpu.zero_grad()
expected = on_cpu(words)
expected.square().mean().backward()

torch.testing.assert_close(y.cpu(), expected, rtol=0, atol=1e-6)
for ours, theirs in zip(model.parameters(), on_cpu.parameters(), strict=True):
    torch.testing.assert_close(ours.grad.cpu(), theirs.grad, rtol=0, atol=1e-6)
assert table.grad.any(dim=1).sum() == 5
print("parameters compared:", len(list(on_cpu.parameters())))

# %%
# Wrapped models save other keys
# ------------------------------
#
# The wrapper holds your model under the name ``module``. So every key of its state
# begins with ``module.``, and the unwrapped model knows none of them.
plain = nn.Sequential(nn.Linear(10, 20), nn.Linear(20, 20))
wrapped = nn.DataParallel(plain)
state = wrapped.state_dict()
print(list(state))

result = plain.load_state_dict(state, strict=False)
assert len(result.missing_keys) == len(result.unexpected_keys) == 4

# %%
# The best remedy is to save ``wrapped.module.state_dict()``, which has the plain keys.
# For a checkpoint that has the prefix already, PyTorch offers a function. It removes
# the prefix in place.
from torch.nn.modules.utils import consume_prefix_in_state_dict_if_present

consume_prefix_in_state_dict_if_present(state, "module.")
assert list(state) == list(wrapped.module.state_dict())
print(plain.load_state_dict(state))

# %%
# Where to go next
# ----------------
#
# PyTorch recommends one process for each GPU instead of this wrapper, even on a single
# machine. The way there starts with the first two links.
#
# - :doc:`/tutorials/one_process/input_sizes` follows the rows to each device.
# - :doc:`/tutorials/ranks/hello_ranks` starts one process for each GPU.
# - `DataParallel
#   <https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html>`__ in
#   the documentation of PyTorch
# - `Deep learning in 60 minutes
#   <https://docs.pytorch.org/tutorials/beginner/deep_learning_60min_blitz.html>`__, an
#   introduction with optimizers and data loaders
# - `Learning to play a game
#   <https://docs.pytorch.org/tutorials/intermediate/reinforcement_q_learning.html>`__
# - `A ResNet on ImageNet
#   <https://github.com/pytorch/examples/tree/main/imagenet>`__
# - `A generator of images
#   <https://github.com/pytorch/examples/tree/main/dcgan>`__
# - `A language model with an LSTM
#   <https://github.com/pytorch/examples/tree/main/word_language_model>`__
# - `More examples <https://github.com/pytorch/examples>`__ and
#   `more tutorials <https://docs.pytorch.org/tutorials/>`__
# - `The forum <https://discuss.pytorch.org/>`__, the place for questions
