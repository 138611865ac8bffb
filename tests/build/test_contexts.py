"""Each message says what it is."""

import shutil
from collections.abc import Callable
from pathlib import Path

import polib
import pytest
from docutils import nodes
from paths import PROJECT, ROOTS
from sphinx.testing.util import SphinxTestApp

from gallery_intl.catalogs import po as catalogs
from gallery_intl.page.code import Code, beside

ROOT = ROOTS / "test-comments"
PAGE = """
.. meta::
   :description: What it is about.

Title
=====

A paragraph.

.. rubric:: A small heading

- An item.

.. note::

   A remark.

.. admonition:: Its title

   Its text.

A term
    And what it means.

.. list-table:: A caption

   * - A cell.

.. image:: picture.svg
   :alt: A picture.

A claim [#]_.

.. [#] Its footnote.
"""


@pytest.fixture
def templates(make_app: Callable[..., SphinxTestApp], tmp_path: Path) -> Path:
    srcdir = shutil.copytree(ROOT, tmp_path / "site")
    (srcdir / "more.rst").write_text(PAGE, "utf-8")
    (srcdir / "picture.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    with (srcdir / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write("    from gallery_intl.page import contexts\n")
        conf.write("    app.connect('build-finished', contexts.write_contexts)\n\n\n")
        conf.write("gettext_additional_targets = ['image']\n")
    app = make_app("gettext", srcdir=srcdir)
    app.build()
    return Path(app.outdir)


def contexts(template: Path) -> dict[str, str]:
    return {entry.msgid: entry.comment for entry in polib.pofile(str(template))}


def test_a_message_says_where_in_a_text_it_stands(templates: Path) -> None:
    found = contexts(templates / "more.pot")

    assert {
        "What it is about.": "for search engines",
        "Title": "heading",
        "A paragraph.": "paragraph",
        "A small heading": "heading",
        "An item.": "list item",
        "A remark.": "note",
        "Its title": "heading",
        "Its text.": "note",
        "A term": "term that is explained",
        "And what it means.": "explanation of a term",
        "A caption": "heading",
        "A cell.": "table cell",
        "A picture.": "alt text",
        "Its footnote.": "footnote",
    }.items() <= found.items()


def test_a_comment_says_which_code_it_belongs_to(templates: Path) -> None:
    found = contexts(templates / "tutorials/part/page.pot")

    assert found["A comment that is two lines long."] == (
        "comment above: x = [1, 2]  # (batch, features)"
    )
    assert found["beside the code"].split("\n") == [
        'comment beside: y = "# no comment"',
        'comment above: y += "."',
    ]
    assert found["in the text"] == "comment beside: z = 1"
    assert found["An item that is a paragraph."] == "paragraph"


def test_every_message_of_our_catalogs_says_what_it_is() -> None:
    for path in (PROJECT / "locales").rglob("*.po"):
        silent = [
            f"{path}:{entry.linenum}"
            for entry in catalogs.active(catalogs.read(path))
            if not entry.comment
        ]
        assert silent == []
    english = catalogs.po_path(PROJECT / "locales", "en", "sphinx")
    assert {entry.comment for entry in catalogs.read(english)} == {"interface"}


def test_a_comment_above_another_belongs_to_the_code_below_both() -> None:
    code = "# first\n\n# second\nx = 1\n# last"
    shown = Code(nodes.literal_block(), 0, code, 1)

    assert [beside(shown, comment) for comment in shown.comments()] == [
        "comment above: x = 1",
        "comment above: x = 1",
        "comment",
    ]
