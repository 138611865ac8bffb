"""
Will it fit: a calculator of memory and time
============================================

:Card: Enter your model and your GPUs: does it fit, and is it fast?
:Learn: You will estimate the memory and the seconds of five strategies for your own
    model, and see how far such an estimate was from what others measured.
:Prerequisites: :doc:`/tutorials/long_runs/choosing`
:Picture: fit
:Oldest torch: 2.9

It's expensive to find out on 64 rented GPUs that a model doesn't fit, and a short
calculation tells you before. Begin with a model that you know, change the numbers to
yours, and compare the strategies. The address of the page keeps your numbers, so you
can send it to a colleague. Without JavaScript you see a table of three models, and
:ref:`further down <will-it-fit-models>` what follows from it.

.. list-table::
   :header-rows: 1
   :class: will-it-fit

   * - Model
     - Llama 3 8B
     - Llama 2 13B
     - Llama 3 70B
   * - Parameters
     - 8.03 · 10⁹
     - 13.02 · 10⁹
     - 70.55 · 10⁹
   * - Blocks
     - 32 blocks
     - 40 blocks
     - 80 blocks
   * - Width of a block
     - 4096 numbers
     - 5120 numbers
     - 8192 numbers
   * - Vocabulary
     - 128,256 words
     - 32,000 words
     - 128,256 words
   * - Tokens on each GPU in a step
     - 8192 tokens
     - 8192 tokens
     - 8192 tokens
   * - GPUs
     - 8 GPUs
     - 8 GPUs
     - 64 GPUs
   * - Memory of a GPU
     - 80 GB
     - 80 GB
     - 80 GB
   * - Precision of the matrices
     - ``bf16``
     - ``bf16``
     - ``bf16``
   * - Checkpointing of all blocks
     - ✓
     - ✓
     - ✓
   * - Operations of a GPU
     - 400 TFLOP/s
     - 400 TFLOP/s
     - 400 TFLOP/s
   * - Slowest link on the way
     - 370 GB/s
     - 370 GB/s
     - 50 GB/s

A bar is what one GPU holds at the worst moment of a step. Its colors are:

.. rst-class:: will-it-fit-parts

- :doc:`Parameters </tutorials/larger_models/fitting_in_memory>`: 4 bytes each, in fp32.
- :doc:`Gradients </tutorials/inside/ddp_from_scratch>`: 4 bytes for each parameter.
- :doc:`Optimizer </tutorials/larger_models/fitting_in_memory>`: the two numbers of
  Adam, 8 bytes for each parameter, with ``fused=True``.
- :doc:`Gathered blocks </tutorials/larger_models/fully_sharded>`: what FSDP makes whole
  while it computes, and the gradients of it.
- :doc:`Activations </tutorials/larger_models/fitting_in_memory>`: what the backward
  pass needs. With checkpointing that's the input of each block, and one whole block.
- :doc:`Logits </tutorials/larger_models/tensor_parallel>`: in the loss, 12 bytes for
  each token and each entry of the vocabulary.

The answers beside it are:

.. rst-class:: will-it-fit-answers

- **Fits**, if the bar is shorter than the memory of a GPU.
- **Doesn't fit**, if it's longer.
- **Computing**: the seconds of a step's matrix products.
- **Sending**: the seconds for the bytes that a GPU sends in a step. DDP and FSDP send
  while they compute, so they wait only if it takes longer. With TP, both times add up.
- **Not possible**, if TP has more than 8 GPUs, or a pipeline more GPUs than blocks.

And the strategies, with the lessons that count what they hold and send:

.. rst-class:: will-it-fit-strategies

- :doc:`DDP </tutorials/start/distributed_data_parallel>` keeps everything on each GPU,
  and 4 bytes more for each parameter without ``gradient_as_bucket_view=True``.
- :doc:`ZeRO-1 </tutorials/larger_models/fully_sharded>` divides the optimizer state,
  and sends a third of its bytes after the step.
- :doc:`FSDP </tutorials/larger_models/fully_sharded>` divides all 16 bytes, and gathers
  one block at a time.
- :doc:`TP </tutorials/larger_models/tensor_parallel>` divides every matrix, so all GPUs
  compute all tokens. We assume sequence parallelism and ``loss_parallel``, which divide
  activations and logits, and at most 8 GPUs, because TP divides attention by its heads,
  and Llama 3 has 8 of them for the keys.
- :doc:`PP </tutorials/larger_models/pipeline_parallel>`, a pipeline, has a stage on
  each GPU, and as many micro-batches as GPUs. Computing includes the bubble.

Between machines, all network cards of a machine count together for DDP and FSDP,
because the rings of NCCL go through all of them. So the 50 GB/s of Llama 3 70B are one
card of 400 Gbit/s for each *machine*. With a card for each *GPU*, enter the 370 of
NVLink, and FSDP sends for 1.5 seconds instead of 11.

All of this is an estimate. It leaves out fragments of freed memory, buffers of NCCL,
what CUDA itself takes, copies that ``autocast`` makes, and the products inside
attention, which grow with the length of a sequence.
"""

