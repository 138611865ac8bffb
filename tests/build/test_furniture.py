"""The small facts that a page shows around its text."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from jinja2 import Environment
from jinja2.ext import i18n
from paths import PROJECT
from sphinx.errors import ConfigError
from sphinx.testing.util import SphinxTestApp

from gallery_intl.interface.languages import find_siblings, language_links
from gallery_intl.interface.words import (
    messages_of_ours,
    messages_of_packages,
    messages_of_sphinx,
)
from gallery_intl.page import catalog_links
from gallery_intl.page.cards import listed
from gallery_intl.text.sentences import SENTENCE
from gallery_run.furniture import running_time

INTL = [PROJECT / "gallery_intl"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("One. Two.", "One."),
        ("Uses 0.5 of it. Two.", "Uses 0.5 of it."),
        ("하나입니다. 둘입니다.", "하나입니다."),
        ("一个句子。第二句。", "一个句子。"),
        ("一つの文です。二つ目です。", "一つの文です。"),
        ("No end", "No end"),
        ("", ""),
    ],
)
def test_a_card_shows_the_first_sentence(text: str, sentence: str) -> None:
    found = SENTENCE.match(text)
    assert found
    assert found[0] == sentence


def test_the_pages_of_a_part_are_read_from_its_index() -> None:
    index = "Part\n====\n\n.. gallery::\n   :no-toctree:\n\n   one\n   two\n\nEnd.\n"

    assert listed(index) == ["one", "two"]
    assert listed("Part\n====\n") == []


def test_a_running_time_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    page = tmp_path / "page.rst"
    assert running_time(page) is None

    cost = tmp_path / "page.cost.json"
    cost.write_text('{"time": 1.5, "memory": 0}', encoding="utf-8")
    assert running_time(page) == 1.5

    cost.write_text('{"ti', encoding="utf-8")
    assert running_time(page) is None


def test_the_links_to_other_languages_are_relative_and_marked() -> None:
    languages = {"en": "English", "zh_CN": "简体中文"}

    links = language_links(languages, "zh_CN", "../../", "part/page.html")

    assert [link.href for link in links] == [
        "../../../en/part/page.html",
        "../../../zh_CN/part/page.html",
    ]
    assert [link.tag for link in links] == ["en", "zh-CN"]
    assert [link.current for link in links] == [False, True]


@pytest.mark.parametrize(
    ("siblings", "href"),
    [
        ("../../{language}/docs/", "../../../ko/docs/a.html"),
        ("https://a.org/{language}/", "https://a.org/ko/a.html"),
        ("/{language}/", "/ko/a.html"),
    ],
)
def test_a_setting_says_where_the_other_languages_are(siblings: str, href: str) -> None:
    (link,) = language_links({"ko": "한국어"}, "en", "../", "a.html", siblings)

    assert link.href == href


@pytest.mark.parametrize(
    ("current", "language", "href"),
    [
        ("en", "ko", "../ko/a.html"),
        ("ko", "en", "../../a.html"),
        ("ko", "zh_CN", "../../zh-cn/latest/a.html"),
        ("zh_CN", "ko", "../../../ko/a.html"),
        ("ko", "ja", "https://ja.example.org/a.html"),
    ],
)
def test_each_language_may_have_a_place_of_its_own(
    current: str, language: str, href: str
) -> None:
    """As where the source is at the root, or Read the Docs names folders its way."""
    places = {
        "en": "",
        "ko": "ko",
        "zh_CN": "zh-cn/latest/",
        "ja": "https://ja.example.org",
    }

    (link,) = language_links({language: ""}, current, "../", "a.html", places)

    assert link.href == href


def test_a_language_without_a_place_is_refused() -> None:
    config = SimpleNamespace(
        gallery_intl_siblings={"en": ""},
        gallery_intl_languages={"en": "English", "ko": "한국어"},
    )

    with pytest.raises(ConfigError, match="no place for ko"):
        find_siblings(SimpleNamespace(), config)


@pytest.mark.parametrize(
    ("given", "folder", "resolved"),
    [
        (None, "ko", "../{language}/"),
        (None, "out", ""),
        ("", "ko", ""),
        ("/{language}/", "out", "/{language}/"),
    ],
)
def test_without_it_the_output_folder_says_it(
    given: str | None, folder: str, resolved: str
) -> None:
    languages = {"en": "English", "ko": "한국어"}
    config = SimpleNamespace(
        language="ko", gallery_intl_languages=languages, gallery_intl_siblings=given
    )

    find_siblings(SimpleNamespace(outdir=Path(folder)), config)

    assert config.gallery_intl_siblings == resolved


def test_one_address_for_all_languages_is_refused() -> None:
    config = SimpleNamespace(gallery_intl_siblings="../other/")

    with pytest.raises(ConfigError, match="is the same for all languages"):
        find_siblings(SimpleNamespace(), config)


def test_the_interface_catalog_has_what_sphinx_shows_on_pages() -> None:
    """Whatever the languages are: a new one changes no catalog of the others."""
    places = dict(messages_of_sphinx())

    assert places["Link to this heading"] == "writers/html5.py"
    assert places["Warning"] == "locale/__init__.py"
    assert places["Search"].startswith("themes/basic/")
    unseen = {
        "Could not obtain image size. :scale: option is ignored.",  # in a log
        "Any IDs not assigned for %s node",
        "unsupported rubric heading level: %s",
        "C API changes",  # by another builder
        "Welcome! This is",  # by no builder
    }
    assert not unseen & {*places}


def test_the_interface_catalog_has_the_words_of_this_package() -> None:
    words = {message for message, _ in messages_of_ours(Environment(extensions=[i18n]))}

    assert {"Download", "Copied!", "Out:", "Language"} <= words


def test_the_words_of_a_module_come_in_the_order_of_its_lines() -> None:
    source = Path(catalog_links.__file__).read_text(encoding="utf-8")
    words = [text for text, where in messages_of_packages(INTL) if "links" in where]

    assert len(words) > 4
    assert words == sorted(words, key=lambda word: source.index(f'_("{word}")'))


EXTENSIONS = ["sphinx_gallery.gen_gallery", "gallery_intl"]
BINDER = {
    "org": "org",
    "repo": "repo",
    "branch": "main",
    "binderhub_url": "https://mybinder.org",
    "dependencies": ["requirements.txt"],
}
FOOTER = """\
All
===

