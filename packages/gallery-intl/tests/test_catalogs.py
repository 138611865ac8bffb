"""Catalogs: read with clear errors, written in one form, never half."""

import gettext
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gallery_intl.catalogs import po as catalogs
from gallery_intl.files import replace_file

HEADER = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "page.po"
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(HEADER.encode() + data)
    return path


BROKEN = {
    "an open quote": ('msgid "a"\nmsgstr "b\n', 6, 'closing "'),
    "a quote inside": ('msgid "a"\nmsgstr "b"c"\n', 6, "unescaped"),
    "no keyword": ("msgid \"a\"\nmsgst 'b'\n", 6, "syntax error"),
    "bytes of another encoding": (b'msgid "a"\nmsgstr "\xc7\xd1"\n', 6, "UTF-8"),
    "a NUL": ('msgid "a"\nmsgstr "b\0"\n', 6, "U+0000"),
    "a message twice": (
        'msgid "a"\nmsgstr "b"\n\nmsgid "a"\nmsgstr "c"\n',
        8,
        "already at line 5",
    ),
}


@pytest.mark.parametrize(("text", "line", "words"), BROKEN.values(), ids=BROKEN)
def test_a_broken_catalog_is_named_with_its_line(
    tmp_path: Path, text: str | bytes, line: int, words: str
) -> None:
    path = write(tmp_path, text)

    with pytest.raises(catalogs.CatalogError) as error:
        catalogs.read(path)

    assert str(error.value).startswith(f"{path}:{line}: ")
    assert words in str(error.value)


def test_fuzzy_empty_and_obsolete_messages_are_not_shown(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        'msgid "a"\nmsgstr "A"\n\n#, fuzzy\nmsgid "b"\nmsgstr "B"\n\n'
        'msgid "c"\nmsgstr ""\n\n#~ msgid "d"\n#~ msgstr "D"\n',
    )

    assert catalogs.translations(path) == {"a": "A"}


def test_writing_what_was_read_changes_no_byte(tmp_path: Path) -> None:
    path = write(tmp_path, 'msgid "a"\nmsgstr "나"\n')
    catalogs.write(path, catalogs.read(path))
    before = path.read_bytes()

    changed = catalogs.write(path, catalogs.read(path))

    assert not changed
    assert path.read_bytes() == before


def test_a_file_is_whole_or_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "page.po"
    path.write_text("old")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", stop)
    with pytest.raises(KeyboardInterrupt):
        replace_file(path, b"new")

    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_catalog_without_an_encoding_is_compiled_as_what_it_is(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "ko" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    path = folder / "page.po"
    entry = 'msgid "a"\nmsgstr "현황"\n'
    path.write_text(f'msgid ""\nmsgstr "Language: ko\\n"\n\n{entry}', encoding="utf-8")

    catalogs.compile_language(tmp_path, "ko")

    with path.with_suffix(".mo").open("rb") as file:
        assert gettext.GNUTranslations(file).gettext("a") == "현황"


PIECES = st.sampled_from(
    [
        *("msgid ", "msgstr ", "msgctxt ", "msgid_plural ", "msgstr[0] ", '"', "\\n"),
        *("a", "\n", "\\", "#", "~", ", fuzzy", "|", "[", "9", ":", " ", "\r", "é"),
        *('msgid ""\nmsgstr "charset=x\\n"\n', '"Plural-Forms: x\\n"\n'),
    ]
)


@given(st.lists(PIECES, max_size=25).map("".join))
@settings(max_examples=200, derandomize=True, deadline=None, database=None)
def test_a_catalog_is_read_or_refused_with_its_line(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "page.po")
        path.write_text(text, encoding="utf-8", newline="")

        error = error_of(path)

    assert not error or re.match(r".*/page\.po:[1-9]\d*: ", error)


def error_of(path: Path) -> str:
    """Return why a catalog is refused, "" if it is read."""
    try:
        catalogs.read(path)
    except catalogs.CatalogError as error:
        return str(error)
    return ""
