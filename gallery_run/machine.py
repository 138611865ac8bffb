"""Tell on which machine a page ran: its CPU or GPUs, and the versions of what ran.

Only the standard library and torch are needed, since a machine with GPUs may have no
more. What is told is written beside the outputs that it belongs to.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gallery_intl.script.source import packages
from gallery_run.needs import uses_gpus, world_size

CPU_INFO = Path("/proc/cpuinfo")
NOISE = re.compile(
    r"\((?:R|TM|tm|C)\)|\bCPU\b|\bProcessor\b|\b\d+-Core\b|\bwith .*|@.*", re.ASCII
)
LONGEST = 60  # letters of a name
VENDOR = re.compile(r"^(?:NVIDIA|AMD|Intel) ")


@dataclass(frozen=True)
class Machine:
    """Where the outputs of one page came from; "" and 0 say what is not there."""

    cpu: str
    cores: int
    gpu: str = ""  # the page used it; "" for a page that computed on the CPU
    gpus: int = 0  # how many of them it used
    ranks: int = 0  # 0 for a plain program
    asked: int = 0  # the ranks that the page asks for
    backend: str = ""
    python: str = ""
    torch: str = ""
    cuda: str = ""
    nccl: str = ""
    date: str = ""  # such as 2026-11-20

    @property
    def label(self) -> str:
        """Name it in a word or two: "CPU", or "2 × H200"."""  # noqa: RUF002
        return f"{self.gpus} × {VENDOR.sub('', self.gpu)}" if self.gpu else "CPU"  # noqa: RUF001


def take(script: str, ranks: int = 0) -> Machine:
    """Return this machine, as the page that ran in this process has used it."""
    uses_torch = "torch" in packages(script)
    gpu, gpus = used_gpus(ranks) if uses_torch and uses_gpus(script) else ("", 0)
    device = gpu_type() if gpu else "cpu"
    return Machine(
        cpu=cpu_name(),
        cores=core_count(),
        gpu=gpu,
        gpus=gpus,
        ranks=ranks,
        asked=world_size(script) or 0,
        python=platform.python_version(),
        date=date(),
        **(torch_versions(device, ranks) if uses_torch else {}),
    )


def gpu_type() -> str:
    """Return the type of the GPUs that pages can use, such as "cuda"; "" for none.

    A Mac's GPU is left aside by the pages: Gloo sends none of its tensors, and
    ``DataParallel`` passes over it.
    """
    import torch

    accelerator = torch.accelerator.current_accelerator(check_available=True)
    return accelerator.type if accelerator and accelerator.type != "mps" else ""


def used_gpus(ranks: int) -> tuple[str, int]:
    """Return name and number of the GPUs of a page: one for each rank, or none."""
    import torch

    device = gpu_type()
    count = torch.accelerator.device_count() if device else 0
    if count < max(ranks, 1):
        return "", 0
    name = torch.cuda.get_device_name() if device == "cuda" else device.upper()
    return name, ranks or count


def torch_versions(device: str, ranks: int) -> dict[str, str]:
    """Return the versions of torch and of the libraries that it computes with."""
    import torch

    versions = {"torch": str(torch.__version__)}
    if ranks:
        from torch.distributed import get_default_backend_for_device

        versions["backend"] = get_default_backend_for_device(device)
    if device == "cuda" and torch.version.cuda:  # not with the GPUs of AMD
        versions["cuda"] = torch.version.cuda
        if ranks:
            from torch.cuda import nccl

            versions["nccl"] = ".".join(map(str, nccl.version()))  # type: ignore[no-untyped-call]
    return versions


def cpu_name() -> str:
    """Return the CPU's model, or its architecture where the system does not tell."""
    name = " ".join(NOISE.sub(" ", next(_cpu_names(), "")).split()) or "CPU"
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _cpu_names() -> Iterator[str]:
    if CPU_INFO.is_file():
        text = CPU_INFO.read_text(encoding="utf-8", errors="replace")
        if match := re.search(r"^model name\s*:\s*(\S.*)$", text, re.MULTILINE):
            yield match[1]
    if sys.platform == "darwin":
        command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
        yield subprocess.run(
            command, capture_output=True, text=True, check=False
        ).stdout
    yield from filter(None, (platform.processor(), platform.machine()))


def core_count() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def date() -> str:
    """Return today, or the day that a reproducible build pretends."""
    now = float(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    return time.strftime("%Y-%m-%d", time.gmtime(now))


def as_values(machine: Machine) -> dict[str, Any]:
    """Return what is known of a machine, for a file."""
    return {key: value for key, value in asdict(machine).items() if value}


def path_of(page: Path) -> Path:
    """Return where it is noted on which machine a generated page ran."""
    return page.with_name(f"{page.stem}.machine.json")


def write(page: Path, machine: Machine) -> None:
    """Note beside a page where its outputs came from."""
    text = json.dumps(as_values(machine), indent=1, ensure_ascii=False)
    path_of(page).write_text(text + "\n", encoding="utf-8")


def read(page: Path) -> Machine | None:
    """Read where a page's outputs came from; None if it was not run."""
    try:
        return Machine(**json.loads(path_of(page).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
