"""Refuse catalogs that cannot be read, or that say more than a page would show.

Everything that reads a catalog, ours or others', must read the same in it: what one
parser sees and another does not could come past the checks.
"""

from __future__ import annotations

import gettext
import io
import re
from pathlib import Path

import polib  # type: ignore[import-untyped]

OPENS_STRING = re.compile(r'^\s*(#~\s*)?(msg(ctxt|id|id_plural|str)(\[\d+\])?\s*)?"')
WHOLE_STRING = re.compile(r'(?<!\\)"(?:[^"\\]|\\.)*"$')
# Where Python ends a line, but no editor and no gettext does; the others nobody sees.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029\ufeff]|\r(?!$)")
LONGEST = 10_000  # letters of a translation; docutils takes seconds for some texts


class CatalogError(Exception):
    """A catalog cannot be used; the text is ``path:line: what (remedy)``."""


def refuse_broken_lines(path: Path, text: str) -> None:
    """Find what polib would read without a word: control characters, open quotes."""
    for number, line in enumerate(text.split("\n"), start=1):
        if found := CONTROL.search(line):
            name = f"invisible character U+{ord(found[0]):04X}"
            raise CatalogError(f"{path}:{number}: {name} (delete it)")
        if OPENS_STRING.match(line) and not WHOLE_STRING.search(line.rstrip()):
            raise CatalogError(f'{path}:{number}: text without its closing " (add it)')


def syntax_error(path: Path, message: str) -> str:
    found = re.search(r"\(line (\d+)\)(?:: (.*))?", message, re.DOTALL)
    line, detail = found.groups() if found else ("1", message)
    reason = f"syntax error, {detail}" if detail else "syntax error"
    return f"{path}:{line}: {reason} (mend the entry above or at this line)"


def refuse_header(path: Path, catalog: polib.POFile) -> None:
    """Let Python's gettext read the header: what it cannot read would end a build."""
    header = polib.POFile(encoding="utf-8")
    header.metadata = catalog.metadata
    kind = catalog.metadata.get("Content-Type", "charset=UTF-8")
    if not re.search(r"charset=(utf-?8|CHARSET)\s*$", kind, re.IGNORECASE):
        raise CatalogError(f"{path}:1: header says {kind!r} (write charset=UTF-8)")
    try:
        gettext.GNUTranslations(io.BytesIO(header.to_binary()))
    except (ValueError, LookupError, RecursionError) as error:
        raise CatalogError(f"{path}:1: header: {error} (mend it)") from None


def refuse_what_no_page_shows(path: Path, catalog: polib.POFile) -> None:
    """Refuse what our rules would not look at, because no message is like that."""
    for entry in catalog:
        if entry.obsolete:
            continue
        if not entry.msgid:
            reason = "a second header (delete one)"
        elif entry.msgctxt is not None:
            reason = "msgctxt: messages have no context (delete it)"
        elif entry.msgid_plural:
            reason = "msgid_plural: messages have no plurals (write one msgstr)"
        elif len(entry.msgstr) > LONGEST:
            length = f"{len(entry.msgstr):,} letters"
            reason = f"a text of {length} (write at most {LONGEST:,})"
        else:
            continue
        raise CatalogError(f"{path}:{entry.linenum}: {reason}")


def refuse_duplicates(path: Path, catalog: polib.POFile) -> None:
    seen: dict[str, int] = {}
    for entry in catalog:
        if entry.obsolete:
            continue
        key = entry.msgid
        if key in seen:
            raise CatalogError(
                f"{path}:{entry.linenum}: message is already at line {seen[key]}"
                " (keep one of the two)"
            )
        seen[key] = entry.linenum
