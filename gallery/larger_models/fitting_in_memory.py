"""
Memory: what fills it, what shrinks it
======================================

:Card: Four things fill the memory. Three ways shrink the largest.
:Learn: You will count every byte that training keeps, shrink the largest parts, and see
    what is left to share between GPUs.
:Picture: memory
:Oldest torch: 2.9

Training runs out of memory, although the model is much smaller than the GPU. Before you
share the work between several GPUs, find out what fills the memory of one. For a model
of 7 billion parameters that reads 8192 tokens at a time, it's this:

.. list-table:: 32 blocks of width 4096, a vocabulary of 128,000, Adam, float32 weights
   :header-rows: 1

   * - What
     - How much
   * - Parameters
     - 28 GB: 4 bytes each
   * - Their gradients
     - 28 GB: 4 bytes each
   * - Adam's two means
     - 56 GB: 8 bytes for each parameter
   * - Activations, with autocast
     - 37 GB: about 34 bytes · tokens · width · blocks
   * - Copies of the weights, with autocast
     - 14 GB: 2 bytes for each parameter
   * - Logits, in the loss
     - 13 GB: 4 bytes · tokens · vocabulary, up to three times

(The 34 bytes are those that `Megatron's authors <https://arxiv.org/abs/2205.05198>`__
count for a block of GPT, with a fused attention; blocks of other models have others.)
We count all of these on a small transformer, shrink the activations in three ways and
the logits in one, and check each time that the gradients stay right. If you are in a
hurry, try the remedies in this order:

.. list-table:: What to try first
   :header-rows: 1

   * - What to try
     - What gets smaller
     - What it costs
   * - ``zero_grad`` right after ``step``
     - Gradients at the peak
     - Nothing
   * - ``autocast`` with bfloat16
     - Most activations
     - Digits
   * - Micro-batches
     - All activations
     - Smaller operations
   * - The loss in chunks
     - Logits
     - One more product with the vocabulary
   * - Checkpointing
     - All activations
     - Up to 1/3 more operations
   * - Several GPUs
     - The 16 bytes
     - Traffic between them

On a GPU of NVIDIA or AMD, these lines print the *peak* of a step, the most that was
ever there at once, and write a `memory snapshot
<https://docs.pytorch.org/docs/stable/torch_cuda_memory.html>`__, which tells the code
behind each tensor:

.. code-block:: python

   torch.cuda.memory._record_memory_history()
   torch.cuda.reset_peak_memory_stats()
   one_step()  # yours: forward, backward and the optimizer
   print(torch.cuda.max_memory_allocated() / 2**30, "GiB")
   torch.cuda.memory._dump_snapshot("snapshot.pickle")
"""

# %%
# A model of eight blocks
# -----------------------
#
# Each block of a transformer is attention and two linear layers. The page runs on a GPU
# of NVIDIA or AMD, or else on the CPU, because we only count the bytes of tensors.
import torch
from torch import nn
from torch.nn.functional import mse_loss

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Sequential(*[
    nn.TransformerEncoderLayer(
        128, 4, 512, dropout=0, activation="gelu", batch_first=True, norm_first=True)
    for _ in range(8)
]).to(device)
parameters = list(model.parameters())
x, y = torch.randn(2, 16, 64, 128).to(device)  # each (sequences, tokens, features)

# %%
# Each parameter takes 16 bytes
# -----------------------------
#
# A parameter in float32 has four bytes, and so has its gradient. Adam keeps two more
# numbers for each parameter, a mean of its gradients and one of their squares. So
# 7 billion parameters take 112 GB, before any sample.
#
# Adam makes its numbers in the first ``step``. So a run can pass forward and backward,
# and still run out of memory at the end of its first step.



def mib(tensors):
    return sum(tensor.nbytes for tensor in tensors) / 2**20


def gradients():
    return [p.grad for p in parameters if p.grad is not None]


optimizer = torch.optim.AdamW(parameters)
mse_loss(model(x), y).backward()
assert not optimizer.state, "Adam has made its numbers before the first step"
optimizer.step()

state = []
for of_one in optimizer.state.values():
    state += [tensor for tensor in of_one.values() if tensor.dim() > 0]
fixed = mib(parameters), mib(gradients()), mib(state)
print("parameters {:.1f}, gradients {:.1f}, Adam {:.1f} MiB".format(*fixed))
n_parameters = sum(p.numel() for p in parameters)
assert sum(fixed) * 2**20 == 16 * n_parameters, "it isn't 16 bytes for each parameter"

