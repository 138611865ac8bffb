"""What a language lacks is found without a build: English has all messages."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gallery_intl.catalogs import english, progress
from gallery_intl.catalogs import po as catalogs

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


def found(locales: Path) -> list[str]:
    """Return the differences of all catalogs, with paths below the folder."""
    paths = english.wanted(locales, LANGUAGES)
    paths = sorted({*paths, *locales.rglob("*.po")})
    return [
        f"{path.relative_to(locales).as_posix()}:{line}: {name}: {text}"
        for path in paths
        for line, name, text in english.differences(path)
    ]


def korean(locales: Path) -> progress.Count:
    return progress.table(locales, LANGUAGES)[PAGE]["ko"].numbers


KO = "ko/LC_MESSAGES/part/page.po"
UNKNOWN = "is not among the English messages (run the catalogs command)"
NONE = (
    "none of the 3 English messages is here"
    " (bring it back, or run the catalogs command)"
)


def test_catalogs_with_the_same_messages_are_complete(locales: Path) -> None:
    assert found(locales) == []
    assert korean(locales) == progress.Count(3, 0, 0, 0)


def test_a_deleted_message_is_untranslated_and_found_in_its_place(
    locales: Path,
) -> None:
    write(locales, "ko", without(KOREAN, "Two ranks."))

    lines = found(locales)

    lost = "missing-message: 'Two ranks.' is lost (run the catalogs command)"
    assert lines == [f"{KO}:5: {lost}"]  # below the first
    assert korean(locales) == progress.Count(2, 0, 1, 2)

    write(locales, "ko", without(KOREAN, "One rank."))

    lines = found(locales)

    assert [line.split(": ")[0] for line in lines] == [f"{KO}:1"]


def test_an_edited_msgid_is_unknown_and_its_message_untranslated(locales: Path) -> None:
    edited = {"One rank": "랭크 하나", **without(KOREAN, "One rank.")}
    write(locales, "ko", edited)

    lines = found(locales)

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
    locales: Path, lose: object
) -> None:
    assert callable(lose)
    lose(catalogs.po_path(locales, "ko", PAGE))

    lines = found(locales)

    assert lines == [f"{KO}:1: missing-message: {NONE}"]
    assert korean(locales) == progress.Count(0, 0, 3, 5)
    assert korean(locales).percent == 0


def test_what_english_lost_is_found_in_the_others(locales: Path) -> None:
    write(locales, "en", without(ENGLISH, "Three."))

    lines = found(locales)

    assert lines == [f"{KO}:11: unknown-message: 'Three.' {UNKNOWN}"]

    other = catalogs.po_path(locales, "en", "index")
    catalogs.po_path(locales, "en", PAGE).rename(other)

    lines = found(locales)

    what = "English has no catalog of this page (run the catalogs command)"
    lost = f"unknown-message: {what}"
    assert lines[-1] == f"{KO}:1: {lost}"


def test_without_english_catalogs_nothing_is_compared(
    locales: Path,
) -> None:
    shutil.rmtree(locales / "en")
    write(locales, "ko", without(KOREAN, "Two ranks."))

    assert found(locales) == []
    assert korean(locales) == progress.Count(2, 0, 0, 0)


def test_a_catalog_without_living_messages_counts_nowhere(locales: Path) -> None:
    for language in LANGUAGES:
        path = catalogs.po_path(locales, language, "part/old")
        gone = f"#~ msgid {'Gone.'!r}\n#~ msgstr {'Weg.'!r}\n".replace("'", '"')
        path.write_text(HEADER + gone, encoding="utf-8")

    assert [*progress.table(locales, LANGUAGES)] == [PAGE]
