"""Name the machine on which a page ran: its CPU or GPUs, and the versions used.

Only torch is needed, because a machine with GPUs may have no other package.
"""

from __future__ import annotations

import json
import os
import platform
import re
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gallery_intl.script.source import packages
from gallery_run.needs import uses_gpus, world_size

CPU_INFO = Path("/proc/cpuinfo")
CPU_NOISE = re.compile(
    r"\((?:R|TM|tm|C)\)|\bCPU\b|\bProcessor\b|\b\d+-Core\b|\bwith .*|@.*", re.ASCII
)
VENDOR = re.compile(r"^(?:NVIDIA|AMD|Intel) ")


@dataclass(frozen=True)
class Machine:
    """Where the outputs of one page were made; "" and 0 are not stored."""

    cpu: str
    cores: int
    gpu: str = ""  # "" for a page that computed on the CPU
    gpus: int = 0  # how many of them the page used
    ranks: int = 0  # 0 for a plain program
    asked: int = 0  # the ranks that the page asks for
    python: str = ""
    torch: str = ""
    cuda: str = ""
    nccl: str = ""
    date: str = ""  # such as 2026-11-20

    @property
    def name(self) -> str:
        """Its GPUs, such as "2 × H200", else its CPU."""  # noqa: RUF002
        return f"{self.gpus} × {VENDOR.sub('', self.gpu)}" if self.gpu else self.cpu  # noqa: RUF001


def take(script: str, ranks: int = 0) -> Machine:
    """Return this machine, as the page that ran in this process has used it."""
    uses_torch = "torch" in packages(script)
    gpu, gpus = used_gpus(ranks) if uses_torch and uses_gpus(script) else ("", 0)
    now = float(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    return Machine(
        cpu=cpu_name(),
        cores=core_count(),
        gpu=gpu,
        gpus=gpus,
        ranks=ranks,
        asked=world_size(script) or 0,
        python=platform.python_version(),
        date=time.strftime("%Y-%m-%d", time.gmtime(now)),
        **(versions(gpu, ranks) if uses_torch else {}),
    )


def gpu_count() -> int:
    """Return how many GPUs pages can use.

    A Mac's GPU does not count: Gloo sends none of its tensors.
    """
    import torch

    device = torch.accelerator.current_accelerator(check_available=True)
    usable = device is not None and device.type != "mps"
    return torch.accelerator.device_count() if usable else 0


def used_gpus(ranks: int) -> tuple[str, int]:
    """Return name and number of the GPUs of a page: one for each rank, or none."""
    import torch

    count, device = gpu_count(), torch.accelerator.current_accelerator()
    if device is None or count < max(ranks, 1):
        return "", 0
    is_cuda = device.type == "cuda"
    name = torch.cuda.get_device_name() if is_cuda else device.type.upper()
    return name, ranks or count


def versions(gpu: str, ranks: int) -> dict[str, str]:
    """Return the versions of torch and of the libraries that it computes with."""
    import torch

    found = {"torch": str(torch.__version__)}
    if gpu and torch.version.cuda:  # it is None for GPUs of AMD and Intel
        found["cuda"] = torch.version.cuda
        if ranks:
            from torch.cuda import nccl

            found["nccl"] = ".".join(map(str, nccl.version()))  # type: ignore[no-untyped-call]
    return found


def cpu_name() -> str:
    """Return the model of the CPU, or its architecture if the model is unknown."""
    text = CPU_INFO.read_text("utf-8", "replace") if CPU_INFO.is_file() else ""
    model = re.search(r"^model name\s*:\s*(\S.*)$", text, re.MULTILINE)
    name = model[1] if model else platform.processor() or platform.machine()
    return " ".join(CPU_NOISE.sub(" ", name).split()) or "CPU"


def core_count() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def as_values(machine: Machine) -> dict[str, Any]:
    """Return what is known of a machine, for a file."""
    return {key: value for key, value in asdict(machine).items() if value}


def path_of(page: Path) -> Path:
    """Return the file that names the machine on which a generated page ran."""
    return page.with_name(f"{page.stem}.machine.json")


def write(page: Path, machine: Machine) -> None:
    text = json.dumps(as_values(machine), indent=1, ensure_ascii=False)
    path_of(page).write_text(text + "\n", encoding="utf-8")


def read(page: Path) -> Machine | None:
    """Return the machine on which a page ran; None if it was not run."""
    try:
        return Machine(**json.loads(path_of(page).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
