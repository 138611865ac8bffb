"""Rank what readers find in English as it is ranked in the other languages."""

from __future__ import annotations

from sphinx.search.en import SearchEnglish

from gallery_intl.interface.search import RankedSearch


class EnglishSearch(RankedSearch, SearchEnglish):
    """English as Sphinx splits and stems it."""
