"""Read and write gettext catalogs, the same way everywhere.

One parser with errors that name file and line, one canonical writer, one rule for what
counts as translated. What one parser sees and another does not could come past the
checks: such catalogs, and those that say more than a page would show, are refused.
"""

from __future__ import annotations

import gettext
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

import polib  # type: ignore[import-untyped]

from gallery_intl.files import replace_file, replace_if_changed

if TYPE_CHECKING:  # catalogs are read without Sphinx too
    from sphinx.config import Config

SOURCE_LANGUAGE = "en"  # what the interface is written in, and pages mostly
WIDTH = 79
INTERFACE = "sphinx"  # the catalog of the project's, the theme's and Sphinx's words
DOMAIN = "gallery_intl"  # that of our own
NO_PAGE = (INTERFACE, DOMAIN)  # catalogs that belong to no page
WAIVER = re.compile(r"^check-ignore: *([\w-]*)(?: +- +(.*))?", re.MULTILINE)
MSGID = re.compile(r"(#~ ?)?msgid\b")
# links with names of people or projects, and formulas
SAME = re.compile(r"`[A-Z][\w.'-]*(?: [A-Z][\w.'-]*)*`_{1,2}|:math:`[^`]*`")
MARKUP = re.compile(
    r"``.+?``"  # literals
    r"|:[\w:+-]+:`[^`]*`"  # roles
    r"|<[^>]*>|https?://\S+"  # targets
    r"|%\([a-z_]+\)[sd]|\$?\{\w+\}"  # placeholders
)
HAS_STRING = re.compile(r'\s*(#~\s*)?(msg(ctxt|id|id_plural|str)\b|")')
WHOLE_STRING = re.compile(r'(?<!\\)"(?:[^"\\]|\\.)*"$')
# Where Python ends a line, but no editor and no gettext does; the others nobody sees.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ufeff]")
LONGEST = 10_000  # letters of a translation; docutils takes seconds for some texts

Pages = dict[Path, polib.POFile]  # by page, without suffix
_parsed: dict[Path, tuple[tuple[int, int], polib.POFile]] = {}  # and when it was


def lang_class(language: str) -> str:
    """Return the class that docutils writes as the attribute ``lang``."""
    return f"language-{language.replace('_', '-')}"


def source_language(config: Config) -> str:
    """Return the language that pages are written in: the first that a site has.

    A project that names no languages yet is built in its own.
    """
    named = getattr(config, "gallery_intl_languages", {})
    own = SOURCE_LANGUAGE if "language" in config.overrides else config.language
    return next(iter(named), own)


class CatalogError(Exception):
    """A catalog cannot be used; the text is ``path:line: what (remedy)``."""


def po_path(locale_dir: Path, language: str, docname: str) -> Path:
    """Return the path of a page's catalog, as Sphinx looks for it."""
    return locale_dir / language / "LC_MESSAGES" / f"{docname}.po"


def read(path: Path) -> polib.POFile:
    """Parse a catalog; raise `CatalogError` with file and line if it is broken."""
    try:
        if path.is_symlink():
            raise CatalogError(f"{path}:1: a symbolic link (put the file itself here)")
        data = path.read_bytes()
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
        raise CatalogError(f"{path}:1: {reason} (put a file here)") from None
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = "not UTF-8 (save the file as UTF-8)"
        raise CatalogError(f"{path}:{line}: {reason}") from None
    _refuse_broken_lines(path, text)
    try:
        # polib would open a file whose name the text is: none ends in a line feed
        catalog = polib.pofile(f"{text}\n", wrapwidth=WIDTH, encoding="utf-8")
    except (OSError, ValueError, IndexError) as error:
        raise CatalogError(_syntax_error(path, str(error))) from None
    _count_from_msgid(catalog, text.split("\n"))
    _refuse_header(path, catalog)
    _refuse_double_fields(path, catalog, text.split("\n"))
    _refuse_entries(path, catalog)
    return catalog


def read_all(folder: Path, suffix: str) -> Pages:
    return {
        path.relative_to(folder).with_suffix(""): read(path)
        for path in sorted(folder.rglob(f"*{suffix}"))
    }


def _refuse_broken_lines(path: Path, text: str) -> None:
    """Find what polib would read without a word: control characters, open quotes."""
    for number, line in enumerate(text.split("\n"), start=1):
        if match := CONTROL.search(line):
            name = f"invisible character U+{ord(match[0]):04X}"
            raise CatalogError(f"{path}:{number}: {name} (delete it)")
        if HAS_STRING.match(line) and not WHOLE_STRING.search(line.rstrip()):
            raise CatalogError(
                f'{path}:{number}: text without its opening or closing " (add it)'
            )


def _syntax_error(path: Path, message: str) -> str:
    match = re.search(r"\(line (\d+)\)(?:: (.*))?", message, re.DOTALL)
    line, detail = match.groups() if match else ("1", message)
    reason = f"syntax error, {detail}" if detail else "syntax error"
    return f"{path}:{line}: {reason} (mend the entry above or at this line)"


def _refuse_header(path: Path, catalog: polib.POFile) -> None:
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


