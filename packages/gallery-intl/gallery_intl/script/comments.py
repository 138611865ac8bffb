"""Find the comments in Python code that a person should read, and translate them.

A run of comment lines of one indentation is one message; a comment after code is
another. An empty comment line, an item of a list and each line set in by four spaces
begin a new message, so that such a layout stays. No messages are directives
(``# noqa``), bare shapes (``# (batch, features)``), lines without a word, and lines
that say to tools and lawyers who wrote the script, and what its licence is.
"""

import re
import tokenize
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from gallery_intl.script.files import File, file_of, is_writable
from gallery_intl.script.source import tokens
from gallery_intl.text.wrapping import LINE_LENGTH, display_width, one_line, wrap

DIRECTIVE = re.compile(
    r"#\s*(?:(?i:noqa|nosec|nopep8|pragma)\b|-\*-|vim?:|sphinx_gallery_\w|language="
    r"|(?:type|fmt|ruff|flake8|yapf|isort|mypy|pyright|pylint|cython)\s*:)"
    r"|^#(?:!|\s?%%|\s?In\[|#{19})"
)
CREDIT = re.compile(
    r"#\s*(?:SPDX-[\w-]+:|(?i:(?:authors?|code source|maintainers?|licen[cs]e)\s*:"
    r"|copyright\s*(?:\(c\)|©|:|\d)|\(c\)|©))"
)
MORE_NAMES = re.compile(r"#\s{3,}\S")  # below the first author
CODING = re.compile(r"#.*?coding[:=][ \t]*[-\w.]")  # PEP 263, in lines 1 and 2
LINE = re.compile(r"(?P<lead>#+:?\s*(?:(?:[-*+•]|\d+[.)])\s+)?)(?P<text>.*)")
ADDRESS = re.compile(r"<?https?://\S+")
WORD = re.compile(r"[^\W\d_]")
NUMBER = re.compile(r"[\d.,:]*\d[.,:;!?)%]+$")  # it may end a sentence
UNWRITABLE = re.compile(r"[\0\ud800-\udfff]")  # no source file can hold these
SET_IN = re.compile(r"#+:?\s{4,}$")
WIDTHS = (LINE_LENGTH, LINE_LENGTH - 10, 10**6)  # the last: one line

_SIZE = r"[\w.]+(?:\s*[-+*/]\s*[\w.]+)*"
_GROUP = rf"[(\[]\s*(?:{_SIZE}\s*,\s*)*(?:{_SIZE})?\s*[)\]]"
_ATOM = rf"{_GROUP}|->|=>|\.\.\.|\d+\s*x\s*(?=\d)|[\s,=:*@/+\d]"
SHAPE = re.compile(rf"(?=.*(?:[\d,]|\.\.\.))(?:{_ATOM})+")


class Comment(NamedTuple):
    """A comment to translate, and what stands around it."""

    line: int  # first and last line, from 1
    end: int
    column: int  # where its ``#`` stands in the first line
    lead: str  # "# ", or "# - " for an item of a list
    message: str
    tail: str  # a directive that follows in the same comment

    @property
    def hang(self) -> str:
        """Return what stands before the message in all lines but the first."""
        return self.lead.rstrip(" \t-*+•0123456789.)").ljust(len(self.lead))


Lookup = Callable[[str], str | None]


@lru_cache(maxsize=256)  # a page counts its comments, then translates them
def comments(code: str, first_line: int = 1) -> tuple[Comment, ...]:
    """Return the comments of Python code that are messages, in order.

    ``first_line`` is the number of the code's first line in its script; lines are
    counted from there. Of a block that writes a file they are those of the file. Raises
    `SyntaxError` if the code cannot be tokenized.
    """
    if file := file_of(code):
        return comments(file.text, first_line + file.line - 1)
    lines = code.split("\n")
    candidates: list[Comment] = []
    run: Comment | None = None  # the comment that the next line may continue
    skipped = _credits(lines)
    for token in tokens(code):
        row, column = token.start
        if token.type != tokenize.COMMENT or row in skipped:
            continue
        comment = _comment(token.string, first_line + row - 1, column)
        alone = not lines[row - 1][:column].strip()
        if comment and run and alone and _continues(comment, run):
            message = f"{run.message} {comment.message}"
            run = run._replace(end=comment.end, message=message, tail=comment.tail)
            candidates[-1] = run
        elif comment and WORD.search(ADDRESS.sub("", comment.message)):
            run = comment if alone else None
            candidates.append(comment)
        else:
            run = None
    return tuple(x for x in candidates if not SHAPE.fullmatch(x.message))


