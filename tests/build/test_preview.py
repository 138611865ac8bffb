"""A preview leaves out the figures that only a run of the gallery would make."""

from pathlib import Path

import prepared

CONF = """
project = "Small site"
extensions = ["gallery_run"]
exclude_patterns = ["gallery"]
html_theme = "basic"
sphinx_gallery_conf = {"examples_dirs": "gallery", "gallery_dirs": "pages"}
gallery_intl_run = False
"""
INDEX = """Start
=====

.. figure:: /pages/part/images/sphx_glr_page_001.svg

   A figure that a script draws.
"""


def test_a_preview_does_not_miss_the_figures_it_leaves_out(tmp_path: Path) -> None:
    (tmp_path / "conf.py").write_text(CONF, encoding="utf-8")
    (tmp_path / "index.rst").write_text(INDEX, encoding="utf-8")
    (tmp_path / "gallery").mkdir()

    option = "gallery_intl_preview=1"
    options = ("-q", "-W", "-b", "html", "-D", option)

    result = prepared.run("sphinx", *options, tmp_path, tmp_path / "out")

    assert result.returncode == 0, result.stderr
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "A figure that a script draws." in page
    assert "<img" not in page
