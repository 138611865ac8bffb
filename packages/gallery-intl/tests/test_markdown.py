"""Markdown: what a notebook shows of a page's text."""

import pytest
from docutils import nodes
from docutils.core import publish_doctree

from gallery_intl.downloads.markdown import Writer, code, escape
from gallery_intl.text.cjk import end_markup_at_cjk

end_markup_at_cjk()


class PageWriter(Writer):
    """One that knows where images are, and keeps what has no Markdown."""

    def __init__(self) -> None:
        self.strange: list[str] = []

    def image(self, uri: str) -> str:
        return f"https://example.org/{uri}"

    def unknown(self, node: nodes.Element) -> None:
        self.strange.append(node.tagname)


def written(rst: str) -> str:
    document = publish_doctree(rst, settings_overrides={"doctitle_xform": False})
    writer = PageWriter()
    text = writer.blocks(document.children)
    assert not writer.strange
    return text


def shown(rst: str) -> str:
    """Give the HTML that CommonMark makes of the Markdown."""
    return commonmark(written(rst))


def commonmark(text: str) -> str:
    parser = pytest.importorskip("markdown_it").MarkdownIt("commonmark")
    return str(parser.render(text))


@pytest.mark.parametrize(
    ("rst", "expected"),
    [
        ("*a* **b** ``c``", "*a* **b** `c`"),
        ("``DataParallel``로 *감싼* 것", "`DataParallel`로 *감싼* 것"),
        ("all_reduce and _x and x_", r"all_reduce and \_x and x\_"),
        ("a * b [c] <d> $5 `t`", r"a \* b \[c\] \<d> \$5 *t*"),
        ("`text <https://a.b/c_(d)>`__", "[text](<https://a.b/c_(d)>)"),
        ("https://a.b", "[https://a.b](https://a.b)"),
        (":math:`x_1 = \\alpha`", r"$x_1 = \alpha$"),
        ("H\\ :sub:`2`\\ O", "H<sub>2</sub>O"),
        ("one\ntwo", "one two"),
        ("\\- no list", r"\- no list"),
        ("\\1. no list", r"1\. no list"),
        ("- a\n- b\n\n  - c", "- a\n\n- b\n\n  - c"),
        ("- a\n- b", "- a\n- b"),
        ("3. a\n4. b", "3. a\n4. b"),
        (".. math::\n\n   x = 1", "$$\nx = 1\n$$"),
        ("::\n\n   ls", "```\nls\n```"),
        (".. rubric:: Aside", "**Aside**"),
        ("term\n  meaning", "- **term**\n\n  meaning"),
        ("| a\n| b", "a\\\nb"),
        ("  quoted", "> quoted"),
        (".. note::\n\n   a\n\n   b", "> **Note**\n>\n> a\n>\n> b"),
        (".. admonition:: 제목\n\n   a", "> **제목**\n>\n> a"),
        (".. image:: a.png\n   :alt: b*c", r"![b\*c](https://example.org/a.png)"),
        (".. figure:: a.png\n\n   c", "![](https://example.org/a.png)\n\n*c*"),
        ("a\n\n----\n\nb", "a\n\n---\n\nb"),
        (".. comment\n\n.. _label:\n\ntext", "text"),
    ],
)
def test_each_element_has_its_markdown(rst: str, expected: str) -> None:
    assert written(rst) == expected


def test_a_folded_admonition_is_folded_in_a_notebook() -> None:
    title, text = nodes.title("", "A & B"), nodes.paragraph("", "a")
    admonition = nodes.admonition("", title, text, collapsible="closed")

    written = Writer().block(admonition)

    assert written == "<details><summary>A &amp; B</summary>\n\na\n\n</details>"


def test_a_code_block_names_its_language() -> None:
    block = nodes.literal_block("ls", "ls", language="Bash")

    assert Writer().blocks([block]) == "```bash\nls\n```"


def test_a_table_keeps_its_cells() -> None:
    table = """
.. list-table::
   :header-rows: 1

   * - name
     - value
   * - ``a|b``
     - one

       two
"""

    assert written(table) == (
        "| name | value |\n| --- | --- |\n| `a\\|b` | one<br>two |"
    )


def test_a_fence_is_longer_than_those_inside() -> None:
    assert written("::\n\n   ```\n   x\n   ```").startswith("````\n```")
    assert code("a``b") == "```a``b```"
    assert code("`") == "`` ` ``"


@pytest.mark.parametrize(
    "text",
    [
        "**값(value)**\\ 은",
        "这是**重点。**\\ 后面",
        "**「引用」**\\ です",
        "앞\\ **(가)**",
        "*a*\\ b",
        "**重点**内容",
    ],
)
def test_emphasis_beside_cjk_letters_stays_emphasis(text: str) -> None:
    html = shown(text)

    assert "<strong>" in html or "<em>" in html
    assert "*" not in html


@pytest.mark.parametrize(
    "text", ["a*b", "#", "[x](y)", "<b>", "`c`", "$x$", "__i__", "~~s~~", "\\"]
)
def test_escaped_text_shows_as_it_is(text: str) -> None:
    html = commonmark(f"x {escape(text)} y").replace("\\$", "$")

    for sign, name in (("<", "&lt;"), (">", "&gt;")):
        text = text.replace(sign, name)
    assert html.replace("\\~~", "~~") == f"<p>x {text} y</p>\n"


def test_what_markdown_does_not_know_is_reported() -> None:
    strange = nodes.option_list(
        "", nodes.option_list_item("", nodes.paragraph("", "t"))
    )

    writer = PageWriter()

    assert writer.blocks([strange]) == "t"
    assert writer.strange == ["option_list", "option_list_item"]
