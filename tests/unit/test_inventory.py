"""Names of torch in our pages lead to its documentation."""

from __future__ import annotations

import re
from collections.abc import Iterator

import torch
from paths import PROJECT

from gallery_intl.page.names import Names


def inventory() -> dict[str, str]:
    """Return the names of torch that have an address, and their kinds."""
    path = PROJECT / "inventories" / "torch.inv"
    rows = [line.split() for line in path.read_text("utf-8").split("\n")[3:] if line]
    assert [len(row) for row in rows] == [3] * len(rows)
    return {name: kind for name, kind, _place in rows}


def used() -> Iterator[str]:
    """Return what the code of our pages uses, by full names."""
    for path in (PROJECT / "gallery").rglob("*.py"):
        yield from Names([path.read_text("utf-8")]).used


def test_most_names_of_torch_have_an_address() -> None:
    is_inner = re.compile(r"\._|^torch\.ops\.").search
    of_torch = {x for x in used() if x.startswith("torch.") and not is_inner(x)}
    # types of numbers are rows of one table, without addresses
    types = {
        f"torch.{x}" for x in vars(torch) if isinstance(getattr(torch, x), torch.dtype)
    }

    assert len(of_torch) > 50
    # its documentation does not describe all that it has
    assert len(of_torch - types - inventory().keys()) < 28


def test_the_inventory_is_sorted_and_names_each_thing_once() -> None:
    lines = (PROJECT / "inventories" / "torch.inv").read_text("utf-8").split("\n")

    assert lines[3:-1] == sorted(set(lines[3:-1]))
    assert set(inventory().values()) == {"class", "function", "mod"}
