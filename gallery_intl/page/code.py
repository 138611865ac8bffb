"""Translate a page's script, once, and show its code; or collect its comments.

A comment is a message like any paragraph; the code around it is never in a catalog, so
no translation can change what runs, and every build proves it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.util import docname_join, logging
from sphinx.util.nodes import LITERAL_TYPE_NODES

from gallery_intl import order
from gallery_intl.builders import collects_messages
from gallery_intl.catalogs.po import has_prose
from gallery_intl.page import upstream
from gallery_intl.page.outputs import is_python, page_outputs
from gallery_intl.page.page import (
    Page,
    ProgramChanged,
    Script,
    line_of,
    page_of,
    page_title,
)
from gallery_intl.script.comments import Comment, comments
from gallery_intl.script.files import MARK, file_of
from gallery_intl.script.placing import Edit
from gallery_intl.script.source import blocks
from gallery_intl.script.translate import (
    AnotherProgram,
    Made,
    translate,
    translate_sketch,
    written,
)
from gallery_intl.text.wrapping import one_line

logger = logging.getLogger(__name__)

LOST = (
    "a translation cannot be put into the download, where %r stays English "
    "(put the text on lines of its own: a csv-table as list-table)"
)
REFUSED = (
    "the translation of the comment %r would be read as something else "
    "(leave out what is meant for tools, such as 'noqa')"
)
NO_FILE = (
    "this block cannot be shown as a file (write it as gallery_intl/script/files.py "
    "says, alone in its block, without a backslash)"
)
DOC = re.compile(r":doc:`(?:(?P<text>[^`<]+?) +<[^`>]+>|(?P<target>[^`<]+))`")
OTHER_CODE = "its comments stay English: the page shows other code than the script"


class Code(NamedTuple):
    """A piece of Python that a page shows."""

    node: nodes.literal_block
    number: int | None  # of its block in the script; None for a sketch in the text
    source: str  # without what no page shows
    line: int  # of the script where it begins, or near which a sketch stands

    def comments(self) -> tuple[Comment, ...]:
        """Return its comments; there are none in a sketch that is no Python."""
        try:
            return comments(self.source, self.line)
        except SyntaxError:
            return ()

    def place(self, comment: Comment, script: Script) -> int:
        """Return the line of the script where a comment stands."""
        if self.number is not None:
            return comment.line
        first, end = comment.line - self.line, comment.end - self.line + 1
        text = "\n".join(self.source.split("\n")[first:end])
        return script.find(text, comment.line) or self.line


def shown_code(document: nodes.document, page: Page, script: Script) -> Iterator[Code]:
    """Yield the Python that a page shows: the blocks of its script, and sketches."""
    script_blocks = script.blocks()
    numbers = {block.line: number for number, block in enumerate(script_blocks)}
    own = {x.code: numbers[x.line] for x in page_outputs(document, script_blocks)}
    for node in filter(is_python, list(document.findall(nodes.literal_block))):
        if (number := own.get(node)) is None:
            near = page.row(line_of(node)).near
            yield Code(node, None, node.astext(), near)
        else:
            source = upstream.without_ignored(script_blocks[number].source)
            yield Code(node, number, source, script_blocks[number].line)


class TranslateScript(SphinxTransform):
    """Write the script in the page's language; show its code on the page."""

    default_priority = order.TRANSLATE_SCRIPT

    def apply(self, **kwargs: Any) -> None:
        page = page_of(self.env)
        if page.script is None or collects_messages(self.env):
            return
        snippets = list(shown_code(self.document, page, page.script))
        try:
            if page.says_what_is_written:
                page.made = Made(page.script.text, [], [])
            else:
                self.translate(page, page.script, snippets)
        except AnotherProgram as error:
            language = self.config.language
            raise ProgramChanged(
                f"{page.script.path}:{error.line}: another program in {language!r}: "
                f"{error}"
            ) from None
        self.show(page, page.script, snippets)

    def translate(self, page: Page, script: Script, snippets: list[Code]) -> None:
        """Make the script in the page's language, and show the sketches of its text."""
        texts = list(texts_of_script(self.document, page, script))
        page.prose = prose(texts, snippets)
        lookup, refused = page.catalog.translation, list[Comment]()
        edits = list(text_edits(page, texts))
        for code in snippets:
            if code.number is None:
                new = translate_sketch(code.source, lookup, code.line, refused)
                if new != code.source:
                    edits.append(Edit(code.line, code.source, new, "code"))
                    put(code.node, new)
        page.made = translate(script.text, edits, lookup)
        for edit in page.made.lost:
            line = script.find(edit.raw, edit.near) or 1
            warn(script, line, "downloads", LOST, edit.raw)
        for comment in [*refused, *page.made.refused]:
            warn(script, comment.line, "comments", REFUSED, comment.message)

    def show(self, page: Page, script: Script, snippets: list[Code]) -> None:
        """Let the page's code be the blocks of the script that was made."""
        settings = self.config.sphinx_gallery_conf
        made = blocks(page.made.source) if page.made else script.blocks()
        for code in snippets:
            if code.number is None:
                continue
            both = (script.blocks()[code.number], made[code.number])
            old, new = (upstream.shown(block.source, settings) for block in both)
            if old != new and old == code.node.astext():
                put(code.node, new)
            elif old != new:
                warn(script, code.line, "comments", OTHER_CODE)
            if file := file_of(made[code.number].source):
                put(code.node, file.text.strip("\n"))
                code.node["file"] = file.name
            elif MARK in code.source:
                warn(script, code.line, "files", NO_FILE)


