"""Python source: what is a comment, what is a program."""

import ast
import re
import tokenize
from pathlib import Path

import pytest
import sphinx_gallery
from building import ROOTS
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gallery_intl.script.comments import Comment, Lookup, comments, replace_comments
from gallery_intl.script.source import (
    blocks,
    same_program,
    title_of,
)
from gallery_intl.text.wrapping import one_line, wrap

same_every_time = settings(derandomize=True, deadline=None, max_examples=200)

INSTALLED = Path(sphinx_gallery.__file__).parent
SCRIPTS = sorted(
    [
        *ROOTS.glob("everything/gallery/**/*.py"),
        *INSTALLED.glob("tests/tinybuild/examples/**/*.py"),
        *INSTALLED.glob("*.py"),
        *INSTALLED.glob("tests/*.py"),
    ]
)
NO_MESSAGES = """\
# noqa
#noqa: E501
# type: ignore[attr-defined]
# fmt: off
# pragma: no cover
# ruff: noqa
# pylint: disable=invalid-name
# %%
#%% cell
#!/usr/bin/env python
# -*- coding: utf-8 -*-
# vim: set fileencoding=utf-8 :
# sphinx_gallery_thumbnail_number = 2
# ----
####################################
# (batch, features)
# (N,)
# [30, 5] -> ...
# (10, ...), (10, ...)
# (batch, heads * dim) -> (batch, dim)
# 30 x 5
# ...
# https://example.org/a
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2020 The developers. All rights reserved.
# Authors: Jane Roe <jane@example.org>
# License: BSD 3 clause
#"""
MESSAGES = """\
(30, ...) becomes (10, ...) on three GPUs.
(see below, too)
(optional)
Type: a word
encoding
*args and **kwargs
x = 1
한국어 주석"""
DIRECTIVES = """\
noqa
설명 # noqa
%% 설명
type: int
-*- coding: x -*-
sphinx_gallery_x = 1
##############################
----"""


def replaced(code: str, lookup: Lookup) -> str:
    return replace_comments(code, lookup, 1, [])


def messages(code: str) -> list[str]:
    return [comment.message for comment in comments(code)]


def test_a_run_of_comment_lines_is_one_message() -> None:
    code = "# One\n# sentence.\n    # Another\nx = 1  # beside\n# last\n"

    assert messages(code) == ["One sentence.", "Another", "beside", "last"]


def test_list_items_and_set_in_lines_are_messages_of_their_own() -> None:
    code = "# Two ways:\n# - one\n#   goes on\n# 2. two\n#     x = 1\n#     y = 2\n"

    assert messages(code) == ["Two ways:", "one goes on", "two", "x = 1", "y = 2"]
    assert replaced(code, str.upper).split("\n") == [
        "# TWO WAYS:",
        "# - ONE GOES ON",
        "# 2. TWO",
        "#     X = 1",
        "#     Y = 2",
        "",
    ]


@pytest.mark.parametrize("comment", NO_MESSAGES.split("\n"))
def test_directives_shapes_and_rules_are_no_messages(comment: str) -> None:
    assert messages(f"{comment}\nx = 1\n") == []


@pytest.mark.parametrize("prose", MESSAGES.split("\n"))
def test_prose_is_a_message(prose: str) -> None:
    assert messages(f"x = 1  # {prose}\n") == [prose]


def test_a_directive_behind_prose_stays() -> None:
    code = "x = 1  # why  # noqa: E501\n"

    assert messages(code) == ["why"]
    assert replaced(code, {"why": "이유"}.get) == "x = 1  # 이유  # noqa: E501\n"


def test_a_coding_line_counts_only_where_python_reads_it() -> None:
    code = "# coding: utf-8\nx = 1\n# coding: is fun\n"

    assert messages(code) == ["coding: is fun"]


