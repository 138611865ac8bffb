"""
Tensor parallel: one matrix on several GPUs (TP)
================================================

:Card: Each rank has a part of every matrix and every sum.
:Learn: You will split a transformer block, its embedding and its loss with
    ``parallelize_module``, count what they send, and estimate what that costs on your
    GPUs.
:Prerequisites: :doc:`/tutorials/inside/collectives`
:Picture: tiles
:Oldest torch: 2.9

A layer can be too large for one GPU, and a single sample cannot be dealt out to
several. With *tensor parallelism* (TP) the GPUs share each matrix, and all of them
compute the same layer of the same samples at the same time.

PyTorch splits two layers in as many lines, so that's where we begin. Then we split the
same two by hand, to see why they need only one message, and go on to a whole language
model. At the end a formula says what share of a training step the messages take.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 tensor_parallel.py
"""

# %%
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin with the same lines, and
# :doc:`/tutorials/start/hello_ranks` explains them. One rank is enough here, but then
# nothing is split or sent.
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
# ``parallelize_module`` splits a pair of layers
# ----------------------------------------------
#
# A transformer block ends with an MLP: the layer ``up`` makes four features out of each
# one, and ``down`` goes back to the old width. Nothing in this code knows about ranks.
from torch import nn


class MLP(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):  # (..., width)
        return self.down(self.up(x).relu())


# %%
# Splitting it over all ranks takes one call and a *plan*, which names each layer and
# says how to cut it. The *mesh* is the group of ranks that share the layers, here all
# of them. Afterwards each rank has its part of the layers and calls the model as
# before. All ranks pass in the same samples, and all of them get the whole output.
from copy import deepcopy
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import (
    ColwiseParallel, RowwiseParallel, parallelize_module)

torch.manual_seed(0)
whole_mlp = MLP(width=4 * world_size).to(device)
samples = torch.randn(3, 4 * world_size).to(device)

mesh = init_device_mesh(device.type, (world_size,))
mlp_plan = {"up": ColwiseParallel(), "down": RowwiseParallel()}
mlp = parallelize_module(deepcopy(whole_mlp), mesh, mlp_plan)
torch.testing.assert_close(
    mlp(samples), whole_mlp(samples), msg="split layers must compute the same output")

# %%
# What did ``ColwiseParallel`` and ``RowwiseParallel`` do? We repeat it by hand, with
# numbers that fit into a figure.
#
# By columns: each rank has some of the outputs
# ---------------------------------------------
#
# Each column of a layer's matrix gives one output. A rank that has some of the columns
# computes these outputs alone, if it has the whole input. With the same seed all ranks
# draw the same ``x``, ``w1`` and ``w2``. Small whole numbers make sums exact.


def draw(n_rows, n_columns):
    return torch.randint(-2, 3, (n_rows, n_columns)).float().to(device)


torch.manual_seed(50)
x = draw(2, 2)  # (tokens, features)
w1 = draw(2, 2 * world_size)
w2 = draw(2 * world_size, 2)
my_columns = w1.chunk(world_size, dim=1)[rank]
my_hidden = (x @ my_columns).relu()  # (tokens, features)
my_part = (x @ w1).relu().chunk(world_size, dim=1)[rank]
assert torch.equal(my_hidden, my_part), "some columns give some of the outputs, whole"

# %%
# The ReLU looks at each number alone, so it needs nothing from other ranks either. We
# have the whole ``w1`` only to compare. In training no rank needs it.
#
# By rows: each rank has a part of every sum
# ------------------------------------------
#
# An output of the second layer is a sum over all hidden numbers. A rank multiplies its
# own hidden numbers by the rows of ``w2`` that belong to them, and has a part of every
# sum. An all-reduce adds the parts.
my_rows = w2.chunk(world_size, dim=0)[rank]
partial = my_hidden @ my_rows
y = partial.clone()
dist.all_reduce(y)
assert torch.equal(y, (x @ w1).relu() @ w2), "the parts don't add up"

