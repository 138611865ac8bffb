"""The catalogs command: what a translator wrote is never lost."""

from pathlib import Path

import polib
import pytest

from gallery_intl import catalogs
from gallery_intl.update import merge_language, update

PAGE, OTHER = Path("part/page"), Path("part/other")


def template(*messages: str) -> polib.POFile:
    file = polib.POFile()
    for line, message in enumerate(messages, start=1):
        occurrence = ("gallery/part/page.py", str(line))
        file.append(polib.POEntry(msgid=message, occurrences=[occurrence]))
    return file


def catalog(**messages: str) -> polib.POFile:
    file = polib.POFile()
    for msgid, msgstr in messages.items():
        file.append(polib.POEntry(msgid=msgid.replace("_", " "), msgstr=msgstr))
    return file


def translated(file: polib.POFile) -> dict[str, str]:
    return {entry.msgid: entry.msgstr for entry in file if not entry.obsolete}


def test_a_kept_message_keeps_its_translation_and_comment() -> None:
    old = catalog(One_rank="랭크 하나")
    old[0].tcomment = "note"

    merged = merge_language({PAGE: template("One rank")}, {PAGE: old}, "ko")[PAGE]

    assert translated(merged) == {"One rank": "랭크 하나"}
    assert merged[0].tcomment == "note"
    assert merged[0].occurrences == [("gallery/part/page.py", "1")]


def test_a_paragraph_that_moved_to_another_page_keeps_its_translation() -> None:
    templates = {PAGE: template("Two"), OTHER: template("One rank")}

    merged = merge_language(templates, {PAGE: catalog(One_rank="랭크 하나")}, "ko")

    assert translated(merged[OTHER]) == {"One rank": "랭크 하나"}


def test_a_changed_message_is_fuzzy_beside_its_previous_text() -> None:
    templates = {PAGE: template("Every rank must call it.")}
    old = {PAGE: catalog(**{"Every rank calls it.": "모든 랭크가 호출합니다."})}

    (entry,) = merge_language(templates, old, "ko")[PAGE]

    assert entry.fuzzy
    assert entry.msgstr == "모든 랭크가 호출합니다."
    assert entry.previous_msgid == "Every rank calls it."


def test_a_removed_message_stays_and_serves_when_it_comes_back() -> None:
    gone = merge_language({PAGE: template()}, {PAGE: catalog(One_rank="하나")}, "ko")
    assert [entry.obsolete for entry in gone[PAGE]] == [1]

    back = merge_language({PAGE: template("One rank")}, gone, "ko")[PAGE]

    assert translated(back) == {"One rank": "하나"}
    assert not back[0].fuzzy


def test_the_translations_of_a_removed_page_live_on() -> None:
    merged = merge_language({}, {PAGE: catalog(One_rank="하나")}, "ko")

    assert [(entry.msgstr, entry.obsolete) for entry in merged[PAGE]] == [("하나", 1)]


def test_a_fuzzy_message_of_an_earlier_change_stays_fuzzy() -> None:
    old = catalog(Now="옛말")
    old[0].flags.append("fuzzy")
    old[0].previous_msgid = "Then"

    (entry,) = merge_language({PAGE: template("Now")}, {PAGE: old}, "ko")[PAGE]

    assert (entry.fuzzy, entry.previous_msgid) == (True, "Then")


def test_english_follows_its_source_until_somebody_words_it_anew() -> None:
    templates = {PAGE: template("New text", "Every rank calls it, always.")}
    old = {PAGE: catalog(**{"Every rank calls it always.": "Each rank calls it."})}

    merged = merge_language(templates, old, "en")[PAGE]

    assert merged[0].msgstr == "New text"
    assert merged[1].msgstr == "Each rank calls it."
    assert merged[1].fuzzy


def test_an_unmended_english_message_is_never_fuzzy() -> None:
    sentence = "Every rank calls it always."
    templates = {PAGE: template("Every rank calls it, always.")}

    (entry,) = merge_language(templates, {PAGE: catalog(**{sentence: sentence})}, "en")[
        PAGE
    ]

    assert entry.msgstr == entry.msgid
    assert not entry.fuzzy


def pots(folder: Path, *messages: str) -> Path:
    file = template(*messages)
    catalogs.write(folder / "pot" / "part" / "page.pot", file)
    return folder / "pot"


def test_updating_twice_changes_no_byte(tmp_path: Path) -> None:
    folder = pots(tmp_path, "One rank", "A long message. " * 20)
    first = list(update(folder, tmp_path / "locales", ["en", "ko"]))
    before = {path: path.read_bytes() for path in first}

    second = list(update(folder, tmp_path / "locales", ["en", "ko"]))

    assert len(first) == 2
    assert second == []
    assert {path: path.read_bytes() for path in first} == before


def test_a_broken_catalog_stops_before_anything_is_written(tmp_path: Path) -> None:
    folder = pots(tmp_path, "One rank")
    locales = tmp_path / "locales"
    broken = catalogs.po_path(locales, "ko", "part/zzz")
    broken.parent.mkdir(parents=True)
    broken.write_text('msgid "a\n', encoding="utf-8")

    with pytest.raises(catalogs.CatalogError, match=r"zzz\.po:1"):
        list(update(folder, locales, ["ko"]))

    assert list(locales.rglob("*.po")) == [broken]
