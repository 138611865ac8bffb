"""Our own words: their catalogs, in this package and in projects.

They come translated with this package. What a project has in a ``gallery_intl.po`` of
its own is asked first: other words, or those of a language that we lack. Only the
project that this package is made in has its folder beside conf.py.
"""

import io
from collections.abc import Iterable
from gettext import GNUTranslations, NullTranslations
from pathlib import Path

from gallery_intl import locale
from gallery_intl.catalogs.po import DOMAIN, compiled, po_path, shared

PACKAGE = Path(__file__).parents[1]
OWN = PACKAGE / "locales"


def folders_in(source: Path) -> list[Path]:
    """Return the folder of our words' catalogs in a project that this package is in."""
    return [OWN] if OWN.is_relative_to(source) else []


def path_of(language: str) -> Path:
    """Return where this package has its words in a language, if it has them."""
    return po_path(OWN, language, DOMAIN)


def word_catalogs(locale_dirs: Iterable[Path], language: str) -> list[Path]:
    """Return the catalogs of our words in a language: the project's first."""
    names = dict.fromkeys((language, language.partition("_")[0]))
    folders = [*locale_dirs, OWN]
    known = (po_path(folder, name, DOMAIN) for folder in folders for name in names)
    return [path for path in known if path.is_file()]


def use_words(locale_dirs: Iterable[Path], language: str) -> None:
    """Let our words be those of a language in this process."""
    words = NullTranslations()
    for path in word_catalogs(locale_dirs, language):
        words.add_fallback(GNUTranslations(io.BytesIO(compiled(shared(path)))))
    locale.use(words)
