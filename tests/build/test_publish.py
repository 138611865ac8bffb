"""What is put into the published site, and what is kept out of it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from sphinx.testing.util import SphinxTestApp

from gallery_site import languages
from gallery_site.languages import build_language

CONF = 'extensions = ["gallery_intl", "gallery_site"]\n'
CONF += 'html_theme = "pydata_sphinx_theme"\n'
CONF += 'sphinx_gallery_conf = {"examples_dirs": [], "gallery_dirs": []}\n'
PAGE = "Page\n====\n\n.. image:: sphx_glr_one.svg\n\n:download:`data.csv`\n"
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg"/>'


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "copies"
    folder.mkdir()
    (folder / "conf.py").write_text(CONF, encoding="utf-8")
    (folder / "index.rst").write_text(PAGE, encoding="utf-8")
    for name in ("sphx_glr_one.svg", "sphx_glr_two.svg", "data.csv"):
        (folder / name).write_text(PICTURE, encoding="utf-8")
    return folder


def build(source: Path) -> Path:
    app = SphinxTestApp("html", srcdir=source)
    app.build()
    app.cleanup()
    return Path(app.outdir)


def test_what_an_earlier_build_copied_is_removed(source: Path) -> None:
    out = build(source)
    assert (out / "_images/sphx_glr_one.svg").is_file()

    (source / "index.rst").write_text(
        PAGE.replace("glr_one", "glr_two").split(":down")[0]
    )
    build(source)

    assert [path.name for path in (out / "_images").iterdir()] == ["sphx_glr_two.svg"]
    assert not list((out / "_downloads").glob("*/*"))


def test_what_others_made_is_kept(source: Path) -> None:
    out = build(source)
    for name in ("_images/graphviz-1.png", "_images/math/1.svg"):
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).touch()

    (source / "index.rst").write_text(PAGE.replace("glr_one", "glr_two"))
    build(source)

    assert (out / "_images/graphviz-1.png").is_file()
    assert (out / "_images/math/1.svg").is_file()
    assert not (out / "_images/sphx_glr_one.svg").exists()


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), ModuleNotFoundError("brotli")]
)
def test_a_language_that_cannot_be_put_in_place_is_not_built(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(languages, "build_source", lambda *_args, **_options: 0)
    monkeypatch.setattr(languages, "add_language", fail)

    status = build_language(SimpleNamespace(), "ko", [])

    assert status == languages.FAILED
    assert str(error.args[-1]) in capsys.readouterr().out
