"""What changes from one program of a script to another, the same in every language."""

from __future__ import annotations

from gallery_intl.script.changes import as_text, changes, name, pieces
from gallery_intl.script.files import File


def file(text: str, line: int = 1) -> File:
    return File("folder", "x.py", text, line, "", "")


def texts(old: str, new: str) -> list[str]:
    """Return the changes between two programs, as in the author's language."""
    both = (list(pieces(file(text), file(text))) for text in (old, new))
    return [as_text(change) for change in changes(*both)]


def test_what_is_replaced_is_shown_alone() -> None:
    assert texts("a\nb\nc\n", "a\nB\nB2\nc\n") == ["-b\n+B\n+B2"]


def test_what_is_added_stands_between_its_neighbours() -> None:
    assert texts("a\nc\n", "a\nb\nc\n") == [" a\n+b\n c"]
    assert texts("a\n\nc\n", "a\n\nb\nc\n") == ["+b\n c"]
    assert texts("a\n", "a\nb\n") == [" a\n+b"]


def test_one_equal_line_stands_inside_a_change_and_two_between_changes() -> None:
    assert texts("a\nb\nc\n", "A\nb\nC\n") == ["-a\n+A\n b\n-c\n+C"]
    assert texts("a\nb\n\nc\n", "A\nb\n\nC\n") == ["-a\n+A", "-c\n+C"]


def test_empty_lines_are_no_change() -> None:
    assert texts("a\nb\n", "a\n\n\nb\n") == []
    assert texts("a\nb\n", "\na\nc\n\nd\n\n") == ["-b\n+c\n+\n+d"]
    assert texts("a\n\nb\n", "c\nb\n") == ["-a\n+c"]


def test_two_empty_lines_part_changes_as_others_do() -> None:
    assert texts("a\n\n\nb\n", "c\n\n\nd\n") == ["-a\n+c", "-b\n+d"]
    assert texts("a\n\nb\n", "c\n\nd\n") == ["-a\n+c\n \n-b\n+d"]


def test_comment_lines_above_code_are_one() -> None:
    assert texts("# one\n# two\na\n", "# one\n# 2\na\n") == [
        "-# one\n-# two\n+# one\n+# 2"
    ]
    assert texts("a\n", "a\n# the end\n") == [" a\n+# the end"]


def test_a_language_shows_its_comments_and_has_the_same_changes() -> None:
    old, new = "# One.\na\nb  # beside\n", "# Two.\na\nB  # beside\nc\n"
    same = "# 하나.\n# 둘.\na\n# 길다\nb\n", "# 하나.\n# 둘.\na\n# 길다\nB\nc\n"

    both = [
        list(pieces(file(text), file(shown)))
        for text, shown in zip((old, new), same, strict=True)
    ]

    assert [as_text(change) for change in changes(*both)] == [
        "-# 하나.\n-# 둘.\n+# 하나.\n+# 둘.\n a\n-# 길다\n-b\n+# 길다\n+B\n+c"
    ]
    for found, text in zip(both, same, strict=True):
        assert "\n".join(line for piece in found for line in piece.shown) + "\n" == text


def test_a_change_is_named_by_its_lines_in_the_script() -> None:
    old, new = file("a\nb\nc\n", 10), file("a\n# d\n# e\nc\nf\n", 20)

    (change,) = changes(list(pieces(old, old)), list(pieces(new, new)))

    assert name(change) == "lines 11-11, 21-24: '-b'"
