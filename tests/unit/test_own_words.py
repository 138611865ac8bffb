"""Our own words come translated; a project may have others, or more languages."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from gettext import NullTranslations
from pathlib import Path
from types import SimpleNamespace

import pytest
from paths import PROJECT

from gallery_intl import locale
from gallery_intl.__main__ import set_apart
from gallery_intl.catalogs import po
from gallery_intl.catalogs.own import path_of
from gallery_intl.interface import own_words

SHIPPED = ("ko", "zh_CN", "ja")


@pytest.fixture(autouse=True)
def english_after() -> Iterator[None]:
    yield
    locale.use(NullTranslations())


def load(source: Path, language: str) -> None:
    config = SimpleNamespace(language=language, locale_dirs=["locales"])
    own_words.load(SimpleNamespace(srcdir=source), config)


def write(source: Path, language: str, msgid: str, msgstr: str) -> None:
    path = po.po_path(source / "locales", language, po.DOMAIN)
    path.parent.mkdir(parents=True)
    path.write_text(f'msgid "{msgid}"\nmsgstr "{msgstr}"\n', encoding="utf-8")


@pytest.mark.parametrize("language", SHIPPED)
def test_every_word_is_translated(language: str) -> None:
    english = po.translations(path_of("en"))

    assert po.translations(path_of(language)).keys() == english.keys()
    assert len(english) > 30


def test_a_project_has_them_without_any_catalog(tmp_path: Path) -> None:
    for language in ("ko", "ko_KR"):
        load(tmp_path, language)
        assert locale._("Download") == "내려받기"
    load(tmp_path, "fr")
    assert locale._("Download") == "Download"


def test_a_project_may_have_other_words_and_more_languages(tmp_path: Path) -> None:
    write(tmp_path, "ko", "Download", "다운로드")
    write(tmp_path, "fr", "Download", "Télécharger")

    load(tmp_path, "ko")
    assert [locale._("Download"), locale._("Language")] == ["다운로드", "언어"]
    load(tmp_path, "fr")
    assert [locale._("Download"), locale._("Language")] == ["Télécharger", "Language"]


@pytest.mark.parametrize(
    ("languages", "own", "translates"),
    [
        (["en", "ko", "ja"], "", False),  # they come translated
        (["en", "ko", "fr"], "", True),
        (["en", "ko"], "ko", True),  # with other words
    ],
)
def test_a_project_translates_them_where_it_has_to_or_wants_to(
    tmp_path: Path, languages: list[str], own: str, translates: bool
) -> None:
    templates = tmp_path / "templates"
    templates.mkdir()
    template = templates / f"{po.DOMAIN}.pot"
    template.touch()
    if own:
        write(tmp_path, own, "Download", "다운로드")

    apart = set_apart(templates, tmp_path / "locales", languages, [])

    assert template.is_file() == translates
    assert (apart / template.name).is_file() != translates


def test_no_message_is_inside_an_f_string() -> None:
    """Babel finds none there before Python 3.12."""
    names = ("packages/gallery-intl/gallery_intl", "gallery_run", "gallery_site")
    paths = [path for name in names for path in (PROJECT / name).rglob("*.py")]
    lost = [
        (path.name, node.lineno)
        for path in paths
        for string in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(string, ast.JoinedStr)
        for node in ast.walk(string)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "_"
        and isinstance(node.args[0], ast.Constant)
    ]

    assert lost == []
