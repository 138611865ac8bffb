"""Kill builds, fill disks, take things away: what is rare, and may lose nothing.

    make -f .ci/maintain.mk torture

It takes about a quarter of an hour, so ``make test`` leaves it out. What needs
namespaces and mounts of its own runs where these can be had (root, on Linux).
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from made import contents
from paths import PROJECT, ROOTS

from gallery_intl.catalogs import po as catalogs

SMALL = ROOTS / "test-site"
COMMANDS = {
    "html": ["html"],
    "catalogs": ["catalogs"],
    "live": ["live", "ko", "--port", "0"],
}
MADE = {"html": "_build/html", "catalogs": "locales", "live": "_build/live/ko/html"}
MOMENTS = range(30)
MEASURED = re.compile(rb"\d+\.\d+(?= seconds| ?\xec\xb4\x88)")  # running times
PAGE = "gallery/part/page.py"
NEW_TEXT = "\n# %%\n# One more paragraph.\nprint(2)\n"


def command(source: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "gallery_site", "--source", str(source), *arguments]


def run(arguments: list[str], **more: str) -> subprocess.CompletedProcess[str]:
    """Run to the end; five minutes are for what hangs."""
    return subprocess.run(
        arguments,
        env=os.environ | {"PYTHONPATH": str(PROJECT)} | more,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def output_of(done: subprocess.CompletedProcess[str]) -> str:
    return done.stdout + done.stderr


def snapshot(folder: Path, pattern: str = "*") -> dict[str, bytes]:
    """Return a tree's files without the running times, which are measured."""
    files = contents(folder, pattern)
    return {name: MEASURED.sub(b"", content) for name, content in files.items()}


