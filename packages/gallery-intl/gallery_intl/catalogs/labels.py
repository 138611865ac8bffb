"""Keep the words of figures in the catalogs of pages that nobody has run."""

import polib  # type: ignore[import-untyped]

from gallery_intl.catalogs.po import active

LABEL = "figure label"  # how what such a message is begins


def keep_labels(template: polib.POFile, english: polib.POFile) -> None:
    """Put what a page's catalog has of figures into its template, where it stood.

    A label may also be a text of the page that stands below its figure.
    """
    order = [entry.msgid for entry in template]
    place = 0
    for entry in active(english):
        known = order.index(entry.msgid) if entry.msgid in order else None
        if not any(x.startswith(LABEL) for x in entry.comment.split("\n")):
            place = place if known is None else known + 1
        elif known is not None and known < place:
            template[known].comment = entry.comment
        else:
            label = polib.POEntry(msgid=entry.msgid, occurrences=entry.occurrences)
            if known is not None:
                label = template.pop(known)
                del order[known]
            label.comment = entry.comment
            template.insert(place, label)
            order.insert(place, entry.msgid)
            place += 1


def is_label(entry: polib.POEntry) -> bool:
    """Return whether a message is a word of a figure, and no text of the page."""
    uses = [x for x in entry.comment.split("\n") if not x.startswith("English, better")]
    return all(x.startswith(LABEL) for x in uses) and any(uses)
