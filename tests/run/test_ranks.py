"""Ranks: a page is rank 0, the others run beside it and are never forgotten."""

import gc
import json
import os
import shutil
import socket
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import leftover_processes
import psutil
import pytest
import torch
import torch.distributed as dist
from paths import ROOTS

from gallery_run import ranks
from gallery_run.outcomes import Outcome, is_echo, report
from gallery_run.run import run_gallery

GALLERY = ROOTS / "test-run"
TORCHRUN = "torchrun --standalone --nproc-per-node={} page.py"
RANK = "import os, signal, sys, time\nrank = int(os.environ['RANK'])\n"
DEAF = "signal.signal(6, signal.SIG_IGN), "
CLOSED = "RuntimeError('[pair.cc:553] Connection closed by peer')"


def environment() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"}


class Stage:
    """Plays a script as Sphinx-Gallery does, with the other ranks beside it."""

    def __init__(self, folder: Path) -> None:
        self.script = folder / "page.py"
        self.md5 = folder / "out" / "page.py.md5"
        self.md5.parent.mkdir()
        self.conf = {"src_dir": str(folder)}

    def play(self, code: str, size: int | None = 2) -> None:
        line = TORCHRUN.format(size) if size else "python page.py"
        self.script.write_text(f'"""\nTitle\n\n{line}\n"""\n{code}')
        target = str(self.md5.with_suffix(""))
        variables = {"src_file": str(self.script), "target_file": target}
        ranks.reset(self.conf, "page.py", "before")
        assert ranks.argv(self.conf, variables) == []
        try:
            exec(compile(self.script.read_text(), str(self.script), "exec"), {})
            self.md5.touch()
        except BaseException:
            ranks.reset(self.conf, "page.py", "after")
            raise
        ranks.reset(self.conf, "page.py", "after")


