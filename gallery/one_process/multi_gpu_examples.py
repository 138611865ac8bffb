"""
DataParallel: one line, several GPUs
====================================

:Card: Wrap a model, and each GPU takes a part of the batch.
:Learn: You will train a model on all GPUs of a machine with one line, and build that
    line from four small functions.
:Picture: split
:Oldest torch: 2.9

.. note::

   PyTorch `recommends DistributedDataParallel
   <https://docs.pytorch.org/docs/2.13/generated/torch.nn.DataParallel.html>`__ in place
   of ``DataParallel``, even on a single machine. Read this page if you maintain code
   that uses it; otherwise, go to :doc:`/tutorials/start/one_gpu_to_many`.

When training on one GPU takes too long, several GPUs can share the work. The simplest
way is *data parallelism*. It cuts each mini-batch into several smaller mini-batches
and computes them in parallel, each with a copy of the same model.

We wrap a model in ``nn.DataParallel`` and train it. Then we build the same thing from
four small functions. Every example also runs without a GPU.
"""

# %%
# Wrap the model and train it
# ---------------------------
#
# First we list the GPUs, because everything starts on the first of them, or on the CPU
# if there is none. ``torch.cuda`` knows the GPUs of NVIDIA and AMD. The wrapper ignores
# the GPU of a Mac. It fails on Intel's GPUs, because PyTorch `lacks functions
# <https://github.com/pytorch/pytorch/issues/143239>`__ that it needs there.
import torch
from torch import nn

n_gpus = torch.cuda.device_count()
gpus = [torch.device("cuda", i) for i in range(n_gpus)]
devices = gpus or [torch.device("cpu")]
device = devices[0]
accelerator = torch.accelerator.current_accelerator(check_available=True)
if accelerator and accelerator.type not in ("cuda", "mps"):
    raise SystemExit(f"nn.DataParallel does not run on {accelerator.type}.")

# %%
# One line wraps a small model, and the training loop stays as it is for one device. The
# wrapper takes all GPUs, or those that you name with ``device_ids=[0, 1]``. The model
# learns to add ten numbers, so its loss goes down.
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 1)).to(device)
parallel_model = nn.DataParallel(model)

x = torch.randn(30, 10).to(device)  # (batch, features)
target = x.sum(dim=1, keepdim=True)  # (batch, 1)
optimizer = torch.optim.SGD(parallel_model.parameters(), lr=0.05)
losses = []
for step in range(40):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(parallel_model(x), target)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

assert losses[-1] < losses[0] / 10
print(f"loss: {losses[0]:.1f} -> {losses[-1]:.1f}")

# %%
# Wrapped models save other keys
# ------------------------------
#
# The wrapper holds your model under the name ``module``. So every key of its state
# begins with ``module.``, and the unwrapped model knows none of them.
#
# The best remedy is to save ``wrapped.module.state_dict()``, which has the plain keys.
# For a checkpoint that has the prefix already, PyTorch offers a function that removes
# it in place.
#
# A model that was compiled has ``_orig_mod.`` in its keys as well.
from torch.nn.modules.utils import consume_prefix_in_state_dict_if_present

plain = nn.Sequential(nn.Linear(10, 20), nn.Linear(20, 20))
wrapped = nn.DataParallel(plain)
state = wrapped.state_dict()
print(list(state))
result = plain.load_state_dict(state, strict=False)
assert len(result.missing_keys) == len(result.unexpected_keys) == 4

consume_prefix_in_state_dict_if_present(state, "module.")
assert list(state) == list(wrapped.module.state_dict())
print(plain.load_state_dict(state))

# %%
# Four functions share the work
# -----------------------------
#
# Inside, the wrapper calls four functions of ``nn.parallel``.
#
# - **scatter** cuts the input along its first dimension, one piece for each device.
# - **replicate** copies a module to several devices.
# - **parallel_apply** starts one thread for each copy, so all GPUs can work together.
# - **gather** joins the outputs along the first dimension, on one device.
#
# The picture shows a batch of four rows on two devices. Outputs are hatched.
#
# .. alt-text:: Boxes show what two devices hold after each step. Half of the rows go to
#    device 1, a copy of the model follows, both compute, all outputs return.
import matplotlib.pyplot as plt

