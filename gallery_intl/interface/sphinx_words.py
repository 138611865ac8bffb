"""Take Sphinx's own words in a language, so that nobody translates them again."""

from __future__ import annotations

import gettext
from pathlib import Path

import polib  # type: ignore[import-untyped]
import sphinx

from gallery_intl.catalogs import po as catalogs
from gallery_intl.rules.check import check_entry
from gallery_intl.rules.glossary import Glossary

SPHINX_LOCALE = Path(sphinx.__file__).parent / "locale"


def sphinx_catalog(language: str) -> gettext.NullTranslations:
    """Give Sphinx's own translations of a language."""
    return gettext.translation("sphinx", SPHINX_LOCALE, [language], fallback=True)


def fill_from_sphinx(path: Path, language: str) -> bool:
    """Fill the gaps for which Sphinx has good words; tell whether there were any.

    The template grows with each language that Sphinx knows less of; for the others
    that is no work.
    """
    known, catalog = sphinx_catalog(language), catalogs.read(path)
    for entry in catalogs.active(catalog):
        words = known.gettext(entry.msgid)
        if (
            not entry.msgstr
            and words != entry.msgid
            and is_good(entry, words, language)
        ):
            entry.msgstr = words
    return catalogs.write(path, catalog)


def is_good(entry: polib.POEntry, words: str, language: str) -> bool:
    """Tell whether words keep the rules that a translator has to keep."""
    tried = polib.POEntry(msgid=entry.msgid, msgstr=words)
    return not any(check_entry(tried, language, True, Glossary()))
