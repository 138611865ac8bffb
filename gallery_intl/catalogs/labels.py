"""Keep the words of figures in the catalogs of pages that nobody has run."""

from __future__ import annotations

import polib  # type: ignore[import-untyped]

from gallery_intl.catalogs.po import active

LABEL = "figure label"  # how what such a message is begins


def keep_labels(template: polib.POFile, english: polib.POFile) -> None:
    """Put what a page's catalog has of figures into its template, where it stood."""
    order = [entry.msgid for entry in template]
    place = 0
    for entry in active(english):
        is_label = any(x.startswith(LABEL) for x in entry.comment.split("\n"))
        if entry.msgid in order:
            place = order.index(entry.msgid)
            if is_label:
                template[place].comment = entry.comment
        elif is_label:
            label = polib.POEntry(msgid=entry.msgid, occurrences=entry.occurrences)
            label.comment = entry.comment
            template.insert(place, label)
            order.insert(place, entry.msgid)
        else:
            continue
        place += 1
