"""Tell a translator what each message is: a heading, a comment and its code, ...

The catalogs' templates get it as ``#.`` comments, which every translation tool shows
beside the message. A feature that makes messages of its own says what they are in the
node's attribute ``context``.
"""

from __future__ import annotations

from collections import defaultdict

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.i18n import docname_to_domain
from sphinx.util.nodes import extract_messages
from sphinx.util.typing import ExtensionMetadata

from gallery_intl.catalogs import po as catalogs
from gallery_intl.page import page as pages

INTERFACE = "sphinx"  # the catalog of all that no page holds
NAMES = {
    nodes.title: "heading",
    nodes.rubric: "heading",
    nodes.caption: "caption",
    nodes.term: "term that is explained",
    nodes.image: "alt text",
    nodes.meta: "for search engines",
}
PLACES = {
    nodes.entry: "table cell",
    nodes.footnote: "footnote",
    nodes.Admonition: "note",
    nodes.list_item: "list item",
    nodes.definition: "explanation of a term",
    nodes.block_quote: "quotation",
}


class Contexts:
    """What the messages of this build are, by catalog and message."""

    def __init__(self) -> None:
        self.found: dict[str, dict[str, list[str]]] = defaultdict(dict)

    def note(self, app: Sphinx, document: nodes.document, docname: str) -> None:
        """Collect what the messages of a page are."""
        if not pages.collects_messages(app.env):
            return
        domain = docname_to_domain(docname, app.config.gettext_compact)
        for node, message in extract_messages(document):
            known = self.found[domain].setdefault(message, [])
            if (name := context(node)) not in known:
                known.append(name)

    def write(self, app: Sphinx, error: Exception | None) -> None:
        """Put it into the templates."""
        if error or not pages.collects_messages(app.env):
            return
        for path in sorted(app.outdir.rglob("*.pot")):
            domain = path.relative_to(app.outdir).with_suffix("").as_posix()
            template = catalogs.read(path)
            for entry in template:
                known = self.found[domain].get(entry.msgid)
                default = ["interface"] if domain == INTERFACE else []
                entry.comment = "\n".join(known or default)
            catalogs.write(path, template)


def context(node: nodes.Node) -> str:
    """Say what a message is."""
    if isinstance(node, nodes.Element) and "context" in node:
        return str(node["context"])
    for kind, name in NAMES.items():
        if isinstance(node, kind):
            return name
    while node.parent:
        node = node.parent
        for kind, name in PLACES.items():
            if isinstance(node, kind):
                return name
    return "paragraph"


def setup(app: Sphinx) -> ExtensionMetadata:
    contexts = Contexts()
    app.connect("doctree-resolved", contexts.note)
    app.connect("build-finished", contexts.write)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
