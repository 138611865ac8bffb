"""Nodes of the interface on pages, which are in no page's catalog."""

from typing import Any

from docutils import nodes


def with_class(
    document: nodes.Node, kind: type[nodes.Element], name: str
) -> list[nodes.Element]:
    return [node for node in document.findall(kind) if name in node["classes"]]


def around(text: str, node: nodes.Node) -> list[nodes.Node]:
    """Put a node where a text has ``%s``."""
    before, _found, after = text.partition("%s")
    return [nodes.inline("", before), node, nodes.inline("", after)]


def line(*children: nodes.Node, **attributes: Any) -> nodes.paragraph:
    """Return a paragraph that belongs to the interface, not to a page's catalog."""
    return nodes.paragraph("", "", *children, translatable=False, **attributes)


def put_below_title(document: nodes.document, node: nodes.Element) -> None:
    """Put a node below a page's title; at its top if it has none."""
    title = next(document.findall(nodes.title), None)
    parent = document if title is None else title.parent
    parent.insert(0 if title is None else parent.index(title) + 1, node)
