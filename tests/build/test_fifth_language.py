"""A new language is one line in conf.py and one command.

The small site gets two: Arabic runs from right to left, Russian has three plurals.
"""

import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import unquote, urlsplit

import prepared
import pytest
from bs4 import BeautifulSoup, Tag
from paths import ROOTS

from gallery_intl.catalogs import po as catalogs
from gallery_intl.interface.direction import directed, runs_right_to_left
from gallery_intl.interface.upstream import with_copy_words, with_search_words
from gallery_intl.interface.words import fill_from_sphinx

PAGE = "tutorials/part/page"
NAMES = {"en": "English", "ko": "한국어", "ar": "العربية", "ru": "Русский"}
LINE = '"ko": "한국어"'
NEW = ["ar", "ru"]


class Site:
    """The small site, in a folder of its own."""

    def __init__(self, source: Path) -> None:
        self.source = source

    def make(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        own = {"RUNS": str(self.source.parent / "runs")}
        command = ("gallery_site", "--source", self.source)
        result = prepared.run(*command, *arguments, env=own)
        assert result.returncode == 0, result.stdout + result.stderr
        return result

    def po(self, language: str, page: str = PAGE) -> Path:
        return catalogs.po_path(self.source / "locales", language, page)

    def pages(self, language: str) -> list[Path]:
        folder = self.source / "_build/html" / language
        found = sorted(folder.rglob("*.html"))
        return [path for path in found if "_static" not in path.parts]

    def page(self, language: str, name: str = PAGE) -> BeautifulSoup:
        path = self.source / "_build/html" / language / f"{name}.html"
        return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The small site in four languages; of Arabic, one paragraph is translated."""
    folder = tmp_path_factory.mktemp("fifth")
    shutil.copytree(ROOTS / "test-site", folder / "site")
    site = Site(folder / "site")
    conf = site.source / "conf.py"
    added = "".join(f', "{language}": "{NAMES[language]}"' for language in NEW)
    text = conf.read_text(encoding="utf-8")
    assert LINE in text
    conf.write_text(text.replace(LINE, LINE + added), encoding="utf-8")
    site.make("catalogs")
    catalog = catalogs.read(site.po("ar"))
    catalog.find("One paragraph.").msgstr = "فقرة واحدة."
    catalogs.write(site.po("ar"), catalog)
    site.make("html")
    return site


@pytest.mark.parametrize("language", NEW)
def test_it_has_every_catalog_and_every_page(site: Site, language: str) -> None:
    def names(paths: list[Path], parent: Path) -> list[str]:
        return [path.relative_to(parent).as_posix() for path in paths]

    for folder, pattern in (("locales", "*.po"), ("_build/html", "*.html")):
        own, english = (site.source / folder / name for name in (language, "en"))
        found = names(sorted(own.rglob(pattern)), own)
        assert found == names(sorted(english.rglob(pattern)), english)


def test_its_pages_say_language_and_direction(site: Site) -> None:
    found = {
        (language, str(page.html.get("lang")), page.html.get("dir"))
        for language in NAMES
        for page in (
            BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
            for path in site.pages(language)
        )
    }

    assert found == {
        *{("en", "en", None), ("ko", "ko", None)},
        *{("ar", "ar", "rtl"), ("ru", "ru", None)},
    }


@pytest.mark.parametrize("language", NAMES)
def test_every_language_offers_all_the_others(site: Site, language: str) -> None:
    links = site.page(language).select_one(".language-menu").select("a")

    assert [(a["lang"], a.text) for a in links] == list(NAMES.items())
    front = BeautifulSoup(
        (site.source / "_build/html/index.html").read_text(encoding="utf-8"),
        "html.parser",
    )
    offered = front.select("main li")
    assert [li["lang"] for li in offered] == list(NAMES)
    assert {li["dir"] for li in offered} == {"auto"}


def prose(page: BeautifulSoup) -> list[Tag]:
    """The titles and paragraphs that come from the page's catalog."""
    return [
        node
        for node in page.article.select("h1, h2, section > p")
        if not {"intl-gaps", "outputs-made"} & {*node.get("class", [])}
    ]


@pytest.mark.parametrize(("language", "direction"), [("ar", "ltr"), ("ru", None)])
def test_what_is_not_translated_is_english_and_says_so(
    site: Site, language: str, direction: str | None
) -> None:
    page = site.page(language)
    done = {"ar": ["فقرة واحدة."], "ru": []}[language]

    texts = {node.get_text().rstrip("#"): node for node in prose(page)}
    assert len(texts) == 4
    for text, node in texts.items():
        marked = (node.get("lang"), node.get("dir"))
        assert marked == ((None, None) if text in done else ("en", direction)), text
    note = page.select_one(".intl-gaps").get_text()
    assert note.startswith("20 %" if done else "0 %")
    card = site.page(language, "tutorials/part/index").select_one(".intl-card")
    for part in (".intl-card-title", ".intl-card-text"):
        assert card.select_one(part)["lang"] == "en"


def test_code_runs_from_left_to_right_in_any_language(site: Site) -> None:
    css = site.source / "_build/html/ar/_static/gallery_intl.css"

    rule = '[dir="rtl"] :is(pre, code, kbd, samp) { direction: ltr;'
    assert rule in css.read_text(encoding="utf-8")


def test_the_commands_know_it(site: Site) -> None:
    heading, *rows = site.make("progress").stdout.splitlines()
    check = site.make("check")

    assert heading.split() == list(NAMES)
    page = next(row for row in rows if row.startswith(PAGE))
    assert " ".join(page.split()).endswith("20 % (14 words) 0 % (16 words)")
    for language in NEW:
        assert f"{language}: " in check.stderr
    again = site.make("catalogs")
    assert "locales/" not in again.stdout


def test_every_link_leads_somewhere_in_every_language(site: Site) -> None:
    """From each page to its siblings, its files and its sections."""
    paths = [path for language in NAMES for path in site.pages(language)]
    pages = {
        path: BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        for path in paths
    }
    broken = []
    for path, page in pages.items():
        # not the theme's credit: its own Russian words have a broken link
        kinds = "a[href]:not(.theme-version a), link[href], script[src], img[src]"
        for node in page.select(kinds):
            link = urlsplit(str(node.get("href") or node.get("src")))
            if link.scheme or link.netloc:
                continue
            target = (path.parent / unquote(link.path)).resolve() if link.path else path
            name = unquote(link.fragment)
            anchored = not name or pages[target].find(id=name) is not None
            if not target.is_file() or not anchored:
                broken.append(f"{path}: {node.get('href')}")

    assert broken == []
    assert len(pages) > len(NAMES) * 3


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        *[("ar", True), ("fa", True), ("he_IL", True)],
        *[("ko", False), ("zh_CN", False), ("sr@latin", False), ("xx", False)],
    ],
)
def test_a_direction_is_known_of_every_language(language: str, expected: bool) -> None:
    assert runs_right_to_left(language) is expected