def put(node: nodes.literal_block, code: str) -> None:
    """Let a block show other code."""
    node.rawsource = code  # Sphinx highlights a block only if both texts are equal
    node[:] = [nodes.Text(code)]


class Text(NamedTuple):
    """A message in the text of a page, and the line of the script that it is near."""

    node: nodes.Element
    message: str
    near: int


def texts_of_script(
    document: nodes.document, page: Page, script: Script
) -> Iterator[Text]:
    """Yield what stands in a text block: no output or figure, nothing generated."""
    kinds = {block.line: block.kind for block in script.blocks()}
    line = None
    for node, message in [*page.messages, *only_links(document)]:
        if node.source not in (document["source"], None):
            continue  # the words of a figure know their line of the script already
        before, line = line, line_of(node)
        if line == 1 and is_in_cell(node):
            line = before  # docutils forgets the lines of a csv-table
        row = page.row(line)
        start = max((x for x in kinds if x <= row.first), default=min(kinds))
        if line is None or (row.first and kinds[start] != "code"):
            yield Text(node, message, row.near)


def text_edits(page: Page, texts: list[Text]) -> Iterator[Edit]:
    """Yield what is to change in the text of a script."""
    for node, message, near in texts:
        translation = page.catalog.translation(message) or ""
        if not isinstance(node, LITERAL_TYPE_NODES):
            translation = with_titles(page, written(translation or message))
            message = written(message)
        if translation.strip() and translation != message:
            raw = node.rawsource if isinstance(node, nodes.TextElement) else message
            yield Edit(near, raw.strip("\n"), translation.strip("\n"), kind_of(node))


def only_links(document: nodes.document) -> Iterator[tuple[nodes.Element, str]]:
    """Yield the paragraphs that have links in them, but are no messages."""
    for node in document.findall(nodes.paragraph):
        links = (x for x in node.children if isinstance(x, addnodes.pending_xref))
        if not node.get("translatable", True) and node.rawsource and any(links):
            yield node, one_line(node.rawsource)


def with_titles(page: Page, text: str) -> str:
    """Put the titles of pages in place of links that nothing but Sphinx can read."""

    def title(match: re.Match[str]) -> str:
        text, target = match["text"], match["target"]
        return f"*{text or page_title(page.env, docname_join(page.docname, target))}*"

    wanted = getattr(page.env.config, "gallery_intl_plain_links", False)
    return DOC.sub(title, text) if wanted else text


def kind_of(
    node: nodes.Element,
) -> Literal["paragraph", "title", "line", "code", "cell"]:
    """Return how a text may be laid out: a term or a caption has to stay one line."""
    if isinstance(node, LITERAL_TYPE_NODES):
        return "code"
    if is_in_cell(node):
        return "cell"
    if isinstance(node, nodes.title):
        return "title"
    return "paragraph" if isinstance(node, nodes.paragraph) else "line"


def is_in_cell(node: nodes.Element) -> bool:
    above = node.parent
    while above is not None and not isinstance(above, nodes.entry):
        above = above.parent
    return above is not None


def prose(texts: list[Text], snippets: list[Code]) -> set[str]:
    """Return the messages of a page that stand in its script and have words."""
    messages = {
        text.message for text in texts if not isinstance(text.node, LITERAL_TYPE_NODES)
    }
    messages |= {comment.message for code in snippets for comment in code.comments()}
    return set(filter(has_prose, messages))


class CollectComments(SphinxTransform):
    """Put one message behind each block of a page for each of its comments."""

    default_priority = order.COLLECT_COMMENTS

    def apply(self, **kwargs: Any) -> None:
        page = page_of(self.env)
        if page.script is None or not collects_messages(self.env):
            return
        for code in shown_code(self.document, page, page.script):
            for comment in reversed(code.comments()):
                text = comment.message
                # of a literal block the message is its text, to the letter
                message = nodes.literal_block(text, text, translatable=True)
                message.source = str(page.script.path)
                message.line = code.place(comment, page.script)
                message["context"] = beside(code, comment)
                parent = code.node.parent
                parent.insert(parent.index(code.node) + 1, message)


def beside(code: Code, comment: Comment) -> str:
    """Return which code a comment belongs to: beside it, or below."""
    lines = code.source.split("\n")
    before = lines[comment.line - code.line][: comment.column].strip()
    after = (line.strip() for line in lines[comment.end - code.line + 1 :])
    below = next((line for line in after if line and not line.startswith("#")), "")
    if before:
        return f"comment beside: {before}"
    return f"comment above: {below}" if below else "comment"


def warn(script: Script, line: int, subtype: str, text: str, *values: str) -> None:
    """Warn of something at a line of a script."""
    location = f"{script.path}:{line}"
    logger.warning(
        text, *values, type="gallery_intl", subtype=subtype, location=location
    )