# %%
# In the figure each rank has a color. The colors go separate ways until the sum, which
# all ranks have.
#
# .. alt-text:: Columns of w1, and of the product after the ReLU, rows of w2, and the
#    partial sums, two of each in the color of a rank. The partial sums add up to y.
all_partial = [torch.empty_like(partial) for _ in range(world_size)]
dist.all_gather(all_partial, partial)
if rank == 0:
    import matplotlib.pyplot as plt

    n = 2 * world_size
    owners = torch.arange(n) // 2
    columns = owners.expand(2, n)
    rows = owners[:, None].expand(n, 2)
    panels = [
        ("w1", w1, columns), ("ReLU(x · w1)", (x @ w1).relu(), columns),
        ("w2", w2, rows), ("partial sums", torch.cat(all_partial), rows),
        ("y", y, None)]
    fig, axes = plt.subplots(1, 5, figsize=(8, 3), width_ratios=[n, n, 2, 2, 2])
    for ax, (title, numbers, ranks) in zip(axes, panels):
        for i, row in enumerate(numbers.int().tolist()):
            for k, number in enumerate(row):
                color = "none" if ranks is None else f"C{ranks[i, k]}"
                ax.barh(i, 0.94, 0.94, k - 0.47, color=color, alpha=0.5)
                ax.text(k, i, number, ha="center", va="center")
        ax.set_title(title, size="medium")
        ax.set(aspect="equal", xlim=(-0.5, len(row) - 0.5), ylim=(i + 0.5, -0.5))
        ax.axis("off")

# %%
# Columns come first, because they leave each rank exactly those numbers that its rows
# need. So two layers cost one all-reduce. Rows first would cost one before the ReLU
# too, because the ReLU of a sum is not the sum of the ReLUs of its parts.
#
# A DTensor knows what its parts mean
# -----------------------------------
#
# A ``DTensor`` stands for a whole tensor, of which each rank holds a local part. Its
# *placement* says what the parts are: ``Shard(1)`` cuts dimension 1, ``Replicate``
# repeats the whole, and ``Partial`` has to be added up. With these, our example needs
# no message written by hand: the product knows that it has only parts of sums, and
# ``full_tensor`` adds them up.
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor

x_everywhere = distribute_tensor(x, mesh, [Replicate()])
w1_by_columns = distribute_tensor(w1, mesh, [Shard(1)])
w2_by_rows = distribute_tensor(w2, mesh, [Shard(0)])
product = (x_everywhere @ w1_by_columns).relu() @ w2_by_rows
assert product.placements[0].is_partial(), "the product isn't added up yet"
assert torch.equal(product.to_local(), partial), "each rank has the part from above"
assert torch.equal(product.full_tensor(), y), "full_tensor adds up"

# %%
# ``nn.Linear`` stores its matrix transposed
# ------------------------------------------
#
# Now to the parameters of the split MLP, where nearly everybody stumbles once. A linear
# layer computes ``x @ weight.T + bias``, so ``weight`` has the shape (outputs, inputs):
# it is the *transpose* of the matrix that we have drawn. A column of ``w1`` in the
# figure is a row of ``up.weight``. So ``ColwiseParallel``, named after the mathematics,
# cuts dimension 0 of ``weight``, and ``RowwiseParallel`` cuts dimension 1.
for name, p in mlp.named_parameters():
    if rank == 0:
        print(f"{name}: {tuple(p.shape)} as {p.placements[0]!r},", end=" ")
        print("on a rank", tuple(p.to_local().shape))

# %%
# The bias of ``up`` is cut with its outputs. That of ``down`` stays whole, because it
# belongs to the sum and not to its parts. If you write these layers by hand, add it
# after the all-reduce, or it counts once for each rank.
#
# The gradients of these layers are cut like the parameters, and so is the optimizer
# state, because Adam makes it like the parameters. A rank holds its share of all three.
#
# Attention: a rank needs whole heads
# -----------------------------------
#
# Attention has the same pattern. It consists of several *heads*, small attentions side
# by side, each with its own columns of ``q``, ``k`` and ``v``, and a head needs nothing
# from the others. So if you cut these three by columns and ``out`` by rows, a rank
# computes its own heads from beginning to end. Only one place in the code depends on
# it: the number of heads is written as ``-1``, because a rank doesn't have all of them.


class Attention(nn.Module):
    def __init__(self, width, head_dim):
        super().__init__()
        self.head_dim = head_dim
        self.q = nn.Linear(width, width)
        self.k = nn.Linear(width, width)
        self.v = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def heads(self, x):  # returns (samples, heads, tokens, head_dim)
        return x.unflatten(2, (-1, self.head_dim)).transpose(1, 2)

    def forward(self, x):  # (samples, tokens, width)
        q, k, v = self.heads(self.q(x)), self.heads(self.k(x)), self.heads(self.v(x))
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).flatten(2))


# %%
# Attention and MLP make a block, and this is what we split from now on. Its two
# ``LayerNorm`` layers and its two *residual sums* (the input plus what a part has made
# of it) aren't split yet, so every rank computes them in full.


