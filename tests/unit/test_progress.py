"""Progress: numbers that agree with a count by other means."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs import progress

HEADER = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
PAGE = (
    HEADER + 'msgid "one two"\nmsgstr "하나 둘"\n\n'
    '#, fuzzy\nmsgid "three"\nmsgstr "셋"\n\n'
    'msgid "four five six"\nmsgstr ""\n\n'
    'msgid "seven eight"\nmsgstr "seven eight"\n\n'
    '#~ msgid "gone"\n#~ msgstr "사라짐"\n'
)


@pytest.fixture
def locales(tmp_path: Path) -> Path:
    for language in ("en", "ko"):
        path = catalogs.po_path(tmp_path, language, "part/page")
        path.parent.mkdir(parents=True)
        path.write_text(PAGE, encoding="utf-8")
    return tmp_path


def test_each_state_is_counted_once(locales: Path) -> None:
    rows = progress.table(locales, ["en", "ko"])

    assert rows["part/page"]["ko"].numbers == progress.Count(1, 1, 2, 6)
    assert rows["part/page"]["ko"].numbers.percent == 25
    assert rows["part/page"]["en"].numbers == progress.Count(2, 1, 1, 4)


def test_gettexts_own_count_agrees(locales: Path) -> None:
    path = catalogs.po_path(locales, "en", "part/page")
    try:
        result = subprocess.run(
            ["msgfmt", "--statistics", "-o", "/dev/null", str(path)],
            capture_output=True,
            text=True,
            check=True,
            env={"LC_ALL": "C", "PATH": "/usr/bin:/bin:/usr/local/bin"},
        )
    except FileNotFoundError:
        pytest.skip("no msgfmt on this machine")

    ours = progress.table(locales, ["en"])["part/page"]["en"].numbers
    told = [int(number) for number in re.findall(r"\d+", result.stderr)]
    assert told == [ours.translated, ours.fuzzy, ours.untranslated]


def test_a_page_that_a_language_lacks_is_shown(locales: Path) -> None:
    catalogs.po_path(locales, "ko", "part/page").unlink()

    table = progress.table(locales, ["en", "ko", "ja"])
    lines = list(progress.as_text(table, ["en", "ko", "ja"]))

    done, left = ["50", "%", "(4", "words)"], ["0", "%", "(8", "words)"]
    assert lines[1].split() == ["part/page", *done, *left, *left]


def test_a_page_that_only_another_language_has_is_compared_with_nothing(
    locales: Path,
) -> None:
    catalogs.po_path(locales, "en", "part/page").unlink()

    lines = list(progress.as_text(progress.table(locales, ["en", "ko"]), ["en", "ko"]))

    assert lines[1].split() == ["part/page", "-", "25", "%", "(6", "words)"]


def test_a_catalog_without_living_messages_counts_nowhere(locales: Path) -> None:
    gone = catalogs.po_path(locales, "ko", "part/gone")
    gone.write_text(HEADER + '#~ msgid "gone"\n#~ msgstr "사라짐"\n', "utf-8")

    assert list(progress.table(locales, ["en", "ko"])) == ["part/page"]


def test_the_numbers_for_programs_are_the_same(locales: Path) -> None:
    rows = progress.table(locales, ["ko"])

    read = json.loads(progress.as_json(rows))

    assert read["part/page"]["ko"]["words_left"] == 6
    assert read["part/page"]["ko"]["reviews"] == []


def test_the_people_are_among_the_numbers_for_programs(locales: Path) -> None:
    path = catalogs.po_path(locales, "ko", "part/page")
    signed = HEADER.strip() + '\n"X-Reviewed: Lee <l@x.org>, 2026-03-01\\n"\n\n'
    path.write_text(PAGE.replace(HEADER, signed), encoding="utf-8")

    read = json.loads(progress.as_json(progress.table(locales, ["ko"])))

    known = {"by": "Lee, 2026-03-01", "changed": False}
    assert read["part/page"]["ko"]["reviews"] == [known]
    assert read["part/page"]["ko"]["translators"] == []
