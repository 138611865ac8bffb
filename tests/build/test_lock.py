"""The lock: everything that builds the site, by version and by hash."""

from __future__ import annotations

import re

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from paths import PROJECT

PLAIN = ("site", "torch", "cuda")  # what constraints.txt has too
LOCKS = (*PLAIN, "torch-cpu")
ENTRY = re.compile(
    r"^(?P<requirement>[\w.-]+==[^\\\n]+)(?P<hashes>(?:\\\n[^\\\n]*)*)", re.M
)


def lines(name: str) -> list[str]:
    text = (PROJECT / name).read_text("utf-8")
    found = [line.partition(" #")[0] for line in text.splitlines()]
    return [line for line in found if re.match(r"\w", line)]


def locked(*names: str) -> dict[str, tuple[Requirement, list[str]]]:
    """Give what locks/ holds: each package's requirement and hashes."""
    found = {}
    for name in names or PLAIN:
        text = (PROJECT / "locks" / f"{name}.txt").read_text("utf-8")
        for entry in ENTRY.finditer(text):
            requirement = Requirement(entry["requirement"])
            name = canonicalize_name(requirement.name)
            found[name] = (requirement, entry["hashes"].split("\\\n")[1:])
    return found


def test_the_lock_holds_what_requirements_and_constraints_say() -> None:
    lock = {name: str(requirement) for name, (requirement, _) in locked().items()}

    for line in lines("requirements.txt"):
        asked = Requirement(line)
        name = canonicalize_name(asked.name)
        version = Requirement(lock.get(name, f"{name}==0")).specifier
        assert Version(str(version).removeprefix("==")) in asked.specifier, "lock it"
    constraints = {str(Requirement(line)) for line in lines("constraints.txt")}
    assert constraints == set(lock.values())


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
