"""
A training program: one file to take to work
============================================

:Card: A complete DDP program that survives an interruption.
:Learn: You will put together a complete training program, interrupt it with a signal,
    and prove that it resumes with the same losses.
:Prerequisites: :doc:`/tutorials/start/one_gpu_to_many`
:Picture: program
:Oldest torch: 2.13

A training loop fits in ten lines. The program that you leave alone over a weekend needs
more: it has to load batches while the GPU computes, train in bf16, evaluate correctly
on many ranks, and above all it has to survive a *preemption*, the moment when the
cluster takes its machines away for somebody else. Most of these parts are easy. They
break where they touch each other.

So this page is such a program, in one file, for *DistributedDataParallel* (DDP). It
trains a small language model on a text that ships with Python, and it runs on a
laptop, on one GPU, and on several machines. Download it, replace the model and the data
with yours, and keep the rest.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=2 training_program.py

Without arguments, as here, the file only tests itself: it trains 20 steps, then does
the same again with an interruption, and compares. With any argument it trains for real:

.. code-block:: bash

   torchrun --standalone --nproc-per-node=gpu training_program.py --steps 2000

Here is what the function ``train`` does, in order, and what you replace by your own.
Each part has its reason above it on this page, and a link to the lesson that explains
it in full.

1. ``build`` makes the model, the optimizer and the schedule, with one seed on all
   ranks. *Yours:* ``LanguageModel`` and the optimizer.
2. ``load`` takes the checkpoint, if there is one. *Yours:* nothing.
3. ``open_data`` opens the data at the step where the run goes on. *Yours:* ``prepare``
   and ``Windows``.
4. ``one_step`` does the forward and the backward pass, clips, and calls the optimizer.
   *Yours:* ``loss_of``.
5. ``agree`` averages the loss for the log and asks if any rank has received a signal.
   *Yours:* nothing.
6. ``evaluate`` runs now and then, on each rank with its share. *Yours:* the metric.
7. ``save`` runs now and then, at the end, and after a signal. *Yours:* nothing, but if
   another setting of yours changes the losses, add it to ``FIXED``.
"""

# %%
# Start the ranks
# ---------------
#
# All code that does something is inside functions, because the workers of a data loader
# import this file again (:doc:`/tutorials/start/distributed_data_parallel` explains
# why), and that import must neither join a group nor start a second training. The lines
# inside ``start`` are the same in every lesson, and :doc:`/tutorials/start/hello_ranks`
# explains them.
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
# The batch is the *global batch*, the samples that all ranks train on in one step. So
# the meaning of a learning rate doesn't change when you get more GPUs, and a run can
# resume on another number of ranks. The defaults are small enough for a laptop.
import argparse


