"""Rank what readers find in English as it is ranked in the other languages."""

from __future__ import annotations

from sphinx.search.en import SearchEnglish

from gallery_intl.interface.search import RankedSearch


class EnglishSearch(RankedSearch, SearchEnglish):
    """English as Sphinx splits and stems it."""

    stopwords = SearchEnglish.stopwords - {"out"}  # of memory
    asked = (
        "can|could|does|get|gets|got|use|uses|used|using|need|needs|want|make|way|ways"
        "|explain|explained|tutorial|tutorials|example|examples|guide|help"
        "|difference|differences|vs|versus|please|still|only|just"
    )
