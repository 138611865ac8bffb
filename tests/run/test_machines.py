"""Each page chooses the right device and backend on machines that are not here.

Nothing computes on a pretended GPU. Whole pages run on pretended machines where they
compute on the CPU; `torture` does the same for all machines and numbers of ranks,
and always with a Python and a torchrun of their own. Here only one page has these,
where it says how it wants to be started.
"""

from __future__ import annotations

import io
import re
import subprocess
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pretended
import pytest
import torch
import torch.distributed as dist
from pretended import GALLERY, MACHINES, RANKS, kind_and_count, start_of

from gallery_intl.script.files import emptied

HELLO = GALLERY / "start" / "hello_ranks.py"
OTHERS = GALLERY / "start" / "distributed_data_parallel.py"  # starts as all others
OF_RANKS = [x for x in pretended.pages() if pretended.CALL in x.read_text("utf-8")]
ALONE = [page for page in pretended.launched_pages() if pretended.works_alone(page)]
TOGETHER = [page for page in pretended.launched_pages() if page not in ALONE]
STARTS_RANKS = [
    page for page in pretended.pages() if 'if "RANK" in os.environ' in page.read_text()
]
BACKENDS = {"cpu": "gloo", "cuda": "nccl", "xpu": "xccl"}


def name(path: Path) -> str:
    return path.stem


# What has a part in choosing the device and the backend
CHOOSES = re.compile(
    r"^(rank|local_rank|local_world_size|accelerator|n_gpus|gpu_per_rank|device|backend)\b"
    r"|'RANK' not in|backend \+=|set_device_index\(|init_process_group\(|f'device: "
)


@pytest.mark.parametrize("page", [x for x in OF_RANKS if x != HELLO], ids=name)
def test_all_pages_start_their_ranks_with_the_same_lines(page: Path) -> None:
    said = f"copy the lines of {OTHERS.name}"
    assert start_of(page) == start_of(OTHERS), said
    assert "# Gloo sends no tensors of a Mac's GPU." in page.read_text("utf-8")


def choices(page: Path) -> list[str]:
    return [one for one in start_of(page) if CHOOSES.search(one)]


def test_the_first_page_explains_the_statements_of_all_others() -> None:
    others = choices(OTHERS)

    explained = [one for one in choices(HELLO) if "backend +=" not in one]

    without_backend = [one for one in others if "backend =" not in one]
    assert [one for one in explained if "backend =" not in one] == without_backend
    assert len(without_backend) > 10


class Start(NamedTuple):
    """What a page's first lines do as one rank of a machine."""

    names: dict[str, Any]
    calls: list[tuple[str, Any]]
    printed: str

    @property
    def group(self) -> tuple[str, dict[str, Any]]:
        """Give the backend and the other arguments of the group that would be made."""
        kind, made = self.calls[-1]
        assert kind == "group"
        return made

    @property
    def backends(self) -> dict[str, str]:
        """Give the backend of each kind of device in the group that would be made."""
        config = dist.distributed_c10d.BackendConfig(dist.Backend(self.group[0]))
        return config.get_device_backend_map()


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Any:
    def pretend(page: Path, machine: str, ranks: int, rank: int | None = None) -> Start:
        kind, count = kind_and_count(machine)
        names: dict[str, Any] = {}
        calls: list[tuple[str, Any]] = []
        rank = ranks - 1 if rank is None else rank
        for key, value in (("RANK", rank), ("WORLD_SIZE", ranks)):
            monkeypatch.setenv(key, str(value))
            monkeypatch.setenv(f"LOCAL_{key}", str(value))
        found = torch.device(kind) if kind else None
        for target, value in (
            ("current_accelerator", lambda *_, **__: found),
            ("device_count", lambda: count),
            ("set_device_index", lambda index: calls.append(("device", index))),
        ):
            monkeypatch.setattr(torch.accelerator, target, value)
        monkeypatch.setattr(
            dist,
            "init_process_group",
            lambda backend=None, **told: calls.append(("group", (backend, told))),
        )
        program = ["import os, torch", "import torch.distributed as dist"]
        program += choices(page)
        with redirect_stdout(io.StringIO()) as printed:
            exec("\n".join(program), names)
        return Start(names, calls, printed.getvalue())

    return pretend


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("page", [HELLO, OTHERS], ids=name)
def test_device_and_backend_fit_the_machine(
    start: Any, page: Path, machine: str, ranks: int
) -> None:
    kind, count = kind_and_count(machine)

    done = start(page, machine, ranks)

    on_gpu = pretended.computes_on_gpus(machine, ranks)
    device = done.names["device"]
    assert device == torch.device(f"{kind}:{ranks - 1}" if on_gpu else "cpu")
    # the GPU is set before the group is made, since that may already use it
    assert [call for call, _ in done.calls] == (["device"] if on_gpu else []) + [
        "group"
    ]
    assert ("device", ranks - 1) in done.calls or not on_gpu
    assert done.backends[device.type] == BACKENDS[device.type]
    assert done.group[1] == {"device_id": device if on_gpu else None}
    if page == HELLO:
        assert done.backends["cpu"] == "gloo"
    expected = f"device: {device.type} (GPUs seen: {count}, ranks: {ranks})\n"
    assert done.printed == (expected if ranks == 1 else "")  # rank 0 says it, once