class Block(nn.Module):
    def __init__(self, width, head_dim):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, head_dim)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = MLP(width)

    def forward(self, x):  # (samples, tokens, width)
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


# %%
# In its plan, ``layout`` is the placement of what goes into attention and into the MLP,
# and of what comes out. The entry for ``"attention"`` itself saves messages in the
# backward pass. ``q``, ``k`` and ``v`` read the same input, and each of them would send
# a gradient for it. ``PrepareModuleInput`` turns the input into one DTensor, so that
# the three gradients are added up before they are sent.
from torch.distributed.tensor.parallel import PrepareModuleInput


def block_plan(layout):
    return {
        "attention": PrepareModuleInput(
            input_layouts=layout, desired_input_layouts=Replicate()),
        "attention.q": ColwiseParallel(),
        "attention.k": ColwiseParallel(),
        "attention.v": ColwiseParallel(),
        "attention.out": RowwiseParallel(output_layouts=layout),
        "mlp.up": ColwiseParallel(input_layouts=layout),
        "mlp.down": RowwiseParallel(output_layouts=layout),
    }


# %%
# Two all-reduces forward, two backward
# -------------------------------------
#
# ``CommDebugMode`` counts collectives. It looks at PyTorch's inner operations, so keep
# it for measuring. ``both_passes`` uses it, and ``whole_gradients`` collects the
# gradients of all parameters, as one rank would have them.
from torch.distributed.tensor.debug import CommDebugMode


def messages(counted):
    return {kind.__name__: n for kind, n in counted.get_comm_counts().items()}


def both_passes(module, x):
    """Return output and gradient of the input, and the messages of each pass."""
    x = x.clone().requires_grad_()
    with CommDebugMode() as forward:
        output = module(x)
    with CommDebugMode() as backward:
        output.square().sum().backward()
    return [output.detach(), x.grad], messages(forward), messages(backward)


def whole_gradients(module):
    grads = [p.grad for p in module.parameters()]
    return [g.full_tensor() if isinstance(g, DTensor) else g.clone() for g in grads]


# %%
# First comes a block that isn't split, which is what we compare with, and then the
# split one. They compute in fp64, so that a difference is a mistake and not rounding.
width = 8 * world_size
torch.manual_seed(0)
single = Block(width, head_dim=4).double().to(device)
batch = torch.randn(2, 4 * world_size, width, dtype=torch.float64).to(device)
expected, _, _ = both_passes(single, batch)
grads = whole_gradients(single)

block = parallelize_module(deepcopy(single), mesh, block_plan(Replicate()))
found, forward, backward = both_passes(block, batch)
torch.testing.assert_close(
    found, expected, msg="the block must equal that of one rank")
torch.testing.assert_close(
    whole_gradients(block), grads, msg="so must the gradients of its parameters")

# %%
# The output and all gradients equal those of one process. Attention and MLP have one
# all-reduce each in the forward pass, and one each in the backward pass, because the
# gradient of their input is a sum over all ranks again. Each all-reduce adds up tensors
# of the size of the block's input.
if rank == 0:
    print("forward:", forward)
    print("backward:", backward)
all_reduces = {"all_reduce": 2} if world_size > 1 else {}
assert forward == all_reduces, "two all-reduces forward: attention and MLP"
assert backward == all_reduces, "two all-reduces backward: attention and MLP"

# %%
# The number of heads must be divisible by the number of ranks. Otherwise a rank's
# columns of ``q`` aren't whole heads, and ``unflatten`` stops with "Provided sizes …
# don't multiply up". If keys and values have fewer heads than queries (*grouped-query
# attention*), their number must be divisible too.
#
# A *fused* layer that computes ``q``, ``k`` and ``v`` one after the other is more
# dangerous. Cut by ``ColwiseParallel``, it gives queries to the first ranks and values
# to the last ones, and because each part can still be divided by three, nothing fails:
# in a try of ours the output was wrong, and no error came. Split such a layer into
# three first, and a fused MLP with a gate (*SwiGLU*) into two.
#
# Sequence parallelism: same bytes, fewer tokens to store
# -------------------------------------------------------
#
# Between attention and MLP, every rank computes and keeps the same ``LayerNorm``
# outputs and residual sums. But an all-reduce is a reduce-scatter, then an all-gather.
# *Sequence parallelism* takes the two apart: with ``Shard(1)`` as layout, the
# all-gather waits for the next pair of layers, and until then a rank has only its share
# of the tokens. ``SequenceParallel()`` makes the ``LayerNorm`` layers work on that.
import warnings
from torch.distributed.tensor.parallel import SequenceParallel

