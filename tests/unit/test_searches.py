"""The table of what readers type for each lesson."""

from __future__ import annotations

import csv

from paths import PROJECT


def test_each_lesson_has_what_readers_type_in_each_language() -> None:
    lessons = {
        f"tutorials/{path.parent.name}/{path.stem}"
        for path in (PROJECT / "gallery").glob("*/*.py")
    }
    path = PROJECT / "locales" / "searches.csv"

    with path.open(encoding="utf-8", newline="") as file:
        rows = {row["page"]: row for row in csv.DictReader(file)}

    assert rows.keys() == lessons
    for page, row in rows.items():
        assert all(row[x] for x in ("en", "ko", "zh_CN", "ja")), page
