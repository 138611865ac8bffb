"""Let downloads run where the site is not: say what they need and how they start.

A script begins with what it needs (PEP 723), which ``uv run`` and ``pipx run`` install.
The archive of all programs has a README, a file of requirements, and the licence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.locale import _

from gallery_intl.project import Project
from gallery_intl.script.source import packages
from gallery_run import needs
from gallery_run.notebook import refuse_old_torch
from gallery_run.words import NOTEBOOK_PACKAGES
from gallery_site.lessons import parts

NAMES = "Card|Learn|Prerequisites|Picture|Oldest torch"
FIELDS = re.compile(rf"^(?::(?:{NAMES}):.*\n(?: +.*\n)*)+", re.MULTILINE)
FIELD = re.compile(r"^:(?P<name>[\w ]+):(?P<text>.*\n(?: +.*\n)*)", re.MULTILINE)
METADATA = """\
# /// script
# requires-python = ">=3.11"
# dependencies = {}
# ///

"""
LICENCE = "LICENSE"
REQUIREMENTS = "requirements.txt"  # of the project, and in the archive
PIN = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)


def fields_of(head: re.Match[str]) -> dict[str, str]:
    """Return the texts of the fields that a match of `FIELDS` has found."""
    return {field["name"]: field["text"] for field in FIELD.finditer(head[0])}


def oldest_torch(script: str) -> str:
    """Return the oldest version of torch that a lesson runs with, or "" if unknown."""
    head = FIELDS.search(script)
    return fields_of(head).get("Oldest torch", "").strip() if head else ""


def pinned_versions(env: BuildEnvironment) -> dict[str, str]:
    """Return the versions that the project's requirements give to packages."""
    path = Path(env.srcdir, REQUIREMENTS)
    if not path.is_file():  # to depend on it would let each build read the page again
        return {}
    env.note_dependency(path)
    return dict(PIN.findall(path.read_text(encoding="utf-8")))


def requirements(script: str) -> list[str]:
    """Return the packages that a lesson needs, as pip reads them."""
    oldest = oldest_torch(script)
    torch = f"torch>={oldest}" if oldest else "torch"
    return [torch if name == "torch" else name for name in packages(script)]


def standalone(script: str) -> str:
    """Return a script below what it needs; of its fields only the result stays.

    Where torch is too old, it says so and ends.
    """
    head = FIELDS.search(script)
    if not head:
        return script
    learn = fields_of(head).get("Learn", "").splitlines()
    kept = "".join(f"{line.strip()}\n" for line in learn) or "\n"
    text = script[: head.start()] + kept + script[head.end() :]
    check = refuse_old_torch(script)
    text = text.replace('\n"""\n\n', f'\n"""\n\n{check}\n', 1)
    command = needs.command(script)
    start = f"# {command}\n" if command else ""
    return METADATA.format(json.dumps(requirements(script))) + start + text


def add_files(app: Sphinx, env: BuildEnvironment) -> dict[str, str]:
    """Return the texts beside the programs in the archive, by their names in it."""
    files = {"README.md": readme(env), REQUIREMENTS: all_requirements(env)}
    licence = Path(env.srcdir, LICENCE)
    return files | ({LICENCE: licence.read_text("utf-8")} if licence.is_file() else {})


def readme(env: BuildEnvironment) -> str:
    """Return how to start each program, in reading order and the build's language."""
    about = [
        f"# {env.titles[env.config.root_doc].astext()}",
        _("The programs run on Linux, macOS, or Windows with WSL."),
        _("Install what the programs and notebooks need:"),
        "    pip install -r requirements.txt",
        _("Each program starts with the command below it, in this folder."),
        _(
            "Where you name a port that another program has, torchrun says EADDRINUSE "
            "or waits in silence: name another one, or leave it to --standalone."
        ),
        *sections(env),
    ]
    return "\n\n".join(about) + "\n"


def sections(env: BuildEnvironment) -> Iterator[str]:
    """Yield each part of the site as Markdown: its title and its programs."""
    script, relations = Project.of(env).script, env.collect_relations()
    for part in parts(relations, [page for page in relations if script(page)]):
        if part.lessons:
            yield f"## {env.titles[part.page].astext()}"
            yield "\n".join(entry(env, page) for page in part.lessons)


def entry(env: BuildEnvironment, page: str) -> str:
    project = Project.of(env)
    script = project.script(page)
    assert script, page
    path = PurePosixPath(f"{project.in_gallery(page)}.py")
    typed = needs.command(script.text) or f"python {path.name}"
    command = typed.replace(path.name, str(path))
    return f"- {env.titles[page].astext()}\n\n      {command}\n"


def all_requirements(env: BuildEnvironment) -> str:
    """Return the packages of all programs and notebooks, each at its newest."""
    project = Project.of(env)
    found = {project.script(page) for page in project.scripts()}
    lines = {line for script in found if script for line in requirements(script.text)}
    by_name = {line.partition(">")[0]: line for line in sorted(lines, key=version)}
    return "\n".join([*by_name.values(), *NOTEBOOK_PACKAGES]) + "\n"


def version(requirement: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", requirement)]
