"""List what is left to translate, as ``path:line: state: words``."""

import textwrap
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

import polib  # type: ignore[import-untyped]

from gallery_intl.catalogs import english, po, progress

LETTERS = 60  # of a message that is named by its beginning


class Item(NamedTuple):
    """A message whose translation readers do not see."""

    path: Path
    line: int
    state: str
    text: str
    words: int  # of the English, as progress counts them

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.state}: {self.text}"


def todo(
    locale_dir: Path, language: str, source: str = po.SOURCE_LANGUAGE
) -> Iterator[Item]:
    """Yield what a language lacks, in the order of its files, the interface last."""
    paths = progress.paths(locale_dir, [language])
    for path in sorted(paths, key=lambda path: (path.stem in po.NO_PAGE, path)):
        for entry in english.messages(english.read(path), english.english(path)):
            if po.is_gap(entry, language, source):
                words = len(entry.msgid.split())
                yield Item(path, entry.linenum or 1, *described(entry), words)


def described(entry: polib.POEntry) -> tuple[str, str]:
    """Return the state of a message, and its beginning or the words that differ."""
    beginning = textwrap.shorten(entry.msgid, LETTERS, placeholder=" …")
    if entry.fuzzy:
        return "fuzzy", changes(entry.previous_msgid or "", entry.msgid) or beginning
    return "in English" if entry.msgstr.strip() else "untranslated", beginning


def changes(old: str, new: str) -> str:
    """Return what differs as ``[-old-] {+new+}`` among three words; "" for nothing."""
    was, now = old.split(), new.split()
    if not was:
        return ""
    pieces, end = list[str](), 0
    for group in SequenceMatcher(None, was, now, autojunk=False).get_grouped_opcodes(3):
        pieces += ["…"] if group[0][1] > end else []
        for tag, first, end, start, stop in group:
            if tag == "equal":
                pieces.append(" ".join(was[first:end]))
                continue
            pieces += [f"[-{' '.join(was[first:end])}-]"] if end > first else []
            pieces += [f"{{+{' '.join(now[start:stop])}+}}"] if stop > start else []
    return " ".join([*pieces, *(["…"] if end < len(was) and pieces else [])])