@pytest.fixture(scope="module", autouse=True)
def frozen() -> Iterator[None]:
    """Set apart what is there: after each page the runner looks for garbage."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """A stage that must be as clean after the play as it was before."""
    monkeypatch.setattr(ranks, "PATIENCE", 0.5)
    monkeypatch.setattr(ranks, "WAIT", 1.5)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temp"))
    (tmp_path / "temp").mkdir()
    before, running = environment(), leftover_processes.children()
    threads = threading.active_count()
    yield Stage(tmp_path)
    assert leftover_processes.new_since(running) == []
    assert list((tmp_path / "temp").iterdir()) == []
    assert threading.active_count() == threads
    assert environment() == before


@pytest.mark.parametrize(
    ("source", "size"),
    [
        ('"""\ntorchrun --standalone --nproc-per-node=4 x.py\n"""', 4),
        ('"""\n::\n\n   torchrun --standalone --nproc-per-node=16 x.py\n"""', 16),
        ('"""Run ``torchrun --standalone --nproc-per-node=4 x.py``."""', None),
        ('"""Text."""\n# torchrun --standalone --nproc-per-node=4 x.py', None),
        ('"""\ntorchrun --nnodes=2 --nproc-per-node=4 x.py\n"""', None),
        ('"""\ntorchrun --standalone --nproc-per-node=0 x.py\n"""', None),
        ("print(1)", None),
        ("print(", None),
        ("", None),
    ],
)  # fmt: skip
def test_the_world_size_is_read_from_the_docstring(
    source: str, size: int | None
) -> None:
    assert ranks.world_size(source) == size


def test_the_world_size_is_read_without_torch() -> None:
    command = "import sys, gallery_run.ranks; sys.exit('torch' in sys.modules)"

    assert os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", command]) == 0


def test_each_rank_gets_what_torchrun_would_give_it(stage: Stage) -> None:
    names = ["WORLD_SIZE", "LOCAL_WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR"]
    names += ["MASTER_PORT", "OMP_NUM_THREADS"]
    note = f"open(f'env{{rank}}', 'w').write(json.dumps([os.getenv(n) for n in {names}]"
    folder = stage.script.parent
    told = f"import json\nos.chdir({str(folder)!r})\n{note}))\n"
    here = Path.cwd()

    stage.play(RANK + told, size=3)

    os.chdir(here)
    env = [json.loads((folder / f"env{rank}").read_text()) for rank in range(3)]
    port = env[0][4]
    assert [values[:5] for values in env] == [
        ["3", "3", str(rank), "127.0.0.1", port] for rank in range(3)
    ]
    assert [values[5] for values in env[1:]] == ["1", "1"]


def test_a_plain_program_is_left_alone(stage: Stage) -> None:
    stage.play("import os\nassert 'RANK' not in os.environ\n", size=None)

    assert stage.md5.exists()


def test_what_a_page_does_to_torch_ends_with_it(stage: Stage) -> None:
    before = torch.get_default_dtype(), dist.all_reduce
    changes = "torch.set_default_dtype(torch.float64); dist.all_reduce = print"

    stage.play(f"import torch, torch.distributed as dist; {changes}", size=None)

    assert (torch.get_default_dtype(), dist.all_reduce) == before


def test_what_a_script_does_to_the_environment_ends_with_it(stage: Stage) -> None:
    before = list(warnings.filters)

    stage.play(
        "import os, warnings\nos.environ['PATH'] = os.environ['OTHER'] = 'x'\n"
        "warnings.simplefilter('once')\n"
    )

    assert os.environ["PATH"] != "x"
    assert "OTHER" not in os.environ
    assert warnings.filters == before


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("if rank: raise ValueError('boom')", "rank 1 ended with exit status 1"),
        ("if rank: sys.exit('no more')", "no more"),
        ("if rank: os._exit(3)", "rank 1 ended with exit status 3"),
        ("if rank: os.kill(os.getpid(), 9)", "rank 1 was ended by SIGKILL"),
        ("if rank: time.sleep(60)", "rank 1 did not end; this is where it stood"),
        ("if rank: os.close(1), os.close(2), os._exit(4)", "exit status 4"),
        (f"if rank: {DEAF}time.sleep(60)", "rank 1 did not end, and did not say"),
        ("if rank: os.kill(os.getpid(), 19)", "rank 1 did not end, and did not say"),
    ],
)
def test_a_rank_that_fails_fails_the_page(stage: Stage, code: str, said: str) -> None:
    began = time.monotonic()

    with pytest.raises(ranks.RankError) as failure:
        stage.play(RANK + code)

    assert str(failure.value).startswith("page.py: rank 1 ")
    assert said in str(failure.value)
    assert time.monotonic() - began < 20  # it would be 60
    assert not stage.md5.exists()


def test_the_last_output_of_a_rank_is_said_and_no_megabytes(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranks, "WAIT", 60)
    code = "if rank:\n"
    code += "    print('line\\n' * 2_000_000, 'the end')\n"
    code += "    sys.stdout.buffer.write(b'\\xff is no UTF-8\\n')\n"
    code += "    print('error\\n' * 2_000_000, file=sys.stderr)\n"
    code += "    raise ValueError('x' * 5_000_000)\n"

    with pytest.raises(ranks.RankError) as failure:
        stage.play(RANK + code)

    said, _, printed = str(failure.value).partition("rank 1 printed last:")
    assert said.startswith("page.py: rank 1 ended with exit status 1")
    assert "the end" in printed
    assert "\ufffd is no UTF-8" in printed
    assert len(said + printed) < 10_000


def test_who_failed_first_is_said_first(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranks, "PATIENCE", 30)
    note = str(stage.script.parent / "note")
    code = f"import pathlib, psutil\nnote = pathlib.Path({note!r})\n"
    code += "if rank == 2:\n    note.write_text(f'{os.getpid()}.')\n"
    code += "    raise ValueError('the cause')\n"
    code += "while rank and not (note.exists() and note.read_text().endswith('.')): 0\n"
    code += "while rank and psutil.pid_exists(int(note.read_text()[:-1])): 0\n"
    code += "if rank: {}['later']\n"

    with pytest.raises(ranks.RankError) as failure:
        stage.play(RANK + code, size=3)

    first, _, then = str(failure.value).partition("ValueError: the cause")
    assert first.startswith("page.py: rank 2 ended with exit status 1")
    assert "KeyError: 'later'" in then


def test_an_echo_that_comes_first_is_not_the_cause(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranks, "PATIENCE", 30)
    code = f"if rank == 1: raise {CLOSED}\n"
    code += "if rank == 2: time.sleep(0.3), {}['the cause']\n"

    with pytest.raises(ranks.RankError) as failure:
        stage.play(RANK + code, size=3)

    assert str(failure.value).startswith("page.py: rank 2 ended")
    assert "rank 1 then failed too" in str(failure.value)


def test_a_rank_that_ends_early_without_an_error_is_named(stage: Stage) -> None:
    code = f"if rank: sys.exit(0)\ntime.sleep(0.3)\nraise {CLOSED}"

    with pytest.raises(ranks.RankError, match="rank 1 ended early"):
        stage.play(RANK + code)


def test_rank_0_does_not_wait_for_a_dead_rank(stage: Stage) -> None:
    began = time.monotonic()

    with pytest.raises(ranks.RankError, match="OSError: gone"):
        stage.play(RANK + "if rank: raise OSError('gone')\ntime.sleep(60)\n")

    assert time.monotonic() - began < 20  # it would be 60


def test_a_rank_that_hangs_is_said_when_rank_0_times_out(stage: Stage) -> None:
    code = "if rank: time.sleep(60)\ntime.sleep(0.3)\nraise TimeoutError('timed out')"

    with pytest.raises(ranks.RankError) as failure:
        stage.play(RANK + code)

    assert str(failure.value).startswith("page.py: rank 1 did not end")


def test_an_error_of_rank_0_is_its_own(stage: Stage) -> None:
    with pytest.raises(ValueError, match="zero"):
        stage.play(RANK + "if rank == 0: raise ValueError('zero')\ntime.sleep(60)\n")


def test_the_processes_of_a_rank_end_with_it(stage: Stage) -> None:
    note = stage.script.parent / "child"
    child = "subprocess.Popen(['sleep', '60'], start_new_session=True)"
    start = (
        f"    open({str(note)!r}, 'w').write(str({child}.pid))\n    time.sleep(60)\n"
    )

    with pytest.raises(ranks.RankError):
        stage.play(RANK + f"import subprocess\nif rank:\n{start}    time.sleep(60)\n")

    child_process = int(note.read_text())
    gone = not psutil.pid_exists(child_process)
    assert gone or psutil.Process(child_process).status() == psutil.STATUS_ZOMBIE


def test_ranks_that_wait_are_not_the_cause() -> None:
    stack = 'Thread 0x1 (most recent call first):\n  File "{}", line 7 in f\n'
    waits = stack.format("/lib/torch/distributed/distributed_c10d.py")
    hangs = stack.format("/site/page.py")

    text = report("p.py", [Outcome(1, -6, waits), Outcome(2, -6, hangs)])

    assert is_echo(waits)
    assert not is_echo(hangs)
    assert text.startswith("p.py: rank 2 did not end")


def test_an_error_on_all_ranks_is_said_once() -> None:
    same = 'Traceback:\n  File "p.py", line 1\nAssertionError: x'

    text = report("p.py", [Outcome(1, 1, same), Outcome(2, 1, same)])

    assert text.count("AssertionError") == 1
    assert "ranks 1, 2" in text


TORCH = """
import os
import torch
import torch.distributed as dist
from datetime import timedelta

