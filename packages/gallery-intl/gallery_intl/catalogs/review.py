"""Know who translated and who reviewed a catalog, and whether it has changed since.

Translators stand where gettext lists them: in the comment above the header, as
``# name <address>, year``, and in ``Last-Translator``. Reviewers stand in the line
``X-Reviewed``, with ``;`` between them, as ``name, date, text=digest``. Without a
digest nothing is claimed about changes.
"""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import polib  # type: ignore[import-untyped]

from gallery_intl.catalogs import po as catalogs

REVIEWED = "X-Reviewed"
MAIL = re.compile(r"<[^>]*>|[^\s,]+@[^\s,]+")
PLACEHOLDERS = {"full name", "first author", "name", "automatically generated"}
# A name has at most four words; a sentence that ends with a year is none.
AUTHOR = re.compile(
    r"(?!copyright|©)((?:[^\s,]+ ){0,3}[^\s,]+(?: <[^>]*>)?), *\d{4}[-\d, ]*\.?",
    re.IGNORECASE,
)
DIGEST = re.compile(r", *text=(\w+)\s*$")


@dataclass(frozen=True)
class Review:
    """Somebody's reading of a whole page."""

    by: str  # a name, and a date if the header has one
    changed: bool  # whether readers see another text than the one reviewed


@dataclass(frozen=True)
class Credits:
    """Who worked on a catalog, without mail addresses."""

    translators: tuple[str, ...] = ()
    reviews: tuple[Review, ...] = ()

    @property
    def is_reviewed(self) -> bool:
        """Whether somebody has reviewed the text that readers see."""
        return not all(review.changed for review in self.reviews)


def credits(catalog: polib.POFile) -> Credits:
    """Read off a catalog's header who translated it, and who reviewed it."""
    listed = map(AUTHOR.fullmatch, map(str.strip, catalog.header.split("\n")))
    names = [match[1] for match in listed if match]
    names.append(catalog.metadata.get("Last-Translator", ""))
    translators = dict.fromkeys(filter(None, map(person, names)))
    now, reviews = digest(catalog), list[Review]()
    for text in signatures(catalog):
        seen = DIGEST.search(text)
        is_other = seen is not None and seen[1] != now
        reviews.append(Review(person(DIGEST.sub("", text)), is_other))
    return Credits(tuple(translators), tuple(reviews))


def signatures(catalog: polib.POFile) -> list[str]:
    """Return what the header says of each reviewer who has a name."""
    texts = map(str.strip, catalog.metadata.get(REVIEWED, "").split(";"))
    return [text for text in texts if person(text)]


def person(text: str) -> str:
    """Leave the mail address out of ``name <address>, date``; "" for no name."""
    known = re.sub(r"\s+(,|$)", r"\1", MAIL.sub("", text)).strip(", ")
    name = known.partition(",")[0]
    is_name = re.search(r"[^\W\d_]", name) and name.lower() not in PLACEHOLDERS
    return known if is_name else ""


def digest(catalog: polib.POFile) -> str:
    """Return a short digest of the translations that readers see, in any order."""
    shown = sorted(entry.msgstr for entry in catalog if catalogs.is_translated(entry))
    return hashlib.sha256("\0".join(shown).encode()).hexdigest()[:8]


def sign(path: Path, by: str, day: str) -> str:
    """Write into a catalog that somebody has reviewed what it says; return the line."""
    if not person(by) or re.search(r"[,;\n]", by):
        raise catalogs.CatalogError(
            f"{path}:1: {by!r} cannot review it (write a name, without , and ;)"
        )
    catalog = catalogs.read(path)
    name = person(by)
    others = [x for x in signatures(catalog) if person(x).partition(",")[0] != name]
    ours = f"{by}, {day}, text={digest(catalog)}"
    catalog.metadata[REVIEWED] = "; ".join([*others, ours])
    catalogs.write(path, catalog)
    return f"{REVIEWED}: {ours}"
