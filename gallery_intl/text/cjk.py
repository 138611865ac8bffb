"""Let translators write inline markup as their language writes words: unspaced.

docutils ends inline markup at white space and some punctuation. Korean particles,
Han and kana follow a literal directly, so ``X``로 or 使用``X``包装 would break, the
latter without any warning. Here those letters become delimiters.

``docutils.utils.punctuation_chars.delimiters`` is no documented interface, hence the
pinned docutils and a test for every kind of text. The documented setting
``character_level_inline_markup`` is no way out: it breaks ``all_reduce`` in prose.
"""

from __future__ import annotations

from docutils.utils import punctuation_chars
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

# Ranges for use inside a regular expression's character class.
CJK_LETTERS = "".join(
    [
        "々〇",
        "\u3041-\u30ff",  # kana
        "\u3400-\u4dbf\u4e00-\u9fff",  # Han
        "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3",  # Hangul
    ]
)
FULLWIDTH_BRACKETS = "（）［］｛｝「」『』【】《》〈〉"  # noqa: RUF001


def end_markup_at_cjk() -> None:
    """Make CJK letters end inline markup, in every parser of this process."""
    added = CJK_LETTERS + FULLWIDTH_BRACKETS
    if added not in punctuation_chars.delimiters:
        punctuation_chars.delimiters += added  # type: ignore[misc]


def setup(app: Sphinx) -> ExtensionMetadata:
    end_markup_at_cjk()
    return {"parallel_read_safe": True, "parallel_write_safe": True}
