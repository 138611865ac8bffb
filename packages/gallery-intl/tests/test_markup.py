"""Inline markup beside CJK letters, and what must not become markup."""

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from docutils.utils import punctuation_chars

from gallery_intl.text.cjk import end_markup_at_cjk


@pytest.fixture
def cjk_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    stock = punctuation_chars.delimiters
    monkeypatch.setattr(punctuation_chars, "delimiters", stock)
    end_markup_at_cjk()


def parse(text: str) -> tuple[str, list[str]]:
    """Give a paragraph's text and its inline elements."""
    document = publish_doctree(text, settings_overrides={"report_level": 5})
    paragraph = document[0]
    kinds = [node.tagname for node in paragraph.findall(nodes.Inline)]
    return paragraph.astext(), [kind for kind in kinds if kind != "#text"]


RIGHT = {
    "``X``로 감싸면": ("X로 감싸면", ["literal"]),
    r"``X``\ 로": ("X로", ["literal"]),
    "``X`` 로": ("X 로", ["literal"]),
    "使用``X``包装": ("使用X包装", ["literal"]),
    "这是**重点**内容": ("这是重点内容", ["strong"]),
    "참고:code:`x` 를": ("참고x 를", ["literal"]),
    "**重点**（注）": ("重点（注）", ["strong"]),
    "（``X``）": ("（X）", ["literal"]),
    "「``X``」を": ("「X」を", ["literal"]),
    "データを``X``で": ("データをXで", ["literal"]),
    "`글 <https://a.example>`__로": ("글로", ["reference"]),
    "``zero_``를": ("zero_를", ["literal"]),
    "all_reduce와 world_size가": ("all_reduce와 world_size가", []),
    "call all_reduce with a world_size": ("call all_reduce with a world_size", []),
    "2*3*4, a*b": ("2*3*4, a*b", []),
}


@pytest.mark.usefixtures("cjk_markup")
@pytest.mark.parametrize("text", RIGHT)
def test_markup_beside_cjk_letters_renders(text: str) -> None:
    assert parse(text) == RIGHT[text]


@pytest.mark.usefixtures("cjk_markup")
@pytest.mark.parametrize("text", ["zero_를", "배치*크기*수"])
def test_what_becomes_markup_by_mistake_is_known(text: str) -> None:
    """The two prices of it; a check reports such messages."""
    assert parse(text)[1]
