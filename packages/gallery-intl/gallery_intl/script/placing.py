"""Put translated text back into the script that it was written in.

A message is found by its words, so only the lines that hold it change: its paragraph
is wrapped again, and its title gets an underline of its own width.
"""

import ast
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from gallery_intl.script.source import NOQA, Block, blocks
from gallery_intl.text.wrapping import LINE_LENGTH, display_width, one_line, wrap

# what may be before a message in its first line: list markers, a field, a directive
PREFIX = re.compile(
    r"\s*(?:(?:[*+-]|\(?(?:\d+|#)[.)]|:[^:`]+:|\.\. \[[^]]+\]|\.\. [\w:-]+::)\s+)*"
)
UNDERLINE = re.compile(r"\s*([!-/:-@[-`{-~])\1*\s*$")
# directives whose argument is a title, which has to stay on one line
TITLED = re.compile(r"\.\. (?:rubric|admonition|topic|sidebar|(?:[\w-]+-)?table)::")
Changes = dict[int, tuple[int, list[str]]]  # by first row: number of rows, new lines


class Line(NamedTuple):
    """A line of text in a script."""

    before: str  # ``# ``, or the quotes that begin the docstring
    text: str
    after: str  # the quotes that end the docstring
    quotes: str  # the docstring's, with its ``r``; "" in a comment

    def write(self, text: str, first: bool, last: bool) -> str:
        """Return the script's line with another text."""
        before = self.before if first or not self.quotes else ""
        written = f"{before}{self.escape(text)}{self.after if last else ''}"
        return written if self.after else written.rstrip()

    def escape(self, text: str) -> str:
        """Return a text as it has to be written between the docstring's quotes."""
        if not self.quotes or "r" in self.quotes.lower():
            return text
        quote = self.quotes[-1]
        inner = text.rstrip(quote) if self.after else text
        trailing = f"\\{quote}" * (len(text) - len(inner))
        inner = inner.replace("\\", "\\\\").replace(quote * 3, f"\\{quote}" * 3)
        return inner + trailing


def write_lines(first: Line, last: Line, texts: list[str]) -> list[str]:
    """Return the script's lines of other texts, in place of those between two."""
    line, end = last._replace(before=first.before), len(texts) - 1
    return [line.write(text, row == 0, row == end) for row, text in enumerate(texts)]


class Place(NamedTuple):
    """Where a message is in a script."""

    row: int  # its first line, from 0
    end: int  # the line after its last
    head: str  # what is before it in its first line


def text_lines(script: str) -> dict[int, Line]:
    """Return the lines of a script's docstring and text blocks by number, from 1."""
    lines: dict[int, Line] = {}
    for block in blocks(script):
        if block.kind == "docstring":
            lines |= _docstring(block)
        elif block.kind == "text":
            lines |= _comment(block)
    return lines


def _comment(block: Block) -> dict[int, Line]:
    lines = block.source.rstrip("\n").split("\n")
    margins = [len(x[1:]) - len(x[1:].lstrip()) for x in lines[1:] if x[1:].strip()]
    before = "#" + " " * min(margins, default=1)
    return {
        block.line + row: Line(before, line[len(before) :].rstrip(), "", "")
        for row, line in enumerate(lines)
        if row
    }


def _docstring(block: Block) -> dict[int, Line]:
    """Return a docstring's lines; none if its source is not written line by line."""
    source = block.source.rstrip("\n")
    match = re.match(r"\s*([rRuU]?)(\"\"\"|''')", source)
    texts = str(ast.literal_eval(source.strip())).split("\n") if match else []
    if not match or len(texts) != source.count("\n") + 1:
        return {}
    quotes, last = match[0].strip(), len(texts) - 1
    return {
        block.line + row: Line(
            "" if row else match[0],
            text.rstrip(),
            quotes[-3:] if row == last else "",
            quotes,
        )
        for row, text in enumerate(texts)
    }