def read_options(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default="run", help="shared by all machines")
    parser.add_argument("--data", default="data", help="shared by all runs, too")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=48, help="of all ranks together")
    parser.add_argument("--accumulate", type=int, default=1, help="passes per step")
    parser.add_argument("--samples", type=int, help="train on the first ones only")
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--precision", choices=["bf16", "fp32"], default="bf16")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--workers", type=int, default=2, help="per rank")
    parser.add_argument("--log-every", type=int, default=10, help="also for signals")
    parser.add_argument("--save-every", type=int, default=100)
    parser.add_argument("--evaluate-every", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(arguments)


# %%
# Data: rank 0 prepares it, the others wait
# -----------------------------------------
#
# Downloading and tokenizing should happen once, not once for each rank. Rank 0 does it
# while the others wait at a barrier, and then all ranks read the same file. A barrier
# waits no longer than the timeout of the process group (10 minutes with NCCL), so
# prepare a large data set in a program of its own. Our "tokens" are simply the bytes of
# the help text of Python, some 500 kB of English. All runs read the same ``--data``, so
# another text or another tokenizer needs another folder.
import uuid
from pathlib import Path
from pydoc_data.topics import topics


def prepare(folder):
    file = Path(folder) / "tokens.pt"
    if dist.get_rank() == 0 and not file.exists():
        text = "\n".join(topics[name] for name in sorted(topics))
        tokens = torch.frombuffer(bytearray(text.encode()), dtype=torch.uint8)
        unique = file.with_stem(f"tokens-{uuid.uuid4().hex}")
        write(tokens, unique)
        unique.replace(file)
    dist.barrier()
    return file


# %%
# The function ``write`` never leaves half a file under the final name: it writes under
# another name, waits until the contents are on the disk (``fsync``), and renames the
# file in one step. :doc:`/tutorials/long_runs/checkpoints` shows what happens without
# it.


def write(value, file):
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_suffix(".unfinished")
    with open(unfinished, "wb") as opened:
        torch.save(value, opened)
        opened.flush()
        os.fsync(opened.fileno())
    unfinished.replace(file)
    folder = os.open(file.parent, os.O_RDONLY)
    os.fsync(folder)  # the name is on the disk, too
    os.close(folder)


# %%
# A sample is a window of 65 bytes: 64 to read, and the same shifted by one to predict.
# The file is opened *memory-mapped*: only the parts that are read come into memory, and
# all processes of a machine share them. Each process opens it for itself, at its first
# sample, because a tensor that a rank hands to its workers is copied as a whole.
from torch.utils.data import DataLoader, Dataset, Subset
from torch.utils.data.distributed import DistributedSampler


class Windows(Dataset):
    def __init__(self, file, first, end, context=64):
        self.file, self.first, self.context = file, first, context
        self.n_windows = (end - first - 1) // context
        self.tokens = None

    def __len__(self):
        return self.n_windows

    def __getitem__(self, index):
        if self.tokens is None:
            self.tokens = torch.load(self.file, mmap=True)
        first = self.first + index * self.context
        return self.tokens[first : first + self.context + 1].long()


# %%
# A sampler that can begin in the middle of an epoch
# --------------------------------------------------
#
# After an interruption in the middle of an epoch, the run must continue with the
# samples that it hasn't seen yet. ``DistributedSampler`` always begins at the
# beginning, so ours skips the indices, and no skipped sample is loaded.
# :doc:`/tutorials/start/feeding_data` explains why ``drop_last=True`` is right for
# training and wrong for evaluation.
#
# The sampler deals a single shuffled order to the ranks in turn, like cards. So the
# samples of a global batch are the same ones, however many ranks share them, and a run
# can resume on more ranks or on fewer.


class ResumableSampler(DistributedSampler):
    n_seen = 0  # samples of this epoch that this rank has trained on

    def resume(self, epoch, n_seen):
        self.set_epoch(epoch)
        self.n_seen = n_seen

    def __iter__(self):
        return iter(list(super().__iter__())[self.n_seen :])


# %%
# Workers start by ``forkserver``: a small process without threads forks them. A fork of
# the rank itself could hang, because it copies only the thread that forks, and locks
# that the threads of the open group hold just then stay locked in the copy. With
# ``pin_memory`` a GPU can copy the next batch while it computes.
#
# The last line prevents a trap that costs an evening: each time you ask a loader for an
# iterator, it draws a seed for its workers from PyTorch's random numbers. A resumed run
# makes one iterator more than a run without a break, and from there on its dropout
# differs. So the loader gets a generator of its own, with another seed after each
# start. (``ignore_signals`` comes further below, with the signals.)


def make_loader(data, sampler, options, device, step):
    workers = {}
    if options.workers:
        workers = {
            "num_workers": options.workers, "multiprocessing_context": "forkserver",
            "persistent_workers": True, "worker_init_fn": ignore_signals}
    seed = options.seed + step * dist.get_world_size() + dist.get_rank()
    return DataLoader(
        data, options.batch // dist.get_world_size() // options.accumulate,
        sampler=sampler, drop_last=True, pin_memory=device.type != "cpu", **workers,
        generator=torch.Generator().manual_seed(seed))


# %%
# A model, and one loss for training and evaluation
# -------------------------------------------------
#
# This is the part to replace. It's a small transformer that predicts the next byte.
from torch import nn


class LanguageModel(nn.Module):
    def __init__(self, width=64, n_heads=4, n_layers=2, context=64):
        super().__init__()
        self.tokens = nn.Embedding(256, width)
        self.positions = nn.Embedding(context, width)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                width, n_heads, 4 * width, batch_first=True, norm_first=True)
            for _ in range(n_layers))
        self.scores = nn.Linear(width, 256)

    def forward(self, tokens):  # (batch, context)
        mask = nn.Transformer.generate_square_subsequent_mask(
            tokens.shape[1], device=tokens.device)
        x = self.tokens(tokens) + self.positions.weight
        for layer in self.layers:
            x = layer(x, src_mask=mask, is_causal=True)
        return self.scores(x)  # (batch, context, 256)


