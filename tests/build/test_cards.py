"""Lessons as cards, parts as rows of them, and how to begin: a small site."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from bs4 import Tag
from commands import SmallSite, edit

from gallery_intl.catalogs import po as catalogs

CARD = ".part .intl-card"
FIRST = "tutorials/one/first"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> SmallSite:
    site = SmallSite(tmp_path_factory.mktemp("cards") / "site", "test-lessons")
    site.make("catalogs")
    site.make("html")
    return site


@pytest.fixture
def copy(site: SmallSite, tmp_path: Path) -> SmallSite:
    """The site with its catalogs, to be edited and built again."""
    copy = SmallSite(tmp_path / "site", "test-lessons")
    locales = copy.source / "locales"
    shutil.copytree(site.source / "locales", locales, dirs_exist_ok=True)
    return copy


def article(site: SmallSite, language: str = "en", name: str = "index") -> Tag:
    found = site.page(language, name).article
    assert found
    return found


def texts(page: Tag, place: str) -> list[str]:
    return [found.get_text() for found in page.select(place)]


def test_a_card_says_its_line_and_what_the_lesson_takes(site: SmallSite) -> None:
    first, second = article(site).select(CARD)

    assert texts(first, ".intl-card-title a") == ["First: what it is"]
    assert texts(first, ".intl-card-text") == ["A line for the card."]
    assert texts(first, ".card-facts") == ["5 min · 4 ranks"]
    assert texts(second, ".card-facts") == ["5 min · 1 process"]


def test_a_title_breaks_at_its_colon(site: SmallSite) -> None:
    first, second = article(site).select(CARD)

    assert texts(first, ".intl-half") == ["First:", "what it is"]
    assert texts(second, ".intl-half") == []


def test_a_card_is_translated_and_its_english_is_marked(site: SmallSite) -> None:
    first, second = article(site, "ko").select(CARD)

    assert texts(first, ".intl-half") == ["처음:", "무엇인가"]
    assert texts(first, ".intl-card-text") == ["카드에 쓰는 한 줄."]
    assert not first.select(".intl-card-text[lang=en]")
    assert second.select(".intl-card-text[lang=en]")


def test_only_the_line_of_the_card_is_a_message(site: SmallSite) -> None:
    entries = catalogs.read(site.po(FIRST, "en"))
    messages = {entry.msgid: entry.comment for entry in entries}

    assert messages["A line for the card."] == "line of the page's card"
    assert messages["You will know more."] == "what a reader will have done"
    assert messages.keys().isdisjoint({"Card", "Learn", "Picture", "ranks"})


def test_the_fields_of_the_card_are_not_on_the_lesson(site: SmallSite) -> None:
    lesson = article(site, name=FIRST)

    assert "A line for the card." not in lesson.get_text()
    assert "ranks" not in texts(lesson, "dd")
    assert texts(article(site, name="tutorials/two/second"), "dl.field-list") == []


def test_a_pictogram_is_defined_once_where_it_is_used(site: SmallSite) -> None:
    page = article(site)

    used = [use["href"] for use in page.select("use")]
    defined = [f"#{symbol['id']}" for symbol in page.select("symbol")]
    assert used == ["#p-one", "#p-four", "#p-ranks", "#p-ring"]
    assert sorted(defined) == sorted(used)
    assert all(svg["aria-hidden"] == "true" for svg in page.select("svg:has(use)"))


def test_a_part_is_headed_by_number_name_and_line(site: SmallSite) -> None:
    heads = article(site).select(".part > .part-head:first-child")

    assert [texts(head, "p, h3") for head in heads] == [
        ["Part 1", "Part named one", "The line of one."],
        ["Part 2", "Part named two", "The line of two."],
    ]


def test_an_answer_leads_to_its_parts_by_their_numbers(site: SmallSite) -> None:
    page = article(site)

    links = page.select(".answer-parts a")
    assert [link.get_text() for link in links] == ["Part 1", "Part 2 and Part 1"]
    assert [page.select_one(link["href"])["class"] for link in links] == [
        ["intl-cards", "part", "docutils", "container"]
    ] * 2


def test_what_is_wrong_or_changes_is_seen_in_the_next_build(copy: SmallSite) -> None:
    edit(copy.source / "index.rst", ":parts: two one", ":parts: ten")
    url = "https://example.org/owner/name"
    copy.add_settings(f"gallery_repository_url = {url!r}\n")
    copy.make("html", "en")
    page = article(copy)
    assert texts(page, ".answer-parts a") == ["Part 1"]  # none that is not there
    assert "no public repository yet" not in page.get_text()
    assert page.select(f"a[href='{url}']")

    (copy.source / "requirements.txt").write_text("numpy==4.5\n", encoding="utf-8")
    copy.make("html", "en")
    assert "numpy==4.5" in texts(article(copy), ".try-it pre")[0]

    edit(copy.source / "gallery/two/second.py", ":Picture: ring", ":Picture: unknown")
    result = copy.run("html", "en")
    assert result.returncode == 1
    assert "no pictogram 'unknown'" in result.stdout


def test_a_reader_can_type_what_runs_the_lesson_and_get_it(site: SmallSite) -> None:
    page = article(site, "ko")

    (link,) = page.select(".try-it a[download]")
    script = (site.html / "ko" / str(link["href"])).read_text("utf-8")
    assert page.select_one(".try-it pre").get_text().strip().split("\n") == [
        "$ pip install numpy==1.2.3",
        "$ torchrun --standalone --nproc-per-node=4 first.py",
    ]
    assert link.get_text() == "first.py"
    assert "처음: 무엇인가" in script


def test_a_drawing_has_the_words_of_the_interface(site: SmallSite) -> None:
    figure = article(site, "ko").select_one("figure")

    assert figure.svg["aria-label"] == "검색"
    assert figure.figcaption.get_text(strip=True).startswith("What it shows.")


def test_without_a_repository_a_sentence_says_so(site: SmallSite) -> None:
    assert "no public repository yet" in article(site).get_text()
