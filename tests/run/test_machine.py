"""Each page says on which machine its outputs were made."""

import json
from pathlib import Path

import pytest

from gallery_run import machine, words
from gallery_run.machine import Machine

CPU = Machine("AMD EPYC", 2, ranks=4, asked=4, torch="2.13.0+cpu", date="2026-11-20")
GPU = Machine("AMD EPYC", 16, gpu="NVIDIA H200", gpus=2, ranks=2, asked=4, cuda="13.0")
RANKS = '"""\nTitle\n\ntorchrun --standalone --nproc-per-node=4 x.py\n"""\n'


def said(one: Machine) -> str:
    return "".join(node.astext() for node in words.facts(one, "en"))


@pytest.mark.parametrize(
    ("here", "others", "text"),
    [
        (CPU, [], "4 ranks on one CPU, PyTorch 2.13.0. No GPU has run this page yet."),
        (Machine("Intel", 2), [], "one CPU. No GPU has run this page yet."),
        (GPU, [], "2 × H200 · 2 of 4 processes."),
        (
            CPU,
            [GPU, Machine("Intel", 2)],
            "4 ranks on one CPU, PyTorch 2.13.0. "
            "Tabs show those of other machines: 2 × H200 · Intel.",
        ),
    ],
)
def test_where_outputs_were_made_is_said_once(
    here: Machine, others: list[Machine], text: str
) -> None:
    said = words.made_on(here, others, "import torch.cuda")

    assert said == f"Outputs on this page: {text}"


def test_of_a_page_without_gpus_none_is_missed() -> None:
    assert words.made_on(CPU, [], "import os").endswith("PyTorch 2.13.0.")


def test_a_machine_is_said_as_a_whole() -> None:
    assert said(CPU) == (
        "AMD EPYC · CPU cores: 2 · 4 processes · torch 2.13.0 · November 20, 2026"
    )
    assert said(GPU) == "2 × NVIDIA H200 · 2 of 4 processes · CUDA 13.0"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ko", "2026년 11월 20일"),
        ("zh_CN", "2026年11月20日"),
        ("ja", "2026年11月20日"),
        ("tlh", "2026-11-20"),
    ],
)
def test_a_date_is_in_words_of_the_language(language: str, text: str) -> None:
    assert words.long_date("2026-11-20", language) == text


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", "Intel Xeon Platinum 8481C"),
        ("AMD EPYC 7763 64-Core Processor", "AMD EPYC 7763"),
        ("CPU", "CPU"),
        ("x" * 90, "x" * 59 + "…"),
    ],
)
def test_the_name_of_a_cpu_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str, name: str
) -> None:
    monkeypatch.setattr(machine, "CPU_INFO", tmp_path / "cpuinfo")
    (tmp_path / "cpuinfo").write_text(f"vendor_id\t: x\nmodel name\t: {told}\n")

    assert machine.cpu_name() == name


def test_a_cpu_without_a_name_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "CPU_INFO", tmp_path / "none")
    monkeypatch.setattr("platform.processor", lambda: "")
    monkeypatch.setattr("platform.machine", lambda: "")
    monkeypatch.setattr("sys.platform", "linux")

    assert machine.cpu_name() == "CPU"


def pretend(monkeypatch: pytest.MonkeyPatch, device: str, count: int) -> None:
    """Let torch find GPUs that are not there."""
    torch = pytest.importorskip("torch")
    there = torch.device(device)
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda **_: there)
    monkeypatch.setattr(torch.accelerator, "device_count", lambda: count)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "NVIDIA H200")
    monkeypatch.setattr(torch.version, "cuda", None)  # no library to ask


@pytest.mark.parametrize(
    ("ranks", "gpus", "used"),
    [
        (0, 8, ("NVIDIA H200", 8)),
        (4, 8, ("NVIDIA H200", 4)),
        (4, 4, ("NVIDIA H200", 4)),
        (4, 3, ("", 0)),
        (1, 1, ("NVIDIA H200", 1)),
    ],
)
def test_a_page_takes_a_gpu_for_each_rank_or_none(
    monkeypatch: pytest.MonkeyPatch, ranks: int, gpus: int, used: tuple[str, int]
) -> None:
    pretend(monkeypatch, "cuda", gpus)

    assert machine.used_gpus(ranks) == used


@pytest.mark.parametrize("ranks", [0, 1])
def test_the_gpu_of_a_mac_is_no_gpu_of_a_page(
    monkeypatch: pytest.MonkeyPatch, ranks: int
) -> None:
    pretend(monkeypatch, "mps", 1)

    assert machine.used_gpus(ranks) == ("", 0)


@pytest.mark.parametrize(
    ("device", "count", "label", "backend"),
    [
        ("cuda", 4, "2 × H200", "nccl"),
        ("xpu", 4, "2 × XPU", "xccl"),
        ("cuda", 1, "CPU", "gloo"),
        ("mps", 1, "CPU", "gloo"),
    ],
)
def test_the_backend_is_that_of_the_device(
    monkeypatch: pytest.MonkeyPatch, device: str, count: int, label: str, backend: str
) -> None:
    pretend(monkeypatch, device, count)

    made = machine.take(f"{RANKS}import torch\ntorch.accelerator\n", ranks=2)

    assert (made.label, made.backend) == (label, backend)


def test_a_page_names_only_what_it_uses() -> None:
    torch = pytest.importorskip("torch")

    plain = machine.take('"""A page."""\n')
    ranks = machine.take(f"{RANKS}import torch\n", ranks=2)

    assert (plain.torch, plain.backend, plain.gpu) == ("", "", "")
    assert (ranks.ranks, ranks.asked, ranks.backend) == (2, 4, "gloo")
    assert ranks.torch == torch.__version__


def test_a_reproducible_build_may_set_the_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")

    assert machine.date() == "1970-01-01"


def test_a_note_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    page = tmp_path / "page.rst"
    assert machine.read(page) is None

    machine.write(page, CPU)
    assert machine.read(page) == CPU

    note = tmp_path / "page.machine.json"
    for text in ("{", "[]", json.dumps({"cpu": "x", "cores": 1, "other": 1})):
        note.write_text(text, encoding="utf-8")
        assert machine.read(page) is None
