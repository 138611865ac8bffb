"""
Choosing: seven questions, in this order
========================================

:Card: DDP, FSDP, TP or a pipeline: ask seven questions.
:Learn: You will choose a strategy for 13 billion parameters on 8 GPUs, step by step,
    and check its formulas for memory and bytes in small runs.
:Prerequisites: :doc:`/tutorials/larger_models/two_dimensions`
:Picture: table
:Oldest torch: 2.13

There are many ways to train a model on several GPUs, and each is praised with numbers
of another model. In practice a few questions decide. Their order matters, because each
answer costs more than the one before: in speed, in code, and in bugs that you'll have
to find. So begin at the top, and stop at the first strategy that is good enough.

1. **Does everything fit on each GPU?** Then take *DistributedDataParallel* (DDP). It
   keeps the whole model on every GPU, which takes 16 bytes for each parameter, and
   activations come on top: :doc:`/tutorials/start/distributed_data_parallel`.
2. **Would it fit with less?** Checkpointing, micro-batches and a loss in chunks make
   activations small. Adam in 8 bits makes 10 of the 16 bytes. And if you fine-tune,
   LoRA freezes the model, in 2 bytes or less, and trains small matrices beside it. Then
   you can stay with DDP: :doc:`/tutorials/larger_models/fitting_in_memory`.
3. **Do the 16 bytes fit if the GPUs share them?** Then take *fully sharded data
   parallel* (FSDP): :doc:`/tutorials/larger_models/fully_sharded`. If not even that
   fits, FSDP can keep them in the memory of the CPU, and each step waits for copies.
4. **Do you use several machines?** Compare the seconds that the network takes with the
   seconds of computation. If the network is too slow, give each GPU more tokens in a
   step, or try *hybrid sharding* (HSDP), which keeps a whole model in each machine:
   :doc:`/tutorials/larger_models/two_dimensions`.
5. **Are there fewer sequences than GPUs, or is one block too large?** Then take *tensor
   parallelism* (TP) within a machine, and FSDP between the machines:
   :doc:`/tutorials/larger_models/tensor_parallel`.
6. **Is the network still too slow?** A *pipeline* sends least, so take one between the
   machines, with a stage in each, and FSDP inside. GPUs wait for each other at both
   ends of a step, so it needs several micro-batches:
   :doc:`/tutorials/larger_models/pipeline_parallel`.
7. **Is a single sequence too long?** Context parallelism divides its tokens:
   :doc:`/tutorials/larger_models/long_sequences`. And a *mixture of experts* adds
   expert parallelism to all this: :doc:`/tutorials/larger_models/experts`.

Here is what the strategies cost on w GPUs, in bytes for each parameter of the model.
Parameters, gradients and the two numbers of Adam are kept in fp32 (32 bits), and the
matrices compute in bf16 (16 bits). "Held" is the worst moment of a step, without
activations, **if Adam has** ``fused=True``. On GPUs its default is ``foreach``, which
holds 20 bytes instead of 16 during the optimizer's step (we'll count both). "Sent" is
what each GPU sends in a step. For TP and the pipeline, the bytes sent don't depend on
the parameters but on the tokens: A stands for the bytes of the activations between two
blocks, for the tokens of all GPUs.

.. list-table::
   :header-rows: 1

   * - Strategy
     - Held
     - Sent
     - Who waits?
   * - DDP, with ``gradient_as_bucket_view``
     - 16 bytes
     - 8 bytes
     - Nobody, if the batch is large enough
   * - ZeRO-1: DDP that divides Adam's numbers
     - 8 + 8 / w
     - 12 bytes with PyTorch's ``ZeroRedundancyOptimizer``
     - Every GPU, after each step
   * - FSDP
     - 16 / w, and 10 for each parameter of one block
     - 8 bytes
     - The same
   * - FSDP, and parameters stay whole between forward and backward
     - 12 / w + 2, and 6 for each parameter of one block. With gradient accumulation
       16 / w + 2
     - 6 bytes
     - The same
   * - HSDP on machines of c GPUs
     - 16 / c, and 10 for each parameter of one block
     - 8 within a machine. Out of each machine, by all its GPUs together: 4 if there
       are two machines, up to 8 if there are many
     - The same
   * - TP
     - 16 / w
     - 8 · A for each block, 10 · A with checkpointing
     - Every GPU, in every block
   * - Pipeline
     - 16 / w
     - 2 · A in all
     - GPUs at both ends of a step, in the *bubble*
   * - Pipeline with a stage on each of s machines, FSDP on the c GPUs inside
     - (12 / c + 6) / s, and 2 for each parameter of one block
     - 6 / s within a machine, and 2 · A at most out of each
     - The same, but for fewer stages

(Where ranks send in a ring, multiply by (w - 1) / w.) With gradient accumulation, FSDP
sends its bytes for each micro-batch, but DDP only once in a step, and so does HSDP
between the machines. You'll also meet the name *ZeRO*: stage 3 works like FSDP, and
stage 2 like FSDP with parameters that stay whole.

We'll go through the questions with a model of 13 billion parameters and 8 GPUs of 80
GB, then compute the seconds that each strategy needs on two machines. That's the first
half of the page, and all that you need to choose. In the second half a tiny model
trains in all these ways, and we count memory and bytes, because a formula that nobody
has counted is a rumor. If you believe them, go from there to
:ref:`the questions at the end <choosing-try-it>`.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 choosing.py
"""

# %%
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin with the same lines, and
# :doc:`/tutorials/start/hello_ranks` explains them. One rank is enough for the worked
# example, but then the small runs divide and send nothing. The function at the end
# returns the values of all ranks as a list.
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


def from_all_ranks(value):
    values = [None] * world_size
    dist.all_gather_object(values, value)
    return values


