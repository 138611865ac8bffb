"""Write a translated page's text as Markdown for a notebook.

It renders in Jupyter, VS Code, GitHub and Colab alike, so it keeps to what all of them
know: CommonMark, tables, ``$…$`` for mathematics, and a quotation for an admonition.
"""

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from textwrap import indent

from docutils import nodes
from sphinx import addnodes
from sphinx.locale import admonitionlabels
from sphinx.util import logging

from gallery_intl.text.wrapping import one_line

logger = logging.getLogger(__name__)

SKIPPED = (nodes.Invisible, nodes.system_message, nodes.raw, nodes.colspec, nodes.meta)
OPENED = (  # what holds blocks, and has no sign of its own
    nodes.compound,
    nodes.container,
    nodes.definition,
    nodes.field_body,
    nodes.figure,
    nodes.legend,
    nodes.section,
    addnodes.only,
)
ESCAPED = re.compile(r"[\\`*\[\]<$]|~~|(?<![^\W_])_|_(?![^\W_])")


def escape(text: str) -> str:
    """Return a text without the meaning of signs that Markdown reads as markup."""
    return ESCAPED.sub(lambda match: "\\" + match[0], text)


def fence(text: str, least: int) -> str:
    """Return a fence for code, longer than any inside it."""
    runs = (len(run) + 1 for run in re.findall("`+", text))
    return "`" * max(least, *runs, least)


def code(text: str) -> str:
    sign = fence(text, 1)
    pad = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{sign}{pad}{text}{pad}{sign}"


def quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def joins_words(before: str, inside: str, after: str) -> bool:
    """Return whether ``*`` around a text would be read as emphasis.

    CommonMark looks for white space and punctuation, so it takes ``**값(value)**은``
    for plain text: the closing sign stands after a bracket and before a letter.
    """

    def open_(left: str, right: str) -> bool:
        return not right.isspace() and (not _is_sign(right) or _is_sign(left))

    return open_(before[-1:], inside[:1]) and open_(after[:1], inside[-1:])


def _is_sign(letter: str) -> bool:
    """Return whether a letter, or the end of the text, separates words."""
    return not letter or letter.isspace() or unicodedata.category(letter)[0] in "PS"


