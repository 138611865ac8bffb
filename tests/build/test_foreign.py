"""A gallery of somebody else: nothing changes in it but what was asked for.

It is a library's documentation with Sphinx-Gallery's settings as they come: two
galleries, sections, PNG figures, an API page with minigalleries, an expected failure.
"""

from __future__ import annotations

import ast
import re
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from bs4 import BeautifulSoup
from paths import ROOTS
from sphinx.testing.util import SphinxTestApp

from gallery_intl.page.turns import Turn
from gallery_intl.page.upstream import GENERATOR

ROOT = ROOTS / "test-signals"
OURS = """
extensions += ["gallery_intl"]
gallery_intl_languages = {"en": "English", "ko": "한국어"}
gallery_intl_pages = ["index", "auto_*"]
"""
# All that differs in the source language: README.md names it.
STATIC = {"_static/figures.css", "_static/gallery_intl.css", "_static/gallery_intl.js"}
IN_THE_HEAD = re.compile(
    r' *<(?:link rel="stylesheet" type="text/css" href|script defer="defer" src)='
    r'"[./]*_static/(?:figures\.css|gallery_intl\.(?:css|js))\?v=\w+"'
    r"(?: />|></script>)\n"
)
MENU = re.compile(r'<details class="language-menu">.*?</details>\n', re.DOTALL)
TIMES = "sg_execution_times"  # what took longest stands first
OF_ANOTHER_RUN = re.compile(r"\d+:\d+\.\d+|\d+\.\d+ seconds|(?<=<p>)\d+\.\d+")
SMOOTH = "auto_examples/filters/plot_smooth"


