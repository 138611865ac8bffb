"""What is left to translate, named by file and line."""

from pathlib import Path

import pytest

from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs import progress
from gallery_intl.catalogs.todo import changes, todo

PAGE = """\
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "Done."
msgstr "끝."

#, fuzzy
#| msgid "Every rank calls it, and then each of the others waits for it."
msgid "Every rank must call it, and then each of the others waits for it."
msgstr "모든 랭크가 호출합니다."

msgid ""
"A long paragraph of which the beginning is enough, "
"because its line is named too."
msgstr ""

msgid "In English."
msgstr "In English."

#, fuzzy
msgid "From another tool."
msgstr "다른 도구."

#~ msgid "gone"
#~ msgstr ""
"""


@pytest.fixture
def locales(tmp_path: Path) -> Path:
    for name in ("sphinx", "topic/page"):
        path = catalogs.po_path(tmp_path, "ko", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PAGE, encoding="utf-8")
    return tmp_path


def test_each_message_that_is_left_has_a_line(locales: Path) -> None:
    path = catalogs.po_path(locales, "ko", "topic/page")

    found = [str(item) for item in todo(locales, "ko")][:4]

    assert found == [
        f"{path}:9: fuzzy: Every rank [-calls-] {{+must call+}} it, and then …",
        f"{path}:12: untranslated: A long paragraph of which the beginning is"
        " enough, because …",
        f"{path}:17: in English: In English.",
        f"{path}:21: fuzzy: From another tool.",
    ]


def test_it_is_all_that_progress_counts_as_left(locales: Path) -> None:
    rows = progress.table(locales, ["ko"])
    left = progress.totals(rows, ["ko"])["ko"]

    items = [*todo(locales, "ko")]

    assert len(items) == left.fuzzy + left.untranslated == 8
    assert sum(item.state == "fuzzy" for item in items) == left.fuzzy
    assert items[-1].path.stem == "sphinx"  # the interface's behind the pages


def test_what_the_catalog_has_lost_is_left_too(locales: Path) -> None:
    english = catalogs.po_path(locales, "en", "topic/page")
    english.parent.mkdir(parents=True)
    english.write_text(f'{PAGE}\nmsgid "Lost."\nmsgstr "Lost."\n', encoding="utf-8")

    found = [str(item) for item in todo(locales, "ko")]

    path = catalogs.po_path(locales, "ko", "topic/page")
    assert f"{path}:1: untranslated: Lost." in found


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("a b c", "a c", "a [-b-] c"),
        ("a c", "a b c", "a {+b+} c"),
        ("one two", "three", "[-one two-] {+three+}"),
        (
            "0 a b c d e f g h i j 1",
            "2 a b c d e f g h i j 3",
            "[-0-] {+2+} a b c … h i j [-1-] {+3+}",
        ),
        ("a b c d e f", "a b c d e g", "… c d e [-f-] {+g+}"),
        ("only\nlines differ", "only lines  differ", ""),
        ("the " * 300 + "end", "the " * 300 + "ends", "… the the the [-end-] {+ends+}"),
    ],
)
def test_the_words_that_differ_stand_among_those_beside_them(
    old: str, new: str, said: str
) -> None:
    assert changes(old, new) == said
