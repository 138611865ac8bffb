"""A builder that is a subclass of Sphinx's own is treated like that one."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

from paths import ROOTS
from sphinx.application import Sphinx
from sphinx.builders.gettext import MessageCatalogBuilder
from sphinx.deprecation import RemovedInSphinx11Warning
from sphinx.testing.util import SphinxTestApp

ROOT = ROOTS / "test-figures"

Make = Callable[..., SphinxTestApp]


class OtherCatalogs(MessageCatalogBuilder):
    """A gettext builder of another name."""

    name = "other-catalogs"


def setup(app: Sphinx) -> None:
    app.add_builder(OtherCatalogs)


def build(make_app: Make, folder: Path, builder: str) -> SphinxTestApp:
    """Build the small site with all rooms."""
    shutil.copytree(ROOT, folder)
    extensions = ["gallery_intl", __name__]
    values = {"extensions": extensions}
    app = make_app(builder, srcdir=folder, confoverrides=values)
    app.build()
    return app


def test_a_subclass_of_the_gettext_builder_collects_the_same(
    make_app: Make, tmp_path: Path
) -> None:
    sphinxs, other = (
        build(make_app, tmp_path / name, name).outdir
        for name in ("gettext", OtherCatalogs.name)
    )

    found = {
        path.relative_to(sphinxs): path.read_text(encoding="utf-8")
        for path in sphinxs.rglob("*.pot")
    }
    assert "alt text" in found[Path("tutorials/rows.pot")]
    assert found == {
        path.relative_to(other): path.read_text(encoding="utf-8")
        for path in other.rglob("*.pot")
    }


def test_nothing_is_used_that_sphinx_will_remove(
    make_app: Make, tmp_path: Path
) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RemovedInSphinx11Warning)
        app = build(make_app, tmp_path / "site", "html")

    assert app.env.all_docs
    assert [str(w.message) for w in caught if "gallery_" in str(w.message)] == []
