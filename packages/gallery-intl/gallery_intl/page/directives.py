"""Directives that the writer puts into pages."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from gallery_intl.locale import _


class Interface(SphinxDirective):
    """Content that is written in the reader's language, and is in no catalog."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        content = self.parse_content_to_nodes()
        for part in content:
            for text in part.findall(nodes.TextElement):
                if not isinstance(text, nodes.Inline):  # which is none by itself
                    text["translatable"] = False
        return content


class AltText(SphinxDirective):
    """A description of the next figure, which the writer makes its alt text.

    Sources that nobody has written show nothing of it.
    """

    has_content = True

    def run(self) -> list[nodes.Node]:
        self.assert_has_content()
        return []


class fold(nodes.container):
    """What readers open to see it; ``file`` is its name."""


class Program(SphinxDirective):
    """A program that the script writes to a file, with its name and a download.

    The argument is the path of the file, which the writer has put there.
    """

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"folded": directives.flag}

    def run(self) -> list[nodes.Node]:
        name = PurePosixPath(self.arguments[0]).name
        code = "\n".join(self.content)
        block = nodes.literal_block(code, code, language="Python")
        self.set_source_info(block)
        words = nodes.literal("", name), nodes.inline("", _("Download"))
        link = addnodes.download_reference(
            "", "", *words, reftarget=self.arguments[0], refdoc=self.env.docname
        )
        classes = ["intl-program", "literal-block-wrapper"]
        box = nodes.container(literal_block=True, classes=classes)
        self.state.document.set_id(box)  # HTML links to it
        box += [nodes.caption("", "", link, translatable=False), block]
        return [fold("", box, file=name)] if "folded" in self.options else [box]


def visit_fold(self: HTML5Translator, node: fold) -> None:
    words = self.encode(_("The whole file: %s") % node["file"])
    summary = f'<summary class="no-search">{words}</summary>'
    self.body.append(f"{self.starttag(node, 'details', CLASS='intl-fold')}{summary}\n")


def depart_fold(self: HTML5Translator, node: fold) -> None:
    self.body.append("</details>\n")


def setup(app: Sphinx) -> None:
    app.add_directive("interface", Interface)
    app.add_directive("alt-text", AltText)
    app.add_directive("program-file", Program)
    app.add_node(fold, html=(visit_fold, depart_fold))
