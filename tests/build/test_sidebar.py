"""A page's sidebar is the theme's, made once for a section."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from sphinx.testing.util import SphinxTestApp

from gallery_site import sidebar, upstream

INDEX = "Start\n=====\n\n.. toctree::\n\n   one/index\n   two/index\n"
PAGE = "{name} & `code`\n===============\n\nSome text.\n\nA part of it\n------------\n"
TREE = "\n\n.. toctree::{options}\n\n   {pages}\n"
OPTIONS = {"includehidden": True, "titles_only": True}


def write(
    folder: Path, name: str, below: tuple[str, ...] = (), options: str = ""
) -> None:
    path = folder / f"{name}.rst"
    path.parent.mkdir(parents=True, exist_ok=True)
    tree = TREE.format(options=options, pages="\n   ".join(below)) if below else ""
    path.write_text(PAGE.format(name=name) + tree, encoding="utf-8")


@pytest.fixture
def pages(sphinx_test_tempdir: Path) -> Path:
    """Two sections, one of them with parts of parts, and a link to another host."""
    folder = sphinx_test_tempdir / "sections"
    write(folder, "one/index", ("a/index", "b/index", "last"))
    write(folder, "one/a/index", ("first", "/one/a/deep/index"), "\n   :hidden:")
    write(folder, "one/a/first")
    write(folder, "one/a/deep/index", ("x", "y"))
    for name in ("one/a/deep/x", "one/a/deep/y", "one/b/z", "one/last", "two/only"):
        write(folder, name)
    write(folder, "one/b/index", ("z", "Elsewhere <https://example.org/?a=1&b=2>"))
    write(folder, "two/index", ("only",), "\n   :caption: Pages")
    (folder / "index.rst").write_text(INDEX, encoding="utf-8")
    (folder / "conf.py").write_text(
        'extensions = ["gallery_site"]\nhtml_theme = "pydata_sphinx_theme"\n'
    )
    return folder


def words(html: object) -> str:
    """The HTML without spaces between its tags."""
    return re.sub(r">\s+<", "><", str(html)).strip()


@pytest.mark.parametrize("builder", ["html", "dirhtml"])
@pytest.mark.parametrize("collapse", [False, True])
@pytest.mark.parametrize(("depth", "level"), [(4, 1), (4, 2), (1, 1), (2, 1)])
def test_it_is_the_themes_sidebar(
    pages: Path,
    monkeypatch: pytest.MonkeyPatch,
    builder: str,
    collapse: bool,
    depth: int,
    level: int,
) -> None:
    more = {"maxdepth": depth, "collapse": collapse, "show_nav_level": level}
    options = {**OPTIONS, **more}
    shown: dict[str, list[str]] = {}
    made: list[tuple[Any, ...]] = []
    printed: list[str] = []
    make, of_page = upstream.sidebar_of, sidebar.Sidebar.of_page

    def note(app: Any, section: str, options: dict[str, Any]) -> Any:
        made.append((section, *sorted(options.items())))
        return make(app, section, options)

    def note_page(this: sidebar.Sidebar, uri: str) -> str:
        printed.append(uri)
        return of_page(this, uri)

    def keep(_app: Any, pagename: str, _name: str, context: Any, _tree: Any) -> None:
        if not context["suppress_sidebar_toctree"](includehidden=True):
            html = context[upstream.SIDEBAR]("sidebar", **options)
            shown.setdefault(pagename, []).append(words(html))

    monkeypatch.setattr(upstream, "sidebar_of", note)
    monkeypatch.setattr(sidebar.Sidebar, "of_page", note_page)
    app = SphinxTestApp(builder, srcdir=pages)
    app.connect("html-page-context", keep, priority=550)  # before ours, and after
    app.connect("html-page-context", keep, priority=650)
    app.build()
    app.cleanup()

    theirs = {page: html for page, (html, _ours) in shown.items()}
    ours = {page: html for page, (_theirs, html) in shown.items()}
    assert len(ours) == 11
    assert ours == theirs
    assert 'aria-current="page"' in ours["one/last"]
    assert app.builder.get_target_uri("one/last") in printed, "the theme printed it"
    assert {section for section, *_ in made} == {"one/index", "two/index"}
    assert len(made) == len(set(made)), "made again for a page"


def test_every_link_of_a_sidebar_leads_to_its_page(pages: Path) -> None:
    app = SphinxTestApp("html", srcdir=pages)
    app.build()
    app.cleanup()

    for path in app.outdir.glob("[ot]*/**/*.html"):
        page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        links = page.select(".bd-sidenav a.internal")
        assert links, path
        for link in links:
            target = path if link["href"] == "#" else path.parent / link["href"]
            title = target.resolve().relative_to(app.outdir).with_suffix("").as_posix()
            assert target.is_file(), (path, link)
            assert link.get_text().startswith(title), path


def test_a_later_build_shows_titles_as_they_are_then(pages: Path) -> None:
    app = SphinxTestApp("html", srcdir=pages)
    app.build()
    for name in ("one/last", "two/only"):  # ours, and one that stays the theme's
        (pages / f"{name}.rst").write_text("Another\n=======\n", encoding="utf-8")
    app.build(force_all=True)
    one, two = (
        (app.outdir / name).read_text(encoding="utf-8")
        for name in ("one/a/first.html", "two/only.html")
    )
    app.cleanup()

    assert one.count("Another") == 1
    assert "one/last &amp;" not in one
    assert "two/only &amp;" not in two


def test_a_shape_that_is_not_known_stays_the_themes(pages: Path) -> None:
    tree = "\n\n.. toctree::\n   :caption: {0}\n\n   {0}\n"
    index = PAGE.format(name="one/index") + tree.format("last") + tree.format("b/z")
    (pages / "one/index.rst").write_text(index, encoding="utf-8")

    app = SphinxTestApp("html", srcdir=pages)
    app.build()
    page = (app.outdir / "one/last.html").read_text(encoding="utf-8")
    app.cleanup()

    assert page.count('<p aria-level="2" class="caption"') == 2
    assert '<a aria-current="page" class="current reference internal" href="#">' in page
