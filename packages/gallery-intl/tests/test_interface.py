"""Words of menus and buttons, links between languages, and what they lean on."""

import gettext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sphinx
from babel.messages.pofile import read_po
from jinja2 import Environment
from jinja2.ext import i18n
from sphinx.errors import ConfigError

from gallery_intl import locale
from gallery_intl.__main__ import set_apart
from gallery_intl.catalogs import po
from gallery_intl.catalogs.own import PACKAGE, path_of, use_words
from gallery_intl.interface import upstream
from gallery_intl.interface.languages import find_siblings, language_links
from gallery_intl.interface.words import (
    messages_of_ours,
    messages_of_packages,
    messages_of_sphinx,
)

STATIC = Path(sphinx.__file__).parent / "themes" / "basic" / "static"


# links between languages


def test_links_to_other_languages_are_relative_and_marked() -> None:
    languages = {"en": "English", "zh_CN": "简体中文"}

    links = language_links(languages, "zh_CN", "../../", "part/page.html")

    assert [(link.tag, link.href, link.current) for link in links] == [
        ("en", "../../../en/part/page.html", False),
        ("zh-CN", "../../../zh_CN/part/page.html", True),
    ]


PLACES = {
    "en": "",
    "ko": "ko",
    "zh_CN": "zh-cn/latest/",
    "ja": "https://ja.example.org",
}


@pytest.mark.parametrize(
    ("siblings", "current", "language", "href"),
    [
        ("../../{language}/docs/", "en", "ko", "../../../ko/docs/a.html"),
        ("https://a.org/{language}/", "en", "ko", "https://a.org/ko/a.html"),
        ("/{language}/", "en", "ko", "/ko/a.html"),
        (PLACES, "en", "ko", "../ko/a.html"),
        (PLACES, "ko", "en", "../../a.html"),
        (PLACES, "zh_CN", "ko", "../../../ko/a.html"),
        (PLACES, "ko", "ja", "https://ja.example.org/a.html"),
    ],
)
def test_a_setting_gives_the_place_of_each_language(
    siblings: str | dict[str, str], current: str, language: str, href: str
) -> None:
    """As where the source is at the root, or Read the Docs names folders its way."""
    (link,) = language_links({language: ""}, current, "../", "a.html", siblings)

    assert link.href == href


def resolved(given: object, folder: str = "ko") -> object:
    languages = {"en": "English", "ko": "한국어"}
    config: Any = SimpleNamespace(
        language="ko", gallery_intl_languages=languages, gallery_intl_siblings=given
    )
    app: Any = SimpleNamespace(outdir=Path(folder))
    find_siblings(app, config)
    return config.gallery_intl_siblings


def test_without_it_the_output_folder_gives_the_place() -> None:
    assert resolved(None) == "../{language}/"
    assert resolved(None, folder="out") == ""
    assert resolved("") == ""
    assert resolved("/{language}/", folder="out") == "/{language}/"


def test_places_that_lack_a_language_are_refused() -> None:
    with pytest.raises(ConfigError, match="no place for ko"):
        resolved({"en": ""})
    with pytest.raises(ConfigError, match="is the same for all languages"):
        resolved("../other/")


# words


def test_the_package_brings_all_its_words_in_its_languages() -> None:
    words = {text for text, _ in messages_of_ours(Environment(extensions=[i18n]))}

    assert {"Download", "Copied!", "Go to the end", "Language"} <= words
    for language in ("ko", "zh_CN", "ja"):
        assert po.translations(path_of(language)).keys() == words


def test_every_word_is_written_where_it_is_found() -> None:
    """In an f-string it would be in no catalog."""
    code = "".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))

    assert "{_(" not in code
    found = [text for text, _place in messages_of_packages([PACKAGE])]
    assert len(found) > 30


def write(source: Path, language: str, msgid: str, msgstr: str) -> None:
    path = po.po_path(source / "locales", language, po.DOMAIN)
    path.parent.mkdir(parents=True)
    path.write_text(f'msgid "{msgid}"\nmsgstr "{msgstr}"\n', encoding="utf-8")


def test_a_project_may_have_other_words_and_more_languages(tmp_path: Path) -> None:
    write(tmp_path, "ko", "Download", "다운로드")
    write(tmp_path, "fr", "Download", "Télécharger")

    use_words([tmp_path / "locales"], "ko_KR")
    assert [locale._("Download"), locale._("Language")] == ["다운로드", "언어"]
    use_words([tmp_path / "locales"], "fr")
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


# what it takes from others: the installed versions still do it so


def test_sphinx_has_its_words_where_they_are_looked_for() -> None:
    with (upstream.SPHINX_LOCALE / "sphinx.pot").open(encoding="utf-8") as file:
        places = {place for message in read_po(file) for place, _ in message.locations}
    french = gettext.translation("sphinx", upstream.SPHINX_LOCALE, ["fr"])

    assert french.gettext("Search") == "Recherche"
    for place in ("themes/basic/", *upstream.MODULES_OF_SPHINX, *upstream.UNSEEN):
        assert any(known.startswith(place) for known in places), place


def test_a_search_ends_with_these_words() -> None:
    script = (STATIC / "searchtools.js").read_text(encoding="utf-8")
    doctools = (STATIC / "doctools.js").read_text(encoding="utf-8")

    for text in upstream.SEARCH_ENDS:
        assert f'"{text}"' in script
    scripts = {text for text, where in messages_of_sphinx() if where.endswith(".js")}
    assert scripts == {*upstream.SCRIPT_WORDS}
    assert "Documentation.ngettext(" in script
    for name in ("TRANSLATIONS", "PLURAL_EXPR"):
        assert f"  {name}: " in doctools


def test_the_copy_button_has_these_words_in_a_table() -> None:
    button = pytest.importorskip("sphinx_copybutton")
    path = Path(button.__file__).parent / "_static" / "copybutton.js_t"
    script = path.read_text(encoding="utf-8")

    for key, text in upstream.COPY_BUTTON.items():
        assert f"'{key}': '{text}'" in script
    # gallery_intl.js changes these
    for name in ("const messages = {", "let locale = ", "let iconCheck = "):
        assert script.count(name) == 1
    for key in ("copy_success", "copy_to_clipboard"):
        assert f"<title>${{messages[locale]['{key}']}}</title>" in script
    assert "data-tooltip=\"${messages[locale]['copy']}\"" in script


def test_a_script_keeps_its_own_strings_until_there_are_ours() -> None:
    assert upstream.copy_strings(str) == {}
    assert not upstream.search_ends(str)["ours"]
    assert upstream.copy_strings(str.upper)["copy_success"] == "COPIED!"
    assert upstream.search_ends(str.upper)["ours"]
