r"""Rules about what other formats leave in a text: ``\n``, Markdown, spaces."""

from __future__ import annotations

import re
from collections.abc import Iterator

from po_check_cjk.message import Message, rule

CODE_OR_TARGET = re.compile(r"``.*?``|:[\w:+-]+:`[^`]*`|<[^>]*>", re.DOTALL)
ESCAPE = re.compile(
    r"\\(?:[abfnrtv0](?![A-Za-z])|[nrt]|u[0-9a-f]{4}|x[0-9a-f]{2}|[\"'])"
)
MARKDOWN = re.compile(
    r"!?\[[^\]\n]+\]\([^)\s]*\)|!?\[[^\]\n]+\]\[[\w-]*\]|\[\[[^\]]+\]\]"
    r"|^#{1,6} |^```|^> |~~[^~]+~~"
)
HTML_ENTITY = re.compile(
    r"&(?:#\d+|#x[0-9a-f]+|nbsp|amp|lt|gt|quot|apos|hellip|[lr][sd]quo);"
)
# All widths but that of Chinese and Japanese, which has a rule of its own.
SPECIAL_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f]")


@rule("ko zh ja", "one batch", "배치\u00a0하나", "배치 하나")
def no_break_space(message: Message) -> Iterator[str]:
    """A space is a plain one; no-break spaces come from word processors."""
    spaces = set(SPECIAL_SPACES.findall(message.msgstr)) - set(message.msgid)
    if spaces:
        names = ", ".join(f"U+{ord(space):04X}" for space in sorted(spaces))
        yield f"a special space: {names} (type a plain space)"


@rule("ko *", "Split it. Then add.", "나눕니다.\\n더합니다.", "나눕니다. 더합니다.")
def typed_escape(message: Message) -> Iterator[str]:
    r"""A text has no line break of its own, neither ``\n`` nor what it is read as."""
    was, became = (
        CODE_OR_TARGET.sub("", text) for text in (message.msgid, message.msgstr)
    )
    for match in ESCAPE.finditer(became):
        if match[0] not in was:
            yield f"{match[0]} is typed in the text (delete it)"
            return
    # of an empty line, structure speaks
    if re.search(r"[^\n]\n(?=[^\n])", message.msgstr) and "\n" not in message.msgid:
        yield "a line break, \\n, is in the text (delete it)"


@rule("ko *", "the manual", "[문서](https://a.org/)", "문서")
def other_markup(message: Message) -> Iterator[str]:
    """Links and emphasis are those of reStructuredText, not of Markdown."""
    if message.is_plain:
        return
    for pattern in (MARKDOWN, HTML_ENTITY):
        match = pattern.search(message.msgstr)
        if match and not pattern.search(message.msgid):
            yield f"{match[0]} is not reStructuredText (write it as the English does)"