warnings.filterwarnings("error", message="Parallelize plan key")  # a misspelled name
token_plan = block_plan(Shard(1)) | {
    "norm1": SequenceParallel(), "norm2": SequenceParallel()}
by_token = parallelize_module(deepcopy(single), mesh, token_plan)

my_tokens = batch.chunk(world_size, dim=1)[rank]
found, forward, backward = both_passes(by_token, my_tokens)

my_share = [whole.chunk(world_size, dim=1)[rank] for whole in expected]
torch.testing.assert_close(found, my_share, msg="each rank has its tokens' results")
torch.testing.assert_close(
    whole_gradients(by_token), grads, msg="and together they have the same gradients")
halves = {"all_gather_into_tensor": 2, "reduce_scatter_tensor": 2}
halves = halves if world_size > 1 else {}
assert forward == halves, "each all-reduce has become two halves"
assert backward == halves, "and so it has in backward"

# %%
# So the bytes are the same, and what you save is memory. Of the activations that the
# block keeps for the backward pass, tensor parallelism divides all but the inputs and
# the outputs of the two ``LayerNorm`` layers, and sequence parallelism divides the two
# inputs as well. (On a CPU we counted 12 times the block's input on one rank, of which
# four stay whole. So on eight it's 4 + 8 / 8 = 5 times, and with sequence parallelism
# 2 + 10 / 8 = 3.25.) With *activation checkpointing*, which keeps only the input of a
# block, you gain more, because that input is divided by eight.
#
# **The number of tokens must be divisible by the number of ranks**, because the layers
# take for granted that each rank has equally many. If not, Gloo aborts the program, and
# for NCCL it's `undefined what happens
# <https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/usage/collectives.html>`__.
# And it's easily so: ``tokens[:, :-1]`` leaves 4095 tokens of 4096. So cut texts of
# 4097 tokens. The language model below checks it.
#
# .. admonition:: For your own model: the plan of a Llama layer
#    :collapsible: closed
#
#    Its names are those of ``transformers`` 5, where attention gets its input as a
#    keyword. (We compared such a layer with one rank, gradients included, on CPUs. This
#    page doesn't run it. The plan that ``transformers`` brings along,
#    ``base_model_tp_plan``, is one without sequence parallelism.)
#
#    .. code-block:: python
#
#       llama_layer_plan = {
#           "input_layernorm": SequenceParallel(),
#           "self_attn": PrepareModuleInput(
#               input_kwarg_layouts={"hidden_states": Shard(1)},
#               desired_input_kwarg_layouts={"hidden_states": Replicate()}),
#           "self_attn.q_proj": ColwiseParallel(),
#           "self_attn.k_proj": ColwiseParallel(),
#           "self_attn.v_proj": ColwiseParallel(),
#           "self_attn.o_proj": RowwiseParallel(output_layouts=Shard(1)),
#           "post_attention_layernorm": SequenceParallel(),
#           "mlp": PrepareModuleInput(
#               input_layouts=Shard(1), desired_input_layouts=Replicate()),
#           "mlp.gate_proj": ColwiseParallel(),
#           "mlp.up_proj": ColwiseParallel(),
#           "mlp.down_proj": RowwiseParallel(output_layouts=Shard(1)),
#       }
#
#    The rotary embedding and the mask belong to all tokens, so make them from the
#    length of the whole text, and give them to each rank as they are. If your attention
#    gets them by position, ``PrepareModuleInput`` needs a ``None`` for each of them in
#    both layouts: ``(Shard(1), None, None)`` and ``(Replicate(), None, None)``.
#
# ``LayerNorm`` gradients are partial sums
# ----------------------------------------
#
# A rank has computed the ``LayerNorm`` layers for its own tokens only, so the gradients
# of their weights and biases are still ``Partial``: each rank has a part of the sum.
# Each operation that needs the whole gradient would add it up anew, and Adam has up to
# three of them. So add them up once, between backward and everything that reads a
# gradient. Then the step sends nothing.
partial_sums = [p for p in by_token.parameters() if p.grad.placements[0].is_partial()]
assert len(partial_sums) == 4, "weight and bias of two LayerNorm layers"


def add_up(module):
    for p in module.parameters():
        # a frozen parameter has no gradient, and a plain tensor is already whole
        if isinstance(p.grad, DTensor) and p.grad.placements != p.placements:
            p.grad = p.grad.redistribute(placements=p.placements)


add_up(by_token)

