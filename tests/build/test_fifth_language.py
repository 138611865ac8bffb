"""A new language is one line in conf.py and one command.

The small site gets two: French has two plurals, Russian three.
"""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from commands import SmallSite, edit
from made import html

from gallery_intl.catalogs import po as catalogs
from gallery_intl.interface.words import fill_from_sphinx

PAGE = "tutorials/part/page"
NAMES = {"en": "English", "ko": "한국어", "fr": "Français", "ru": "Русский"}
LINE = '"ko": "한국어"'
NEW = ["fr", "ru"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> SmallSite:
    """The small site in four languages; one paragraph of French is translated."""
    site = SmallSite(tmp_path_factory.mktemp("fifth") / "site")
    added = "".join(f', "{language}": "{NAMES[language]}"' for language in NEW)
    edit(site.source / "conf.py", LINE, LINE + added)
    site.make("catalogs")
    catalog = catalogs.read(site.po(PAGE, "fr"))
    catalog.find("One paragraph.").msgstr = "Un alinéa."
    catalogs.write(site.po(PAGE, "fr"), catalog)
    site.make("html")
    return site


@pytest.mark.parametrize("language", NEW)
def test_it_has_every_catalog_and_every_page(site: SmallSite, language: str) -> None:
    def names(paths: list[Path], parent: Path) -> list[str]:
        return [path.relative_to(parent).as_posix() for path in paths]

    for folder, pattern in (("locales", "*.po"), ("_build/html", "*.html")):
        own, english = (site.source / folder / name for name in (language, "en"))
        found = names(sorted(own.rglob(pattern)), own)
        assert found == names(sorted(english.rglob(pattern)), english)


@pytest.mark.parametrize("language", NAMES)
def test_every_language_offers_all_the_others(site: SmallSite, language: str) -> None:
    links = site.page(language, PAGE).select_one(".language-menu").select("a")

    assert [(a["lang"], a.text) for a in links] == list(NAMES.items())
    offered = html(site.html / "index.html").select("main li")
    assert [li["lang"] for li in offered] == list(NAMES)


def prose(page: BeautifulSoup) -> list[Tag]:
    """The titles and paragraphs that come from the page's catalog."""
    return [
        node
        for node in page.article.select("h1, h2, section > p")
        if not {"intl-gaps", "outputs-made"} & {*node.get("class", [])}
    ]


@pytest.mark.parametrize("language", NEW)
def test_what_is_not_translated_is_english_and_marked(
    site: SmallSite, language: str
) -> None:
    page = site.page(language, PAGE)
    done = {"fr": ["Un alinéa."], "ru": []}[language]

    texts = {node.get_text().rstrip("#"): node for node in prose(page)}
    assert len(texts) == 4
    for text, node in texts.items():
        assert node.get("lang") == (None if text in done else "en"), text
    note = page.select_one(".intl-gaps").get_text()
    assert note.startswith("20 %" if done else "0 %")
    card = site.page(language, "tutorials/part/index").select_one(".intl-card")
    for part in (".intl-card-title", ".intl-card-text"):
        assert card.select_one(part)["lang"] == "en"


def test_the_commands_know_it(site: SmallSite) -> None:
    heading, *rows = site.make("progress").splitlines()
    check = site.run("check")

    assert heading.split() == list(NAMES)
    page = next(row for row in rows if row.startswith(PAGE))
    assert " ".join(page.split()).endswith("20 % (14 words) 0 % (16 words)")
    for language in NEW:
        assert f"{language}: " in check.stderr
    assert "locales/" not in site.make("catalogs")


def test_the_other_languages_get_sphinxs_words_for_nothing(tmp_path: Path) -> None:
    """The template grows by what Sphinx lacks in Arabic, and has in Japanese."""
    path = tmp_path / "sphinx.po"
    path.write_text(
        'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
        'msgid "Index"\nmsgstr ""\n\n'
        'msgid "Search"\nmsgstr "찾기"\n\n'
        'msgid "C API changes"\nmsgstr ""\n\n'
        'msgid "Not of Sphinx"\nmsgstr ""\n',
        encoding="utf-8",
    )

    assert fill_from_sphinx(path, "ja")
    assert not fill_from_sphinx(path, "ja")

    words = catalogs.translations(path)
    assert words == {
        "Index": "索引",
        "Search": "찾기",
        "C API changes": "C API に関する変更",
    }
