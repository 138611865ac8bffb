"""The author of a change learns how many translations it makes fuzzy."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import prepared
import pytest
from paths import ROOTS

from gallery_intl.catalogs import po
from gallery_intl.catalogs.own import folders_in
from gallery_site.fuzzy import fuzzy

PAGE = "gallery/part/page.py"


class Repository:
    """A small site, with each change a commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOTS / "test-site", folder)
        (folder / ".gitignore").write_text("/_build/\n/tutorials/\n")
        self.git("init", "-q", "-b", "main", ".")

    def git(self, *arguments: str) -> None:
        own = ["git", "-c", "user.name=A", "-c", "user.email=a@b"]
        subprocess.run([*own, *arguments], cwd=self.folder, check=True)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", "x")

    def site(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return prepared.run("gallery_site", *arguments, cwd=self.folder)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    repository = Repository(tmp_path_factory.mktemp("fuzzy") / "site")
    assert repository.site("catalogs").returncode == 0
    repository.commit()
    return repository


def test_a_changed_sentence_turns_its_translation_fuzzy(repository: Repository) -> None:
    path = repository.folder / PAGE
    text = path.read_text("utf-8")
    assert "And a second sentence" in text
    repository.git("checkout", "-qb", "change")
    path.write_text(text.replace("And a second sentence", "A second one says more"))
    repository.commit()

    some = repository.site("fuzzy", "main", "change")
    repository.site("catalogs")
    repository.commit()
    followed = repository.site("fuzzy", "main")
    before = repository.site("fuzzy", "change")

    assert some.stdout == "ko: 1 fuzzy\n", some.stderr
    assert followed.stdout == some.stdout, "also when the catalogs follow the script"
    assert before.stdout == "ko: 0 fuzzy\n", "what was fuzzy before does not count"


def test_what_is_no_revision_is_named(repository: Repository) -> None:
    done = repository.site("fuzzy", "nowhere")

    assert done.returncode == 1
    assert "nowhere" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_words_of_the_extension_count_too(tmp_path: Path) -> None:
    """They have a folder of their own in the project that the extension is made in."""
    folders = [tmp_path / "locales", tmp_path / "gallery_intl" / "locales"]
    for folder, words in zip(folders, ("a", "b"), strict=True):
        path = po.po_path(folder, "ko", words)
        path.parent.mkdir(parents=True)
        path.write_text(f'#, fuzzy\nmsgid "{words}"\nmsgstr "x"\n')

    found = fuzzy([folders[0], *folders_in(tmp_path)], "ko")

    assert found == {("a", "a"), ("b", "b")}
