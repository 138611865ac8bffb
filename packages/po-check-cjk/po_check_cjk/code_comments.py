"""A rule about comments of code, which each language writes in one form."""

from __future__ import annotations

import re
from collections.abc import Iterator

from po_check_cjk.message import Message, rule

# The polite endings that the text around the code has, and the full stop 。
SENTENCE_ENDINGS = {
    "ko": re.compile(r"(?:\S*(?:니다|십시오|세요|어요|아요|해요)[.]?)?$"),
    "ja": re.compile(
        r"(?:(?:です|ます|ません|でした|ました|ましょう|ください)[ねよ]?)?。?$"
    ),
    "zh": re.compile(r"。?$"),
}


@rule("ko zh ja", "It is sent.", "전송됩니다.", "전송됨", kind="comment")
def comment_form(message: Message) -> Iterator[str]:
    """A comment of code is short: it ends in no polite form, and not in 。."""
    ending = SENTENCE_ENDINGS.get(message.language.partition("_")[0])
    if not message.is_comment or not ending:
        return
    match = ending.search(message.prose.rstrip())
    if match and match[0]:
        yield f'"{match[0]}" at the end of a comment (write it short, without)'