# %%
# If you also shard the block with ``fully_shard``, you need no ``add_up``: it does the
# same in backward, before it reduces a gradient. Its ``MixedPrecisionPolicy`` is also
# how to compute in bf16 (:doc:`/tutorials/larger_models/two_dimensions`).
#
# Clip by the norm of all parts
# -----------------------------
#
# ``clip_grad_norm_`` adds up the parts of DTensors. With sequence parallelism all
# parameters of the block are DTensors, so it works as on one rank, and it returns a
# DTensor, too. Call ``add_up`` before it, or clipping sends more messages.
norm_of_single = nn.utils.clip_grad_norm_(single.parameters(), max_norm=1)
norm = nn.utils.clip_grad_norm_(by_token.parameters(), max_norm=1)

torch.testing.assert_close(
    norm.full_tensor(), norm_of_single, msg="the norm is that of all parts")
with CommDebugMode() as step:
    torch.optim.Adam(by_token.parameters()).step()
assert step.get_total_counts() == 0, "after add_up the step sends nothing"

# %%
# The first plan lists only the matrices, so there the ``LayerNorm`` layers keep plain
# tensors, and ``clip_grad_norm_``, ``fused=True`` and ``foreach=True`` refuse a list
# that has both ("got mixed torch.Tensor and DTensor"). ``SequenceParallel()`` for these
# layers avoids that.
#
# .. admonition:: If some of your parameters are still plain tensors
#    :collapsible: closed
#
#    Give the optimizer a parameter group of each kind. To clip, take the norm of each,
#    and combine them. All ranks have to call ``full_tensor``: it sends a message.
#
#    .. code-block:: python
#
#       from torch.nn.utils import clip_grads_with_norm_, get_total_norm
#
#       norm_of_split = get_total_norm([p.grad for p in split]).full_tensor()
#       norm_of_plain = get_total_norm([p.grad for p in plain])
#       norm = torch.stack([norm_of_split, norm_of_plain]).norm()
#       clip_grads_with_norm_(split, max_norm, norm)
#       clip_grads_with_norm_(plain, max_norm, norm)
#
# Embedding, vocabulary and ``loss_parallel``
# -------------------------------------------
#
# The first and the last layer of a language model are its largest: with 128,000 tokens
# in the *vocabulary* and a width of 4096, each of them has more parameters than two
# blocks. And the last one has an output, the *logits*, with a score for each pair of a
# token in the batch and one in the vocabulary, which is often the largest activation of
# all. So both layers are split along the vocabulary.


class LanguageModel(nn.Module):
    def __init__(self, vocabulary, width, head_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.block = Block(width, head_dim)
        self.norm = nn.LayerNorm(width)
        self.scores = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):  # (samples, tokens)
        assert tokens.shape[1] % world_size == 0, "each rank needs as many tokens"
        return self.scores(self.norm(self.block(self.embedding(tokens))))


# %%
# The table of ``nn.Embedding`` isn't transposed: a token is a row, so here
# ``RowwiseParallel`` cuts dimension 0. A rank looks up the tokens that it has, writes
# zeros for the others, and the sum of all ranks is right. As the layout of the output
# is ``Shard(1)``, that sum is a reduce-scatter. ``scores`` is a column layer, but we
# leave its output as a DTensor, with a part of the vocabulary on each rank.


def split_model(model):
    parallelize_module(model.block, mesh, token_plan)
    return parallelize_module(model, mesh, {
        "embedding": RowwiseParallel(
            input_layouts=Replicate(), output_layouts=Shard(1)),
        "norm": SequenceParallel(),
        "scores": ColwiseParallel(input_layouts=Shard(1), use_local_output=False),
    })


# %%
# It seems that the loss needs the logits of the whole vocabulary on one rank. But
# cross-entropy takes only three numbers of each token from them: the largest logit, the
# sum of the exponentials, and the logit of the right answer. ``loss_parallel`` sends
# just these. Without it, ``cross_entropy`` refuses to mix a DTensor with plain labels,
# and if the labels are a DTensor too, it gathers the logits. The backward pass must be
# inside ``loss_parallel`` as well. It doesn't know ``label_smoothing``, though, and
# stops with an error. For that, and for a loss of your own, leave it out, and gather
# the logits with ``scores.full_tensor()``.
from torch.distributed.tensor.parallel import loss_parallel

vocabulary = 64 * world_size
torch.manual_seed(1)
single_model = LanguageModel(vocabulary, width, head_dim=4).double().to(device)
tokens = torch.randint(vocabulary, (2, 4 * world_size)).to(device)
labels = torch.randint(vocabulary, (2 * 4 * world_size,)).to(device)

