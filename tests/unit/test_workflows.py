"""What runs on GitHub: pinned, with few rights, and made of commands that run here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from paths import PROJECT
from ruamel.yaml import YAML

FILES = sorted(PROJECT.glob(".github/workflows/*.yml"))
ACTIONS = sorted(PROJECT.glob(".github/actions/*/action.yml"))
PINNED = re.compile(
    r"uses: (?P<action>[\w.-]+/[\w.-]+)(?:/[\w/-]+)?@(?P<commit>[0-9a-f]{40})"
    r" # (?P<tag>v\d+\.\d+\.\d+)"
)
MAKE = re.compile(r"\bmake (?:-f \S+ )?(?P<words>[^|>\n#]+)")
MAKEFILES = ("Makefile", ".ci/maintain.mk")

each_workflow = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def loaded(path: Path) -> dict[str, Any]:
    return dict(YAML(typ="safe").load(path.read_text("utf-8")))


def uses(path: Path) -> list[str]:
    """Give the actions of a file that are not of this repository."""
    found = re.findall(r"uses: .*", path.read_text("utf-8"))
    return [line for line in found if not line.startswith("uses: ./")]


def scripts(job: dict[str, Any]) -> str:
    """Return what a job runs, and last what its matrix makes."""
    made = job.get("strategy", {}).get("matrix", {}).get("command", ())
    lines = [step.get("run", "") for step in job["steps"]]
    return "\n".join([*lines, *(f"make {name}" for name in made)])


def targets(text: str) -> Iterator[str]:
    for found in MAKE.finditer(re.sub(r"\$\{\{.*?\}\}", "X", text)):
        for word in found["words"].split():
            if word != "--silent" and "=" not in word and re.match(r"[a-z]", word):
                yield word.strip("\"'")


@pytest.mark.parametrize("path", [*FILES, *ACTIONS], ids=lambda path: str(path.stem))
def test_every_action_is_pinned_by_commit_with_its_tag(path: Path) -> None:
    assert [line for line in uses(path) if not PINNED.fullmatch(line)] == []


def test_an_action_has_one_commit_everywhere() -> None:
    lines = {line for path in [*FILES, *ACTIONS] for line in uses(path)}
    pins = {PINNED.fullmatch(line) for line in lines}

    found = {(pin["action"], pin["commit"], pin["tag"]) for pin in pins if pin}

    assert len(found) == len({action for action, _, _ in found})


@each_workflow
def test_rights_are_few_and_given_by_job(path: Path) -> None:
    assert loaded(path)["permissions"] == {"contents": "read"}


def test_no_workflow_has_rights_and_code_of_a_fork() -> None:
    pull_request = PROJECT / ".github/workflows/pull_request.yml"

    assert not [x for x in FILES if "pull_request_target" in x.read_text("utf-8")]
    assert ": write" not in pull_request.read_text("utf-8")
    assert "secrets." not in pull_request.read_text("utf-8")
    # what others name stands in the environment, never in a script
    for path in FILES:
        for job in loaded(path)["jobs"].values():
            assert "${{ github.event" not in scripts(job), path.name


@each_workflow
def test_a_checkout_leaves_no_token_behind(path: Path) -> None:
    for job in loaded(path)["jobs"].values():
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False


@each_workflow
def test_what_a_job_makes_is_a_command_that_runs_here(path: Path) -> None:
    text = "".join((PROJECT / name).read_text("utf-8") for name in MAKEFILES)
    known = {*re.findall(r"^([a-z-]+)(?:-%)?:", text, re.M), "html-en"}
    named = targets("\n".join(map(scripts, loaded(path)["jobs"].values())))

    assert [name for name in named if name not in known] == []


OPEN_A_BROWSER = re.compile(r"\bmake (?:-f \S+ )?(test|bench|torture|newest)\b")


@each_workflow
def test_browser_jobs_install_cjk_fonts(path: Path) -> None:
    for name, job in loaded(path)["jobs"].items():
        if found := OPEN_A_BROWSER.search(scripts(job)):
            assert "install fonts-noto-cjk" in scripts(job)[: found.start()], name


FILE = re.compile(r"(?<=\s)(?!_)[\w.]+(?:/[\w.]+)+\.(?:py|txt)\b")


@each_workflow
def test_the_files_that_a_workflow_names_are_there(path: Path) -> None:
    workflow = loaded(path)
    named = FILE.findall("\n".join(map(scripts, workflow["jobs"].values())))
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    for inputs in (step.get("with", {}) for step in steps):
        found = re.search(r"hashFiles\((.*)\)", inputs.get("key", ""))
        named += re.findall("'(.*?)'", found[1]) if found else []
    if isinstance(workflow["on"], dict):
        named += (workflow["on"].get("pull_request") or {}).get("paths", [])

    globs = {name: name.replace("**.", "**/*.") for name in named}
    assert [name for name in globs if not [*PROJECT.glob(globs[name])]] == []