@pytest.mark.parametrize(("machine", "usable"), [("cuda:2", True), ("mps:1", False)])
def test_fewer_gpus_than_ranks_say_what_to_type(
    start: Any, machine: str, usable: bool
) -> None:
    done = start(OTHERS, machine, 3, rank=0)

    first, *rest = done.printed.splitlines()
    assert first.startswith("device: cpu (")
    said = ["To use the GPUs, start with --nproc-per-node=2"]
    assert rest == (said if usable else [])


LINES_OF_DEVICES = """\
n_gpus = torch.cuda.device_count()
gpus = [torch.device("cuda", i) for i in range(n_gpus)]
devices = gpus or [torch.device("cpu")]
device = devices[0]
"""
OF_ONE_PROCESS = sorted((GALLERY / "one_process").glob("*.py"))


@pytest.mark.parametrize("page", OF_ONE_PROCESS, ids=name)
def test_all_pages_of_one_process_choose_devices_with_the_same_lines(
    page: Path,
) -> None:
    text = page.read_text("utf-8")

    assert text.count(LINES_OF_DEVICES) == 1
    assert text.count("torch.cuda.device_count()") == 1


@pytest.mark.parametrize("machine", [one for one in MACHINES if "xpu" not in one])
def test_a_model_on_the_first_device_is_where_its_wrapper_wants_it(
    monkeypatch: pytest.MonkeyPatch, machine: str
) -> None:
    kind, count = kind_and_count(machine)
    if kind:
        monkeypatch.setattr(getattr(torch, kind), "device_count", lambda: count)
        found = torch.backends.mps if kind == "mps" else getattr(torch, kind)
        monkeypatch.setattr(found, "is_available", lambda: True)
    parallel = import_module("torch.nn.parallel.data_parallel")
    monkeypatch.setattr(parallel, "_check_balance", lambda device_ids: None)
    monkeypatch.setattr(torch.nn.Module, "to", lambda self, device: self)

    names: dict[str, Any] = {"torch": torch}
    exec(LINES_OF_DEVICES, names)
    wrapper = torch.nn.DataParallel(torch.nn.Linear(1, 1))

    expected = list(range(count)) if kind == "cuda" else []
    assert wrapper.device_ids == [gpu.index for gpu in names["gpus"]] == expected
    where = wrapper.src_device_obj if expected else torch.device("cpu")
    assert names["device"] == where


@pytest.mark.parametrize("stem", ["multi_gpu_examples", "data_parallel_limits"])
def test_a_page_that_needs_the_wrapper_refuses_the_gpus_of_intel(
    tmp_path: Path, stem: str
) -> None:
    page = GALLERY / "one_process" / f"{stem}.py"

    done = pretended.run_in_forks(page, tmp_path, "xpu:2")

    said = "nn.DataParallel does not run on xpu.\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)


