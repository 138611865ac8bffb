"""The documents name only what there is."""

import re
from pathlib import Path

import pytest
from paths import PROJECT

from gallery_site.__main__ import parser
from gallery_site.project import read_site

NAMES = ("lessons", "translating", "architecture", "publishing")
DOCUMENTS = ["README.md", "CONTRIBUTING.md", *(f"docs/{name}.md" for name in NAMES)]
PATH = re.compile(r"[\w.<>*-]*(?:/[\w.<>*-]*)+|[\w-]+\.(?:csv|md|po|py|rst|txt)")
MAINTAIN = "make -f .ci/maintain.mk"
RULE = re.compile(r"^([a-z-]+%?):", re.MULTILINE)


def code(document: str) -> list[str]:
    """What a document says in code: spans, and indented lines without comments."""
    text = (PROJECT / document).read_text(encoding="utf-8")
    lines = re.findall(r"^ {4}(\S.*?)(?:\s+#.*)?$", text, re.MULTILINE)
    return [*lines, *re.findall(r"`([^`\n]+)`", text)]


def commands(document: str, start: str) -> list[list[str]]:
    lines = [line for line in code(document) if f"{line} ".startswith(f"{start} ")]
    return [line.removeprefix(start).split() for line in lines]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_make_command_is_there(document: str) -> None:
    makefiles = (PROJECT / name for name in ("Makefile", ".ci/maintain.mk"))
    targets = [x for path in makefiles for x in RULE.findall(path.read_text("utf-8"))]
    languages = read_site(PROJECT).languages
    known = {
        target.replace("%", language) for target in targets for language in languages
    }

    lines = commands(document, "make") + commands(document, MAINTAIN)
    named = {words[0] for words in lines if words and words[0] != "-f"}

    assert named
    assert named <= known


def test_every_command_without_make_is_understood() -> None:
    named = commands("CONTRIBUTING.md", "python -m gallery_site")

    understood = [parser().parse_args(words) for words in named]

    assert len(understood) > 7


def is_there(name: str) -> bool:
    ignored = (PROJECT / ".gitignore").read_text(encoding="utf-8").splitlines()
    if f"/{name.split('/')[0]}/" in ignored:
        return True  # made by a command
    pattern = re.sub(r"<\w+>", "*", name).replace("**.", "**/*.").rstrip("/")
    catalogs = PROJECT / "locales"
    anywhere = pattern if "/" in pattern else f"**/{pattern}"
    places = {PROJECT: pattern, PROJECT / "tests": anywhere, catalogs: anywhere}
    places |= {package: anywhere for package in PROJECT.glob("packages/*")}
    return any(any(place.glob(name)) for place, name in places.items())


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_file_is_there(document: str) -> None:
    named = {text for text in code(document) if PATH.fullmatch(text)}

    assert len(named) > 5
    assert {name for name in named if not is_there(name)} <= {"a/b", "records/"}


@pytest.mark.parametrize("document", [*DOCUMENTS, "packages/gallery-intl/README.md"])
def test_every_link_leads_to_a_file(document: str) -> None:
    text = (PROJECT / document).read_text(encoding="utf-8")

    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", text):
        path, _, heading = target.partition("#")
        here = PROJECT / document
        there = here.parent / path if path else here
        assert there.is_file(), target
        assert not heading or heading in headings(there), target


def test_every_lesson_says_what_only_gpus_can_show() -> None:
    text = (PROJECT / "tests/ON_GPUS.md").read_text(encoding="utf-8")
    lessons = {path.stem for path in PROJECT.glob("gallery/*/*.py")}

    assert lessons
    missing = {name for name in lessons if f"| `{name}` |" not in text}
    assert missing == set(), "add a row to tests/ON_GPUS.md"


def headings(document: Path) -> set[str]:
    """Return the headings of a document, as links name them."""
    found = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w-]", "", text.lower().replace(" ", "-")) for text in found}
