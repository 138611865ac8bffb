"""A preview leaves out the figures that only a run of the gallery would make."""

import os
import subprocess
import sys
from pathlib import Path

from paths import PROJECT

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
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", "-D", option]

    result = subprocess.run(
        [*command, str(tmp_path), str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(PROJECT)},
    )

    assert result.returncode == 0, result.stderr
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "A figure that a script draws." in page
    assert "<img" not in page
