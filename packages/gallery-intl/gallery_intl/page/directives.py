"""Directives that the writer puts into pages."""

from pathlib import PurePosixPath
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from gallery_intl.locale import _

CODE_FOLD = "code-fold"


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


def code_fold(title: str, *content: nodes.Node) -> nodes.admonition:
    """Return code that readers open to see it, below a title in their language."""
    heading = nodes.title(title, title, translatable=False, classes=["no-search"])
    fold = nodes.admonition("", heading, *content, classes=[CODE_FOLD])
    fold["collapsible"] = "closed"
    return fold


def is_code_fold(node: nodes.Node) -> bool:
    return isinstance(node, nodes.admonition) and CODE_FOLD in node["classes"]


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
        if "folded" not in self.options:
            return [box]
        return [code_fold(_("The whole file: %s") % name, box)]


def setup(app: Sphinx) -> None:
    app.add_directive("interface", Interface)
    app.add_directive("alt-text", AltText)
    app.add_directive("program-file", Program)
