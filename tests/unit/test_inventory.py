"""Names of torch in our pages lead to its documentation."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from paths import PROJECT

from gallery_intl.page.names import Names, written

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


def inventory() -> dict[str, str]:
    """Return the names of torch that have an address, and their kinds."""
    path = PROJECT / "inventories" / "torch.inv"
    rows = [line.split() for line in path.read_text("utf-8").split("\n")[3:] if line]
    assert [len(row) for row in rows] == [3] * len(rows)
    return {name: kind for name, kind, _place in rows}


def used() -> Iterator[str]:
    """Return what the code of our pages uses, by full names."""
    for path in (PROJECT / "gallery").rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        known = Names([tree])
        yield from filter(None, map(known.full, written(tree)))


def test_every_name_of_torch_has_an_address() -> None:
    of_torch = {name for name in used() if name.startswith("torch.")}

    assert len(of_torch) > 50
    assert of_torch - inventory().keys() == UNDESCRIBED


def test_the_inventory_is_sorted_and_names_each_thing_once() -> None:
    lines = (PROJECT / "inventories" / "torch.inv").read_text("utf-8").split("\n")

    assert lines[3:-1] == sorted(set(lines[3:-1]))
    assert set(inventory().values()) == {"class", "function", "mod"}
