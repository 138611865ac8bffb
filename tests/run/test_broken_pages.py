"""Break a page, and it stops: each page's main assertions can fail."""

from pathlib import Path
from typing import NamedTuple

import pytest
import warm
from paths import PROJECT

from gallery_run.needs import world_size

GALLERY = PROJECT / "gallery"
GRID = 4  # ranks: two make no rows and columns


class Break(NamedTuple):
    """One change of a page, and the line of the page that must then fail."""

    page: str
    what: str
    old: str
    new: str
    fails: str
    ranks: int = 2  # at most, as fewer say the same


BREAKS = (
    Break(
        "one_process/multi_gpu_examples",
        "the outputs are gathered in reverse order",
        "[part.to(output_device) for part in outputs]",
        "[part.to(output_device) for part in outputs[::-1]]",
        "torch.testing.assert_close(y, layer(x))",
    ),
    Break(
        "one_process/multi_gpu_examples",
        "each device averages over its own rows",
        "/ y.numel() for part in outputs",
        "/ part.numel() for part in outputs",
        "torch.testing.assert_close(split, first + second)",
    ),
    Break(
        "one_process/multi_gpu_examples",
        "the gradients of the copies do not reach the model",
        "p.to(d, copy=True)",
        "p.detach().to(d, copy=True)",
        'assert replicas[1][1]["bias"].grad_fn',
    ),
    Break(
        "one_process/multi_gpu_examples",
        "the wrapped model is not trained",
        "    optimizer.step()",
        "    pass",
        "assert losses[-1] < losses[0] / 10",
    ),
    Break(
        "one_process/multi_gpu_examples",
        "the keys keep their prefix",
        'consume_prefix_in_state_dict_if_present(state, "module.")',
        "",
        "assert list(state) == list(wrapped.module.state_dict())",
    ),
    Break(
        "one_process/input_sizes",
        "the data set has one sample less",
        "batch_size, data_size = 30, 100",
        "batch_size, data_size = 30, 99",
        "assert [batch[-1:] for batch in seen] ==",
    ),
    Break(
        "one_process/input_sizes",
        "the rows are split by tensor_split, not by chunk",
        "pieces = input.chunk(len(devices))",
        "pieces = input.tensor_split(len(devices))",
        "assert seen == [sizes(10, 10, 10, 30)] * 3",
    ),
    Break(
        "one_process/input_sizes",
        "the piece of the eighth device is dropped",
        "for p, d in zip(pieces, devices)",
        "for p, d in zip(pieces, devices[:7])",
        "assert seen == [sizes(4, 4, 4, 4, 4, 4, 4, 2, 30)] * 3",
    ),
    Break(
        "one_process/input_sizes",
        "the copies are the model itself, and learn",
        "deepcopy(module).to(d)(",
        "module.to(d)(",
        "assert layer.weight.grad is None",
    ),
    Break(
        "one_process/data_parallel_limits",
        "the replicas use the weights of the model itself",
        "p.to(d, copy=True)",
        "p.to(d)",
        "assert len(memory) == 4 * len(expected)",
    ),
    Break(
        "one_process/data_parallel_limits",
        "the gradients of the copies do not reach the model",
        "p.to(d, copy=True)",
        "p.detach().to(d, copy=True)",
        "torch.testing.assert_close(list(gradients), expected",
    ),
    Break(
        "one_process/data_parallel_limits",
        "unequal pieces are averaged without weights",
        "weighted = (per_device * rows).sum() / rows.sum()",
        "weighted = per_device.mean()",
        "torch.testing.assert_close(gradient(weighted), whole",
    ),
    Break(
        "one_process/split_model",
        "the whole model starts with other parameters",
        "copy.deepcopy(model.second)).cpu()",
        "nn.Linear(128, 32).double()).cpu()",
        "torch.testing.assert_close(split.grad.cpu(), together.grad)",
    ),
    Break(
        "one_process/split_model",
        "a replica's own gradient takes the place of the mean",
        "mean = (mine.grad.cpu() + other.grad.cpu()) / 2",
        "mean = mine.grad.cpu()",
        "torch.testing.assert_close(mean, together.grad)",
    ),
    Break(
        "one_process/split_model",
        "the two columns are swapped",
        "images.chunk(2, dim=1)",
        "images.chunk(2, dim=1)[::-1]",
        "torch.testing.assert_close(maps, grouped(images))",
    ),
    Break(
        "one_process/split_model",
        "a stage does not wait for the stage before it",
        "slot = max(free[d], done[i])",
        "slot = free[d]",
        "assert idle == Fraction(p - 1, m + p - 1)",
    ),
    Break(
        "ranks/hello_ranks",
        "a rank passes on its own number, not the sum",
        "    passed += received\n",
        "",
        "assert passed_sums == [sum(range(1, r + 2))",
    ),
    Break(
        "ranks/hello_ranks",
        "there is no all-reduce",
        "\ndist.all_reduce(total)\n",
        "\n",
        "assert totals == [passed_sums[-1]] * world_size",
    ),
    Break(
        "ranks/collectives",
        "nothing is broadcast",
        "dist.broadcast(copy, src=0)\n",
        "",
        "assert copies == [before[0]] * world_size",
    ),
    Break(
        "ranks/collectives",
        "each rank keeps its row in place of the all-to-all",
        "dist.all_to_all_single(column, mine)",
        "column.copy_(mine)",
        "assert columns == [list(column) for column in zip(*before)]",
    ),
    Break(
        "ranks/collectives",
        "the all-gather collects what was there before the reduce-scatter",
        "dist.all_gather_single(rebuilt, part)",
        "dist.all_gather_single(rebuilt, mine[:1])",
        "assert torch.equal(rebuilt, total)",
    ),
    Break(
        "ranks/collectives",
        "the ring passes chunks on, and adds nothing",
        "(incoming + received if step",
        "(received if step",
        "assert torch.equal(by_rank_0, by_torch)",
    ),
    Break(
        "ranks/collectives",
        "the ring sends whole tensors, not chunks",
        "sent += outgoing.nbytes",
        "sent += tensor.nbytes",
        "assert ring == [2 * (w - 1) * n // w] * w",
    ),
    Break(
        "ddp/one_gpu_to_many",
        "the loss of one rank is taken for that of all",
        "losses.mean(dim=0), single[:, 0]",
        "losses[0], single[:, 0]",
        "torch.testing.assert_close(losses[0], single[:, 0]",
    ),
    Break(
        "ddp/one_gpu_to_many",
        "the correct samples of the other ranks are not counted",
        "dist.all_reduce(counts)",
        "dist.all_reduce(counts[1:])",
        "together.endswith(alone)",
    ),
    Break(
        "ddp/one_gpu_to_many",
        "the keys keep the prefix of the wrapper",
        "torch.save(model.module.state_dict(), ",
        "torch.save(model.state_dict(), ",
        "torch.testing.assert_close(dict(saved), dict(expected)",
    ),
    Break(
        "ddp/one_gpu_to_many",
        "each rank sees the whole batch",
        "for share in batch.split(16)",
        "for share in batch.split(32)",
        "assert (whole - split).abs().max() > 0.5",
    ),
    Break(
        "ddp/starting_processes",
        "the batch is not divided between the ranks",
        "batch_size=int(512 / n_gpus)",
        "batch_size=512",
        "assert share in by_spawn.stdout",
    ),
    Break(
        "ddp/distributed_data_parallel",
        "each rank draws from all samples",
        "\nsampler = DistributedSampler(samples)",
        "\nsampler = torch.utils.data.RandomSampler(samples)",
        "assert sorted(sum(hands, [])) == list(samples)",
    ),
    Break(
        "ddp/distributed_data_parallel",
        "set_epoch is not called",
        "sampler.set_epoch(1)\n",
        "",
        "assert repeated == hands and next_hands != hands",
    ),
    Break(
        "ddp/distributed_data_parallel",
        "the model is not trained",
        "        optimizer.step()",
        "        pass",
        "assert mean_losses[-1] < mean_losses[0]",
    ),
    Break(
        "ddp/distributed_data_parallel",
        "the models of the ranks are independent",
        "ranks_agree(DistributedDataParallel(fresh))",
        "ranks_agree(fresh)",
        "assert agree_after and not agree_before",
    ),
    Break(
        "ddp/distributed_data_parallel",
        "the gradients are computed without the wrapper",
        "in (wrapped, batch)",
        "in (wrapped.module, batch)",
        "torch.testing.assert_close(ours.grad, theirs.grad)",
    ),
    Break(
        "ddp/distributed_data_parallel",
        "the buffers of rank 0 are not sent",
        "norm.eval()(inputs)",
        "norm.eval().module(inputs)",
        "assert own_means != received",
    ),
    Break(
        "ddp/distributed_data_parallel",
        "the wrapper is called, not the model in it",
        "step(bypassed.module, ",
        "step(bypassed, ",
        "assert not agree",
    ),
    Break(
        "ddp/ddp_from_scratch",
        "a gradient is added up, but not averaged",
        "        parameter.grad /= world_size\n        dist.all_reduce(parameter.grad)",
        "        dist.all_reduce(parameter.grad)",
        "assert_close(train(model, average_gradients), by_ddp",
    ),
    Break(
        "ddp/ddp_from_scratch",
        "the ranks start with other parameters",
        "    dist.broadcast(parameter.detach(), src=0)\n    parameter.reg",
        "    parameter.reg",
        "assert_close(train(model, wait), by_ddp",
    ),
    Break(
        "ddp/ddp_from_scratch",
        "the optimizer does not wait for the messages",
        "assert_close(train(model, parallel.wait)",
        "assert_close(train(model)",
        "assert_close(train(model), by_ddp",
    ),
    Break(
        "ddp/ddp_from_scratch",
        "hooks send although they should not",
        "parallel.sync = False\n",
        "parallel.sync = True\n",
        "assert sizes == [2 * (32 * 32 + 32)] * 3",
    ),
    Break(
        "ddp/ddp_from_scratch",
        "one bucket holds all gradients",
        '("buckets", 4)',
        '("buckets", 12)',
        'assert early == {"after backward": 0',
    ),
    Break(
        "ddp/feeding_data",
        "the slices of the ranks are padded too",
        "sliced = accuracy(range(rank, len(samples), world_size))",
        "sliced = accuracy(padded)",
        "assert sliced == truth < too_high",
    ),
    Break(
        "ddp/feeding_data",
        "the workers of a rank are not told apart",
        "first = self.rank * n_workers + worker",
        "first = self.rank * n_workers",
        'assert times_seen(seen["sharded stream"]) == Counter(samples)',
    ),
    Break(
        "ddp/feeding_data",
        "the last gradient is divided by the ranks that are left",
        "weight := one_epoch()[0]",
        "weight := one_epoch(divide_by_initial_world_size=False)[0]",
        "assert abs(weight + sum(samples) / world_size) < 1e-3",
    ),
    Break(
        "ddp/feeding_data",
        "the resumed program starts with the order of another epoch",
        "batch_sampler=batches_of(epoch=5)",
        "batch_sampler=batches_of(epoch=0)",
        "assert times_seen(from_all_ranks(before + after)) == Counter(samples)",
    ),
    Break(
        "ddp/feeding_data",
        "all ranks keep the same seed",
        "torch.manual_seed(0 + rank)",
        "torch.manual_seed(0)",
        "assert len(set(sum(own, []))) == 4 * world_size",
    ),
    Break(
        "ddp/hide_the_traffic",
        "DDP knows in the first step that the buckets are limited",
        "**options)\n    ddp_model.register",
        "**options, find_unused_parameters=True)\n    ddp_model.register",
        "assert len(first) == 1 and sum(first) == sum(default)",
    ),
    Break(
        "ddp/hide_the_traffic",
        "each message waits for the end of backward",
        "begin = max(ready, end)",
        "begin = max(backward, end)",
        "assert ends[0] > ends[1] > min(ends.values())",
    ),
    Break(
        "ddp/hide_the_traffic",
        "the loss is not divided by the number of parts",
        "loss_function(ddp_model(x), y) / n_parts",
        "loss_function(ddp_model(x), y)",
        "torch.testing.assert_close(gradients_of(ddp_model, 4)",
    ),
    Break(
        "ddp/hide_the_traffic",
        "every part sends its gradients",
        "if i < n_parts - 1 else",
        "if i < 0 else",
        "assert len(sent) == messages",
    ),
    Break(
        "ddp/hide_the_traffic",
        "the lost part of the gradient is never sent",
        "use_error_feedback=feedback)",
        "use_error_feedback=False)",
        'assert losses["all-reduce"] < losses["PowerSGD"]',
    ),
    Break(
        "ddp/when_it_hangs",
        "all ranks have equally many batches",
        "range(2 if rank == last else 3)",
        "range(3)",
        'assert errors[last] == "Empty: "',
    ),
    Break(
        "ddp/when_it_hangs",
        "every rank comes to the barrier",
        "    if rank != last:\n        # Without",
        "    if True:\n        # Without",
        'assert f"Ranks {last} failed to pass monitoredBarrier" in errors[0]',
    ),
    Break(
        "ddp/when_it_hangs",
        "rank 0 makes its extra call in the same function",
        "        log_loss(losses)",
        "        sum_grads(losses)",
        "assert (first_difference(missing), first_difference(extra))",
    ),
    Break(
        "ddp/when_it_hangs",
        "the calls that DETAIL compares are alike",
        "torch.full((1,), 100.0)",
        "torch.full((4,), 100.0)",
        'assert all("Detected mismatch" in error',
    ),
    Break(
        "ddp/when_it_hangs",
        "no rank fails while it reads",
        'raise ValueError("bad sample")',
        "pass",
        'assert [e.partition(":")[0] for e in errors]',
    ),
    Break(
        "larger_models/long_sequences",
        "parts are merged with equal weights",
        "both = torch.logaddexp(lse, part_lse)",
        "both = lse = part_lse",
        "assert_close(merge(few, few_lse, rest, rest_lse)[0]",
    ),
    Break(
        "larger_models/long_sequences",
        "positions begin at 0 in each piece",
        "[:, layout[rank]]",
        "[:, layout[rank]] % torch.tensor([99, per_piece, 99])[:, None, None]",
        "assert_close(gradients / world_size, expected)",
    ),
    Break(
        "larger_models/long_sequences",
        "the gradients of keys and values do not come home",
        "*(own + others), None",
        "*own, None",
        "assert_close(gradients / world_size, expected)",
    ),
    Break(
        "larger_models/long_sequences",
        "zig-zag begins again at the first half of the text",
        "[r, n_pieces - 1 - r]",
        "[r, world_size + r]",
        'assert work["zig-zag"] ==',
    ),
    Break(
        "larger_models/long_sequences",
        "the log-sum-exp is kept once for each feature",
        "(q, k, v, out, lse)",
        "(q, k, v, out, lse.expand_as(out).clone())",
        "assert kept * world_size <= kept_by_one",
    ),
    Break(
        "larger_models/fitting_in_memory",
        "Adam keeps a third number",
        "torch.optim.AdamW(parameters)",
        "torch.optim.AdamW(parameters, amsgrad=True)",
        "assert sum(fixed) * 2**20 == 16 *",
    ),
    Break(
        "larger_models/fitting_in_memory",
        "the old gradients stay until backward",
        "output = watched(model, x)\n"
        "look()  # the old gradients are still there\n"
        "optimizer.zero_grad()\n",
        "output = watched(model, x)\nlook()  # the old gradients are still there\n",
        "assert sum(moments[0]) > max(map(sum, moments[1:]))",
    ),
    Break(
        "larger_models/fitting_in_memory",
        "the loss of a part is not divided",
        ", y_part) / n_parts",
        ", y_part)",
        "torch.testing.assert_close(gradients(), expected)",
    ),
    Break(
        "larger_models/fitting_in_memory",
        "autocast computes in float32",
        "torch.autocast(device.type, torch.bfloat16, cache",
        "torch.autocast(device.type, enabled=False, cache",
        "assert autocast < 0.65 * plain",
    ),
    Break(
        "larger_models/fitting_in_memory",
        "nothing is checkpointed",
        "x = checkpoint(block, x, use_reentrant=False)",
        "x = block(x)",
        "assert inputs + block < plain / 3",
    ),
    Break(
        "larger_models/fully_sharded",
        "every rank keeps the whole optimizer state",
        "ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam)",
        "torch.optim.Adam(model.parameters())",
        "assert sum(states) == 2 * whole",
    ),
    Break(
        "larger_models/fully_sharded",
        "the optimizer is made before the model is sharded",
        "model = shard(build().to(device))\n"
        "optimizer = torch.optim.Adam(model.parameters())",
        "model = build().to(device)\n"
        "optimizer = torch.optim.Adam(model.parameters())\n"
        "model = shard(model)",
        'assert keeps["fully_shard"][0] == [part, part, 2 * part]',
    ),
    Break(
        "larger_models/fully_sharded",
        "the model is sharded without its blocks",
        "for block in model[:-1]:",
        "for block in []:",
        'assert most["fully_shard"] == own + sum(',
    ),
    Break(
        "larger_models/fully_sharded",
        "the ranks begin with different models",
        "torch.manual_seed(0)",
        "torch.manual_seed(rank)",
        'assert all(abs(loss - losses["DDP"]) < 1e-4',
    ),
    Break(
        "larger_models/fully_sharded",
        "the last layer is gathered twice",
        "return fully_shard(model, mesh=mesh, **options)",
        "return fully_shard("
        'model, mesh=mesh, **{"reshard_after_forward": True} | options)',
        "assert world_size == 1 or [*traffic.values()] == sizes",
    ),
    Break(
        "larger_models/tensor_parallel",
        "each rank has the rows of another rank's columns",
        "my_rows = w2.chunk(world_size, dim=0)[rank]",
        "my_rows = w2.chunk(world_size, dim=0)[rank - 1]",
        "assert torch.equal(y, (x @ w1).relu() @ w2)",
    ),
    Break(
        "larger_models/tensor_parallel",
        "the ranks train on different samples",
        "torch.manual_seed(0)",
        "torch.manual_seed(rank)",
        "torch.testing.assert_close(train(plan(Replicate()), x)",
    ),
    Break(
        "larger_models/tensor_parallel",
        "an all-reduce goes around the ring once",
        "rounds = 2 if",
        "rounds = 1 if",
        'assert sent == [("all_reduce", 2 * once)] * n_times',
    ),
    Break(
        "larger_models/tensor_parallel",
        "there is a whole head for each rank",
        "n_heads, head_dim = world_size + 1,",
        "n_heads, head_dim = world_size,",
        """assert "don't multiply up" in str(refusal)""",
    ),
    Break(
        "larger_models/tensor_parallel",
        "the norms keep the gradients of their own tokens",
        ' | {"norm*": SequenceParallel()}',
        "",
        "torch.testing.assert_close(train(by_token, share)",
    ),
    Break(
        "larger_models/pipeline_parallel",
        "the gradients are not divided by the number of micro-batches",
        "else stages[0], n, loss_function)",
        "else stages[0], n, loss_function, scale_grads=False)",
        "torch.testing.assert_close(ours.grad, expected[ours]",
    ),
    Break(
        "larger_models/pipeline_parallel",
        "a forward pass does not wait for the stage before it",
        '{"forward": -1, "backward": 1, ',
        '{"backward": 1, ',
        'assert idle["whole batch"] == Fraction(p - 1, p)',
    ),
    Break(
        "larger_models/pipeline_parallel",
        "the order of 1F1B is that of GPipe",
        '"1F1B": (schedules.Schedule1F1B, ',
        '"1F1B": (schedules.ScheduleGPipe, ',
        'assert kept["1F1B"] == [2 * (p - r) for r in range(p)]',
    ),
    Break(
        "larger_models/pipeline_parallel",
        "interleaved 1F1B takes the place of the zero-bubble schedule",
        "schedules.ScheduleZBVZeroBubble, m, [rank, 2 * p - 1 - rank]",
        "schedules.ScheduleInterleaved1F1B, m, [rank, p + rank]",
        'assert idle["zero bubble"] == Fraction(p - 1, 6 * m + p - 1)',
    ),
    Break(
        "larger_models/pipeline_parallel",
        "messages of other schedules are counted too",
        "model.zero_grad(), events.clear(), sent.clear()",
        "model.zero_grad(), events.clear()",
        "assert len(traffic[name]) == n * m and sum(traffic[name])",
    ),
    Break(
        "larger_models/pipeline_parallel",
        "the shapes are given to both stages",
        "for shapes, extra in ({}, 1), ",
        'for shapes, extra in ({"input_args": x, "output_args": x}, 1), ',
        "assert norm.num_batches_tracked == m + extra",
    ),
    Break(
        "larger_models/experts",
        "a token goes through all experts",
        "output[chosen == i] = expert(tokens[chosen == i])",
        "output[chosen == i] = expert(tokens)[chosen == i]",
        "assert in_mixture.get_total_flops() == in_one.get_total_flops()",
    ),
    Break(
        "larger_models/experts",
        "the router's probability is no factor of the output",
        "return probability[..., None] * through(",
        "return through(",
        "assert router.weight.grad is not None",
    ),
    Break(
        "larger_models/experts",
        "gradients do not travel back to their tokens",
        "AllToAll.apply(gradient, ctx.receive, ctx.send), None",
        "gradient.new_zeros(sum(ctx.send), width), None",
        "torch.testing.assert_close(my_tokens.grad, tokens.grad[rank])",
    ),
    Break(
        "larger_models/experts",
        "the results keep the order of their experts",
        "returned[order.argsort()]",
        "returned",
        "torch.testing.assert_close(output, expected[rank])",
    ),
    Break(
        "larger_models/experts",
        "the auxiliary loss is left out",
        "train(20, auxiliary_loss)[-1]",
        "train(20)[-1]",
        "assert world_size == 1 or fullest[0] > 1.5 > fullest[1]",
    ),
    Break(
        "larger_models/two_dimensions",
        "the groups of rows and columns are mistaken for each other",
        "my_column, my_row = map(",
        "my_row, my_column = map(",
        "assert my_row == mesh.mesh[row].tolist()",
    ),
    Break(
        "larger_models/two_dimensions",
        "the samples of the first rank stay with it",
        '    dist.broadcast(inputs, group=mesh.get_group("tp"), group_src=0)',
        "",
        "assert torch.allclose(model(inputs), single(inputs))\n",
        GRID,
    ),
    Break(
        "larger_models/two_dimensions",
        "the sampler counts all ranks",
        "DistributedSampler(samples, n_rows, row, shuffle=False)",
        "DistributedSampler(samples, rank=rank, shuffle=False)",
        "assert torch.allclose(part.grad.to_local(), whole.grad[",
        GRID,
    ),
    Break(
        "larger_models/two_dimensions",
        "the names of the hybrid mesh are in the wrong order",
        'mesh_dim_names=("replicate", "shard")',
        'mesh_dim_names=("shard", "replicate")',
        'assert counts["hybrid"] == {"replicate": {"all-reduce": 2}',
        GRID,
    ),
    Break(
        "larger_models/two_dimensions",
        "an all-reduce is counted as one pass",
        'passes = 2 if kind == "all-reduce" else 1',
        "passes = 1",
        'assert slow["hybrid"] == 2 * (n_rows - 1)',
    ),
    Break(
        "long_runs/checkpoints",
        "the half file has a final name",
        'os.truncate("unfinished", 1000)',
        'os.truncate(os.rename("unfinished", "step_0006.pt") or "step_0006.pt", 9)',
        "assert done.returncode == 0, done.stderr",
    ),
    Break(
        "long_runs/checkpoints",
        "the optimizer is not loaded",
        "        part.load_state_dict(state[name])",
        '        name == "optimizer" or part.load_state_dict(state[name])',
        "assert log[3:6] == log[6:9]",
    ),
    Break(
        "long_runs/checkpoints",
        "steps have no seed of their own",
        "        torch.manual_seed(step * world_size + rank)\n",
        "",
        "assert log[3:6] == log[6:9]",
    ),
    Break(
        "long_runs/checkpoints",
        "all batches of the epoch come again",
        "islice(loader, step % len(loader), None)",
        "islice(loader, 0, None)",
        "assert [int(step) for step, _ in log] ==",
    ),
    Break(
        "long_runs/checkpoints",
        "what was loaded is not handed to the model",
        """    set_state_dict(model, optimizer, model_state_dict=state["model"],
                   optim_state_dict=state["optimizer"])
""",
        "    torch.nn.init.zeros_(model[0].bias)\n",
        "torch.testing.assert_close(saved[name], saved",
    ),
    Break(
        "long_runs/several_nodes",
        "no rank waits for the one that saves",
        "dist.barrier()\n",
        "",
        "assert [process.returncode for process in processes] == ",
    ),
    Break(
        "long_runs/several_nodes",
        "the ranks take samples by their local rank",
        "[rank::world_size]",
        "[local_rank::world_size]",
        "assert outputs[1].splitlines()[-1] == ",
    ),
    Break(
        "long_runs/several_nodes",
        "the order of the ring ignores the nodes",
        "pass_on(memory, range(world_size), ",
        "pass_on(memory, ranks.T.flatten().tolist(), ",
        'assert counts["flat_ring"][1].total() == ',
    ),
    Break(
        "long_runs/several_nodes",
        "the endpoint has no port",
        '"$node0:$port"',
        '"$node0"',
        "assert (command, args.nnodes, args.rdzv_endpoint) == ",
    ),
    Break(
        "long_runs/choosing",
        "an all-reduce is counted as one pass",
        'PASSES = {"allreduce_": 2, ',
        'PASSES = {"allreduce_": 1, ',
        "assert table[way][1:5] == tuple(map(round, n_bytes)), way",
    ),
    Break(
        "long_runs/choosing",
        "blocks are freed after their forward pass",
        "partial(shard, reshard_after_forward=False)",
        "shard",
        "assert table[way][1:5] == tuple(map(round, n_bytes)), way",
    ),
    Break(
        "long_runs/choosing",
        "the gradients of all but the pipeline are half as large",
        "losses[0].backward()",
        "(losses[0] / 2).backward()",
        "assert abs(table[way][0] - single) < 1e-5 * single, way",
    ),
    Break(
        "long_runs/choosing",
        "the ranks of a row compute different samples",
        'grid["dp"]), *row)',
        'grid["dp"]), *mine)',
        "assert table[way][1:5] == tuple(map(round, n_bytes)), way",
        GRID,
    ),
    Break(
        "long_runs/choosing",
        "ranks that should not exchange gradients do",
        'train("no messages", nn.Sequential, *mine)',
        'train("no messages", ddp, *mine)',
        'assert abs(table["no messages"][0] - single) > 0.01 * single',
    ),
)


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{case.page}: {case.what}") for case in BREAKS]
)
def test_a_broken_page_fails_where_it_says_so(tmp_path: Path, case: Break) -> None:
    original = (GALLERY / f"{case.page}.py").read_text("utf-8")
    assert original.count(case.old) == 1, f"change this case: {case.old!r}"
    script = tmp_path / Path(case.page).with_suffix(".py").name
    script.write_text(original.replace(case.old, case.new), "utf-8")

    work = warm.Script(script, tmp_path)

    # without GPUs, so that a break fails alike on every machine
    ranks = world_size(original) or 0
    ranks = min(ranks, case.ranks)
    done = warm.run(work, tmp_path, ranks, CUDA_VISIBLE_DEVICES="")

    assert done.returncode != 0
    assert "AssertionError" in done.stderr, done.stderr
    assert case.fails in done.stderr, done.stderr