class Docs:
    """The project, and what each of its builds wrote."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "docs"
        self.folder = folder
        shutil.copytree(ROOT, self.source)

    def add(self, lines: str) -> None:
        with (self.source / "conf.py").open("a", encoding="utf-8") as conf:
            conf.write(lines)

    def build(
        self, name: str, language: str = "en", builder: str = "html", **settings: Any
    ) -> None:
        app = SphinxTestApp(
            builder,
            srcdir=self.source,
            builddir=self.folder / name,
            confoverrides={"language": language, **settings},
        )
        try:
            app.build()
            assert app.warning.getvalue() == ""
        finally:
            app.cleanup()

    def html(self, name: str) -> Path:
        return self.folder / name / "html"

    def templates(self) -> list[Path]:
        return sorted((self.folder / "messages" / "gettext").rglob("*.pot"))

    def page(self, name: str, page: str) -> BeautifulSoup:
        text = (self.html(name) / f"{page}.html").read_text("utf-8")
        return BeautifulSoup(text, "html.parser")


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Docs:
    found = Docs(tmp_path_factory.mktemp("foreign"))
    found.build("plain")
    found.add(OURS)
    found.build("ours")
    found.build("ko", "ko")
    found.build("messages", builder="gettext")
    return found


def files(folder: Path) -> set[str]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix() for path in paths} - {".buildinfo"}


def pages(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.html"))


def content(path: Path, *added: re.Pattern[str]) -> object:
    """Give what a file says, without the time of a run and what we have added."""
    if path.suffix == ".zip":
        with closing(zipfile.ZipFile(path)) as packed:
            return {name: packed.read(name) for name in packed.namelist()}
    if path.suffix not in (".html", ".txt"):
        return path.read_bytes()
    text = path.read_text("utf-8")
    for pattern in (IN_THE_HEAD, OF_ANOTHER_RUN, *added):
        text = pattern.sub("", text)
    if path.name.startswith(TIMES):
        return sorted(re.sub("row-(?:odd|even)", "", text).split("\n"))
    return text


def test_the_build_in_the_source_language_is_the_same_but_for_a_named_list(
    docs: Docs,
) -> None:
    plain, ours = docs.html("plain"), docs.html("ours")

    assert files(ours) - files(plain) == STATIC
    assert files(plain) - files(ours) == set()
    assert [x for x in files(plain) if content(plain / x) != content(ours / x)] == []


def test_beside_other_languages_there_is_also_the_menu(docs: Docs) -> None:
    docs.build("beside", gallery_intl_siblings={"en": "", "ko": "ko"})
    plain, beside = docs.html("plain"), docs.html("beside")
    menus = {path: MENU.findall(path.read_text("utf-8")) for path in pages(beside)}

    assert files(beside) - files(plain) == STATIC
    assert {len(found) for found in menus.values()} == {1}
    assert [
        x for x in files(plain) if content(plain / x) != content(beside / x, MENU)
    ] == []
    assert 'href="../ko/api/signals.html"' in menus[beside / "api/signals.html"][0]
    assert 'href="../api/signals.html"' in menus[beside / "api/signals.html"][0]


def test_what_sphinx_gallery_makes_is_there(docs: Docs) -> None:
    api = docs.page("ours", "api/signals")
    used = (docs.source / "gen_modules/backreferences").glob("signals.smooth*")

    assert len(api.select(".sphx-glr-thumbcontainer")) == 4
    assert [path for path in used if path.stat().st_size]
    assert docs.page("ours", SMOOTH).select_one("img[src$='plot_smooth_001.png']")


def test_another_language_has_its_words_and_the_same_program(docs: Docs) -> None:
    page = docs.page("ko", SMOOTH)
    script = next(docs.html("ko").glob("_downloads/*/plot_smooth.py"))
    ours, theirs = (
        ast.parse(path.read_text("utf-8")).body[1:]
        for path in (script, docs.source / "examples/filters/plot_smooth.py")
    )

    assert page.h1
    assert page.h1.get_text().startswith("신호를 매끄럽게 하기")
    assert "# 값 다섯 개" in page.get_text()
    assert "# 값 다섯 개" in script.read_text("utf-8")
    assert [*map(ast.dump, ours)] == [*map(ast.dump, theirs)]
    assert page.select_one("img[src$='plot_smooth_001.png']")


def test_only_the_pages_that_a_project_names_are_to_be_translated(docs: Docs) -> None:
    names = {path.stem for path in docs.templates()}
    api, gallery = (
        docs.page("ko", "api/signals"),
        docs.page("ko", "auto_examples/index"),
    )

    assert {"plot_smooth", "first_steps", "sphinx"} <= names
    assert "signals" not in names
    assert "번역되었습니다" not in api.get_text()
    assert "이 페이지는 0% 번역되었습니다" in gallery.get_text()


def test_the_first_language_is_what_the_pages_are_written_in(docs: Docs) -> None:
    languages = {"de": "Deutsch", "ko": "한국어"}
    docs.build("from_german", "ko", gallery_intl_languages=languages)
    page = docs.page("from_german", "auto_examples/filters/plot_width")

    assert "나머지는 원문 그대로 표시됩니다." in page.get_text()
    assert page.select_one("p[lang=de]")
    assert not page.select("[lang=en]")


def app(folder: Path) -> Any:
    gallery = {"examples_dirs": "examples", "gallery_dirs": "made", "src_dir": folder}

    class Config(dict[str, object]):
        sphinx_gallery_conf = gallery

    listeners = {"builder-inited": [SimpleNamespace(handler=GENERATOR)]}
    return SimpleNamespace(
        srcdir=folder,
        config=Config(sphinx_gallery_conf=gallery),
        events=SimpleNamespace(listeners=listeners),
    )


@pytest.fixture
def another(tmp_path: Path) -> Iterator[Thread]:
    """Another build of the same folder, which waits for its turn and ends it."""

    def build() -> None:
        turn = Turn()
        turn.begin(app(tmp_path))
        turn.end(app(tmp_path))

    thread = Thread(target=build)
    yield thread
    thread.join()


def test_builds_beside_each_other_generate_in_turn(
    tmp_path: Path, another: Thread
) -> None:
    turn = Turn()
    turn.begin(app(tmp_path))

    another.start()
    another.join(0.2)
    waits = another.is_alive()
    turn.end(app(tmp_path))
    another.join(10)

    assert waits
    assert not another.is_alive()
