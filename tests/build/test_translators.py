"""The commands that translators of any project have: ``python -m gallery_intl``."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import commands
import pytest
from paths import PROJECT, ROOTS

from gallery_intl.catalogs import po

ROOT = ROOTS / "test-translators"
PAGES = ["gallery_intl", "index", "sphinx", "tutorials/index", "tutorials/sums"]
OTHERS = "{'gallery_run', 'gallery_site', 'torch'} & sys.modules.keys()"


class Gallery:
    """Somebody's gallery, without the runner and the site."""

    def __init__(self, source: Path) -> None:
        self.source = source
        shutil.copytree(ROOT, source)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = ("gallery_intl", "--source", self.source)
        return commands.run(*command, *arguments, cwd=self.source.parent)

    def make(self, *arguments: str) -> str:
        result = self.run(*arguments)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def refused(self, *arguments: str) -> str:
        """What a command says that fails."""
        result = self.run(*arguments)
        assert result.returncode == 1, result.stdout + result.stderr
        return result.stderr

    def po(self, language: str, page: str) -> Path:
        return po.po_path(self.source / "locales", language, page)

    def change(self, name: str, old: str, new: str) -> None:
        path = self.source / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def gallery(tmp_path: Path) -> Gallery:
    return Gallery(tmp_path / "gallery")


def test_catalogs_are_made_and_follow_the_pages(gallery: Gallery) -> None:
    before = {path.name for path in gallery.source.iterdir()}

    made = gallery.make("catalogs").splitlines()

    names = {
        f"locales/{language}/LC_MESSAGES/{page}.po"
        for language in ("en", "ko", "ar")
        for page in PAGES
    }
    assert set(made) == names
    assert (gallery.source / "locales/.gitignore").read_text() == "*.mo\n"
    after = {path.name for path in gallery.source.iterdir()}
    assert after - before == {"locales", "tutorials"}  # Sphinx-Gallery makes its pages
    catalog = po.read(gallery.po("ko", "tutorials/sums"))
    places = {entry.msgid: entry.occurrences for entry in catalog}
    assert places["Add two numbers."] == [("gallery/sums.py", "")]
    assert places["the sum of both"] == [("gallery/sums.py", "")]
    assert po.translations(gallery.po("ko", "sphinx"))["Index"] == "색인"
    # it has a language that the package lacks
    assert po.translations(gallery.po("ko", "gallery_intl"))["Page"] == "페이지"
    assert not po.translations(gallery.po("ar", "gallery_intl"))

    mend(gallery.po("en", "tutorials/sums"), "the sum of both", "the sum of the two")

    changed = [f"locales/{x}/LC_MESSAGES/tutorials/sums.po" for x in ("ko", "ar")]
    assert gallery.make("catalogs").splitlines() == changed
    for language in ("en", "ko", "ar"):  # a comment is collected as it is written
        assert po.read(gallery.po(language, "tutorials/sums")).find("the sum of both")

    gallery.change("gallery/sums.py", "Add two numbers.", "Add three numbers.")
    assert len(gallery.make("catalogs").splitlines()) == 3


def mend(path: Path, msgid: str, msgstr: str) -> None:
    catalog = po.read(path)
    catalog.find(msgid).msgstr = msgstr
    po.write(path, catalog)


def test_progress_counts_these_catalogs(gallery: Gallery) -> None:
    gallery.make("catalogs")
    path = gallery.po("ko", "tutorials/sums")
    mend(path, "Sums", "합")

    heading, *rows = gallery.make("progress").splitlines()
    row = next(row.split() for row in rows if row.startswith("tutorials/sums"))
    counted = json.loads(gallery.make("progress", "--json"))

    assert heading.split() == ["en", "ko", "ar"]
    assert row[1:5] == ["100", "%", "33", "%"]
    assert counted["tutorials/sums"]["ko"]["translated"] == 1


def test_a_page_that_cannot_be_read_changes_no_catalog(gallery: Gallery) -> None:
    gallery.make("catalogs")
    before = gallery.po("ko", "index").read_bytes()
    gallery.change("index.rst", "Welcome", "Good day")
    gallery.change("conf.py", 'project = "', 'raise ValueError("no")\nproject = "')

    assert "no" in gallery.refused("catalogs")

    gallery.change("conf.py", 'raise ValueError("no")\n', "")
    gallery.change("conf.py", '["gallery_intl"]', '["gallery_intl", "not_there"]')

    told = gallery.refused("catalogs")

    assert "no messages collected; the catalogs are as they were" in told
    assert "not_there" in told
    assert gallery.po("ko", "index").read_bytes() == before
    assert not list(gallery.source.glob(".gettext-*"))


def test_a_broken_catalog_is_named_with_its_line(gallery: Gallery) -> None:
    gallery.make("catalogs")
    path = gallery.po("ar", "index")
    path.write_text(path.read_text("utf-8") + '\nmsgid "open\n', encoding="utf-8")
    gallery.change("index.rst", "Welcome", "Good day")
    before = gallery.po("ko", "index").read_bytes()

    told = gallery.refused("catalogs")

    assert 'index.po:16: text without its closing " (add it)' in told
    assert gallery.po("ko", "index").read_bytes() == before


@pytest.mark.parametrize("command", ["catalogs", "progress"])
def test_a_project_without_languages_is_told_what_to_write(
    gallery: Gallery, command: str
) -> None:
    gallery.change("conf.py", "gallery_intl_languages", "others")

    assert "no gallery_intl_languages (write the languages" in gallery.refused(command)

    gallery.change("conf.py", "others", "gallery_intl_languages")
    gallery.change("conf.py", '["locales"]', "[]")

    assert "locale_dirs is empty (write ['locales'])" in gallery.refused(command)

    (gallery.source / "conf.py").unlink()

    assert "conf.py" in gallery.refused(command)


def test_conf_py_is_read_once(gallery: Gallery) -> None:
    gallery.make("catalogs")
    log = gallery.source / "log"
    with (gallery.source / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write(f"\nwith open({str(log)!r}, 'a') as file:\n    file.write('x')\n")

    gallery.make("progress")

    assert log.read_text() == "x"


def test_the_commands_need_neither_runner_nor_site() -> None:
    code = f"import sys, gallery_intl.__main__; sys.exit(len({OTHERS}))"

    assert subprocess.run([sys.executable, "-c", code], cwd=PROJECT).returncode == 0
