"""What figures take from Sphinx-Gallery: the installed one still does it so."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from paths import ROOTS
from sphinx.testing.util import SphinxTestApp

from gallery_intl.figures import upstream

ROOT = ROOTS / "test-figures"
CONF = {
    "examples_dirs": "gallery",
    "gallery_dirs": "tutorials",
    "filename_pattern": r"\.py$",
    "write_computation_times": False,
}


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What Sphinx-Gallery alone writes for a page with four figures."""
    source = tmp_path_factory.mktemp("stock") / "root"
    shutil.copytree(ROOT, source)
    extensions = ["sphinx_gallery.gen_gallery"]
    values = {"extensions": extensions, "sphinx_gallery_conf": CONF}
    app = SphinxTestApp("dummy", srcdir=source, confoverrides=values)
    app.cleanup()
    return source / "tutorials"


def test_figures_and_cards_are_named_after_their_page(stock: Path) -> None:
    pictures = sorted((stock / "images").rglob("*.png"))

    assert [path.parent.name for path in pictures] == [*["images"] * 4, "thumb"]
    for path in pictures:
        name = path.with_suffix(".svg").relative_to(stock.parent).as_posix()
        figure = upstream.FIGURE.fullmatch(name)
        assert figure, name
        assert figure.groups() == ("tutorials", "rows")


def test_the_pictures_of_an_earlier_run_are_found(stock: Path, tmp_path: Path) -> None:
    images = tmp_path / "images"
    shutil.copytree(stock / "images", images)

    for path in sorted(images.glob("*.png")):
        upstream.remove_stale_png(path.with_suffix(".svg"))

    assert list(images.rglob("*.png")) == []


def test_the_alt_text_stands_below_the_name_of_the_file(stock: Path) -> None:
    rst = (stock / "rows.rst").read_text(encoding="utf-8")
    names = re.findall(r"image-sg:: /tutorials/images/(\S+)", rst)

    assert len(names) == 4
    for name in names:
        changed = set(upstream.with_alt(rst, name, "ours").splitlines())
        assert [x.strip() for x in changed - set(rst.splitlines())] == [":alt: ours"]


def test_a_figure_without_a_title_has_the_name_of_its_file(stock: Path) -> None:
    rst = (stock / "rows.rst").read_text(encoding="utf-8")
    shown = re.findall(r"image-sg:: (\S+)\n +:alt: (.*)", rst)

    assert [upstream.is_file_name(alt, uri) for uri, alt in shown] == [
        *[True] * 3,
        False,  # it has one
    ]


def test_the_directive_has_the_options_that_are_read() -> None:
    assert {"alt", "class", "srcset"} <= set(upstream.ImageSg.option_spec)
    assert upstream.ImageSg.required_arguments == 1
