"""Describe figures to those who do not see them, in the text before their code.

::

    # .. alt-text:: Two bars, one for each device. Both have five rows.
"""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from gallery_intl import order
from gallery_intl.builders import collects_messages
from gallery_intl.catalogs.po import lang_class, source_language
from gallery_intl.figures import upstream
from gallery_intl.page import page as pages
from gallery_intl.text.wrapping import one_line

logger = logging.getLogger(__name__)

ALT_TEXTS = "gallery_intl_alt_texts"  # of a page, for figures that are still to come


class alt_text(nodes.container):
    """What a figure shows, in words; it stands behind the figure until it is read."""


def waiting(env: BuildEnvironment) -> list[alt_text]:
    """Return what is said of figures that the page being read has not shown yet."""
    if ALT_TEXTS not in env.temp_data:
        env.temp_data[ALT_TEXTS] = []
    alt_texts: list[alt_text] = env.temp_data[ALT_TEXTS]
    return alt_texts


def pictures(document: nodes.document) -> list[nodes.Element]:
    """Return the images of a page, those of Sphinx-Gallery's own kind too."""
    kinds = (nodes.image, upstream.imgsgnode)
    return [node for node in document.findall(nodes.Element) if isinstance(node, kinds)]


class AltText(SphinxDirective):
    """Describe a figure of the next code block to those who do not see it."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        self.assert_has_content()
        node = alt_text("", *self.parse_content_to_nodes())
        self.set_source_info(node)
        for paragraph in node.findall(nodes.paragraph):
            paragraph["context"] = "alt text"
        waiting(self.env).append(node)
        return []


class PlaceAltTexts(SphinxTransform):
    """Put the alt texts of a page that was not run where its figures would be."""

    default_priority = order.PLACE_ALT_TEXTS

    def apply(self, **kwargs: Any) -> None:
        if not collects_messages(self.env) or pictures(self.document):
            return
        blocks = list(self.document.findall(nodes.literal_block))
        for said in reversed(waiting(self.env)):
            line = pages.line_of(said) or 0
            below = (x for x in blocks if (pages.line_of(x) or 0) > line)
            if block := next(below, None):
                block.parent.insert(block.parent.index(block) + 1, said)


class Describe(SphinxTransform):
    """Give each figure the words that describe it, which were translated by now."""

    default_priority = order.DESCRIBE

    def apply(self, **kwargs: Any) -> None:
        images = pictures(self.document)
        for node in waiting(self.env) if images else []:  # none: nothing was run
            logger.warning(
                "this alt text has no figure: the next code block draws too few",
                type="gallery_intl",
                subtype="figures",
                location=node,
            )
        if collects_messages(self.env):
            return
        for image in images:
            said = image.next_node(siblings=True, descend=False)
            if isinstance(said, alt_text):
                text = one_line(said.astext())
                # Sphinx-Gallery writes that of its own kind into HTML as it is
                image["alt"] = escape(text) if image.get("srcset") else text
                said.parent.remove(said)
                if not (self.is_source or all(map(is_translated, said))):
                    source = source_language(self.config)
                    image["classes"].append(lang_class(source))

    @property
    def is_source(self) -> bool:
        return bool(self.config.language == source_language(self.config))


def is_translated(node: nodes.Node) -> bool:
    """Return whether Sphinx says of a text that it has put a translation there."""
    return isinstance(node, nodes.Element) and bool(node.get("translated"))