model = split_model(deepcopy(single_model))
with loss_parallel():
    scores = model(tokens).flatten(0, 1)  # (samples * tokens, vocabulary)
    with CommDebugMode() as of_loss:
        loss = nn.functional.cross_entropy(scores, labels)
    loss.backward()
assert of_loss.get_total_counts() == 3, "three all-reduces for the loss"

# %%
# ``loss_parallel`` sends three numbers for each token, whatever the size of the
# vocabulary, while the logits grow with it. For 8192 tokens and a vocabulary of 128,000
# they are 4.2 GB in fp32, which each GPU would have to receive and to keep.
#
# All ranks have the same loss now, so there is nothing to average among them, neither
# the loss nor the gradients.
#
# Two things about the embedding are surprising. Its gradient is whole on every rank,
# although its weight is split (in PyTorch 2.13). It's right, but takes the memory of
# the whole table until ``add_up`` cuts it, which needs no message. And *tied weights*,
# one matrix for both layers, don't survive the split: each layer gets a parameter of
# its own, and from then on they differ more and more, without an error. As both are cut
# along the vocabulary, you can tie them again after the split, and before you make the
# optimizer.
assert model.embedding.weight.grad.placements == (Replicate(),), "whole on each rank"
add_up(model)
assert model.embedding.weight.grad.placements == (Shard(0),), "cut like the weight"

tied = deepcopy(single_model)
tied.scores.weight = tied.embedding.weight
split_model(tied)
assert tied.scores.weight is not tied.embedding.weight, "the split has untied them"
tied.scores.weight = tied.embedding.weight

# %%
# A whole training step
# ---------------------
#
# Here is all of it in one place: the split model, tied again, its optimizer, and a step
# that adds up, clips and trains. With DTensors, Adam's default is to update one after
# the other, on GPUs too, so say ``fused=True``. For bf16, call the model in
# ``torch.autocast``, and give the loss ``scores.float()`` (so we tried it, on CPUs).


def train(model, optimizer, n_steps=3):
    for _ in range(n_steps):
        optimizer.zero_grad()
        with loss_parallel():
            scores = model(tokens).flatten(0, 1)  # (samples * tokens, vocabulary)
            loss = nn.functional.cross_entropy(scores, labels)
            loss.backward()
        add_up(model)
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.1)
        optimizer.step()
    return loss


loss = train(tied, torch.optim.Adam(tied.parameters(), fused=True)).full_tensor()

# %%
# The same function trains a model that isn't split, because ``add_up`` and
# ``loss_parallel`` leave plain tensors alone. Both have the same loss after three
# steps, and the same weights.
single_tied = deepcopy(single_model)
single_tied.scores.weight = single_tied.embedding.weight
optimizer = torch.optim.Adam(single_tied.parameters(), fused=True)
loss_of_single = train(single_tied, optimizer)

torch.testing.assert_close(
    loss, loss_of_single, msg="the loss must equal that of one rank")
if rank == 0:
    print(f"loss after three steps: {loss:.4f} split, {loss_of_single:.4f} on one rank")

# %%
# Save the model with all ranks. The line for DDP, ``torch.save(model.state_dict())`` on
# rank 0, writes only the parts of rank 0, and loading its file on all ranks raises no
# error, but the weights are wrong. These lines put the weights together for one file:
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions, get_model_state_dict)

options = StateDictOptions(full_state_dict=True, cpu_offload=True)
weights = get_model_state_dict(tied, options=options)
if rank == 0:  # only rank 0 has them, so torch.save belongs here
    for name, of_single in single_tied.state_dict().items():
        torch.testing.assert_close(
            weights[name], of_single.cpu(), msg="and so must the weights")

# %%
# To load such a file see :doc:`/tutorials/larger_models/real_run`, and to resume a run,
# whose optimizer has a state too, :doc:`/tutorials/long_runs/checkpoints`.
#
# (A model that fits on no GPU is created on the meta device and split there. Only then
# it gets memory and its weights, as :doc:`/tutorials/larger_models/real_run` shows for
# FSDP.)
#
# Trap 1: the ranks of a group read different samples
# ---------------------------------------------------
#
# All ranks need the same samples, and nothing checks that. A script that has used DDP
# deals out its samples with a ``DistributedSampler``, so that each rank reads others,
# which was right before and is wrong now. A rank computes some columns of its own
# sample, and the all-reduce adds up parts of different samples. The shapes fit, and no
# error comes.
torch.manual_seed(rank)
own_batch = torch.randn_like(batch)  # other samples on each rank
with torch.no_grad():
    nonsense = block(own_batch)  # no error
    if world_size > 1:
        assert not torch.allclose(nonsense, single(own_batch)), "nobody's output"

