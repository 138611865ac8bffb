"""Who translated and who reviewed, and whether it is still what was reviewed."""

from pathlib import Path

import polib
import pytest
from building import edit

from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs.review import Review, credits, sign

PAGE = """\
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Language: ko\\n"

msgid "one"
msgstr "하나"

msgid "two"
msgstr "둘"

msgid "three"
msgstr ""
"""
DAY = "2026-11-20"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = catalogs.po_path(tmp_path, "ko", "part/page")
    path.parent.mkdir(parents=True)
    path.write_text(PAGE, encoding="utf-8")
    return path


def reviews(path: Path) -> tuple[Review, ...]:
    return credits(catalogs.read(path)).reviews


@pytest.mark.parametrize(
    ("header", "translators", "reviewers"),
    [
        ({}, [], []),
        ({"Last-Translator": "FULL NAME <EMAIL@ADDRESS>"}, [], []),
        ({"Last-Translator": "김하나 <kim@example.org>"}, ["김하나"], []),
        ({"X-Reviewed": "name, date"}, [], []),
        ({"X-Reviewed": "Mary A. Lee, 2026-03-01"}, [], ["Mary A. Lee, 2026-03-01"]),
        ({"X-Reviewed": "Lee <l@x.org>, 2026-03-01"}, [], ["Lee, 2026-03-01"]),
        ({"X-Reviewed": "Lee, 20260301; 김하나"}, [], ["Lee, 20260301", "김하나"]),
    ],
)
def test_people_are_named_without_their_address(
    header: dict[str, str], translators: list[str], reviewers: list[str]
) -> None:
    catalog = polib.POFile()
    catalog.metadata = header

    found = credits(catalog)

    assert [*found.translators] == translators
    assert [*found.reviews] == [Review(by, False) for by in reviewers]


def test_all_translators_are_named_once_as_gettext_lists_them() -> None:
    catalog = polib.POFile()
    catalog.header = (
        "Korean translations for Small site.\n"
        "Copyright (C) Small site, 2026\n"
        "This file is distributed under the same license as the Small site, 2026.\n"
        "FIRST AUTHOR <EMAIL@ADDRESS>, 2026.\n"
        "Translators:\n"
        "Kim Minji <k@x.org>, 2024, 2026.\n"
        "이준, 2025-2026\n"
        "박서연 <p@x.org>, 2026."
    )
    catalog.metadata = {"Last-Translator": "Kim Minji <k@x.org>"}
    assert credits(catalog).translators == ("Kim Minji", "이준", "박서연")

    catalog.metadata = {"Last-Translator": "최유나"}
    assert credits(catalog).translators[-1] == "최유나"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("하나", "하나만"),
        ('msgid "one"', '#, fuzzy\nmsgid "one"'),
        ('msgid "three"\nmsgstr ""', 'msgid "three"\nmsgstr "셋"'),
        ('msgid "two"\nmsgstr "둘"\n', ""),
    ],
    ids=["edited", "made fuzzy", "translated", "removed"],
)
def test_a_review_is_of_the_text_that_was_there(path: Path, old: str, new: str) -> None:
    sign(path, "Lee Jun <l@x.org>", DAY)
    assert reviews(path) == (Review(f"Lee Jun, {DAY}", changed=False),)
    signed = path.read_text(encoding="utf-8")

    edit(path, old, new)

    assert reviews(path) == (Review(f"Lee Jun, {DAY}", changed=True),)

    path.write_text(signed, encoding="utf-8")
    assert reviews(path) == (Review(f"Lee Jun, {DAY}", changed=False),)


def test_several_review_and_each_has_reviewed_one_text(path: Path) -> None:
    sign(path, "Lee Jun <l@x.org>", DAY)
    edit(path, "하나", "한나")
    sign(path, "박서연", "2026-12-01")
    assert reviews(path) == (
        Review(f"Lee Jun, {DAY}", changed=True),
        Review("박서연, 2026-12-01", changed=False),
    )

    sign(path, "Lee Jun <l@x.org>", "2026-12-02")

    assert reviews(path) == (
        Review("박서연, 2026-12-01", changed=False),
        Review("Lee Jun, 2026-12-02", changed=False),
    )
    assert "<l@x.org>" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("by", ["", "l@x.org", "Lee, Jun", "Lee; Jun", "Lee\nJun"])
def test_who_reviews_has_a_name(path: Path, by: str) -> None:
    with pytest.raises(catalogs.CatalogError, match=r"page\.po:1: .+\(write a name"):
        sign(path, by, DAY)

    assert path.read_text(encoding="utf-8") == PAGE
