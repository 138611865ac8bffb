"""Tables that are drawn with signs hold other texts, and stay tables."""

from __future__ import annotations

import pytest
from docutils import nodes
from docutils.core import publish_doctree

from gallery_intl.script.placing import Edit, place
from gallery_intl.script.source import blocks
from gallery_intl.script.tables import find_tables

SIMPLE = """\
====== ===========
Name   What it is
====== ===========
a      see a
b      - one
       - two

       ``x|y`` in
       two lines
====== ==========="""
GRID = """\
+-------+-------------+
| Head  | a           |
|       +------+------+
|       | left | a b  |
+=======+======+======+
| Tall  | .. note:: x |
| text  +------+------+
|       | 1. a | end  |
+-------+------+------+"""
SPANS = """\
===== ===== ======
  Inputs    Output
----------- ------
  A     B   A or B
===== ===== ======
False True  True
===== ===== ======"""
CAPTION = ".. table:: A caption\n   :align: center\n\n   " + GRID.replace("\n", "\n   ")
CSV = '''\
.. csv-table:: A caption
   :header: Name, "What it ""is"""
   :widths: 1, 2

   a, "see a, or
   two lines"
   "say ""b""",c'''
LIST = ".. list-table::\n\n   * - Name\n     - a"
# of nothing, of one letter, wide, right to left, with a bar, with a mark above
WORDS = ["{}", "{}e\u0301", "번역 {} 긴 글", "ترجمة {}", "{} | ``a|b`` +"]


def script(text: str) -> str:
    return '"""Title\n=====\n"""\n# %%\n' + "".join(
        f"# {line}".rstrip() + "\n" for line in text.split("\n")
    )


def text_of(source: str) -> str:
    lines = blocks(source)[1].source.split("\n")[1:]
    return "\n".join(line[2:] for line in lines)


def cells(text: str) -> list[nodes.entry]:
    settings = {"report_level": 1, "halt_level": 2}
    return [*publish_doctree(text, settings_overrides=settings).findall(nodes.entry)]


def translated(text: str, words: str) -> str:
    """Put other words into each paragraph of each cell."""
    source = script(text)
    edits = [
        Edit(8, paragraph.rawsource, words.format(paragraph.rawsource), "cell")
        for cell in cells(text)
        for paragraph in cell.findall(nodes.paragraph)
    ]
    new, lost = place(source, edits)
    assert not lost
    return text_of(new)


def shape(cell: nodes.entry) -> tuple[object, ...]:
    kinds = [type(node) for node in cell.findall(nodes.Body)]
    return cell.get("morerows"), cell.get("morecols"), kinds, type(cell.parent.parent)


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("text", [SIMPLE, GRID, SPANS, CAPTION, LIST, CSV])
def test_each_cell_has_its_translation(text: str, words: str) -> None:
    before, after = cells(text), cells(translated(text, words))

    assert [shape(cell) for cell in after] == [shape(cell) for cell in before]
    for old, new in zip(before, after, strict=True):
        both = (x.findall(nodes.paragraph) for x in (old, new))
        for was, became in zip(*both, strict=True):
            expected = words.format(was.rawsource).split()
            assert became.rawsource.split() == expected


@pytest.mark.parametrize("text", [SIMPLE, GRID, CAPTION])
def test_a_table_with_its_own_words_is_the_same(text: str) -> None:
    assert translated(text, "{}").split() == text.split()


def test_values_between_other_signs_than_commas_are_lost() -> None:
    text = CSV.replace(":widths: 1, 2", ":delim: ;").replace(",", ";")
    edit = Edit(8, "c", "하나", "cell")

    assert place(script(text), [edit]) == (script(text), [edit])


def test_what_no_table_can_hold_is_lost() -> None:
    edits = [Edit(8, text, "====", "cell") for text in ("Name", "What it is")]

    assert place(script(SIMPLE), edits) == (script(SIMPLE), edits)


def test_the_nearest_table_with_a_text_is_meant() -> None:
    both = f"{LIST}\n\n{SIMPLE}\n\n{LIST}"
    lines = script(both).split("\n")
    first, third = (row for row, line in enumerate(lines, 1) if "- a" in line)

    for near in (first, third):
        new, lost = place(script(both), [Edit(near, "a", "하나", "cell")])
        assert not lost
        assert new.split("\n")[near - 1] == "#      - 하나"
        assert new.count("하나") == 1


@pytest.mark.parametrize(
    "broken", ["=== ===\na b", "+--+--+\n| a |", "+--+\n|a|b|\n+--+"]
)
def test_what_looks_like_a_table_is_none(broken: str) -> None:
    assert [*find_tables(["text", *broken.split("\n"), "", "more"])] == []
