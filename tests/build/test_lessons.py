"""All lessons stand beside each page, and each leads to the next."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from commands import SmallSite, edit
from made import html
from sphinx.testing.util import SphinxTestApp

SCRIPT = '"""\n{0}: a point & `code`\n=======================\n\nText.\n"""\n'
HEADER = "Part {0}\n======\n\nText.\n"
CONF = """
extensions = ["sphinx_gallery.gen_gallery", "gallery_intl", "gallery_site"]
exclude_patterns = ["_build", "gallery"]
gallery_intl_languages = {"en": "English"}
html_theme = "pydata_sphinx_theme"
html_sidebars = {"index": [], "**": ["lessons"]}
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "tutorials",
    "plot_gallery": False,
    "within_subsection_order": "FileNameSortKey",
    "write_computation_times": False,
    "download_all_examples": False,
    "show_signature": False,
}
"""
INDEX = """Start
=====

.. toctree::

   tutorials/index
   about
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Two parts with lessons, and pages that are none."""
    folder = tmp_path / "lessons"
    for part, names in {"a": ("one", "two"), "b": ("three",)}.items():
        path = folder / "gallery" / part
        path.mkdir(parents=True)
        (path / "GALLERY_HEADER.rst").write_text(HEADER.format(part))
        for name in names:
            (path / f"{name}.py").write_text(SCRIPT.format(name))
    (folder / "gallery" / "GALLERY_HEADER.rst").write_text("All\n===\n\nText.\n")
    about = "About\n=====\n\nText.\n\n.. toctree::\n\n   status\n"
    (folder / "about.rst").write_text(about)
    (folder / "status.rst").write_text("Status\n======\n\n.. names-used::\n")
    (folder / "index.rst").write_text(INDEX)
    (folder / "conf.py").write_text(CONF)
    return folder


def build(source: Path, builder: str = "html") -> SphinxTestApp:
    app = SphinxTestApp(builder, srcdir=source)
    app.build()
    app.cleanup()
    return app


def read(app: SphinxTestApp, page: str) -> BeautifulSoup:
    path = Path(app.outdir, app.builder.get_target_uri(page))
    path = path / "index.html" if app.builder.name == "dirhtml" else path
    return html(path)


def shown(page: BeautifulSoup) -> dict[str, list[str]]:
    """Give the parts that the sidebar of a page lists, with their lessons."""
    return {
        item.a.get_text(): [link.get_text() for link in item.select("li li a")]
        for item in page.select("nav.lessons > ul > li")
        if isinstance(item.a, Tag)
    }


@pytest.mark.parametrize("builder", ["html", "dirhtml"])
def test_each_page_lists_all_lessons_by_part_and_marks_itself(
    source: Path, builder: str
) -> None:
    app = build(source, builder)

    everything = {"Part a": ["one", "two"], "Part b": ["three"], "About": []}
    for page in ("tutorials/a/two", "tutorials/b/index", "about", "status"):
        soup = read(app, page)
        assert shown(soup) == everything, page
        marked = [link.get_text() for link in soup.select("nav.lessons [aria-current]")]
        expected = {"two": ["two"], "index": ["Part b"], "about": ["About"]}
        assert marked == expected.get(page.rpartition("/")[2], []), page
        base = Path(app.outdir, app.builder.get_target_uri(page))
        folder = base if builder == "dirhtml" else base.parent
        for link in soup.select("nav.lessons a:not([aria-current])"):
            assert (folder / str(link["href"])).resolve().exists(), (page, link)
    assert not read(app, "index").select("nav.lessons")


def test_lessons_lead_to_lessons_alone(source: Path) -> None:
    app = build(source)

    def around(page: str) -> list[tuple[str, str]]:
        links = read(app, page).select(".prev-next-area a")
        return [
            (str(link["href"]), title.get_text())
            for link in links
            for title in link.select(".prev-next-title")
        ]

    assert around("tutorials/a/one") == [("two.html", "two: a point & code")]
    assert around("tutorials/a/two") == [
        ("one.html", "one: a point & code"),
        ("../b/three.html", "three: a point & code"),
    ]
    assert around("tutorials/b/three") == [("../a/two.html", "two: a point & code")]
    assert around("tutorials/b/index") == [
        ("../a/two.html", "two: a point & code"),
        ("three.html", "three: a point & code"),
    ]
    for page in ("index", "tutorials/index", "about", "status"):
        assert around(page) == [], page


def test_a_later_build_shows_titles_as_they_are_then(source: Path) -> None:
    build(source)
    (source / "gallery" / "b" / "three.py").write_text(SCRIPT.format("Another"))

    app = build(source)

    assert shown(read(app, "tutorials/a/one"))["Part b"] == ["Another"]


def test_a_page_that_is_gone_is_missed_by_those_that_link_to_it(source: Path) -> None:
    lesson, about = source / "gallery/a/one.py", source / "about.rst"
    lesson.write_text(SCRIPT.format("one").replace("Text.", "See :doc:`/status`."))
    page = Path(build(source).outdir, "status.html")
    assert page.exists()
    (source / "status.rst").unlink()
    about.write_text(about.read_text().partition("..")[0])

    app = build(source)

    assert "unknown document: '/status'" in app.warning.getvalue()
    assert not page.exists()


def test_an_edited_sentence_leaves_the_pages_beside_it(source: Path) -> None:
    build(source)
    script = source / "gallery" / "a" / "one.py"
    script.write_text(SCRIPT.format("one").replace("Text.", "A sentence."))
    (source / "index.rst").write_text(f"{INDEX}\nA sentence.\n")

    before = times(source)
    build(source)

    after = times(source)
    written = {path for path in after if after[path] != before[path]}
    written -= {"genindex.html", "search.html"}
    above = {"tutorials/a/index.html", "tutorials/index.html", "index.html"}
    assert written == {"tutorials/a/one.html"} | above


def times(source: Path) -> dict[str, int]:
    site = source / "_build" / "html"
    pages = (path for path in site.rglob("*.html") if "_static" not in path.parts)
    return {str(path.relative_to(site)): path.stat().st_mtime_ns for path in pages}


def changed(folder: Path, before: Path) -> list[str]:
    """Return the pages whose files are newer than those of a copy."""
    return sorted(
        path.relative_to(folder).with_suffix("").as_posix()
        for path in [*folder.rglob("*.doctree"), *folder.rglob("*.html")]
        if "_static" not in path.parts and path.name != "search.html"
        if path.stat().st_mtime_ns
        != (before / path.relative_to(folder)).stat().st_mtime_ns
    )


def test_a_translated_sentence_reads_one_page_and_writes_three_at_most(
    tmp_path: Path,
) -> None:
    site = SmallSite(tmp_path / "site")
    site.add_settings('html_sidebars = {"**": ["lessons"]}\nhtml_use_index = False\n')
    index = site.source / "index.rst"
    hero = ".. try-it:: tutorials/part/page\n\n:download:`All <gallery.zip>`\n"
    index.write_text(f"{index.read_text('utf-8')}\n{hero}\n.. translation-status::\n")
    (site.source / "requirements.txt").write_text("torch==2.13.0\n")
    site.make("html")
    built, copy = site.source / "_build", tmp_path / "before"
    for folder in ("doctrees", "stage"):
        shutil.copytree(built / folder, copy / folder)

    edit(site.po("tutorials/part/page"), "문단 하나.", "다른 문단.")
    site.make("html", "ko")

    read = changed(built / "doctrees/ko", copy / "doctrees/ko")
    assert read == ["tutorials/part/page"]
    written = changed(built / "stage/ko", copy / "stage/ko")
    assert written == ["tutorials/part/index", "tutorials/part/page"]
