"""Our catalogs: the same messages in every language, each where it says it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import polib
import pytest
from paths import PROJECT

from gallery_intl.catalogs import po as catalogs
from gallery_intl.interface.words import messages_of_sphinx

TRANSLATED = ("ko", "zh_CN", "ja")
each_translation = pytest.mark.parametrize("language", TRANSLATED)


def pages_catalogs(language: str) -> Iterator[tuple[str, polib.POFile]]:
    """Give the catalogs of a language, each with the name of its page."""
    for place in ("locales", "packages/gallery-intl/gallery_intl/locales"):
        folder = PROJECT / place / language / "LC_MESSAGES"
        for path in sorted(folder.rglob("*.po")):
            name = path.relative_to(folder).with_suffix("").as_posix()
            yield name, catalogs.read(path)


@each_translation
def test_all_languages_translate_the_same_messages(language: str) -> None:
    def messages(language: str) -> dict[str, list[str]]:
        return {
            name: sorted(entry.msgid for entry in catalogs.active(catalog))
            for name, catalog in pages_catalogs(language)
        }

    assert messages(language) == messages("en")


def test_a_new_language_finds_all_words_of_sphinx_translated_by_the_others() -> None:
    words = {text for text, _place in messages_of_sphinx()}

    english = dict(pages_catalogs("en"))[catalogs.INTERFACE]
    assert len(words) > 40
    assert words <= {entry.msgid for entry in catalogs.active(english)}


def test_a_message_of_the_gallery_stands_in_the_file_that_its_catalog_names() -> None:
    wrong = [
        f"{name}.po:{entry.linenum}: {file} has not {entry.msgid[:40]!r}"
        for name, catalog in pages_catalogs("en")
        if (PROJECT / "gallery" / f"{name.removeprefix('tutorials/')}.py").is_file()
        for entry in catalogs.active(catalog)
        for file, _line in entry.occurrences or [("", "")]
        if not stands_in(entry.msgid, PROJECT / file)
    ]

    assert not wrong, "\n".join(wrong)


def stands_in(message: str, path: Path) -> bool:
    """Tell whether a message begins on a line of a file."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    first = re.escape(message.split()[0])
    starts = (text[x.start() :].split("\n", 1)[0] for x in re.finditer(first, text))
    return message[:20] in text or any(
        message.startswith(start.rstrip('" ')) for start in starts
    )


def test_no_catalog_depends_on_the_machine_that_made_it() -> None:
    places = [
        f"{name}.po:{entry.linenum}: {file}"
        for name, catalog in pages_catalogs("en")
        for entry in catalogs.active(catalog)
        for file, _line in entry.occurrences
        if file.startswith((".venv", "/", "..")) or "site-packages" in file
    ]

    assert not places, "\n".join(places)


def test_every_message_of_our_catalogs_says_what_it_is() -> None:
    for path in (PROJECT / "locales").rglob("*.po"):
        silent = [
            f"{path}:{entry.linenum}"
            for entry in catalogs.active(catalogs.read(path))
            if not entry.comment
        ]
        assert silent == []
    english = catalogs.po_path(PROJECT / "locales", "en", "sphinx")
    assert {entry.comment for entry in catalogs.read(english)} == {"interface"}
