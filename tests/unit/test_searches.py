"""The table of what readers type for each lesson."""

from __future__ import annotations

import csv

import pytest
from paths import PROJECT

LANGUAGES = ("en", "ko", "zh_CN", "ja")
PATH = PROJECT / "locales" / "searches.csv"


def read_rows() -> dict[str, dict[str, str]]:
    with PATH.open(encoding="utf-8", newline="") as file:
        return {row["page"]: row for row in csv.DictReader(file)}


def test_each_lesson_has_what_readers_type() -> None:
    lessons = {
        f"tutorials/{path.parent.name}/{path.stem}"
        for path in (PROJECT / "gallery").glob("*/*.py")
    }

    rows = read_rows()

    assert rows.keys() == lessons, f"{PATH.name}: a row for each lesson, and no other"
    assert all(row["en"] for row in rows.values()), f"{PATH.name}: write the column en"


@pytest.mark.translated
def test_each_lesson_has_what_readers_type_in_each_language() -> None:
    missing = [
        f"{page}: {x}"
        for page, row in read_rows().items()
        for x in LANGUAGES
        if not row[x]
    ]

    assert not missing, f"{PATH.name}: a native reader writes {', '.join(missing)}"
