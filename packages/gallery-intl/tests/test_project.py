"""The project: its galleries, its languages, and a catalog for each page."""

from pathlib import Path
from typing import Any, cast

import pytest
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

from gallery_intl.catalogs.po import source_language
from gallery_intl.page import use_a_catalog_for_each_page
from gallery_intl.project import Project, without_markup
from gallery_intl.writer.places import with_origins


def config(**values: Any) -> Config:
    found = Config({}, values)
    found.add("gettext_compact", True, "gettext", {bool, str})
    for name in ("gallery_intl_languages", "sphinx_gallery_conf"):
        found.add(name, {}, "", dict)
    return found


@pytest.mark.parametrize(
    ("galleries", "page", "script"),
    [
        ((["gallery", "more"], ["pages", "pages_more"]), "pages/a/b", "gallery/a/b.py"),
        ((["gallery", "more"], ["pages", "pages_more"]), "pages_more/b", "more/b.py"),
        (("./gallery/", "pages/"), "pages/b", "gallery/b.py"),
        (("/site/gallery", "pages"), "pages/b", "gallery/b.py"),
    ],
)
def test_a_page_knows_its_script(galleries: Any, page: str, script: str) -> None:
    conf = dict(zip(("examples_dirs", "gallery_dirs"), galleries, strict=True))
    project = Project(Path("/site"), config(sphinx_gallery_conf=conf))

    assert project.origin(page, ".py") == Path("/site", script)
    assert project.origin("other/b", ".py") is None


def test_a_warning_about_a_whole_page_names_its_script(tmp_path: Path) -> None:
    target = tmp_path / "written"
    for path in (tmp_path / "pages/a.py", target / "pages/a.rst", target / "b.rst"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('"""A"""\n', encoding="utf-8")
    conf = {"examples_dirs": "gallery", "gallery_dirs": "pages"}
    project = Project(tmp_path, config(sphinx_gallery_conf=conf))
    said = "%s: WARNING: document isn't included in any toctree [toc.not_included]\n"
    pages = (target / "pages/a.rst", target / "b.rst")

    shown = with_origins("".join(said % x for x in pages), project, target, "en")

    first, second = shown.splitlines()
    assert first.startswith(f"{tmp_path}/gallery/a.py:1: WARNING")
    assert second.startswith(f"{tmp_path}/b.rst:1: WARNING")
    assert "toctree (add its name to an index.rst) [toc" in first


def test_a_page_without_a_script_has_a_title_too(tmp_path: Path) -> None:
    about = ".. _top:\n\nAbout ``it``\n============\n\nMore\n----\n"
    (tmp_path / "about.rst").write_text(about, encoding="utf-8")
    project = Project(tmp_path, config())

    assert project.title("about", "en") == "About it"
    assert project.title("lost", "en") is None


def test_a_catalog_for_all_pages_is_refused_with_a_remedy() -> None:
    app, known = cast(Sphinx, None), config()
    use_a_catalog_for_each_page(app, known)
    assert known.gettext_compact is False

    with pytest.raises(ConfigError, match=r"gettext_compact: 'docs'.*delete the line"):
        use_a_catalog_for_each_page(app, config(gettext_compact="docs"))


def test_the_first_language_of_a_site_is_that_of_its_pages() -> None:
    languages = {"de": "Deutsch", "en": "English"}

    assert source_language(config(gallery_intl_languages=languages)) == "de"
    assert source_language(Config({}, {"language": "de"})) == "en"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("``X``\\ 로 *감싸* **는**", "X로 감싸 는"),
        (":doc:`the page </a>`, `a link <https://a.org>`__", "the page, a link"),
        ("2 * 3 * 4 and a_b", "2 * 3 * 4 and a_b"),
    ],
)
def test_a_card_shows_no_markup(text: str, shown: str) -> None:
    assert without_markup(text) == shown
