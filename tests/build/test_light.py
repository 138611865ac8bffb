"""Pages load one style sheet and one script, and lack nothing of the theme's."""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from sphinx.testing.util import SphinxTestApp

from gallery_site import light

CLASSES = re.compile(r'class="([^"]*)"')
LOADED = re.compile(r'(?:href|src)="(?:_static/)?([^"?]*\.(?:css|js))')
# Those that Bootstrap, theme and copy button set.
SET_BY_SCRIPTS = [
    *("show", "fade", "collapse", "collapsing", "tooltip", "tooltip-inner"),
    *("tooltip-arrow", "bs-tooltip-auto", "modal-backdrop", "copybtn", "success"),
    *("o-tooltip--left", "scrolled", "highlighted"),
]
# Search (the search page has it), other icons, tabs, and the tags of Sphinx-Gallery.
LEFT_OUT = [
    *("searchtools.js", "language_data.js", "searchindex.js", "sg-tags.js"),
    *("design-tabs.js", "scripts/fontawesome.js"),
    *("sg_gallery.css", "sg_gallery-binder.css", "sg_gallery-dataframe.css"),
    "sg_gallery-rendered-html.css",
]
CONF = """
extensions = [
    "sphinx_gallery.gen_gallery", "sphinx_design", "sphinx_copybutton",
    "sphinx_cjk_search",
]
sphinx_gallery_conf = {"examples_dirs": [], "gallery_dirs": []}
html_theme = "pydata_sphinx_theme"
language = "ko"
"""
SUN, EXTERNAL_LINK, BIOHAZARD = 0xF185, 0xF35D, 0xF780


@pytest.mark.parametrize("language", ["en", "ko", "zh_CN", "ja"])
def test_no_page_has_a_class_whose_rules_are_left_out(
    site: Path, language: str
) -> None:
    pages = [x for x in (site / language).rglob("*.html") if "_static" not in x.parts]
    lists = {x for page in pages for x in CLASSES.findall(page.read_text("utf-8"))}
    names = {name for text in lists for name in text.split()}

    assert len(names) > 100
    lost = [x for x in (*names, *SET_BY_SCRIPTS) if light.UNUSED.match(f".{x}")]
    assert lost == []


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("a{top:0}", "a{top:0}"),
        (".x,.badge,p .x{top:0}", ".x,p .x{top:0}"),
        (".badge .x{top:0}", ""),
        ("p:not(.badge,.x){top:0}", "p:not(.badge,.x){top:0}"),
        ("@media print{.badge{top:0}}", ""),
        ("@media print{.badge{top:0}.x{top:0}}", "@media print{.x{top:0}}"),
        ('.fa-sun{--fa:"x"}.fa-biohazard{--fa:"y"}', '.fa-sun{--fa:"x"}'),
        ("/*! licence */ /* comment */", "/*! licence */"),
    ],
)
def test_only_rules_that_no_page_needs_are_left_out(
    tmp_path: Path, css: str, expected: str
) -> None:
    (tmp_path / "style.css").write_text(css, encoding="utf-8")

    assert light.join_styles(tmp_path, ["style.css"]) == expected


def test_the_icon_font_has_the_icons_of_the_pages_and_no_others(site: Path) -> None:
    css = (site / "en/_static/light.css").read_text("utf-8")

    (data,) = re.findall(r"data:font/woff2;base64,([^)]*)", css)
    font = TTFont(io.BytesIO(base64.b64decode(data)))

    assert {SUN, EXTERNAL_LINK} <= font.getBestCmap().keys()
    assert BIOHAZARD not in font.getBestCmap()
    assert "Font Awesome" in str(font["name"].getDebugName(0))
    assert ".woff2" not in css


def test_theme_and_extensions_load_the_files_that_are_joined(tmp_path: Path) -> None:
    (tmp_path / "conf.py").write_text(CONF, encoding="utf-8")
    (tmp_path / "index.rst").write_text("Page\n====\n", encoding="utf-8")
    app = SphinxTestApp("html", srcdir=tmp_path)
    app.build()
    app.cleanup()

    page = (app.outdir / "index.html").read_text(encoding="utf-8")

    scripts = {"gallery_intl.js", "gallery_intl_words.js"}
    ours = {"figures.css", "gallery_intl.css", "gallery_site.css", *scripts}
    basic = {"basic.css", "styles/theme.css"}  # the second imports the first
    joined = {*light.STYLES, *light.SCRIPTS} - ours
    assert {*LOADED.findall(page)} - {*LEFT_OUT} - basic == joined - basic
