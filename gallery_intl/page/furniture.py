"""Give the furniture of a gallery page in the reader's language.

Sphinx-Gallery writes its header note and its footer as English reST into every page.
Here both are taken out before messages are collected, so that no page's catalog
holds them, and put in again with the words of the interface catalog (``sphinx.po``).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.locale import _
from sphinx.transforms import SphinxTransform

from gallery_intl import order
from gallery_intl.builders import collects_messages
from gallery_intl.catalogs.po import source_language
from gallery_intl.page import page as pages
from gallery_intl.page.settings import is_left_as_written
from gallery_intl.page.upstream import (
    BOX,
    FOOTER,
    NOTE,
    OUTPUT,
    download_kind,
    running_time,
)
from gallery_intl.script.source import packages

NEEDS = "intl-needs"
SPHINX_GALLERY = "https://sphinx-gallery.github.io"


def with_class(
    document: nodes.Node, kind: type[nodes.Element], name: str
) -> list[nodes.Element]:
    """Return the elements of a kind that carry a class."""
    return [node for node in document.findall(kind) if name in node["classes"]]


def download_label(kind: str, suffix: str) -> str:
    """Return the text of a download link, with ``%s`` for the file's name.

    Of other files, such as an archive of all scripts, the name says enough.
    """
    return {
        ("python", ".py"): _("Python script: %s"),
        ("jupyter", ".ipynb"): _("Jupyter notebook: %s"),
        ("zip", ".zip"): _("Both as a zip archive: %s"),
    }.get((kind, suffix), "%s")


def around(text: str, node: nodes.Node) -> list[nodes.Node]:
    """Put a node where a text has ``%s``."""
    before, _found, after = text.partition("%s")
    return [nodes.inline("", before), node, nodes.inline("", after)]


def line(*children: nodes.Node, **attributes: Any) -> nodes.paragraph:
    """Return a paragraph that belongs to the interface, not to a page's catalog."""
    return nodes.paragraph("", "", *children, translatable=False, **attributes)


class RemoveFurniture(SphinxTransform):
    """Take Sphinx-Gallery's note and footer out of messages; put the note's link below.

    Sphinx looks at each text of a page several times, so ours come when it has.
    """

    default_priority = order.REMOVE_FURNITURE

    def apply(self, **kwargs: Any) -> None:
        if is_left_as_written(self.env):
            return
        collects = collects_messages(self.env)
        script = pages.script_of(self.env, self.env.docname)
        for footer in with_class(self.document, nodes.container, FOOTER):
            if collects:
                remove(footer)
                continue
            footer["classes"].append("no-search")
            for words in footer.findall(nodes.paragraph):
                words["translatable"] = False
        for note in with_class(self.document, nodes.note, NOTE):
            link = next(note.findall(addnodes.pending_xref), None)
            remove(note)
            if script and link is not None and not collects:
                link.clear()
                items = nodes.bullet_list("", link, classes=[NEEDS, "no-search"])
                put_below_title(self.document, items)


class FillFurniture(SphinxTransform):
    """Say in the reader's language what the page needs, and what its links lead to."""

    default_priority = order.FILL_FURNITURE

    def apply(self, **kwargs: Any) -> None:
        if collects_messages(self.env) or is_left_as_written(self.env):
            return
        for footer in with_class(self.document, nodes.container, FOOTER):
            for box in with_class(footer, nodes.container, BOX):
                link = next(box.findall(addnodes.download_reference))
                name = PurePosixPath(link["reftarget"])
                label = download_label(download_kind(box), name.suffix)
                link[:] = around(label, nodes.literal("", name.name))
                box[:] = [line(link)]
            footer += self.closing_lines()
        if script := pages.script_of(self.env, self.env.docname):
            for below_title in with_class(self.document, nodes.bullet_list, NEEDS):
                self.fill(below_title, script.text)

    def fill(self, below_title: nodes.Element, script: str) -> None:
        more = next(below_title.findall(addnodes.pending_xref))
        more += nodes.inline("", _("Download"))
        facts = [*map(nodes.Text, self.needs(script)), more]
        below_title[:] = [nodes.list_item("", line(fact)) for fact in facts]

    def needs(self, script: str) -> Iterator[str]:
        """Yield what listeners of ``gallery-page-needs`` return, and the packages.

        They are given the script, and return sentences in the reader's language.
        """
        for sentences in self.env.events.emit("gallery-page-needs", script):
            yield from sentences
        if names := packages(script):
            yield _("Packages: %s") % _(", ").join(names)

    def closing_lines(self) -> Iterator[nodes.Element]:
        seconds = running_time(Path(self.env.doc2path(self.env.docname)))
        if seconds is not None:
            text = _("Running time of the script: %.1f seconds") % seconds
            yield line(nodes.Text(text), classes=["sphx-glr-timing"])
        link = nodes.reference("", "Sphinx-Gallery", refuri=SPHINX_GALLERY)
        text = _("Gallery generated by %s")
        yield line(*around(text, link), classes=["sphx-glr-signature"])


def remove(node: nodes.Element) -> None:
    """Remove a node with the ``only`` around it."""
    if isinstance(node.parent, addnodes.only):
        node = node.parent
    node.parent.remove(node)


def put_below_title(document: nodes.document, node: nodes.Element) -> None:
    """Put a node below a page's title; at its top if it has none."""
    title = next(document.findall(nodes.title), None)
    parent = document if title is None else title.parent
    parent.insert(0 if title is None else parent.index(title) + 1, node)


def mark_outputs(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Mark what a program prints as not translated, for screen readers.

    It gets a box, because the label that CSS puts there is translated.
    """
    source = source_language(app.config)
    if app.config.language == source:
        return
    for block in with_class(document, nodes.literal_block, OUTPUT):
        box = nodes.container()
        block.replace_self(box)  # and hand over classes and names
        # docutils writes this class as an attribute, lang="en"
        block["classes"] = [f"language-{source}"]
        box += block
