"""Lock the packages of requirements.txt, and all that these need, by their hashes.

`make -f .ci/maintain.mk lock` runs it after requirements.txt was edited. Versions stay
unless requirements.txt asks for others. The lock has four parts, because pip checks the
hashes of all packages of a command or of none, and a machine takes torch's CPU build or
its CUDA build:

- site.txt: everything but torch;
- torch.txt: torch as PyPI has it, for Linux and Windows the CUDA build;
- torch-cpu.txt: torch's CPU build, which PyTorch publishes in an index of its own;
- cuda.txt: the libraries that only torch's CUDA build needs.

constraints.txt has the same versions without hashes, for whoever installs
requirements.txt by hand, and perhaps another build of torch.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
LOCKS = PROJECT / "locks"
ENTRY = re.compile(r"^(?P<name>[a-z0-9-]+)==(?P<version>[^\s;]+)(?:.*\\\n)*.*\n", re.M)
HASH = re.compile(r"--hash=\S+")
CUDA = re.compile(r"(cuda|nvidia)-.*|triton")
HEAD = "# Written by `make -f .ci/maintain.mk lock`; edit requirements.txt instead.\n"
OLDEST_PYTHON = "3.11.5"


def part_of(name: str) -> str:
    """Tell which part of the lock a package belongs to."""
    if name == "torch":
        return "torch"
    return "cuda" if CUDA.fullmatch(name) else "site"


def resolve(wanted: str, known: str, *options: str) -> str:
    """Let uv find versions and hashes for all systems; it keeps to what is known."""
    with tempfile.TemporaryDirectory() as folder:
        lock = Path(folder, "lock.txt")
        lock.write_text(known, encoding="utf-8")
        command = [sys.executable, "-m", "uv", "pip", "compile", "-", "--quiet"]
        command += ["--universal", "--python-version", OLDEST_PYTHON]
        command += ["--generate-hashes", "--no-header", "--no-annotate", *options]
        command += ["--output-file", str(lock)]
        if subprocess.run(command, input=wanted, text=True, check=False).returncode:
            sys.exit("uv failed, as printed above: the locks are as they were")
        return lock.read_text("utf-8")


def without_hashes(lock: str) -> str:
    """Give a lock's versions, and for which systems they are."""
    lines = (line for line in lock.splitlines() if "==" in line)
    return "".join(line.removesuffix("\\").rstrip() + "\n" for line in lines)


def cpu_build(version: str, path: Path) -> str:
    """Lock the CPU build of torch; what is locked already stays as it is."""
    build = f"torch=={version}+cpu"
    known = path.read_text("utf-8").removeprefix(HEAD) if path.is_file() else ""
    if known.startswith(f"{build} "):
        return known
    found = resolve(build, "", "--no-deps", "--torch-backend", "cpu")
    return " \\\n    ".join([build, *sorted(set(HASH.findall(found)))]) + "\n"


def write(path: Path, entries: Iterable[str]) -> None:
    """Write a file with its heading."""
    path.write_text(HEAD + "".join(entries), encoding="utf-8")


def main() -> None:
    """Lock what requirements.txt asks for."""
    requirements = (PROJECT / "requirements.txt").read_text("utf-8")
    wanted = re.sub(r"^-c .*\n", "", requirements, flags=re.M)
    constraints, cpu = PROJECT / "constraints.txt", LOCKS / "torch-cpu.txt"
    # its versions only: uv would take over the hashes too, and look for no new ones
    new = resolve(wanted, constraints.read_text("utf-8"))
    parts: dict[str, list[str]] = {"site": [], "torch": [], "cuda": []}
    for entry in ENTRY.finditer(new):
        part = part_of(entry["name"])
        parts[part].append(entry[0])
        if part == "torch":
            write(cpu, [cpu_build(entry["version"], cpu)])
    for part, entries in parts.items():
        write(LOCKS / f"{part}.txt", entries)
    write(constraints, [without_hashes(new)])


if __name__ == "__main__":
    main()
