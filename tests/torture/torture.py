"""Kill builds, fill disks, take things away: what is rare, and may lose nothing.

    make -f .ci/maintain.mk torture

It takes about a quarter of an hour, so ``make test`` leaves it out. What needs
namespaces and mounts of its own runs where these can be had (root, on Linux).
"""

from __future__ import annotations

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
from paths import PROJECT, ROOTS

from gallery_intl.catalogs import po as catalogs

SMALL = ROOTS / "test-site"
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


def said(done: subprocess.CompletedProcess[str]) -> str:
    return done.stdout + done.stderr


def snapshot(folder: Path, pattern: str = "*") -> dict[str, bytes]:
    """Give a tree's files; running times, which are measured, are left out."""
    return {
        path.relative_to(folder).as_posix(): MEASURED.sub(b"", path.read_bytes())
        for path in sorted(folder.rglob(pattern))
        if path.is_file()
    }


def differences(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    names = sorted(one.keys() | other.keys())
    return [name for name in names if one.get(name) != other.get(name)]


def words(source: Path) -> set[str]:
    """Give every translation that is anywhere in the catalogs."""
    return {
        entry.msgstr
        for path in (source / "locales").rglob("*.po")
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
    assert done.returncode == 0, said(done)[-3000:]
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


def run_live(source: Path) -> None:
    """Start the live view, and end it once everything is built."""
    process = start(command(source, "live", "ko", "--port", "0"))
    heard = []
    for line in process.stdout:
        heard.append(line)
        if line.startswith("http://"):
            break
    process.send_signal(signal.SIGINT)
    # as the shell says it of what Ctrl-C has ended
    assert process.wait(60) == 130, "".join([*heard, process.stdout.read()])


def run_to_end(source: Path, name: str) -> None:
    if name == "live":
        return run_live(source)
    done = run(command(source, name))
    assert done.returncode == 0, said(done)[-3000:]
    return None


def result(source: Path, name: str) -> dict[str, bytes]:
    """Give what a command is there to make."""
    made = {"html": "_build/html", "catalogs": "locales", "live": "_build/live/ko/html"}
    return snapshot(source / made[name], "*.po" if name == "catalogs" else "*")


STATES = {"fresh": fresh, "edited": edited}
Prepare = Callable[[Path], None]


@pytest.fixture(scope="module")
def undisturbed(workplace: Path) -> Callable[[str, str], tuple[float, dict]]:
    """How long a command takes from a state, and what it makes."""
    known: dict[tuple[str, str], tuple[float, dict]] = {}

    def measure(name: str, state: str) -> tuple[float, dict]:
        if (name, state) not in known:
            STATES[state](workplace)
            began = time.monotonic()
            run_to_end(workplace, name)
            known[name, state] = time.monotonic() - began, result(workplace, name)
        return known[name, state]

    return measure


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("name", ["html", "catalogs", "live"])
def test_a_killed_command_is_as_if_it_had_not_been(
    workplace: Path, undisturbed: Callable[..., tuple], name: str, moment: int
) -> None:
    """Even moments: a fresh site; odd: an edited one. Every other pair: alone."""
    state = ["fresh", "edited"][moment % 2]
    alone = moment // 2 % 2 == 1  # the processes that it started live on
    seconds, expected = undisturbed(name, state)
    STATES[state](workplace)
    before = words(workplace)
    arguments = [name, *(["ko", "--port", "0"] if name == "live" else [])]

    process = start(command(workplace, *arguments))
    time.sleep(seconds * (moment + 0.5) / len(MOMENTS))
    below = psutil.Process(process.pid).children(recursive=True)
    process.kill() if alone else os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    damaged = before - words(workplace)
    run_to_end(workplace, name)

    assert not damaged
    assert not before - words(workplace)
    assert not differences(result(workplace, name), expected)
    _, alive = psutil.wait_procs(below, 60)
    assert not [p for p in alive if p.status() != psutil.STATUS_ZOMBIE], alive
    assert not list(workplace.rglob(".*.po.*"))


def test_two_builds_at_once_both_end_well(
    workplace: Path, undisturbed: Callable[..., tuple]
) -> None:
    _seconds, expected = undisturbed("html", "fresh")
    fresh(workplace)

    both = [start(command(workplace, "html")) for _ in range(2)]
    outputs = [process.communicate(timeout=300)[0] for process in both]

    assert [process.returncode for process in both] == [0, 0], outputs
    assert sum("waiting for it" in output for output in outputs) == 1, outputs
    assert not differences(result(workplace, "html"), expected)


# things taken away


@pytest.fixture
def real(tmp_path: Path) -> Path:
    """A copy of the project, in which one page with ranks is to be run again."""
    left_out = shutil.ignore_patterns("_build", ".git", ".venv", ".*cache")
    source = shutil.copytree(PROJECT, tmp_path / "real", ignore=left_out)
    with (source / "gallery/ranks/hello_ranks.py").open("a") as script:
        script.write("\nassert True\n")
    return source


def privately(*steps: str) -> list[str]:
    """Give a shell that does something to its own view of the machine first."""
    if subprocess.run(["unshare", "-mn", "true"], check=False).returncode:
        pytest.skip("namespaces cannot be had here")
    return ["unshare", "-mn", "sh", "-ec", "\n".join([*steps, 'exec "$@"']), "sh"]


LOOPBACK = "ip link set lo up"


def check_built(done: subprocess.CompletedProcess[str], source: Path) -> None:
    assert done.returncode == 0, said(done)[-3000:]
    assert "hello_ranks" in done.stdout
    page = source / "_build/html/ko/tutorials/ranks/hello_ranks.html"
    assert "torchrun" in page.read_text(encoding="utf-8")


def check_refused(done: subprocess.CompletedProcess[str], reason: str) -> None:
    """A failure says why, and is no traceback."""
    assert done.returncode == 1, said(done)
    assert "Traceback" not in said(done), said(done)
    assert reason in said(done), said(done)


def test_no_network_is_needed(real: Path) -> None:
    done = run([*privately(LOOPBACK), *command(real, "html")])

    check_built(done, real)


def test_no_shared_memory_is_needed(real: Path) -> None:
    gone = "mount -t tmpfs -o ro none /dev/shm"

    done = run([*privately(LOOPBACK, gone), *command(real, "html")])

    check_built(done, real)


def test_a_home_that_cannot_be_written_is_no_hindrance(real: Path) -> None:
    gone = "mount -t tmpfs -o ro none /mnt"

    done = run(
        [*privately(LOOPBACK, gone), *command(real, "html")],
        HOME="/mnt",
        XDG_CACHE_HOME="/mnt/cache",
        XDG_CONFIG_HOME="/mnt/config",
    )

    check_built(done, real)


def test_the_locale_of_the_machine_does_not_matter(real: Path) -> None:
    done = run(command(real, "html"), LC_ALL="C", LANG="C", PYTHONUTF8="0")

    check_built(done, real)


def test_a_path_may_have_spaces_and_hangul(real: Path) -> None:
    source = real.rename(real.parent / "여러 GPU 예제 (1)")

    done = run(command(source, "html"))

    check_built(done, source)


@pytest.mark.parametrize("name", ["html", "catalogs"])
def test_a_tree_that_cannot_be_written_is_named(workplace: Path, name: str) -> None:
    fresh(workplace)
    read_only = f"mount --bind {workplace} {workplace}; mount -o remount,ro,bind "

    done = run([*privately(read_only + str(workplace)), *command(workplace, name)])

    check_refused(done, "Read-only file system")


@pytest.mark.parametrize("size", [200, 400, 800, 1600, 3200, 6400, 12800, 25600])
@pytest.mark.parametrize("name", ["html", "catalogs"])
def test_a_full_disk_is_named_and_nothing_is_lost(
    workplace: Path, tmp_path: Path, name: str, size: int
) -> None:
    """The disk is full at another place each time; a large one is enough."""
    fresh(workplace)
    kept = tmp_path / "kept"
    kept.mkdir()
    steps = (
        LOOPBACK,
        f"mount -t tmpfs -o size={size}k none /mnt",
        f"cp -r {workplace} /mnt/site",
        f"trap 'cp -r /mnt/site/locales {kept}' EXIT",
    )
    shell = [*privately(*steps)]
    shell[4] = shell[4].replace('exec "$@"', '"$@"')  # the trap comes after it

    done = run([*shell, *command(Path("/mnt/site"), name)])

    if done.returncode:
        check_refused(done, "No space left on device")
    before = snapshot(workplace / "locales", "*.po")
    assert words(kept) >= words(workplace)
    assert len(snapshot(kept / "locales", "*.po")) >= len(before)
    assert not list(kept.rglob(".*.po.*"))


@pytest.mark.parametrize("name", [["serve"], ["live", "ko"]])
def test_a_taken_port_is_named(workplace: Path, name: list[str]) -> None:
    fresh(workplace)
    (workplace / "_build/html").mkdir(parents=True)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        done = run(command(workplace, *name, "--port", str(port)))

    check_refused(done, f"port {port}")
    assert "PORT=" in done.stderr