def differences(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    names = sorted(one.keys() | other.keys())
    return [name for name in names if one.get(name) != other.get(name)]


def translations(source: Path) -> set[str]:
    """Return every Korean translation that is anywhere in the catalogs."""
    return {
        entry.msgstr
        for path in (source / "locales" / "ko").rglob("*.po")
        for entry in catalogs.read(path)  # fails if one is damaged
        if entry.msgstr
    }


# killed at any moment


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where each site is built: always at the same path."""
    folder = tmp_path_factory.mktemp("torture")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RUNS", str(folder / "runs"))
        yield folder / "site"


def fresh(workplace: Path) -> None:
    """A site as it is cloned."""
    shutil.rmtree(workplace, ignore_errors=True)
    shutil.copytree(SMALL, workplace)


def edited(workplace: Path) -> None:
    """A site that was built, and then got a sentence in a script and a catalog."""
    fresh(workplace)
    done = run(command(workplace, "html"))
    assert done.returncode == 0, output_of(done)[-3000:]
    with (workplace / PAGE).open("a", encoding="utf-8") as script:
        script.write(NEW_TEXT)
    po = catalogs.po_path(workplace / "locales", "ko", "tutorials/part/page")
    text = po.read_text(encoding="utf-8")
    po.write_text(text.replace("한 페이지", "고친 페이지"), encoding="utf-8")


def start(arguments: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        arguments,
        env=os.environ | {"PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def run_to_end(source: Path, name: str) -> None:
    """Run a command; the live view until everything is built, and then Ctrl-C."""
    process = start(command(source, *COMMANDS[name]))
    if name == "live":
        assert any(line.startswith("http://") for line in process.stdout)
        process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=300)
    # a shell reports 130 for what Ctrl-C has ended
    assert process.returncode == (130 if name == "live" else 0), output[-3000:]


def result(source: Path, name: str) -> dict[str, bytes]:
    return snapshot(source / MADE[name], "*.po" if name == "catalogs" else "*")


STATES = {"fresh": fresh, "edited": edited}
Undisturbed = Callable[[str, str], tuple[float, dict[str, bytes]]]


@pytest.fixture(scope="module")
def undisturbed(workplace: Path) -> Undisturbed:
    """Return the seconds that a command takes from a state, and the files it makes."""

    @functools.cache
    def undisturbed(name: str, state: str) -> tuple[float, dict[str, bytes]]:
        STATES[state](workplace)
        began = time.monotonic()
        run_to_end(workplace, name)
        return time.monotonic() - began, result(workplace, name)

    return undisturbed


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("name", ["html", "catalogs", "live"])
def test_a_killed_command_is_as_if_it_had_not_been(
    workplace: Path, undisturbed: Undisturbed, name: str, moment: int
) -> None:
    """Even moments: a fresh site; odd: an edited one. Every other pair: alone."""
    state = ["fresh", "edited"][moment % 2]
    alone = moment // 2 % 2 == 1  # the processes that it started live on
    seconds, expected = undisturbed(name, state)
    STATES[state](workplace)
    before = translations(workplace)

    process = start(command(workplace, *COMMANDS[name]))
    time.sleep(seconds * (moment + 0.5) / len(MOMENTS))
    below = psutil.Process(process.pid).children(recursive=True)
    process.kill() if alone else os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not before - translations(workplace)
    run_to_end(workplace, name)

    assert not before - translations(workplace)
    assert not differences(result(workplace, name), expected)
    _, alive = psutil.wait_procs(below, 60)
    assert not [p for p in alive if p.status() != psutil.STATUS_ZOMBIE], alive
    assert not list(workplace.rglob(".*.po.*"))


def test_two_builds_at_once_both_end_well(
    workplace: Path, undisturbed: Undisturbed
) -> None:
    _seconds, expected = undisturbed("html", "fresh")
    fresh(workplace)

    both = [start(command(workplace, "html")) for _ in range(2)]
    outputs = [process.communicate(timeout=300)[0] for process in both]

    assert [process.returncode for process in both] == [0, 0], outputs
    assert sum("waiting for it" in output for output in outputs) == 1, outputs
    assert not differences(result(workplace, "html"), expected)


# things taken away

LOOPBACK = "ip link set lo up"  # the ranks of a lesson talk over it
FEWER = {
    "no network": ((LOOPBACK,), {}),
    "no shared memory": ((LOOPBACK, "mount -t tmpfs -o ro none /dev/shm"), {}),
    "a home that is read-only": (
        (LOOPBACK, "mount -t tmpfs -o ro none /mnt"),
        {"HOME": "/mnt", "XDG_CACHE_HOME": "/mnt/cache", "XDG_CONFIG_HOME": "/mnt"},
    ),
    "the C locale": ((), {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0"}),
}


def privately(*steps: str) -> list[str]:
    """Return a shell that runs steps, and then a command, in namespaces of its own."""
    if not steps:
        return []
    if subprocess.run(["unshare", "-mn", "true"], check=False).returncode:
        pytest.skip("namespaces cannot be had here")
    return ["unshare", "-mn", "sh", "-ec", "\n".join([*steps, '"$@"']), "sh"]


@pytest.mark.parametrize("fewer", FEWER)
def test_the_site_is_built_with_less(tmp_path: Path, fewer: str) -> None:
    """One lesson with ranks runs again, in a folder with spaces and Hangul."""
    left_out = shutil.ignore_patterns("_build", ".git", ".venv", ".*cache")
    source = tmp_path / "여러 GPU 예제 (1)"
    shutil.copytree(PROJECT, source, ignore=left_out)
    with (source / "gallery/start/hello_ranks.py").open("a") as script:
        script.write("\nassert True\n")
    steps, environment = FEWER[fewer]

    done = run([*privately(*steps), *command(source, "html")], **environment)

    assert done.returncode == 0, output_of(done)[-3000:]
    assert "hello_ranks" in done.stdout
    page = source / "_build/html/ko/tutorials/start/hello_ranks.html"
    assert "torchrun" in page.read_text(encoding="utf-8")


def check_refused(done: subprocess.CompletedProcess[str], reason: str) -> None:
    """A failure says why, and is no traceback."""
    assert done.returncode == 1, output_of(done)
    assert "Traceback" not in output_of(done), output_of(done)
    assert reason in output_of(done), output_of(done)


@pytest.mark.parametrize("name", ["html", "catalogs"])
def test_a_tree_that_cannot_be_written_is_named(workplace: Path, name: str) -> None:
    fresh(workplace)
    read_only = f"mount --bind {workplace} {workplace}; mount -o remount,ro,bind "

    done = run([*privately(read_only + str(workplace)), *command(workplace, name)])

    check_refused(done, "Read-only file system")


@pytest.mark.parametrize("kilobytes", [200, 400, 800, 1600, 3200, 6400, 12800, 25600])
@pytest.mark.parametrize("name", ["html", "catalogs"])
def test_a_full_disk_is_named_and_nothing_is_lost(
    workplace: Path, tmp_path: Path, name: str, kilobytes: int
) -> None:
    """The disk is full at another place each time; a large one is enough."""
    fresh(workplace)
    steps = (
        f"mount -t tmpfs -o size={kilobytes}k none /mnt",
        f"cp -r {workplace} /mnt/site",
        f"trap 'cp -r /mnt/site/locales {tmp_path}' EXIT",
    )

    done = run([*privately(LOOPBACK, *steps), *command(Path("/mnt/site"), name)])

    if done.returncode:
        check_refused(done, "No space left on device")
    assert translations(tmp_path) >= translations(workplace)
    assert not list(tmp_path.rglob(".*.po.*"))


@pytest.mark.parametrize("name", [["serve"], ["live", "ko"]])
def test_a_taken_port_is_named(workplace: Path, name: list[str]) -> None:
    fresh(workplace)
    (workplace / "_build/html").mkdir(parents=True)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        done = run(command(workplace, *name, "--port", str(port)))

    check_refused(done, f"port {port}")
    assert "PORT=" in done.stderr
