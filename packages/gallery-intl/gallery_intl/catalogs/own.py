"""Where the catalogs of our own words are: in this package, and in a project with it.

Only the project that this package is made in has its folder beside conf.py.
"""

from __future__ import annotations

from pathlib import Path

from gallery_intl.catalogs.po import DOMAIN, po_path

PACKAGE = Path(__file__).parents[1]
OWN = PACKAGE / "locales"


def folders_in(source: Path) -> list[Path]:
    """Return the folder of our words' catalogs in a project that this package is in."""
    return [OWN] if OWN.is_relative_to(source) else []


def path_of(language: str) -> Path:
    """Return where this package has its words in a language, if it has them."""
    return po_path(OWN, language, DOMAIN)
