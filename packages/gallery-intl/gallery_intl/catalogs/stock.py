"""Find a message's translation among all that a language has.

What a fuzzy entry says is a translation of the text beside it, its previous one. One
without such a text is in doubt for another reason, and stays so.
"""

import difflib
from collections.abc import Iterable
from typing import NamedTuple

import polib  # type: ignore[import-untyped]

from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs.adapt import adapt
from gallery_intl.catalogs.po import Pages

SIMILAR = 0.6  # ratio from which a new message counts as a changed old one ...
SIMILAR_ELSEWHERE = 0.72  # ... of another page: below it most are chance, measured

Memory = dict[str, polib.POEntry]
Pair = tuple[str, str]  # a message and its translation


class Stock(NamedTuple):
    """What a language has translations of."""

    memory: Memory  # by message, of all pages
    moved: list[polib.POEntry]  # what pages had until now, and have no longer

    def translate(
        self, entry: polib.POEntry, old: polib.POEntry | None, gone: list[polib.POEntry]
    ) -> None:
        """Fill an entry from its page, else from any, else from a similar message.

        ``old``: the entry as it was; ``gone``: what else the page had.
        """
        same = old if old and old.msgstr else self.memory.get(entry.msgid, old)
        if same:
            _copy(same, entry)
        elif done := _adapted(entry.msgid, [*gone, *self.moved]):
            entry.msgstr, entry.tcomment = done
        elif similar := (
            _similar(entry.msgid, gone, SIMILAR)
            or _similar(entry.msgid, self.moved, SIMILAR_ELSEWHERE)
        ):
            _copy(similar, entry)
            entry.previous_msgid = None if similar.fuzzy else similar.msgid
            entry.fuzzy = True


def take_stock(templates: Pages, present: Pages) -> Stock:
    """Collect what is translated anywhere, and what has left its page."""
    moved = []
    for page, file in present.items():
        wanted = {entry.msgid for entry in templates.get(page, ())}
        entries = (x for x in catalogs.active(file) if x.msgid not in wanted)
        moved += [original(entry) for entry in entries]
    return Stock(remember(present.values()), moved)


def remember(files: Iterable[polib.POFile]) -> Memory:
    """Collect translations by message: those in use before others, fuzzy ones last."""
    entries = [entry for file in files for entry in file if entry.msgstr]
    entries.sort(key=lambda entry: (entry.fuzzy, entry.obsolete))
    memory: Memory = {}
    for entry in sorted([*entries, *map(original, entries)], key=lambda x: x.fuzzy):
        memory.setdefault(entry.msgid, entry)
    return memory


def original(entry: polib.POEntry) -> polib.POEntry:
    """Return an entry with the message that its translation is of."""
    if not (entry.fuzzy and entry.previous_msgid):
        return entry
    first = polib.POEntry(msgid=entry.previous_msgid)
    first.msgstr, first.tcomment = entry.msgstr, entry.tcomment
    first.flags = [flag for flag in entry.flags if flag != "fuzzy"]
    first.obsolete = entry.obsolete
    return first


def pairs(file: polib.POFile) -> set[Pair]:
    """Return the translations in use, each with the message that it is of."""
    used = filter(lambda entry: entry.msgstr, catalogs.active(file))
    return {(entry.msgid, entry.msgstr) for entry in map(original, used)}


def _copy(old: polib.POEntry, entry: polib.POEntry) -> None:
    """Take over what people wrote; other tools leave a previous text where none is."""
    entry.msgstr = old.msgstr
    entry.tcomment = old.tcomment
    entry.flags = [flag for flag in old.flags if old.msgstr or flag != "fuzzy"]
    entry.previous_msgid = old.previous_msgid if entry.fuzzy else None


def _adapted(msgid: str, gone: list[polib.POEntry]) -> tuple[str, str] | None:
    """Find a translation of which only code or punctuation is to be changed."""
    for old in gone:
        if old.fuzzy or old.msgstr in ("", old.msgid):
            continue
        if translation := adapt(old.msgid, msgid, old.msgstr):
            return translation, old.tcomment
    return None


def _similar(
    msgid: str, gone: list[polib.POEntry], ratio: float
) -> polib.POEntry | None:
    """Find the translation of the message that is most like one, if any is."""
    # a letter is no junk because a long text has it often
    matcher = difflib.SequenceMatcher(None, "", msgid, autojunk=False)

    def likeness(entry: polib.POEntry) -> float:
        matcher.set_seq1(entry.msgid)
        return matcher.ratio() if matcher.quick_ratio() >= ratio else 0

    rated = [(likeness(entry), entry) for entry in gone if entry.msgstr]
    best, similar = max(rated, key=lambda pair: pair[0], default=(0.0, None))
    return similar if best >= ratio else None
