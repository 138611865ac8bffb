"""Read a gallery script: its blocks, its program, and what it imports.

Everything here works on the text of a script and knows neither Sphinx nor catalogs.
"""

import ast
import io
import re
import sys
import tokenize
from functools import lru_cache
from itertools import dropwhile, zip_longest
from typing import Literal, NamedTuple

from gallery_intl.script.files import emptied

# what Sphinx-Gallery takes for a text block, see sphinx_gallery.py_source_parser
TEXT_BLOCK = re.compile(
    r"(?P<header>^#{20,}.*|^# ?%%.*)\s(?P<text>(?:^#.*\s?)*)", re.MULTILINE
)
# a first line that no title's over- or underline is, as in sphinx_gallery.gen_rst
TITLE = re.compile(r"^(?!([\W _])\1{3,})(.+)", re.MULTILINE)
NOQA = re.compile(r" +# noqa: ?E501 *$")  # Sphinx-Gallery leaves it out of texts
TRIVIA = (tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER)


class Block(NamedTuple):
    """A piece of a script, as it stands there."""

    kind: Literal["docstring", "text", "code"]
    line: int  # of the block's first line in the script, from 1
    source: str


class Difference(NamedTuple):
    """Where two programs differ."""

    line: int  # in the first program, from 1
    reason: str


def normalize_newlines(source: str) -> str:
    """Return a source with the line ends that Python gives it when it reads a file."""
    return source.replace("\r\n", "\n").replace("\r", "\n")


@lru_cache(maxsize=16)  # one source is asked for its comments and its program
def tokens(source: str) -> tuple[tokenize.TokenInfo, ...]:
    """Return a source's tokens; every fault of it is a `SyntaxError`."""
    try:
        return tuple(tokenize.generate_tokens(io.StringIO(source).readline))
    except tokenize.TokenError as error:
        message, (line, column) = error.args
        raise SyntaxError(message, ("<script>", line, column, None)) from None


@lru_cache(maxsize=64)
def is_valid_python(source: str) -> bool:
    try:
        docstring_lines(source)
    except SyntaxError:
        return False
    return True


@lru_cache(maxsize=64)
def docstring_lines(source: str) -> tuple[int, int]:
    """Return the first and last line of a script's docstring; (0, 0) if it has none."""
    tree = ast.parse(source)
    if ast.get_docstring(tree) is None:
        return 0, 0
    first = tree.body[0]
    return first.lineno, first.end_lineno or first.lineno


@lru_cache(maxsize=64)  # links to a page ask for it
def title_of(source: str) -> str:
    """Return the title of a script's page, as Sphinx-Gallery takes it; else ""."""
    docstring = ast.get_docstring(ast.parse(source)) or ""
    texts = (x for x in docstring.split("\n\n") if x and not x.startswith(".. "))
    match = TITLE.search(next(texts, ""))
    return match[0].strip() if match else ""


@lru_cache(maxsize=16)
def blocks(source: str) -> tuple[Block, ...]:
    """Split a script into its docstring, text blocks and code blocks, in order.

    The source has ``\\n`` at the ends of lines. What stands before the docstring is in
    no block; the blocks' sources joined are the rest of the script.
    """
    start, end = docstring_lines(source)
    lines = source.split("\n")
    docstring = "\n".join(lines[start - 1 : end]) + "\n" * (end < len(lines))
    pieces = [Block("docstring", start, docstring)] if end else []
    rest, line, position = "\n".join(lines[end:]), end + 1, 0
    for match in TEXT_BLOCK.finditer(rest):
        code = rest[position : match.start()]
        pieces.append(Block("code", line, code))
        line += code.count("\n")
        pieces.append(Block("text", line, match.group()))
        line += match.group().count("\n")
        position = match.end()
    pieces.append(Block("code", line, rest[position:]))
    return tuple(block for block in pieces if block.source)


def directive_end(lines: list[str], row: int, indent: str) -> int:
    """Return the row after a directive's content, which is set in."""
    end = row + 1
    while end < len(lines) and (
        lines[end].startswith(f"{indent} ") or not lines[end].strip()
    ):
        end += 1
    return end


@lru_cache(maxsize=16)  # a page says them, and its notebook installs them
def packages(source: str) -> tuple[str, ...]:
    """Return the packages that a script imports beside Python's own, in its order."""
    modules: dict[str, None] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules |= dict.fromkeys(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules[node.module] = None
    tops = dict.fromkeys(name.partition(".")[0] for name in modules)
    return tuple(name for name in tops if name not in sys.stdlib_module_names)


def same_program(a: str, b: str, *, docstring: bool = True) -> Difference | None:
    """Prove that two sources are one program, or return where they differ.

    Equal are the syntax trees and the tokens without comments and blank lines, also
    of the programs that they write to files; ``docstring=False`` leaves the module
    docstring aside. The first source must be valid Python: `SyntaxError` is raised if
    it is not.
    """
    a, ours = emptied(normalize_newlines(a))
    b, theirs = emptied(normalize_newlines(b))
    if difference := _difference(a, b, docstring):
        return difference
    if len(ours) != len(theirs):
        return Difference(1, "another number of files")
    for one, other in zip(ours, theirs, strict=True):
        if inner := _difference(one.text, other.text, docstring=True):
            return inner._replace(line=one.line + inner.line - 1)
    return None


def _difference(a: str, b: str, docstring: bool) -> Difference | None:
    tree = _tree(a, docstring)
    try:
        is_same = tree == _tree(b, docstring)
        mismatch = _token_difference(a, b, docstring)  # which knows the line
    except SyntaxError as error:
        return Difference(error.lineno or 1, f"not valid Python any more: {error.msg}")
    return mismatch if mismatch or is_same else Difference(1, "the syntax trees differ")


@lru_cache(maxsize=64)  # script and notebook are compared with one source
def _tree(source: str, docstring: bool) -> str:
    """Return the syntax tree of the file that the source would be saved to."""
    try:
        # bytes, so that a line which sets another encoding is seen
        tree = ast.parse(source.encode("utf-8"))
    except (ValueError, UnicodeError) as error:
        raise SyntaxError(str(error)) from None
    if not docstring and ast.get_docstring(tree) is not None:
        del tree.body[0]
    return ast.dump(tree)


def _token_difference(a: str, b: str, docstring: bool) -> Difference | None:
    ours, theirs = _program(a, docstring), _program(b, docstring)
    if [*map(_said, ours)] == [*map(_said, theirs)]:
        return None
    last = a.count("\n") + 1
    for one, other in zip_longest(ours, theirs):
        if one is None:
            return Difference(last, f"{other.string!r} is added at the end")
        if other is None:
            return Difference(one.start[0], f"{one.string!r} is missing")
        if _said(one) != _said(other):
            return Difference(one.start[0], f"{one.string!r} became {other.string!r}")
    return None


@lru_cache(maxsize=64)
def _program(source: str, docstring: bool) -> tuple[tokenize.TokenInfo, ...]:
    """Return the tokens that make the program."""
    left_out = () if docstring else (tokenize.STRING,)
    program = (token for token in tokens(source) if token.type not in TRIVIA)
    return tuple(dropwhile(lambda token: token.type in left_out, program))


def _said(token: tokenize.TokenInfo) -> tuple[int, str]:
    """Return its type and text; that of a line's end tells only whether it is ended."""
    return token.type, "" if token.type == tokenize.NEWLINE else token.string
