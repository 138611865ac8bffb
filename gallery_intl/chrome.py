"""Give the furniture of a gallery page in the reader's language.

Sphinx-Gallery writes its header note and its footer as English reST into every page.
Here both are taken out before messages are collected, so that no page's catalog
holds them, and put in again with the words of the interface catalog (``sphinx.po``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.locale import _
from sphinx.transforms import SphinxTransform
from sphinx.util.typing import ExtensionMetadata

from gallery_intl import pages
from gallery_intl.needs import Needs, needs

NOTE = "sphx-glr-download-link-note"
FOOTER = "sphx-glr-footer"
SPHINX_GALLERY = "https://sphinx-gallery.github.io"


def with_class(document: nodes.Node, name: str) -> list[nodes.Element]:
    """Give the elements that carry a class."""
    return [
        node
        for node in document.findall(nodes.Element)
        if name in node.get("classes", ())
    ]


def outermost(node: nodes.Element) -> nodes.Element:
    """Give the ``only`` directive around a node, or the node itself."""
    return node.parent if isinstance(node.parent, addnodes.only) else node


def download_label(suffix: str) -> str:
    """Give the text of a download link, with ``%s`` for the file's name."""
    return {
        ".py": _("Python script: %s"),
        ".ipynb": _("Jupyter notebook: %s"),
        ".zip": _("Both as a zip archive: %s"),
    }[suffix]


def around(text: str, node: nodes.Node) -> list[nodes.Node]:
    """Put a node where a text has ``%s``."""
    before, _found, after = text.partition("%s")
    return [nodes.inline("", before), node, nodes.inline("", after)]


def describe(page: Needs) -> Iterator[str]:
    """Say in the reader's language what a page needs."""
    if page.ranks:
        yield _("%d processes, started with torchrun") % page.ranks
    else:
        yield _("One process, started with python")
    if page.uses_gpus:
        yield _("Runs on a CPU, and on GPUs where there are any")
    else:
        yield _("Runs on a CPU")
    yield _("Packages: %s") % ", ".join(page.packages)


def running_time(page: Path) -> float | None:
    """Read how many seconds a page's script took when it was last run."""
    try:
        text = page.with_name(f"{page.stem}.cost.json").read_text(encoding="utf-8")
        return float(json.loads(text)["time"])
    except (OSError, ValueError, KeyError):
        return None


def line(*children: nodes.Node, **attributes: Any) -> nodes.paragraph:
    """Give a paragraph that belongs to the interface, not to a page's catalog."""
    return nodes.paragraph("", "", *children, translatable=False, **attributes)


class ReplaceFurniture(SphinxTransform):
    """Take out Sphinx-Gallery's note and footer; put in our own."""

    default_priority = 8  # before the source workaround (10) and Locale (20)

    @property
    def collects(self) -> bool:
        return pages.collects_messages(self.env)

    def apply(self, **kwargs: Any) -> None:
        for footer in with_class(self.document, FOOTER):
            if self.collects:
                remove(footer)
            else:
                footer["translatable"] = False
                footer["classes"].append("no-search")
                footer.children = [*self.downloads(footer), *self.closing_lines()]
                adopt(footer)
        for note in with_class(self.document, NOTE):
            self.replace_note(note)

    def replace_note(self, note: nodes.Element) -> None:
        """Say below the title what the page needs, in place of the note above it."""
        link = next(note.findall(addnodes.pending_xref), None)
        title = next(self.document.findall(nodes.title), None)
        remove(note)
        script = pages.script_of(self.env, self.env.docname)
        if link is None or title is None or script is None or self.collects:
            return
        link.children = [nodes.inline("", _("Download"))]
        adopt(link)
        facts = [nodes.Text(fact) for fact in describe(needs(script.text))]
        items = [
            nodes.list_item("", nodes.paragraph("", "", fact, translatable=False))
            for fact in (*facts, link)
        ]
        section = title.parent
        section.insert(
            section.index(title) + 1,
            nodes.bullet_list("", *items, classes=["needs", "no-search"]),
        )

    def downloads(self, footer: nodes.Element) -> Iterator[nodes.Element]:
        for box in with_class(footer, "sphx-glr-download"):
            reference = next(box.findall(addnodes.download_reference))
            name = Path(reference["reftarget"]).name
            file = nodes.literal("", name, translatable=False)
            reference.children = around(download_label(Path(name).suffix), file)
            adopt(reference)
            box.children = [line(reference)]
            adopt(box)
            yield box

    def closing_lines(self) -> Iterator[nodes.Element]:
        page = self.env.doc2path(self.env.docname)
        seconds = running_time(Path(page))
        if seconds is not None:
            text = _("Running time of the script: %.1f seconds") % seconds
            yield line(nodes.Text(text), classes=["sphx-glr-timing"])
        link = nodes.reference("", "Sphinx-Gallery", refuri=SPHINX_GALLERY)
        link["translatable"] = False
        text = _("Gallery generated by %s")
        yield line(*around(text, link), classes=["sphx-glr-signature"])


def adopt(parent: nodes.Element) -> None:
    """Tell children that were assigned as a list who their parent is."""
    for child in parent.children:
        parent.setup_child(child)


def remove(node: nodes.Element) -> None:
    """Remove a node with the ``only`` around it."""
    node = outermost(node)
    node.parent.remove(node)


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_transform(ReplaceFurniture)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
