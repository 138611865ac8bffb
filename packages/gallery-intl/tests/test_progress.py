"""Progress: what a language lacks is counted without a build."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import polib
import pytest

from gallery_intl.catalogs import english, po, progress

PAGE = "part/page"
HEADER = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
STATES = (
    HEADER + 'msgid "one two"\nmsgstr "하나 둘"\n\n'
    '#, fuzzy\nmsgid "three"\nmsgstr "셋"\n\n'
    'msgid "four five six"\nmsgstr ""\n\n'
    'msgid "seven eight"\nmsgstr "seven eight"\n\n'
    '#~ msgid "gone"\n#~ msgstr "사라짐"\n'
)
KOREAN = {"One rank.": "랭크 하나.", "Two ranks.": "랭크 둘.", "Three.": "셋."}
KO = "ko/LC_MESSAGES/part/page.po"


def write(locales: Path, language: str, text: str) -> Path:
    path = po.po_path(locales, language, PAGE)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def catalog(messages: dict[str, str]) -> str:
    entries = (f'msgid "{x}"\nmsgstr "{y}"\n' for x, y in messages.items())
    return HEADER + "\n".join(entries)


@pytest.fixture
def states(tmp_path: Path) -> Path:
    """Catalogs with a message in each state."""
    for language in ("en", "ko"):
        write(tmp_path, language, STATES)
    return tmp_path


@pytest.fixture
def complete(tmp_path: Path) -> Path:
    """A Korean catalog with all messages that English has."""
    write(tmp_path, "en", catalog({x: x for x in KOREAN}))
    write(tmp_path, "ko", catalog(KOREAN))
    return tmp_path


def found(locales: Path) -> list[str]:
    """Return the differences of all catalogs, with paths below the folder."""
    paths = {*english.wanted(locales, ["en", "ko"]), *locales.rglob("*.po")}
    return [
        f"{path.relative_to(locales).as_posix()}:{line}: {text}"
        for path in sorted(paths)
        for line, _name, text in english.differences(path)
    ]


def korean(locales: Path) -> progress.Count:
    return progress.table(locales, ["en", "ko"])[PAGE]["ko"].numbers


def test_each_state_is_counted_once(states: Path) -> None:
    rows = progress.table(states, ["en", "ko"])

    assert rows[PAGE]["ko"].numbers == progress.Count(1, 1, 2, 6)
    assert rows[PAGE]["ko"].numbers.percent == 25
    assert rows[PAGE]["en"].numbers == progress.Count(2, 1, 1, 4)
    assert json.loads(progress.as_json(rows))[PAGE]["ko"]["words_left"] == 6


def test_a_page_that_a_language_lacks_is_shown(states: Path) -> None:
    po.po_path(states, "ko", PAGE).unlink()

    table = progress.table(states, ["en", "ko", "ja"])
    lines = list(progress.as_text(table, ["en", "ko", "ja"]))

    done, left = ["50", "%", "(4", "words)"], ["0", "%", "(8", "words)"]
    assert lines[1].split() == [PAGE, *done, *left, *left]


def test_catalogs_with_the_same_messages_are_complete(complete: Path) -> None:
    assert found(complete) == []
    assert korean(complete) == progress.Count(3, 0, 0, 0)


def test_a_message_that_was_edited_or_deleted_is_untranslated(complete: Path) -> None:
    edited = {"One rank": "랭크 하나.", "Two ranks.": "랭크 둘."}
    write(complete, "ko", catalog(edited))

    assert sorted(found(complete)) == [
        f"{KO}:1: 'One rank.' is lost (bring it back, or run the catalogs command)",
        f"{KO}:5: 'One rank' is not among the English messages"
        " (run the catalogs command)",
        f"{KO}:8: 'Three.' is lost (bring it back, or run the catalogs command)",
    ]
    assert korean(complete) == progress.Count(1, 0, 2, 3)


def empty(path: Path) -> None:
    path.write_text(HEADER, encoding="utf-8")


def remove_language(path: Path) -> None:
    shutil.rmtree(path.parents[2])


@pytest.mark.parametrize("lose", [empty, Path.unlink, remove_language])
def test_an_empty_or_a_missing_catalog_is_nothing_done(
    complete: Path, lose: Callable[[Path], None]
) -> None:
    lose(po.po_path(complete, "ko", PAGE))

    (line,) = found(complete)

    assert line.startswith(f"{KO}:1: none of the 3 English messages is here")
    assert korean(complete) == progress.Count(0, 0, 3, 5)


def test_without_english_catalogs_nothing_is_compared(complete: Path) -> None:
    shutil.rmtree(complete / "en")
    write(complete, "ko", catalog({"Three.": "셋."}))

    assert found(complete) == []
    assert korean(complete) == progress.Count(1, 0, 0, 0)


@pytest.mark.parametrize(
    ("message", "comment", "expected"),
    [
        (r"\frac{mean}{error}", "formula", False),
        ("`Ada Lovelace`_", "paragraph", False),
        ("`Ada`_, `Grace Hopper`__ (1952)", "paragraph", False),
        (":math:`x_{max} < 2`.", "paragraph", False),
        ("`the manual`_", "paragraph", True),
        ("Everything in ``all.zip``", "paragraph", True),
        ("Written by `Ada`_", "paragraph", True),
    ],
)
@pytest.mark.parametrize("is_copied", [False, True])
def test_formulas_and_names_are_no_gaps(
    message: str, comment: str, expected: bool, is_copied: bool
) -> None:
    text = message if is_copied else ""
    entry = polib.POEntry(msgid=message, msgstr=text, comment=comment)

    assert po.is_gap(entry, "ko") is expected
