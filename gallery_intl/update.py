"""Bring every language's catalogs up to the scripts, and lose no translation.

Unlike ``sphinx-intl update`` it looks for a message's translation in all catalogs of
the language: a paragraph that moved to another page keeps its translation, a changed
one becomes fuzzy beside its previous text, a removed one stays as an obsolete entry.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path

import polib  # type: ignore[import-untyped]

from gallery_intl import catalogs

SIMILAR = 0.6  # ratio from which a new message counts as a changed old one
SOURCE_LANGUAGE = "en"

Memory = dict[str, polib.POEntry]


def update(pot_dir: Path, locale_dir: Path, languages: list[str]) -> Iterator[Path]:
    """Merge the templates into every language; yield the catalogs that changed."""
    templates = {
        pot.relative_to(pot_dir).with_suffix(""): catalogs.read(pot)
        for pot in sorted(pot_dir.rglob("*.pot"))
    }
    for language in languages:
        folder = locale_dir / language / "LC_MESSAGES"
        # All catalogs are read before the first is written: a broken one stops here.
        present = {
            po.relative_to(folder).with_suffix(""): catalogs.read(po)
            for po in sorted(folder.rglob("*.po"))
        }
        for page, merged in merge_language(templates, present, language).items():
            path = folder / page.with_name(page.name + ".po")
            if catalogs.write(path, merged):
                yield path


def merge_language(
    templates: dict[Path, polib.POFile],
    present: dict[Path, polib.POFile],
    language: str,
) -> dict[Path, polib.POFile]:
    """Give a language's catalogs by page, merged with the templates."""
    memory = remember(present.values())
    empty = polib.POFile()
    return {
        page: merge(
            templates.get(page, empty), present.get(page, empty), memory, language
        )
        for page in sorted({*templates, *present})
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
    template: polib.POFile, present: polib.POFile, memory: Memory, language: str
) -> polib.POFile:
    """Give the catalog of one page in one language."""
    old = {entry.msgid: entry for entry in present}
    wanted = {entry.msgid for entry in template}
    gone = [entry for entry in present if entry.msgid not in wanted]
    merged = polib.POFile()
    merged.header = present.header
    merged.metadata = present.metadata or header(language)
    for source in template:
        entry = polib.POEntry(
            msgid=source.msgid, occurrences=source.occurrences, comment=source.comment
        )
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
    same = old if old and (old.msgstr or not memory.get(entry.msgid)) else None
    same = same or memory.get(entry.msgid)
    if same is not None:
        _copy(same, entry)
    elif similar := _similar(entry.msgid, gone):
        _copy(similar, entry)
        entry.previous_msgid = similar.msgid
        if not entry.fuzzy:
            entry.flags.append("fuzzy")


def _copy(old: polib.POEntry, entry: polib.POEntry) -> None:
    entry.msgstr = old.msgstr
    entry.tcomment = old.tcomment
    entry.flags = list(old.flags)
    entry.previous_msgid = old.previous_msgid


def _similar(msgid: str, gone: list[polib.POEntry]) -> polib.POEntry | None:
    candidates = {entry.msgid: entry for entry in gone if entry.msgstr}
    best = difflib.get_close_matches(msgid, candidates, n=1, cutoff=SIMILAR)
    return candidates[best[0]] if best else None


def _follow_source(entry: polib.POEntry) -> None:
    """Keep an English entry equal to its source until somebody words it anew."""
    if not entry.msgstr or entry.msgstr == entry.previous_msgid:
        entry.msgstr = entry.msgid
        entry.previous_msgid = None
        entry.flags = [flag for flag in entry.flags if flag != "fuzzy"]


def obsolete(
    gone: list[polib.POEntry], merged: polib.POFile
) -> Iterator[polib.POEntry]:
    """Give removed translations as obsolete entries, but not those carried over."""
    carried = {entry.previous_msgid for entry in merged if entry.previous_msgid}
    for entry in gone:
        worth_keeping = entry.msgstr and entry.msgstr != entry.msgid
        if worth_keeping and entry.msgid not in carried:
            entry.obsolete = True
            entry.occurrences = []
            entry.comment = ""
            yield entry


def header(language: str) -> dict[str, str]:
    """Give the header of a new catalog, in which nothing changes by itself."""
    one_form = language.split("_")[0] in {"ja", "ko", "zh", "vi", "th", "id"}
    plural = "nplurals=1; plural=0;" if one_form else "nplurals=2; plural=(n != 1);"
    return {
        "Language": language,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": plural,
    }