class Texts:
    """The lines of text in a script, of which messages become others."""

    def __init__(self, script: str) -> None:
        self.source = script.split("\n")
        self.lines = text_lines(script)
        self.shown = [
            NOQA.sub("", self.lines[row].text) if row in self.lines else ""
            for row in range(1, len(self.source) + 1)
        ]
        self.flat = list(map(one_line, self.shown))
        self.whole = ""  # the flat lines; an empty one ends a paragraph
        self.starts: list[int] = []
        for line in self.flat:
            self.starts.append(len(self.whole))
            self.whole += f"{line} " if line else "\n"
        self.taken: set[int] = set()
        self.changes: Changes = {}

    def find(self, message: str) -> Iterator[Place]:
        """Yield the places of a message that no other has taken."""
        text, position = f"{one_line(message)} ", -1
        while (position := self.whole.find(text, position + 1)) >= 0:
            row = bisect_right(self.starts, position) - 1
            end = bisect_right(self.starts, position + len(text) - 1)
            before = self.flat[row][: position - self.starts[row]]
            ends_line = position + len(text) == self.starts[end - 1] + len(
                f"{self.flat[end - 1]} "
            )
            is_free = self.taken.isdisjoint(range(row, end))
            if ends_line and is_free and PREFIX.fullmatch(before):
                yield Place(row, end, self.head(row, before))

    def head(self, row: int, before: str) -> str:
        """Return what is before a message in a row, with the spaces as they are."""
        line, rest = self.shown[row], self.flat[row][len(before) :].lstrip()
        starts = (
            at
            for at, letter in enumerate(line)
            if not letter.isspace() and one_line(line[at:]) == rest
        )
        return line[: next(starts, 0)]

    def take(self, place: Place) -> None:
        self.taken.update(range(place.row, place.end))

    def replace(self, place: Place, text: str) -> None:
        """Put another text in the place of a message, in a layout of its own."""
        count, row, head = place.end - place.row, place.row, place.head
        below = self.shown[place.end] if place.end < len(self.shown) else ""
        if UNDERLINE.fullmatch(below) and below.strip():
            self.changes[row] = count, [head + text]
            self.change_rules(row, head + text)
        elif TITLED.search(head) or self.is_term(place, below):
            self.changes[row] = count, [head + text]
        else:
            width = LINE_LENGTH - len("# ")
            lines = wrap(text, head, self.indentation(place), width)
            self.changes[row] = count, lines

    def is_term(self, place: Place, below: str) -> bool:
        """Return whether the next line, which is set in, explains this one."""
        if place.end - place.row > 1 or not below.strip() or place.head.strip():
            return False
        return len(below) - len(below.lstrip()) > len(place.head)

    def indentation(self, place: Place) -> str:
        """Return what precedes the second line of a message, and those after it."""
        if place.end - place.row > 1:
            second = self.shown[place.row + 1]
            return second[: -len(second.lstrip())]
        indent = place.head[: len(place.head) - len(place.head.lstrip())]
        is_directive = place.head.lstrip().startswith("..")
        return f"{indent}   " if is_directive else " " * len(place.head)

    def change_rules(self, row: int, title: str) -> None:
        """Make the lines under and over a title as long as it."""
        below = self.shown[row + 1]
        above = self.shown[row - 1] if row else ""
        sign = below.strip()[0]
        if above.strip() != below.strip():
            self.changes[row + 1] = 1, [sign * display_width(title.strip())]
            return
        indent = len(title) - len(title.lstrip())
        rule = sign * (display_width(title.rstrip()) + indent)
        self.changes[row - 1] = self.changes[row + 1] = 1, [rule]

    def written(self) -> str:
        source = self.source[:]
        for row in sorted(self.changes, reverse=True):
            count, texts = self.changes[row]
            first, last = self.lines[row + 1], self.lines[row + count]
            source[row : row + count] = write_lines(first, last, texts)
        return "\n".join(source)


def place(
    script: str,
    messages: Mapping[str, str | None],
    finish: Callable[[str], str] = lambda text: text,
) -> tuple[str, set[str]]:
    """Put translations in the places of a script's messages.

    ``messages`` has all messages of the page, with None where the text stays. Each
    text that is placed, and each that stays, is finished by ``finish``. Returns the
    new script, and the messages that it holds.
    """
    texts, found = Texts(script), set[str]()
    for message in sorted(messages, key=len, reverse=True):
        text = messages[message]
        for at in list(texts.find(message)):
            found.add(message)
            texts.take(at)
            new = finish(one_line(message) if text is None else text)
            if new != one_line(message):
                texts.replace(at, new)
    for at in list(leftovers(texts)):
        text = " ".join(texts.flat[at.row : at.end])[len(one_line(at.head)) :].strip()
        if (new := finish(text)) != text:
            texts.replace(at, new)
    return texts.written(), found


def leftovers(texts: Texts) -> Iterator[Place]:
    """Yield the paragraphs that are no messages: those of links only."""
    row = 0
    while row < len(texts.flat):
        end = row + 1
        if texts.flat[row] and row not in texts.taken:
            head = PREFIX.match(texts.shown[row])
            while (
                end < len(texts.flat)
                and texts.flat[end]
                and end not in texts.taken
                and PREFIX.sub("", texts.shown[end]) == texts.shown[end].lstrip()
            ):
                end += 1
            yield Place(row, end, head[0] if head else "")
        row = end