# %%
# Backward needs what forward computed
# ------------------------------------
#
# The fourth thing is what autograd saves in the forward pass because backward needs it,
# such as the input of each linear layer. These tensors are called *activations*.
# ``saved_tensors_hooks`` gives each of them to ``pack``. We count shared memory once,
# and leave out parameters and batch, which are there anyway.
import weakref
from torch.autograd.graph import saved_tensors_hooks

saved = []  # weak references, so that our list keeps nothing alive


def watched(forward, x):
    def pack(tensor):
        tensor = tensor.detach()  # the same memory
        saved.append(weakref.ref(tensor))
        return tensor

    saved.clear()
    with saved_tensors_hooks(pack, lambda tensor: tensor):
        return forward(x)


def kept():  # what backward still needs at this moment, in MiB
    sizes = {}
    for reference in saved:
        tensor = reference()
        if tensor is not None:
            storage = tensor.untyped_storage()
            sizes[storage.data_ptr()] = storage.nbytes()
    for tensor in [*parameters, x, y]:
        sizes.pop(tensor.untyped_storage().data_ptr(), None)
    return sum(sizes.values()) / 2**20

# %%
# Activations grow with the tokens of a batch, while the other three stay as they are.
# How tokens are divided into sequences does not matter here, because PyTorch's
# attention (``scaled_dot_product_attention``) computes this model with a *fused*
# kernel, which keeps no score for each pair of tokens.
sizes = []
for batch in x[:8], x, x.view(1, 1024, 128):
    output = watched(model, batch)
    sizes.append(kept())
    print("{:2} x {:4} tokens:".format(*batch.shape), f"{sizes[-1]:.1f} MiB")
plain = sizes[1]
in_wholes = [round(size / plain, 2) for size in sizes]
assert in_wholes == [0.5, 1, 1], "activations don't grow with the tokens alone"
assert plain > sum(fixed), "the activations aren't the largest part"

# %%
# But PyTorch chooses a kernel for each call. Its simplest one, *math*, keeps every
# score, so its memory grows with the square of the tokens.
from torch.nn.attention import SDPBackend, sdpa_kernel

with sdpa_kernel(SDPBackend.MATH):
    output = watched(model, x.view(1, 1024, 128))
print(f"with the math kernel: {kept():.1f} MiB")
scores = 4 * 1024 * 1024 * 4 / 2**20  # heads, pairs of tokens, bytes: in MiB
assert kept() > plain + 8 * scores, "the math kernel doesn't keep the scores"

# %%
# ``sdpa_kernel`` can also forbid the math kernel, by a list of the kernels that you
# allow. If none of them fits, PyTorch raises an error instead of filling your memory.
#
# Clear the gradients before forward
# ----------------------------------
#
# Backward frees activations while it makes gradients, so the two are never all there
# at once. But if ``zero_grad`` comes after the forward pass, they are: the old
# gradients, four bytes for each parameter, beside all activations. Call it right after
# ``step``, which costs nothing.
moments = []


def look(*_):
    moments.append((kept(), mib(gradients())))
    print("activations {:2.0f} MiB, gradients {:.0f} MiB".format(*moments[-1]))


output = watched(model, x)
look()  # the old gradients are still there
optimizer.zero_grad()
look()
halfway = model[4].self_attn.in_proj_weight  # for backward
hook = halfway.register_post_accumulate_grad_hook(look)
mse_loss(output, y).backward()
hook.remove()
expected = gradients()
later = [sum(moment) for moment in moments[1:]]
assert sum(moments[0]) > max(later), "old gradients and activations aren't the most"

# %%
# Micro-batches add up the gradients
# ----------------------------------
#
# If backward runs after each part of the batch, only the activations of one part are
# there at a time. Gradients add up until ``zero_grad``, which is called *gradient
# accumulation* (:doc:`/tutorials/inside/hide_the_traffic` shows it with ranks). Divide
# each loss by the number of parts, because the loss is a mean. With padding, the parts
# have different numbers of labels, and this would be wrong: then take the *sum* of the
# losses, and divide it by the number of labels in all parts of the step.
from torch.utils.flop_counter import FlopCounterMode