def _refuse_double_fields(path: Path, catalog: polib.POFile, lines: list[str]) -> None:
    """Refuse a second line of one name: polib would lose the first."""
    known = set[str]()
    for number, line in enumerate(lines[: catalog[0].linenum if catalog else None], 1):
        name = line.partition(":")[0].lstrip('"')
        if name in known:
            remedy = "write one line, with ; between reviewers"
            raise CatalogError(f"{path}:{number}: header: {name} twice ({remedy})")
        known |= {name} & catalog.metadata.keys()


def _refuse_entries(path: Path, catalog: polib.POFile) -> None:
    """Refuse entries that no page has: contexts, plurals and messages twice."""
    lines: dict[str, int] = {}
    for entry in active(catalog):
        if reason := _fault(entry, lines.get(entry.msgid)):
            raise CatalogError(f"{path}:{entry.linenum}: {reason}")
        lines[entry.msgid] = entry.linenum


def _fault(entry: polib.POEntry, before: int | None) -> str:
    """Return what is wrong with an entry; ``before``: where its message stood."""
    if not entry.msgid:
        return "a second header (delete one)"
    if entry.msgctxt is not None:
        return "msgctxt: messages have no context (delete it)"
    if entry.msgid_plural:
        return "msgid_plural: messages have no plurals (write one msgstr)"
    if len(entry.msgstr) > LONGEST:
        return f"a text of {len(entry.msgstr):,} letters (write at most {LONGEST:,})"
    if before is not None:
        return f"message is already at line {before} (keep one of the two)"
    return ""


def shared(path: Path) -> polib.POFile:
    """Return what `read` gives, parsed once until the file changes: do not edit it."""
    try:
        status = path.lstat()
    except OSError:
        return read(path)  # which says what is wrong
    state = status.st_mtime_ns, status.st_size
    if path not in _parsed or _parsed[path][0] != state:
        _parsed[path] = state, read(path)
    return _parsed[path][1]


def _count_from_msgid(catalog: polib.POFile, lines: list[str]) -> None:
    """Let each entry's line be that of its msgid, not of a comment above it."""
    for entry in catalog:
        rest = enumerate(lines[entry.linenum - 1 :], start=entry.linenum)
        entry.linenum = next(
            (row for row, line in rest if MSGID.match(line)), entry.linenum
        )


def active(catalog: polib.POFile) -> list[polib.POEntry]:
    """Return the entries that are in use, in the file's order."""
    return [entry for entry in catalog if not entry.obsolete]


def is_translated(entry: polib.POEntry) -> bool:
    """Return whether an entry's translation may be shown."""
    return bool(entry.msgstr.strip()) and not entry.fuzzy and not entry.obsolete


def has_prose(msgid: str) -> bool:
    """Return whether a message has words of its own, beside markup and numbers."""
    return re.search(r"[^\W\d_]{2}", MARKUP.sub(" ", msgid)) is not None


def needs_words(entry: polib.POEntry) -> bool:
    """Return whether a message has more to translate than formulas and names."""
    has_letters = re.search(r"[^\W\d_]", SAME.sub(" ", entry.msgid)) is not None
    return has_letters and "formula" not in entry.comment.split("\n")


def waivers(entry: polib.POEntry) -> dict[str, str]:
    """Map the rules that ``# check-ignore: rule - reason`` sets aside to reasons."""
    return dict(WAIVER.findall(entry.tcomment))


def is_english(entry: polib.POEntry) -> bool:
    """Return whether a translation only repeats its English prose, unexplained."""
    is_copy = entry.msgstr == entry.msgid and has_prose(entry.msgid)
    return is_copy and needs_words(entry) and "unchanged" not in waivers(entry)


def is_gap(entry: polib.POEntry, language: str, source: str = SOURCE_LANGUAGE) -> bool:
    """Return whether readers of a language see no words of it."""
    is_copy = language != source and is_english(entry)
    return needs_words(entry) and (is_copy or not is_translated(entry))


def translations(path: Path) -> dict[str, str]:
    """Map msgid to msgstr for what may be shown; empty if there is no catalog."""
    if not path.is_file():
        return {}
    return {entry.msgid: entry.msgstr for entry in read(path) if is_translated(entry)}


def write(path: Path, catalog: polib.POFile) -> bool:
    """Write the one canonical text of a catalog if it changes; tell whether it did."""
    catalog.wrapwidth = WIDTH
    data = f"{catalog}".rstrip("\n").encode("utf-8") + b"\n"
    return replace_if_changed(path, data)


def compile_language(locale_dir: Path, language: str) -> None:
    """Compile a language's catalogs, each in one step; drop what has no source.

    Sphinx would compile in place and trust each ``.mo`` that is newer than its
    ``.po``, whatever it says, and that of a deleted ``.po``.
    """
    folder = locale_dir / language / "LC_MESSAGES"
    for mo in folder.rglob("*.mo"):
        if not mo.with_suffix(".po").is_file():
            mo.unlink()
    for po in sorted(folder.rglob("*.po")):
        mo, data = po.with_suffix(".mo"), compiled(shared(po))
        is_newer = mo.is_file() and mo.stat().st_mtime_ns > po.stat().st_mtime_ns
        if not is_newer or mo.read_bytes() != data:
            replace_file(mo, data)


def compiled(catalog: polib.POFile) -> bytes:
    """Compile a catalog; without an encoding gettext would read it as ASCII."""
    named = polib.POFile()
    named.metadata = {"Content-Type": "text/plain; charset=UTF-8"} | catalog.metadata
    named.extend(catalog)
    return bytes(named.to_binary())
