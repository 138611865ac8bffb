"""What the site knows of pages and scripts of others, they still write.

A shape that had changed would raise nothing: it would just be found nowhere.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

import pytest
from sphinx.testing.util import SphinxTestApp

from gallery_site import upstream
from gallery_site.light.upstream import BEGINNING, FIRST, INLINED, USED_FOR

CONF = """
extensions = ["sphinx_gallery.gen_gallery", "sphinx_design", "sphinx_copybutton"]
sphinx_gallery_conf = {"examples_dirs": [], "gallery_dirs": []}
html_theme = "pydata_sphinx_theme"
html_theme_options = {"search_as_you_type": True}
language = "ko"
"""
PAGE = """Page
====

.. tab-set::

   .. tab-item:: One

      Text.
"""


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page as theme and extensions write it, without ours."""
    source = tmp_path_factory.mktemp("upstream")
    (source / "conf.py").write_text(CONF, encoding="utf-8")
    (source / "index.rst").write_text(PAGE, encoding="utf-8")
    app = SphinxTestApp("html", srcdir=source)
    app.build()
    app.cleanup()
    return Path(app.outdir)


def read(out: Path, name: str = "index.html") -> str:
    return (out / name).read_text(encoding="utf-8")


def loaded(page: str) -> list[str]:
    """Return the names of the scripts that a page loads."""
    addresses = re.findall(r'<script[^>]* src="([^"?]*)', page)
    return [PurePosixPath(address).name for address in addresses]


def package(name: str) -> Path:
    spec = find_spec(name)
    assert spec
    assert spec.origin
    return Path(spec.origin).parent


def test_the_theme_names_its_modes_so() -> None:
    sheets = package("pydata_sphinx_theme").rglob("*.css")
    styles = "".join(path.read_text(encoding="utf-8") for path in sheets)

    assert {*upstream.MODE.findall(styles)} == {"light", "dark"}


@pytest.mark.parametrize("script", [*USED_FOR, INLINED, *FIRST])
def test_a_script_that_is_known_by_name_is_loaded(out: Path, script: str) -> None:
    assert script in loaded(read(out)) + loaded(read(out, "search.html"))


def test_the_signs_that_a_script_is_needed_are_written(out: Path) -> None:
    gallery = (package("sphinx_gallery") / "gen_gallery.py").parent
    sources = "".join(path.read_text("utf-8") for path in gallery.glob("*.py"))
    theme = package("pydata_sphinx_theme") / "theme/pydata_sphinx_theme/static"
    icons = "".join(p.read_text("utf-8") for p in theme.rglob("fontawesome.js"))

    signs = {
        "searchtools.js": read(out, "search.html"),
        "design-tabs.js": read(out),
        "sg-tags.js": sources,
        "fontawesome.js": icons,
    }

    for script, text in signs.items():
        assert any(sign in text for sign in USED_FOR[script]), script


def test_a_search_as_one_types_is_told_by_a_script_in_the_page(out: Path) -> None:
    assert USED_FOR["searchtools.js"][1] in read(out)


def test_a_script_of_the_theme_makes_names_of_classes(out: Path) -> None:
    folder = out / "_static/scripts"
    scripts = "".join(path.read_text("utf-8") for path in folder.glob("*.js"))

    assert "bs-" in BEGINNING.findall(scripts)
