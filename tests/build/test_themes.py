"""The extension under themes of others, on a gallery as any project begins one."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import polib
import pytest
from bs4 import BeautifulSoup, Tag
from paths import ROOTS
from sphinx.application import Sphinx
from sphinx.testing.util import SphinxTestApp

Make = Callable[..., SphinxTestApp]
PAGE = "auto_examples/plot_wave"
FILES = [f"plot_wave{end}" for end in (".py", ".ipynb", ".zip")]
BESIDE = "../{language}/"


@pytest.fixture
def srcdir(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOTS / "test-themes", tmp_path / "waves"))


@pytest.fixture
def build(make_app: Make, srcdir: Path) -> Make:
    def build(builder: str, theme: str, **settings: object) -> SphinxTestApp:
        gallery = {"examples_dirs": "examples", "plot_gallery": False}
        values = {"html_theme": theme, "sphinx_gallery_conf": gallery, **settings}
        app = make_app(
            builder,
            srcdir=srcdir,
            builddir=srcdir / "_build" / theme,
            confoverrides=values,
        )
        app.build()
        return app

    return build


def read(app: SphinxTestApp, name: str) -> Tag:
    text = (app.outdir / f"{name}.html").read_text(encoding="utf-8")
    return BeautifulSoup(text, "html.parser")


def make_theme(folder: Path, parent: str, **templates: str) -> None:
    """Pretend a theme's folder."""
    folder.mkdir(parents=True)
    (folder / "theme.toml").write_text(f'[theme]\ninherit = "{parent}"\n', "utf-8")
    for template, text in templates.items():
        (folder / f"{template}.html").write_text(text, encoding="utf-8")


@pytest.fixture
def late(srcdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A theme that is an extension too, and that writes into pages when all is done."""

    def fail(app: Sphinx, error: Exception | None) -> None:
        raise FileNotFoundError(app.outdir / "_static" / "pygments.css")

    def setup(app: Sphinx) -> None:
        app.add_html_theme("late", late)
        app.connect("build-finished", fail)

    late = srcdir / "_build" / "late"  # a package's: on no path of themes
    make_theme(late, "early", page="{{ _('A late word') }}")
    early = srcdir / "_themes" / "early"
    make_theme(early, "basic", side="{{ _('Back to the shore') }}")
    module = ModuleType("late_theme")
    module.setup = setup
    monkeypatch.setitem(sys.modules, "late_theme", module)
    points = [EntryPoint("late", "late_theme", "sphinx.html_themes")]
    monkeypatch.setattr("sphinx.theming.entry_points", lambda group: points)


@pytest.mark.usefixtures("late")
def test_words_of_all_folders_of_a_theme_are_messages(build: Make) -> None:
    app = build("gettext", "late", html_theme_path=["_themes"])

    assert app.warning.getvalue() == ""
    words = {entry.msgid for entry in polib.pofile(str(app.outdir / "sphinx.pot"))}
    assert words >= {"Back to the shore", "A late word", "Waves"}


def languages_of(page: Tag) -> list[tuple[str, str]]:
    """Where the menu leads, and to what; a header has one more, for small screens."""
    menus = {str(menu): menu for menu in page.select("details.language-menu")}
    (menu,) = menus.values()
    return [(link["hreflang"], link["href"]) for link in menu.select("a")]


def check_menu(app: SphinxTestApp) -> Tag:
    """A page's menu leads to its own languages, without a word about the theme."""
    assert app.warning.getvalue() == ""
    page = read(app, PAGE)
    assert languages_of(page) == [
        ("en", "../../en/auto_examples/plot_wave.html"),
        ("ko", "../../ko/auto_examples/plot_wave.html"),
    ]
    return page


def outer(menu: Tag) -> set[str]:
    return {name for parent in menu.parents for name in parent.get("class", [])}


def test_a_sidebar_has_the_menu_behind_its_search(build: Make) -> None:
    page = check_menu(build("html", "alabaster", gallery_intl_siblings=BESIDE))

    menu = page.select_one(".language-menu")
    assert "sphinxsidebar" in outer(menu)
    assert menu.find_previous("form")["class"] == ["search"]


def test_a_header_has_the_menu_and_the_prompt_its_own_words(build: Make) -> None:
    options = {
        "search_bar_text": "Search the waves",
        "secondary_sidebar_items": ["sg_download_links"],
    }
    where = {"gallery_intl_siblings": BESIDE, "html_theme_options": options}

    page = check_menu(build("html", "pydata_sphinx_theme", **where))

    assert "navbar-header-items__end" in outer(page.select_one(".language-menu"))
    assert page.select_one("input[type=search]")["placeholder"] == "Search the waves"
    links = page.select(".sphx-glr-sidebar-item")
    assert [link["title"] for link in links] == FILES  # as without us