def step(forward, n_parts=1):
    optimizer.zero_grad()
    with FlopCounterMode(display=False) as counter:
        for x_part, y_part in zip(x.chunk(n_parts), y.chunk(n_parts)):
            loss = mse_loss(watched(forward, x_part), y_part) / n_parts
            at_most = kept()
            loss.backward()
    return at_most, counter.get_total_flops()


_, operations = step(model)
parts, same_operations = step(model, n_parts=4)
print(f"activations {plain:.1f} -> {parts:.1f} MiB")
torch.testing.assert_close(gradients(), expected, msg="parts give other gradients")
assert round(parts / plain, 2) == 0.25, "a part doesn't keep a quarter"
assert same_operations == operations, "parts take other operations"

# %%
# The gradients are those of the whole batch, up to rounding, for as many operations.
# But small parts may not keep a GPU busy, and batch normalization sees only one part.
#
# Autocast keeps activations in 16 bits
# -------------------------------------
#
# Under ``torch.autocast``, linear layers and attention compute in bfloat16, so most of
# what they keep takes two bytes per number. Normalization and residual sums stay in
# float32 here. So do parameters, gradients and Adam, because a step is often too small
# to change a 16-bit number. Each weight gets a copy in bfloat16 that backward needs.


def autocasted(x, forward=model):
    with torch.autocast(device.type, torch.bfloat16):
        return forward(x)


output = watched(autocasted, x[:1, :1])  # one token: hardly more than the copies
copies = kept()
autocast, _ = step(autocasted)
print(f"activations {plain:.1f} -> {autocast:.1f} MiB, {copies:.1f} of them copies")
weights = mib(p for p in parameters if p.dim() == 2)
assert autocast < 0.65 * plain, "autocast hardly shrinks the activations"
assert weights / 2 < copies < weights / 2 + 0.1, "the copies aren't of weights"
types = {t.dtype for t in parameters + gradients() + state}
assert types == {torch.float32}, "autocast has changed what stays"
errors = [((g - e).norm() / e.norm()).item() for g, e in zip(gradients(), expected)]
assert 0 < max(errors) < 0.05, "the gradients are exact, or far off"

# %%
# The gradients are a little off, because bfloat16 has only two to three digits. float16
# has three, but numbers below 3e-8 become 0, and from 65520 on they become infinite. An
# infinity minus another is NaN, not a number, and so is all that is computed from it.
# So float16 needs ``torch.amp.GradScaler``, which skips a step whose gradients are not
# finite. The range of bfloat16 is that of float32, so it needs no scaler.
smallest = torch.tensor([2.9e-8, 65520]).half()
assert smallest.tolist() == [0, float("inf")], "float16 has a larger range"
assert (smallest[1] - smallest[1]).isnan(), "infinity minus infinity is a number"

# %%
# Checkpointing computes the blocks twice
# ---------------------------------------
#
# ``checkpoint`` keeps only the input of a block. When backward reaches the block, it
# computes the block again, so the activations of one block at a time come back. The
# gradients are the same, bit for bit. On a GPU we allow for rounding, because attention
# may add in another order each time.
from torch.utils.checkpoint import checkpoint


def checkpointed(x):
    for block in model:
        x = checkpoint(block, x, use_reentrant=False)
    return x


inputs, more_operations = step(checkpointed)
exact = {"rtol": 0, "atol": 0} if device.type == "cpu" else {}
torch.testing.assert_close(
    gradients(), expected, **exact, msg="checkpointing changes the gradients")

output = watched(model[0], x)
block = kept()
print(f"activations {plain:.1f} -> {inputs:.1f} + {block:.1f} MiB for one block")
print(f"operations: {more_operations / operations:.1f} times as many")
assert inputs + block < plain / 3, "checkpointing keeps too much"
assert 1 < more_operations / operations < 4 / 3, "it computes all of the forward again"

# %%
# Backward takes about twice the operations of forward, so a whole second forward would
# make them 4/3. But checkpointing stops as soon as it has what backward needs.
#
# Selective checkpointing keeps what is expensive
# -----------------------------------------------
#
# A block has a few expensive operations, above all its matrix products, and many cheap
# ones, whose results take memory too. With *selective* checkpointing you say which
# results to keep, and backward computes only the others again. List *all* names of your
# products: an operation that isn't in the list is computed again, without a message.
# `PyTorch's blog <https://pytorch.org/blog/activation-checkpointing-techniques/>`__
# compares this with other ways, such as letting ``torch.compile`` choose.
from functools import partial
from torch.utils.checkpoint import create_selective_checkpoint_contexts

