"""Show what changes from one program of a page to another, and why.

The author names two files that the script writes, and gives the reasons as a definition
list: the first is that of the first change, and so on. ::

    .. diff:: train.py train_ddp.py

       A GPU for each rank
          torchrun gives each process its number.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from gallery_intl import order
from gallery_intl.builders import collects_messages
from gallery_intl.locale import _
from gallery_intl.page.page import Page, page_of
from gallery_intl.script.changes import Change, as_text, changes, name, pieces
from gallery_intl.script.files import File, emptied

logger = logging.getLogger(__name__)

NO_FILE = "no file %r for this diff (the script writes %s)"
OTHER_NUMBER = (
    "this diff has reasons for %d changes, but there are %d (write a definition list "
    "with an item for each: %s)"
)
BREAKS = re.compile(r"[.(]")  # behind these a long line may break


class diff(nodes.General, nodes.Element):
    """The reasons, until the changes are known; ``old`` and ``new`` name the files."""


class change_list(nodes.enumerated_list):
    """The changes and their reasons."""


class changed_lines(nodes.literal_block):
    """The lines of a change, each behind its sign."""


class fold(nodes.container):
    """What readers open to see it; ``file`` is its name."""


class Diff(SphinxDirective):
    """The changes between two files, each with its reason."""

    required_arguments = 2
    has_content = True

    def run(self) -> list[nodes.Node]:
        old, new = self.arguments
        node = diff("", *self.parse_content_to_nodes(), old=old, new=new)
        self.set_source_info(node)
        for text in node.findall(nodes.TextElement):
            text["context"] = "reason of a change"
        return [node]


class ShowDiffs(SphinxTransform):
    """Put the changes in their places, and fold the new file, which comes again."""

    default_priority = order.SHOW_DIFFS

    def apply(self, **kwargs: Any) -> None:
        if collects_messages(self.env):
            return
        for node in list(self.document.findall(diff)):
            reasons = [
                x for part in node.children for x in filter(is_reason, part.children)
            ]
            hunks = changes_of(page_of(self.env), node)
            if hunks is not None and len(hunks) == len(reasons):
                node.replace_self(shown(node, hunks, reasons))
                fold_file(self.document, node["new"])
                continue
            if hunks is not None:
                names = "; ".join(map(name, hunks))
                warn(node, OTHER_NUMBER, len(reasons), len(hunks), names)
            node.replace_self(node.children)


def is_reason(node: nodes.Node) -> bool:
    return isinstance(node, nodes.definition_list_item)


def changes_of(page: Page, node: diff) -> list[Change] | None:
    """Return the changes between the files of a diff; None if there is no such file."""
    written = files_of(page.script.text) if page.script else {}
    made = files_of(page.made.source) if page.made else {}
    names = [node["old"], node["new"]]
    for file in names:
        if file not in written:
            warn(node, NO_FILE, file, ", ".join(written) or "none")
            return None
    return changes(*(list(pieces(written[file], made[file])) for file in names))


def files_of(script: str) -> dict[str, File]:
    return {file.name: file for file in emptied(script)[1]}


def warn(node: nodes.Node, text: str, *values: object) -> None:
    logger.warning(text, *values, type="gallery_intl", subtype="diffs", location=node)


def shown(node: diff, hunks: list[Change], reasons: list[nodes.Node]) -> nodes.Element:
    """Return what a page shows: the names of the files, changes and reasons."""
    both = nodes.literal("", node["old"]), nodes.literal("", node["new"])
    bar = nodes.paragraph("", "", both[0], nodes.Text(" → "), both[1])
    bar["classes"] += ["diff-files", "no-search"]
    items = change_list(enumtype="arabic", prefix="", suffix=".", classes=["diff"])
    for change, item in zip(hunks, reasons, strict=True):
        text = as_text(change)
        lines = changed_lines(text, text, language="diff", classes=["no-search"])
        items += nodes.list_item("", lines, reason(item))
    return nodes.container("", bar, items, classes=["program-diff"])


def reason(item: nodes.Node) -> nodes.container:
    """Return a reason in paragraphs; they keep what is known of term and text."""
    box = nodes.container(classes=["reason"])
    for part in item.children:
        if isinstance(part, nodes.term):
            title = nodes.paragraph("", "", nodes.strong("", "", *part.children))
            title.attributes |= part.attributes
            box += title
        else:
            box += part.children
    return box


def fold_file(document: nodes.document, file: str) -> None:
    for block in list(document.findall(nodes.literal_block)):
        if block.get("file") == file and not isinstance(block.parent, fold):
            box = fold(file=file)
            block.parent.replace(block, box)
            box += block


def visit_changed_lines(self: HTML5Translator, node: changed_lines) -> None:
    """Write the lines of a change, told apart by words, signs and looks."""
    lines = node.astext().split("\n")
    code = "\n".join(line[1:] for line in lines)
    marked = self.highlighter.highlight_block(code, "python", force=True, nowrap=True)
    self.body.append(self.starttag(node, "pre", "", CLASS="highlight") + "<code>")
    for line, html in zip(lines, marked.split("\n"), strict=False):
        self.body.append(html_line(line[0], BREAKS.sub(r"\g<0><wbr />", html)))
    self.body.append("</code></pre>\n")
    raise nodes.SkipNode


def html_line(sign: str, code: str) -> str:
    """Return a line of a change; neither words nor sign are selected with it."""
    tag, word, shown = {
        "-": ("del", _("removed:"), "\N{MINUS SIGN}"),
        "+": ("ins", _("added:"), "+"),
        " ": ("span", "", " "),
    }[sign]
    said = f'<span class="said">{escape(word)} </span>' if word else ""
    signed = f'{said}<i aria-hidden="true">{shown}</i>{code}'
    return f'<{tag} class="line">{signed}\n</{tag}>'


def visit_fold(self: HTML5Translator, node: fold) -> None:
    words = escape(_("The whole file: %s") % node["file"])
    summary = f'<summary class="no-search">{words}</summary>'
    self.body.append(f"{self.starttag(node, 'details', CLASS='intl-fold')}{summary}\n")


def depart_fold(self: HTML5Translator, node: fold) -> None:
    self.body.append("</details>\n")


def add_nodes(app: Sphinx) -> None:
    """Add the nodes; builders of other formats write what each is a kind of."""
    app.add_node(diff)
    app.add_node(change_list)
    app.add_node(changed_lines, html=(visit_changed_lines, None))
    app.add_node(fold, html=(visit_fold, depart_fold))
