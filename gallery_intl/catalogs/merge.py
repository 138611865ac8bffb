"""Bring every language's catalogs up to the scripts, and lose no translation.

Unlike ``sphinx-intl update`` it looks for a message's translation in all catalogs of
the language: a paragraph that moved to another page keeps its translation, a changed
one becomes fuzzy beside its previous text, a removed one stays as an obsolete entry.
Where only code or punctuation changed the translation is adapted, if that is safe.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import polib  # type: ignore[import-untyped]
from babel.messages import Catalog

from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs.po import SOURCE_LANGUAGE, Pages

SIMILAR = 0.6  # ratio from which a new message counts as a changed old one
PIECE = re.compile(
    r"``.+?``"  # a literal
    r"|(?<=\s)<[^<>\s]+>"  # the target of a link or of a role
    r"|https?://[!-;=?-_a-~]+(?<![.,:;!?)])"
    r"|:[\w:+-]+:`[^`<]*`"  # a role without a text of its own
    r"|%\([a-z_]+\)[sd]|%[sd]|\$?\{\w+\}"  # placeholders
)
UNREAD = ("<", "http", "%", "{", "$")  # how pieces begin that nobody reads aloud
PUNCTUATION = re.compile(r"[.,:;!?…\"'“”‘’()–—]+")  # noqa: RUF001
ENDS = (".。", ":：")  # noqa: RUF001  # what may end a message, half and full width

Memory = dict[str, polib.POEntry]


def update(pot_dir: Path, locale_dir: Path, languages: list[str]) -> Iterator[Path]:
    """Merge the templates into every language; yield the catalogs that changed."""
    templates = catalogs.read_all(pot_dir, ".pot")
    # All catalogs are read before the first is written: a broken one stops here.
    folders = {name: locale_dir / name / "LC_MESSAGES" for name in languages}
    present = {x: catalogs.read_all(folder, ".po") for x, folder in folders.items()}
    wording: dict[str, str] = {}
    for language in sorted(languages, key=lambda each: each != SOURCE_LANGUAGE):
        merged = merge_language(templates, present[language], language, wording)
        if language == SOURCE_LANGUAGE:
            wording = reworded(merged)
        # Pages that are gone come last: what moved from them is safe by then.
        for page in sorted(merged, key=lambda page: page not in templates):
            path = folders[language] / page.with_name(page.name + ".po")
            if page not in templates and not merged[page]:
                path.unlink()
                yield path
            elif catalogs.write(path, merged[page]):
                yield path


def merge_language(
    templates: Pages, present: Pages, language: str, wording: Mapping[str, str] = {}
) -> Pages:
    """Return a language's catalogs by page, merged with the templates.

    The catalog of a page that is gone keeps what is translated nowhere else.
    """
    memory = remember(present.values())
    empty = polib.POFile()
    merged = {
        page: merge(template, present.get(page, empty), memory, language, wording)
        for page, template in sorted(templates.items())
    }
    known = {(entry.msgid, entry.msgstr) for file in merged.values() for entry in file}
    for page in sorted(present.keys() - templates.keys()):
        old = merge(empty, present[page], memory, language, {})
        old[:] = [entry for entry in old if (entry.msgid, entry.msgstr) not in known]
        known |= {(entry.msgid, entry.msgstr) for entry in old}
        merged[page] = old
    return merged


def reworded(pages: Pages) -> dict[str, str]:
    """Collect the messages that the source language's catalogs word anew."""
    return {
        entry.msgid: entry.msgstr
        for file in pages.values()
        for entry in filter(catalogs.is_translated, file)
        if entry.msgstr != entry.msgid
    }


def remember(files: Iterable[polib.POFile]) -> Memory:
    """Collect what is translated anywhere; active entries win over obsolete ones."""
    memory: Memory = {}
    entries = [entry for file in files for entry in file]
    for entry in sorted(entries, key=lambda entry: (entry.fuzzy, entry.obsolete)):
        if entry.msgstr and not entry.previous_msgid:
            memory.setdefault(entry.msgid, entry)
    return memory


def merge(
    template: polib.POFile,
    present: polib.POFile,
    memory: Memory,
    language: str,
    wording: Mapping[str, str],
) -> polib.POFile:
    """Return the catalog of one page in one language."""
    old = {entry.msgid: entry for entry in present}
    wanted = {entry.msgid for entry in template}
    gone = [entry for entry in present if entry.msgid not in wanted]
    merged = polib.POFile()
    merged.header = present.header
    merged.metadata = present.metadata or header(language, template.metadata)
    for source in template:
        entry = polib.POEntry(msgid=source.msgid, occurrences=source.occurrences)
        entry.comment = source.comment
        if better := wording.get(source.msgid):
            entry.comment = f"{source.comment}\nEnglish, better: {better}".strip()
        _translate(entry, old.get(source.msgid), memory, gone)
        if language == SOURCE_LANGUAGE:
            _follow_source(entry)
        merged.append(entry)
    merged.extend(obsolete(gone, merged))
    return merged


