"""The catalogs command: what a translator wrote is never lost."""

import re
from collections.abc import Callable
from pathlib import Path

import polib
import pytest

from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs.merge import merge_language, update

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
    assert merged[0].occurrences == [("gallery/part/page.py", "")]


def test_a_catalog_keeps_who_translated_and_who_reviewed_it() -> None:
    old = catalog(One_rank="랭크 하나")
    old.metadata = {"Last-Translator": "김하나", "X-Reviewed": "Lee, 2026-03-01"}

    merged = merge_language({PAGE: template("Two")}, {PAGE: old}, "ko")[PAGE]

    assert merged.metadata == old.metadata


def test_a_changed_message_is_fuzzy_beside_its_previous_text() -> None:
    templates = {PAGE: template("Every rank must call it.")}
    old = {PAGE: catalog(**{"Every rank calls it.": "모든 랭크가 호출합니다."})}

    entry, _old = merge_language(templates, old, "ko")[PAGE]

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
    templates = {PAGE: template("Two"), Path("part/index"): template("Part")}
    present = {OTHER: catalog(One_rank="하나"), Path("sphinx"): catalog(Next="다음")}

    merged = merge_language(
        templates | {Path("sphinx"): template("Next")}, present, "ko"
    )

    assert OTHER not in merged
    kept = merged[Path("part/index")].obsolete_entries()
    assert [(entry.msgid, entry.msgstr) for entry in kept] == [("One rank", "하나")]
    back = merge_language({OTHER: template("One rank")}, merged, "ko")
    assert translated(back[OTHER]) == {"One rank": "하나"}


def test_a_paragraph_put_before_others_changes_none_of_their_lines() -> None:
    once = template("One", "Two")
    once[0].occurrences.append(("gallery/part/page.py", "7"))
    old = merge_language({PAGE: once}, {}, "ko")

    merged = merge_language({PAGE: template("New", "One", "Two")}, old, "ko")

    before, after = str(old[PAGE]), str(merged[PAGE])
    new = '#: gallery/part/page.py\nmsgid "New"\nmsgstr ""\n\n'
    assert after.replace(new, "") == before


A, B, C = (f"Every rank {x} it at once." for x in ("calls", "runs", "starts"))


def test_a_message_that_changes_twice_keeps_the_text_that_was_translated() -> None:
    once = merge_language({PAGE: template(B)}, {PAGE: catalog(**{A: "가"})}, "ko")

    twice = merge_language({PAGE: template(C)}, once, "ko")

    entry, _old = twice[PAGE]
    assert (entry.msgstr, entry.fuzzy, entry.previous_msgid) == ("가", True, A)


@pytest.mark.parametrize("between", [[B], [B, C], [B, "Gone"], ["Gone", B]])
def test_a_message_that_changes_back_is_as_it_was(between: list[str]) -> None:
    old = merge_language({PAGE: template(A)}, {PAGE: catalog(**{A: "가"})}, "ko")
    before, pages = str(old[PAGE]), old
    for message in between:
        pages = merge_language({PAGE: template(message)}, pages, "ko")

    assert str(merge_language({PAGE: template(A)}, pages, "ko")[PAGE]) == before


def test_a_fuzzy_translation_that_was_mended_is_not_that_of_the_older_text() -> None:
    once = merge_language({PAGE: template(B)}, {PAGE: catalog(**{A: "가"})}, "ko")
    once[PAGE][0].msgstr = "나"  # and the flag stays, as Weblate does

    (back, *_) = merge_language({PAGE: template(A)}, once, "ko")[PAGE]

    assert (back.msgid, back.msgstr, back.fuzzy) == (A, "가", False)


def test_a_translation_that_was_doubted_is_not_trusted_when_english_returns() -> None:
    old = catalog(**{A: "가"})
    old[0].flags.append("fuzzy")

    once = merge_language({PAGE: template(B)}, {PAGE: old}, "ko")
    back, *_ = merge_language({PAGE: template(A)}, once, "ko")[PAGE]

    assert (back.msgstr, back.fuzzy) == ("가", True)


def test_fuzzy_messages_and_near_misses_follow_to_another_page() -> None:
    fuzzy = merge_language({PAGE: template(B)}, {PAGE: catalog(**{A: "가"})}, "ko")

    (same,) = merge_language({OTHER: template(B), PAGE: template("Two")}, fuzzy, "ko")[
        OTHER
    ]
    near = merge_language(
        {OTHER: template(B), PAGE: template("Two")}, {PAGE: catalog(**{A: "가"})}, "ko"
    )

    for entry in same, near[OTHER][0]:
        assert (entry.msgstr, entry.fuzzy, entry.previous_msgid) == ("가", True, A)


def test_english_follows_its_source_until_somebody_words_it_anew() -> None:
    templates = {PAGE: template("New text", "Every rank must call it always.")}
    old = {PAGE: catalog(**{"Every rank calls it always.": "Each rank calls it."})}

    merged = merge_language(templates, old, "en")[PAGE]

    assert merged[0].msgstr == "New text"
    assert merged[1].msgstr == "Each rank calls it."
    assert merged[1].fuzzy


