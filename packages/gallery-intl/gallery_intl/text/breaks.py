"""Let lines break where readers expect.

A title breaks at its colon first. In Korean no particle stands alone behind a bracket,
and no bracket without its word. In titles some words are held together that a browser
would cut. Two spans and a word joiner (U+2060) do it, which readers do not see.
"""

import re
from collections.abc import Sequence

from docutils import nodes

from gallery_intl.text.cjk import SYLLABLES

JOINER = "\u2060"
SUBJECT = re.compile(r"(?:[^:：]|:(?!\s))+(?::(?=\s)|：)")  # noqa: RUF001
KOREAN = re.compile(rf"(?<=\))(?=[{SYLLABLES}])|(?<=[{SYLLABLES}])(?=\()")
VERBATIM = (nodes.literal_block, nodes.literal, nodes.raw, nodes.comment)


def at_colon(title: str) -> tuple[str, str]:
    """Split a title after its colon; without one all of it is the first half."""
    match = SUBJECT.match(title)
    return (match[0], title[match.end() :]) if match else (title, "")


def break_at_colon(title: nodes.Element) -> None:
    """Put the two halves of a title into spans, if it has halves and no markup."""
    subject, point = at_colon(title.astext())
    if point.strip() and all(isinstance(part, nodes.Text) for part in title):
        space = " " * point[0].isspace()
        first, second = (
            nodes.inline("", half, classes=["intl-half"])
            for half in (subject, point.strip())
        )
        title[:] = [first, nodes.Text(space), second]


def join_korean(document: nodes.Element) -> None:
    """Join brackets to the word before them and the particle after them."""
    for block in document.findall(nodes.TextElement):
        if isinstance(block, (nodes.Inline, *VERBATIM)) or block.get("lang"):
            continue  # inside another block, or code
        before = ""
        for text in list(block.findall(nodes.Text)):
            old = text.astext()  # without the escapes that docutils keeps
            new = KOREAN.sub(JOINER, f"{before}{old}")[len(before) :]
            if not isinstance(text.parent, VERBATIM) and new != old:
                text.parent.replace(text, nodes.Text(new))
            before = f"{before}{old}"[-1:]


def join_words(title: nodes.Element, words: Sequence[str]) -> None:
    """Hold words of a title together."""
    for text in list(title.findall(nodes.Text)):
        new = text.astext()
        for word in words:
            new = new.replace(word, JOINER.join(word))
        if new != text.astext():
            text.parent.replace(text, nodes.Text(new))