# %%
# The numbers of a run
# --------------------
#
# Here is the calculator in Python, and your browser computes the same. A ``Run`` has a
# field for each row above. Billions of parameters times bytes are gigabytes.
import math
from dataclasses import dataclass, replace


@dataclass
class Run:
    parameters: float  # billions
    blocks: int
    width: int
    vocabulary: int
    tokens: int  # on each GPU in a step
    gpus: int
    memory: float = 80  # GB
    precision: str = "bf16"  # or "fp32"
    checkpointing: bool = True
    speed: float = 400  # TFLOP/s
    link: float = 370  # GB/s


MODELS = {
    "Llama 3 8B": Run(8.03, 32, 4096, 128_256, 8192, gpus=8),
    "Llama 2 13B": Run(13.02, 40, 5120, 32_000, 8192, gpus=8),
    "Llama 3 70B": Run(70.55, 80, 8192, 128_256, 8192, gpus=64, link=50),
}
STRATEGIES = ("DDP", "ZeRO-1", "FSDP", "TP", "PP")

# %%
# The shapes of these models are public, so let's count their parameters. On the meta
# device, tensors have a shape and no memory. A block has four matrices of attention
# (those of keys and values are narrower in Llama 3), three of the MLP, and two norms.
# Outside of the blocks are embedding, head and a norm.
import torch
from torch import nn


def count(run, hidden, of_keys):
    width = run.width
    shapes = [(width, width), (width, of_keys), (width, of_keys), (width, width)]
    shapes += [(width, hidden), (width, hidden), (hidden, width)]
    with torch.device("meta"):
        layers = nn.ModuleList(nn.Linear(n, m, bias=False) for n, m in shapes)
        layers.extend([nn.RMSNorm(width), nn.RMSNorm(width)])
    of_block = sum(parameter.numel() for parameter in layers.parameters())
    return run.blocks * of_block + 2 * run.vocabulary * width + width


n_parameters = count(MODELS["Llama 3 8B"], hidden=14336, of_keys=1024)
assert round(n_parameters / 1e9, 2) == 8.03, "a Llama 3 8B of another size"
n_parameters = count(MODELS["Llama 2 13B"], hidden=13824, of_keys=5120)
assert round(n_parameters / 1e9, 2) == 13.02, "a Llama 2 13B of another size"
n_parameters = count(MODELS["Llama 3 70B"], hidden=28672, of_keys=1024)
assert round(n_parameters / 1e9, 2) == 70.55, "a Llama 3 70B of another size"

# %%
# Parameters, gradients and optimizer
# -----------------------------------
#
# A parameter takes 4 + 4 + 8 bytes, and the strategies differ in how many of them a GPU
# keeps. In a pipeline the largest stage counts, and blocks stay whole.


def outside(run):
    """Billions of parameters in the embedding and the head."""
    return 2 * run.vocabulary * run.width / 1e9


def block(run):
    """Billions of parameters in a block."""
    return max(run.parameters - outside(run), 0) / run.blocks


def share(strategy, run):
    """Billions of parameters that a GPU keeps."""
    if strategy in ("FSDP", "TP"):
        return run.parameters / run.gpus
    if strategy == "PP":
        at_an_end = outside(run) / min(run.gpus, 2)
        return math.ceil(run.blocks / run.gpus) * block(run) + at_an_end
    return run.parameters


def is_possible(strategy, run):
    if strategy == "TP":
        return run.gpus <= 8
    return strategy != "PP" or run.gpus <= run.blocks


# %%
# FSDP gathers on top. In the worst moment there are three pieces of the size of a block
# in the precision of the matrices, and its gradients in fp32. In Llama 3 8B the head is
# larger than a block. If it's sharded on its own, its parameters and its gradients in
# both precisions count instead.
BYTES = {"bf16": 2, "fp32": 4}


def gathered(run):
    """GB that FSDP holds beside its share."""
    n_bytes = BYTES[run.precision]
    return max((3 * n_bytes + 4) * block(run), (2 * n_bytes + 4) * outside(run) / 2)