def test_where_only_code_or_punctuation_changed_the_translation_follows() -> None:
    templates = {PAGE: template("First: set ``new``, then go.", "Use ``X`` for it.")}
    old = {
        PAGE: catalog(
            **{
                "First set ``old`` then go.": "먼저 ``old`` 값을 정하고 갑니다.",
                "Use ``Y`` for it.": "``Y``를 씁니다.",
            }
        )
    }

    first, second, *_ = merge_language(templates, old, "ko")[PAGE]

    assert (first.msgstr, first.fuzzy) == ("먼저 ``new`` 값을 정하고 갑니다.", False)
    assert second.fuzzy  # another particle may be right now


def test_what_was_fuzzy_is_not_carried_as_if_it_were_right() -> None:
    old = catalog(**{"First set ``old`` then go.": "``old``"})
    old[0].flags.append("fuzzy")

    (entry, *_) = merge_language(
        {PAGE: template("First set ``new`` then go.")}, {PAGE: old}, "ko"
    )[PAGE]

    assert entry.fuzzy


def test_translators_are_shown_how_the_english_was_mended(tmp_path: Path) -> None:
    folder = pots(tmp_path, "One rank", "Two")
    list(update(folder, tmp_path / "locales", ["ko", "en"]))
    english = catalogs.po_path(tmp_path / "locales", "en", "part/page")
    mended = catalogs.read(english)
    mended[0].msgstr = "A single rank"
    catalogs.write(english, mended)

    (changed,) = update(folder, tmp_path / "locales", ["ko", "en"])

    first, second = catalogs.read(changed)
    assert first.comment == "English, better: A single rank"
    assert second.comment == ""
    assert "/ko/" in changed.as_posix()
    assert list(update(folder, tmp_path / "locales", ["ko", "en"])) == []


def test_a_renamed_page_keeps_who_translated_and_reviewed_it() -> None:
    old = catalog(One_rank="하나", Two="둘", Three="셋", Gone="넷")
    old.header, old.metadata = (
        "licence",
        {"Last-Translator": "김하나", "X-Reviewed": "Lee"},
    )
    present = {OTHER: old, Path("part/third"): catalog(Two="둘")}
    templates = {PAGE: template("One rank", "Two", "New")}

    merged = merge_language(templates, present, "ko")

    assert list(merged) == [PAGE]
    assert (merged[PAGE].header, merged[PAGE].metadata) == (old.header, old.metadata)
    left = [entry.msgid for entry in merged[PAGE].obsolete_entries()]
    assert left == ["Three", "Gone"]
    assert str(merge_language(templates, merged, "ko")[PAGE]) == str(merged[PAGE])


@pytest.mark.parametrize("stop", [1, 2, 3])
def test_an_interrupted_update_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: int
) -> None:
    def run(locales: Path) -> dict[str, bytes]:
        list(update(tmp_path / "pot", locales, ["en", "ko"]))
        return {
            path.relative_to(locales).as_posix(): path.read_bytes()
            for path in sorted(locales.rglob("*.po"))
        }

    pots(tmp_path, "One rank", "Two")
    for name in "undisturbed", "interrupted":
        path = catalogs.po_path(tmp_path / name, "ko", "part/old")
        catalogs.write(path, catalog(One_rank="하나", Two="둘", Three="셋"))
    expected = run(tmp_path / "undisturbed")
    calls = iter(range(1, 100))

    def stopping(function: Callable[..., None]) -> Callable[..., None]:
        def call(*arguments: Path, **options: bool) -> None:
            if next(calls) == stop:
                raise KeyboardInterrupt
            function(*arguments, **options)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", stopping(Path.replace))
        patch.setattr(Path, "unlink", stopping(Path.unlink))
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path / "interrupted")

    assert run(tmp_path / "interrupted") == expected
    assert [path.suffix for path in tmp_path.rglob("*") if path.is_file()].count(
        ".po"
    ) == len(expected) * 2


@pytest.mark.parametrize(
    ("language", "forms"),
    [("ko", 1), ("th", 1), ("en", 2), ("ru", 3), ("ar", 6), ("xx", 2)],
)
def test_a_new_catalog_has_the_plurals_of_its_language(
    tmp_path: Path, language: str, forms: int
) -> None:
    (path,) = update(pots(tmp_path, "One rank"), tmp_path / "locales", [language])

    header = catalogs.read(path).metadata
    assert header["Language"] == language
    start = re.escape(f"nplurals={forms}; plural=")
    assert re.fullmatch(f"{start}[^;]+;", header["Plural-Forms"])


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


def test_pages_may_be_written_in_another_language_than_english() -> None:
    templates = {PAGE: template("Ein Rang"), Path("sphinx"): template("Search")}

    german, english = (
        merge_language(templates, {}, language, pages_in="de")
        for language in ("de", "en")
    )

    assert translated(german[PAGE]) == {"Ein Rang": "Ein Rang"}
    assert translated(german[Path("sphinx")]) == {"Search": ""}
    assert translated(english[PAGE]) == {"Ein Rang": ""}
    assert translated(english[Path("sphinx")]) == {"Search": "Search"}