aten = torch.ops.aten
products = [
    aten.addmm.default,  # a linear layer
    aten.mm.default,  # a linear layer with bias=False
    aten._scaled_dot_product_flash_attention.default,  # attention has many kernels
    aten._scaled_dot_product_efficient_attention.default,
    aten._scaled_dot_product_cudnn_attention.default,
    aten._scaled_dot_product_flash_attention_for_cpu.default]
keep_products = partial(create_selective_checkpoint_contexts, products)


def selective(x):
    for block in model:
        x = checkpoint(block, x, use_reentrant=False, context_fn=keep_products)
    return x


_, some_operations = step(selective)
torch.testing.assert_close(
    gradients(), expected, **exact, msg="selective checkpointing changes the gradients")
print(f"operations: {some_operations / operations:.1f} times as many")
assert some_operations == operations, "a product is computed again"

# %%
# No product is computed again now. So you can choose: the more you keep, the less
# backward has to compute again.
#
# At the peak there is more than what is kept
# -------------------------------------------
#
# So far we have counted what backward needs. But operations also have results that live
# only for a moment, and gradients come while activations go. On a GPU, the lines at the
# top of this page tell you the peak. On a CPU nobody counts, so the code of this figure
# does, after each operation of a step. It's only for measuring.
#
# .. alt-text:: Three curves of the memory during a step. As it is, it rises steadily in
#    the forward pass, and falls in the backward pass. With checkpointing it stays far
#    below, with a tooth for each block. Selective checkpointing lies between the two.
import matplotlib.pyplot as plt
from torch.utils._python_dispatch import TorchDispatchMode


class Memory(TorchDispatchMode):
    """Count the MiB of all results that are there at once, but the known tensors."""

    def __init__(self, known):
        super().__init__()
        self.known = {tensor.untyped_storage().data_ptr() for tensor in known}
        self.storages = []  # weak references
        self.history = []

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        result = operation(*args, **(kwargs or {}))
        for tensor in result if isinstance(result, (tuple, list)) else [result]:
            if isinstance(tensor, torch.Tensor):
                self.storages.append(weakref.ref(tensor.untyped_storage()))
        sizes = {}
        for reference in self.storages:
            storage = reference()
            if storage is not None and storage.data_ptr() not in self.known:
                sizes[storage.data_ptr()] = storage.nbytes()
        self.history.append(sum(sizes.values()) / 2**20)
        return result


forwards = {"as it is": model, "selective": selective, "checkpointing": checkpointed}
peaks = {}
fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
for (name, forward), line in zip(forwards.items(), ("-", "--", "-.")):
    optimizer.zero_grad()
    with Memory([*parameters, x, y]) as memory:
        loss = mse_loss(forward(x), y)
        loss.backward()
    peaks[name] = max(memory.history)
    ax.plot(memory.history, line, label=name)
ax.set(xlabel="operations of a step", ylabel="memory (MiB)", ylim=(0, None))
ax.legend()
plt.show()

print(", ".join(f"{name}: {size:.1f} MiB" for name, size in peaks.items()))
assert peaks["as it is"] > plain, "the peak is less than what forward keeps"
assert peaks["selective"] < peaks["as it is"], "selective checkpointing saves nothing"
assert peaks["checkpointing"] < peaks["as it is"] / 3, "checkpointing has a high peak"

# %%
# The loss of a large vocabulary can be the peak
# ----------------------------------------------
#
# A language model ends with a *logit*, a number for each word, of each token. That's
# 4.2 GB for 8192 tokens and 128,000 words in float32, more than the activations of
# several blocks. And backward needs the same again twice: ``cross_entropy`` keeps the
# logarithms of the probabilities, and backward makes the gradients of these, and then
# those of the logits.
from torch.nn.functional import cross_entropy

n_words = 8192
head = nn.Linear(128, n_words, bias=False).to(device)
features = torch.randn(1024, 128, device=device, requires_grad=True)
labels = torch.randint(n_words, (1024,), device=device)
labels[::4] = -100  # padding, which cross_entropy leaves out of its mean
logits = 1024 * n_words * 4 / 2**20  # in MiB


def loss_at_once(features):
    return cross_entropy(head(features), labels)


# %%
# The loss of a token doesn't depend on other tokens, so the logits of all of them need
# never be there at once. We divide the tokens into chunks, and checkpoint each: what
# stays of a chunk is its input, and its logits come back when backward needs them.
# Their sum is divided by the number of labels that count, not by ``len(labels)``, or a
# batch with padding has too small gradients, and no error tells you.


