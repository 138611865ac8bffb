"""A typing mistake has one finding, which names it and what to type."""

import pytest

from po_check_cjk.check import broken_rules
from po_check_cjk.message import GUARDS, Message, rules_for

LINK = "See `Docs <https://a/>`__."
MISTYPED, MARKER = "mistyped-markup", "code-marker"
BROKEN, INVISIBLE = "broken-markup", "invisible"
BESIDES = {"spaces", "halfwidth-punctuation"}  # about other characters
CASES = [
    ("Call ``step``.", "`step`을 부릅니다.", MISTYPED, "`step` ... (write ``step``)"),
    ("Call it.", "`step`을 부릅니다.", MISTYPED, "(write ``step`` if it is code,"),
    ("See :doc:`/a`.", "`/a`를 봅니다.", MISTYPED, "`/a` ... (write :doc:`/a`)"),
    ("See :doc:`/a`.", "：doc：`/a`를 봅니다.", MISTYPED, "`/a` ... (write :doc:`/a`)"),
    ("See :doc:`/a`.", "`글 </a>`를 봅니다.", MISTYPED, "(write :doc:`글 </a>`)"),
    ("See :doc:`/a`.", ":doc: `/a`를 봅니다.", MISTYPED, "`/a` ... (write :doc:`/a`)"),
    (LINK, "`글 <https://a/>`를 봅니다.", MISTYPED, "(write `글 <https://a/>`__)"),
    (LINK, "`글<https://a/>`__을 봅니다.", MISTYPED, "(write `글 <https://a/>`__)"),
    (LINK, "글__을 봅니다.", MISTYPED, "글__ ... (write `글 <https://a/>`__)"),
    (LINK, "`글`__을 봅니다.", MISTYPED, "`글`__ ... (write `글 <https://a/>`__)"),
    ("Call it.", "그것__을 부릅니다.", MISTYPED, "그것__ ... (write 그것\\__"),
    ("Call it.", "그 it_을 부릅니다.", MISTYPED, "it_ ... (write it\\_"),
    ("Run this::", "실행합니다.", MARKER, ":: ... (end with ::)"),
    ("Run this::", "실행합니다:", MARKER, ":: ... (end with ::)"),
    ("Run this:", "실행합니다::", MARKER, ":: ... (end with :)"),
    ("Run it.", "그것을\t합니다.", INVISIBLE, 'a tab after "그것을" (write a space)'),
    (
        "Run it.",
        "그 \u200b것입니다.",
        INVISIBLE,
        'U+200B, zero width space, after "그 "',
    ),
    ("Run it.", "\ufeff그것입니다.", INVISIBLE, "space, at the beginning (delete it)"),
    ("Run it.", "그것\x08입니다.", INVISIBLE, 'U+0008 after "그것" (delete it)'),
    ("Run it.", "이\ufffd입니다.", INVISIBLE, '"이" (write the lost letter)'),
    ("Run it", "\u110b\u1175것", INVISIBLE, '"이것" is ... (type it again,'),
    ("Run it.", "\t이것입니다.", INVISIBLE, "a tab at the beginning (write a space)"),
    ("Run it.", " 이것입니다.", "structure", "(delete the space before it)"),
    ("Run it.", "이것을\n\n합니다.", "structure", "(leave out the empty line)"),
    ("Call ``ab``.", "``ab`을 부릅니다.", BROKEN, '`` before "ab`을" is not closed'),
    ("Call ``ab``.", "`ab을 부릅니다.", BROKEN, '` before "ab을" is not closed'),
    ("a **big** one", "**큰 것", BROKEN, '** before "큰" is not closed'),
    ("Call ``x``.", "`x``을 부릅니다.", "glued-markup", "(count the backquotes"),
]


@pytest.mark.parametrize(("english", "text", "rule", "finding_parts"), CASES)
def test_a_mistake_has_one_finding_with_what_to_type(
    english: str, text: str, rule: str, finding_parts: str
) -> None:
    found = [*broken_rules(Message("ko", english, text), rules_for("ko"))]

    assert [name for name, _ in found if name not in BESIDES] == [rule], found
    rest = dict(found)[rule]
    for part in finding_parts.split(" ... "):
        assert part in rest
        rest = rest.partition(part)[2]


@pytest.mark.parametrize(
    ("english", "text"),
    [
        ("a `word`", "`말`"),  # as in English
        ("Take `it` and ``step``.", "`그것`과 ``step``"),
        ("See the text__.", "글__을 봅니다."),
        ("Run this::", "이것을 실행합니다::"),
        ("Take a\ttab.", "탭\t입니다."),
        ("it_ or `Docs <https://a/>`__", "it_, `글 <https://a/>`__"),
        ("Call ``f(*args, **kwargs)``.", "``f(*args, **kwargs)``를 부릅니다."),
    ],
)
def test_markup_as_in_english_is_no_mistake(english: str, text: str) -> None:
    assert [*broken_rules(Message("ko", english, text), sorted(GUARDS))] == []
