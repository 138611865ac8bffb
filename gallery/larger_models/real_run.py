"""
An FSDP program: one file for a model larger than a GPU
=======================================================

:Card: Pretrained weights in, sharded checkpoints out.
:Learn: You will put together a complete FSDP program, load pretrained weights into its
    shards, and resume it from a sharded checkpoint with the same losses.
:Prerequisites: :doc:`/tutorials/larger_models/fully_sharded`
:Picture: fsdp
:Oldest torch: 2.13

A model with 7 billion parameters needs 112 GB for parameters, gradients and Adam, and
your GPU has 80. *Fully sharded data parallel* (FSDP) divides these bytes between the
GPUs, and :doc:`/tutorials/larger_models/fully_sharded` explains how. In PyTorch it's
one function, ``fully_shard``, which turns each parameter into a ``DTensor``, a tensor
of which a rank keeps only some rows, its *shard*. The work is in what surrounds that
call: you have to create a model that fits on no GPU, fill its shards from a file, clip
gradients that no rank has as a whole, and save without stopping.

So this page is a program, in one file, that does all of it. It fine-tunes the small
language model of :doc:`/tutorials/start/training_program` on the same text, and runs on
a laptop, on one GPU, and on several machines. Most mistakes that you could make in such
a program raise no error:

.. list-table:: What goes wrong without an error
   :header-rows: 1

   * - What you do
     - What happens
   * - Create the model on the meta device, and forget a parameter
     - It starts with whatever was in memory.
   * - Call ``compile`` on a layer of ``torch.nn``
     - Nothing is compiled.
   * - Accumulate gradients without communication
     - Each GPU keeps the gradients of the whole model, 28 GB for 7 billion parameters.
   * - Create tied weights on the meta device
     - They become two tensors, which training makes different.
   * - Load a bf16 file into a model on the meta device
     - The parameters become bf16, and small updates get lost.
   * - Save after a step with NaN
     - Two saves later, no good checkpoint is left.
   * - Save in the background with the group of the training
     - Two threads use its collectives, and with Gloo a rank may answer the wrong one.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=2 real_run.py

Without arguments the file tests itself. With any argument it trains for real:

.. code-block:: bash

   torchrun --standalone --nproc-per-node=gpu real_run.py --steps 2000 --compile

Here is what ``train`` does, in order, and what you replace by your own.

1. ``build`` makes the model block by block, and shards it. *Yours:* ``LanguageModel``,
   ``Block``, and ``reset`` for modules that don't have ``reset_parameters``.
2. ``load`` takes the newest complete checkpoint, if there is one. *Yours:* nothing.
3. ``load_pretrained`` fills the shards from a file of weights. *Yours:* the file, and
   the names of its keys.
4. ``parts_of`` gives a rank its share of the batch of a step. *Yours:* the data, with
   the loader of :doc:`/tutorials/start/training_program`.
5. ``one_step`` does the forward and the backward passes, clips, and calls the
   optimizer. *Yours:* ``loss_of`` and the learning rate.
6. ``agree`` asks now and then if any rank has received a signal. *Yours:* nothing.
7. ``save`` writes a checkpoint while training goes on. *Yours:* nothing, but if another
   setting of yours changes the losses, add it to ``FIXED``.

Evaluation is missing. Take that of the other program, and give all ranks the same
number of batches, because here each forward pass has collectives.
"""

# %%
# Start the ranks
# ---------------
#
# All code that does something is inside functions, so that you can add a data loader
# with workers, which import this file again. The lines inside ``start`` are the same in
# every lesson, and :doc:`/tutorials/start/hello_ranks` explains them.
import os

import torch
import torch.distributed as dist


def start():
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

    return device


# %%
# Arguments
# ---------
#
# The batch is the *global batch*, the samples that all ranks train on in one step.
import argparse
from pathlib import Path


