"""Messages: what is kept of figures, and what each message is."""

import polib
import pytest

from gallery_intl.catalogs.labels import LABEL, keep_labels
from gallery_intl.page.collect import beside
from gallery_intl.page.diff import changes
from gallery_intl.script.comments import comments


def messages(*known: str) -> polib.POFile:
    """Make a catalog of messages; words in capitals are labels."""
    file = polib.POFile()
    for text in known:
        comment = f"{LABEL}: alt text" if text == "ALT" else LABEL
        comment = comment if text.isupper() else "paragraph"
        file.append(polib.POEntry(msgid=text, msgstr=text, comment=comment))
    return file


def test_labels_keep_their_places_among_messages_that_change() -> None:
    english = messages("ONE", "a", "ALT", "TWO", "b", "c", "THREE")
    template = messages("new", "a", "c", "b")

    keep_labels(template, english)

    order = ["ONE", "new", "a", "ALT", "TWO", "c", "THREE", "b"]
    assert [entry.msgid for entry in template] == order
    assert not any(entry.msgstr for entry in template if entry.msgid.isupper())


def test_a_label_that_is_a_text_below_its_figure_stays_at_the_figure() -> None:
    english = messages("a", "DDP", "STEP", "b", "c")
    template = messages("a", "b", "ddp", "c")
    template[2].msgid = "DDP"  # a cell of a table, where no figure was drawn

    keep_labels(template, english)

    assert [entry.msgid for entry in template] == ["a", "DDP", "STEP", "b", "c"]


def test_a_label_that_is_also_text_stays_both() -> None:
    template, english = messages("a"), messages("a")
    english[0].comment = f"{LABEL}\nparagraph"

    keep_labels(template, english)

    assert [entry.comment for entry in template] == [english[0].comment]


def test_a_comment_above_another_is_about_the_code_below_both() -> None:
    code = "# first\n\n# second\nx = 1\n# last"

    assert [beside(code, 1, comment) for comment in comments(code)] == [
        "comment above: x = 1",
        "comment above: x = 1",
        "comment",
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a\nb\nc", "a\nB\nB2\nc", ["-b\n+B\n+B2"]),
        ("a\nc", "a\nb\nc", [" a\n+b\n c"]),
        ("a", "a\nb", [" a\n+b"]),
        ("a\nb\nc", "A\nb\nC", ["-a\n+A\n b\n-c\n+C"]),
        ("a\n1\n2\nb", "c\n1\n2\nd", ["-a\n+c", "-b\n+d"]),
        ("a\nb", "a\n\n\nb", []),
    ],
)
def test_changes_that_one_line_divides_are_one(
    old: str, new: str, expected: list[str]
) -> None:
    found = changes(old.split("\n"), new.split("\n"))

    assert ["\n".join(lines) for lines in found] == expected
