"""Lessons as cards, parts as rows of them, and how to begin: a small site."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import polib
import pytest
from bs4 import BeautifulSoup, Tag
from paths import ROOTS
from sphinx.testing.util import SphinxTestApp

Read = Callable[..., Tag]
CARD = ".part .intl-card"


@pytest.fixture
def srcdir(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOTS / "test-lessons", tmp_path / "site"))


@pytest.fixture
def build(make_app: Callable[..., SphinxTestApp], srcdir: Path) -> Read:
    """Build the site and read one of its pages."""

    def build(name: str = "index", language: str = "en", **settings: object) -> Tag:
        values = {"language": language, **settings}
        app = make_app("html", srcdir=srcdir, confoverrides=values)
        app.build()
        build.warnings = app.warning.getvalue()
        text = (app.outdir / f"{name}.html").read_text(encoding="utf-8")
        article = BeautifulSoup(text, "html.parser").article
        assert article
        return article

    return build


def texts(page: Tag, place: str) -> list[str]:
    return [found.get_text() for found in page.select(place)]


def test_a_card_says_its_line_and_what_the_lesson_takes(build: Read) -> None:
    first, second = build().select(CARD)

    assert texts(first, ".intl-card-title a") == ["First: what it is"]
    assert texts(first, ".intl-card-text") == ["A line for the card."]
    assert texts(first, ".card-facts") == ["5 min · 4 ranks"]
    assert texts(second, ".card-facts") == ["5 min · 1 process"]


def test_a_title_breaks_at_its_colon(build: Read) -> None:
    first, second = build().select(CARD)

    assert texts(first, ".intl-half") == ["First:", "what it is"]
    assert texts(second, ".intl-half") == []


def test_a_card_is_translated_and_its_english_is_marked(build: Read) -> None:
    first, second = build(language="ko").select(CARD)

    assert texts(first, ".intl-half") == ["처음:", "무엇인가"]
    assert texts(first, ".intl-card-text") == ["카드에 쓰는 한 줄."]
    assert not first.select(".intl-card-text[lang=en]")
    assert second.select(".intl-card-text[lang=en]")


def test_only_the_line_of_the_card_is_a_message(
    make_app: Callable[..., SphinxTestApp], srcdir: Path
) -> None:
    app = make_app("gettext", srcdir=srcdir)
    app.build()

    template = polib.pofile(str(app.outdir / "tutorials/one/first.pot"))
    messages = {entry.msgid: entry.comment for entry in template}

    assert messages["A line for the card."] == "line of the page's card"
    assert messages["You will know more."] == "what a reader will have done"
    assert messages.keys().isdisjoint({"Card", "Learn", "Picture", "ranks"})


def test_the_fields_of_the_card_are_not_on_the_lesson(build: Read) -> None:
    lesson = build("tutorials/one/first")

    assert "A line for the card." not in lesson.get_text()
    assert "ranks" not in texts(lesson, "dd")
    assert texts(build("tutorials/two/second"), "dl.field-list") == []


def test_a_pictogram_is_defined_once_where_it_is_used(build: Read) -> None:
    page = build()

    used = [use["href"] for use in page.select("use")]
    defined = [f"#{symbol['id']}" for symbol in page.select("symbol")]
    assert used == ["#p-one", "#p-four", "#p-ranks"]
    assert sorted(defined) == sorted(used)
    assert all(svg["aria-hidden"] == "true" for svg in page.select("svg:has(use)"))
    assert "no pictogram 'unknown'" in build.warnings


def test_a_part_is_headed_by_number_name_and_line(build: Read) -> None:
    heads = build().select(".part > .part-head:first-child")

    assert [texts(head, "p, h3") for head in heads] == [
        ["Part 1", "Part named one", "The line of one."],
        ["Part 2", "Part named two", "The line of two."],
    ]


def test_an_answer_leads_to_its_parts_by_their_numbers(build: Read) -> None:
    page = build()

    links = page.select(".answer-parts a")
    assert [link.get_text() for link in links] == ["Part 1", "Part 2 and Part 1"]
    assert [page.select_one(link["href"])["class"] for link in links] == [
        ["intl-cards", "part", "docutils", "container"]
    ] * 2


def test_an_answer_whose_part_is_not_there_leads_nowhere(
    build: Read, srcdir: Path
) -> None:
    path = srcdir / "index.rst"
    path.write_text(path.read_text("utf-8").replace(":parts: two one", ":parts: ten"))

    assert texts(build(), ".answer-parts a") == ["Part 1"]


def test_a_reader_can_type_what_runs_the_lesson_and_get_it(
    build: Read, srcdir: Path
) -> None:
    page = build(language="ko")

    (link,) = page.select(".try-it a[download]")
    script = (srcdir / "_build" / "html" / str(link["href"])).read_text("utf-8")
    assert page.select_one(".try-it pre").get_text().strip().split("\n") == [
        "$ pip install numpy==1.2.3",
        "$ torchrun --standalone --nproc-per-node=4 first.py",
    ]
    assert link.get_text() == "first.py"
    assert "처음: 무엇인가" in script


def test_a_version_is_read_again_when_it_changes(build: Read, srcdir: Path) -> None:
    build()
    (srcdir / "requirements.txt").write_text("numpy==4.5\n", encoding="utf-8")

    assert "numpy==4.5" in build().select_one(".try-it pre").get_text()


def test_a_drawing_has_the_words_of_the_interface(build: Read) -> None:
    figure = build(language="ko").select_one("figure")

    assert figure.svg["aria-label"] == "검색"
    assert figure.figcaption.get_text(strip=True).startswith("What it shows.")


def test_there_is_an_address_to_write_to_or_a_sentence_that_says_so(
    build: Read,
) -> None:
    assert "no public repository yet" in build().get_text()

    url = "https://example.org/owner/name"
    page = build(gallery_repository_url=url)
    assert "no public repository yet" not in page.get_text()
    assert page.select(f"a[href='{url}']")
