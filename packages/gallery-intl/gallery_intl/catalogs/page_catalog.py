"""The translations of one page, from one or several catalogs."""

from collections.abc import Iterable
from pathlib import Path

import polib  # type: ignore[import-untyped]

from gallery_intl.catalogs import po
from gallery_intl.catalogs.labels import is_label
from gallery_intl.catalogs.review import Credits, credits


class PageCatalog:
    """The catalogs of a page; of several the first that has a message counts."""

    def __init__(self, paths: Iterable[Path], is_source: bool) -> None:
        self.is_source = is_source
        self.entries: dict[str, tuple[Path, polib.POEntry]] = {}
        self.credits: dict[Path, Credits] = {}
        for path in filter(Path.is_file, paths):
            catalog = po.shared(path)
            self.credits[path] = credits(catalog)
            for entry in po.active(catalog):
                self.entries.setdefault(entry.msgid, (path, entry))

    def translation(self, message: str) -> str | None:
        """Return what may be shown for a message; None if there is nothing."""
        known = self.entries.get(message)
        return known[1].msgstr if known and po.is_translated(known[1]) else None

    def translations(self) -> dict[str, str]:
        known = ((message, self.translation(message)) for message in self.entries)
        return {message: text for message, text in known if text is not None}

    def texts(self) -> dict[str, str | None]:
        """Return all messages but the words of figures, with their translations."""
        return {
            message: self.translation(message)
            for message, (_path, entry) in self.entries.items()
            if not is_label(entry)
        }

    def gaps(self) -> list[str]:
        """Return the messages that readers of another language see untranslated."""
        return [message for message in self.entries if self.is_gap(message)]

    def is_gap(self, message: str) -> bool:
        """Return whether readers of another language see the original."""
        if self.is_source:
            return False
        known = self.entries.get(message)
        if known is None:
            return True
        entry = known[1]
        return po.needs_words(entry) and (
            self.translation(message) is None or po.is_english(entry)
        )

    def line(self, message: str) -> tuple[Path, int] | None:
        known = self.entries.get(message)
        return (known[0], known[1].linenum) if known else None