.. container:: sphx-glr-footer sphx-glr-footer-gallery

   .. container:: sphx-glr-download sphx-glr-download-python

      :download:`Download all examples as source code: all_python.zip <all_python.zip>`

   .. container:: sphx-glr-download sphx-glr-download-python

      :download:`Download C++ source code: page.cpp <page.cpp>`

   .. container:: sphx-glr-download sphx-glr-download-zip

      :download:`What nobody knows: page.zip <page.zip>`
"""


@pytest.mark.sphinx(
    "html",
    testroot="downloads",
    confoverrides={"extensions": EXTENSIONS, "language": "th"},
)
def test_links_have_their_words_where_no_script_is(app: SphinxTestApp) -> None:
    Path(app.srcdir, "all.rst").write_text(f":orphan:\n\n{FOOTER}", encoding="utf-8")
    for name in ("all_python.zip", "page.cpp", "page.zip"):
        Path(app.srcdir, name).touch()

    app.build()

    page = BeautifulSoup((app.outdir / "all.html").read_bytes(), "html.parser")
    links = [link.get_text() for link in page.select(".sphx-glr-download a")]
    assert links == [
        "Download all examples as source code: all_python.zip",
        "Download C++ source code: page.cpp",
        "What nobody knows: page.zip",
    ]
    # Sphinx has no words for scripts in this language
    assert len(page.select("script[src*='_static/translations.js']")) == 1
    words = (app.outdir / "_static/translations.js").read_text("utf-8")
    assert json.dumps({"Searching": "กำลังค้นหา"})[1:-1] in words


@pytest.mark.sphinx(
    "html",
    testroot="downloads",
    confoverrides={"extensions": EXTENSIONS, "sphinx_gallery_conf.binder": BINDER},
)
def test_the_footer_keeps_the_badge_of_binder(app: SphinxTestApp) -> None:
    Path(app.srcdir, "requirements.txt").touch()

    app.build()

    html = (app.outdir / "tutorials/part/page.html").read_bytes()
    footer = BeautifulSoup(html, "html.parser").select_one(".sphx-glr-footer")
    assert footer
    badge = footer.select_one(".binder-badge a")
    assert badge
    assert str(badge["href"]).startswith("https://mybinder.org/v2/gh/org/repo/main")
    assert badge.select("img[alt='Launch binder']")
    assert len(footer.select(".sphx-glr-download a")) == 3