def test_a_long_comment_goes_above_its_line_where_it_may() -> None:
    code = "a = 1\nx = (1,  # one\n     2)  # two\n# three\ny = 3  # four\n"
    long = "긴 주석 " * 12

    new = replaced(code, lambda message: f"{message} {long}")

    assert new.startswith("a = 1\n# one 긴 주석")
    assert "\n     # two 긴" in new
    assert "\n     2)\n" in new
    assert "\ny = 3  # four 긴" in new  # above it would join "three"
    assert len(messages(new)) == 4
    assert same_program(code, new) is None


@pytest.mark.parametrize("translation", DIRECTIVES.split("\n"))
def test_a_translation_never_becomes_a_directive(translation: str) -> None:
    code = "# words\nx = 1  # words\n"
    refused: list[Comment] = []

    assert replace_comments(code, lambda _: translation, 1, refused) == code
    assert refused == [*reversed(comments(code))]


def test_blocks_joined_are_the_script() -> None:
    script = '# licence\n"""Title"""\nx = 1\n# %%\n# Text\n#\n# more\n\ny = 2\n# %%\n'

    found = list(blocks(script))

    assert [(block.kind, block.line) for block in found] == [
        ("docstring", 2),
        ("code", 3),
        ("text", 4),
        ("code", 8),
        ("text", 10),
    ]
    assert "# licence\n" + "".join(block.source for block in found) == script


def test_comments_and_blank_lines_are_no_difference() -> None:
    assert same_program("x = 1\ny = 2\n", "\n# c\nx = 1  # d\n\n\ny = 2") is None
    assert same_program("x = 1\r\ny = '''\r\n'''\r\n", "x = 1\ny = '''\n'''\n") is None


@pytest.mark.parametrize(
    ("other", "line", "reason"),
    [
        ('x = "a"\ny = 3\n', 2, "'2' became '3'"),
        ('x = "b"\ny = 2\n', 1, "became"),
        ("x = 'a'\ny = 2\n", 1, "became"),
        ('x = "a"\ny = 2\nz\n', 3, "added"),
        ('x = "a"\n', 2, "missing|became"),
        ('x = "a"\n y = 2\n', 2, "not valid Python any more"),
        ('x = "a"\ny = (2\n', 2, "not valid Python any more"),
        ('# coding: no-such\nx = "a"\ny = 2\n', 1, "not valid Python any more"),
        ('x = "a"\ny = 2\0\n', 1, "not valid Python any more"),
    ],
)
def test_a_difference_names_line_and_reason(other: str, line: int, reason: str) -> None:
    difference = same_program('x = "a"\ny = 2\n', other)

    assert difference is not None
    assert difference.line == line
    assert re.search(reason, difference.reason)


def test_the_docstring_may_be_left_aside() -> None:
    a, b = '"""One."""\nx = 1\n', '"""Eins.\n"""\nx = 1\n'

    assert same_program(a, b) is not None
    assert same_program(a, b, docstring=False) is None
    assert same_program('x = "a"\n', 'x = "b"\n', docstring=False) is not None
    assert same_program('"a" + x\n', '"b" + x\n', docstring=False) is not None


# generated programs ------------------------------------------------------------

WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), max_size=40)
NASTY = [
    *('"""', "'''", "\\", "ends in \\", "{x!r}", "(", "*args", "``X``로", "。" * 99),
    *("# noqa", "a # noqa", "%%", "type: int", "!/bin/sh", "#" * 40, "\0", "a\rb"),
    *("coding: utf-16", "-*- coding: latin-1 -*-", "pragma: no cover"),
    *("line\nbreak", "\x0c", "a\u2028b", "x = 1\ny = 2", "a\r\nb", "- item"),
]
TRANSLATION = st.one_of(
    st.sampled_from(NASTY),
    WORDS,
    st.text(max_size=300),
    st.lists(st.sampled_from(NASTY)).map(" ".join),
)
COMMENT = st.one_of(
    WORDS.map(lambda text: f"# {text}"),
    st.sampled_from(NASTY).map(lambda text: f"#{one_line(text)}"),
)
STATEMENT = st.sampled_from(
    [
        "x = 1",
        "s = 'a # b'",
        's = "it\'s # not"',
        's = """a\n# not one\n  """',
        "s = r'\\'",
        "s = b'#'",
        "f = f'{x!r:>{10}} # {\"a\"}'",
        'f = f"""\n{1}  # text\n"""',
        "y = 1 + \\\n  2",
        "y = (1,@\n  2,@\n)",
        "d = {@\n    'k': [@\n1, 2],\n}",
        "변수 = 'é'",
        "if x:@\n    y = 2@\n    @\nelse:@\n\ty = 3",
        "@property@\ndef f(a,@\n      b):@\n    '''doc # string'''\n    return a@",
        "class A:@\n\n    @\n    x: int = 1@",
        "\x0c",
        "def g():\n\tif x:\n\t\treturn 1@\n\x0c\treturn 2",
        "x = y; z = 1",
        "",
    ]
)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Draw a program; comments take the places of ``@``."""
    pieces: list[str] = []
    for statement in draw(st.lists(STATEMENT, max_size=8)):
        head, *rest = statement.replace("@property", "\1").split("@")
        text = head
        for part in rest:
            text += draw(st.one_of(st.just(""), COMMENT.map("  {}".format))) + part
        pieces += [draw(COMMENT)] * draw(st.integers(0, 2)) + [
            text.replace("\1", "@property")
        ]
        pieces[-1] += draw(st.one_of(st.just(""), COMMENT.map("  {}".format)))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    source = newline.join(pieces) + draw(st.sampled_from(["", newline]))
    try:
        ast.parse(source.encode())
        list(tokenize.generate_tokens(iter(source.splitlines(True)).__next__))
    except (SyntaxError, ValueError, tokenize.TokenError, StopIteration):
        return "x = 1  # a comment\n"
    return source


@same_every_time
@given(programs(), TRANSLATION)
@example("x = 1  # c\n", "a\\")
@example("# c\nx = 'é'\n", "coding: latin-1")
@example("\nx = 1  # c\n", f"{'0' * 40}coding:{'0' * 40} A")
def test_no_translation_changes_a_program(source: str, translation: str) -> None:
    source = source.replace("\r\n", "\n")

    new = replaced(source, lambda _: translation)

    assert same_program(source, new) is None


@same_every_time
@given(programs(), st.text(st.sampled_from("가나 다로漢字。、かなabc ,."), min_size=1))
def test_translated_comments_are_the_same_comments(source: str, words: str) -> None:
    source = source.replace("\r\n", "\n")
    found = comments(source)

    new = replaced(source, lambda message: f"말 {words}")

    assert len(comments(new)) == len(found)


@same_every_time
@given(st.text(), st.integers(1, 100))
def test_wrapping_loses_no_letter(text: str, width: int) -> None:
    lines = wrap(text, "", "", width)

    assert "".join(lines).replace(" ", "") == one_line(text).replace(" ", "")
    assert not any("\n" in line for line in lines)


# real scripts ------------------------------------------------------------------


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_pseudo_translated_comments_leave_real_programs_alone(path: Path) -> None:
    source = path.read_text(encoding="utf-8")

    new = replaced(source, lambda text: f"【{text}】 번역된 문장입니다. ")

    assert same_program(source, new) is None
    assert new.count("번역된") >= len(comments(source)) * 0.98


@pytest.mark.parametrize(
    ("docstring", "title"),
    [
        ("Running on two GPUs\n===================", "Running on two GPUs"),
        ("\n====\n Run\n====\n\nText.", "Run"),
        ("\n\n.. _a label:\n\nUsing ranks\n-----------", "Using ranks"),
        ('\n"Quoted" words\n==============', '"Quoted" words'),
        ("단어\n====", "단어"),
        ("", ""),
    ],
)
@pytest.mark.parametrize("prefix", ["", "r", "R"])
def test_a_page_has_the_title_that_sphinx_gallery_gives_it(
    prefix: str, docstring: str, title: str
) -> None:
    assert title_of(f'{prefix}"""{docstring}\n"""\nprint(1)\n') == title
