"""Run Sphinx and the project's commands in forks of a process that has imported them.

To start Python and import Sphinx takes longer than most small builds. A fork is told
what ``python -m`` would be told, and ends as Python does. If it runs a gallery, that
process is such a fork too.
"""

from __future__ import annotations

import functools
import gc
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Client, Connection, wait
from multiprocessing.reduction import recv_handle, send_handle
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import forks
import templates
from paths import PROJECT, TOOLS
from pygments.styles import get_all_styles
from sphinx.application import builtin_extensions

# none of them may import torch: there are tests in which nobody can
IMPORTED = (
    *builtin_extensions,
    "gallery_intl.downloads",
    "gallery_intl.finished",
    "gallery_run.__main__",
    "gallery_run.furniture",
    "gallery_run.generate",
    "gallery_run.ranks",
    "gallery_run.install",
    "gallery_run.notebook",
    "gallery_site",
    "gallery_site.__main__",
    "gallery_site.cards",
    "gallery_site.hero",
    "gallery_site.light",
    "matplotlib.pyplot",
    "pydata_sphinx_theme",
    "sphinx.cmd.build",
    "sphinx.ext.mathjax",
    "sphinx_cjk_search",
    "sphinx_copybutton",
    "sphinx_design.extension",
    "sphinx_gallery.gen_gallery",
)
ON_PATH = (PROJECT, TOOLS)  # until all is imported


class Told(NamedTuple):
    """What a process gets; its files come behind it."""

    arguments: list[str]
    folder: str
    environment: dict[str, str]
    files: list[int]  # which numbers they have
    is_session: bool


class Server(NamedTuple):
    """The process that is forked, and where it is asked."""

    process: subprocess.Popen[bytes]
    address: str
    life: int  # it ends when this file is closed


@functools.cache
def server() -> Server:
    """Start the process that is forked, if there is none; it ends with this one."""
    address = str(Path(tempfile.mkdtemp(prefix="s-"), "line"))
    theirs, life = os.pipe()
    path = os.pathsep.join(map(str, ON_PATH))
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import prepared; prepared.main()",
            address,
            str(theirs),
        ],
        env=os.environ | {"PYTHONPATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        pass_fds=[theirs],
        start_new_session=True,  # Ctrl-C is for us
    )
    os.close(theirs)
    assert process.stdout
    assert process.stdout.readline()  # it listens
    return Server(process, address, life)


def is_ours(process: int, parent: int) -> bool:
    """Tell whether a process is the server, or one of those that wait for others."""
    pid = server().process.pid if server.cache_info().currsize else None
    return pid in (process, parent)


class Started:
    """A process that was forked, with what `subprocess.Popen` has."""

    def __init__(
        self,
        command: list[str],
        *,
        address: str = "",
        cwd: Path | None = None,
        env: Mapping[str, str],
        stdin: int = subprocess.DEVNULL,
        stdout: Any,
        stderr: Any,
        pass_fds: Iterable[int] = (),
        start_new_session: bool = False,
    ) -> None:
        files = {1: stdout.fileno(), 2: stderr.fileno(), **{n: n for n in pass_fds}}
        assert stdin == subprocess.DEVNULL
        assert command[0] == sys.executable
        folder = str(cwd or Path.cwd())
        told = Told(command[1:], folder, dict(env), [*files], start_new_session)
        self.line = Client(address or server().address, "AF_UNIX")
        self.line.send(told)
        for number in files.values():
            send_handle(self.line, number, None)
        # a build with linkcheck in this process gives each new socket a timeout, and
        # so the one that sends a handle, which is this line
        os.set_blocking(self.line.fileno(), True)
        self.pid: int = self.line.recv()
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not self.line.poll(timeout):
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
            self.returncode = self.line.recv()
            self.line.close()
        return self.returncode

    def poll(self) -> int | None:
        if self.returncode is None and not self.line.poll():
            return None
        return self.wait()

    def kill(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


class Command(forks.Forked):
    """A command of the project that another one starts: a fork of that one."""

    def __init__(self, args: Any, **options: Any) -> None:
        told = args[1:3] if isinstance(args, list) else []
        if told in (["-m", "gallery_site"], ["-m", "sphinx"]):
            super().__init__(args, **options)
        else:
            super(forks.Forked, self).__init__(args, **options)


def subprocess_for(address: str = "") -> SimpleNamespace:
    """Give a module `subprocess` that forks the process that is prepared."""
    popen = functools.partial(Started, address=address)
    return SimpleNamespace(**vars(subprocess) | {"Popen": popen})


def run(
    module: str,
    *arguments: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run ``python -m module`` with some arguments; ``env`` is added to ours."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        own = os.environ | dict(env or {})
        own["PYTHONPATH"] = os.pathsep.join([str(PROJECT), own.get("PYTHONPATH", "")])
        process = Started(command, cwd=cwd, env=own, stdout=out, stderr=err)
        status = process.wait()
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8"))
    return subprocess.CompletedProcess(command, status, *texts)


def serve(address: str, life: int) -> Connection | None:
    """Fork for each who asks, until the file is closed; a fork is given its line."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        print("listening", flush=True)
        while life not in wait([listener, life]):
            asked, _ = listener.accept()
            if not os.fork():
                return Connection(asked.detach())
            asked.close()
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
    shutil.rmtree(Path(address).parent)
    return None


def keep(line: Connection) -> Told | None:
    """Fork once more, say which process that is and how it ended; there, give it all.

    Whoever asked is not its parent, and could not wait for it.
    """
    told: Told = line.recv()
    given = [recv_handle(line) for _ in told.files]
    process = os.fork()
    if process:
        for number in given:
            os.close(number)
        line.send(process)
        _, status = os.waitpid(process, 0)
        with suppress(OSError):  # nobody asks any more
            line.send(os.waitstatus_to_exitcode(status))
        return None
    line.close()
    apart = [os.dup2(x, 200 + i, inheritable=False) for i, x in enumerate(given)]
    for number, own in zip(apart, told.files, strict=True):
        os.dup2(number, own)
    forks.inherited.update({0, 1, 2, *told.files})
    forks.close_files()
    return told


def become(told: Told, address: str) -> None:
    """Be the process that was asked for."""
    if told.is_session:
        os.setsid()
    os.chdir(told.folder)
    forks.begin(told.environment)
    time.tzset()
    path = told.environment.get("PYTHONPATH", "")
    sys.path[1:1] = [folder for folder in path.split(os.pathsep) if folder]
    sys.modules["gallery_run.child"].subprocess = subprocess_for(address)
    subprocess.Popen = Command  # type: ignore[misc]
    forks.perform(told.arguments)


def main() -> None:
    """Import what takes long, and serve."""
    for name in IMPORTED:
        import_module(name)
    list(get_all_styles())  # imports those of other packages
    for name in [*sys.modules]:
        if name.endswith(".__main__"):
            del sys.modules[name]  # to be run
    for folder in ON_PATH:
        sys.path.remove(str(folder))
    address, life = sys.argv[1:]
    templates.keep(Path(address).with_name("templates"))
    gc.collect()
    gc.freeze()
    line = serve(address, int(life))
    if line and (told := keep(line)):
        become(told, address)
