"""Show what changes from one program of a page to another, and why.

The author names two files that the script writes, and gives the reasons as a definition
list: the first is that of the first change, and so on. ::

    .. diff:: train.py train_ddp.py

       A GPU for each rank
          torchrun gives each process its number.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from gallery_intl.locale import _

logger = logging.getLogger(__name__)

OTHER_NUMBER = (
    "this diff has reasons for %d changes, but there are %d (write a definition list "
    "with an item for each: %s)"
)
NO_FILE = "no file %r for this diff (name files that the script writes)"
BREAKS = re.compile(r"[.(]")  # after these a long line may break


class changed_lines(nodes.literal_block):
    """The lines of a change, each after its sign."""


class change_list(nodes.enumerated_list):
    """The changes and their reasons."""


class Diff(SphinxDirective):
    """The changes between two files, each with its reason."""

    required_arguments = 2
    has_content = True

    def run(self) -> list[nodes.Node]:
        content = self.parse_content_to_nodes()
        reasons = [
            x for part in content for x in part.findall(nodes.definition_list_item)
        ]
        for text in (x for part in content for x in part.findall(nodes.TextElement)):
            text["context"] = "reason of a change"
        folder = Path(self.env.srcdir, self.env.docname)
        files = [folder / name for name in self.arguments]
        if self.config.gallery_intl_collect or not self.config.gallery_intl_project:
            return content  # only sources of a language have the files
        if missing := [path.name for path in files if not path.is_file()]:
            self.warn(NO_FILE, missing[0])
            return content
        for path in files:
            self.env.note_dependency(str(path))
        old, new = (path.read_text("utf-8").splitlines() for path in files)
        hunks = list(changes(old, new))
        if len(hunks) != len(reasons):
            first = "; ".join(repr(hunk[0]) for hunk in hunks)
            self.warn(OTHER_NUMBER, len(reasons), len(hunks), first)
            return content
        return [self.shown(hunks, reasons)]

    def warn(self, text: str, *values: object) -> None:
        place = self.get_location()
        logger.warning(
            text, *values, type="gallery_intl", subtype="diffs", location=place
        )

    def shown(
        self, hunks: list[list[str]], reasons: list[nodes.definition_list_item]
    ) -> nodes.Element:
        old, new = (nodes.literal("", name) for name in self.arguments)
        bar = nodes.paragraph("", "", old, nodes.Text(" → "), new)
        bar["classes"] += ["diff-files", "no-search"]
        items = change_list(enumtype="arabic", prefix="", suffix=".", classes=["diff"])
        for hunk, item in zip(hunks, reasons, strict=True):
            text = "\n".join(hunk)
            lines = changed_lines(text, text, language="diff", classes=["no-search"])
            items += nodes.list_item("", lines, reason(item))
        return nodes.container("", bar, items, classes=["program-diff"])


def changes(old: list[str], new: list[str]) -> Iterator[list[str]]:
    """Yield what changes, where it does, as lines after their signs.

    Changes that one line divides are one; empty lines alone are none. One that only
    adds begins and ends with the lines around it.
    """
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for group in groups(matcher.get_opcodes(), new):
        lines = [line for code in group for line in signed(code, old, new)]
        if not any(line[0] == "-" for line in lines):
            first, last = group[0][3], group[-1][4]
            before, after = new[max(first - 1, 0) : first], new[last : last + 1]
            lines = [
                *(f" {x}" for x in before if x.strip()),
                *lines,
                *(f" {x}" for x in after if x.strip()),
            ]
        yield lines


Opcode = tuple[str, int, int, int, int]


def groups(opcodes: Sequence[Opcode], new: list[str]) -> Iterator[list[Opcode]]:
    """Group changes with no more than one equal line between them."""
    group: list[Opcode] = []
    for code in opcodes:
        tag, a, b, c, d = code
        if tag != "equal":
            is_empty = tag == "insert" and not any(x.strip() for x in new[c:d])
            if group or not is_empty:
                group.append(code)
        elif group and b - a <= 1 and code is not opcodes[-1]:
            group.append(code)
        elif group:
            yield trimmed(group)
            group = []
    if group:
        yield trimmed(group)


def trimmed(group: list[Opcode]) -> list[Opcode]:
    while group[-1][0] == "equal":
        group = group[:-1]
    return group


def signed(code: Opcode, old: list[str], new: list[str]) -> Iterator[str]:
    tag, a, b, c, d = code
    if tag == "equal":
        yield from (f" {x}" for x in new[c:d])
        return
    yield from (f"-{x}" for x in old[a:b] if x.strip())
    yield from (f"+{x}" for x in new[c:d])


def reason(item: nodes.definition_list_item) -> nodes.container:
    """Return a reason in paragraphs; the messages of term and text stay the same."""
    box = nodes.container(classes=["reason"])
    for part in item.children:
        if isinstance(part, nodes.term):
            part["classes"].append("reason-title")
            title = nodes.paragraph(part.rawsource, "", *part.children)
            title.attributes |= part.attributes
            title.source, title.line = part.source, part.line
            box += title
        elif isinstance(part, nodes.Element):
            box += part.children
    return box


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
    label = f'<span class="said">{escape(word)} </span>' if word else ""
    signed = f'{label}<i aria-hidden="true">{shown}</i>{code}'
    return f'<{tag} class="line">{signed}\n</{tag}>'


def setup(app: Sphinx) -> None:
    app.add_directive("diff", Diff)
    app.add_node(change_list)
    app.add_node(changed_lines, html=(visit_changed_lines, None))
