"""The glossary is read as spreadsheets save it; wrong words are found."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from po_check_cjk import check
from po_check_cjk.catalogs import CatalogError
from po_check_cjk.glossary import Glossary, read_glossary
from po_check_cjk.message import RULES, Message

TABLE = """en,ko,zh_CN,ja,ko wrong,zh_CN wrong,ja wrong,ko never,note
gradient,변화도,梯度,勾配,기울기,斜率,傾き,그래디언트,
gradient bucket,변화도 버킷,梯度桶,勾配バケット,,,,,
slope,기울기,斜率,傾き,,,,,
rank,랭크,rank,ランク,순위,等级/排名,順位,,
local rank,로컬 랭크,local rank,ローカルランク,,本地 rank,,,
loss,손실,损失,損失,,丢失,ロス,,
layer,계층,层,レイヤー,층,图层,,,
training,학습,训练,学習,,,訓練,,
learning rate,학습률,学习率,学習率,,,,,
wrap,감싸다(wrap),包装,ラップする,포장하다,,,,
reduce,리듀스,归约,集約（reduce）,,,,,
row,행,行,行,,,,,
"""
Write = Callable[[str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(text: str | bytes) -> Path:
        path = tmp_path / "glossary.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture
def glossary(write: Write) -> Glossary:
    return read_glossary(write(TABLE))


def findings(glossary: Glossary, language: str, english: str, text: str) -> list[str]:
    message = Message(language, english, text, glossary=glossary)
    return list(RULES["glossary"].check(message))


@pytest.mark.parametrize(
    ("language", "english", "text", "word"),
    [
        # wrong, next to a right one too
        ("ko", "gradients", "기울기들", "기울기"),
        ("ko", "The gradient of a gradient", "변화도의 기울기", "기울기"),
        ("ko", "the gradient bucket", "변화도 버킷의 기울기", "기울기"),
        ("ko", "You wrap it.", "포장합니다.", "포장"),
        ("ko", "every rank of a layer", "계층의 랭크, 층", "층"),
        ("ko", "It is summed.", "그래디언트를 더합니다.", "그래디언트"),
        ("ko", "the gradient", "그래디언트에서 변화도로", "그래디언트"),
        ("zh_CN", "Each rank sends to a rank.", "每个 rank 发送给一个等级。", "等级"),
        ("zh_CN", "the local rank", "本地rank（local rank）", "本地rank"),
        ("ja", "the loss of a rank", "ランクの損失、ロス", "ロス"),
        # missing, not hidden by a longer term or by English
        ("ko", "the gradient bucket of a gradient", "경사의 변화도 버킷", "gradient"),
        ("zh_CN", "a rank and its local rank", "序号和 local rank", "rank"),
        ("ja", "training and its learning rate", "教育とその学習率", "training"),
        ("ko", "every row", "모든 실행", "row"),
        ("ko", "every rank has it", "모든 rank가 갖습니다.", "rank"),
        ("zh_CN", "every rank has it", "都有 ranking", "rank"),
    ],
)
def test_a_wrong_word_or_a_missing_term_is_found(
    glossary: Glossary, language: str, english: str, text: str, word: str
) -> None:
    (found,) = findings(glossary, language, english, text)

    assert found.startswith(f'"{word}" is ')


@pytest.mark.parametrize(
    ("language", "english", "text"),
    [
        ("ko", "The gradient is the slope.", "변화도는 기울기입니다."),
        ("ko", "the slope of a line", "선의 기울기"),
        ("ko", "a layer on each rank", "랭크마다 한 계층"),  # 층 ends 계층
        ("ko", "the deep layer", "심층 계층"),
        ("zh_CN", "the log level", "日志等级"),
        ("ja", "the cross-entropy loss", "クロスエントロピー損失"),  # ロス in クロス
        ("ja", "training at a learning rate", "学習率を決めて学習する"),
        ("ko", "the mean loss", "평균손실"),
        ("ja", "the layers", "マルチレイヤー"),
        ("ko", "ten rows", "10행"),
        ("ko", "the gradient, 기울기 in Korean", "변화도(한국어로 기울기)"),
    ],
)
def test_a_word_that_is_right_here_is_no_wrong_one(
    glossary: Glossary, language: str, english: str, text: str
) -> None:
    assert findings(glossary, language, english, text) == []


@pytest.mark.parametrize("text", ["**reduce**는 더합니다.", "AllReduce입니다."])
def test_a_name_may_stay_english(glossary: Glossary, text: str) -> None:
    assert findings(glossary, "ko", "**reduce** adds.", text) == []


@pytest.mark.parametrize(
    "saved",
    [
        TABLE.encode("utf-8-sig"),
        TABLE.replace(",", ";").encode(),
        TABLE.replace(",", "\t").replace("\n", "\r\n").encode("utf-8-sig"),
        TABLE.replace("\n", "\r").encode(),
        re.sub("[^,\n]+", r'"\g<0>"', TABLE).encode(),
        TABLE.replace("\n", ",,\n").encode() + b",,,,,,,,,,\n\n",
    ],
    ids=["BOM", "semicolons", "tabs", "an old Mac", "quotes", "empty cells"],
)
def test_a_glossary_is_read_as_a_spreadsheet_saves_it(
    write: Write, saved: bytes
) -> None:
    assert read_glossary(write(saved)).rows == read_glossary(write(TABLE)).rows


HEAD = "en,ko,ko wrong,note\n"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (f"{HEAD}rank,랭크,,\n".encode("cp949", "replace"), 2, "not UTF-8"),
        ("en,zh_CN\nrow,行\n".encode("gbk"), 2, "not UTF-8"),
        ("en,ja\nrow,行\n".encode("shift_jis"), 2, "not UTF-8"),
        (f"{HEAD}rank,랭크,,\n".encode("utf-16"), 1, "not UTF-8"),
        (f"{HEAD}row,행,,\nrank,??,,\n", 3, r"\?\? replaces lost characters"),
        (f"{HEAD}row,행,,\nrank,랭크,,zh: rank, not 等级\n", 3, "5 cells.*4 columns"),
        (f'{HEAD}row,행,,"two\nlines"\nrank,랭크,,a,b\n', 4, "5 cells"),
        (f'{HEAD}row,행,,\nrank,"랭크,,\n', 3, "unexpected end of data"),
        (f"{HEAD},행,,\n", 2, "no English term"),
        (f"{HEAD}row,행,,\nRow,열,,\n", 3, '"Row" occurs twice'),
        (f"{HEAD}row,행/열,열,\n", 2, '"열" is right, and "열" is wrong'),
        (
            "en,ko,ko never\nrow,행,열\nten rows,열 행,\n",
            3,
            '"열 행" is right, and "열"',
        ),
        ("english,ko\nrow,행\n", 1, 'no column "en"'),
        ("en,zh-CN\nrow,行\n", 1, '"zh-CN" is no column'),
        ("en,ko wrong\nrow,열\n", 1, 'no column "ko" for "ko wrong"'),
        ("en,ko,ko\nrow,행,열\n", 1, '"ko" occurs twice'),
        ("", 1, 'no column "en"'),
    ],
)
def test_an_unreadable_glossary_is_an_error_with_line_and_remedy(
    write: Write, text: str | bytes, line: int, what: str
) -> None:
    path = write(text)

    with pytest.raises(CatalogError) as error:
        read_glossary(path)

    assert re.fullmatch(
        rf"{re.escape(str(path))}:{line}: .*{what}.*\(.+\)", f"{error.value}"
    )


def test_a_broken_glossary_is_a_finding(write: Write) -> None:
    path = write("en,ko\nrank,랭크,,a\n")

    glossary, (finding,) = check.glossary_or_finding(path)

    assert f"{finding}".startswith(f"{path}:2: broken-glossary: 4 cells")
    assert glossary.rows == {}


def test_a_language_without_a_column_is_named(
    glossary: Glossary, tmp_path: Path
) -> None:
    path = tmp_path / "vi/LC_MESSAGES/page.po"
    path.parent.mkdir(parents=True)
    path.write_text('msgid ""\nmsgstr "Language: other\\n"\n', encoding="utf-8")

    hints = [*check.hints(check.check_catalogs([path], glossary), glossary)]

    assert hints == ['vi: no column "vi" in glossary.csv (add it)']
