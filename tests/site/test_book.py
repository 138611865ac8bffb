"""The lessons are one book: words lead to sentences, names to lessons, lessons on."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from bs4 import BeautifulSoup
from made import html
from paths import PROJECT
from readers import LANGUAGES, each_language

from gallery_site.book.words import term_id
from po_check_cjk.glossary_file import read_rows


@pytest.fixture(scope="module")
def lessons(site: Path) -> dict[str, dict[str, BeautifulSoup]]:
    found = {}
    for language in LANGUAGES:
        pages = sorted((site / language / "tutorials").glob("*/*.html"))
        paths = [path for path in pages if path.stem != "index"]
        found[language] = {
            path.relative_to(site / language).as_posix(): html(path) for path in paths
        }
    return found


def targets(page: BeautifulSoup, place: str, address: str) -> list[str]:
    """Give the pages that links lead to, seen from the folder of the language."""
    folder = Path(address).parent
    links = (urldefrag(str(link["href"]))[0] for link in page.select(f"{place} a"))
    here = Path.cwd()
    return [
        (here / folder / unquote(link)).resolve().relative_to(here).as_posix()
        for link in links
    ]


@pytest.mark.translated
@each_language
def test_a_word_leads_to_its_sentence(
    site: Path, lessons: dict[str, dict[str, BeautifulSoup]], language: str
) -> None:
    words = html(site / language / "words.html")
    known = {str(term["id"]): term for term in words.select("dl.words dt")}
    told = words.select("dl.words dd > p:first-child")
    sentences = [text.get_text(strip=True).replace("\u2060", "") for text in told]
    assert len(known) == len(sentences) > 80
    means = dict(zip(known, sentences, strict=True))

    for address, lesson in lessons[language].items():
        links = [urldefrag(str(x["href"])) for x in lesson.select("a.word")]

        assert len(links) >= 5, f"{address}: use five terms of locales/glossary.csv"
        assert {page for page, _term in links} == {"../../words.html"}
        terms = [term for _page, term in links]
        assert len({*terms}) == len(terms), address
        assert {*terms} <= known.keys(), address
        shown = [str(x["title"]) for x in lesson.select("a.word")]
        assert shown == [means[term] for term in terms], address


@each_language
def test_a_lesson_has_no_link_where_a_word_means_something_else(
    lessons: dict[str, dict[str, BeautifulSoup]], language: str
) -> None:
    rows = read_rows(PROJECT / "locales/glossary.csv")
    unlinked = [(page, term_id(x)) for x in rows for page in x["unlinked"].split()]
    assert len(unlinked) > 10

    for page, term in unlinked:
        lesson = lessons[language][f"tutorials/{page}.html"]
        links = [urldefrag(str(x["href"]))[1] for x in lesson.select("a.word")]
        assert term not in links, page


@each_language
def test_a_linked_word_is_the_term(
    site: Path, lessons: dict[str, dict[str, BeautifulSoup]], language: str
) -> None:
    words = html(site / language / "words.html")
    names = {
        str(term["id"]): (term.contents[0] if term.contents else "")
        for term in words.select("dl.words dt")
    }

    same = total = 0
    for lesson in lessons[language].values():
        for link in lesson.select("a.word"):
            name = str(names[urldefrag(str(link["href"]))[1]]).strip().lower()
            total += 1
            same += link.get_text().lower().replace(" ", "")[:2] == name[:2]

    assert same > 0.85 * total  # a term may have two words in the glossary


@each_language
def test_each_documented_name_leads_to_the_lessons_that_use_it(
    site: Path, lessons: dict[str, dict[str, BeautifulSoup]], language: str
) -> None:
    page = html(site / language / "names.html")
    entries = list(
        zip(page.select("dl.names dt"), page.select("dl.names dd"), strict=True)
    )
    assert len(entries) > 90

    code = {
        address: "".join(block.get_text() for block in lesson.select("pre"))
        for address, lesson in lessons[language].items()
    }

    listed = set()
    for name, users in entries:
        assert str(name.select_one("a")["href"]).startswith("https://docs.pytorch.org/")
        for address in targets(users, "p", "names.html"):
            assert name.get_text() in code[address], (address, name.get_text())
            listed.add(address)
    assert listed == {*lessons[language]}
