"""
Choosing: eight ways, one loss
==============================

:Card: One model trained in eight ways: what each holds and sends.
:Learn: You will count what each way holds and sends, and choose one for your training.
:Prerequisites: :doc:`/tutorials/larger_models/two_dimensions`
:Picture: table
:Oldest torch: 2.10

There are many ways to train a model on several GPUs, and each is praised with numbers
of another model. So it is hard to tell which one your training needs.

We train one small transformer on one batch in eight ways. Their losses are equal, so
what is left to compare is what a rank holds and what it sends.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 choosing.py
"""

# %%
# Start the ranks
# ---------------
#
# The programs with ranks on this site begin with the same lines, and
# :doc:`/tutorials/start/hello_ranks` explains them. This page needs at least two ranks.
import os

import torch
import torch.distributed as dist

if os.environ.get("WORLD_SIZE", "1") == "1":
    raise SystemExit(
        "With one rank all ways are the same, because nothing is divided or sent. "
        "Start with: torchrun --standalone --nproc-per-node=4 choosing.py")
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
# One model and one batch
# -----------------------
#
# The model has a block and a head for each rank, so each way can cut it evenly. Like
# `OLMo <https://arxiv.org/abs/2402.00838>`__, it has no biases, and norms without
# parameters. The label of a token is the mean of all tokens up to it.
from functools import partial
from torch import nn

n_blocks, n_samples, n_tokens, width = (k * world_size for k in (1, 2, 4, 16))

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(width, elementwise_affine=False)
        self.qkv, self.out, self.up, self.down = (
            nn.Linear(n * width, m * width, bias=False)
            for n, m in ((1, 3), (1, 1), (1, 4), (4, 1)))

    def forward(self, x):  # (samples, tokens, features)
        heads = self.qkv(self.norm(x)).unflatten(2, (-1, 3 * 16)).transpose(1, 2)
        q, k, v = heads.chunk(3, dim=3)  # (samples, heads, tokens, 16) each
        heads = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(heads.transpose(1, 2).flatten(2))
        return x + self.down(self.up(self.norm(x)).relu())

torch.manual_seed(1)
x = torch.randn(n_samples, n_tokens, width).to(device)
y = x.cumsum(dim=1) / torch.arange(1, n_tokens + 1, device=device)[:, None]
# With this eps a gradient of the wrong size changes the steps, and so the loss.
adam = partial(torch.optim.Adam, eps=0.001)

# %%
# Count what a rank sends and holds
# ---------------------------------
#
# We look at every operation, as in :doc:`/tutorials/larger_models/two_dimensions`. In a
# ring of n ranks each sends (n - 1) / n of the whole tensor, and in an all-reduce twice
# that. A row is a machine, and a single machine with an even number of ranks plays two.
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode  # of a private module