dist.init_process_group("gloo", timeout=timedelta(seconds=20))
rank = dist.get_rank()
# here
number = torch.ones(1)
dist.all_reduce(number)
assert number.item() == dist.get_world_size()
assert torch.get_num_threads() == 1
"""


def test_real_ranks_meet_and_leave_no_port(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranks, "WAIT", 20)
    torch.set_num_threads(2)
    tell = "open('port', 'w').write(os.environ['MASTER_PORT'])\n"
    port = stage.script.parent / "port"

    stage.play(
        TORCH + "dist.destroy_process_group()\n"
        f"if rank == 0: {tell.replace(chr(39) + 'port', chr(39) + str(port))}",
        size=3,
    )

    assert torch.get_num_threads() == 2
    with socket.socket() as client:
        assert client.connect_ex(("127.0.0.1", int(port.read_text()))) != 0


def test_no_page_gets_the_port_of_an_earlier_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = iter((7001, 7001, 7002))  # the system repeats one after about 100 stores

    class Store:
        def __init__(self, *_: object, **__: object) -> None:
            self.port = next(given)

    monkeypatch.setattr(dist, "TCPStore", Store)
    monkeypatch.setattr(ranks, "_ports", set(), raising=False)
    pages = [ranks.Page("page.py", Path("page.py"), Path("out")) for _ in range(2)]

    ports = [ranks.take_port(page, 2) for page in pages]
    for page in reversed(pages):
        page.after.close()

    assert ports == [7001, 7002]


def test_a_group_that_is_left_open_is_an_error_and_closed(stage: Stage) -> None:
    with pytest.raises(ranks.RankError, match=r"page\.py: .*destroy_process_group"):
        stage.play(TORCH, size=1)

    assert not dist.is_initialized()


def test_a_real_rank_that_dies_is_named_and_not_the_closed_connection(
    stage: Stage,
) -> None:
    with pytest.raises(ranks.RankError) as failure:
        stage.play(TORCH.replace("# here", "if rank: raise ValueError('mine')"))

    assert "ValueError: mine" in str(failure.value).partition("rank 0")[0]


WAITS = "dist.all_reduce(number, async_op=True).wait(timedelta(seconds=2))"
HANGS = "if rank: time.sleep(60)"


@pytest.mark.parametrize(
    ("code", "stands"),
    [
        (
            TORCH.replace("dist.all_reduce(number)", WAITS).replace("# here", HANGS),
            HANGS,
        ),
        (f"{TORCH}if rank: dist.all_reduce(number)\n", "if rank: dist.all_reduce"),
        (f"{TORCH}{HANGS}\n", HANGS),
    ],
    ids=["before a collective", "in a collective", "after a collective"],
)
def test_a_real_rank_that_hangs_is_named_with_its_line(
    stage: Stage, code: str, stands: str
) -> None:
    with pytest.raises(ranks.RankError) as failure:
        # rank 0 leaves its group open: else rank 1 sees it close, and does not hang
        stage.play(f"import time\n{code}if rank: dist.destroy_process_group()\n")

    text = stage.script.read_text()
    line = text[: text.index(stands)].count("\n") + 1
    assert str(failure.value).startswith("page.py: rank 1 ")
    assert "did not end; this is where it stood" in str(failure.value)
    assert f'page.py", line {line}' in str(failure.value)


WRAPS = f"""
import sys, weakref
group_before = getattr(sys, "group_before", lambda: None)
assert group_before() is None, "the group of the page before is there"
{TORCH}
from torch.nn.parallel import DistributedDataParallel

