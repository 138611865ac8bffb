"""The inventory names what pages use of the installed torch, as what it is."""

from __future__ import annotations

import functools
import importlib
import inspect
import re
from types import ModuleType
from typing import Any

import pytest
import torch
from paths import PROJECT

from gallery_intl.page.names import Names

LINES = (PROJECT / "inventories" / "torch.inv").read_text("utf-8").splitlines()
VERSION = ".".join(torch.__version__.split(".")[:2])


def kind_of(thing: Any) -> str:
    if isinstance(thing, ModuleType):
        return "mod"
    return "class" if inspect.isclass(thing) else "function"


@pytest.mark.parametrize("line", LINES[3:])
def test_torch_has_what_the_inventory_names(line: str) -> None:
    name, kind, _place = line.split()

    try:
        thing = importlib.import_module(name)
    except ModuleNotFoundError:
        thing = functools.reduce(getattr, name.split(".")[1:], torch)

    assert kind_of(thing) == kind


def test_the_inventory_is_of_the_installed_version() -> None:
    conf = (PROJECT / "conf.py").read_text("utf-8")

    assert LINES[2] == f"# Version: {VERSION}"
    assert f"https://docs.pytorch.org/docs/{VERSION}/" in conf


def test_the_inventory_is_sorted_and_names_each_thing_once() -> None:
    assert LINES[3:] == sorted(set(LINES[3:]))


def test_most_names_of_torch_have_an_address() -> None:
    scripts = [path.read_text("utf-8") for path in PROJECT.glob("gallery/*/*.py")]
    used = {name for script in scripts for name in Names([script]).used}
    is_inner = re.compile(r"\._|^torch\.ops\.").search
    of_torch = {x for x in used if x.startswith("torch.") and not is_inner(x)}
    # types of numbers are rows of one table, without addresses
    types = {f"torch.{x}" for x, y in vars(torch).items() if isinstance(y, torch.dtype)}
    known = {line.split()[0] for line in LINES[3:]}

    assert len(of_torch) > 50
    # its documentation does not describe all that it has
    assert len(of_torch - types - known) < 28
