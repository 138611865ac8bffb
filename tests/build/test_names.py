"""Known names are links, once in a block of code and once in a section of text."""

from __future__ import annotations

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from sphinx.testing.util import SphinxTestApp

CONF = """
extensions = ["sphinx.ext.intersphinx", "gallery_intl"]
exclude_patterns = ["gallery"]
html_theme = "basic"
nitpicky = True
gallery_intl_languages = {"en": "English", "ko": "한국어"}
locale_dirs = ["locales"]
intersphinx_mapping = {"json": ("https://docs.example.org/", "names.inv")}
gallery_intl_link_names = True
gallery_intl_source_downloads = True
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "pages",
    "filename_pattern": r"page",
    "image_scrapers": (),
    "reset_modules": (),
    "capture_repr": (),
    "write_computation_times": False,
    "download_all_examples": False,
    "show_signature": False,
}
"""
INVENTORY = """\
# Sphinx inventory version 1
# Project: json
# Version: 3
json.dumps function json.html
json.JSONEncoder class json.html
"""
PAGE = '''"""
With ``json.dumps``
===================

First ``json.dumps(1)``, then ``dumps`` and ``json.dumps`` again, and ``Own``.
"""
import json

# a comment
text = json.dumps(1) + json.dumps("<")
encoder = json.JSONEncoder()
encoder.encode(text)

# %%
# A part
# ------
#
# Here ``dumps`` begins anew, ``json.loads`` is not known, and `a link with
# ``dumps`` <https://example.org>`__ stays.


class Own(json.JSONEncoder):
    pass


Own().encode(json.dumps(2))

# %%
# .. code-block:: python
#
#    json.dumps(no Python at all
'''
CATALOG = """\
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "a comment"
msgstr "주석"

msgid "First ``json.dumps(1)``, then ``dumps`` and ``json.dumps`` again, and ``Own``."
msgstr "``json.dumps(1)`` 다음 ``dumps``, ``json.dumps``, ``Own``."
"""
DUMPS = "https://docs.example.org/json.html#json.dumps"
ENCODER = "https://docs.example.org/json.html#json.JSONEncoder"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "gallery").mkdir()
    title = "Gallery\n=======\n"
    (tmp_path / "gallery/GALLERY_HEADER.rst").write_text(title)
    (tmp_path / "gallery/page.py").write_text(PAGE)
    (tmp_path / "index.rst").write_text(f"{title}\n.. toctree::\n\n   pages/index\n")
    (tmp_path / "names.inv").write_text(INVENTORY)
    (tmp_path / "conf.py").write_text(CONF, encoding="utf-8")
    catalog = tmp_path / "locales/ko/LC_MESSAGES/pages/page.po"
    catalog.parent.mkdir(parents=True)
    catalog.write_text(CATALOG, encoding="utf-8")
    return tmp_path


class Built:
    """A page that was built, with its links."""

    def __init__(self, app: SphinxTestApp) -> None:
        app.build()
        assert app.warning.getvalue() == ""
        self.html = BeautifulSoup(
            (app.outdir / "pages/page.html").read_bytes(), "html.parser"
        )

    def links(self, where: str) -> list[tuple[str, str]]:
        return [(a.get_text(), str(a["href"])) for a in self.html.select(where)]


def test_a_block_of_code_has_one_link_for_each_imported_name(
    source: Path, make_app: type[SphinxTestApp]
) -> None:
    page = Built(make_app("html", srcdir=source))

    first, second, sketch = page.html.select(".highlight pre")
    assert page.links(".highlight a") == [
        ("json.dumps", DUMPS),
        ("json.JSONEncoder", ENCODER),
        ("json.JSONEncoder", ENCODER),
        ("json.dumps", DUMPS),
        ("json.dumps", DUMPS),
    ]
    start = PAGE.index("import json")
    code = PAGE[start : PAGE.index("\n\n# %%", start)]
    assert first.get_text().strip() == code
    assert second.get_text().startswith("class Own(json.JSONEncoder):\n    pass")
    assert sketch.get_text() == "json.dumps(no Python at all\n"


@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_section_of_text_has_one_link_for_each_known_name(
    source: Path, make_app: type[SphinxTestApp], language: str
) -> None:
    page = Built(make_app("html", srcdir=source, confoverrides={"language": language}))

    assert page.links("p > a:has(code):not(.download)") == [
        ("json.dumps(1)", DUMPS),
        ("dumps", DUMPS),  # of the next section
    ]
    assert not page.html.select("h1 a:has(code), nav a[href*=docs]")


def test_another_gallery_keeps_the_links_that_it_has(
    source: Path, make_app: type[SphinxTestApp]
) -> None:
    off = {"gallery_intl_link_names": False}
    page = Built(make_app("html", srcdir=source, confoverrides=off))

    assert page.links("p > a:has(code):not(.download)") == []
    assert ("Own", ENCODER) in page.links(".highlight a")
