"""The commands that translators of any project have: ``python -m gallery_intl``."""

import datetime
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import polib
import pytest
from building import Copy, add_settings, edit, run

from gallery_intl.catalogs import po

PAGES = ["gallery_intl", "how", "index", "pages/index", "pages/page", "sphinx"]
PAGES += ["status"]
WITHOUT_RUN = ("-D", "plot_gallery=0")


class Made(NamedTuple):
    """A gallery whose catalogs were made."""

    copy: Copy
    before: set[str]  # what was in its folder
    catalogs: list[str]  # as the command printed them


@pytest.fixture(scope="module")
def made(copy: Callable[[str], Copy]) -> Made:
    """A gallery with a language that the package lacks words of."""
    found = copy("status")
    shutil.rmtree(found.source / "locales")
    edit(found.source / "conf.py", '"ko": "한국어"', '"ko": "한국어", "ar": "العربية"')
    before = {path.name for path in found.source.iterdir()}
    return Made(found, before, found.catalogs(WITHOUT_RUN).splitlines())


@pytest.fixture
def gallery(made: Made, tmp_path: Path) -> Copy:
    """A copy to change."""
    return Copy(Path(shutil.copytree(made.copy.source, tmp_path / "gallery")))


def catalog(gallery: Copy, language: str, page: str) -> Path:
    return po.po_path(gallery.source / "locales", language, page)


def translate(path: Path, msgid: str, msgstr: str) -> None:
    found = polib.pofile(str(path))
    found.find(msgid).msgstr = msgstr
    found.save()


def refused(gallery: Copy, *arguments: str) -> str:
    """Return the message of a command that fails."""
    result = gallery.run(*arguments)
    assert result.returncode == 1, result.stdout + result.stderr
    return result.stderr


def test_a_command_makes_the_catalogs(made: Made) -> None:
    gallery = made.copy

    languages = ("en", "ko", "ar")
    names = {f"locales/{x}/LC_MESSAGES/{y}.po" for x in languages for y in PAGES}
    assert {*made.catalogs} == names
    after = {path.name for path in gallery.source.iterdir()}
    # Sphinx-Gallery makes its pages
    assert after - made.before == {"locales", "pages"}
    assert (gallery.source / "locales/.gitignore").read_text() == "*.mo\n"
    page = po.read(catalog(gallery, "ko", "pages/page"))
    places = {entry.msgid: entry.occurrences for entry in page}
    assert places["One paragraph."] == [("gallery/page.py", "")]
    assert places["the sum of both"] == [("gallery/page.py", "")]
    assert po.translations(catalog(gallery, "ko", "sphinx"))["Index"] == "색인"
    # it has a language that the package lacks
    assert po.translations(catalog(gallery, "ko", "gallery_intl"))["Page"] == "페이지"
    assert not po.translations(catalog(gallery, "ar", "gallery_intl"))


def test_catalogs_follow_the_pages(gallery: Copy) -> None:
    assert gallery.catalogs(WITHOUT_RUN) == ""

    translate(catalog(gallery, "ko", "pages/page"), "One paragraph.", "문단 하나.")
    edit(gallery.source / "gallery/page.py", "One paragraph.", "Just one paragraph.")

    assert len(gallery.catalogs(WITHOUT_RUN).splitlines()) == 3
    (entry,) = (
        entry
        for entry in po.read(catalog(gallery, "ko", "pages/page"))
        if entry.msgid == "Just one paragraph."
    )
    assert (entry.msgstr, entry.fuzzy) == ("문단 하나.", True)


def test_progress_and_todo_count_these_catalogs(gallery: Copy) -> None:
    translate(catalog(gallery, "ko", "pages/page"), "Sums", "합")

    heading, *rows = gallery.succeed("progress").stdout.splitlines()
    row = next(row.split() for row in rows if row.startswith("pages/page"))
    counted = json.loads(gallery.succeed("progress", "--json").stdout)
    todo = gallery.succeed("todo", "ko")

    assert heading.split() == ["en", "ko", "ar"]
    assert row[1:5] == ["100", "%", "25", "%"]
    assert counted["pages/page"]["ko"]["translated"] == 1
    path = os.path.relpath(catalog(gallery, "ko", "pages/page"))
    assert re.search(rf"^{path}:\d+: untranslated: the sum of both$", todo.stdout, re.M)
    assert "untranslated: Sums" not in todo.stdout.split("sphinx.po")[0]
    number = len(todo.stdout.splitlines())
    assert re.fullmatch(rf"ko: {number} messages left, \d+ words\n", todo.stderr)