# %%
# Under *autocast* the matrix products run in bf16, while the parameters, the gradients
# and the optimizer state stay in fp32. Unlike fp16, bf16 has the range of fp32, so
# there is no ``GradScaler``. Only the forward pass and the loss run under autocast; the
# backward pass uses the same types by itself. (If
# ``torch.cuda.is_bf16_supported(including_emulation=False)`` says no, your GPU has no
# bf16: choose ``--precision fp32``.)


def loss_of(model, tokens, device, options, reduction="mean"):
    tokens = tokens.to(device, non_blocking=True)
    with torch.autocast(
            device.type, torch.bfloat16, enabled=options.precision == "bf16"):
        scores = model(tokens[:, :-1])
        return nn.functional.cross_entropy(
            scores.flatten(0, 1), tokens[:, 1:].flatten(), reduction=reduction)


# %%
# Evaluation: add up sums and counts
# ----------------------------------
#
# The mean of the means of the ranks is wrong as soon as one rank has fewer samples. A
# ``DistributedSampler`` would repeat samples, so that all have equally many, which is
# wrong as well. So each of n ranks takes every n-th sample, and the ranks add up sums
# and counts, and divide once. Some ranks may need one batch more than others: that's
# allowed here, because we call ``model`` and not its DDP wrapper, which may send
# buffers in its forward pass. :doc:`/tutorials/start/feeding_data` shows how wrong a
# mean of means or a repeated sample is.
#
# Here the rank itself loads the samples. If yours take long to load (images, or text
# that isn't tokenized yet), make a loader with workers once, beside that for training.


@torch.no_grad()
def evaluate(model, data, device, options):
    model.eval()
    mine = range(dist.get_rank(), len(data), dist.get_world_size())
    # sum of the losses, number of predictions
    total = torch.zeros(2, dtype=torch.float64, device=device)
    batch_size = options.batch // dist.get_world_size() // options.accumulate
    loader = DataLoader(
        Subset(data, mine), batch_size, generator=torch.Generator())  # as above
    for tokens in loader:
        total[0] += loss_of(model, tokens, device, options, reduction="sum")
        total[1] += tokens[:, 1:].numel()
    dist.all_reduce(total)
    model.train()
    return (total[0] / total[1]).item()


# %%
# The learning rate grows for some steps and then falls along a cosine. It depends on
# ``--steps``, so a resumed run needs the same value, and ``load`` checks that. (To
# train for longer than that, begin a new run with the weights of this one, because at
# the end of its schedule the learning rate is down to a tenth.)
import math