def read_options(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default="run_fsdp", help="shared by all")
    parser.add_argument("--pretrained", type=Path, help="weights to start from")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=48, help="of all ranks together")
    parser.add_argument("--accumulate", type=int, default=1, help="passes per step")
    parser.add_argument("--whole-gradients", action="store_true", help="reduce once")
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--precision", choices=["bf16", "fp32"], default="bf16")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--log-every", type=int, default=10)
    parser.add_argument("--save-every", type=int, default=100, help="0: if stopped")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--override", action="store_true", help="take new settings")
    return parser.parse_args(arguments)


# %%
# Data: the step says which samples come next
# -------------------------------------------
#
# The data of this page fits into memory, so there is no loader. The step alone decides
# which samples are next: it gives the epoch, and the epoch is the seed of the order.
# Rank r of n takes every n-th sample of the global batch, beginning with the r-th. So
# the samples of a step stay the same on any number of ranks.
from pydoc_data.topics import topics

from torch.utils.data import Dataset


class Windows(Dataset):
    def __init__(self, tokens, context=64):
        self.tokens, self.context = tokens, context

    def __len__(self):
        return (len(self.tokens) - 1) // self.context

    def __getitem__(self, index):
        first = index * self.context
        return self.tokens[first : first + self.context + 1].long()


def read_text():
    text = "\n".join(topics[name] for name in sorted(topics))
    return Windows(torch.frombuffer(bytearray(text.encode()), dtype=torch.uint8))


def parts_of(data, step, mesh, options):
    """Give this rank's samples of a step (counted from 0), one part per pass."""
    epoch, done = divmod(step, len(data) // options.batch)
    generator = torch.Generator().manual_seed(options.seed + epoch)
    order = torch.randperm(len(data), generator=generator)
    batch = order[done * options.batch : (done + 1) * options.batch]
    mine = batch[mesh.get_local_rank() :: mesh.size()]
    return torch.stack([data[i] for i in mine.tolist()]).chunk(options.accumulate)


# %%
# The model: activation checkpointing inside the block
# ----------------------------------------------------
#
# *Activation checkpointing* keeps only the input of a block, and computes the block
# again in the backward pass. (It has nothing to do with checkpoints on a disk;
# :doc:`/tutorials/larger_models/fitting_in_memory` measures what it saves.) It stands
# inside ``Block.forward``. So ``fully_shard``, which comes around the block later, has
# gathered the parameters before backward computes the block again.
#
# Why not ``nn.TransformerEncoderLayer`` itself? Because up to version 2.13 PyTorch
# doesn't compile the code of its own layers when you call ``compile`` on one of them.
# It would run as before, without any message. The ``forward`` of a class of yours is
# compiled, with everything that it calls.
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.TransformerEncoderLayer):
    def forward(self, x, mask):
        return checkpoint(super().forward, x, mask, is_causal=True, use_reentrant=False)


class LanguageModel(nn.Module):
    def __init__(self, width=64, n_heads=4, n_layers=2, context=64):
        super().__init__()
        self.tokens = nn.Embedding(256, width)
        self.positions = nn.Embedding(context, width)
        self.layers = nn.ModuleList(
            Block(width, n_heads, 4 * width, 0.0, batch_first=True, norm_first=True)
            for _ in range(n_layers))
        self.scores = nn.Linear(width, 256)

    def forward(self, tokens):  # (batch, context)
        mask = nn.Transformer.generate_square_subsequent_mask(
            tokens.shape[1], device=tokens.device)
        x = self.tokens(tokens) + self.positions.weight
        for layer in self.layers:
            x = layer(x, mask)
        # (batch, context, 256), in fp32 for the sums of the loss; a view would make
        # fully_shard warn
        return self.scores(x).to(torch.float32, copy=True)


def loss_of(model, tokens, device):
    tokens = tokens.to(device, non_blocking=True)
    scores = model(tokens[:, :-1])
    return nn.functional.cross_entropy(scores.flatten(0, 1), tokens[:, 1:].flatten())


