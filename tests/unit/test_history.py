"""The day on which a page last changed in substance, as git knows it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from paths import PROJECT

from gallery_site.history import last_days

SCRIPT = '"""Title."""\n\n# %%\n# One sentence, and\n# another.\nprint(1)\n'
PO = """\
# A comment.
msgid ""
msgstr ""
"Language: ko\\n"

#: a.py:1
#, fuzzy
msgid "One sentence."
msgstr "한 문장."
"""


class Repository:
    """A repository in which a commit is made a day."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.number = folder, 0
        self.git("init", "-q", ".")

    def git(self, *arguments: str, **env: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=A", "-c", "user.email=a@b", *arguments],
            cwd=self.folder,
            check=True,
            capture_output=True,
            env=os.environ | env,
        )

    def commit(self, path: str = "", text: str = "") -> None:
        self.number += 1
        if path:
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text(text, encoding="utf-8")
        self.git("add", "-A")
        day = f"2026-01-{self.number:02}T12:00:00+0900"
        self.git("commit", "-qm", "x", GIT_AUTHOR_DATE=day, GIT_COMMITTER_DATE=day)

    def day(self, *paths: str) -> str:
        return last_days(self.folder, {"page": paths})["page"][-2:]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    folder = tmp_path / "repository"
    folder.mkdir()
    return Repository(folder)


def test_the_last_change_counts_and_the_later_of_two_files(
    repository: Repository,
) -> None:
    repository.commit("a.py", SCRIPT)
    repository.commit("한 글/b.po", PO)
    repository.commit("other.py", SCRIPT)

    assert repository.day("a.py") == "01"
    assert repository.day("a.py", "한 글/b.po", "none.po") == "02"
    assert repository.day("none.po") == ""

    repository.commit("a.py", SCRIPT.replace("1", "2"))
    assert repository.day("a.py", "한 글/b.po") == "04"


def test_a_file_is_followed_through_moves(repository: Repository) -> None:
    repository.git("config", "diff.renames", "false")
    repository.commit("a.py", SCRIPT * 9)
    repository.commit("a.py", SCRIPT * 10)
    (repository.folder / "a.py").rename(repository.folder / "b.py")
    repository.commit()
    (repository.folder / "b.py").rename(repository.folder / "c.py")
    wrapped = (SCRIPT * 10).replace(", and\n# another", ",\n# and another", 1)
    repository.commit("c.py", wrapped)

    assert repository.day("c.py") == "02"


@pytest.mark.parametrize(
    ("path", "text", "old", "new"),
    [
        ("a.py", SCRIPT, "sentence, and\n# another", "sentence,\n# and another"),
        ("a.rst", "One two\nthree.\n", "two\nthree", "two three"),
        ("a.po", PO, "# A comment", "# Another comment"),
        ("a.po", PO, "a.py:1", "a.py:2"),
        ("a.po", PO, "Language: ko\\n", 'Language: ko\\n"\n"X-Reviewed: A\\n'),
        ("a.po", PO, '"한 문장."', '""\n"한 "\n"문장."'),
    ],
)
def test_what_nobody_reads_is_no_change(
    repository: Repository, path: str, text: str, old: str, new: str
) -> None:
    assert old in text
    repository.commit(path, text)
    repository.commit(path, text.replace(old, new))

    assert repository.day(path) == "01"


@pytest.mark.parametrize(
    ("path", "text", "old", "new"),
    [
        ("a.py", SCRIPT, "One", "Two"),
        ("a.po", PO, "한 문장", "문장 하나"),
        ("a.po", PO, "#, fuzzy\n", ""),
    ],
)
def test_what_is_read_is_a_change(
    repository: Repository, path: str, text: str, old: str, new: str
) -> None:
    assert old in text
    repository.commit(path, text)
    repository.commit(path, text.replace(old, new))

    assert repository.day(path) == "02"


def test_what_is_not_committed_has_no_day(repository: Repository) -> None:
    repository.commit("a.py", SCRIPT)
    (repository.folder / "a.py").write_text(SCRIPT.replace("1", "2"))
    (repository.folder / "new.py").write_text(SCRIPT)

    assert repository.day("a.py") == "01"
    assert repository.day("new.py") == ""


def test_a_folder_of_the_repository_may_hold_the_site(repository: Repository) -> None:
    repository.commit("docs/a.py", SCRIPT)

    assert last_days(repository.folder / "docs", {"x": ["a.py"]}) == {"x": "2026-01-01"}


def test_nothing_is_said_where_the_history_is_cut_off(
    repository: Repository, tmp_path: Path
) -> None:
    repository.commit("a.py", SCRIPT)
    repository.commit("b.py", SCRIPT)
    url = repository.folder.as_uri()

    repository.git("clone", "-q", "--depth=1", url, str(tmp_path / "cut"))

    assert last_days(tmp_path / "cut", {"x": ["a.py"]}) == {"x": ""}


def test_nothing_is_said_without_git(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit("a.py", SCRIPT)
    assert last_days(tmp_path, {"x": ["repository/a.py"]}) == {"x": ""}

    monkeypatch.setenv("PATH", "")

    assert last_days(repository.folder, {"x": ["a.py"]}) == {"x": ""}


CHECKOUT = re.compile(
    r"^( *)- (?:name:.*\n\1  )?uses: actions/checkout@.*\n(?:\1  .*\n)*", re.MULTILINE
)


def checkouts(workflow: str) -> Iterator[str]:
    """Give the steps of a workflow that get the repository."""
    yield from (found[0] for found in CHECKOUT.finditer(f"{workflow}\n"))


def cut_off(workflow: str) -> list[str]:
    """Give the steps that get only a part of the history."""
    return [step for step in checkouts(workflow) if "fetch-depth: 0" not in step]


@pytest.mark.parametrize(
    ("step", "is_whole"),
    [
        ("    - uses: actions/checkout@v4\n", False),
        ("    - uses: actions/checkout@v4\n    - run: x\n      fetch-depth: 0", False),
        ("    - uses: actions/checkout@v4\n      with:\n        fetch-depth: 0", True),
        ("  - name: Get\n    uses: actions/checkout@v4\n", False),
    ],
)
def test_a_workflow_that_cuts_history_off_is_seen(step: str, is_whole: bool) -> None:
    assert (cut_off(step) == []) == is_whole


def test_workflows_fetch_the_whole_history() -> None:
    files = sorted(PROJECT.glob(".github/workflows/*.y*ml"))
    wrong = [f"{path.name}: {x}" for path in files for x in cut_off(path.read_text())]

    assert not wrong, "\n".join(wrong)