# %%
# So tell the sampler how many copies of the model there are and which of them a rank
# belongs to: here there is one, and in :doc:`/tutorials/larger_models/two_dimensions`
# there are several. Workers that augment at random make samples differ, too. To be
# safe, let one rank of the group read the batch with its labels, and send both to the
# others. (Give its ``DataLoader`` a ``generator`` of its own. Otherwise the loader
# draws seeds from the common random state, on this rank only, and the next dropout
# masks of the ranks differ.)
from torch.utils.data.distributed import DistributedSampler

sampler = DistributedSampler(range(8), num_replicas=1, rank=0, shuffle=False)
assert list(sampler) == list(range(8)), "all samples, on each rank"

dist.broadcast(own_batch, group=mesh.get_group(), group_src=0)
with torch.no_grad():
    torch.testing.assert_close(
        block(own_batch), single(own_batch), msg="the same samples, the same output")

# %%
# The weights are less at risk, because ``parallelize_module`` takes the matrices of
# rank 0, whatever the other ranks have drawn. But it doesn't send what isn't in the
# plan, and under ``SequenceParallel()`` each rank keeps its own parameters (so it was
# when we tried it, with PyTorch 2.13). So draw all weights with one seed, or load one
# checkpoint.
#
# Trap 2: dropout has two regions, and they need two seeds
# --------------------------------------------------------
#
# With dropout, one seed for all ranks isn't enough, because there are two kinds of
# places:
#
# - Where every rank holds the same activations, as at the input and the output of our
#   block, all ranks have to drop the same numbers. If they don't, each of them goes on
#   with another input. So there they need the same seed.
# - Between a column layer and a row layer, inside attention (``dropout_p``), and
#   wherever sequence parallelism divides the tokens, ranks hold different columns,
#   heads or tokens. There the same seed is a silent mistake: column j of each rank is
#   dropped together with column j of all others, so on four ranks one mask for a
#   quarter of the columns is repeated four times.
#
# ``torch.manual_seed(0)`` on all ranks is right for the first kind. For the second, all
# ranks draw the same number and add their rank, which is their seed for a while. Then
# the old state comes back. (If there are several replicas, make the weights first. Then
# call ``manual_seed(dp_rank)``, or all replicas drop the same numbers.)
from contextlib import contextmanager


@contextmanager
def own_draws():
    """Draw other random numbers on each rank, for what the ranks hold in parts."""
    seed = torch.randint(2**40, ()).item() + rank  # drawn on the CPU, so nothing waits
    gpus = [device] if gpu_per_rank else []
    with torch.random.fork_rng(gpus, device_type=device.type):
        torch.manual_seed(seed)
        yield


torch.manual_seed(0)
with own_draws():
    own = torch.rand((), device=device).item()
common = torch.rand((), device=device).item()

drawn = [None] * world_size
dist.all_gather_object(drawn, (own, common))
assert len({pair[0] for pair in drawn}) == world_size, "each rank draws its own"
assert len({pair[1] for pair in drawn}) == 1, "afterwards all ranks draw alike again"

# %%
# What it costs, and when to use it
# ---------------------------------
#
# A layer can't begin before the sum of the one before it is there, so the GPUs wait for
# these messages. Is that long? Set it beside the time that they compute. For one token
# in one block, with n GPUs and a width of d:
#
# - A GPU takes part in four all-reduces of d numbers, and sends 2 · (n - 1) / n times
#   their bytes.
# - The matrices have 12 · d² parameters, and each of these takes six operations, two
#   forward and four backward. A GPU does one n-th of them. We leave out attention
#   between tokens, and checkpointing, with which there are five all-reduces (five and a
#   half with sequence parallelism) and eight operations.
#
# Both times grow alike with the number of tokens and of blocks, so if you divide them,
# these numbers cancel out. **A larger batch doesn't help, but a wider model does.**


def waiting_per_computing(n_gpus, width, flops, bandwidth):
    """Return the time of the messages, divided by the time of the matrices.

    flops: operations per second of a GPU; bandwidth: bytes that it sends per second
    """
    sent = 4 * 2 * (n_gpus - 1) / n_gpus * width * 2  # bytes, in bf16
    operations = 6 * 12 * width**2 / n_gpus
    return (sent / bandwidth) / (operations / flops)


