"""What the runner knows of Sphinx-Gallery's inside is so in the installed version."""

from __future__ import annotations

import inspect
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from paths import ROOTS
from sphinx.testing.util import SphinxTestApp
from sphinx_gallery import gen_gallery, gen_rst

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


def files(app: SphinxTestApp) -> set[Path]:
    return {path for path in (app.srcdir / "pages").rglob("*") if path.is_file()}


def test_it_generates_in_two_listeners_which_can_be_taken_away(
    stock: Callable[..., SphinxTestApp],
) -> None:
    app = stock()
    events = ("builder-inited", "build-finished")

    def handlers() -> list[object]:
        return [one.handler for name in events for one in app.events.listeners[name]]

    before = handlers()
    upstream.stop_generating(app)

    assert [one for one in before if one in upstream.GENERATING] == [
        *upstream.GENERATING
    ]
    assert handlers() == [one for one in before if one not in upstream.GENERATING]
    assert len(handlers()) > 3  # all else of it stays


def test_it_makes_each_page_with_one_function_of_a_module(
    stock: Callable[..., SphinxTestApp], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: dict[object, object] = {}
    monkeypatch.setattr(gen_rst, "generate_file_rst", gen_rst.generate_file_rst)

    def wrap(make: upstream.PageMaker) -> upstream.PageMaker:
        def noted(*arguments: object) -> object:
            made[arguments[0]] = arguments[1:]
            return make(*arguments)  # type: ignore[arg-type]

        return noted

    upstream.make_pages_with(wrap)
    app = stock()

    folders = app.srcdir / "pages/part", app.srcdir / "gallery/part"
    conf = app.config.sphinx_gallery_conf
    assert made == {name: (*folders, conf) for name in ("first.py", "second.py")}


def test_a_page_is_written_to_these_files_and_to_figures(
    stock: Callable[..., SphinxTestApp],
) -> None:
    app = stock(write_computation_times=True, recommender={"enable": True})

    found = files(app)
    conf = app.config.sphinx_gallery_conf
    targets = [app.srcdir / f"pages/part/{name}.py" for name in ("first", "second")]
    expected = {path for one in targets for path in upstream.page_files(one)}
    figures = {path for one in targets for path in upstream.figures(one)}
    others = {
        app.srcdir / "pages" / part / name
        for part in ("", "part")
        for name in upstream.other_files(app.srcdir / "gallery" / part, conf)
    }
    assert found == expected | figures | others
    assert {path.name for path in figures} == {
        "sphx_glr_first_001.png",
        "sphx_glr_first_thumb.png",
        "sphx_glr_second_thumb.png",
    }


def test_what_is_copied_and_what_has_an_index_of_its_own(
    stock: Callable[..., SphinxTestApp], tmp_path: Path
) -> None:
    folder = tmp_path / "site/gallery/part"
    for one in (folder, folder.parent):
        (one / "GALLERY_HEADER.rst").rename(one / "index.rst")

    app = stock(copyfile_regex=r"index\.rst$")

    conf = app.config.sphinx_gallery_conf
    assert upstream.header(folder, conf) is None
    assert upstream.sections(app.srcdir, folder.parent, conf) == ["part"]
    assert list(upstream.other_files(folder, conf)) == ["index.rst"]
    assert (tmp_path / "site/pages/part/index.rst").is_file()


def test_the_scripts_and_sections_are_found(
    stock: Callable[..., SphinxTestApp], tmp_path: Path
) -> None:
    (tmp_path / "site/gallery/no section").mkdir()
    app = stock()

    gallery = app.config.sphinx_gallery_conf
    folder = app.srcdir / "gallery"
    assert upstream.sections(app.srcdir, folder, gallery) == ["part"]
    assert upstream.scripts(folder / "part", gallery) == ["first.py", "second.py"]
    assert upstream.scripts(folder, gallery) == []


def test_a_script_that_ran_is_done_until_it_changes(
    stock: Callable[..., SphinxTestApp],
) -> None:
    app = stock(filename_pattern="first")
    gallery = app.config.sphinx_gallery_conf
    script = app.srcdir / "gallery/part/first.py"
    target = app.srcdir / "pages/part/first.py"

    assert upstream.is_run(script, gallery)
    assert not upstream.is_run(script.with_name("second.py"), gallery)
    assert upstream.is_done(script, target)
    script.write_text(script.read_text() + "# changed\n")
    assert not upstream.is_done(script, target)


def test_a_file_is_written_under_another_name_first() -> None:
    for function in (gen_rst.save_rst_example, gen_rst.generate_file_rst):
        assert f'{upstream.UNFINISHED}"' in inspect.getsource(function)


def test_the_hooks_are_called_as_ranks_needs_them(
    stock: Callable[..., SphinxTestApp], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = []
    monkeypatch.setattr(
        "gallery_run.ranks.argv", lambda conf, names: told.append(names) or []
    )
    monkeypatch.setattr(
        "gallery_run.ranks.reset", lambda conf, name, when: told.append((name, when))
    )

    app = stock()
    start = told.index(("first.py", "before"))
    names, after = told[start + 1 : start + 3]
    upstream.clean_modules(app.config.sphinx_gallery_conf, "x.py", "after")

    assert after == ("first.py", "after")
    assert Path(names["src_file"]) == app.srcdir / "gallery/part/first.py"
    assert Path(names["target_file"]) == app.srcdir / "pages/part/first.py"
    assert told[-1] == ("x.py", "after")


def test_generating_again_is_what_its_listeners_do(
    stock: Callable[..., SphinxTestApp], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = stock()
    before = files(app)
    shutil.rmtree(app.srcdir / "pages")

    upstream.generate(app)

    assert files(app) == before
    assert gen_gallery.generate_gallery_rst in upstream.GENERATING
