"""Hold a language's catalogs against the English messages, without a build.

``make catalogs`` keeps those of ``locales/en`` equal to the pages'. Where a project has
no such folder there is nothing to compare with: a catalog is then taken at its word.
"""

import os
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

import polib  # type: ignore[import-untyped]

from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs.po import SOURCE_LANGUAGE

MISSING, UNKNOWN = "missing-message", "unknown-message"
FINDINGS = {
    MISSING: "A catalog has every English message; cannot be set aside.",
    UNKNOWN: "A catalog has no other messages; cannot be set aside.",
}
REMEDY = "run the catalogs command"

Difference = tuple[int, str, str]  # a line, a name, and what is wrong


def english_path(path: Path) -> Path | None:
    """Return where the English catalog is; None outside ``<language>/LC_MESSAGES``."""
    if "LC_MESSAGES" not in path.parts[1:]:
        return None
    at = path.parts.index("LC_MESSAGES", 1)
    return Path(*path.parts[: at - 1], SOURCE_LANGUAGE, *path.parts[at:])


def english(path: Path) -> polib.POFile | None:
    """Return the English catalog beside a catalog; None if there is none."""
    place = english_path(path)
    return catalogs.shared(place) if place and place.is_file() else None


def read(path: Path) -> polib.POFile:
    """Return a catalog; an empty one where the language has no such file."""
    return catalogs.shared(path) if os.path.lexists(path) else polib.POFile()


def wanted(locale_dir: Path, languages: Iterable[str]) -> list[Path]:
    """Return which catalogs languages should have, because English has them."""
    folder = locale_dir / SOURCE_LANGUAGE / "LC_MESSAGES"
    pages = [path.relative_to(folder) for path in sorted(folder.rglob("*.po"))]
    folders = [locale_dir / language / "LC_MESSAGES" for language in languages]
    return [folder / page for folder in folders for page in pages]


def messages(catalog: polib.POFile, source: polib.POFile | None) -> list[polib.POEntry]:
    """Return a catalog's entries for the English messages, empty ones for the lost."""
    if source is None:
        return catalogs.active(catalog)
    known = {entry.msgid: entry for entry in catalogs.active(catalog)}
    return [
        known.get(entry.msgid) or polib.POEntry(msgid=entry.msgid)
        for entry in catalogs.active(source)
    ]


def differences(path: Path) -> Iterator[Difference]:
    """Yield which messages a catalog lacks, and which of its own English lacks."""
    known = {entry.msgid: entry.linenum for entry in catalogs.active(read(path))}
    source = english(path)
    if source is None:
        yield from _without_english(path, known)
        return
    expected = [entry.msgid for entry in catalogs.active(source)]
    if expected and not known:
        what = f"none of the {len(expected)} English messages is here"
        yield 1, MISSING, f"{what} (bring it back, or {REMEDY})"
        return
    line = 1  # of the message before
    for message in expected:
        if message in known:
            line = known.pop(message)
        else:
            yield (
                line,
                MISSING,
                f"{_short(message)} is lost (bring it back, or {REMEDY})",
            )
    for message, line in known.items():
        what = f"{_short(message)} is not among the English messages"
        yield line, UNKNOWN, f"{what} ({REMEDY})"


def _without_english(path: Path, known: dict[str, int]) -> Iterator[Difference]:
    """Yield that English lacks a page, if it has any."""
    place = english_path(path)
    folders = place.parents if place and known else ()
    if any(folder.name == "LC_MESSAGES" and folder.is_dir() for folder in folders):
        yield 1, UNKNOWN, f"English has no catalog of this page ({REMEDY})"


def _short(message: str) -> str:
    return repr(textwrap.shorten(message, 60, placeholder=" ..."))
