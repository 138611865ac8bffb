"""Let translators write inline markup as their language writes words: unspaced.

docutils ends inline markup at white space and some punctuation, so ``X``로 or
使用``X``包装 would break. Here those letters become delimiters, which is no documented
interface of docutils; its setting ``character_level_inline_markup`` is no way out: it
breaks ``all_reduce`` in prose.
"""

# Ranges for use inside a regular expression's character class; nobody else has any.
HAN = "\u3400-\u4dbf\u4e00-\u9fff"
KATAKANA = "\u30a1-\u30fa"  # without ー
SYLLABLES = "\uac00-\ud7a3"
HANGUL = f"\u1100-\u11ff\u3131-\u318e\ua960-\ua97f{SYLLABLES}\ud7a4-\ud7ff"
HAN_AND_KANA = f"々〇{HAN}\u3041-\u30ff"
# beside which inline markup needs no ``\ ``
UNSPACED = f"{HAN_AND_KANA}{HANGUL}（）［］｛｝「」『』【】《》〈〉"  # noqa: RUF001


def end_markup_at_cjk() -> None:
    """Make CJK letters end inline markup, in every parser of this process."""
    from docutils.utils import punctuation_chars  # recording has none

    if UNSPACED not in punctuation_chars.delimiters:
        punctuation_chars.delimiters += UNSPACED  # type: ignore[misc]