llama_70b = MODELS["Llama 3 70B"]
assert round(16 * share("FSDP", llama_70b), 1) == 17.6, "not the share of the lesson"
assert round(gathered(llama_70b), 1) == 8.6, "not the blocks of the FSDP lesson"

# %%
# Activations and logits
# ----------------------
#
# For each token, backward needs eight tensors of the width of a block, and four of the
# hidden width of its MLP. That width follows from the parameters: attention has four
# matrices, and the MLP three. With checkpointing the logits are gone before the first
# block is computed again. So only the larger of the two counts, and a block adds what
# it has beyond the logits. With TP, two tensors have the tokens of all GPUs: in a block
# the inputs of attention and MLP, in the loss the input of the head and its gradient.
# The first stage of a pipeline keeps all micro-batches.


def of_one_block(run):
    """GB of activations in a block."""
    hidden = (block(run) * 1e9 / run.width - 4 * run.width) / 3
    numbers = max(8 * run.width + 4 * hidden, 8 * run.width)
    return numbers * BYTES[run.precision] * run.tokens / 1e9


def held(strategy, run):
    """GB that a GPU holds of each part, in the order of the colors."""
    of_gpu = share(strategy, run)
    adam = 8 * of_gpu / run.gpus if strategy == "ZeRO-1" else 8 * of_gpu
    on_top = gathered(run) if strategy == "FSDP" else 0
    logits = 12 * run.vocabulary * run.tokens / 1e9
    of_width = run.width * BYTES[run.precision] * run.tokens / 1e9
    whole = 2 * (run.gpus - 1) * of_width if strategy == "TP" else 0
    n_blocks = run.blocks
    if strategy == "PP":
        n_blocks = math.ceil(run.blocks / run.gpus) * run.gpus
    if run.checkpointing:
        activations = n_blocks * of_width + max(of_one_block(run) - logits, 0) + whole
    else:
        activations = n_blocks * (of_one_block(run) + whole)
    return [4 * of_gpu, 4 * of_gpu, adam, on_top, activations, logits]


llama_13b = MODELS["Llama 2 13B"]
assert math.isclose(sum(held("DDP", llama_13b)[:3]), 16 * 13.02), "it isn't 16 bytes"
in_13b = (8 * 5120 + 4 * 13824) * 2 * 8192 / 1e9  # as "Choosing" counts
assert abs(of_one_block(llama_13b) / in_13b - 1) < 0.001, "other activations"

# %%
# Bytes and seconds
# -----------------
#
# These bytes are counted in :doc:`/tutorials/long_runs/choosing`. For DDP and FSDP they
# follow from the parameters, and for TP and a pipeline from the tokens of all GPUs.
# Only TP has one all-gather more here with checkpointing, because sequence parallelism
# has to gather the input of the MLP again.


def sent(strategy, run):
    """GB that a GPU sends in a step."""
    n_bytes = BYTES[run.precision]
    ring = (run.gpus - 1) / run.gpus
    between_blocks = run.tokens * run.gpus * run.width * n_bytes / 1e9
    if strategy == "DDP":
        return ring * 8 * run.parameters
    if strategy == "ZeRO-1":
        return ring * 12 * run.parameters
    if strategy == "FSDP":
        return ring * (2 * n_bytes + 4) * run.parameters
    if strategy == "TP":
        half_all_reduces = 11 if run.checkpointing else 8
        return ring * half_all_reduces * run.blocks * between_blocks
    return min(run.gpus - 1, 2) * between_blocks


def seconds(strategy, run):
    """Seconds of computing, and seconds of sending."""
    operations = 8 if run.checkpointing else 6
    in_matrices = run.parameters - outside(run) / 2
    computing = operations * max(in_matrices, 0) * run.tokens / run.speed / 1000
    if strategy == "PP":
        bubble = (2 * run.gpus - 1) / run.gpus
        of_stage = run.blocks / run.gpus
        computing *= bubble * math.ceil(of_stage) / of_stage
    return computing, sent(strategy, run) / run.link


computing, sending = seconds("FSDP", llama_13b)
assert round(computing, 1) == 2.1, "computing takes another time in Choosing"
assert round(sending, 2) == 0.25, "sending takes another time in Choosing"
computing, sending = seconds("FSDP", replace(llama_70b, link=370))
assert round(sending, 1) == 1.5, "not the seconds of a card for each GPU"