# %%
# From the meta device into memory, one block at a time
# -----------------------------------------------------
#
# If a model doesn't fit on a GPU, you can't create it there. On the *meta device* a
# tensor has a shape and no memory. ``to_empty`` then gives a block memory, but no
# values, and ``reset_parameters`` draws the values as the constructor would have done.
#
# The trap is a module without ``reset_parameters``. ``nn.MultiheadAttention`` has only
# a private method for it, so ``reset`` does here what that method does, and models from
# elsewhere have more such modules, and buffers. If you forget one, it keeps whatever
# was in that memory before, and the model may train, only worse. So ``draw`` fills all
# floats with NaN first, and what is still NaN at the end has been forgotten. Other
# types, such as a mask of ``bool``, must have been written to in place.


def reset(module):
    if isinstance(module, nn.MultiheadAttention):
        nn.init.xavier_uniform_(module.in_proj_weight)
        nn.init.zeros_(module.in_proj_bias)
        nn.init.zeros_(module.out_proj.bias)
    elif hasattr(module, "reset_parameters"):
        module.reset_parameters()


def draw(module, device):
    module.to_empty(device=device)
    tensors = dict(module.named_parameters()) | dict(module.named_buffers())
    for tensor in tensors.values():
        if tensor.is_floating_point():
            nn.init.constant_(tensor, float("nan"))
    module.apply(reset)
    for name, tensor in tensors.items():
        if tensor.is_floating_point():
            forgotten = tensor.isnan().any()
        else:
            forgotten = tensor._version == 0  # the number of writes
        if forgotten:
            raise RuntimeError(f"{type(module).__name__}: nothing has drawn {name}")


# %%
# Shard: each block, then the rest
# --------------------------------
#
# ``build`` walks through the model in the order in which the constructor made it. A
# block gets its memory, is compiled if you want that, and then ``fully_shard`` keeps
# this rank's rows and frees the others. So each rank has a single whole block at a
# time. (The embeddings and the last layer stay whole until the last call, which shards
# all that is left. They also stay whole during a step, so with a large vocabulary call
# it for ``model.tokens`` and ``model.scores`` too.) All ranks use one seed, because
# each rank draws whole blocks.
#
# The ``MixedPrecisionPolicy`` replaces autocast. The shards stay in fp32, and so does
# the optimizer state, while blocks are gathered and computed in bf16, including
# normalization layers, which autocast would compute in fp32. Gradients are computed in
# bf16, and averaged in fp32. A pass then sends no more bytes than DDP does, as
# :doc:`/tutorials/larger_models/fully_sharded` counts. ``fullgraph=True`` makes
# ``compile`` fail if it can't compile a whole block, or has found nothing to compile.
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard

POLICIES = {
    "bf16": MixedPrecisionPolicy(torch.bfloat16, reduce_dtype=torch.float32),
    "fp32": MixedPrecisionPolicy()}


def build(options, mesh, device):
    with torch.device("meta"):
        model = LanguageModel()
    n_parameters = len(list(model.parameters()))
    how = {"mesh": mesh, "mp_policy": POLICIES[options.precision]}
    torch.manual_seed(options.seed)  # the same on all ranks
    draw(model.tokens, device)
    draw(model.positions, device)
    for layer in model.layers:
        draw(layer, device)
        if options.compile:
            layer.compile(fullgraph=True)
        fully_shard(layer, **how)
    draw(model.scores, device)
    for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
        if tensor.is_meta:
            raise RuntimeError(f"nothing has drawn {name}")
    # Tied weights are two by now. Tie them here: model.scores.weight = ...
    if len(list(model.parameters())) != n_parameters:
        raise RuntimeError("weights aren't tied any more")
    fully_shard(model, **how)
    # After sharding, because the parameters are new then.
    optimizer = torch.optim.AdamW(model.parameters(), options.learning_rate, fused=True)
    return model, optimizer


