"""The inventory of torch names what the installed torch has, as what it is."""

from __future__ import annotations

import functools
import importlib
import inspect
from types import ModuleType
from typing import Any

import pytest
import torch
from paths import PROJECT

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
