"""Describe a page in a sentence or two, for search results and cards."""

import re
from collections.abc import Iterator

from docutils import nodes

from gallery_intl.text.breaks import JOINER
from gallery_intl.text.wrapping import display_width

LIMIT = 160  # columns; search engines show about as many, half of them in CJK
SENTENCE = re.compile(r".*?(?:[.!?](?=\s)|[。！？]|$)", re.DOTALL)  # noqa: RUF001
NO_SPACE_AFTER = "。！？"  # noqa: RUF001


def text_paragraphs(document: nodes.document) -> Iterator[nodes.paragraph]:
    """Yield the paragraphs of a page's own text; the interface's are left out."""
    for paragraph in document.findall(nodes.paragraph):
        in_text = isinstance(paragraph.parent, (nodes.section, nodes.document))
        if in_text and paragraph.get("translatable", True):
            yield paragraph


def plain_text(paragraph: nodes.paragraph) -> str:
    """Return a paragraph without markup, and without what the interface put into it."""
    copy = paragraph.deepcopy()
    for node in list(copy.findall(nodes.Element)):
        if "no-search" in node["classes"] and node.parent is not None:
            node.parent.remove(node)
    return " ".join(copy.astext().replace(JOINER, "").split())


def sentences(text: str) -> list[str]:
    return [sentence.strip() for sentence in SENTENCE.findall(text) if sentence.strip()]


def joined(first: str, second: str) -> str:
    """Put a sentence after another, as their language does."""
    space = "" if first[-1:] in NO_SPACE_AFTER else " "  # none after nothing
    return f"{first}{space}{second}"


def shortened(text: str, limit: int) -> str:
    """Cut a text that is too wide, between words where it has spaces."""
    if display_width(text) <= limit:
        return text
    while display_width(text) >= limit:
        text = text[:-1]
    words, space, _cut = text.rpartition(" ")
    if space and display_width(words) > limit // 2:
        text = words
    return f"{text.rstrip(' ,;:、，；：')}…"  # noqa: RUF001


def opening(texts: list[str], limit: int = LIMIT) -> str:
    """Return the first sentences of some paragraphs, as many as fit."""
    start = ""
    for sentence in (sentence for text in texts for sentence in sentences(text)):
        longer = joined(start, sentence)
        if start and display_width(longer) > limit:
            break
        start = longer
    return shortened(start, limit)


def describe(document: nodes.document) -> str:
    """Return the first sentences of a page's text; "" if it has none."""
    paragraphs = list(text_paragraphs(document))
    first = [x for x in paragraphs if x.parent is paragraphs[0].parent]
    return opening([plain_text(paragraph) for paragraph in first])
