"""Inline markup beside CJK letters, and what must not become markup."""

import re

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from docutils.utils import punctuation_chars
from paths import PROJECT

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


@pytest.mark.usefixtures("cjk_markup")
def test_loading_twice_changes_nothing() -> None:
    before = punctuation_chars.delimiters

    end_markup_at_cjk()

    assert punctuation_chars.delimiters == before


def test_the_ranges_of_letters_stand_in_one_place() -> None:
    """What counts as a letter of Korean, Han or kana is said once."""
    has_range = re.compile(r"\\u(?:11|30|31|34|4e|9f|ac|d7)\w\w-|가-힣")
    assert [
        str(path.relative_to(PROJECT))
        for path in sorted(PROJECT.glob("packages/gallery-intl/gallery_intl/**/*.py"))
        if has_range.search(path.read_text(encoding="utf-8"))
    ] == ["packages/gallery-intl/gallery_intl/text/cjk.py"]
