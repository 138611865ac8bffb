"""The lock: everything that builds the site, by version and by hash."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from paths import PROJECT

PLAIN = ("site", "torch", "cuda")  # what constraints.txt has too
LOCKS = (*PLAIN, "torch-cpu")
ENTRY = re.compile(
    r"^(?P<requirement>[\w.-]+==[^\\\n]+)(?P<hashes>(?:\\\n[^\\\n]*)*)", re.M
)

HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def lines(name: str) -> list[str]:
    """Give a file's requirements as they stand there."""
    text = (PROJECT / name).read_text("utf-8")
    return [line for line in text.splitlines() if re.match(r"\w", line)]


def locked(*names: str) -> dict[str, tuple[Requirement, list[str]]]:
    """Give what locks/ holds: each package's requirement and hashes."""
    found = {}
    for name in names or PLAIN:
        text = (PROJECT / "locks" / f"{name}.txt").read_text("utf-8")
        for entry in ENTRY.finditer(text):
            requirement = Requirement(entry["requirement"])
            found[requirement.name] = (requirement, entry["hashes"].split("\\\n")[1:])
    return found


def needed(requirement: Requirement, seen: set[str]) -> Iterator[metadata.Distribution]:
    """Give what is installed for a requirement, and for what that requires in turn."""
    name = canonicalize_name(requirement.name)
    if name in seen:
        return
    seen.add(name)
    package = metadata.distribution(name)
    yield package
    for line in package.requires or []:
        further = Requirement(line)
        extras = [{"extra": extra} for extra in ("", *requirement.extras)]
        if not further.marker or any(map(further.marker.evaluate, extras)):
            yield from needed(further, seen)


def test_all_that_is_installed_for_the_site_is_locked() -> None:
    seen: set[str] = set()
    asked = [Requirement(line) for line in lines("requirements.txt")]

    installed = [package for one in asked for package in needed(one, seen)]

    lock = {name: requirement for name, (requirement, _) in locked().items()}
    assert len(installed) > 50
    # torch's CPU build has the same version, with "+cpu" behind it
    assert [
        f"{package.name} {package.version}: say make lock, or install what is locked"
        for package in installed
        if (name := canonicalize_name(package.name)) not in lock
        or Version(package.version) not in lock[name].specifier
    ] == []


def test_every_locked_package_has_one_version_and_its_hashes() -> None:
    entries = [entry for lock in LOCKS for entry in locked(lock).items()]
    for name, (requirement, hashes) in entries:
        assert [one.operator for one in requirement.specifier] == ["=="], name
        assert hashes, name
        assert [one for one in hashes if not HASH.fullmatch(one.strip())] == [], name


def test_the_lock_holds_what_requirements_and_constraints_say() -> None:
    lock = {name: str(requirement) for name, (requirement, _) in locked().items()}

    for line in lines("requirements.txt"):
        asked = Requirement(line)
        name = canonicalize_name(asked.name)
        version = Requirement(lock.get(name, f"{name}==0")).specifier
        assert Version(str(version).removeprefix("==")) in asked.specifier, "make lock"
    constraints = {str(Requirement(line)) for line in lines("constraints.txt")}
    assert constraints == set(lock.values())


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_holds_packages_each_once_and_nothing_else(name: str) -> None:
    text = (PROJECT / "locks" / f"{name}.txt").read_text("utf-8")
    found = [Requirement(x["requirement"]).name for x in ENTRY.finditer(text)]

    rest = ENTRY.sub("", text).splitlines()

    assert [line for line in rest if line and not line.startswith("#")] == []
    assert sorted(found) == sorted(set(found))


def test_the_lock_names_no_index() -> None:
    text = "".join((PROJECT / "locks" / f"{name}.txt").read_text() for name in LOCKS)

    assert "://" not in text
    assert "index" not in re.sub(r"^[\w.-]+==", "", text, flags=re.M)


def test_only_torchs_cuda_build_needs_what_the_other_does_without() -> None:
    assert [*locked("torch")] == ["torch"]
    assert locked("cuda").keys() >= {"triton", "nvidia-nccl-cu13"}
    assert not [name for name in locked("site") if re.match("nvidia|cuda|triton", name)]


