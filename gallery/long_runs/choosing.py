"""
Choosing: seven questions, in this order
========================================

:Card: DDP, FSDP, TP or a pipeline: ask seven questions.
:Learn: You will choose a strategy for 13 billion parameters on 8 GPUs, step by step,
    with a calculator that you can copy.
:Prerequisites: :doc:`/tutorials/larger_models/two_dimensions`
:Picture: table
:Oldest torch: 2.13

There are many ways to train a model on several GPUs, and each is praised with numbers
of another model. In practice a few questions decide. Their order matters, because each
answer costs more than the one before: in speed, in code, and in bugs that you'll have
to find. So begin at the top, and stop at the first strategy that is good enough.

1. **Does everything fit on each GPU?** Then take *DistributedDataParallel* (DDP). It
   keeps the whole model on every GPU, which takes 16 bytes for each parameter, 18 with
   ``autocast``, and activations: :doc:`/tutorials/start/distributed_data_parallel`.
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
5. **Is a single sequence too long?** Context parallelism divides its tokens:
   :doc:`/tutorials/larger_models/long_sequences`. And a *mixture of experts* adds
   expert parallelism to all this: :doc:`/tutorials/larger_models/experts`.
6. **Are there fewer sequences than GPUs, or is one block too large?** Then take *tensor
   parallelism* (TP) within a machine, and FSDP between the machines:
   :doc:`/tutorials/larger_models/tensor_parallel`.
7. **Is the network still too slow?** A *pipeline* sends least, so take one between the
   machines, with a stage in each, and FSDP inside. GPUs wait for each other at both
   ends of a step, so it needs several micro-batches:
   :doc:`/tutorials/larger_models/pipeline_parallel`.

Here is what the strategies cost on w GPUs, in bytes for each parameter of the model.
Parameters, gradients and the two numbers of Adam are kept in fp32 (32 bits), and the
matrices compute in bf16 (16 bits). "Held" is the worst moment of a step, without
activations, **if Adam has** ``fused=True``. On GPUs its default is ``foreach``, which
holds about `a number more for each parameter
<https://docs.pytorch.org/docs/stable/generated/torch.optim.Adam.html>`__ during the
optimizer's step, so 20 bytes instead of 16. "Sent" is what each GPU sends in a step.
For TP and the pipeline, the bytes sent don't depend on the parameters but on the
tokens: A stands for the bytes of the activations between two blocks, for the tokens of
all GPUs.

.. list-table::
   :header-rows: 1

   * - Strategy
     - Held
     - Sent
     - Who waits?
   * - DDP, with ``gradient_as_bucket_view``
     - 16 bytes, 18 with ``autocast``
     - 8 bytes
     - Nobody, if the batch is large enough
   * - ZeRO-1: DDP that divides Adam's numbers
     - 8 + 8 / w, and 2 with ``autocast``
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

On what does this advice rest? The bytes are counted, with tiny models on CPUs: here,
and on the pages of the strategies. The seconds are only computed, from these bytes and
from speeds of GPUs and links, without latency. **Nothing here was measured on GPUs.**
For fast networks, a run on 16,000 GPUs with a card of 400 Gbit/s each agrees in part:
`Llama 3 <https://arxiv.org/abs/2407.21783>`__ takes TP only within a machine and FSDP
across machines, but with 405 billion parameters it needs a pipeline, too. Our advice
for a slow network is arithmetic, so measure before you rent a month:
:doc:`/tutorials/start/is_it_faster`.

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
# A calculator to copy into a file of your own
# --------------------------------------------
#
# A ``Run`` is all that our formulas need to know: the model, the tokens that all GPUs
# together compute in a step, and the GPUs as a grid with a row for each machine. Then
# come the bytes of a number: FSDP gathers parameters in bf16 and adds up gradients in
# fp32, and activations are in bf16, too.
import math
from dataclasses import dataclass, replace

GB = 1e9


@dataclass
class Run:
    block: int  # parameters of a block
    n_blocks: int
    width: int
    hidden: int
    vocabulary: int
    tokens: int  # in a step, of all GPUs
    rows: int  # machines
    columns: int  # GPUs of a machine
    sequence: int = 4096
    gathered: int = 2  # bytes of a parameter that FSDP gathers
    reduced: int = 4  # bytes of a gradient that is sent
    activation: int = 2  # bytes of a number between two blocks
    checkpointed: bool = True

    @property
    def n_gpus(self):
        return self.rows * self.columns

    @property
    def parameters(self):
        return self.n_blocks * self.block + 2 * self.vocabulary * self.width


# %%
# FSDP divides the 16 bytes by the number of GPUs, and gathers a block whenever it
# computes. In the worst moment of the backward pass there are three pieces of the size
# of a block in bf16 and one in fp32 (:doc:`/tutorials/larger_models/fully_sharded`
# counts them), so 3 · 2 + 4 = 10 bytes for each parameter of a block.
#
# In a pipeline with FSDP inside, PyTorch keeps parameters and gradients of a stage
# whole until its last micro-batch, so 2 + 4 = 6 bytes of each aren't divided.
def held(strategy, run):
    """Bytes that a GPU holds at most, without activations."""
    shards = 16 * run.parameters / run.n_gpus
    on_top = (3 * run.gathered + run.reduced) * run.block
    if strategy == "DDP":
        return 16 * run.parameters
    if strategy == "FSDP":
        return shards + on_top
    if strategy == "FSDP, stays whole":
        whole = run.gathered * run.parameters
        on_top = (run.gathered + run.reduced) * run.block
        return 12 * run.parameters / run.n_gpus + whole + on_top
    if strategy == "HSDP":
        return 16 * run.parameters / run.columns + on_top
    if strategy == "TP + FSDP":
        return shards + on_top / run.columns
    if strategy == "pipeline + FSDP":
        of_stage = run.parameters / run.rows
        whole = (run.gathered + run.reduced) * of_stage
        on_top = run.gathered * run.block
        return 12 * of_stage / run.columns + whole + on_top
    raise ValueError(strategy)


# %%
# For each token, backward needs eight tensors of the width of a block (inputs and
# outputs of the norms, q, k, v, and so on) and four of the hidden width. That's what
# PyTorch keeps if attention runs in a fused kernel, and at the end of this page we
# count it. With checkpointing, only the input of each block is kept, and one block at a
# time comes back. And don't forget the *logits*, the scores of all words of the
# vocabulary: the loss needs 12 bytes for each, at the worst moment, and 16 if a
# variable of yours still has them.
def activations(run):
    tokens = run.tokens / run.n_gpus
    of_a_block = (8 * run.width + 4 * run.hidden) * run.activation * tokens
    logits = 12 * run.vocabulary * tokens
    if not run.checkpointed:
        return run.n_blocks * of_a_block + logits
    block_inputs = run.n_blocks * run.width * run.activation * tokens
    return block_inputs + max(of_a_block, logits)  # these two follow each other


# %%
# It fits, but is it fast? For that we need the bytes that are sent, and we need them
# apart, because links within a machine are faster than those between machines. If all
# GPUs form one ring, each sends to the next, and only the last of a machine sends out
# of it. An all-reduce sends everything twice, an all-gather or a reduce-scatter once,
# and with n GPUs each of them sends (n - 1) / n of the bytes
# (:doc:`/tutorials/inside/collectives`).
#
# The other strategies have two kinds of groups. HSDP shards within a machine, and
# averages the gradients of its shards between machines. With TP and FSDP together, the
# layers are cut within a machine, and these parts are sharded between machines. In a
# pipeline each GPU sends activations on and gradients back, to its neighbors. And with
# a stage in each machine and FSDP inside, a GPU gathers and reduces its stage once.


def ring(n):
    return (n - 1) / n


def traffic(strategy, run):
    """Bytes that a GPU sends within its machine, and that leave a machine."""
    sharded = (2 * run.gathered + run.reduced) * run.parameters
    stays_whole = (run.gathered + run.reduced) * run.parameters
    between_blocks = run.tokens * run.width * run.activation
    if strategy == "HSDP":
        inside = ring(run.columns) * sharded
        leaving = ring(run.rows) * 2 * run.reduced * run.parameters
        return inside, leaving
    if strategy == "TP + FSDP":
        n_all_reduces = 5 if run.checkpointed else 4
        all_reduced = 2 * n_all_reduces * run.n_blocks * between_blocks
        return ring(run.columns) * all_reduced / run.rows, ring(run.rows) * sharded
    if strategy == "pipeline + FSDP":
        inside = ring(run.columns) * stays_whole / run.rows
        return inside, min(run.rows - 1, 2) * between_blocks

    whole = {
        "DDP": 2 * run.reduced * run.parameters,  # an all-reduce of the gradients
        "FSDP": sharded,  # two all-gathers, a reduce-scatter
        "FSDP, stays whole": stays_whole,  # an all-gather, a reduce-scatter
    }
    sent = ring(run.n_gpus) * whole[strategy]
    return sent if run.columns > 1 else 0, sent if run.rows > 1 else 0


# %%
# Why five? With checkpointing a block computes its forward pass again, and with it the
# all-reduce after attention. The one at its end isn't needed, because PyTorch stops as
# soon as backward has what it needs. (Sequence parallelism also gathers the input
# of the block again, so there it's five and a half.) FSDP sends no more than before, as
# the block is whole for its backward pass anyway.
#
# For the computation, count 6 operations for each parameter and token, two forward and
# four backward, and 8 if checkpointing repeats the forward pass. (The embedding only
# looks up rows, so it doesn't count. Attention adds 7 percent in our example, because
# its sequences have 4096 tokens, and 53 percent with 32,768.) An H100 could do 989
# teraFLOP/s in bf16. We take 400, about what `Llama 3
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
    in_matrices = run.parameters - run.vocabulary * run.width
    in_attention = run.n_blocks * run.width * run.sequence
    per_token = operations * (in_matrices + in_attention)
    return per_token * run.tokens / run.n_gpus / SPEED


# %%
# The estimate of a step is an optimistic one. DDP and FSDP wait only if the links take
# longer than all of the computation. (In truth DDP can send only during the backward
# pass. But if NCCL adds up along `trees
# <https://developer.nvidia.com/blog/massively-scale-deep-learning-training-nccl-2-4/>`__
# instead of a ring, DDP sends about as much out of a machine as HSDP.) TP waits for
# each of its all-reduces. In a pipeline with p stages and m micro-batches of one
# sequence, a step takes (m + p - 1) / m times as long, because of the bubble, and all
# wait for the longest stage.


def in_stages(run):
    n_micro = run.tokens / run.sequence / run.columns
    bubble = (n_micro + run.rows - 1) / n_micro
    blocks_of_a_stage = run.n_blocks / run.rows
    unequal = math.ceil(blocks_of_a_stage) / blocks_of_a_stage
    return computing(run) * bubble * unequal


def step(strategy, run, network, link=NVLINK):
    """Seconds that a step takes at least."""
    inside, leaving = traffic(strategy, run)
    if strategy == "TP + FSDP":
        return max(computing(run) + inside / link, leaving / network)
    computed = in_stages(run) if strategy == "pipeline + FSDP" else computing(run)
    return max(computed, inside / link, leaving / network)


NETWORKS = {  # bytes per second
    "8 x 400 Gbit/s": 8 * 50e9, "1 x 100 Gbit/s": 12.5e9}
STRATEGIES = (
    "DDP", "FSDP, stays whole", "FSDP", "HSDP", "TP + FSDP", "pipeline + FSDP")


def compare(run):
    print(f"computing: {computing(run):.1f} s,",
          f"activations: {activations(run) / GB:.1f} GB")
    print(f"{'':18} held GB  out GB", *(f"{name:>16}" for name in NETWORKS))
    for strategy in STRATEGIES:
        _, leaving = traffic(strategy, run)
        seconds = [step(strategy, run, network) for network in NETWORKS.values()]
        print(f"{strategy:18}{held(strategy, run) / GB:8.0f} {leaving / GB:7.1f}",
              *(f"{second:14.1f} s" for second in seconds))


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
#
# Each of the 8 GPUs gets 8192 tokens, two sequences of 4096. For your own model, count
# a block with ``sum(p.numel() for p in block.parameters())``.
llama = Run(
    block=4 * 5120**2 + 3 * 5120 * 13824, n_blocks=40, width=5120, hidden=13824,
    vocabulary=32000, tokens=8 * 8192, rows=1, columns=8)
if rank == 0:
    print(f"the model: {llama.parameters / 1e9:.2f} billion parameters")

norm_weights = (2 * llama.n_blocks + 1) * llama.width
assert llama.parameters + norm_weights == 13_015_864_320, "Llama 2 13B has other sizes"

attention_share = llama.width * 4096 / llama.block
assert 0.065 < attention_share < 0.07, "attention isn't the 7 percent of the text"

# %%
# Questions 1 and 2: does it fit with DDP?
# ----------------------------------------
#
# With Adam in fp32, a parameter takes 16 bytes: the parameter itself, its gradient, and
# two numbers of the optimizer. (``autocast`` adds a copy in bf16, but here the answer
# stays the same.) Other choices take fewer, or more:
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
tokens = llama.tokens // llama.n_gpus  # of one GPU
all_kept = activations(replace(llama, checkpointed=False))
logits = 12 * llama.vocabulary * tokens
if rank == 0:
    print(f"{tokens} tokens: {all_kept / GB:.1f} GB of activations,",
          f"with checkpointing {activations(llama) / GB:.1f} GB,")
    print(f"and {logits / GB:.1f} GB of each are logits")

# %%
# A loss in chunks never has all logits at once, which would save 1.6 of these 6.5 GB,
# and 11 GB with the 128,000 words of newer models:
# :doc:`/tutorials/larger_models/fitting_in_memory` has the code. We go on without.
#
# Question 3: does it fit if 8 GPUs share it?
# -------------------------------------------
#
# .. alt-text:: Stacked horizontal bars of memory for three strategies and a dashed line
#    at 80 GB. DDP is far beyond it. FSDP and FSDP that stays whole stay below it.
in_one_machine = ("DDP", "FSDP, stays whole", "FSDP")
if rank == 0:
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots(figsize=(7, 2.8), layout="constrained")
    bars = [held(strategy, llama) / GB for strategy in in_one_machine]
    on_top = activations(llama) / GB
    ax.barh(in_one_machine, bars, color="C0", label="held")
    tops = ax.barh(
        in_one_machine, on_top, left=bars, color="C1", hatch="//",
        label="activations of 8192 tokens, with checkpointing")
    ax.bar_label(tops, [f"{bar + on_top:.0f}" for bar in bars], padding=4)
    ax.axvline(80, color="C3", ls="--", label="80 GB")
    ax.invert_yaxis()
    ax.set(xlabel="Llama 2 13B on 8 GPUs: GB on a GPU", xlim=(0, 240))
    fig.legend(loc="outside upper center", ncols=2, columnspacing=1, frameon=False)

# %%
# Question 3: yes. With FSDP everything fits, and half of the GPU is still free. So the
# parameters could stay whole, which saves one of three collectives.
total = held("FSDP, stays whole", llama) + activations(llama)
assert total < 80 * GB, "it doesn't fit"

# %%
# Don't plan with the last gigabyte. CUDA, NCCL and fragments of freed memory take
# several more, which no formula here knows.
#
# Seconds: does the communication hide behind the computation?
# -------------------------------------------------------------
#
inside, _ = traffic("FSDP", llama)
if rank == 0:
    print(f"FSDP on 8 GPUs: computing {computing(llama):.2f} s,",
          f"sending {inside / NVLINK:.2f} s, over PCIe {inside / PCIE:.2f} s")
assert inside / NVLINK < computing(llama) / 8, "FSDP sends for longer than an eighth"
assert inside / PCIE > computing(llama), "FSDP hides over PCIe as well"

# %%
# FSDP sends while it computes, and on NVLink it sends for a ninth of the time. So the
# GPUs hardly wait, and here you can stop: **FSDP, bf16, checkpointing, 8192 tokens for
# each GPU.** TP would hold a little less, but nothing hides its bytes.
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
two_machines = replace(llama, rows=2, tokens=16 * 8192)
if rank == 0:
    compare(two_machines)

# %%
# "out GB" are the bytes that leave a machine in a step. The seconds are those of a step
# on each of the two networks.
#
# With eight fast cards, FSDP hides behind the computation completely, so the answer is
# FSDP over all 16 GPUs, and you can stop again. TP within a machine costs 30 percent,
# or 40 if a GPU does 600 teraFLOP/s, so take it only if question 6 forces you to.
#
# With the single slow card, FSDP takes three and a half times as long as the
# computation, and HSDP almost twice as long. **On the slow card, the fastest is a
# pipeline of two stages, one in each machine, with FSDP inside**: a step takes a
# quarter longer than the computation. That's the bubble with 4 micro-batches. More of
# them make it shorter, and so do *interleaved* schedules.
#
# But a pipeline is a new training loop, and FSDP only a wrapper. So before you build
# one, try more tokens for each GPU: the bytes of FSDP stay the same, and the
# computation grows. So if a step takes k times as long as its computation, k times as
# many tokens are enough:
fast, slow = NETWORKS.values()
at_best = computing(two_machines)
assert step("FSDP", two_machines, fast) == at_best, "FSDP isn't hidden"
assert 1.25 < step("TP + FSDP", two_machines, fast) / at_best < 1.35, "not 30 percent"
for strategy in ("FSDP", "HSDP"):
    times = step(strategy, two_machines, slow) / at_best
    if rank == 0:
        print(f"{strategy}: {times:.1f} times as long, so {8192 * times:,.0f} tokens")
    total = held(strategy, two_machines) + times * activations(two_machines)
    assert total < 80 * GB, f"{strategy}: so many tokens don't fit"
assert 230_000 < 16 * 8192 * times < 260_000, "HSDP needs other tokens in a step"

two_stages = step("pipeline + FSDP", two_machines, slow)
assert two_stages == 1.25 * at_best, "not a quarter longer"
for strategy in STRATEGIES:
    seconds = step(strategy, two_machines, slow)
    assert seconds >= two_stages, f"{strategy} is faster than a pipeline of two stages"

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
# Question 5: and with sequences of 131,072 tokens?
# -------------------------------------------------
long = replace(llama, tokens=8 * 131_072, sequence=131_072)
if rank == 0:
    print(f"activations, with checkpointing: {activations(long) / GB:.0f} GB")
assert activations(long) > 100 * GB, "a long sequence fits"

# %%
# That's more than 80 GB, and a loss in chunks would save only a quarter. So context
# parallelism comes first here, or TP with sequence parallelism. Our calculator doesn't
# know what context parallelism sends.

# %%
# You may stop here: the rest checks the formulas
# -----------------------------------------------
#
# So far all is arithmetic. If that's enough, go on with the :ref:`questions at the end
# <choosing-try-it>`. The pages of the strategies count what each of them sends and
# holds. What none of them counts is the memory of a pipeline with FSDP inside, so here
# one trains a tiny model. Its code is also one to copy, but not the class that counts:
# it's made of private parts of PyTorch and is for measuring only.
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.norm = nn.RMSNorm(width, elementwise_affine=False)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def attention(self, x):  # (samples, tokens, width)
        heads = self.qkv(x).unflatten(2, (3, -1, 16)).transpose(1, 3)
        q, k, v = heads.unbind(2)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(mixed.transpose(1, 2).flatten(2))

    def mlp(self, x):
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))

    def both_parts(self, x):
        x = x + self.attention(self.norm(x))
        return x + self.mlp(self.norm(x))

    def forward(self, x):
        return checkpoint(self.both_parts, x, use_reentrant=False)


# %%
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

    def now(self):
        return sum(storage.nbytes() for storage in self.alive)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if DTensor in types:
            return NotImplemented  # its parts come here one by one
        result = func(*args, **(kwargs or {}))
        for storage in storages(result) - storages((args, kwargs)):
            if storage.device.type == device.type:
                self.alive.add(storage)
        self.most = max(self.most, self.now())
        return result


# %%
# First the block alone: what does backward need of it, without checkpointing? Beside
# the tensors in our formula there are three small ones: a number for each token of both
# norms, and one for each token and head of attention. We count in fp32.
n_heads, n_tokens = 8, 64
small = Block(width=128, hidden=344).to(device)
inputs_of_small = torch.randn(1, n_tokens, 128, device=device, requires_grad=True)
with Memory() as memory:
    output = small.both_parts(inputs_of_small)
numbers = memory.now() / 4 / n_tokens
if rank == 0:
    print(f"a block keeps {numbers:.0f} numbers for a token,",
          f"the formula has {8 * 128 + 4 * 344}")
if device.type == "cpu":  # GPUs choose other kernels
    small_ones = 2 + n_heads
    assert numbers == 8 * 128 + 4 * 344 + small_ones, "the block keeps something else"

# %%
# The small model and its batch
# -----------------------------
#
# A row of the grid plays a machine, if the number of ranks is even. ``toy`` describes
# the small model to the formulas. It has so few tokens that activations hardly count.
from torch.distributed.device_mesh import init_device_mesh

n_rows = max(world_size // local_world_size, 2 - world_size % 2)
n_columns = world_size // n_rows
grid = init_device_mesh(
    device.type, (n_rows, n_columns), mesh_dim_names=("between", "inside"))

width, hidden, n_blocks = 48 * world_size, 128 * world_size, 2 * n_rows
toy = Run(
    block=4 * width**2 + 3 * width * hidden, n_blocks=n_blocks, width=width,
    hidden=hidden, vocabulary=0, tokens=world_size * 2, rows=n_rows, columns=n_columns)

torch.manual_seed(1)
x = torch.randn(world_size, 2, width).to(device)  # (samples, tokens, width)
y = torch.randn(world_size, 2, width).to(device)


def build():
    torch.manual_seed(0)  # the same on all ranks
    blocks = [Block(width, hidden) for _ in range(n_blocks)]
    return nn.Sequential(*blocks).to(device)


# %%
# In the pipeline a rank keeps its own blocks, and a schedule makes both passes for one
# sample after the other. Only the first stage gets inputs, and only the last one knows
# the losses.
#
# With FSDP inside, a row of the grid is a stage, and each column a pipeline of its own.
# Real training does the same: shard the blocks of the stage, and give the stage the
# group between the machines. But make only these blocks on a GPU, and clip by the norm
# of all stages, as in :doc:`/tutorials/larger_models/pipeline_parallel`.
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.pipelining.schedules import Schedule1F1B
from torch.distributed.pipelining.stage import PipelineStage

row, column = rank // n_columns, rank % n_columns
blocks_of_a_row = n_blocks // n_rows
options = {
    "mesh": grid["inside"],
    "mp_policy": MixedPrecisionPolicy(torch.bfloat16, reduce_dtype=torch.float32),
    "reshard_after_forward": False,
}


def make_pipeline():
    blocks = build()[row * blocks_of_a_row : (row + 1) * blocks_of_a_row]
    for block in blocks:
        fully_shard(block, **options)
    fully_shard(blocks, **options)
    stage = PipelineStage(
        blocks, row, n_rows, device, group=grid["between"].get_group())
    schedule = Schedule1F1B(stage, n_microbatches=n_rows, loss_fn=nn.MSELoss())
    return blocks, schedule


# %%
# It trains three steps, and so does one process. The ``eps`` of Adam is unusually
# large: Adam divides gradients by their size, so with its usual tiny ``eps``, gradients
# of twice the size would give the same loss, and nobody would notice.


def train(model, both_passes):
    optimizer = torch.optim.Adam(model.parameters(), eps=0.001, fused=True)
    for _ in range(3):
        losses = both_passes()
        optimizer.step()
        optimizer.zero_grad()
    return losses


def passes_of_pipeline():
    losses = []
    inputs = [x.chunk(n_columns)[column]] if row == 0 else []
    labels = y.chunk(n_columns)[column]
    schedule.step(*inputs, target=labels, losses=losses)
    return [loss.item() for loss in losses]


def passes_alone():
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    return [loss.item()]


model = build()
[expected] = train(model, passes_alone)
with Memory() as memory:
    blocks, schedule = make_pipeline()
    losses = sum(from_all_ranks(train(blocks, passes_of_pipeline)), [])

# %%
# The formulas hold
# -----------------
#
# The pipeline reaches the loss of one process, up to the two to three digits of bf16.
# The memory may be more than in the formula by a block and a half: by activations, and,
# on a busy machine, by a block that still waits to be sent.
loss = sum(losses) / len(losses)
most = max(from_all_ranks(memory.most))
formula = held("pipeline + FSDP", toy)
if rank == 0:
    print(f"loss {loss:.3f}, in one process {expected:.3f}")
    print(f"held: {most / toy.parameters:.2f} bytes for each parameter,",
          f"in the formula {formula / toy.parameters:.2f}")
assert abs(loss - expected) < 0.01 * expected, "the pipeline trains otherwise"
assert formula <= most < formula + 1.5 * 4 * toy.block, "it holds something else"

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