def make_schedule(optimizer, options):
    warmup = max(1, options.steps // 20)

    def factor(step):
        if step < warmup:
            return (step + 1) / warmup
        done = (step - warmup) / max(1, options.steps - warmup)
        return 0.1 + 0.45 * (1 + math.cos(math.pi * done))

    return torch.optim.lr_scheduler.LambdaLR(optimizer, factor)


# %%
# Checkpoint: everything that the next step depends on
# ----------------------------------------------------
#
# What does the next step depend on? On the model, on the optimizer state, the schedule,
# and the number of the step, which also gives the epoch and the place in it. And on the
# random numbers, because of dropout: those of the CPU and of the GPU, which differ on
# each rank. So all ranks send theirs to everybody, and rank 0 writes one file. The
# others wait until it's written, at most for the timeout of the process group. If the
# ranks of another machine ended earlier, the cluster might end the whole job, and rank
# 0 in the middle of its file.
#
# The checkpoint before stays, as ``checkpoint.previous``. If a run has gone bad, rename
# that to ``checkpoint.pt``, and it begins there.
from contextlib import suppress


def random_state(device):
    state = {"cpu": torch.get_rng_state()}
    if device.type != "cpu":
        state["gpu"] = torch.get_device_module(device).get_rng_state(device)
    return state


# What a resumed run must not change; the batch gives the position in the data.
FIXED = "steps", "batch", "samples", "learning_rate", "precision", "seed"


def keep_previous(file):
    previous = file.with_suffix(".previous")
    if file.exists():
        with suppress(OSError):  # a few file systems have no hard links
            previous.unlink(missing_ok=True)
            os.link(file, previous)  # a second name for the same contents


def save(parts, step, file, device, options):
    random = [None] * dist.get_world_size()
    dist.all_gather_object(random, random_state(device))
    if dist.get_rank() == 0:
        state = {name: part.state_dict() for name, part in parts.items()}
        fixed = {name: getattr(options, name) for name in FIXED}
        keep_previous(file)
        write(state | {"step": step, "random": random, "fixed": fixed}, file)
        print(f"saved step {step}", flush=True)
    dist.barrier()  # nobody leaves before the file is written


# %%
# Rank 0 decides for all ranks if there is a checkpoint. On a shared disk one rank may
# see the file a moment later than another, and two ranks that begin at different steps
# would average the gradients of different models, without any error. Then all ranks
# load the file. (One that doesn't see it yet ends with an error, and you start again:
# that's better than a run that is silently wrong.) They load it to the CPU first:
# otherwise all of them would fill the GPU of rank 0.
# With more ranks than before, the new ranks keep their fresh seeds.


def load(parts, file, device, options):
    found = [file.exists()]
    dist.broadcast_object_list(found)
    if not found[0]:
        return 0
    state = torch.load(file, map_location="cpu", mmap=True, weights_only=True)
    for name, value in state["fixed"].items():
        if value != getattr(options, name):
            raise SystemExit(f"{file} needs --{name.replace('_', '-')}={value}")
    for name, part in parts.items():
        part.load_state_dict(state[name])
    if dist.get_rank() < len(state["random"]):
        random = state["random"][dist.get_rank()]
        torch.set_rng_state(random["cpu"])
        if device.type != "cpu" and "gpu" in random:
            torch.get_device_module(device).set_rng_state(random["gpu"], device)
    if dist.get_rank() == 0:
        print(f"resumed at step {state['step']}", flush=True)
    return state["step"]


# %%
# Your own program may draw from ``random`` and NumPy too; then save their states as
# well. What isn't restored are the random numbers of the workers. If they augment your
# samples, derive the numbers from the seed, the epoch and the index of the sample.
#
# Signals: the cluster wants its machine back
# -------------------------------------------
#
# Before a cluster takes a machine away, it sends a *signal*, a message that interrupts
# a program at any line: usually SIGTERM, the request to end, or SIGUSR1, which has no
# meaning of its own, if you ask Slurm for it. The program says by a *handler* what
# should happen then. Ours only notes that there was a signal. A handler that saved
# would do so in the middle of a step, and of a different step on each rank. This is
# what happens:
#
# - Slurm or a person signals ``torchrun``, which passes it on to each rank and to all
#   processes that a rank has started, so to its workers, too.
# - Each rank notes it, and its workers ignore it.
# - At the next multiple of ``--log-every`` all ranks agree to stop, save, and leave.
#
# Why must the workers ignore it? A rank whose workers are dead can't finish its step.
# So ``listen`` first lets the rank ignore the signals, then starts the process that
# forks the workers, which inherits this, and only then sets the handler. And
# ``worker_init_fn`` above makes each worker call ``ignore_signals`` at its start,
# because a DataLoader gives its workers a handler for SIGTERM. (A worker that hangs can
# then be ended only with SIGKILL.)
import signal
from multiprocessing import forkserver
from types import SimpleNamespace

from torch.multiprocessing import set_forkserver_preload

SIGNALS = signal.SIGTERM, signal.SIGUSR1


def ignore_signals(worker=None):
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def listen():
    ignore_signals()
    set_forkserver_preload(["torch"])  # imported once for each rank, not per worker
    forkserver.ensure_running()  # inherits that the signals are ignored
    stop = SimpleNamespace(requested=False)

    def note(number, frame):
        stop.requested = True

    for number in SIGNALS:
        signal.signal(number, note)
    return stop


# %%
# One step
# --------
#
# A step may need several passes, if the batch doesn't fit into the memory of a GPU.
# Only the last one has to average the gradients, so ``no_sync`` saves the communication
# of the others (``nullcontext`` does nothing);
# :doc:`/tutorials/inside/hide_the_traffic` measures it. Clipping comes
# after the last ``backward``, when all ranks have the same gradients and so compute the
# same norm. (Our samples are equally long. With padding, divide the sum of the losses
# by the number of tokens of the whole step, not of each pass.)
from contextlib import nullcontext


def one_step(ddp_model, optimizer, batches, device, options):
    optimizer.zero_grad()
    mean = torch.zeros((), device=device)
    for i in range(options.accumulate):
        is_last = i == options.accumulate - 1
        communication = nullcontext() if is_last else ddp_model.no_sync()
        with communication:
            loss = loss_of(ddp_model, next(batches), device, options)
            (loss / options.accumulate).backward()
        mean += loss.detach() / options.accumulate
    norm = nn.utils.clip_grad_norm_(ddp_model.parameters(), max_norm=1.0)
    optimizer.step()
    return mean, norm


# %%
# One decision for all ranks
# --------------------------
#
# A signal may not reach all ranks in the same step. If one of them stopped a step
# before the others, they would wait for it in the next all-reduce, until the timeout.
# So the ranks count in one all-reduce how many of them have received a signal, and the
# same all-reduce averages the loss for the log. They do it only every ``--log-every``
# steps and before they save, because reading the result makes the CPU wait for the GPU.


def agree(loss, stop):
    signaled = torch.tensor(float(stop.requested), device=loss.device)
    sums = torch.stack([loss, signaled])
    dist.all_reduce(sums)
    loss_sum, n_signaled = sums.tolist()
    return loss_sum / dist.get_world_size(), n_signaled > 0


def print_value(step, name, value):
    if dist.get_rank() == 0:
        print(f"step {step}: {name} {value:.3f}", flush=True)


# %%
# Put the parts together
# ----------------------
#
# The data first: the first 95 % of the text to train, the rest to evaluate. A few
# samples are enough to try something out, and ``--samples`` takes only so many.


def open_data(options, device, step):
    file = prepare(options.data)
    n_tokens = len(torch.load(file, mmap=True))
    split = n_tokens * 19 // 20
    data, held_out = Windows(file, 0, split), Windows(file, split, n_tokens)
    if options.samples:
        data = Subset(data, range(min(options.samples, len(data))))
    sampler = ResumableSampler(data, seed=options.seed, drop_last=True)
    if len(data) < options.batch:
        raise SystemExit("the data has fewer samples than --batch")
    return sampler, make_loader(data, sampler, options, device, step), held_out


# %%
# For model and optimizer the order matters. All ranks build the model with one seed,
# then each gets a seed of its own for dropout, and only after that may ``load`` replace
# the random numbers. :doc:`/tutorials/start/one_gpu_to_many` shows what one seed for
# all ranks does to dropout.


def build(options, device):
    if options.batch % (dist.get_world_size() * options.accumulate):
        raise SystemExit("--batch must be divisible by ranks x --accumulate")
    torch.manual_seed(options.seed)
    model = LanguageModel().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.learning_rate)
    schedule = make_schedule(optimizer, options)
    torch.manual_seed(options.seed + 1 + dist.get_rank())
    return {"model": model, "optimizer": optimizer, "schedule": schedule}


