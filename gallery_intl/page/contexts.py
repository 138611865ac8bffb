"""Tell a translator what each message is: a heading, a comment and its code, ...

The catalogs' templates get it as ``#.`` comments, which every translation tool shows
beside the message. A feature that makes messages of its own says what they are in the
node's attribute ``context``.
"""

from __future__ import annotations

from collections import defaultdict

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.i18n import docname_to_domain
from sphinx.util.nodes import extract_messages

from gallery_intl.builders import collects_messages
from gallery_intl.catalogs import po as catalogs
from gallery_intl.page.settings import is_to_translate

NAMES = {
    nodes.title: "heading",
    nodes.rubric: "heading",
    nodes.caption: "caption",
    nodes.term: "term that is explained",
    nodes.image: "alt text",
    nodes.meta: "for search engines",
    nodes.math_block: "formula",
}
PLACES = {
    nodes.entry: "table cell",
    nodes.footnote: "footnote",
    nodes.Admonition: "note",
    nodes.list_item: "list item",
    nodes.definition: "explanation of a term",
    nodes.block_quote: "quotation",
}


def write_contexts(app: Sphinx, error: Exception | None) -> None:
    """Put what each message is into the templates; drop those of no use."""
    if error or not collects_messages(app.env):
        return
    known = contexts(app.env)
    for path in sorted(app.outdir.rglob("*.pot")):
        domain = path.relative_to(app.outdir).with_suffix("").as_posix()
        if domain in app.env.found_docs and not is_to_translate(app.config, domain):
            path.unlink()
            continue
        template = catalogs.read(path)
        default = ["interface"] if domain in catalogs.NO_PAGE else []
        for entry in template:
            entry.comment = "\n".join(known[domain].get(entry.msgid, default))
        if len(template):
            catalogs.write(path, template)
        else:  # as a page of computation times: there is nothing to translate
            path.unlink()


def contexts(env: BuildEnvironment) -> dict[str, dict[str, list[str]]]:
    """Return what the messages of all pages are, by catalog and message."""
    known: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for docname in sorted(env.found_docs):
        domain = docname_to_domain(docname, env.config.gettext_compact)
        for node, message in extract_messages(env.get_doctree(docname)):
            names = known[domain].setdefault(message, [])
            if (name := context(node)) not in names:
                names.append(name)
    return known


def context(node: nodes.Node) -> str:
    """Return what a message is."""
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
