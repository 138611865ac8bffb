"""Names of torch lead to its documentation, and to what they mean on their page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from paths import PROJECT

from gallery_intl.page.names import Names, written

CODE = """
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

def gather(outputs, output_device):
    return torch.cat(outputs)

def all_reduce(total):
    dist.all_reduce(total)

class Model(nn.Module):
    pass

device = torch.device("cpu")
model = DDP(Model().to(device))
dist.send(model.state, dst=1)
torch.cuda.device_count() or torch.accelerator.device_count()
"""
# What our pages use of torch and its documentation does not describe by this name.
UNDESCRIBED = {
    "torch.ScriptObject",
    "torch._C._distributed_c10d._dump_fr_trace",
    "torch.bfloat16",
    "torch.distributed.DebugLevel.DETAIL",
    "torch.distributed.DebugLevel.OFF",
    "torch.distributed.ProcessGroup.unbox",
    "torch.distributed.get_default_backend_for_device",
    "torch.distributed.run.get_args_parser",
    "torch.distributed.set_debug_level",
    "torch.distributed.tensor.Replicate",
    "torch.distributed.tensor.Shard",
    "torch.float32",
    "torch.float64",
    "torch.multiprocessing.active_children",
    "torch.multiprocessing.set_forkserver_preload",
    "torch.nn.attention.SDPBackend.MATH",
    "torch.nn.modules.utils.consume_prefix_in_state_dict_if_present",
    "torch.nn.parallel.gather",
    "torch.nn.parallel.parallel_apply",
    "torch.nn.parallel.replicate",
    "torch.nn.parallel.scatter",
    "torch.utils._python_dispatch.TorchDispatchMode",
    "torch.utils._pytree.tree_leaves",
    "torch.version.hip",
}


def names(*codes: str) -> Names:
    return Names(map(ast.parse, codes))


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("dist.send", "torch.distributed.send"),
        ("nn.Module", "torch.nn.Module"),
        ("torch.device", "torch.device"),
        ("DDP", "torch.nn.parallel.DistributedDataParallel"),
        ("nn", "torch.nn"),
    ],
)
def test_a_name_means_what_was_imported(name: str, meaning: str) -> None:
    assert names(CODE).full(name) == meaning
    assert names(CODE).in_text(name) == meaning


@pytest.mark.parametrize("name", ["device", "model.state", "Model", "gather", "total"])
def test_what_a_page_defines_itself_means_nothing_else(name: str) -> None:
    assert names(CODE).full(name) == ""
    assert names(CODE).in_text(name) == name


def test_the_text_may_name_the_last_part_of_what_the_code_uses() -> None:
    assert names(CODE).in_text("send") == "torch.distributed.send"
    assert names(CODE).in_text("cat") == "torch.cat"
    # an own function, two functions, and one that the code does not use
    for name in ("all_reduce", "device_count", "recv"):
        assert names(CODE).in_text(name) == name


def test_a_full_name_needs_no_import() -> None:
    assert names().in_text("torch.chunk") == "torch.chunk"


@pytest.mark.parametrize(
    "other",
    [
        "nn = 5",
        "def f(nn): pass",
        "async def nn(): pass",
        "try:\n    1\nexcept E as nn:\n    2",
        "from other import nn",
        "for nn in range(3): pass",
    ],
)
def test_a_name_with_two_meanings_means_nothing(other: str) -> None:
    assert names(CODE).full("nn.Linear") == "torch.nn.Linear"
    assert names(CODE, other).full("nn.Linear") == ""


def test_names_are_whole() -> None:
    code = "a.b.c(d)[0].e; x = f().g.h"

    assert sorted(written(ast.parse(code))) == ["a.b.c", "d", "f", "x"]


# the inventory that is part of the project


def inventory() -> dict[str, str]:
    """Give the names of torch that have an address, and their kinds."""
    path = PROJECT / "inventories" / "torch.inv"
    rows = [line.split() for line in path.read_text("utf-8").split("\n")[3:] if line]
    assert [len(row) for row in rows] == [3] * len(rows)
    return {name: kind for name, kind, _place in rows}


def used() -> Iterator[str]:
    """Give what the code of our pages uses, by full names."""
    for path in (PROJECT / "gallery").rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        known = names(ast.unparse(tree))
        yield from filter(None, map(known.full, written(tree)))


def test_every_name_of_torch_has_an_address() -> None:
    of_torch = {name for name in used() if name.startswith("torch.")}

    assert len(of_torch) > 50
    assert of_torch - inventory().keys() == UNDESCRIBED


def test_the_inventory_is_sorted_and_names_each_thing_once() -> None:
    lines = (PROJECT / "inventories" / "torch.inv").read_text("utf-8").split("\n")

    assert lines[3:-1] == sorted(set(lines[3:-1]))
    assert set(inventory().values()) == {"class", "function", "mod"}
