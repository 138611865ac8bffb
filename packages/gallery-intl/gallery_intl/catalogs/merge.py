"""Bring every language's catalogs up to the scripts, and lose no translation.

Unlike ``sphinx-intl update`` it looks for a message's translation in all catalogs of
the language: a paragraph that moved to another page keeps its translation, a changed
one becomes fuzzy beside the text that was translated, a removed one stays as an
obsolete entry. Where only code or punctuation changed the translation is adapted, if
that is safe. The catalog of a page that is renamed goes on under the new name, with
its header; that of a page that is gone ends, and others keep its translations.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import polib  # type: ignore[import-untyped]
from babel.messages import Catalog

from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs.po import NO_PAGE, SOURCE_LANGUAGE, Pages
from gallery_intl.catalogs.stock import Pair, Stock, original, pairs, take_stock


def update(
    pot_dir: Path,
    locale_dir: Path,
    languages: list[str],
    pages_in: str = SOURCE_LANGUAGE,
) -> Iterator[Path]:
    """Merge the templates into every language; yield the catalogs that changed."""
    templates = catalogs.read_all(pot_dir, ".pot")
    # All catalogs are read before the first is written: a broken one stops here.
    folders = {name: locale_dir / name / "LC_MESSAGES" for name in languages}
    present = {x: catalogs.read_all(folder, ".po") for x, folder in folders.items()}
    wording: dict[str, str] = {}
    for language in sorted(languages, key=lambda each: each != pages_in):
        known = present[language]
        merged = merge_language(templates, known, language, wording, pages_in)
        if language == pages_in:
            wording = reworded(merged)
        paths = {page: folders[language] / f"{page}.po" for page in present[language]}
        for page, file in merged.items():
            path = folders[language] / f"{page}.po"
            if catalogs.write(path, file):
                yield path
        # Pages that are gone come last: what moved from them is safe by then.
        for page in sorted(paths.keys() - merged.keys()):
            paths[page].unlink()
            yield paths[page]


def merge_language(
    templates: Pages,
    present: Pages,
    language: str,
    wording: Mapping[str, str] = {},
    pages_in: str = SOURCE_LANGUAGE,
) -> Pages:
    """Return a language's catalogs by page, merged with the templates."""
    if not templates:
        return present
    stock = take_stock(templates, present)
    merged = {}
    for page, template in sorted(templates.items()):
        merged[page] = merge(template, present.get(page), stock, language, wording)
        if language == (SOURCE_LANGUAGE if page.name in NO_PAGE else pages_in):
            for entry in merged[page]:
                _follow_source(entry)
    for page in merged.keys() - present.keys():
        if former := former_page(merged[page], present):
            merged[page].header = present[former].header
            known = dict(present[former].metadata)
            merged[page].metadata = known or merged[page].metadata
    keep_obsolete(merged, present)
    return merged


def reworded(pages: Pages) -> dict[str, str]:
    """Collect the messages that the source language's catalogs word anew."""
    return {
        entry.msgid: entry.msgstr
        for file in pages.values()
        for entry in filter(catalogs.is_translated, file)
        if entry.msgstr != entry.msgid
    }


def merge(
    template: polib.POFile,
    present: polib.POFile | None,
    stock: Stock,
    language: str,
    wording: Mapping[str, str],
) -> polib.POFile:
    """Return the catalog of one page in one language, without obsolete entries."""
    present = polib.POFile() if present is None else present
    old = {entry.msgid: entry for entry in catalogs.active(present)}
    wanted = {entry.msgid for entry in template}
    gone = [original(entry) for entry in present if entry.msgid not in wanted]
    merged = polib.POFile()
    merged.header = present.header
    merged.metadata = present.metadata or header(language, template.metadata)
    for source in template:
        # no lines: with them a new paragraph would change every message below it
        files = dict.fromkeys((file, "") for file, _line in source.occurrences)
        entry = polib.POEntry(msgid=source.msgid, occurrences=[*files])
        entry.comment = source.comment
        if better := wording.get(source.msgid):
            entry.comment = f"{source.comment}\nEnglish, better: {better}".strip()
        stock.translate(entry, old.get(source.msgid), gone)
        merged.append(entry)
    return merged


def _follow_source(entry: polib.POEntry) -> None:
    """Keep an entry equal to its source until somebody words it anew."""
    if not entry.msgstr or entry.msgstr == entry.previous_msgid:
        entry.msgstr = entry.msgid
        entry.previous_msgid = None
        entry.fuzzy = False


def former_page(new: polib.POFile, present: Pages) -> Path | None:
    """Return the page that more than half of a new one's messages are from, if any."""
    known = pairs(new)

    def shared(page: Path) -> int:
        return len(known & pairs(present[page]))

    best = max(sorted(present), key=shared, default=None)
    enough = len(new) // 2 + 1
    return best if best is not None and shared(best) >= enough else None


def keep_obsolete(merged: Pages, present: Pages) -> None:
    """Keep as obsolete entries what is shown nowhere any more.

    What a page that is gone leaves is kept by the one that took most of it, else by
    the nearest. No catalog gets a message twice, which gettext would refuse.
    """
    shown = (
        x for file in merged.values() for x in filter(catalogs.is_translated, file)
    )
    used = {(entry.msgid, entry.msgstr) for entry in shown}
    for page in sorted(present, key=lambda page: page not in merged):
        file, wanted = present[page], {x.msgid for x in merged.get(page, ())}
        left = [x for x in file if x.obsolete or x.msgid not in wanted]
        left.sort(key=lambda entry: not entry.obsolete)  # a fuzzy one may be mended
        shelves = [merged[x] for x in by_nearness(page, file, merged)] if left else []
        for entry in left:
            _shelve(original(entry), shelves, used)


def _shelve(entry: polib.POEntry, shelves: list[polib.POFile], used: set[Pair]) -> None:
    """Put an entry into the first catalog that lacks its message, if it is of use."""
    pair = entry.msgid, entry.msgstr
    if entry.msgstr in ("", entry.msgid) or pair in used:
        return
    for shelf in shelves:
        if not shelf.find(entry.msgid, include_obsolete_entries=True):
            entry.obsolete = True
            entry.occurrences, entry.comment = [], ""
            shelf.append(entry)
            used.add(pair)
            return


def by_nearness(page: Path, file: polib.POFile, merged: Pages) -> list[Path]:
    """Return the pages in the order in which they keep what a page leaves."""
    known = pairs(file)

    def nearness(other: Path) -> tuple[bool, bool, int, int, bool]:
        is_page, is_index = other.name not in NO_PAGE, other.name == "index"
        same = [a == b for a, b in zip(page.parts, other.parts, strict=False)]
        taken = len(known & pairs(merged[other]))
        return other == page, is_page, taken, sum(same), is_index

    return sorted(merged, key=nearness, reverse=True)


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
