"""Translated text is put where the English was, and the program stays the same."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gallery_intl.downloads.notebook import Cell, notebook, program
from gallery_intl.script.placing import place
from gallery_intl.script.source import blocks, same_program
from gallery_intl.script.translate import AnotherProgram, translate, written
from gallery_intl.text.wrapping import LINE_LENGTH, display_width

SCRIPT = '''\
"""Title
=====

Words in
two lines.
"""
# %%
# =====
# A step
# =====
#
# - item
# .. note:: short
#
# one, two
x = 1
'''
WORDS = "Words in two lines."


def placed(message: str, text: str) -> str:
    source, found = place(SCRIPT, {message: text})
    assert found == {message}
    return source


def test_a_paragraph_is_wrapped_where_it_was() -> None:
    source = placed(WORDS, "긴 문장입니다. " * 12)

    lines = source.split("\n")[3:-11]
    assert all(display_width(line) <= LINE_LENGTH for line in lines)
    assert len(lines) == 4
    assert source.split("\n")[-11:] == SCRIPT.split("\n")[-11:]


def test_a_title_gets_lines_of_its_own_width() -> None:
    assert placed("Title", "제목").startswith('"""제목\n====\n')
    assert "# =======\n# 첫 단계\n# =======\n" in placed("A step", "첫 단계")


@pytest.mark.parametrize(
    ("message", "first", "rest"),
    [("item", "# - 긴", r"#   \S"), ("short", "# .. note:: 긴", r"#    \S")],
)
def test_a_long_item_hangs_below_its_first_word(
    message: str, first: str, rest: str
) -> None:
    source = placed(message, "긴 항목입니다. " * 12)

    lines = [line for line in source.split("\n") if "항목입니다" in line]
    assert lines[0].startswith(first)
    assert len(lines) > 1
    assert all(re.match(rest, line) for line in lines[1:])


def test_a_text_that_is_followed_by_another_is_not_placed() -> None:
    assert place(SCRIPT, {"one": "하나"}) == (SCRIPT, set())


@pytest.mark.parametrize("start", ['"""', 'r"""', "'''", 'u"""'])
@pytest.mark.parametrize(
    "text", ['ends in "', "ends in '", "a\\b", "\\", 'x """ y', "'''", "\\N{x}", "é"]
)
def test_nothing_ends_the_docstring_early(start: str, text: str) -> None:
    end = start[-3:]
    script = f"{start}Title{end}\nx = 1\n"
    if "r" in start and (end in text or text[-1:] in ("\\", end[0])):
        pytest.skip("cannot be in a raw string: the proof stops such a build")

    source, found = place(script, {"Title": text})

    assert found
    assert same_program(script, source, docstring=False) is None
    assert blocks(source)[0].kind == "docstring"
    assert eval(source.split("\nx = 1")[0]) == text


@pytest.mark.parametrize(
    ("msgstr", "expected"),
    [
        ("``X``\\ 로", "``X``로"),
        ("使用\\ ``X``\\ 包装", "使用``X``包装"),
        ("**a**\\ b", "**a**\\ b"),
        ("a \\* b", "a \\* b"),
        ("한\n줄", "한 줄"),
        ("말 # noqa", "말"),
    ],
)
def test_a_translation_is_written_as_a_person_would(msgstr: str, expected: str) -> None:
    assert written(msgstr) == expected


TEXTS = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60),
    st.sampled_from(
        ['"""', "\\", "%%", "# %%", "#" * 30, "import os", "==", "a\nb", "\f"]
    ),
)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(TEXTS, TEXTS, TEXTS)
def test_no_translation_of_the_text_changes_the_program(
    title: str, words: str, item: str
) -> None:
    messages = {"Title": title or "x", WORDS: words or "x", "item": item or "x"}

    made = translate(SCRIPT, messages)

    assert same_program(SCRIPT, made.source, docstring=False) is None
    kinds = [block.kind for block in blocks(SCRIPT)]
    assert [block.kind for block in blocks(made.source)] == kinds


def test_a_broken_translation_is_named() -> None:
    with pytest.raises(AnotherProgram, match="the translation of 'Words in") as error:
        translate(f"r{SCRIPT}", {"Title": "fine", WORDS: 'three """ quotes'})

    assert error.value.line


def test_the_program_of_a_notebook_leaves_out_what_prepares_it() -> None:
    cells = [
        Cell("code", "%autopx", "ranks"),
        Cell("markdown", "a\x0cb"),
        Cell("code", "x"),
        Cell("code", "y"),
    ]

    assert program(cells) == "x\n\ny"
    assert '"tags": [\n     "ranks"' in notebook(cells)
