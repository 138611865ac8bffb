"""Read gettext catalogs; an error names the file, the line and what to do."""

from __future__ import annotations

import re
from pathlib import Path

import polib  # type: ignore[import-untyped]

SOURCE_LANGUAGE = "en"  # of all msgids
LONGEST = 10_000  # characters of a translation; docutils takes seconds for some texts
WAIVER = re.compile(r"^check-ignore: *([\w-]*)(?: +- +(.*))?", re.MULTILINE)
MSGID = re.compile(r"(#~ ?)?msgid\b")
MARKUP = re.compile(
    r"``.+?``"  # literals
    r"|:[\w:+-]+:`[^`]*`"  # roles
    r"|<[^>]*>|https?://\S+"  # targets
    r"|%\([a-z_]+\)[sd]|\$?\{\w+\}"  # placeholders
)
HAS_STRING = re.compile(r'\s*(#~\s*)?(msg(ctxt|id|id_plural|str)\b|")')
WHOLE_STRING = re.compile(r'(?<!\\)"(?:[^"\\]|\\.)*"$')
# Python ends a line at some of these, editors and gettext do not.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ufeff]")


class CatalogError(Exception):
    """A file cannot be used; the text is ``path:line: what (remedy)``."""


def read_catalog(path: Path) -> polib.POFile:
    """Parse a catalog; raise `CatalogError` if it is broken."""
    text = decode(path)
    lines = text.split("\n")
    refuse_broken_lines(path, lines)
    try:
        # polib would open a file whose name the text is: none ends in a line feed
        catalog = polib.pofile(f"{text}\n", encoding="utf-8")
    except (OSError, ValueError, IndexError) as error:
        raise CatalogError(syntax_error(path, str(error))) from None
    for entry in catalog:
        entry.linenum = line_of_msgid(entry.linenum, lines)
        if len(entry.msgstr) > LONGEST:
            size = f"a text of {len(entry.msgstr):,} letters"
            where = f"{path}:{entry.linenum}"
            raise CatalogError(f"{where}: {size} (write at most {LONGEST:,})")
    return catalog


def decode(path: Path, remedy: str = "save the file as UTF-8") -> str:
    """Read a UTF-8 file, with any line ends; raise `CatalogError` if it is none."""
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
        raise CatalogError(f"{path}:1: {reason} (put a file here)") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CatalogError(f"{path}:{line}: not UTF-8 ({remedy})") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def refuse_broken_lines(path: Path, lines: list[str]) -> None:
    """Raise for control characters and open quotes, which polib reads silently."""
    for number, line in enumerate(lines, start=1):
        if match := CONTROL.search(line):
            name = f"invisible character U+{ord(match[0]):04X}"
            raise CatalogError(f"{path}:{number}: {name} (delete it)")
        if HAS_STRING.match(line) and not WHOLE_STRING.search(line.rstrip()):
            raise CatalogError(
                f'{path}:{number}: text without its opening or closing " (add it)'
            )


def syntax_error(path: Path, message: str) -> str:
    match = re.search(r"\(line (\d+)\)(?:: (.*))?", message, re.DOTALL)
    line, detail = match.groups() if match else ("1", message)
    reason = f"syntax error, {detail}" if detail else "syntax error"
    return f"{path}:{line}: {reason} (correct the entry above or at this line)"


def line_of_msgid(line: int, lines: list[str]) -> int:
    """Return the line of an entry's msgid; polib gives that of a comment above it."""
    rest = enumerate(lines[line - 1 :], start=line)
    return next((number for number, text in rest if MSGID.match(text)), line)


def translations(entry: polib.POEntry) -> list[str]:
    """Return the texts that are shown for an entry: none, one, or its plural forms."""
    if entry.fuzzy or entry.obsolete:
        return []
    forms = entry.msgstr_plural if entry.msgid_plural else {0: entry.msgstr}
    return [text for _number, text in sorted(forms.items()) if text.strip()]


def has_words(msgid: str) -> bool:
    """Return whether a message has words besides markup and numbers."""
    return re.search(r"[^\W\d_]{2}", MARKUP.sub(" ", msgid)) is not None


def waivers(entry: polib.POEntry) -> dict[str, str]:
    """Map the rules that ``# check-ignore: rule - reason`` sets aside to reasons."""
    return dict(WAIVER.findall(entry.tcomment))