class Writer:
    """Write docutils nodes, one method for each kind of them."""

    def link(self, node: nodes.Element) -> tuple[str, str]:
        """Return the text of a link ("": its own) and its address."""
        return "", node.get("refuri", "")

    def image(self, uri: str) -> str:
        return uri

    def unknown(self, node: nodes.Element) -> None:
        logger.warning(
            "there is no Markdown for %r: the notebook has its text only",
            node.tagname,
            type="gallery_intl",
            subtype="downloads",
            location=node,
        )

    def blocks(self, elements: Iterable[nodes.Node], between: str = "\n\n") -> str:
        written = (self.block(node) for node in elements)
        return between.join(text for text in written if text.strip())

    def block(self, node: nodes.Node) -> str:
        if isinstance(node, SKIPPED) or not isinstance(node, nodes.Element):
            return ""
        if method := getattr(self, f"block_{node.tagname}", None):
            return str(method(node))
        if node.tagname in admonitionlabels:
            return self.quotation(str(admonitionlabels[node.tagname]), node.children)
        if isinstance(node, nodes.Admonition):  # of others, such as a todo
            return self.block_admonition(node)
        if isinstance(node, nodes.TextElement):
            return self.inline(node)
        if not isinstance(node, OPENED):
            self.unknown(node)
        return self.blocks(node.children)

    def inline(self, node: nodes.Element) -> str:
        return "".join(map(self.inline_part, node.children))

    def inline_part(self, node: nodes.Node) -> str:
        if isinstance(node, nodes.Text):
            return escape(re.sub(r"\s*\n\s*", " ", node.astext()))
        if isinstance(node, SKIPPED) or not isinstance(node, nodes.Element):
            return ""
        if method := getattr(self, f"inline_{node.tagname}", None):
            return str(method(node))
        return self.inline(node)

    # blocks

    def block_paragraph(self, node: nodes.Element) -> str:
        text = self.inline(node).strip()
        text = re.sub(r"^([-+#>])(?=[\s#]|$)", r"\\\1", text)
        return re.sub(r"^(\d+)([.)])(?=\s|$)", r"\1\\\2", text)

    def block_title(self, node: nodes.Element) -> str:
        level, above = 0, node.parent
        while above is not None:
            level += isinstance(above, nodes.section)
            above = above.parent
        return f"{'#' * min(level, 6)} {self.inline(node)}"

    def block_rubric(self, node: nodes.Element) -> str:
        return f"**{self.inline(node)}**"

    block_term = block_field_name = block_rubric

    def block_literal_block(self, node: nodes.Element) -> str:
        text = node.astext()
        sign = fence(text, 3)
        return f"{sign}{str(node.get('language', '')).lower()}\n{text}\n{sign}"

    block_changed_lines = block_literal_block  # of a diff

    def block_change_list(self, node: nodes.Element) -> str:
        return self.blocks(part for item in node.children for part in item.children)

    def block_doctest_block(self, node: nodes.Element) -> str:
        return f"```python\n{node.astext()}\n```"

    def block_math_block(self, node: nodes.Element) -> str:
        return f"$$\n{node.astext().strip()}\n$$"

    def block_bullet_list(self, node: nodes.Element) -> str:
        return self.items(node, ["- "] * len(node.children))

    block_definition_list = block_field_list = block_bullet_list

    def block_enumerated_list(self, node: nodes.Element) -> str:
        start = int(node.get("start", 1))
        return self.items(node, [f"{start + i}. " for i in range(len(node.children))])

    def items(self, node: nodes.Element, marks: list[str]) -> str:
        texts = [self.blocks(item.children) for item in node.children]
        loose = any("\n\n" in text for text in texts)
        return ("\n\n" if loose else "\n").join(
            mark + indent(text, " " * len(mark)).lstrip(" ")
            for mark, text in zip(marks, texts, strict=True)
        )

    def block_footnote(self, node: nodes.Element) -> str:
        label, *rest = node.children
        return f"{escape(f'[{label.astext()}]')} {self.blocks(rest)}"

    block_citation = block_footnote

    def block_block_quote(self, node: nodes.Element) -> str:
        return quoted(self.blocks(node.children))

    def quotation(self, title: str, children: Iterable[nodes.Node]) -> str:
        return quoted(f"**{title}**\n\n{self.blocks(children)}")

    def block_admonition(self, node: nodes.Element) -> str:
        title, *rest = node.children
        if not isinstance(title, nodes.title):
            return quoted(self.blocks(node.children))
        if "collapsible" in node:
            summary = f"<summary>{html.escape(title.astext())}</summary>"
            return f"<details>{summary}\n\n{self.blocks(rest)}\n\n</details>"
        return self.quotation(self.inline_part(title), rest)

    block_topic = block_sidebar = block_admonition

    def block_line_block(self, node: nodes.Element) -> str:
        return "\\\n".join(map(self.block, node.children))

    def block_transition(self, node: nodes.Element) -> str:
        return "---"

    def block_caption(self, node: nodes.Element) -> str:
        return f"*{self.inline(node)}*"

    def block_table(self, node: nodes.Element) -> str:
        titles = (child for child in node.children if isinstance(child, nodes.title))
        caption = "".join(map(self.block_rubric, titles))
        head, body = (
            [*chain.from_iterable(map(self.rows, node.findall(part)))]
            for part in (nodes.thead, nodes.tbody)
        )
        columns = len((head or body)[0])
        first = head[0] if head else [""] * columns
        rows = [first, ["---"] * columns, *head[1:], *body]
        table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        return f"{caption}\n\n{table}" if caption else table

    def rows(self, part: nodes.Element) -> Iterator[list[str]]:
        """Yield rows of cells; Markdown has no spans, so what one spans is empty."""
        spanned = Counter[int]()  # for how many rows, by column
        for row in part.children:
            cells = list[str]()
            entries = (x for x in row.children if isinstance(x, nodes.entry))
            for entry in [*entries, None]:
                while spanned[len(cells)]:
                    spanned[len(cells)] -= 1
                    cells.append("")
                if entry is not None:
                    more = entry.get("morecols", 0)
                    columns = range(len(cells), len(cells) + more + 1)
                    spanned.update(dict.fromkeys(columns, entry.get("morerows", 0)))
                    cells += [self.cell(entry), *[""] * more]
            yield cells

    def cell(self, entry: nodes.Element) -> str:
        text = self.blocks(entry.children, "<br>")
        return text.replace("|", "\\|").replace("\n", "<br>")

    # inline

    def inline_literal(self, node: nodes.Element) -> str:
        return code(one_line(node.astext()))

    def inline_emphasis(self, node: nodes.Element) -> str:
        return self.marked(node, "*", "em")

    def inline_strong(self, node: nodes.Element) -> str:
        return self.marked(node, "**", "strong")

    inline_title_reference = inline_emphasis

    def marked(
        self, node: nodes.Element, sign: str, tag: str, text: str | None = None
    ) -> str:
        """Mark the words of a node, or other words in their place."""
        siblings = node.parent.children
        place = siblings.index(node)
        before = siblings[place - 1].astext() if place else ""
        after = siblings[place + 1].astext() if place + 1 < len(siblings) else ""
        inside = self.inline(node) if text is None else escape(text)
        if joins_words(before, node.astext() if text is None else text, after):
            return f"{sign}{inside}{sign}"
        return f"<{tag}>{inside}</{tag}>"

    def inline_subscript(self, node: nodes.Element) -> str:
        return f"<sub>{self.inline(node)}</sub>"

    def inline_superscript(self, node: nodes.Element) -> str:
        return f"<sup>{self.inline(node)}</sup>"

    def inline_footnote_reference(self, node: nodes.Element) -> str:
        return escape(f"[{node.astext()}]")

    inline_citation_reference = inline_footnote_reference

    def inline_math(self, node: nodes.Element) -> str:
        return f"${node.astext().strip()}$"

    def inline_image(self, node: nodes.Element) -> str:
        return f"![{escape(node.get('alt', ''))}]({self.image(node['uri'])})"

    block_image = inline_image

    def inline_reference(self, node: nodes.Element) -> str:
        title, address = self.link(node)
        if not address:
            return self.marked(node, "*", "em", title) if title else self.inline(node)
        text = escape(title) if title else self.inline(node)
        if re.search(r"[()\s]", address):
            address = f"<{address}>"
        return f"[{text}]({address})"

    # in a block, what leads somewhere is a picture
    inline_pending_xref = block_reference = inline_reference
