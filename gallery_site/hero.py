"""Say on the front page how to begin, and show it; on About, where to write.

What a line to type holds is read where it stands once: the packages and the start in
the lesson, their versions in the project's requirements.
"""

from __future__ import annotations

import os
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.locale import _
from sphinx.util.docutils import SphinxDirective

from gallery_intl.downloads import script_download
from gallery_intl.page.interface_nodes import around
from gallery_intl.page.interface_nodes import line as interface_line
from gallery_intl.project import Project
from gallery_intl.script.source import packages
from gallery_run.needs import command
from gallery_site.downloads import pinned_versions

# of a page of Sphinx-Gallery: a block that the program has printed
FIRST_OUTPUT = re.compile(r"^ \.\. code-block:: none\n\n((?:    .*\n)+)", re.MULTILINE)


class offered(nodes.General, nodes.Element):
    """A placeholder for the download of a lesson's script; ``docname`` says which."""


class TryIt(SphinxDirective):
    """What to type to run a lesson, and its script to download."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        page = self.arguments[0]
        script = Project.of(self.env).script(page)
        if script is None:
            raise self.error(f"no lesson {page!r}")
        # not on the script in the reader's language, which each sentence changes
        self.env.note_dependency(Project.of(self.env).srcdir / f"{page}.py")
        known, names = pinned_versions(self.env), packages(script.text)
        pins = [f"{name}=={known[name]}" if name in known else name for name in names]
        start = command(script.text) or f"python {script.path.name}"
        head = interface_line(nodes.inline("", _("Try it now")), offered(docname=page))
        generated = Project.of(self.env).srcdir / f"{page}.rst"
        self.env.note_dependency(generated)
        output = FIRST_OUTPUT.search(generated.read_text("utf-8"))
        lines = typed([f"pip install {' '.join(pins)}", start])
        if output:
            lines += nodes.Text("\n")
            lines += nodes.inline("", output[1].strip(), classes=["go"])
        return [nodes.container("", head, lines, classes=["try-it", "no-search"])]


def typed(commands: list[str]) -> nodes.literal_block:
    """Return lines to type; a narrow one breaks between words, never inside."""
    # its source is not its text, so Sphinx leaves its words as they are
    block = nodes.literal_block("\n".join(commands), classes=["typed"])
    for number, text in enumerate(commands):
        words = [nodes.inline("", word, classes=["word"]) for word in text.split()]
        between = [part for word in words for part in (nodes.Text(" "), word)][1:]
        prompt = nodes.inline("", "$ ", classes=["gp"])  # not copied, nor is an output
        block += nodes.inline("", "", prompt, *between, classes=["command"])
        if number < len(commands) - 1:
            block += nodes.Text("\n")
    return block


def offer(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Offer scripts in the reader's language, once all of them are written."""
    for node in list(document.findall(offered)):
        page = node["docname"]
        if file := script_download(app.env, page):
            name = nodes.literal("", os.path.basename(file))
            node.replace_self(addnodes.download_reference("", "", name, filename=file))
        else:
            node.replace_self([])


class drawn(nodes.General, nodes.Element):
    """A placeholder for a drawing; ``template`` says which."""


class Drawing(SphinxDirective):
    """A figure that a template draws, so that its words are those of the interface."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        text = " ".join(self.content)
        words, messages = self.parse_inline(text, lineno=self.content_offset + 1)
        caption = nodes.caption(text, "", *words)
        self.set_source_info(caption)
        figure = nodes.figure("", drawn(template=self.arguments[0]), caption)
        return [figure, *messages]


def draw(app: Sphinx, document: nodes.document, docname: str) -> None:
    for node in list(document.findall(drawn)):
        if app.builder.format != "html":
            node.parent.remove(node)
            continue
        svg = app.builder.templates.render(node["template"], {})
        node.replace_self(nodes.raw("", svg, format="html"))


class Contact(SphinxDirective):
    """Where to write to the authors, or that there is no such place yet."""

    def run(self) -> list[nodes.Node]:
        url = self.config.gallery_repository_url
        if not url:
            text = _(
                "This site has no public repository yet, and no address to write to."
            )
            return [interface_line(nodes.Text(text))]
        text = _("Report a mistake, or propose a change, in the repository: %s")
        link = nodes.reference("", url.partition("//")[2], refuri=url)
        return [interface_line(*around(text, link))]