def run(
    page: Path, folder: Path, machine: str = "", ranks: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run one page with Python and torchrun, the others in forks of a warm process."""
    way = pretended.run if page == HELLO else pretended.run_in_forks
    return way(page, folder, machine, ranks)


FEWER = [("mps:1", 2), ("cuda:1", 3)]  # torture: all, with all pages


@pytest.mark.parametrize(
    ("page", "machine", "ranks"),
    [(page, *FEWER[i % 2]) for i, page in enumerate(pretended.launched_pages())],
    ids=[page.stem for page in pretended.launched_pages()],
)
def test_a_page_runs_with_a_screen_and_fewer_gpus_than_ranks(
    tmp_path: Path, page: Path, machine: str, ranks: int
) -> None:
    """The window of a figure may not open while another rank waits."""
    window = "module://open_window"

    done = pretended.run_in_forks(page, tmp_path, machine, ranks, MPLBACKEND=window)

    assert done.returncode == 0, done.stderr
    assert f"device: cpu (GPUs seen: 1, ranks: {ranks})\n" in done.stdout
    windows = int("plt.show()" in page.read_text("utf-8"))
    shown = done.stdout.count("a window was shown\n")
    assert shown == windows, "only rank 0 draws figures, and shows them once"
    assert "UserWarning" not in done.stderr


@pytest.mark.parametrize(
    ("page", "program", "ranks"),
    [
        ("starting_processes", "spawned", 0),
        ("starting_processes", "with_torchrun", 2),
        ("one_gpu_to_many", "train_ddp", 2),
        ("checkpoints", "sharded", 2),
    ],
)
def test_processes_are_started_on_a_mac(
    tmp_path: Path, page: str, program: str, ranks: int
) -> None:
    write_programs(tmp_path, page)

    way = pretended.run_in_forks if ranks else pretended.run
    done = way(tmp_path / f"{program}.py", tmp_path, "mps:1", ranks)

    assert done.returncode == 0, done.stderr
    assert f"device: cpu (GPUs seen: 1, ranks: {ranks or 1})\n" in done.stdout


def write_programs(folder: Path, page: str) -> None:
    """Write the programs that a page writes to files and starts."""
    script = next(GALLERY.rglob(f"{page}.py")).read_text("utf-8")
    for file in emptied(script)[1]:
        (folder / file.name).write_text(file.text, "utf-8")


@pytest.mark.parametrize("page", ALONE, ids=name)
def test_plain_python_is_one_rank(tmp_path: Path, page: Path) -> None:
    done = run(page, tmp_path, "mps:1")

    assert done.returncode == 0, done.stderr
    assert "device: cpu (GPUs seen: 1, ranks: 1)\n" in done.stdout


@pytest.mark.parametrize("ranks", [0, 1])
@pytest.mark.parametrize("page", TOGETHER, ids=name)
def test_a_page_that_one_rank_cannot_show_says_why_and_what_to_type(
    tmp_path: Path, page: Path, ranks: int
) -> None:
    done = run(page, tmp_path, "cuda:1", ranks)

    says_how_to_start(done, how_to_start(page))


@pytest.mark.parametrize("page", STARTS_RANKS, ids=name)
def test_a_page_that_starts_ranks_itself_says_what_to_type(
    tmp_path: Path, page: Path
) -> None:
    done = run(page, tmp_path, ranks=2)

    says_how_to_start(done, f"python {page.name}")


def says_how_to_start(done: subprocess.CompletedProcess[str], how: str) -> None:
    """Check that a page says so once and that torchrun has nothing to report."""
    why, _, typed = done.stdout.partition(" Start with: ")
    assert (done.returncode, done.stderr, typed) == (0, "", f"{how}\n")
    assert re.fullmatch(r"[A-Z][^.]+\.", why)


def how_to_start(page: Path) -> str:
    """Give the line of a page's docstring that starts it."""
    (line,) = re.findall(r"^   (torchrun .*)", page.read_text("utf-8"), re.M)
    assert line.endswith(page.name)
    return line
