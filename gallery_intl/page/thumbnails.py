"""Translate Sphinx-Gallery's cards: their titles, and the tooltips that introduce them.

Both are raw HTML in English, in the list of a gallery, in ``minigallery`` and below
related examples. The words are those of the page that a card leads to, as it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from gallery_intl import order
from gallery_intl.builders import collects_messages
from gallery_intl.catalogs.po import source_language
from gallery_intl.page import upstream
from gallery_intl.page.page import catalog_paths, script_of
from gallery_intl.text.sentences import plain_text, text_paragraphs

INTRO = "gallery_intl_intro"  # in what Sphinx keeps of a page: its first paragraph


class Thumbnail(NamedTuple):
    """A card: raw HTML before and behind a link, in HTML and elsewhere."""

    opened: nodes.raw
    links: list[addnodes.only]
    closed: nodes.raw

    @property
    def page(self) -> str:
        """The page that the card leads to."""
        link = next(self.links[0].findall(addnodes.pending_xref))
        return str(link["reftarget"]).lstrip("/")


def thumbnails(document: nodes.document) -> Iterator[Thumbnail]:
    """Yield the cards of a page that was not yet changed."""
    for opened in list(document.findall(nodes.raw)):
        if not upstream.TOOLTIP.search(opened.astext()):
            continue
        below = opened.parent.children[opened.parent.index(opened) + 1 :]
        match below:
            case [addnodes.only() as link, nodes.raw() as closed, *rest]:
                links = [link, *(x for x in rest[:1] if isinstance(x, addnodes.only))]
                if all(any(x.findall(addnodes.pending_xref)) for x in links):
                    yield Thumbnail(opened, links, closed)


class HideThumbnails(SphinxTransform):
    """Take the links of cards out of messages, and note which page each leads to."""

    default_priority = order.HIDE_FURNITURE

    def apply(self, **kwargs: Any) -> None:
        is_source = self.config.language == source_language(self.config)
        for card in thumbnails(self.document):
            for link in card.links:
                for text in link.findall(nodes.TextElement):
                    text["translatable"] = False
            if is_source or collects_messages(self.env):
                continue
            card.opened[INTRO] = card.closed[INTRO] = card.page
            for path in filter(Path.is_file, catalog_paths(self.env, card.page)):
                self.env.note_dependency(path)


def keep_intro(app: Sphinx, document: nodes.document) -> None:
    """Keep the first paragraph of a page of a gallery that was just read."""
    env = app.env
    if script_of(env, env.docname) and not collects_messages(env):
        first = next(iter(text_paragraphs(document)), None)
        env.metadata[env.docname][INTRO] = plain_text(first) if first else ""


def translate_thumbnails(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Write the titles and introductions of pages into their cards."""
    for node in list(document.findall(nodes.raw)):
        page = node.get(INTRO, "")
        if page not in app.env.titles:
            continue
        title = app.env.titles[page].astext()
        intro = app.env.metadata[page].get(INTRO) or title
        html = upstream.with_tooltip(node.astext(), escape(intro))
        html = upstream.with_title(html, escape(title, quote=False))
        node.replace_self(nodes.raw("", html, format="html"))
