"""Make torch believe in another machine: ``PRETEND=cuda:4``, ``mps:1`` or ``xpu:2``.

Python imports this at its start where the folder is in ``PYTHONPATH``. Pretended is
only what a program asks before it chooses a device: which accelerator there is, and how
many of them. A tensor or a group on a pretended GPU fails as it does without one.
"""

import os
import sys
from contextlib import nullcontext
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace
from typing import Any


class AfterTorch(MetaPathFinder):
    """Pretend as soon as a program has imported torch; others lose no time."""

    def find_spec(self, fullname: str, *_: Any) -> ModuleSpec | None:
        if fullname != "torch":
            return None
        sys.meta_path.remove(self)
        spec = find_spec("torch")
        assert spec
        assert spec.loader
        load = spec.loader.exec_module

        def load_and_pretend(module: ModuleType) -> None:
            load(module)
            pretend(name, int(number))

        spec.loader.exec_module = load_and_pretend  # type: ignore[method-assign]
        return spec


def pretend(kind: str, count: int) -> None:
    """Let torch find so many accelerators of a kind."""
    import torch

    def visible() -> int:
        return 0 if os.environ.get("CUDA_VISIBLE_DEVICES") == "" else count

    def accelerator(*_: object) -> torch.device:
        return torch.device(kind)

    torch._C._get_accelerator = accelerator
    torch._C._accelerator_getAccelerator = accelerator
    torch._C._accelerator_setDeviceIndex = lambda index: None
    # Adam asks a stream whether its step is being recorded as a graph, and whoever
    # writes a distributed checkpoint waits for it.
    stream = SimpleNamespace(is_capturing=lambda: False, synchronize=lambda: None)
    torch.accelerator.current_stream = lambda *_: stream
    module = getattr(torch, kind)
    module.current_stream = lambda *_: stream
    module.stream = lambda *_: nullcontext()
    module.device_count = visible
    module.is_available = lambda: visible() > 0
    module.get_device_name = lambda *_: "NVIDIA H200"
    if kind == "mps":
        torch.backends.mps.is_available = module.is_available


if machine := os.environ.get("PRETEND"):
    name, _, number = machine.partition(":")
    sys.meta_path.insert(0, AfterTorch())