# %%
# Pretrained weights: one rank reads, all ranks get their rows
# ------------------------------------------------------------
#
# If each of 8 ranks loaded a file of 14 GB, the memory of the machine would hold 112 GB
# of it. Here only rank 0 opens the file, with ``mmap=True``, which reads a tensor from
# the disk when it's needed. PyTorch broadcasts one tensor after the other, and each
# rank copies its rows. So beside its shards, a GPU has one whole tensor at a time.
#
# The file may be in bf16, because copying turns its numbers into the fp32 of the
# shards. That's why the model has memory *before* it is loaded. If its parameters are
# still on the meta device, ``set_model_state_dict`` can't copy. It makes the tensors of
# the file the parameters, and then the shards and the optimizer state are bf16, too.
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions, get_state_dict, set_model_state_dict, set_state_dict)


def load_pretrained(model, file):
    weights = {}
    if dist.get_rank() == 0:
        weights = torch.load(file, map_location="cpu", mmap=True, weights_only=True)
    how = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    set_model_state_dict(model, weights, options=how)


# %%
# Most published weights are ``safetensors`` files, often several for one model. For
# them, install ``safetensors`` and replace the line with ``torch.load`` by these. (This
# page doesn't run them.) The keys must be the names of your parameters, so rename them
# there. A missing or an unknown key is an error.
#
# .. code-block:: python
#
#    from safetensors.torch import load_file
#
#    for part in sorted(file.glob("*.safetensors")):  # --pretrained is their folder
#        weights |= load_file(part)
#
# One step: clipping and accumulation with DTensors
# -------------------------------------------------
#
# Clipping needs the norm of the whole gradient, and a rank has only some of its rows.
# For DTensors ``clip_grad_norm_`` does the right thing by itself: each rank adds up its
# squares, and one small all-reduce adds them up over all ranks.
#
# To *accumulate* gradients means to add up those of several passes before a step. With
# DDP the advice is to communicate only in the last pass, by ``no_sync``. Its
# counterpart here is ``set_requires_gradient_sync(False)``, and it can cost you the
# run. A reduce-scatter is what leaves a rank with only its own rows. Without it, each
# rank keeps the gradients of the *whole* model until the last pass, and in fp32. So by
# default each pass of this program has its reduce-scatters, and ``--whole-gradients``
# is a switch for models whose gradients fit.
#
# Our samples are equally long. With padding, divide the sum of the losses by the number
# of tokens of the whole step, on all ranks, not of each pass.


def one_step(model, optimizer, parts, device, options):
    optimizer.zero_grad()
    mean = torch.zeros((), device=device)
    for i, tokens in enumerate(parts):
        is_last = i == len(parts) - 1
        model.set_requires_gradient_sync(is_last or not options.whole_gradients)
        loss = loss_of(model, tokens, device) / len(parts)
        loss.backward()
        mean += loss.detach()
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
    return mean, norm.full_tensor()


# %%
# The learning rate depends on nothing but the step, so there is no schedule to save.
import math