# %%
# .. _will-it-fit-models:
#
# Three models
# ------------
#
# With FSDP, all three fit, and their bytes take less time than the computation:
for name, run in MODELS.items():
    print(f"{name} on {run.gpus} GPUs of {run.memory} GB")
    for strategy in STRATEGIES:
        total = sum(held(strategy, run))
        answer = "fits" if total <= run.memory else "doesn't fit"
        if not is_possible(strategy, run):
            answer = "not possible"
        computing, sending = seconds(strategy, run)
        print(f"   {strategy:8}{total:5.0f} GB, {answer:12}",
              f"computing {computing:4.1f} s, sending {sending:5.2f} s")

    assert sum(held("FSDP", run)) <= run.memory, f"{name} doesn't fit with FSDP"
    computing, sending = seconds("FSDP", run)
    assert sending < computing, f"FSDP can't hide the bytes of {name}"

# %%
# As a picture, for the first model:
#
# .. alt-text:: Stacked horizontal bars of memory for Llama 3 8B on 8 GPUs, and a dashed
#    line at 80 GB. DDP and ZeRO-1 are beyond it. FSDP, TP and PP stay below it, and
#    half of their bars are activations and logits.
import matplotlib.pyplot as plt

PARTS = ("parameters", "gradients", "optimizer", "gathered", "activations", "logits")
llama_8b = MODELS["Llama 3 8B"]
fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
left = [0] * len(STRATEGIES)
for number, part in enumerate(PARTS):
    widths = [held(strategy, llama_8b)[number] for strategy in STRATEGIES]
    ax.barh(STRATEGIES, widths, left=left, label=part, color=f"C{number % 5}",
            hatch="//" if part == "logits" else None)
    left = [start + width for start, width in zip(left, widths)]
ax.axvline(80, color=plt.rcParams["text.color"], ls="--", label="80 GB")
ax.invert_yaxis()
ax.set(xlabel="Llama 3 8B on 8 GPUs: GB on a GPU")
fig.legend(loc="outside upper center", ncols=4, columnspacing=1, frameon=False)
plt.show()

# %%
# How far is the estimate from measurements?
# ------------------------------------------
#
# The team of torchtitan `measured Llama 3.1 8B with FSDP
# <https://github.com/pytorch/torchtitan/blob/31a17bfdb70bab6f62a13d21816a5339b911d6e3/benchmarks/llama3_h100_202412_torchtitan.md>`__
# on GPUs of 96 GB. It reports what PyTorch had reserved, fragments included, so its
# numbers should be larger than ours. We compare two. First, a sequence of 32,768
# tokens on each of 8 GPUs, with all blocks checkpointed (and with ``torch.compile`` and
# float8, which the calculator doesn't know). Second, what 8 GPUs need more than 128,
# where only the shares differ.
GIB = 2**30 / 1e9  # GB


def all_held(**changes):
    """GiB of Llama 3 8B with FSDP."""
    return sum(held("FSDP", replace(llama_8b, **changes))) / GIB


def compare(name, measured, estimate):
    print(f"{name}: measured {measured:.1f} GiB, estimate {estimate:.1f} GiB,",
          f"{estimate / measured - 1:+.0%}")
    assert 0.85 < estimate / measured < 1, "further off than the text says"


compare("32,768 tokens", 83.9, all_held(tokens=32_768))
compare("8 GPUs less 128 GPUs", 82.4 - 67.0, all_held(gpus=8) - all_held(gpus=128))

# %%
# Try it
# ------
#
# Predict first, then run.
#
# - Your 8 GPUs have 24 GB. How does Llama 3 8B fit with FSDP?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      The 16 bytes and the gathered head take 20 GB. With 256 tokens on each GPU the
#      estimate is 21 GB, which leaves an eighth free. With 16 GPUs there is room for
#      2048 tokens, in 16 GB.
#
# - Your link has 25 GB/s. How many tokens does each GPU need for FSDP to hide its
#   bytes? Does the size of the model matter?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      With checkpointing 14,000 to 15,000 on 8 GPUs. The size hardly matters, because
#      both times grow with the parameters.
#
# - Enter your own model, run three steps, and compare the bar with
#   ``torch.cuda.max_memory_allocated()``. Which part is missing?
#
# What to remember
# ----------------
#
# - Count 16 bytes for each parameter, divide them by the GPUs that share them, and add
#   activations and logits, which follow from the tokens of a GPU.
# - Whether DDP and FSDP wait depends on the tokens, the link and the speed of a GPU,
#   and hardly on the size of the model.
# - For one model with FSDP, the estimate was 9 and 12 percent too low, so leave more
#   than an eighth free.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/larger_models/fitting_in_memory` shrinks each part of the bar.
# - :doc:`/tutorials/start/is_it_faster` measures the seconds of a step.
