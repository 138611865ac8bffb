"""The runner knows which files the installed Sphinx-Gallery writes.

What else it takes from there is tried by tests/run.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from paths import ROOTS
from sphinx.testing.util import SphinxTestApp

from gallery_run import upstream

ROOT = ROOTS / "test-run"
FIGURE = """
import matplotlib.pyplot as plt
plt.plot([1, 2])
"""
Make = Callable[..., SphinxTestApp]


@pytest.fixture
def stock(make_app: Make, tmp_path: Path) -> Callable[..., SphinxTestApp]:
    """Build the small gallery with Sphinx-Gallery alone, and some settings."""
    shutil.copytree(ROOT, tmp_path / "site")
    script = tmp_path / "site/gallery/part/first.py"
    script.write_text(script.read_text() + FIGURE)

    def build(**gallery: object) -> SphinxTestApp:
        app = make_app(
            "html",
            srcdir=tmp_path / "site",
            confoverrides={
                "extensions": ["sphinx_gallery.gen_gallery"],
                "sphinx_gallery_conf.image_scrapers": ("matplotlib",),
                **{f"sphinx_gallery_conf.{key}": gallery[key] for key in gallery},
            },
        )
        app.build()
        return app

    return build


def test_a_page_is_written_to_these_files_and_to_figures(
    stock: Callable[..., SphinxTestApp],
) -> None:
    app = stock(write_computation_times=True, recommender={"enable": True})

    found = {path for path in (app.srcdir / "pages").rglob("*") if path.is_file()}
    targets = [app.srcdir / f"pages/part/{name}.py" for name in ("first", "second")]
    expected = {path for one in targets for path in upstream.page_files(one)}
    figures = {path for one in targets for path in upstream.figures(one)}
    pages = app.srcdir / "pages"
    names = ("index.rst", "sg_execution_times.rst")
    others = {folder / name for folder in (pages, pages / "part") for name in names}
    assert found == expected | figures | others
    assert {path.name for path in figures} == {
        "sphx_glr_first_001.png",
        "sphx_glr_first_thumb.png",
        "sphx_glr_second_thumb.png",
    }