rows = ["C0", "C0", "C1", "C1"]  # their colors
half, rest = rows[:2], rows[2:]
boxes = [(0, 0, rows), (1, 0, half), (1, 1, rest), (2, 0, half), (2, 1, rest)]
boxes += [(3, 0, half), (3, 1, rest), (4, 0, rows)]  # (step, device, rows)
arrow = {"arrowstyle": "->", "color": "C2", "lw": 2, "shrinkA": 0, "shrinkB": 0}
fig, ax = plt.subplots(figsize=(7, 3))
for step, d, colors in boxes:
    ax.barh(d, 0.7, 0.84, left=step - 0.35, fill=False)
    if (step, d) != (1, 1):
        ax.text(step, d - 0.27, "model", ha="center", va="center")
    y = [d - 0.08 + 0.14 * i for i in range(len(colors))]
    hatch = "//" if step > 2 else ""
    ax.barh(y, 0.5, 0.1, left=step - 0.25, color=colors, hatch=hatch)
for step, start, end in (0, 0, 1), (1, 0, 1), (2, 0, 0), (2, 1, 1), (3, 1, 0):
    ax.annotate("", (step + 0.65, end), (step + 0.35, start), arrowprops=arrow)
ax.set_xticks(range(5), ["start", "scatter", "replicate", "compute", "gather"])
ax.set(ylabel="device", yticks=[0, 1], xlim=(-0.5, 4.5), ylim=(1.5, -0.5))
plt.show()

# %%
# The split begins and ends at the wrapper
# ----------------------------------------
#
# Usually you wrap the whole model. Here only the middle layer is wrapped, so that you
# can see where the split begins and ends.


class DataParallelModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.block1 = nn.Linear(10, 20)
        # The wrapper takes all the GPUs that it finds.
        self.block2 = nn.DataParallel(nn.Linear(20, 20))
        self.block3 = nn.Linear(20, 20)

    def forward(self, x):
        x = self.block1(x)
        x = self.block2(x)
        x = self.block3(x)
        return x


# %%
# Without a GPU, ``nn.DataParallel`` simply calls the layer inside, without an error or
# a message. With several, outputs and gradients still equal those of the unwrapped
# layers, because no layer here mixes rows. (Float64 makes the rounding of sums in
# another order too small to matter.)
model = DataParallelModel().to(device, torch.float64)
x = x.double()

rows = []
layer = model.block2.module
layer.register_forward_pre_hook(lambda _, args: rows.append(len(args[0])))
y = model(x)
rows.sort(reverse=True)
assert gpus or rows == [30], "a CPU gets the whole batch"
assert rows == [len(piece) for piece in x.chunk(len(devices))], "another split"
print("rows computed by block2:", rows)

plain = nn.Sequential(model.block1, layer, model.block3)
parameters = list(plain.parameters())
wrapped_grads = torch.autograd.grad(y.square().mean(), parameters)
plain_grads = torch.autograd.grad(plain(x).square().mean(), parameters)
torch.testing.assert_close(y, plain(x))
torch.testing.assert_close(wrapped_grads, plain_grads)
print("gradients compared:", len(wrapped_grads))

# %%
# The four steps in plain PyTorch
# -------------------------------
#
# The functions of ``nn.parallel`` need GPUs. To see every step on any machine, we write
# our own over a list of two devices. If there are fewer than two GPUs, the same device
# stands in the list twice.
#
# A replica is the module and a copy of its weights. Autograd records the copying, so
# gradients find their way back from each device to the original. The first replica
# needs no copy, because it can use the weights of the model itself.
from copy import deepcopy


def replicate(module, devices):
    own = dict(module.named_parameters())
    replicas = [(module, own)]
    for d in devices[1:]:
        weights = {name: p.to(d, copy=True) for name, p in own.items()}
        replicas.append((deepcopy(module).to(d), weights))
    return replicas


def scatter(input, devices):
    return [piece.to(d) for piece, d in zip(input.chunk(len(devices)), devices)]


two = (devices * 2)[:2]
layer = nn.Linear(10, 20).to(device, torch.float64)
replicas = replicate(layer, two)
inputs = scatter(x, two)
print([tuple(piece.shape) for piece in inputs])

# %%
# Threads would disturb each other in a shared module, so each has a module of its own,
# and ``functional_call`` puts the copied weights into it for the duration of a call.
# (The module's own weights are a deep copy, which autograd does not record.) For
# training, take ``nn.parallel``, which copies less and does more for its threads.
from concurrent.futures import ThreadPoolExecutor
from torch.func import functional_call


def parallel_apply(replicas, inputs):
    modules, weights = zip(*replicas)
    with ThreadPoolExecutor() as pool:
        return list(pool.map(functional_call, modules, weights, inputs))


def gather(outputs, output_device):
    return torch.cat([part.to(output_device) for part in outputs])