model = DistributedDataParallel(torch.nn.Linear(2, 1))
model(torch.ones(1, 2)).sum().backward()
sys.group_before = weakref.ref(dist.group.WORLD)
dist.destroy_process_group()
"""


def test_a_wrapped_model_keeps_no_group_alive(tmp_path: Path) -> None:
    """All pages of a gallery run in one process, here a new one."""
    site = Path(shutil.copytree(GALLERY, tmp_path / "site"))
    scripts = [site / "gallery" / "part" / f"{name}.py" for name in ("first", "second")]
    for script in scripts:
        script.write_text(f'"""\nTitle\n=====\n\n{TORCHRUN.format(2)}\n"""\n{WRAPS}')

    run_gallery(site, site, overrides={"gallery_intl_deadline": 100})

    assert all((site / "pages/part" / f"{x.name}.md5").exists() for x in scripts)


HELD = """
import os
import torch, torch.distributed as dist
dist.init_process_group("gloo")
import torch.distributed.nn  # keeps the group, and its threads, to the end
for _ in range(20):
    tensor = torch.ones(1_000_000)
    dist.all_reduce(tensor)
    del tensor
dist.destroy_process_group()
"""


def test_no_rank_is_aborted_while_python_ends(tmp_path: Path) -> None:
    """More ranks than processors, so that Gloo's threads are late (7 of 12 aborted)."""
    program = tmp_path / "page.py"
    program.write_text(HELD, encoding="utf-8")
    starts = "import subprocess, sys\n"
    for n in (1, 2):
        starts += (
            "done = subprocess.run([sys.executable, '-m', 'torch.distributed.run', "
            f"'--standalone', '--nproc-per-node=6', {str(program)!r}], "
            "capture_output=True, text=True)\n"
            f"assert not done.returncode, ({n}, done.stderr)\n"
        )
    site = Path(shutil.copytree(GALLERY, tmp_path / "site"))
    script = site / "gallery" / "part" / "first.py"
    script.write_text(f'"""\nTitle\n=====\n\n"""\n{starts}')

    run_gallery(site, site, overrides={"gallery_intl_deadline": 200})

    assert (site / "pages/part/first.py.md5").exists()