def _translate(
    entry: polib.POEntry,
    old: polib.POEntry | None,
    memory: Memory,
    gone: list[polib.POEntry],
) -> None:
    """Fill an entry from its page, else from the memory, else from a similar one."""
    if same := old if old and old.msgstr else memory.get(entry.msgid, old):
        _copy(same, entry)
    elif done := _adapted(entry.msgid, gone):
        entry.msgstr, entry.tcomment = done
    elif similar := _similar(entry.msgid, gone):
        _copy(similar, entry)
        entry.previous_msgid = similar.msgid
        entry.fuzzy = True


def _copy(old: polib.POEntry, entry: polib.POEntry) -> None:
    entry.msgstr = old.msgstr
    entry.tcomment = old.tcomment
    entry.flags = list(old.flags)
    entry.previous_msgid = old.previous_msgid


def _adapted(msgid: str, gone: list[polib.POEntry]) -> tuple[str, str] | None:
    """Find a translation of which only code or punctuation is to be changed."""
    for old in gone:
        if old.fuzzy or old.msgstr in ("", old.msgid):
            continue
        if translation := adapt(old.msgid, msgid, old.msgstr):
            return translation, old.tcomment
    return None


def _similar(msgid: str, gone: list[polib.POEntry]) -> polib.POEntry | None:
    candidates = {entry.msgid: entry for entry in gone if entry.msgstr}
    best = difflib.get_close_matches(msgid, candidates, n=1, cutoff=SIMILAR)
    return candidates[best[0]] if best else None


def _follow_source(entry: polib.POEntry) -> None:
    """Keep an English entry equal to its source until somebody words it anew."""
    if not entry.msgstr or entry.msgstr == entry.previous_msgid:
        entry.msgstr = entry.msgid
        entry.previous_msgid = None
        entry.fuzzy = False


def obsolete(
    gone: list[polib.POEntry], merged: polib.POFile
) -> Iterator[polib.POEntry]:
    """Yield removed translations as obsolete entries, but not those used again."""
    used = {entry.previous_msgid for entry in merged if entry.previous_msgid}
    for entry in gone:
        worth_keeping = entry.msgstr and entry.msgstr != entry.msgid
        if worth_keeping and entry.msgid not in used:
            entry.obsolete = True
            entry.occurrences = []
            entry.comment = ""
            yield entry


def header(language: str, template: dict[str, str]) -> dict[str, str]:
    """Return the header of a new catalog, in which nothing changes by itself."""
    return {
        "Project-Id-Version": template.get("Project-Id-Version", ""),
        "Language": language,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": Catalog(language).plural_forms,
    }


def adapt(old: str, new: str, translation: str) -> str | None:
    """Return the translation of ``new``, made from that of ``old``; None if unsafe."""
    if _plain(old) != _plain(new):
        return None
    swapped = _swap(PIECE.findall(old), PIECE.findall(new), translation)
    return swapped and _end(old, new, swapped)


def _plain(message: str) -> str:
    """Return a message without punctuation, and with a mark for each piece of code."""
    words = PUNCTUATION.sub("", PIECE.sub("\0", message))
    return " ".join(words.split())


def _swap(old: list[str], new: list[str], translation: str) -> str | None:
    """Return a translation with other pieces of code, exchanged all at once."""
    pairs = set(zip(old, new, strict=True))
    into = dict(pairs)
    if len(into) < len(pairs):  # one piece became two different ones
        return None
    if Counter(PIECE.findall(translation)) != Counter(old):
        return None
    for piece in PIECE.finditer(translation):
        is_heard = into[piece[0]] != piece[0] and not piece[0].startswith(UNREAD)
        # a Korean particle depends on how a piece sounds
        if is_heard and "가" <= translation[piece.end() :][:1] <= "힣":
            return None
    return PIECE.sub(lambda piece: into[piece[0]], translation)


def _end(old: str, new: str, translation: str) -> str | None:
    """Return a translation with the mark at its end that the new message has there."""
    if old[-1:] == new[-1:]:
        return translation
    before = next((marks for marks in ENDS if old.endswith(marks[0])), "")
    after = next((marks for marks in ENDS if new.endswith(marks[0])), "")
    width = before.find(translation[-1:]) if before and after else -1
    return translation[:-1] + after[width] if width >= 0 else None