def learning_rate(step, options):
    warmup = max(1, options.steps // 20)
    if step < warmup:
        return options.learning_rate * (step + 1) / warmup
    done = (step - warmup) / max(1, options.steps - warmup)
    return options.learning_rate * (0.1 + 0.45 * (1 + math.cos(math.pi * done)))


# %%
# Signals: save before the time is over
# -------------------------------------
#
# Before a cluster ends a job, it sends a *signal*, which would end the program in the
# middle of a step. So the handler only notes it, and every ``--log-every`` steps all
# ranks agree if they save and leave. :doc:`/tutorials/start/training_program` explains
# it. If you add workers, take its ``listen``, because they must ignore the signals.
import signal
from types import SimpleNamespace


def listen():
    stop = SimpleNamespace(requested=False)

    def note(number, frame):
        stop.requested = True

    signal.signal(signal.SIGTERM, note)
    signal.signal(signal.SIGUSR1, note)
    return stop


def agree(loss, stop, mesh):
    signaled = torch.tensor(float(stop.requested), device=loss.device)
    sums = torch.stack([loss, signaled])
    dist.all_reduce(sums, group=mesh.get_group())
    loss_sum, n_signaled = sums.tolist()
    return loss_sum / mesh.size(), n_signaled > 0


# %%
# Checkpoints that don't stop the training
# ----------------------------------------
#
# The checkpoint of a model with 7 billion parameters has 84 GB: 4 bytes for each
# parameter and 8 for Adam. Nobody wants to wait until it's written. With ``async_save``
# each rank waits only until its shards are copied into the memory of the CPU, which
# needs room for them, 84 GB on a machine with all ranks. A thread writes the copy while
# the rank trains on. (The manual calls the function experimental.)
# :doc:`/tutorials/long_runs/checkpoints` explains the format of the folder.
#
# The thread has collectives too, and they must not meet those of the training. So it
# has a group of its own, ``saving``. That is a Gloo group on GPUs, too: ``async_save``
# raises an error if its group can't send what is in the memory of the CPU, and NCCL
# can't.
import torch.distributed.checkpoint as dcp

# Only --override changes these; step and batch give the position in the data.
FIXED = "steps", "batch", "learning_rate", "precision", "seed"


def state_of(model, optimizer, step, options):
    of_model, of_optimizer = get_state_dict(model, optimizer)
    fixed = {name: getattr(options, name) for name in FIXED}
    return {
        "model": of_model, "optimizer": of_optimizer, "step": step, "fixed": fixed}


def save(model, optimizer, step, options, saving):
    state = state_of(model, optimizer, step, options)
    return dcp.async_save(
        state, checkpoint_id=options.folder / f"step_{step:08}", process_group=saving)


# %%
# Two saves at a time would need twice the memory of the CPU, so ``finish`` waits for
# one before the next begins. Its ``result()`` also raises what went wrong in the
# thread, a full disk for example, which you would not see otherwise. Then rank 0
# deletes all but the two newest folders.
#
# A folder is complete when it has a file ``.metadata``, because rank 0 writes it when
# all ranks are done. A run that dies in the meantime leaves a folder without it, which
# ``complete`` ignores.
import shutil


def complete(folder):
    return sorted(file.parent for file in folder.glob("step_*/.metadata"))


def finish(future, folder):
    if future is not None:
        future.result()
        if dist.get_rank() == 0:
            newest = complete(folder)[-2:]
            for old in folder.glob("step_*"):
                if old.is_dir() and old not in newest:
                    shutil.rmtree(old)


# %%
# To load, rank 0 decides which folder it is, because on a shared disk another rank
# might not see the newest one yet. ``dcp.load`` fills the tensors that it gets, in
# place. Each rank reads its own rows, whoever has written them, so the number of ranks
# may change. To add steps to a run, or to lower its learning rate, use ``--override``.
# The learning rate goes on as if the run had begun with these settings.


def load(model, optimizer, mesh, options):
    found = [complete(options.folder)[-1:]]
    dist.broadcast_object_list(found)
    if not found[0]:
        return 0
    state = state_of(model, optimizer, 0, options)
    dcp.load(state, checkpoint_id=found[0][0], process_group=mesh.get_group())
    for name, value in state["fixed"].items():
        if value != getattr(options, name) and not options.override:
            raise SystemExit(f"{found[0][0]} needs --{name.replace('_', '-')}={value}")
    set_state_dict(
        model, optimizer, model_state_dict=state["model"],
        optim_state_dict=state["optimizer"])
    if dist.get_rank() == 0:
        print(f"resumed at step {state['step']}", flush=True)
    return state["step"]


# %%
# To use the trained model elsewhere, turn a folder into one file, on a machine whose
# memory holds all of it. Its weights have the key ``"model"``. If you save only those,
# ``--pretrained`` begins a new run with them.
#
# .. code-block:: bash
#
#    python -m torch.distributed.checkpoint.format_utils \
#        dcp_to_torch run_fsdp/step_00002000 model.pt
#
# Put the parts together
# ----------------------
#
# A gradient that isn't finite spoils the parameters in the same step. So ``train``
# notes if a norm isn't finite, and looks at this note before it saves: it stops while
# the last checkpoint is still good. (It doesn't look after each step, because then the
# CPU would wait for the GPU.)
#
# On a GPU the last lines print the peak, the most memory that was in use at any moment.
import time


def print_values(step, loss, norm, speed):
    if dist.get_rank() == 0:
        print(f"step {step}: loss {loss:.3f}, norm {norm:.2f}, {speed:.0f} samples/s",
              flush=True)


def train(options, mesh, device, saving, stop, log=print_values):
    if options.batch % (mesh.size() * options.accumulate):
        raise SystemExit("--batch must be divisible by ranks x --accumulate")
    data = read_text()
    model, optimizer = build(options, mesh, device)
    step = load(model, optimizer, mesh, options)
    if step == 0 and options.pretrained:
        load_pretrained(model, options.pretrained)
    future, stopped = None, False
    finite = torch.tensor(True, device=device)
    logged, began = step, time.perf_counter()

    while step < options.steps and not stopped:
        parts = parts_of(data, step, mesh, options)
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, options)
        # for dropout: other numbers on each rank, and none that have to be saved
        torch.manual_seed(options.seed + step * mesh.size() + mesh.get_local_rank())
        loss, norm = one_step(model, optimizer, parts, device, options)
        finite &= norm.isfinite()
        step += 1
        logs = step % options.log_every == 0
        is_last = step == options.steps
        saves = options.save_every and (step % options.save_every == 0 or is_last)
        if (logs or saves) and not finite:
            finish(future, options.folder)
            raise SystemExit(f"stopped: a norm isn't finite, at step {step} or before")
        if logs:
            loss, stopped = agree(loss, stop, mesh)
            seconds = time.perf_counter() - began
            log(step, loss, norm.item(), (step - logged) * options.batch / seconds)
            logged, began = step, time.perf_counter()
        if saves or stopped:
            finish(future, options.folder)
            future = save(model, optimizer, step, options, saving)

    finish(future, options.folder)
    if device.type != "cpu" and dist.get_rank() == 0:
        print(f"peak: {torch.accelerator.max_memory_allocated() / 1e9:.2f} GB")
    return model, optimizer