# %%
# The model: Llama 2 with 13 billion parameters
# ---------------------------------------------
#
# A strategy is good or bad for a model, so let's take a real one. Llama 2 13B has 40
# blocks of width 5120, and 32,000 tokens in its vocabulary (its `configuration
# <https://huggingface.co/NousResearch/Llama-2-13b-chat-hf/blob/main/config.json>`__).
# A block is attention, with four matrices, and an *MLP*, three matrices that work on
# each token alone. We leave out what doesn't matter for memory and bytes: the rotation
# that tells positions apart, and the weights of the norms, 0.4 million numbers in all.
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, head_dim):
        super().__init__()
        self.head_dim = head_dim
        self.q = nn.Linear(width, width, bias=False)
        self.k = nn.Linear(width, width, bias=False)
        self.v = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def split(self, x):  # (samples, tokens, width) -> (samples, heads, tokens, head)
        return x.unflatten(2, (-1, self.head_dim)).transpose(1, 2)

    def forward(self, x):  # (samples, tokens, width)
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        heads = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(heads.transpose(1, 2).flatten(2))


# %%
# The MLP and the block around both:


class MLP(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    def __init__(self, width, hidden, head_dim):
        super().__init__()
        self.norm = nn.RMSNorm(width, elementwise_affine=False)
        self.attention = Attention(width, head_dim)
        self.mlp = MLP(width, hidden)

    def forward(self, x):
        x = x + self.attention(self.norm(x))
        return x + self.mlp(self.norm(x))


# %%
# A ``Run`` is all that our formulas need to know: the model, the tokens that all GPUs
# together compute in a step, and the GPUs as a grid with a row for each machine. Then
# come the bytes of a number: FSDP gathers parameters in bf16 and adds up gradients in
# fp32, and activations are in bf16, too.
from dataclasses import dataclass, replace


@dataclass
class Run:
    block: int  # parameters of a block
    n_blocks: int
    outside: int  # parameters of the embedding and of the head, together
    width: int
    tokens: int  # in a step, of all GPUs
    rows: int  # machines
    columns: int  # GPUs of a machine
    gathered: int = 2  # bytes of a parameter that FSDP gathers
    reduced: int = 4  # bytes of a gradient that is sent
    activation: int = 2  # bytes of a number between two blocks
    checkpointed: bool = True

    @property
    def n_gpus(self):
        return self.rows * self.columns

    @property
    def parameters(self):
        return self.n_blocks * self.block + self.outside


# %%
# On the meta device, tensors have a shape and no memory, so any laptop can count the
# parameters of any model. Each of the 8 GPUs gets 8192 tokens, two sequences of 4096.
WIDTH, HIDDEN, HEAD_DIM, VOCABULARY = 5120, 13824, 128, 32000


def count(module):
    return sum(p.numel() for p in module.parameters())


with torch.device("meta"):
    block = Block(WIDTH, HIDDEN, HEAD_DIM)
llama = Run(
    block=count(block), n_blocks=40, outside=2 * VOCABULARY * WIDTH, width=WIDTH,
    tokens=8 * 8192, rows=1, columns=8)
if rank == 0:
    print(f"a block: {llama.block / 1e6:.0f} million parameters")
    print(f"the model: {llama.parameters / 1e9:.2f} billion parameters")

norm_weights = (2 * llama.n_blocks + 1) * WIDTH
assert llama.parameters + norm_weights == 13_015_864_320, "Llama 2 13B has other sizes"

# %%
# Questions 1 and 2: does it fit with DDP?
# ----------------------------------------
#
# With Adam in fp32, a parameter takes 16 bytes: the parameter itself, its gradient, and
# two numbers of the optimizer. That's a choice, and there are others. Adam in 8 bits
# keeps its two numbers in 2 bytes instead of 8. If all four were in bf16, they'd take
# 8, but bf16 has only two to three digits, so that a small step added to a large
# parameter rounds to nothing, and most people keep the 16. (If a library says 18, it
# also keeps a copy of the parameters in bf16, as `Megatron does
# <https://docs.nvidia.com/megatron-core/developer-guide/latest/api-guide/dist_optimizer.html>`__.)
GB = 1e9
bytes_of_a_parameter = {
    "Adam in fp32": 16,
    "Adam in fp32, foreach": 20,
    "Adam in 8 bits": 4 + 4 + 2,
    "all four numbers in bf16": 8,
    "ZeRO-1 on 8 GPUs": 8 + 8 / 8,
    "LoRA, the model in bf16": 2,
}
for name, n_bytes in bytes_of_a_parameter.items():
    if rank == 0:
        print(f"{name:26}{n_bytes * llama.parameters / GB:4.0f} GB")
    fits = n_bytes * llama.parameters < 80 * GB
    assert fits == ("LoRA" in name), f"{name}: not the answer of the text"

# %%
# To fine-tune with LoRA, a GPU needs 26 GB, what LoRA's small matrices take, and
# activations. So you could stop here, with DDP. All others are beyond 80 GB, and no
# checkpointing will help, because activations come on top. So if all parameters are to
# learn: Question 1, no. Question 2, no. We need the size of the activations all the
# same, because they'll have to fit as well.
#
# For each token, backward needs eight tensors of the width of a block (inputs and
# outputs of the norms, q, k, v, and so on) and four of the hidden width. That's what
# PyTorch keeps if attention runs in a fused kernel, and at the end of this page we
# count it. With checkpointing, only the input of each block is kept, and one block at a
# time comes back. And don't forget the *logits*, the scores of all words of the
# vocabulary: the loss needs 12 bytes for each, at the worst moment, and 16 if a
# variable of yours still has them.
tokens = llama.tokens // llama.n_gpus  # of one GPU
of_a_block = (8 * WIDTH + 4 * HIDDEN) * llama.activation * tokens
block_inputs = llama.n_blocks * WIDTH * llama.activation * tokens
logits = 12 * VOCABULARY * tokens

all_kept = llama.n_blocks * of_a_block + logits
activations = block_inputs + max(of_a_block, logits)  # these two follow each other
if rank == 0:
    print(f"{tokens} tokens: {all_kept / GB:.1f} GB of activations,",
          f"with checkpointing {activations / GB:.1f} GB,")
    print(f"and {logits / GB:.1f} GB of each are logits")
assert 1.5 * GB < logits - of_a_block < 1.6 * GB, "chunks save something else"

# %%
# A loss in chunks never has all logits at once, which would save 1.6 of these 6.5 GB:
# :doc:`/tutorials/larger_models/fitting_in_memory` has the code. We go on without.
#
# Question 3: does it fit if 8 GPUs share it?
# -------------------------------------------
#
# FSDP divides the 16 bytes by the number of GPUs, and gathers a block whenever it
# computes. In the worst moment of the backward pass there are three pieces of the size
# of a block in bf16 and one in fp32 (:doc:`/tutorials/larger_models/fully_sharded`
# counts them), so 3 · 2 + 4 = 10 bytes for each parameter of a block.
#
# If the parameters stay whole between the passes (``reshard_after_forward=False``),
# they take 2 bytes more for each parameter of the model. In return the gradients come
# one by one while whole blocks are freed one by one, so the two are never all there at
# once: that's why there's a 12 in the formula, not a 16. (With gradient accumulation
# it is a 16, because the shards of earlier micro-batches are there already.)
#
# In a pipeline with FSDP inside, PyTorch keeps parameters and gradients of a stage
# whole until its last micro-batch, so 2 + 4 = 6 bytes of each aren't divided.
import math


def held(strategy, run):
    """Bytes that a GPU holds at most, without activations."""
    if strategy == "DDP":
        return 16 * run.parameters
    if strategy == "pipeline":  # the first or the last stage
        n_blocks = math.ceil(run.n_blocks / run.n_gpus)
        return 16 * (n_blocks * run.block + run.outside / 2)
    if strategy == "FSDP, stays whole":
        whole = run.gathered * run.parameters
        on_top = (run.gathered + run.reduced) * run.block
        return 12 * run.parameters / run.n_gpus + whole + on_top
    if strategy == "pipeline + FSDP":
        of_stage = run.parameters / run.rows
        whole = (run.gathered + run.reduced) * of_stage
        on_top = 0
        if run.gathered < run.reduced:  # new gradients are copied before they're added
            on_top = run.gathered * run.block
        return 12 * of_stage / run.columns + whole + on_top

    on_top = (3 * run.gathered + run.reduced) * run.block
    if strategy == "FSDP":
        return 16 * run.parameters / run.n_gpus + on_top
    if strategy == "HSDP":
        return 16 * run.parameters / run.columns + on_top
    if strategy == "TP":
        return 16 * run.parameters / run.n_gpus
    if strategy == "TP + FSDP":
        return 16 * run.parameters / run.n_gpus + on_top / run.columns
    raise ValueError(strategy)


# %%
# Here is the answer as a picture. The activations are those of 8192 tokens, with
# checkpointing, and we take the same for all. (With TP the 8 GPUs compute these tokens
# together, one such micro-batch after the other. It divides some of the activations
# too, and a pipeline with short micro-batches keeps fewer, so for these two the bars
# are a little too long.)
#
# .. alt-text:: Stacked horizontal bars of memory for five strategies and a dashed line
#    at 80 GB. DDP is far beyond it. FSDP, FSDP that stays whole, TP and the pipeline
#    stay below it.
in_one_machine = ("DDP", "FSDP, stays whole", "FSDP", "TP", "pipeline")
if rank == 0:
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
    bars = [held(strategy, llama) / GB for strategy in in_one_machine]
    ax.barh(in_one_machine, bars, color="C0", label="held")
    tops = ax.barh(
        in_one_machine, activations / GB, left=bars, color="C1", hatch="//",
        label="activations of 8192 tokens, with checkpointing")
    ax.bar_label(tops, [f"{bar + activations / GB:.0f}" for bar in bars], padding=4)
    ax.axvline(80, color="C3", ls="--", label="80 GB")
    ax.invert_yaxis()
    ax.set(xlabel="Llama 2 13B on 8 GPUs: GB on a GPU", xlim=(0, 240))
    fig.legend(loc="outside upper center", ncols=2, columnspacing=1, frameon=False)

# %%
# Question 3: yes. With FSDP everything fits, and half of the GPU is still free. What to
# do with it? We could let the parameters stay whole, which saves one of three
# collectives. Or we could leave out the checkpointing, which saves a quarter of the
# computation, if fewer tokens are enough:
free = 80 * GB - held("FSDP", llama)
bytes_per_token = all_kept / tokens
if rank == 0:
    for strategy in in_one_machine:
        total = held(strategy, llama) + activations
        answer = "fits" if total < 80 * GB else "doesn't fit"
        print(f"{strategy:18}{total / GB:4.0f} GB, {answer}")
    print(f"FSDP without checkpointing: {free / bytes_per_token:,.0f} tokens at most")
assert held("DDP", llama) > 80 * GB, "DDP fits, so the example needs no FSDP"
assert held("FSDP, stays whole", llama) + activations < 80 * GB, "it doesn't fit"

# %%
# Don't plan with the last gigabyte. CUDA, NCCL and fragments of freed memory take
# several more, which no formula here knows.
#
# Seconds: does the communication hide behind the computation?
# -------------------------------------------------------------
#
# It fits, but is it fast? For that we need the bytes that are sent, and we need them
# apart, because links within a machine are faster than those between machines. If all
# GPUs form one ring, each sends to the next, and only the last of a machine sends out
# of it. An all-reduce sends everything twice, an all-gather or a reduce-scatter once,
# and with n GPUs each of them sends (n - 1) / n of the bytes
# (:doc:`/tutorials/inside/collectives`).


def ring(n):
    return (n - 1) / n


def in_one_ring(strategy, run):
    """Bytes that a GPU sends to the next one, if all of them form one ring."""
    if strategy == "DDP":  # an all-reduce of the gradients
        n_bytes = 2 * run.reduced * run.parameters
    elif strategy == "FSDP, stays whole":  # an all-gather, a reduce-scatter
        n_bytes = (run.gathered + run.reduced) * run.parameters
    elif strategy == "FSDP":  # two all-gathers, a reduce-scatter
        n_bytes = (2 * run.gathered + run.reduced) * run.parameters
    elif strategy == "TP":
        n_bytes = all_reduced(run)
    return ring(run.n_gpus) * n_bytes


def all_reduced(run):
    """Bytes that TP sends: in each block, an all-reduce for each half and pass."""
    n_all_reduces = 5 if run.checkpointed else 4
    between_blocks = run.tokens * run.width * run.activation
    return 2 * n_all_reduces * run.n_blocks * between_blocks


# %%
# Why five? With checkpointing a block computes its forward pass again, and with it the
# all-reduce after attention. The one at its end isn't needed, because PyTorch stops as
# soon as backward has what it needs. FSDP sends no more than before, as the block is
# whole for its backward pass anyway.
#
# The other strategies have two kinds of groups. HSDP shards within a machine, and
# averages the gradients of its shards between machines. With TP and FSDP together, the
# layers are cut within a machine, and these parts are sharded between machines. In a
# pipeline each GPU sends activations on and gradients back, to its neighbors. And with
# a stage in each machine and FSDP inside, a GPU gathers and reduces its stage once.


def traffic(strategy, run):
    """Bytes that a GPU sends within its machine, and that leave a machine."""
    sharded = (2 * run.gathered + run.reduced) * run.parameters
    between_blocks = run.tokens * run.width * run.activation
    if strategy == "HSDP":
        inside = ring(run.columns) * sharded
        leaving = ring(run.rows) * 2 * run.reduced * run.parameters
    elif strategy == "TP + FSDP":
        inside = ring(run.columns) * all_reduced(run) / run.rows
        leaving = ring(run.rows) * sharded
    elif strategy == "pipeline + FSDP":
        stays_whole = (run.gathered + run.reduced) * run.parameters / run.rows
        inside = ring(run.columns) * stays_whole
        leaving = min(run.rows - 1, 2) * between_blocks
    elif strategy == "pipeline":
        inside = min(run.columns - 1, 2) * between_blocks
        leaving = min(run.rows - 1, 2) * between_blocks
    else:
        sent = in_one_ring(strategy, run)
        inside = sent if run.columns > 1 else 0
        leaving = sent if run.rows > 1 else 0
    return inside, leaving


# %%
# For the computation, count 6 operations for each parameter and token, two forward and
# four backward, and 8 if checkpointing repeats the forward pass. (The embedding only
# looks up rows, so it doesn't count. Attention between 4096 tokens would add about 7
# percent.) An H100 could do 989 teraFLOP/s in bf16. We take 400, about what `Llama 3
# <https://arxiv.org/abs/2407.21783>`__ reports for whole runs, 380 to 430. These runs
# include waiting, so 400 is low for computation alone. Put in what one of your GPUs
# reaches with your model, because a GPU twice as fast needs twice as many tokens to
# hide the same bytes.
#
# NVLink carries 450 GB/s in each direction, according to NVIDIA's `data sheet
# <https://www.nvidia.com/en-us/data-center/h100/>`__, which gives the sum of both
# directions, 900. We take `370, as measured
# <https://github.com/NVIDIA/nccl-tests/issues/212>`__ between eight GPUs. For GPUs
# without NVLink we add PCIe 4.0.
SPEED = 400e12  # operations per second
NVLINK = 370e9  # bytes per second
PCIE = 16 * 16e9 * 128 / 130 / 8  # 16 lanes of 16 Gbit/s; of 130 bits 128 are data


def computing(run):
    operations = 8 if run.checkpointed else 6
    in_matrices = run.parameters - run.outside / 2
    return operations * in_matrices * run.tokens / run.n_gpus / SPEED


attention_share = WIDTH * 4096 / llama.block  # 6 * width * tokens, 6 * parameters
assert 0.06 < attention_share < 0.07, "attention isn't the 7 percent of the text"

inside, _ = traffic("FSDP", llama)
if rank == 0:
    print(f"FSDP on 8 GPUs: computing {computing(llama):.2f} s,",
          f"sending {inside / NVLINK:.2f} s, over PCIe {inside / PCIE:.2f} s")
assert inside / NVLINK < computing(llama) / 8, "FSDP sends for longer than an eighth"
assert inside / PCIE > computing(llama), "FSDP hides over PCIe as well"

# %%
# FSDP sends while it computes, and on NVLink it sends for an eighth of the time. So the
# GPUs hardly wait, and here you can stop: **FSDP, bf16, checkpointing, 8192 tokens for
# each GPU.** TP and a pipeline hold a little less, but they'd only be slower.
#
# Over PCIe, GPUs as fast as these would wait. Then the machine itself is a slow
# network, and what follows holds inside it: first more tokens for each GPU.
#
# Question 4: what if you get a second machine?
# ---------------------------------------------
#
# Now 16 GPUs train on twice as many tokens, and the network comes in. We compare two:
# one network card of 400 Gbit/s for each GPU, so 8 · 50 GB/s for a machine, and a
# single card of 100 Gbit/s for the whole machine, which is 12.5 GB/s.
#
# The estimate is an optimistic one. DDP and FSDP wait only if the links take longer
# than all of the computation. (In truth DDP can send only during the backward pass.) TP
# waits for each of its all-reduces. In a pipeline with p stages and m micro-batches of
# one sequence, a step takes (m + p - 1) / m times as long, because of the bubble, and
# all wait for the longest stage.
NETWORKS = {"8 x 400 Gbit/s": 8 * 50e9, "1 x 100 Gbit/s": 12.5e9}


def in_stages(run, n_stages):
    """Seconds that pipelines of so many stages compute and wait."""
    n_pipelines = run.n_gpus / n_stages
    n_micro = run.tokens / 4096 / n_pipelines
    bubble = (n_micro + n_stages - 1) / n_micro
    blocks_of_a_stage = run.n_blocks / n_stages
    unequal = math.ceil(blocks_of_a_stage) / blocks_of_a_stage
    return computing(run) * bubble * unequal


def step(strategy, run, network):
    """Seconds that a step takes at least."""
    inside, leaving = traffic(strategy, run)
    links = max(inside / NVLINK, leaving / network)
    if strategy == "TP":
        return computing(run) + links
    if strategy == "TP + FSDP":
        return max(computing(run) + inside / NVLINK, leaving / network)
    if strategy == "pipeline":
        return max(in_stages(run, run.n_gpus), links)
    if strategy == "pipeline + FSDP":
        return max(in_stages(run, run.rows), links)
    return max(computing(run), links)


# %%
# "out GB" are the bytes that leave a machine in a step. The seconds are those of a step
# on each of the two networks.
STRATEGIES = (
    "DDP", "FSDP, stays whole", "FSDP", "HSDP", "TP", "TP + FSDP", "pipeline",
    "pipeline + FSDP")
two_machines = replace(llama, rows=2, tokens=16 * 8192)
if rank == 0:
    print(f"computing: {computing(two_machines):.1f} s")
    print(f"{'':18} held GB  out GB", *(f"{name:>16}" for name in NETWORKS))
    for strategy in STRATEGIES:
        _, leaving = traffic(strategy, two_machines)
        seconds = [step(strategy, two_machines, speed) for speed in NETWORKS.values()]
        print(f"{strategy:18}{held(strategy, two_machines) / GB:8.0f}",
              f"{leaving / GB:7.1f}", *(f"{second:14.1f} s" for second in seconds))

# %%
# With eight fast cards, FSDP hides behind the computation completely, so the answer is
# FSDP over all 16 GPUs, and you can stop again. TP within a machine costs 30 percent,
# so take it only if question 5 forces you to. TP over both machines costs more than
# half (it's there only for comparison, because 16 GPUs can't share 40 heads).
#
# With the single slow card, FSDP takes almost four times as long as the computation,
# and HSDP twice as long. A pipeline of 16 stages doesn't notice the network, but its
# bubble and its unequal stages cost as much on a fast network. **On the slow card, the
# fastest is a pipeline of only two stages, one in each machine, with FSDP inside**: a
# step takes a quarter longer than the computation. That's the bubble with 4
# micro-batches. More of them make it shorter, and so do *interleaved* schedules.
#
# But a pipeline is a new training loop, and FSDP only a wrapper. So before you build
# one, try more tokens for each GPU: the bytes of FSDP stay the same, and the
# computation grows. How many tokens are enough? The size of the model cancels, as it
# does in :doc:`/tutorials/start/is_it_faster`:


def tokens_to_hide(strategy, run, network):
    """Tokens for each GPU, so that computing takes as long as the network."""
    _, leaving = traffic(strategy, run)
    tokens_per_second = run.tokens / run.n_gpus / computing(run)
    return tokens_per_second * leaving / network


slow = NETWORKS["1 x 100 Gbit/s"]
for strategy in ("FSDP", "HSDP"):
    for name, speed in NETWORKS.items():
        needed = tokens_to_hide(strategy, two_machines, speed)
        if rank == 0:
            print(f"{strategy} needs {needed:6,.0f} tokens on each GPU with {name}")

needed = tokens_to_hide("FSDP", two_machines, slow)
total = held("FSDP", two_machines) + activations * needed / tokens
assert total < 80 * GB, "so many tokens don't fit"
in_a_step = 16 * tokens_to_hide("HSDP", two_machines, slow)
assert 250_000 < in_a_step < 270_000, "HSDP doesn't need a quarter of a million"

fast = NETWORKS["8 x 400 Gbit/s"]
at_best = computing(two_machines)
assert step("FSDP", two_machines, fast) == at_best, "FSDP isn't hidden"
assert 1.25 < step("TP + FSDP", two_machines, fast) / at_best < 1.35, "not 30 percent"
assert 1.5 < step("TP", two_machines, fast) / at_best < 1.7, "not more than half"
assert 3.5 < step("FSDP", two_machines, slow) / at_best < 4, "not almost four times"
assert 1.9 < step("HSDP", two_machines, slow) / at_best < 2.1, "not twice"
assert step("pipeline", two_machines, slow) == step("pipeline", two_machines, fast)
assert at_best < step("TP", llama, fast) < step("pipeline", llama, fast)

two_stages = step("pipeline + FSDP", two_machines, slow)
assert two_stages == 1.25 * at_best, "not a quarter longer"
for strategy in STRATEGIES:
    seconds = step(strategy, two_machines, slow)
    assert seconds >= two_stages, f"{strategy} is faster than a pipeline of two stages"
total = held("pipeline + FSDP", two_machines) + activations
assert total < 80 * GB, "two stages with FSDP inside don't fit"
assert 49 * GB < held("pipeline + FSDP", two_machines) < 50 * GB, "not 49 GB"

# %%
# The 30,000 tokens of FSDP fit, with checkpointing. Whether the optimizer can work with
# half a million tokens in a step is another question. HSDP needs half as many, and they
# needn't be in memory at once: with gradient accumulation it uses the network once for
# several micro-batches (:doc:`/tutorials/larger_models/two_dimensions` shows how). FSDP
# over all GPUs would gather its parameters again in each of them.
#
# So the answer for the slow card is **HSDP if the optimizer can work with a quarter of
# a million tokens in a step, else the pipeline of two stages with FSDP inside.**
#
# What we left out
# ----------------
#
# - The seconds are estimates, and this page hasn't run on GPUs. It leaves out the
#   *latency*, the time that even an empty message takes, so that with hundreds of GPUs
#   small blocks become slower than here. ``torch.compile`` and fp8 make the computation
#   shorter, so they hide less. Measure before you rent a month:
#   :doc:`/tutorials/start/is_it_faster`.
# - The embedding and the head are counted like all other parameters. But TP sends a
#   little more for them, and FSDP keeps those of the outermost module whole between the
#   passes, here 0.7 GB.
# - With DDP, TP and a pipeline, the matrices compute in bf16 under ``autocast``, which
#   makes copies of the weights. With checkpointing there are those of one block at a
#   time.
# - *Sequence parallelism* divides the activations between the halves of a block when
#   you use TP, and sends no more: :doc:`/tutorials/larger_models/tensor_parallel`.
# - DiLoCo and local SGD send parameters only once in many steps, so the loss differs.

# %%
# You may stop here: the rest checks the formulas
# -----------------------------------------------
#
# So far all is arithmetic. If that's enough, go on with the :ref:`questions at the end
# <choosing-try-it>`. From here on we train a tiny model of the same blocks in every
# way, and count. The classes that count look at every operation. They are made of
# private parts of PyTorch and are for measuring only, so don't train with them.
#
# ``Memory`` remembers each piece of memory that an operation has made, for as long as
# it is alive, and so it also sees gradients and gathered blocks that come and go during
# the backward pass.
import weakref

from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


def storages(tree):  # the memory of all tensors in nested lists and tuples
    return {leaf.untyped_storage() for leaf in tree_leaves(tree)
            if torch.is_tensor(leaf)}


class Memory(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.alive = weakref.WeakSet()
        self.most = 0  # bytes
        self.watching = True

    def now(self):
        return sum(storage.nbytes() for storage in self.alive)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if DTensor in types:
            return NotImplemented  # its parts come here one by one
        result = func(*args, **(kwargs or {}))
        for storage in storages(result) - storages((args, kwargs)):
            if storage.device.type == device.type:
                self.alive.add(storage)
        if self.watching:
            self.most = max(self.most, self.now())
        return result


# %%
# ``Messages`` adds up what this rank sends, within its machine and out of it. A machine
# is a row of the grid, and a single machine with an even number of ranks plays two.
from torch.distributed.device_mesh import init_device_mesh

n_rows = max(world_size // local_world_size, 2 - world_size % 2)
n_columns = world_size // n_rows
line = init_device_mesh(device.type, (world_size,))
grid = init_device_mesh(
    device.type, (n_rows, n_columns), mesh_dim_names=("between", "inside"))
groups = {}
for mesh in (line, grid):
    for group in mesh.get_all_groups():
        groups[group.group_name] = group

# How often a collective sends the whole tensor; the names are those of PyTorch 2.13.
PASSES = {"allreduce_": 2, "all_reduce": 2, "_allgather_base_": 1,
          "_reduce_scatter_base_": 1}


class Messages(TorchDispatchMode):
    inside = leaving = 0  # bytes that this rank has sent

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if DTensor in types:
            return NotImplemented
        name = func.name().split("::")[1]
        if name == "send":
            ranks = dist.get_process_group_ranks(self.group_of(args))
            self.add(args[0][0].nbytes, receiver=ranks[args[2]])
        elif name in PASSES:
            ranks = dist.get_process_group_ranks(self.group_of(args))
            tensors = [leaf for leaf in tree_leaves(args) if torch.is_tensor(leaf)]
            whole = max(tensor.nbytes for tensor in tensors)
            after_me = ranks[(ranks.index(rank) + 1) % len(ranks)]
            self.add(PASSES[name] * whole * (len(ranks) - 1) // len(ranks), after_me)
        return func(*args, **(kwargs or {}))

    def group_of(self, args):
        for arg in args:
            if isinstance(arg, torch.ScriptObject):
                return dist.ProcessGroup.unbox(arg)
        return groups[args[-1]]

    def add(self, n_bytes, receiver):
        if receiver // n_columns == rank // n_columns:
            self.inside += n_bytes
        else:
            self.leaving += n_bytes


# %%
# First the block alone: what does backward need of it, and how much does it compute?
# Beside the tensors in our formula there are three small ones: a number for each token
# of both norms, and one for each token and head of attention. We count in fp32. In bf16
# most numbers take half as much, but not all: without a fused kernel, as here on the
# CPU, PyTorch's RMSNorm keeps its input in fp32.
from torch.utils.flop_counter import FlopCounterMode

n_heads, n_tokens = 8, 64
small = Block(width=512, hidden=1376, head_dim=64).to(device)
inputs_of_small = torch.randn(1, n_tokens, 512, device=device, requires_grad=True)
with Memory() as memory:
    output = small(inputs_of_small)
numbers = memory.now() / 4 / n_tokens
if rank == 0:
    print(f"a block keeps {numbers:.0f} numbers for a token,",
          f"the formula has {8 * 512 + 4 * 1376}")
if device.type == "cpu":  # GPUs choose other kernels
    small_ones = 2 + n_heads
    assert numbers == 8 * 512 + 4 * 1376 + small_ones, "the block keeps something else"

with FlopCounterMode(display=False) as counter:
    small(inputs_of_small).sum().backward()
products = counter.get_flop_counts()["Global"][torch.ops.aten.mm]
assert products == 6 * count(small) * n_tokens, "not 6 operations for each parameter"

# %%
# Then the logits. For each word of the vocabulary the loss makes three numbers of 4
# bytes in its backward pass: the logarithm of its probability, and two gradients. A
# variable that still has the logits in fp32 keeps a fourth.
head = nn.Linear(8, 4000, bias=False).to(device).bfloat16()
words = torch.randint(4000, (640,), device=device)
last = torch.randn(640, 8, device=device, dtype=torch.bfloat16, requires_grad=True)
with Memory() as memory:
    nn.functional.cross_entropy(head(last).float(), words).backward()
bytes_of_logit = memory.most / 640 / 4000
assert 12 <= bytes_of_logit < 12.1, "the loss needs another number of bytes"

last.grad = head.weight.grad = None
with Memory() as memory:
    logits_in_fp32 = head(last).float()
    nn.functional.cross_entropy(logits_in_fp32, words).backward()
assert 16 <= memory.most / 640 / 4000 < 16.1, "a variable keeps something else"

# %%
# And Adam: with ``foreach`` it makes a number more for each parameter, for all of them
# at once.
for option, expected_bytes in (("fused", 16), ("foreach", 20)):
    with Memory() as memory:
        layers = nn.Sequential(*[nn.Linear(64, 64) for _ in range(8)]).to(device)
        optimizer = torch.optim.Adam(
            layers.parameters(), fused=option == "fused", foreach=option == "foreach")
        for _ in range(2):  # in the second step, Adam has its numbers
            for parameter in layers.parameters():
                parameter.grad = torch.zeros_like(parameter)
            memory.most = 0
            optimizer.step()
    of_a_parameter = memory.most / count(layers)
    if rank == 0:
        print(f"Adam with {option}: {of_a_parameter:.1f} bytes for each parameter")
    assert abs(of_a_parameter - expected_bytes) < 0.1, f"{option}: other bytes"

# %%
# The small model and its batch
# -----------------------------
#
# The tiny model has whole heads and blocks for each rank, so it can be cut evenly in
# every way, and so few tokens that activations hardly count. ``toy`` describes it to
# the formulas, and all its numbers have 4 bytes.
width, hidden, head_dim = 48 * world_size, 128 * world_size, 16
blocks_of_a_rank = max(1, 4 // world_size)  # in the pipeline
n_blocks = blocks_of_a_rank * world_size

torch.manual_seed(1)
x = torch.randn(world_size, 2, width).to(device)  # (samples, tokens, width)
y = torch.randn(world_size, 2, width).to(device)
toy = Run(
    block=count(Block(width, hidden, head_dim)), n_blocks=n_blocks, outside=0,
    width=width, tokens=world_size * 2, rows=n_rows, columns=n_columns,
    gathered=4, reduced=4, activation=4, checkpointed=False)


def build():
    torch.manual_seed(0)  # the same on all ranks
    blocks = [Block(width, hidden, head_dim) for _ in range(n_blocks)]
    return nn.Sequential(*blocks).to(device)


# %%
# Every strategy trains three steps. We count in the third, when Adam has its numbers
# and DDP its final buckets. Of the ranks we take the one that sends or holds most, and
# of the machines the one that most bytes leave. The ``eps`` of Adam is unusually large:
# Adam divides gradients by their size, so with its usual tiny ``eps``, gradients of
# twice the size would give the same loss, and nobody would notice.
measured = {}  # strategy: mean loss, bytes inside, leaving, held


def train(strategy, wrap, inputs, labels):
    inputs = inputs.clone().requires_grad_()  # as if an embedding came before

    def one_step():
        losses = forward_and_backward(inputs, labels)
        optimizer.step()
        optimizer.zero_grad()
        return losses

    with Memory() as memory:
        parameters, forward_and_backward = wrap(build())
        optimizer = torch.optim.Adam(parameters, eps=0.001, fused=True)
        memory.watching = False
        one_step()
        one_step()
        memory.watching, memory.most = True, 0
        with Messages() as messages:
            losses = one_step()
    measured[strategy] = over_all_ranks(losses, messages, memory)


def over_all_ranks(losses, messages, memory):
    all_losses = sum(from_all_ranks(losses), [])
    leaving = torch.tensor(from_all_ranks(messages.leaving))
    return (
        sum(all_losses) / len(all_losses),
        max(from_all_ranks(messages.inside)),
        leaving.view(n_rows, n_columns).sum(dim=1).max().item(),
        max(from_all_ranks(memory.most)))


# %%
# What each strategy changes
# --------------------------
#
# Each of the following functions wraps the model, and returns its parameters and a
# function for both passes. First everything that needs no special loop. DDP lets its
# gradients lie in the buckets that are sent, else they take 4 bytes more for each
# parameter.
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint


def passes(model, checkpointed=False):
    def forward_and_backward(inputs, labels):
        if checkpointed:
            output = inputs
            for block in model:
                output = checkpoint(block, output, use_reentrant=False)
        else:
            output = model(inputs)
        loss = nn.functional.mse_loss(output.float(), labels)
        loss.backward()
        return [loss.item()]

    return forward_and_backward


def alone(model):
    return model.parameters(), passes(model)


def ddp(model):
    wrapped = DistributedDataParallel(model, gradient_as_bucket_view=True)
    return model.parameters(), passes(wrapped)


# %%
# FSDP takes a mesh: a line of all ranks, or the grid for HSDP.


def shard(model, mesh, **options):
    for block in model:
        fully_shard(block, mesh=mesh, **options)
    fully_shard(model, mesh=mesh, **options)


def fsdp(model):
    shard(model, line)
    return model.parameters(), passes(model)


def stays_whole(model):
    shard(model, line, reshard_after_forward=False)
    return model.parameters(), passes(model)


def hsdp(model):
    shard(model, grid)
    return model.parameters(), passes(model)


# %%
# As in the worked example, FSDP and HSDP also run with bf16 parameters.
POLICY = MixedPrecisionPolicy(torch.bfloat16, reduce_dtype=torch.float32)


def fsdp_bf16(model):
    shard(model, line, mp_policy=POLICY)
    return model.parameters(), passes(model)


def hsdp_bf16(model):
    shard(model, grid, mp_policy=POLICY)
    return model.parameters(), passes(model)


# %%
# TP needs a plan. ``PrepareModuleInput`` lets q, k and v share one all-reduce in the
# backward pass. Without it there would be one for each of them.
from torch.distributed.tensor import Replicate
from torch.distributed.tensor.parallel import (
    ColwiseParallel, PrepareModuleInput, RowwiseParallel, parallelize_module)


def cut(model, mesh):
    plan = {}
    for name in ("attention.q", "attention.k", "attention.v", "mlp.gate", "mlp.up"):
        plan[f"*.{name}"] = ColwiseParallel()
    for name in ("attention.out", "mlp.down"):
        plan[f"*.{name}"] = RowwiseParallel()
    for name in ("attention", "mlp"):
        plan[f"*.{name}"] = PrepareModuleInput(
            input_layouts=Replicate(), desired_input_layouts=Replicate())
    parallelize_module(model, mesh, plan)


def tp(model):
    cut(model, line)
    return model.parameters(), passes(model)


def tp_checkpointed(model):
    cut(model, line)
    return model.parameters(), passes(model, checkpointed=True)


def tp_fsdp(model):
    cut(model, grid["inside"])
    shard(model, grid["between"])
    return model.parameters(), passes(model)


# %%
# In the pipeline a rank keeps its own blocks, and a schedule makes both passes for one
# sample after the other. Only the first stage gets inputs, and only the last one knows
# the losses.
from torch.distributed.pipelining.schedules import Schedule1F1B
from torch.distributed.pipelining.stage import PipelineStage


def in_micro_batches(schedule, stage_index):
    def forward_and_backward(inputs, labels):
        losses = []
        of_first = [inputs] if stage_index == 0 else []
        schedule.step(*of_first, target=labels, losses=losses)
        return [loss.item() for loss in losses]

    return forward_and_backward


def pipeline(model):
    first = rank * blocks_of_a_rank
    own_blocks = model[first : first + blocks_of_a_rank]
    stage = PipelineStage(own_blocks, rank, world_size, device)
    schedule = Schedule1F1B(stage, n_microbatches=world_size, loss_fn=nn.MSELoss())
    return own_blocks.parameters(), in_micro_batches(schedule, rank)


# %%
# With FSDP inside, a row of the grid is a stage, and each column a pipeline of its own.
# This is also the code for real training: shard the blocks of the stage, and give the
# stage the group between the machines.
row, column = rank // n_columns, rank % n_columns
blocks_of_a_row = n_blocks // n_rows


def pipeline_fsdp(model):
    own_blocks = model[row * blocks_of_a_row : (row + 1) * blocks_of_a_row]
    shard(own_blocks, grid["inside"], reshard_after_forward=False)
    stage = PipelineStage(
        own_blocks, row, n_rows, device, group=grid["between"].get_group())
    schedule = Schedule1F1B(stage, n_microbatches=n_rows, loss_fn=nn.MSELoss())
    return own_blocks.parameters(), in_micro_batches(schedule, row)


# %%
# With data parallelism a rank takes its share of the samples. With TP and FSDP a row
# takes its share, and with a pipeline and FSDP a column. "Without messages" leaves DDP
# out, to see if the loss notices.
own = x.chunk(world_size)[rank], y.chunk(world_size)[rank]
of_row = x.chunk(n_rows)[row], y.chunk(n_rows)[row]
of_column = x.chunk(n_columns)[column], y.chunk(n_columns)[column]

train("one process", alone, x, y)
train("without messages", alone, *own)
train("DDP", ddp, *own)
train("FSDP, stays whole", stays_whole, *own)
train("FSDP", fsdp, *own)
train("HSDP", hsdp, *own)
train("TP", tp, x, y)
train("TP + FSDP", tp_fsdp, *of_row)
train("pipeline", pipeline, x, y)
train("pipeline + FSDP", pipeline_fsdp, *of_column)
train("TP, checkpointed", tp_checkpointed, x, y)
train("FSDP, bf16", fsdp_bf16, *own)
train("HSDP, bf16", hsdp_bf16, *own)

# %%
# The formulas hold
# -----------------
#
# All strategies reach the loss of one process. They add in different orders, so the
# last of the seven digits of fp32 may differ, and we allow for two. With bf16 there are
# only two to three digits to begin with. Without messages the loss is another one.
runs = {strategy: (strategy, toy) for strategy in STRATEGIES}
runs["TP, checkpointed"] = ("TP", replace(toy, checkpointed=True))
runs["FSDP, bf16"] = ("FSDP", replace(toy, gathered=2))
runs["HSDP, bf16"] = ("HSDP", replace(toy, gathered=2))

expected, *_ = measured["one process"]
if rank == 0:
    print(f"{'one process':18} loss {expected:.3f}")
for name in runs:
    loss, inside, leaving, _ = measured[name]
    if rank == 0:
        print(f"{name:18} loss {loss:.3f}, bytes for each parameter:",
              f"{inside / toy.parameters:.2f} inside,",
              f"{leaving / toy.parameters:.2f} out")
    tolerance = 0.01 if "bf16" in name else 1e-5
    assert abs(loss - expected) < tolerance * expected, f"{name}: another loss"

alone_loss, *_ = measured["without messages"]
if world_size > 1:
    assert abs(alone_loss - expected) > 0.01 * expected, "the loss can't tell"

# %%
# The bytes that are sent equal the formulas exactly. (In a run with four ranks a row is
# a machine of two.) For the memory, a formula gives the most that a GPU holds. When
# FSDP has most whole blocks, the gradients of the last two blocks are not there yet, so
# it may be less by the shares of these two. And it may be more by a block and a half:
# by activations, by a gradient on its way to its bucket, and, on a busy machine, by a
# block that still waits to be sent.
for name, (strategy, run) in runs.items():
    _, *bytes_sent, most = measured[name]
    assert bytes_sent == [round(n) for n in traffic(strategy, run)], f"{name}: bytes"

    whole_block = 4 * run.block
    n_shares = n_columns if strategy in ("HSDP", "pipeline + FSDP") else world_size
    least = held(strategy, run) - 2 * whole_block / n_shares
    assert least <= most < held(strategy, run) + 1.5 * whole_block, f"{name}: memory"

# %%
# At the end every rank leaves the group. Only then does rank 0 open the window of its
# figure, because a window stops the program until you close it.
import time

time.sleep(0.1)  # a thread of Gloo may still free a tensor, and aborts if Python ends
dist.destroy_process_group()
if rank == 0:
    plt.show()  # last: while a window is open, no other rank waits

# %%
# .. _choosing-try-it:
#
# Try it
# ------
#
# Predict first, then run.
#
# - Your 8 GPUs have 24 GB instead of 80. Which strategies still fit, on one machine and
#   on two?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      On one machine none, if all parameters learn: TP holds least, 26 GB, and
#      activations come on top. With LoRA, FSDP divides the frozen 26 GB by 8. Or it
#      keeps its shards in the memory of the CPU (``CPUOffloadPolicy``).
#
#      On two machines FSDP holds 16.2 GB. With 6.5 GB of activations that's 22.7, which
#      leaves too little for CUDA and NCCL. So train with 4096 tokens on each GPU, whose
#      activations take 3.3 GB. TP in each machine with FSDP between them holds 13.4 GB,
#      but computation would wait for TP. A pipeline over both holds 17.8 GB, and fits
#      with short micro-batches. With two stages and FSDP inside, 49 GB don't fit.
#
# - Give each of the 8 GPUs twice as many tokens: write ``tokens=8 * 16384``. What
#   happens to the memory of FSDP, and what to the seconds?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      Only the activations grow, from 6.5 to 13 GB, so FSDP needs 42 GB. The
#      computation takes 4.2 s instead of 2.1, and sending takes 0.25 s as before. With
#      TP, the bytes would double as well.
#
# - For your own model: write its ``Run`` with your number of GPUs, and ``SPEED`` and
#   ``NETWORKS`` with yours, and go through the questions. At which one do you stop?
#
# What to remember
# ----------------
#
# - Ask in this order: DDP, LoRA or checkpointing, FSDP, the network, TP within a
#   machine, a pipeline between machines. Stop at the first that fits and hides its
#   communication.
# - Count 16 bytes for each parameter, with ``fused=True``, and divide them by the GPUs
#   that share them. Then add whole blocks and the activations of your tokens.
# - The bytes of FSDP depend on the parameters, those of TP on the tokens. So more
#   tokens on each GPU hide FSDP, and never TP.
#
# Where to go next
# ----------------
#
# - The `playbook <https://huggingface.co/spaces/nanotron/ultrascale-playbook>`__ has
#   measured thousands of combinations on up to 512 GPUs.
# - The `scaling book <https://jax-ml.github.io/scaling-book/training/>`__ of JAX
#   derives rules of the same kind for TPUs.
# - `Llama 3 <https://arxiv.org/abs/2407.21783>`__ combines TP, context parallelism, a
#   pipeline and FSDP on 16,000 GPUs, and says why in this order.