def _credits(lines: list[str]) -> set[int]:
    """Return the lines, from 1, that name authors or a licence."""
    rows = set[int]()
    for row, line in enumerate(map(str.strip, lines), start=1):
        if CREDIT.match(line) or (row - 1 in rows and MORE_NAMES.match(line)):
            rows.add(row)
    return rows


def _comment(text: str, line: int, column: int) -> Comment | None:
    """Read one line's comment; None if it has nothing to translate."""
    if line <= 2 and CODING.match(text):
        return None
    directive = DIRECTIVE.search(text)
    prose = text[: directive.start()] if directive else text
    match = LINE.match(prose)
    if not match or not (WORD.search(match["text"]) or NUMBER.match(match["text"])):
        return None
    tail = text[len(prose.rstrip()) :] if directive else ""
    return Comment(line, line, column, match["lead"], one_line(match["text"]), tail)


def _continues(comment: Comment, run: Comment) -> bool:
    """Return whether a comment line continues the message of the lines above it."""
    if comment.line != run.end + 1 or comment.column != run.column or run.tail:
        return False
    in_list = run.lead != run.hang
    return comment.lead == run.hang and (in_list or not SET_IN.match(run.lead))


def replace_comments(
    code: str, lookup: Lookup, first_line: int, refused: list[Comment]
) -> str:
    """Put translations in the place of comments; what is no Python stays as it is.

    ``lookup`` gives the translation of a message, or None: then the comment stays as it
    is, and so does one (which goes to ``refused``) whose translation could not stand as
    a comment: ``# noqa`` speaks to tools. Comment lines are wrapped as wide as
    `LINE_LENGTH`. A comment after code that gets too long goes above its line, where
    nothing stands in its way.
    """
    if file := file_of(code):
        return _replace_in_file(file, lookup, first_line, refused)
    lines = code.split("\n")
    try:
        originals, roomy = comments(code, first_line), _roomy_lines(code)
    except SyntaxError:
        return code
    for comment in reversed(originals):
        translation = one_line(lookup(comment.message) or "")
        if not translation or translation == comment.message:
            continue
        start, end = comment.line - first_line, comment.end - first_line + 1
        new = _translated(comment, translation, lines[start], start in roomy)
        if new is not None:
            lines[start:end] = new
        else:
            refused.append(comment)
    return "\n".join(lines)


def _replace_in_file(
    file: File, lookup: Lookup, first_line: int, refused: list[Comment]
) -> str:
    """Translate the program in a string, which cannot hold every letter."""

    def writable(message: str) -> str | None:
        text = lookup(message) or ""
        return text if is_writable(text) else None

    first = first_line + file.line - 1
    refused += [x for x in comments(file.text, first) if writable(x.message) is None]
    text = replace_comments(file.text, writable, first, refused)
    return f"{file.before}{text}{file.after}"


def _translated(
    comment: Comment, translation: str, line: str, above: bool
) -> list[str] | None:
    """Return the lines of a comment and of the code before it, on one if that fits."""
    before = line[: comment.column]
    code, indent = before.rstrip(), before[: len(before) - len(before.lstrip())]
    lines = _lines(comment, translation, indent)
    if lines is None or not code:
        return lines
    beside = before + comment.lead + translation + comment.tail
    limit = max(LINE_LENGTH, display_width(line))
    if comment.tail or not above or display_width(beside) <= limit:
        return [beside]
    return [*lines, code]


def _lines(comment: Comment, translation: str, indent: str) -> list[str] | None:
    """Return the comment lines of a translation; None if it would be something else.

    An end such as ``12`` is no comment on a line of its own: then lines are shorter, or
    it is one.
    """
    if UNWRITABLE.search(translation):
        return None
    hang = indent.replace("\f", "") + comment.hang
    for width in WIDTHS[-1:] if SET_IN.match(comment.lead) else WIDTHS:
        lines = wrap(translation, indent + comment.lead, hang, width)
        expected = (comment.line, comment.line + len(lines) - 1, "")
        parsed = comments("\n".join(lines), comment.line)
        if [(other.line, other.end, other.tail) for other in parsed] == [expected]:
            return [*lines[:-1], lines[-1] + comment.tail]
    return None


def _roomy_lines(code: str) -> set[int]:
    """Return the lines, from 0, above which a comment line may be put."""
    lines = code.split("\n")
    return {
        row - 1
        for row, column in (token.start for token in tokens(code))
        if 1 < row <= len(lines)  # above the first line a text block may end
        and not lines[row - 1][:column].strip()
        and not lines[row - 2].endswith("\\")
        and not lines[row - 2].lstrip().startswith("#")
    }