n_rows = max(world_size // local_world_size, 2 - world_size % 2)
line = init_device_mesh(device.type, (world_size,))
grid = init_device_mesh(
    device.type, (n_rows, world_size // n_rows), mesh_dim_names=("dp", "tp"))
groups = {g.group_name: g for mesh in (line, grid) for g in mesh.get_all_groups()}
PASSES = {"allreduce_": 2, "all_reduce": 2, "_allgather_base_": 1,
          "_reduce_scatter_base_": 1, "broadcast_": 1, "send": 1}
sent, table = [], {}

class Traffic(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if DTensor in types:
            return NotImplemented  # its collectives come here one by one
        if passes := PASSES.get(name := func.name().partition("::")[2]):
            boxes = [arg for arg in args if isinstance(arg, torch.ScriptObject)]
            group = dist.ProcessGroup.unbox(boxes[0]) if boxes else groups[args[-1]]
            tensors = args[0] if isinstance(args[0], list) else args[:2]
            whole = max(t.nbytes for t in tensors if isinstance(t, torch.Tensor))
            if (n := group.size()) > 1:  # one rank alone sends nothing
                sent.append(whole if name == "send" else passes * whole * (n - 1) // n)
        return func(*args, **(kwargs or {}))

# %%
# ``train`` counts in its third step, when DDP has its final buckets. It looks before
# each layer, after each gradient and before the optimizer's step, and notes the most of
# any moment and rank. It sees parameters and gradients, not the buffers in which whole
# blocks arrive and leave: with sharding these come on top, as
# :doc:`/tutorials/larger_models/fully_sharded` counts.
from torch.distributed.pipelining import schedules, stage
from torch.nn.modules.module import register_module_forward_pre_hook

def train(way, wrap, inputs, labels, make_optimizer=adam):
    torch.manual_seed(0)
    model = nn.Sequential(*[Block() for _ in range(n_blocks)]).to(device)
    wrapped = wrap(model)
    optimizer, own = make_optimizer(model.parameters()), list(model.parameters())
    hooks = {}
    def look(*_):
        present = {*own, *model.parameters()}  # also what is whole for a moment
        gradients = [p.grad for p in present if p.grad is not None]
        states = getattr(optimizer, "optim", optimizer).state.values()
        numbers = [t for state in states for t in state.values() if t.dim()]
        held.append([
            sum((t.to_local() if isinstance(t, DTensor) else t).nbytes for t in tensors)
            for tensors in (present, gradients, numbers)])
    def watch(*_):
        for p in {*own, *model.parameters()} - hooks.keys():
            hooks[p] = p.register_post_accumulate_grad_hook(look)
        look()
    for _ in range(3):
        losses, held, sent[:] = [], [], []
        with register_module_forward_pre_hook(watch), Traffic():
            optimizer.zero_grad()
            if isinstance(wrapped, schedules.Schedule1F1B):  # does backward too
                wrapped.step(*[inputs][rank:], target=labels, losses=losses)
            else:
                losses.append(nn.MSELoss()(wrapped(inputs.requires_grad_()), labels))
                losses[0].backward()
            look()
            optimizer.step()
    for hook in hooks.values():
        hook.remove()
    mine, ranks = [loss.item() for loss in losses], [None] * world_size
    dist.all_gather_object(ranks, (mine, *map(max, zip(*held)), sum(sent), len(sent)))
    parts, *counts = zip(*ranks)
    table[way] = torch.tensor(sum(parts, [])).mean().item(), *map(max, counts)

# %%
# Eight ways
# ----------
#
# With DDP each rank takes its share of the samples, with ``ZeroRedundancyOptimizer``
# (here "ZeRO-1") also of Adam, and with ``fully_shard`` of everything. In hybrid
# sharding a row has a whole model. In tensor parallel training all ranks compute the
# same samples, in 2-D those of a row. In a pipeline each has a block. "No messages"
# leaves DDP out, to see if its loss differs. DDP's gradients lie in its buckets, which
# else are 4 more bytes for each parameter.
from torch.distributed.fsdp import fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.tensor import parallel
from torch.nn.parallel import DistributedDataParallel

def shard(model, mesh=line, **options):
    for part in (*model, model):
        fully_shard(part, mesh=mesh, **options)
    return model

def cut(model, mesh=line):
    columns, rows = parallel.ColwiseParallel(), parallel.RowwiseParallel()
    plan = {"*.qkv": columns, "*.out": rows, "*.up": columns, "*.down": rows}
    return parallel.parallelize_module(model, mesh, plan)

def pipeline(model):
    del model[rank + 1:], model[:rank]  # a rank keeps its own block
    my_stage = stage.PipelineStage(model, rank, world_size, device)
    return schedules.Schedule1F1B(my_stage, n_samples, nn.MSELoss())

ddp = partial(DistributedDataParallel, gradient_as_bucket_view=True)
mine = x.chunk(world_size)[rank], y.chunk(world_size)[rank]
row = [t.chunk(n_rows)[grid["dp"].get_local_rank()] for t in (x, y)]
train("one process", nn.Sequential, x, y)
train("no messages", nn.Sequential, *mine)
train("DDP", ddp, *mine)
train("ZeRO-1", ddp, *mine, partial(ZeroRedundancyOptimizer, optimizer_class=adam))
train("no resharding", partial(shard, reshard_after_forward=False), *mine)
train("fully_shard", shard, *mine)
train("hybrid", partial(shard, mesh=grid), *mine)
train("tensor", cut, x, y)
train("2-D", lambda model: shard(cut(model, grid["tp"]), grid["dp"]), *row)
train("pipeline", pipeline, x, y)

# %%
# Equal losses, and what they cost
# --------------------------------
#
# The ways add in different orders, so the last of the seven digits of float32 may
# differ, and we allow for two. Without messages the loss is off by more than a thousand
# times as much. The table has bytes per parameter, and ``formulas`` gives them for any
# number of ranks. The first four numbers are parts of the model, three held and one
# sent. The fifth is activations sent, as parts of ``x``.
single, whole = table["one process"][:2]
if rank == 0:
    print(f"{'loss':>20} parameters  gradients       Adam       sent  messages")
    for way, (loss, *n_bytes, n_messages) in table.items():
        cells = "".join(f"{4 * n / whole:11.1f}" for n in n_bytes)
        print(f"{way:13}{loss:7.4f}{cells}{n_messages:10}")
assert abs(table["no messages"][0] - single) > 0.01 * single

w, b, (r, c) = world_size, n_blocks, grid.shape  # rows and columns
block = 1 / b  # its gradients are whole until they are divided
ring = {n: (n - 1) / n for n in (w, r, c)}
formulas = {
    "DDP": (1, 1, 2, 2 * ring[w], 0),
    "ZeRO-1": (1, 1, 2 / w, 3 * ring[w], 0),
    "no resharding": (1 / w + 1, block + (1 - block) / w, 2 / w, 2 * ring[w], 0),
    "fully_shard": (1 / w + block, block + (1 - block) / w, 2 / w, 3 * ring[w], 0),
    "hybrid": (1 / c + block, block + (1 - block) / c, 2 / c,
               3 * ring[c] + 2 / c * ring[r], 0),
    "tensor": (1 / w, 1 / w, 2 / w, 0, 8 * b * ring[w]),
    "2-D": (1 / w + block / c, block / c + (1 - block) / w, 2 / w,
            3 / c * ring[r], 8 * b / r * ring[c]),
    "pipeline": (1 / w, 1 / w, 2 / w, 0, min(w - 1, 2))}
for way, (*held, model, batch) in formulas.items():
    n_bytes = *(part * whole for part in held), model * whole + batch * x.nbytes
    assert table[way][1:5] == tuple(map(round, n_bytes)), way
    assert abs(table[way][0] - single) < 1e-5 * single, way

# %%
# Which one to choose
# -------------------
#
# A GPU of 80 GB has 11.4 bytes for each of 7 billion parameters, so what is above the
# line does not fit. Leave room for activations and, with sharding, for the blocks on
# top. The ways with a bar send activations; a bar spans half to twice our batch. With
# tensor parallelism, computation waits for them. A pipeline sends while it computes the
# next micro-batch, and the gradients of DDP, and the gathers and gradients of sharding,
# hide behind computation too. Only the broadcasts of ``ZeroRedundancyOptimizer``, a
# third of what it sends, come after the backward pass, and the step waits for them.
#
# .. alt-text:: A chart of bytes sent and bytes held. DDP is high above a dashed line at
#    11.4, all others are below. Pipeline is far left, tensor has the longest bar.
if rank == 0:
    import matplotlib.pyplot as plt
    fig, ax = plt.subplots(figsize=(7, 4))
    ax.axhline(80 / 7, color="C3", ls="--", label="80 GB for 7 billion parameters")
    for way, (*held, model, batch) in formulas.items():
        sizes = [4 * (model + k * batch * x.nbytes / whole) for k in (0.5, 1, 2)]
        style, top = "C1s-" if batch else "C0o", 4 * sum(held)
        ax.plot(sizes, [top] * 3, style, markevery=[1], lw=3, ms=8)
        height = top - 1.3 if way in ("tensor", "hybrid") else top + 0.5
        ax.text(sizes[1], height, way, ha="center")
    ax.set(xlabel="sent (bytes per parameter)", ylabel="held (bytes per parameter)")
    ax.margins(0.12)
    ax.legend(loc="upper left")

# %%
# Go down the list until your model and its activations fit, and the links are fast
# enough. :doc:`/tutorials/larger_models/fitting_in_memory` makes activations smaller.
#
# - 16 bytes for each parameter fit: :doc:`/tutorials/start/distributed_data_parallel`.
# - They do not: sharding, :doc:`/tutorials/larger_models/fully_sharded`. If the
#   parameters themselves fit, leave out the resharding: with more than two ranks that
#   holds less and sends less than ``ZeroRedundancyOptimizer``.
# - Slow links between machines: hybrid, :doc:`/tutorials/larger_models/two_dimensions`.
# - A layer is too large, or there are fewer samples than ranks:
#   :doc:`/tutorials/larger_models/tensor_parallel`, but only inside a machine. It sends
#   less than ``fully_shard`` if a batch has fewer tokens than 4.5 times the width.
# - Slow links, many blocks and many samples:
#   :doc:`/tutorials/larger_models/pipeline_parallel`.
assert 4.5 * width * table["tensor"][4] == len(x) * n_tokens * table["fully_shard"][4]
assert table["no resharding"][4] < table["ZeRO-1"][4]
held = {way: sum(formulas[way][:3]) for way in ("no resharding", "ZeRO-1")}
assert world_size == 2 or held["no resharding"] < held["ZeRO-1"]
dist.destroy_process_group()
if rank == 0:
    plt.show()  # last: while a window is open, no other rank waits

# %%
# What we left out
# ----------------
#
# - :doc:`/tutorials/larger_models/long_sequences` and sequence parallelism divide only
#   activations, and :doc:`/tutorials/larger_models/experts` make another model.
# - DeepSpeed and Megatron-LM are other implementations of the same ways.
# - DiLoCo and local SGD send parameters only once in many steps, so the loss differs.
# - torchcomms is a new library for the same collectives, and still experimental.
# - Symmetric memory lets a GPU read the memory of others, so it needs GPUs.
#
# Try it
# ------
#
# Predict first, then run.
#
# - Double ``n_tokens``. Which ways send more then, and which as much as before?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      ``tensor`` and ``pipeline`` send twice as much, because they send only
#      activations. In ``2-D`` only a part doubles: with four ranks it goes from 4.3 to
#      5.7. The others send gradients and parameters, which are the same for every
#      batch. With four ranks, ``tensor`` still sends less than ``fully_shard``, 8 and
#      not 9, because 256 tokens are fewer than 4.5 times the width of 64.
#
# - In ``train``, write ``(losses[0] / 2).backward()``, which halves the gradients of
#   all ways but the pipeline. Which assert notices, and does it notice without
#   ``eps=0.001``?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      The assert on the losses, and it names the pipeline, although that is the only
#      way with the right gradients: ``one process``, with which all are compared, is
#      wrong too. Without ``eps=0.001`` all asserts hold. Adam divides by the size of
#      the gradients, so a factor in all of them cancels.
#
# - In your own script: count the parameters and take 16 bytes for each. Compare that
#   with the memory of a GPU, and the tokens of a batch with 4.5 times the width. Where
#   in the list above do you stop?
#
# What to remember
# ----------------
#
# - All eight ways reach the same loss, so choose by what a rank holds and sends. To
#   check a way, compare it with one process, and give Adam a large ``eps``. Otherwise
#   it hides gradients of the wrong size.
# - DDP holds 16 bytes for each parameter. ``fully_shard`` holds less and sends 1.5
#   times as much as DDP. If the parameters fit, ``reshard_after_forward=False`` sends
#   no more than DDP.
# - Gradients and parameters cost the same for every batch, and activations grow with
#   it. So tensor parallelism sends less than ``fully_shard`` only for few tokens and a
#   large width.
#
# Where to go next
# ----------------
#
# - The `playbook <https://huggingface.co/spaces/nanotron/ultrascale-playbook>`__ has
#   measured thousands of combinations on up to 512 GPUs.