def loss_of(features, labels):
    return cross_entropy(head(features), labels, reduction="sum")


def loss_in_chunks(features, n_chunks=8):
    total = 0
    chunks = zip(features.chunk(n_chunks), labels.chunk(n_chunks))
    for some_features, some_labels in chunks:
        total = total + checkpoint(
            loss_of, some_features, some_labels, use_reentrant=False)
    return total / (labels != -100).sum()


def peak_of_loss(loss_function):
    """Return the peak of a loss, with the gradients that it has made."""
    features.grad = head.weight.grad = None
    with Memory([features, head.weight, labels]) as memory:
        loss_function(features).backward()
    return max(memory.history), (features.grad, head.weight.grad)


at_once, right = peak_of_loss(loss_at_once)
in_chunks, of_chunks = peak_of_loss(loss_in_chunks)
print(f"logits {logits:.0f} MiB: at once {at_once:.0f}, in chunks {in_chunks:.0f} MiB")
torch.testing.assert_close(of_chunks, right, msg="chunks give other gradients")
assert at_once >= 3 * logits, "it takes less than three times the logits"
assert in_chunks < logits, "chunks take as much as all logits"

# %%
# PyTorch 2.13 has this as a function, ``torch.nn.functional.linear_cross_entropy``, if
# you give it ``options``, and `Liger Kernel
# <https://github.com/linkedin/Liger-Kernel>`__ has it as one kernel for GPUs. With
# several GPUs, :doc:`/tutorials/larger_models/tensor_parallel` divides the vocabulary.
#
# The 16 bytes per parameter stay
# -------------------------------
#
# Micro-batches keep fewer samples at a time, autocast keeps fewer bytes for a number,
# and checkpointing keeps fewer tensors. So the three can work together.
together, _ = step(lambda x: autocasted(x, checkpointed), n_parts=4)
output = watched(lambda x: autocasted(x, model[0]), x[:4])
most = together + kept()  # with one block that is computed again
print(f"activations {plain:.1f} -> {most:.1f} MiB, the rest {sum(fixed):.1f} MiB")
assert most < plain / 20, "together they leave more than a twentieth"

# %%
# Activations hardly count now. Of the 16 bytes that stay, 8 are Adam's. SGD without
# momentum keeps none of these 8, and 8-bit Adam about a quarter. Frozen parameters need
# neither gradients nor Adam, so LoRA freezes all, and trains small matrices that it
# adds. What is needed only in ``step`` can wait in the memory of the CPU: with
# ``CPUOffloadPolicy``, ``fully_shard`` keeps parameters, gradients and Adam there, and
# each step waits for the copies. To train all parameters with Adam on GPUs, share the
# 16 bytes between them.
#
# A snapshot shows temporary tensors too: those of Adam are as large as all parameters,
# unless you set ``fused=True``. PyTorch also holds freed memory. If an error says that
# much is reserved but unallocated, it may lie in pieces too small to use. Then set
# ``PYTORCH_ALLOC_CONF=expandable_segments:True`` (before torch 2.9, the name is
# ``PYTORCH_CUDA_ALLOC_CONF``).
#
# Try it
# ------
#
# Predict first, then run.
#
# - Set ``activation`` to ``"relu"``. Which tensors are no longer kept, and why?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      The inputs of the activation function, 2 MiB in each block, so 48 MiB are left
#      of 64. The derivative of ReLU can be seen from its output, which the next linear
#      layer keeps anyway. GELU needs its input, and that is one tensor more.
#
# - In your own script: print ``torch.cuda.max_memory_allocated()`` after the first
#   step, then again with half the batch in a fresh run. What does not shrink is
#   parameters, gradients and optimizer state: is it near 16 bytes per parameter?
#
# What to remember
# ----------------
#
# - With Adam in float32, each parameter takes 16 bytes, whatever the batch. Adam makes
#   its 8 in the first ``step``, so a run can still fail there.
# - Activations grow with the tokens of a batch. Micro-batches, autocast and
#   checkpointing shrink them, and they work together.
# - None of the three touches the 16 bytes. To train all parameters with Adam, share
#   these between GPUs.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/start/distributed_data_parallel` trains a model that now fits.
# - :doc:`/tutorials/larger_models/fully_sharded` shares the 16 bytes between GPUs.