matrices = sum(p.numel() for p in single.parameters() if p.dim() == 2)
assert matrices == 12 * width**2, "the matrices of a block"

# %%
# Now put in your own numbers. For the bandwidth, take the *bus bandwidth* that
# ``all_gather_perf`` of `nccl-tests <https://github.com/NVIDIA/nccl-tests>`__ prints on
# your machines. Our numbers are those of an `H100
# <https://www.nvidia.com/en-us/data-center/h100/>`__: of its 989 teraFLOP/s in bf16, we
# assume that a GPU gets through 400. *NVLink*, which connects the GPUs of a machine,
# carries 450 GB/s in each direction, of which NCCL `reaches 370
# <https://github.com/NVIDIA/nccl-tests/issues/212>`__. (All-reduces alone may reach 480
# by that measure, because the switches of NVLink add up for them.) A network of 400
# gigabit/s for each GPU carries 50 GB/s.
for d in (4096, 8192):
    for link, bandwidth in {"NVLink": 370e9, "network": 50e9}.items():
        wait = waiting_per_computing(8, d, 400e12, bandwidth)
        if rank == 0:
            print(f"width {d}, {link:>7}: waiting / computing = {wait:.2f},",
                  f"computes {1 / (1 + wait):.0%} of the time")

# %%
# With NVLink, eight GPUs wait 0.4 times as long as they compute, at a width of 4096.
# Over the network they wait three times as long, so they do nothing for three quarters
# of the step. That's why tensor parallelism stays inside a machine. (These are
# estimates, not measured on GPUs. `Whole runs <https://arxiv.org/abs/2407.21783>`__
# reach 400 teraFLOP/s, waits included, so the share of waiting may be larger. And with
# few tokens two more things count: *latency*, the time of even the shortest message,
# and Python code of DTensors. On one rank of a CPU, ``token_plan`` made our small block
# take ten times as long, and after ``block.compile()`` two to three times.)
#
# So use tensor parallelism if a layer is too large, or if there are fewer samples than
# GPUs, and only among GPUs that NVLink connects, mostly the eight of a machine. Else
# sharded data parallel training is better, because it sends while it computes. (With
# `asynchronous tensor parallelism
# <https://discuss.pytorch.org/t/distributed-w-torchtitan-introducing-async-tensor-parallelism-in-pytorch/209487>`__
# PyTorch divides these messages and the products around them into pieces, so that some
# of the waiting hides behind computation.)
#
# At the end every rank leaves the group. Only then does rank 0 open the window of its
# figure, because a window stops the program until you close it.
import time

time.sleep(0.1)  # a thread of Gloo may still free a tensor, and aborts if Python ends
dist.destroy_process_group()
if rank == 0:
    plt.show()  # last: while a window is open, no other rank waits

# %%
# Try it
# ------
#
# Predict first, then run.
#
# - Delete the entry ``"attention"`` of ``block_plan``. How many all-reduces does the
#   backward pass of the split block have then?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      Four instead of two, and the assert on ``backward`` fails. The output and the
#      gradients stay right, but ``q``, ``k`` and ``v`` each add up the gradient of
#      their own input, and only then are the three added to each other.
#
# - Leave the ``LayerNorm`` layers out of ``token_plan``. The output stays right, but
#   what does not?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      The gradients of these layers. Each rank computes them for its own tokens only,
#      so it has a part of the sum, in a plain tensor that nobody adds up.
#      ``SequenceParallel()`` in the plan makes the parameters DTensors, whose gradients
#      are known to be ``Partial``.
#
# - In your own model: how many attention heads and how many key heads are there? By how
#   many GPUs can you divide them? And what does ``waiting_per_computing`` say for its
#   width and your GPUs?
#
# What to remember
# ----------------
#
# - Columns first, rows second: a pair of matrices then costs one all-reduce forward and
#   one backward, which everything waits for. So keep it inside a machine with fast
#   links.
# - All ranks of the group need the same samples, and equal random numbers where they
#   hold equal activations, but different ones where they hold parts.
# - With sequence parallelism, gradients of ``LayerNorm`` layers are partial sums: add
#   them up once, before you clip or step.
#
# Where to go next
# ----------------
#
# - The papers on `tensor parallel <https://arxiv.org/abs/1909.08053>`__ and
#   `sequence parallel <https://arxiv.org/abs/2205.05198>`__ training of Megatron.
# - :doc:`/tutorials/larger_models/two_dimensions` combines it with sharding.