assert replicas[1][1]["bias"].grad_fn, "gradients do not come back from the copies"
outputs = parallel_apply(replicas, inputs)
y = gather(outputs, device)
torch.testing.assert_close(y, layer(x))
print([tuple(part.shape) for part in outputs], "->", tuple(y.shape))

# %%
# Going backward, the gradients are summed
# ----------------------------------------
#
# The loss is a mean over the whole batch, but each replica sees only its own rows, so
# it computes only a part of the gradient. Autograd adds the parts in the original
# layer, and the sum is the gradient of the unsplit batch.
split = torch.autograd.grad(y.square().mean(), layer.weight, retain_graph=True)[0]
whole = torch.autograd.grad(layer(x).square().mean(), layer.weight)[0]
parts = [part.square().sum() / y.numel() for part in outputs]
first, second = (torch.autograd.grad(part, layer.weight)[0] for part in parts)
torch.testing.assert_close(split, whole)
torch.testing.assert_close(split, first + second)
print(f"{first[1, 3]:.3f} + {second[1, 3]:.3f} = {split[1, 3]:.3f}")

# %%
# Four primitives make a DataParallel
# -----------------------------------
#
# The functions of ``nn.parallel`` can also be used alone, and this is how they make a
# ``DataParallel``. (PyTorch's own ``nn.parallel.data_parallel`` does the same.) If the
# list of devices is empty, the module itself is called, so that the same program runs
# on a CPU.


def data_parallel(module, input, device_ids, output_device=None):
    if not device_ids:
        return module(input)
    # Without an output_device, the outputs meet on the first device.
    if output_device is None:
        output_device = device_ids[0]
    inputs = nn.parallel.scatter(input, device_ids)
    # A small batch gives fewer pieces than devices: the others get no replica.
    device_ids = device_ids[: len(inputs)]
    replicas = nn.parallel.replicate(module, device_ids)
    outputs = nn.parallel.parallel_apply(replicas, inputs, devices=device_ids)
    return nn.parallel.gather(outputs, output_device)


few = x[:3].chunk(4)
assert len(few) == 3, "one piece for each row"
print("3 rows for 4 devices:", len(few), "pieces")
y = data_parallel(layer, x, gpus)
torch.testing.assert_close(y, layer(x))
if gpus:
    outputs = parallel_apply(replicate(layer, gpus), scatter(x, gpus))
    torch.testing.assert_close(gather(outputs, device), y)
print("compared with nn.parallel" if gpus else "skipped: no GPU")

# %%
# Try it
# ------
#
# Predict first, then run.
#
# - In ``replicate``, write ``p.detach().to`` in place of ``p.to``. The outputs stay the
#   same. Which check fails first, and why?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      The assert that asks for the ``grad_fn`` of a copied bias, because ``detach``
#      cuts the copies off from the weights of the model. Without this assert, the layer
#      would learn from the first half of the rows only, and no error would say so.
#
# - In your own script: print the first key of a checkpoint that you have saved. Does it
#   begin with ``module.``, and does the program that loads the file expect that?
#
# What to remember
# ----------------
#
# - ``nn.DataParallel`` cuts the batch along its first dimension, copies the model in
#   each step, computes in one thread for each GPU, and joins the outputs on the first
#   GPU.
# - The gradients of all pieces add up in the original model. That needs copies that
#   autograd has recorded. A deep copy or a detached one gives the right outputs and
#   loses gradients.
# - The keys of a wrapped model begin with ``module.``. Save
#   ``wrapped.module.state_dict()``, so that a program without the wrapper can load it.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/one_process/input_sizes` follows the rows to each device.
# - :doc:`/tutorials/start/hello_ranks` starts one process for each GPU.
# - :doc:`/tutorials/one_process/data_parallel_limits` shows when the one line is
#   enough.
#
# .. admonition:: More examples of PyTorch
#    :collapsible: closed
#
#    - `Deep learning in 60 minutes
#      <https://docs.pytorch.org/tutorials/beginner/deep_learning_60min_blitz.html>`__,
#      an introduction with optimizers and data loaders
#    - `Learning to play a game
#      <https://docs.pytorch.org/tutorials/intermediate/reinforcement_q_learning.html>`__
#    - `A ResNet on ImageNet <https://github.com/pytorch/examples/tree/main/imagenet>`__
#    - `Generating images <https://github.com/pytorch/examples/tree/main/dcgan>`__
#    - `A language model with an LSTM
#      <https://github.com/pytorch/examples/tree/main/word_language_model>`__
#    - `More examples <https://github.com/pytorch/examples>`__, `more tutorials
#      <https://docs.pytorch.org/tutorials/>`__, and `the forum
#      <https://discuss.pytorch.org/>`__ for questions
