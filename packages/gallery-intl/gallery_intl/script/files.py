r'''Let a script hold whole programs, each in a string that it writes to a file::

    # language=Python
    (folder / "pool.py").write_text("""\
    print("hello")
    """, encoding="utf-8")

Such a block stands alone. A page shows the file: its name, its highlighted text, and a
download; a notebook writes it with ``%%writefile``; comments in it are translated. The
first line tells editors, too, which language the string has. For the string to be the
file's very text, neither a backslash nor three quotes may be in it.
'''

import re
from typing import NamedTuple

MARK = "# language=Python"
_START = rf'^{MARK}\n\((?P<folder>\w+) / "(?P<name>[\w.-]+)"\)\.write_text\("""\\\n'
_END = r'^""", encoding="utf-8"\)'
FILE = re.compile(
    rf'(?P<start>{_START})(?P<text>(?:(?!""")[^\\])*)(?P<end>{_END})$', re.MULTILINE
)
CELL = re.compile(
    r"%%writefile \{(?P<folder>\w+)\}/(?P<name>[\w.-]+)\n(?P<text>.*)", re.S
)


class File(NamedTuple):
    """A program in a script, and what stands around it."""

    folder: str  # the variable that holds it
    name: str
    text: str
    line: int  # of its first line in the source, from 1
    before: str
    after: str

    def cell(self) -> str:
        """Return the cell of a notebook that writes the file."""
        return f"%%writefile {{{self.folder}}}/{self.name}\n{self.text}".strip("\n")


def file_of(code: str) -> File | None:
    """Return the file that a block of code writes, if it does nothing else."""
    match = FILE.search(code)
    if match is None or (code[: match.start()] + code[match.end() :]).strip():
        return None
    return _file(match)


def emptied(source: str) -> tuple[str, list[File]]:
    """Return a script, line by line, with nothing in its files; and the files."""
    files = [_file(match) for match in FILE.finditer(source)]
    return FILE.sub(
        lambda x: f"{x['start']}{x['end']}{_lines(x['text'])}", source
    ), files


def is_writable(text: str) -> bool:
    """Return whether a text can be part of a file in a script."""
    return "\\" not in text and '"' * 3 not in text


def statement(cell: str) -> str:
    """Return what a script has in the place of a notebook's cell."""
    if not (match := CELL.fullmatch(cell)):
        return cell
    head = f'{MARK}\n({match["folder"]} / "{match["name"]}").write_text("""\\\n'
    return f'{head}{match["text"]}\n""", encoding="utf-8")'


def _file(match: re.Match[str]) -> File:
    start, end = match.span("text")
    before, after = match.string[:start], match.string[end:]
    line = before.count("\n") + 1
    return File(match["folder"], match["name"], match["text"], line, before, after)


def _lines(text: str) -> str:
    return "\n" * text.count("\n")