# %%
# ``main`` is what ``torchrun`` runs. It stops if the machine has GPUs and the ranks
# don't use them, and if ``srun`` or ``mpirun`` has started several tasks without
# ``torchrun``, because each would be a run of one rank, in the same folder.
import sys

from torch.distributed.device_mesh import init_device_mesh


def main():
    options = read_options(sys.argv[1:])
    variables = "SLURM_STEP_NUM_TASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"
    several_tasks = any(int(os.environ.get(name, 1)) > 1 for name in variables)
    if several_tasks and "RANK" not in os.environ:
        raise SystemExit("stopped: several tasks, and torchrun hasn't started them")
    stop = listen()
    device = start()
    if device.type == "cpu" and (torch.cuda.is_available() or torch.xpu.is_available()):
        reason = "stopped: this machine has fewer GPUs than ranks"
        raise SystemExit(1 if dist.get_rank() else reason)
    mesh = init_device_mesh(device.type, (dist.get_world_size(),))
    train(options, mesh, device, dist.new_group(backend="gloo"), stop)
    dist.destroy_process_group()


# %%
# With arguments, the file trains and ends here. In a notebook ``sys.argv`` holds the
# arguments of Jupyter, and there is no ``__file__``.
in_file = "__file__" in globals()
if __name__ == "__main__" and in_file and len(sys.argv) > 1:
    main()
    sys.exit()

# %%
# For Slurm, take ``train.slurm`` of :doc:`/tutorials/long_runs/several_nodes` with the
# name and the options of this program, and write ``saved=.metadata`` in it. That's the
# file that makes a folder of this program a complete checkpoint.
#
# After a signal, ``--log-every`` steps and the whole save must be done before
# ``--shutdown-timeout``, so give more time to a large model.
#
# In your own copy delete everything from here on, at the latest when you add workers,
# because they import this file again.
#
# The start equals that of an unsharded model
# -------------------------------------------
#
# With one seed the shards are the rows of the model that a constructor makes, bit for
# bit. And the norm that clipping uses is the norm of the whole gradient, which we
# compute on a copy with the batch of all ranks. Only the order of the sums differs.
device = start()
world_size = dist.get_world_size()
is_first_rank = dist.get_rank() == 0
mesh = init_device_mesh(device.type, (world_size,))
saving = dist.new_group(backend="gloo")

