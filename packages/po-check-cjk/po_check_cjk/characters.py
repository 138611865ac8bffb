"""Ranges of CJK characters for regular expressions, and markup that touches them.

docutils ends inline markup at white space and some punctuation only, so ``X``로 or
使用``X``包装 is broken. A project may let these characters end markup; then its checks
have to do the same. The setting ``character_level_inline_markup`` of docutils does not
help: it also breaks ``all_reduce`` in prose.
"""

from __future__ import annotations

from docutils.utils import punctuation_chars

HAN = "\u3400-\u4dbf\u4e00-\u9fff"
HIRAGANA = "\u3041-\u3096"
KATAKANA = "\u30a1-\u30fa"  # without ー
SYLLABLES = "\uac00-\ud7a3"
HANGUL = f"\u1100-\u11ff\u3131-\u318e\ua960-\ua97f{SYLLABLES}\ud7a4-\ud7ff"
HAN_AND_KANA = f"々〇{HAN}\u3041-\u30ff"
UNSPACED = f"{HAN_AND_KANA}{HANGUL}（）［］｛｝「」『』【】《》〈〉"  # noqa: RUF001


def end_markup_at_cjk() -> None:
    """Let CJK characters end inline markup, in every docutils parser of this process.

    The list is a private one of docutils, as seen in 0.21 and 0.22.
    """
    if UNSPACED not in punctuation_chars.delimiters:
        punctuation_chars.delimiters += UNSPACED  # type: ignore[misc]