def test_both_builds_of_torch_are_locked_in_one_version() -> None:
    [(build, hashes)] = locked("torch-cpu").values()
    [(torch, others)] = locked("torch").values()

    assert str(build.specifier) == f"{torch.specifier}+cpu"
    assert len(hashes) > 5
    assert not {one.strip() for one in hashes} & {one.strip() for one in others}


def wheel(folder: Path, name: str, version: str, *requires: str) -> str:
    """Make a package that holds nothing; give its line of a lock."""
    path = folder / f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
    info = f"{path.name.removesuffix('-py3-none-any.whl')}.dist-info"
    about = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    about += [f"Requires-Dist: {one}" for one in requires]
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(f"{info}/METADATA", "\n".join(about) + "\n")
        tags = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        file.writestr(f"{info}/WHEEL", tags)
        file.writestr(f"{info}/RECORD", f"{info}/METADATA,,\n{info}/WHEEL,,\n")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return f"{name}=={version} \\\n    --hash=sha256:{digest}\n"


def program(path: Path, lines: str) -> None:
    """Write a shell's program."""
    path.write_text(f"#!/bin/sh\n{lines}\n")
    path.chmod(0o755)


class Machine:
    """A machine with the Makefile, and packages of its own to install."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.wheels = folder, folder / "wheels"
        for name in ("wheels", "locks", ".venv/bin", "bin"):
            (folder / name).mkdir(parents=True)
        shutil.copy(PROJECT / "Makefile", folder)
        shutil.copytree(PROJECT / ".ci", folder / ".ci")
        # a link would make another environment of it
        program(folder / ".venv/bin/python", f'exec "{sys.executable}" "$@"')
        self.without_torch = folder / ".venv" / ".ready-without-torch"

    def lock(self, name: str, text: str) -> None:
        (self.folder / "locks" / f"{name}.txt").write_text(text)

    def driver_lists(self, listed: str, status: int = 0) -> None:
        """Give the machine a driver of NVIDIA, and what it lists."""
        said = f"echo '{listed}'\nexit {status}"
        program(self.folder / "bin" / "nvidia-smi", said)

    def make(self, target: str, *variables: str) -> subprocess.CompletedProcess[str]:
        """Let make install into a folder; a whole environment would take longer."""
        packages = str(self.folder / "packages")
        pip = {"PIP_CONFIG_FILE": os.devnull, "PIP_TARGET": packages}
        pip |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": self.wheels.as_uri()}
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            ["make", f".venv/{target}", "PYTHON=true", *variables],
            cwd=self.folder,
            env=os.environ | pip | {"PYTHONPATH": packages, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )

    def installed(self) -> set[str]:
        found = self.folder.glob("packages/*.dist-info")
        return {path.name.partition("-")[0] for path in found}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    folder = tmp_path / "the name has spaces"
    folder.mkdir()
    return Machine(folder)


def test_a_package_with_another_hash_stops_the_installation(machine: Machine) -> None:
    machine.lock("site", wheel(machine.wheels, "page", "1.0"))
    wheel(machine.wheels, "page", "1.0", "added")  # the same name, another content

    made = machine.make(".ready-without-torch")

    assert made.returncode != 0
    assert "DO NOT MATCH THE HASHES" in made.stderr
    assert "page==1.0" in made.stderr
    assert machine.installed() == set()


def test_a_package_without_a_hash_stops_the_installation(machine: Machine) -> None:
    wheel(machine.wheels, "page", "1.0")
    machine.lock("site", "page==1.0\n")

    made = machine.make(".ready-without-torch")

    assert made.returncode != 0
    assert "Hashes are required" in made.stderr
    assert machine.installed() == set()


# the version that is locked here is none that the tests themselves run with
TORCH = "9.9.9"


@pytest.fixture
def builds(machine: Machine) -> Machine:
    """A machine that may install either build of torch, and has all else."""
    machine.lock("site", wheel(machine.wheels, "page", "1.0"))
    machine.lock("torch-cpu", wheel(machine.wheels, "torch", f"{TORCH}+cpu"))
    machine.lock("torch", wheel(machine.wheels, "torch", TORCH, "nvidia-nccl"))
    machine.lock("cuda", wheel(machine.wheels, "nvidia-nccl", "1.0"))
    machine.without_torch.touch()
    return machine


def remove(machine: Machine, build: str) -> None:
    (machine.wheels / f"torch-{build}-py3-none-any.whl").unlink()


def test_no_build_of_torch_with_another_hash_is_installed_but_a_way_is_said(
    builds: Machine,
) -> None:
    wheel(builds.wheels, "torch", TORCH, "added")
    wheel(builds.wheels, "torch", f"{TORCH}+cpu", "added")
    builds.without_torch.unlink()

    made = builds.make(".ready")

    assert made.returncode != 0
    assert "DO NOT MATCH THE HASHES" in made.stderr
    assert "install one of the same version into" in made.stderr
    assert builds.installed() == {"page"}


@pytest.mark.parametrize(
    ("build", "version", "more"),
    [("cpu", f"{TORCH}+cpu", set()), ("cuda", TORCH, {"nvidia_nccl"})],
)
def test_the_build_of_torch_that_was_asked_for_is_installed(
    builds: Machine, build: str, version: str, more: set[str]
) -> None:
    remove(builds, TORCH if build == "cpu" else f"{TORCH}+cpu")  # as in an index each

    made = builds.make(".ready", f"TORCH={build}")

    assert made.returncode == 0, made.stderr
    assert f"torch: the {build} build, for you said TORCH={build}" in made.stdout
    assert builds.installed() == {"torch"} | more
    assert (builds.folder / "packages" / f"torch-{version}.dist-info").is_dir()


@pytest.mark.parametrize(
    ("listed", "status", "build", "reason"),
    [
        ("GPU 0: NVIDIA H200 (UUID: GPU-1)", 0, "cuda", "there is an NVIDIA GPU"),
        ("No devices found.", 0, "cpu", "there is no NVIDIA GPU"),
        ("NVIDIA-SMI has failed", 9, "cpu", "there is no NVIDIA GPU"),
    ],
)
@pytest.mark.skipif(sys.platform == "darwin", reason="a Mac has one build of torch")
def test_the_build_of_torch_follows_the_machine(
    builds: Machine, listed: str, status: int, build: str, reason: str
) -> None:
    if build == "cpu" and Path("/dev/nvidia0").exists():
        pytest.skip("this machine has an NVIDIA GPU")
    builds.driver_lists(listed, status)

    made = builds.make(".ready")

    assert made.returncode == 0, made.stderr
    assert f"torch: the {build} build, for {reason}\n" in made.stdout


@pytest.mark.parametrize(
    ("gone", "asked", "other"),
    [(f"{TORCH}+cpu", "cpu", "cuda"), (TORCH, "cuda", "cpu")],
)
def test_the_other_build_of_torch_takes_the_place_of_one_that_is_not_there(
    builds: Machine, gone: str, asked: str, other: str
) -> None:
    remove(builds, gone)

    made = builds.make(".ready", f"TORCH={asked}")

    assert made.returncode == 0, made.stderr
    assert f"the {asked} build could not be had; it is the {other} build" in made.stdout
    assert "torch" in builds.installed()


def test_a_build_of_torch_that_is_there_stays(builds: Machine) -> None:
    builds.make(".ready", "TORCH=cpu")
    (builds.folder / ".venv" / ".ready").unlink()

    made = builds.make(".ready", "TORCH=cuda")

    assert f"torch: {TORCH}+cpu is there already, and stays" in made.stdout
    assert "nvidia_nccl" not in builds.installed()


@pytest.mark.parametrize(
    ("made", "program"),
    [(".ready-without-torch", "theirs"), (".ready", ".venv/bin/python")],
)
def test_pages_are_recorded_by_a_python_that_has_torch(
    machine: Machine, made: str, program: str
) -> None:
    (machine.folder / ".venv" / made).touch()

    said = subprocess.run(
        ["make", "--no-print-directory", "-n", "record", "PYTHON=theirs"],
        cwd=machine.folder,
        capture_output=True,
        text=True,
        check=True,
    )

    assert said.stdout.split() == [program, "-m", "gallery_run"]
