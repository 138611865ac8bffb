"""Our catalogs: each message stands where it says, and says what it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import polib
from paths import PROJECT

from gallery_intl.catalogs import po as catalogs
from gallery_intl.interface.words import messages_of_sphinx


def pages_catalogs() -> Iterator[tuple[str, polib.POFile]]:
    """Yield the English catalogs, each with the name of its page."""
    folder = PROJECT / "locales/en/LC_MESSAGES"
    for path in sorted(folder.rglob("*.po")):
        yield path.relative_to(folder).with_suffix("").as_posix(), catalogs.read(path)


def test_a_new_language_finds_all_words_of_sphinx_translated_by_the_others() -> None:
    words = {text for text, _place in messages_of_sphinx()}

    english = dict(pages_catalogs())[catalogs.INTERFACE]
    assert len(words) > 40
    assert words <= {entry.msgid for entry in catalogs.active(english)}


def test_a_message_of_the_gallery_stands_in_the_file_that_its_catalog_names() -> None:
    wrong = [
        f"{name}.po:{entry.linenum}: {file} has not {entry.msgid[:40]!r}"
        for name, catalog in pages_catalogs()
        if (PROJECT / "gallery" / f"{name.removeprefix('tutorials/')}.py").is_file()
        for entry in catalogs.active(catalog)
        for file, _line in entry.occurrences or [("", "")]
        if not stands_in(entry.msgid, PROJECT / file)
    ]

    assert not wrong, "\n".join(wrong)


def stands_in(message: str, path: Path) -> bool:
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    first = re.escape(message.split()[0])
    starts = (text[x.start() :].split("\n", 1)[0] for x in re.finditer(first, text))
    return message[:20] in text or any(
        message.startswith(start.rstrip('" ')) for start in starts
    )


def test_no_catalog_depends_on_the_machine_that_made_it() -> None:
    places = [
        f"{name}.po:{entry.linenum}: {file}"
        for name, catalog in pages_catalogs()
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