options = read_options(["--precision=fp32"])
model, optimizer = build(options, mesh, device)
with device:
    torch.manual_seed(options.seed)
    unsharded = LanguageModel()
expected_values = dict(unsharded.named_parameters())
for name, shard in model.named_parameters():
    same = torch.equal(shard.full_tensor(), expected_values[name])
    assert same, f"{name} starts with other numbers"
for layer in model.layers:
    assert isinstance(layer, FSDPModule), "a block is gathered with all the others"

# %%

batch = torch.stack([read_text()[i] for i in range(48)])
mine = batch[mesh.get_local_rank() :: world_size]
_, norm = one_step(model, optimizer, [mine], device, options)
loss_of(unsharded, batch, device).backward()
whole_norm = nn.utils.clip_grad_norm_(unsharded.parameters(), max_norm=1.0)
difference = (norm - whole_norm).abs() / whole_norm
assert difference < 1e-4, "the norm isn't that of all rows"

# %%
# Weights from a file arrive in the right rows
# --------------------------------------------
#
# Rank 0 writes a file of "pretrained" weights in bf16: a model with another seed. All
# ranks start from seed 0 and load it.
import tempfile

temporary = tempfile.TemporaryDirectory()
folders = [temporary.name]
dist.broadcast_object_list(folders)  # all ranks use the folder of rank 0
folder = Path(folders[0])

torch.manual_seed(1)
pretrained = LanguageModel().bfloat16().state_dict()
if is_first_rank:
    torch.save(pretrained, folder / "pretrained.pt")
model, optimizer = build(options, mesh, device)
load_pretrained(model, folder / "pretrained.pt")
for name, shard in model.named_parameters():
    assert shard.dtype == torch.float32, f"{name} has the type of the file"
    loaded = shard.full_tensor().cpu()
    of_file = pretrained[name].float()
    assert torch.equal(loaded, of_file), f"{name} isn't that of the file"

# %%
# A save that dies halfway costs six steps, not the run
# -----------------------------------------------------
#
# Now the whole program, in bf16: 12 steps from the pretrained weights, two passes each,
# with a checkpoint after 6 and 12. Then we take ``.metadata`` away from the second one,
# which is what a run leaves that dies while it saves, and start again.


def run(*more, signal_at=None):
    values = {}

    def keep(step, loss, norm, speed):
        values[step] = loss
        if step == signal_at and dist.get_rank() == world_size - 1:
            signal.raise_signal(signal.SIGUSR1)

    arguments = [
        f"--folder={folder}", f"--pretrained={folder / 'pretrained.pt'}",
        "--steps=12", "--batch=24", "--accumulate=2", "--log-every=1",
        "--save-every=6", *more]
    train(read_options(arguments), mesh, device, saving, listen(), keep)
    return values


whole = run()
if is_first_rank:
    (folder / "step_00000012" / ".metadata").unlink()
dist.barrier()

# %%
# The second run gets a signal after step 8, on one rank only. All ranks stop after
# step 9, and a third run resumes there.
resumed = run(signal_at=8)
assert list(resumed) == [7, 8, 9], "it didn't resume after step 6, or stop after step 9"
resumed |= run()
assert list(resumed) == list(range(7, 13)), "it didn't resume after step 9"
tolerance = 0 if device.type == "cpu" else 1e-2
largest = max(abs(resumed[step] - whole[step]) for step in resumed)
assert largest <= tolerance, f"a loss differs by {largest}: something wasn't saved"
assert whole[12] < whole[1] - 0.5, "the model doesn't learn"
if is_first_rank:
    print(f"losses of steps 1, 6, 12: {whole[1]:.2f}, {whole[6]:.2f}, {whole[12]:.2f}")

