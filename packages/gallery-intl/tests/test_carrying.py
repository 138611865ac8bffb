"""A translation follows its message only where that is safe."""

import pytest

from gallery_intl.catalogs.adapt import adapt

SAFE = {
    "a literal": (
        "Set ``a`` now.",
        "Set ``b`` now.",
        "지금 ``a`` 설정.",
        "지금 ``b`` 설정.",
    ),
    "two that changed places": (
        "``a`` before ``b``",
        "``b`` before ``a``",
        "``b``の前に``a``",
        "``a``の前に``b``",
    ),
    "the target of a link": (
        "See `the manual <https://a.org/1>`__.",
        "See `the manual <https://a.org/2>`__.",
        "`설명서 <https://a.org/1>`__\\를 보십시오.",
        "`설명서 <https://a.org/2>`__\\를 보십시오.",
    ),
    "the target of a role": (
        "See :doc:`this page </a>`.",
        "See :doc:`this page </b>`.",
        "请看 :doc:`这一页 </a>`。",
        "请看 :doc:`这一页 </b>`。",
    ),
    "a particle with one form": (
        "It is in ``a``.",
        "It is in ``b``.",
        "``a``에서 찾습니다.",
        "``b``에서 찾습니다.",
    ),
    "a page that is renamed": (
        "See :doc:`/a`.",
        "See :doc:`/b`.",
        ":doc:`/a`를 봅니다.",
        ":doc:`/b`를 봅니다.",
    ),
    "a comma": (
        "First wait then go.",
        "First wait, then go.",
        "等一下再走。",
        "等一下再走。",
    ),
    "the last mark": ("It prints.", "It prints:", "它会打印。", "它会打印："),
}
UNSAFE = {
    "a word": ("Set ``a`` now.", "Set ``a`` then.", "지금 ``a`` 설정."),
    "a number": ("It has 4 ranks.", "It has 2 ranks.", "랭크가 4개입니다."),
    "a particle that may change": ("Set ``a``.", "Set ``b``.", "``a``를 설정합니다."),
    "a piece more": ("Set ``a``.", "Set ``a`` ``b``.", "``a`` 설정."),
    "a piece that the translation lacks": ("Set ``a``.", "Set ``b``.", "설정합니다."),
    "one that became two": ("``a`` and ``a``", "``b`` and ``c``", "``a``和``a``"),
    "the text of a role": (":doc:`this </a>`", ":doc:`that </a>`", ":doc:`이것 </a>`"),
    "a question": ("Is it so?", "Is it so.", "这样吗？"),
    "a mark that the translation lacks": ("It prints.", "It prints:", "它会打印"),
}


@pytest.mark.parametrize("case", SAFE)
def test_a_safe_translation_follows(case: str) -> None:
    old, new, translation, expected = SAFE[case]
    assert adapt(old, new, translation) == expected


@pytest.mark.parametrize("case", UNSAFE)
def test_what_is_not_safe_is_left_to_a_person(case: str) -> None:
    old, new, translation = UNSAFE[case]
    assert adapt(old, new, translation) is None
