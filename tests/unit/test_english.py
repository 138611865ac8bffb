"""What a language lacks is found without a build: English has all messages."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs import progress
from gallery_intl.rules import check

PAGE = "part/page"
HEADER = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
ENGLISH = {"One rank.": "One rank.", "Two ranks.": "Two.", "Three.": "Three."}
KOREAN = {"One rank.": "랭크 하나.", "Two ranks.": "랭크 둘.", "Three.": "셋."}
LANGUAGES = ["en", "ko"]


@pytest.fixture
def locales(tmp_path: Path) -> Path:
    write(tmp_path, "en", ENGLISH)
    write(tmp_path, "ko", KOREAN)
    return tmp_path


def write(locales: Path, language: str, messages: dict[str, str]) -> Path:
    path = catalogs.po_path(locales, language, PAGE)
    path.parent.mkdir(parents=True, exist_ok=True)
    entries = (f'msgid "{x}"\nmsgstr "{y}"\n' for x, y in messages.items())
    path.write_text(HEADER + "\n".join(entries), encoding="utf-8")
    return path


def without(messages: dict[str, str], *gone: str) -> dict[str, str]:
    return {x: y for x, y in messages.items() if x not in gone}


def found(locales: Path, capsys: pytest.CaptureFixture[str]) -> tuple[list[str], str]:
    """Return the findings of the command, below the catalogs, and its last words."""
    is_well = check.check([], [locales], LANGUAGES)
    printed, told = capsys.readouterr()
    lines = [x.replace(f"{locales.as_posix()}/", "") for x in printed.splitlines()]
    assert is_well is (not lines)
    return lines, told


def korean(locales: Path) -> progress.Count:
    return progress.table(locales, LANGUAGES)[PAGE]["ko"].numbers


KO = "ko/LC_MESSAGES/part/page.po"
UNKNOWN = "is not among the English messages (run the catalogs command)"
NONE = (
    "none of the 3 English messages is here"
    " (bring it back, or run the catalogs command)"
)


def test_catalogs_with_the_same_messages_are_complete(
    locales: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert found(locales, capsys) == ([], "0 findings in 2 catalogs\n")
    assert korean(locales) == progress.Count(3, 0, 0, 0)


def test_a_deleted_message_is_untranslated_and_found_where_it_stood(
    locales: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(locales, "ko", without(KOREAN, "Two ranks."))

    lines, told = found(locales, capsys)

    lost = "missing-message: 'Two ranks.' is lost (run the catalogs command)"
    assert lines == [f"{KO}:5: {lost}"]  # below the first
    assert told.startswith("ko: 1 untranslated, 0 fuzzy\n")
    assert korean(locales) == progress.Count(2, 0, 1, 2)

    write(locales, "ko", without(KOREAN, "One rank."))

    lines, _told = found(locales, capsys)

    assert [line.split(": ")[0] for line in lines] == [f"{KO}:1"]


def test_an_edited_msgid_is_unknown_and_its_message_untranslated(
    locales: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edited = {"One rank": "랭크 하나", **without(KOREAN, "One rank.")}
    write(locales, "ko", edited)

    lines, _told = found(locales, capsys)

    assert lines == [
        f"{KO}:1: missing-message: 'One rank.' is lost (run the catalogs command)",
        f"{KO}:5: unknown-message: 'One rank' {UNKNOWN}",
    ]
    assert korean(locales) == progress.Count(2, 0, 1, 2)


def empty(path: Path) -> None:
    path.write_text(HEADER, encoding="utf-8")


def remove_language(path: Path) -> None:
    shutil.rmtree(path.parents[2])


@pytest.mark.parametrize("lose", [empty, Path.unlink, remove_language])
def test_an_empty_or_a_missing_catalog_is_nothing_done(
    locales: Path, capsys: pytest.CaptureFixture[str], lose: object
) -> None:
    assert callable(lose)
    lose(catalogs.po_path(locales, "ko", PAGE))

    lines, told = found(locales, capsys)

    assert lines == [f"{KO}:1: missing-message: {NONE}"]
    assert told.startswith("ko: 3 untranslated, 0 fuzzy\n")
    assert korean(locales) == progress.Count(0, 0, 3, 5)
    assert korean(locales).percent == 0


def test_what_english_lost_is_found_in_the_others(
    locales: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(locales, "en", without(ENGLISH, "Three."))

    lines, _told = found(locales, capsys)

    assert lines == [f"{KO}:11: unknown-message: 'Three.' {UNKNOWN}"]

    other = catalogs.po_path(locales, "en", "index")
    catalogs.po_path(locales, "en", PAGE).rename(other)

    lines, _told = found(locales, capsys)

    what = "English has no catalog of this page (run the catalogs command)"
    lost = f"unknown-message: {what}"
    assert lines[-1] == f"{KO}:1: {lost}"


def test_a_project_without_english_catalogs_has_nothing_to_compare(
    locales: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(locales / "en")
    write(locales, "ko", without(KOREAN, "Two ranks."))

    assert found(locales, capsys) == ([], "0 findings in 1 catalogs\n")
    assert korean(locales) == progress.Count(2, 0, 0, 0)


def test_one_catalog_is_compared_where_only_it_is_asked_for(
    locales: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(locales, "ko", without(KOREAN, "Three."))

    assert not check.check([path], [locales], LANGUAGES)
    assert "page.po:8: missing-message: 'Three.'" in capsys.readouterr().out
    assert check.check([locales / "en"], [locales], LANGUAGES)

    path.unlink()

    assert not check.check([locales / "ko"], [locales], LANGUAGES)
    assert check.check([locales / "en"], [locales], LANGUAGES)


def test_a_catalog_without_living_messages_counts_nowhere(locales: Path) -> None:
    for language in LANGUAGES:
        path = catalogs.po_path(locales, language, "part/old")
        gone = f"#~ msgid {'Gone.'!r}\n#~ msgstr {'Weg.'!r}\n".replace("'", '"')
        path.write_text(HEADER + gone, encoding="utf-8")

    assert [*progress.table(locales, LANGUAGES)] == [PAGE]


def test_a_broken_catalog_is_named_once(
    locales: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = catalogs.po_path(locales, "en", PAGE)
    path.write_text(path.read_text("utf-8") + '\nmsgid "open\n', encoding="utf-8")

    lines, _told = found(locales, capsys)

    assert [line.split(": ")[1] for line in lines] == ["broken-catalog"]
