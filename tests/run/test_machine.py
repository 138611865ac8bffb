"""Each page names the machine on which its outputs were made."""

import pytest
import torch

from gallery_run import machine
from gallery_run.machine import Machine
from gallery_run.words import made_on

CPU = Machine("AMD EPYC", 2, ranks=4, asked=4, torch="2.13.0+cpu")
ONE = Machine("AMD EPYC", 16, gpu="NVIDIA H200", gpus=1)
TWO = Machine("AMD EPYC", 16, gpu="NVIDIA H200", gpus=2, ranks=2, asked=4)
RANKS = (
    '"""\nTitle\n\ntorchrun --standalone --nproc-per-node=4 x.py\n"""\nimport torch\n'
)


@pytest.mark.parametrize(
    ("here", "others", "text"),
    [
        (CPU, [], "4 ranks on one CPU, PyTorch 2.13.0."),
        (ONE, [], "1 × H200."),
        (TWO, [], "2 × H200 · 2 of 4 processes."),
        (ONE, [TWO], "1 × H200. Tabs show those of other machines: 2 × H200."),
    ],
)
def test_a_page_names_its_machines(
    here: Machine, others: list[Machine], text: str
) -> None:
    assert made_on(here, others) == f"Outputs on this page: {text}"


@pytest.mark.parametrize(
    ("device", "count", "ranks", "used"),
    [("cuda", 8, 0, 8), ("cuda", 4, 4, 4), ("cuda", 3, 4, 0), ("mps", 1, 1, 0)],
)
def test_a_page_takes_a_gpu_for_each_rank_or_none(
    monkeypatch: pytest.MonkeyPatch, device: str, count: int, ranks: int, used: int
) -> None:
    there = torch.device(device)
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda **_: there)
    monkeypatch.setattr(torch.accelerator, "device_count", lambda: count)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "NVIDIA H200")
    monkeypatch.setattr(torch.version, "cuda", None)  # no library to ask

    made = machine.take(f"{RANKS}torch.accelerator\n", ranks)

    assert (made.gpu, made.gpus) == (("NVIDIA H200", used) if used else ("", 0))
    assert (made.ranks, made.asked, made.torch) == (ranks, 4, torch.__version__)