# %%
# The program keeps no counter of epochs. The step is the only position that it needs,
# because ``divmod`` turns it into the epoch and the steps done in it. So a checkpoint
# can't contain an epoch and a step that contradict each other. (Data without a length,
# a stream for example, need a position of their own in the checkpoint, for each rank.)


def numbered_steps(step, sampler, loader, options):
    """Yield the number of each step, and the iterator to take its batches from."""
    steps_per_epoch = len(sampler.dataset) // options.batch
    while step < options.steps:
        epoch, done = divmod(step, steps_per_epoch)
        sampler.resume(epoch, done * options.batch // dist.get_world_size())
        batches = iter(loader)
        for _ in range(min(steps_per_epoch - done, options.steps - step)):
            step += 1
            yield step, batches


# %%
# Now the loop. It logs the loss, the norm of the gradients, and how fast the run has
# been since the last log, with everything that took time.
#
# Before it saves, it looks if all gradients since the last log were finite. A single
# one that is infinite or no number (NaN) turns parameters into NaN, while the loss of
# that step is still finite, and saving them would overwrite a good checkpoint. A sum
# that contains an infinite number or a NaN is never finite again. So we add up the
# norms on the GPU, and the CPU waits for it only to log and to save.
#
# If a signal stops the run at a step that should evaluate, this one evaluation is left
# out, because the time until the run is killed may be short.
#
# ``torch.compile`` stays behind a switch, because compiling takes time
# before the first step (minutes for a large model), and an error is easier to read
# without it. It compiles the model in place, by the method ``compile``: so evaluation
# is compiled too, and the keys of the checkpoint stay as they are.
import time

from torch.nn.parallel import DistributedDataParallel


def train(options, device, stop, log=print_value):
    parts = build(options, device)
    if options.compile:
        parts["model"].compile()
    ddp_model = DistributedDataParallel(parts["model"])
    file = Path(options.folder) / "checkpoint.pt"
    first = load(parts, file, device, options)
    sampler, loader, held_out = open_data(options, device, first)

    norms = torch.zeros((), device=device)  # the sum since the last log
    logged, began = first, time.perf_counter()
    for step, batches in numbered_steps(first, sampler, loader, options):
        loss, norm = one_step(ddp_model, parts["optimizer"], batches, device, options)
        norms += norm
        parts["schedule"].step()
        is_last, stopped = step == options.steps, False
        saves = is_last or step % options.save_every == 0
        if saves or step % options.log_every == 0:
            mean, stopped = agree(loss, stop)
            mean_norm = norms.item() / (step - logged)
            log(step, "loss", mean)
            log(step, "gradient norm", mean_norm)
            if not math.isfinite(mean + mean_norm):
                raise SystemExit(f"stopped: {mean=}, {mean_norm=} at step {step}")
            seconds = time.perf_counter() - began
            log(step, "samples per second", (step - logged) * options.batch / seconds)
            norms.zero_()
            logged, began = step, time.perf_counter()
        if is_last or (step % options.evaluate_every == 0 and not stopped):
            value = evaluate(parts["model"], held_out, device, options)
            log(step, "validation loss", value)
        if saves or stopped:
            save(parts, step, file, device, options)
        if stopped:
            break


# %%
# Start it
# --------
#
# ``main`` is what ``torchrun`` runs. The handlers come first, so that even an early
# signal is noted. A lesson may fall back to the CPU, but at work nobody wants to find
# out the next morning that a run used the CPU, so ``main`` stops if the machine has
# GPUs and the ranks don't use them.
import sys


def main():
    options = read_options(sys.argv[1:])
    stop = listen()
    device = start()
    if device.type == "cpu" and (torch.cuda.is_available() or torch.xpu.is_available()):
        reason = "stopped: this machine has fewer GPUs than ranks"
        raise SystemExit(1 if dist.get_rank() else reason)
    train(options, device, stop)
    dist.destroy_process_group()


# %%
# With arguments, the file trains and ends here. In a notebook ``sys.argv`` holds the
# arguments of Jupyter, and there is no ``__file__``.
in_file = "__file__" in globals()
if __name__ == "__main__" and in_file and len(sys.argv) > 1:
    main()
    sys.exit()

# %%
# Stop and resume it once before you depend on it. A run with the same folder goes on
# where the last one stopped, so a new experiment needs a new folder.
#
# .. code-block:: bash
#
#    torchrun --standalone --nproc-per-node=2 training_program.py --steps 2000 &
#    sleep 60
#    kill %1  # sends SIGTERM to torchrun, and all ranks save
#    wait
#    torchrun --standalone --nproc-per-node=2 training_program.py --steps 2000
#
# Many clusters are shared by `Slurm <https://slurm.schedmd.com/sbatch.html>`__. Our
# script for it, ``train.slurm``, starts one ``torchrun`` on each machine. It puts the
# job back into the queue when its time is over or a machine has failed, and never after
# success. :doc:`/tutorials/long_runs/several_nodes` has it and explains each line. Some
# of its options are about this program:
#
# With ``--signal=USR1@120`` Slurm sends SIGUSR1 two minutes before the time is over. By
# itself `torchrun <https://docs.pytorch.org/docs/stable/elastic/run.html>`__ would die
# of it, and its ranks would go on without it. So ``--signals-to-handle`` tells it to
# pass the signal on to its ranks. ``torchrun`` kills ranks that are still there 30
# seconds later, unless you give it more time by ``--shutdown-timeout``. In this time,
# an evaluation that is running, ``--log-every`` steps and the writing of one file must
# all be done. When Slurm takes a machine away for a more important job, it sends
# SIGTERM, and how long the job may live after that is decided by the cluster
# (``GraceTime``). It may be no time at all. So save so often that you can do without
# this last file.
#
# The program ends here. What follows is its test. In your own copy, keep it and run it
# after each change, or delete everything from here on.
#
# Interrupt it, and compare
# -------------------------
#
# A checkpoint that nobody has loaded is a hope. Without arguments the file proves that
# it resumes: one run makes 20 steps, another is interrupted after 10 by a real SIGUSR1
# and started again. With 384 samples an epoch has 8 steps, so the interruption is in
# the middle of the second one. On a CPU with one or two ranks the test trains in bf16;
# elsewhere in fp32, so that a missing state doesn't hide in rounding errors. **Predict
# first**: which of the 20 losses will differ, and from which digit on?
#
# The signal goes to rank 0 only, after step 9, and at step 10 all ranks agree to stop.
# ``run`` gives ``train`` a log that keeps the values instead of printing them. (The
# test is for one machine, because only its ranks share the temporary folder.)
import tempfile

ARGUMENTS = "--steps 20 --samples 384 --log-every 1 --evaluate-every 8".split()


def is_exact(device):
    return device.type == "cpu" and dist.get_world_size() <= 2


def run(folder, device, signal_after=None):
    values = {"loss": {}, "validation loss": {}}

    def keep(step, name, value):
        if name in values:  # the speed differs from run to run
            values[name][step] = value
        if step == signal_after and dist.get_rank() == 0:
            signal.raise_signal(signal.SIGUSR1)

    # Workers import this file. In a notebook there is none, so the rank itself loads.
    n_workers = 1 if in_file else 0
    precision = "bf16" if is_exact(device) else "fp32"
    arguments = [*ARGUMENTS, f"--folder={folder}", f"--workers={n_workers}"]
    arguments += [f"--data={folder}", f"--precision={precision}", "--accumulate=2"]
    train(read_options(arguments), device, listen(), keep)
    return values


# %%
# Everything below is under ``if __name__ == "__main__"``, so that a worker that imports
# the file doesn't run the test, too.
if __name__ == "__main__":
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    device = start()
    temporary = tempfile.TemporaryDirectory()
    folders = [temporary.name]
    dist.broadcast_object_list(folders)  # all ranks use the folder of rank 0

    whole = run(f"{folders[0]}/whole", device)
    first = run(f"{folders[0]}/interrupted", device, signal_after=9)
    second = run(f"{folders[0]}/interrupted", device)
    if dist.get_rank() == 0:
        lengths = len(first["loss"]), len(second["loss"])
        print("steps before and after the interruption:", *lengths)

    for number, handler in handlers.items():
        signal.signal(number, handler)  # only a page or a notebook lives on
    dist.barrier()
    temporary.cleanup()

# %%
# With one or two ranks on a CPU the answer is: none of them, in no digit. With more
# ranks the last digits may differ, because a sum of three or more numbers depends on
# the order in which they are added, and DDP rearranges its buckets after the first step
# of each start. Some GPU kernels add in another order from run to run, unless you
# choose ``torch.use_deterministic_algorithms(True)``, which is slower.
if __name__ == "__main__":
    exact = is_exact(device)
    tolerance = 0 if exact else 1e-4
    for name in whole:
        together = first[name] | second[name]
        assert together.keys() == whole[name].keys(), f"steps are missing: {name}"
        largest = max(abs(whole[name][step] - together[step]) for step in whole[name])
        assert largest <= tolerance, f"{name} differs by {largest}: a state is missing"
        if dist.get_rank() == 0:
            how = "equal, bit for bit" if exact else f"equal within {tolerance}"
            print(f"{name}: {len(together)} of {len(whole[name])} {how}")
    assert list(first["loss"]) == list(range(1, 11)), "the ranks didn't stop at step 10"
    assert whole["loss"][20] < whole["loss"][1] - 0.5, "the model doesn't learn"
    dist.destroy_process_group()

# %%
# Try it
# ------
#
# Predict first, then run.
#
# - Leave ``generator=`` out of ``make_loader``. At which step do the losses begin to
#   differ, and why not earlier?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      At step 11, the first one after the interruption. ``load`` restores the random
#      numbers, and then the loader draws its seed from them, once more than in the run
#      without a break. From there on, the dropout masks differ.
#
# - What do you have to check before you resume a run of yours on twice as many GPUs?
#
#   .. admonition:: Answer
#      :collapsible: closed
#
#      The global batch must be divisible by the ranks times ``--accumulate``, and the
#      share of a rank must not get so small that its GPU is idle most of the time.
#      Dropout draws other numbers, so the losses will be similar, not equal. And a
#      model with batch normalization normalizes over fewer samples per rank.
#
# - What does the next step of your own program depend on, and is all of it in the
#   checkpoint? Interrupt your program and compare, as we did here.
#
# What to remember
# ----------------
#
# - A checkpoint contains all that the next step depends on: model, optimizer, schedule,
#   position in the data, and the random numbers of every rank.
# - A signal is only a request. The handler notes it, the ranks agree, and all of them
#   stop after the same step.
# - Resume once, on purpose, and compare the losses, before you need it.
#
# Where to go next
# ----------------
#
# - :doc:`/tutorials/long_runs/checkpoints` keeps several checkpoints, and reads damaged
#   ones.
# - :doc:`/tutorials/long_runs/several_nodes` starts this program on several machines.
# - :doc:`/tutorials/larger_models/real_run` is the program for a model that doesn't fit
#   into one GPU.
# - :doc:`/tutorials/start/when_it_hangs` helps when the ranks don't agree.