def test_directions_are_said_once() -> None:
    page = (
        '<html lang="ar" >\n<p lang="en">One</p><a hreflang="en" lang="en">English</a>'
    )

    once = directed(page)

    assert once.startswith('<html lang="ar" dir="rtl" >\n<p lang="en" dir="ltr">')
    assert once.endswith('<a hreflang="en" lang="en">English</a>')
    assert directed(once) == once


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


def test_a_button_keeps_its_own_words_until_there_are_ours() -> None:
    script = with_copy_words("const messages = {}\nlet locale = 'en'\n", str)

    own = "messages[document.documentElement.lang]"
    added = script.splitlines()[1]
    assert added == f"{own} = {{ ...messages.en, ...{own}, ...{{}} }}"


def test_a_search_keeps_sphinxs_words_until_there_are_ours() -> None:
    script = with_search_words("Sphinx's", str)

    condition = "\nif (false || !Documentation.TRANSLATIONS["
    assert script.startswith("Sphinx's\n")
    assert condition in script
    # an edited word takes the place of the one before
    edited = with_search_words(script, str.upper)
    assert edited == with_search_words("Sphinx's", str.upper) != script


def test_a_search_is_english_where_sphinx_has_empty_words(site: Site) -> None:
    folder = site.source / "_build/html/ar/_static"
    script = (folder / "translations.js").read_text("utf-8")

    said = re.findall(r'"Searching": "(.*?)"', script)
    assert said == ["", "Searching"]  # the last one is in effect