def test_a_reviewer_signs_a_page(gallery: Copy) -> None:
    said = gallery.succeed("reviewed", "ko", "pages/page", "--by", "Kim").stdout

    path = catalog(gallery, "ko", "pages/page")
    line = f"X-Reviewed: Kim, {datetime.date.today()}, text="
    assert said.startswith(f"{os.path.relpath(path)}: {line}")
    assert f'"{line}' in path.read_text("utf-8")
    assert "no catalog of 'other'" in refused(
        gallery, "reviewed", "ko", "other", "--by", "Kim"
    )


def test_a_page_that_cannot_be_read_changes_no_catalog(gallery: Copy) -> None:
    before = catalog(gallery, "ko", "index").read_bytes()
    edit(gallery.source / "index.rst", "Welcome", "Good day")
    edit(
        gallery.source / "conf.py", '["gallery_intl"]', '["gallery_intl", "not_there"]'
    )

    errors = refused(gallery, "catalogs")

    assert "nothing of this command is changed" in errors
    assert "not_there" in errors
    assert catalog(gallery, "ko", "index").read_bytes() == before
    assert not list(gallery.source.glob(".gettext-*"))


def test_a_broken_catalog_is_named_and_none_is_changed(gallery: Copy) -> None:
    path = catalog(gallery, "ar", "index")
    path.write_text(path.read_text("utf-8") + '\nmsgid "open\n', encoding="utf-8")
    edit(gallery.source / "index.rst", "Welcome", "Good day")
    before = catalog(gallery, "ko", "index").read_bytes()

    errors = refused(gallery, "catalogs", "--", *WITHOUT_RUN)

    assert 'index.po:21: text without its opening or closing " (add it)' in errors
    assert catalog(gallery, "ko", "index").read_bytes() == before


@pytest.mark.parametrize(
    ("old", "new", "remedy"),
    [
        ("gallery_intl_languages", "others", "write the languages and their names"),
        ("project", "locale_dirs = []\nproject", "locale_dirs is empty (write ['loc"),
    ],
)
@pytest.mark.parametrize("command", ["catalogs", "progress"])
def test_a_missing_setting_is_named_with_a_remedy(
    gallery: Copy, command: str, old: str, new: str, remedy: str
) -> None:
    edit(gallery.source / "conf.py", old, new)

    assert remedy in refused(gallery, command)


def test_a_language_that_conf_py_lacks_is_refused(gallery: Copy) -> None:
    for command in (
        ["build", "fr"],
        ["todo", "fr"],
        ["reviewed", "fr", "a", "--by", "b"],
    ):
        assert "no language 'fr' (conf.py has en, ko, ar)" in refused(gallery, *command)


def test_conf_py_may_be_in_another_folder(gallery: Copy, tmp_path: Path) -> None:
    (gallery.source / "conf.py").rename(tmp_path / "conf.py")
    conf = ("-c", tmp_path, "--source", gallery.source)

    result = run("gallery_intl", *conf, "catalogs", "--", *WITHOUT_RUN)

    assert result.returncode == 0, result.stderr
    assert catalog(gallery, "ko", "pages/page").is_file()


def test_options_follow_the_command_too(gallery: Copy, tmp_path: Path) -> None:
    found = run("gallery_intl", "progress", "--source", gallery.source)
    lost = run("gallery_intl", "progress", "--source", tmp_path)

    assert found.returncode == 0, found.stderr
    assert f"{tmp_path}: no conf.py (write --source FOLDER)" in lost.stderr


def test_a_list_of_languages_is_refused(gallery: Copy) -> None:
    edit(gallery.source / "conf.py", "gallery_intl_languages = ", "named = ")
    add_settings(gallery, '\ngallery_intl_languages = ["en", "ko"]\n')

    assert "['en', 'ko'] is no dict (write the" in refused(gallery, "progress")
