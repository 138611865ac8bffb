"""Give a page that is read its model, with the messages that it has."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.transforms import SphinxTransform
from sphinx.util.nodes import IGNORED_NODES, extract_messages

from gallery_intl import order
from gallery_intl.page.outputs import is_python
from gallery_intl.page.page import page_of
from gallery_intl.page.upstream import OUTPUT


class Annotate(SphinxTransform):
    """Make the page's model before anything on the page is translated."""

    default_priority = order.ANNOTATE

    def apply(self, **kwargs: Any) -> None:
        page = page_of(self.env)
        for block in self.document.findall(nodes.literal_block):
            if page.script and (is_python(block) or OUTPUT in block["classes"]):
                # `gettext_additional_targets` asks for it; its comments are messages
                block.attributes.pop("translatable", None)
        if page.says_what_is_written:
            return
        page.messages = [
            (node, message)
            for node, message in extract_messages(Told(self.document))
            if not is_metadata(node)
        ]


class Told(nodes.Element):
    """A page without the texts that are surely no messages.

    Sphinx would describe each of them at length for its log, when it looks for others.
    """

    def __init__(self, page: nodes.document) -> None:
        super().__init__()
        self.page = page

    def findall(self, condition: Any = None, *_args: Any, **_kwargs: Any) -> Any:
        """Yield the nodes of the page that meet a condition."""
        return filter(condition, self.page.findall(may_be_told))


def may_be_told(node: nodes.Node) -> bool:
    """Return whether a node is no text, or one that readers are told."""
    if not isinstance(node, nodes.TextElement):
        return True
    return bool(node.get("translatable", not isinstance(node, IGNORED_NODES)))


def is_metadata(node: nodes.Element) -> bool:
    """Return whether a text is the name of a field above the title: ``:nosearch:``."""
    is_name = isinstance(node, nodes.field_name)
    return is_name and isinstance(node.parent.parent.parent, nodes.document)
