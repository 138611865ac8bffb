"""Draw the picture that is shown when somebody shares the page of all languages."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from gallery_intl.catalogs.po import SOURCE_LANGUAGE
from gallery_site.card_fonts import family_for
from gallery_site.project import Site
from gallery_site.social_cards import Block, Card, draw


def draw_front(site: Site, titles: dict[str, str], folder: Path) -> Path | None:
    """Draw the site's title in each language, with its letters; None if fonts lack."""
    blocks = []
    for language, title in titles.items():
        text = f"{site.languages[language]}: {title}"
        family = family_for(text, site.card_fonts.get(language, []))
        if family is None:
            return None
        blocks.append(Block(text, family))
    family = family_for(site.title, site.card_fonts.get(SOURCE_LANGUAGE, []))
    if family is None:
        return None
    host = Block(urlsplit(site.address).netloc, family)
    path = folder / "social.png"
    draw(Card(host, Block(site.title, family), blocks), path)
    return path