# %%
# On a CPU the losses of steps 7 to 12 are equal bit for bit, although the run trained
# on while it was writing step 6. On GPUs some kernels add in another order each time,
# so the page allows for a difference there.


def refusal(*more):
    try:
        run(*more)
    except SystemExit as stopped:
        return str(stopped)
    return "nothing"


other_seed = refusal("--seed=1")
not_finite = refusal(
    f"--folder={folder / 'other'}", "--learning-rate=inf", "--log-every=100",
    "--save-every=2")
assert "needs --seed=0" in other_seed, f"it resumed with another seed: {other_seed}"
assert "a norm isn't finite" in not_finite, f"it trained on: {not_finite}"
assert not complete(folder / "other"), "it saved NaN"
longer = run("--steps=13", "--override")
assert list(longer) == [13], "it can't be extended"

# %%
# Accumulating without communication keeps whole gradients
# --------------------------------------------------------
#
# What does a rank keep after the first of several passes? We ask Python's garbage
# collector for all tensors, and add up their memory.
import gc

from torch.distributed.tensor import DTensor


def all_tensors():
    gc.collect()
    things = gc.get_objects()
    return [thing for thing in things if issubclass(type(thing), torch.Tensor)]


def bytes_of(tensors):
    sizes = {}
    for tensor in tensors:
        local = tensor.to_local() if isinstance(tensor, DTensor) else tensor
        storage = local.untyped_storage()
        sizes[storage.data_ptr()] = storage.nbytes()
    return sum(sizes.values())


def kept_after_a_pass(communicates):
    model, _ = build(read_options([]), mesh, device)
    held = all_tensors()
    before = bytes_of(held)
    model.set_requires_gradient_sync(communicates)
    loss_of(model, mine, device).backward()
    return bytes_of(held + all_tensors()) - before


if device.type == "cpu":
    with_sync, without = kept_after_a_pass(True), kept_after_a_pass(False)
    rows = sum(p.to_local().nbytes for p in model.parameters())
    whole_model = sum(p.nbytes for p in unsharded.parameters())
    if is_first_rank:
        print(f"gradients after a pass: {with_sync} bytes, without reducing: {without}")
        assert abs(with_sync - rows) < rows / 20, "more than its rows is kept"
    nearly = abs(without - whole_model) < whole_model / 20
    assert nearly, "the gradients aren't those of the whole model"

dist.barrier()
if is_first_rank:
    temporary.cleanup()

time.sleep(0.1)  # a thread of Gloo may still free a tensor, and aborts if Python ends
dist.destroy_process_group()

# %%
# Try it
# ------
#
# Predict first, then run.
#
# - Use ``nn.TransformerEncoderLayer`` in place of ``Block``, and start with
#   ``--compile``. What happens, with ``fullgraph=True`` and without?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      With it, an error says that no frames were compiled. Without it, the program
#      trains, and nothing is compiled. (From PyTorch 2.14 on, layers of ``torch.nn``
#      are compiled, too.)
#
# - In your own script: compute 16 bytes for each parameter, divided by your number of
#   GPUs, and compare it with ``torch.accelerator.max_memory_allocated()`` after the
#   first step. What is the difference made of?
#
# What to remember
# ----------------
#
# - Create on the meta device, draw a block, shard it, go on to the next. Fill it with
#   NaN first, so that no parameter is forgotten.
# - The shards stay in fp32, and ``MixedPrecisionPolicy`` gathers them in bf16. A step
#   with one pass then sends no more than DDP does.
# - Accumulating without communication keeps the gradients of the whole model on each
#   GPU. Accumulating rows costs traffic instead.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/long_runs/several_nodes` explains how several machines start one
#   run.
# - :doc:`/tutorials/larger_models/two_dimensions` keeps the all-gathers inside a
#   machine.
# - :doc:`/tutorials/long_runs/checkpoints` says what else can happen to a file.
