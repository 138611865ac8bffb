"""A term's English is in brackets where readers first meet the term."""

from __future__ import annotations

from pathlib import Path

import pytest

from po_check_cjk.check import check_catalog
from po_check_cjk.glossary import read_glossary

HEADER = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
GLOSSARY = "en,ko,settled\nrank,랭크,ja\ngradient,변화도,ja ko\n"
FIRST = ("paragraph", "Each rank runs it.", "각 랭크가 실행합니다.")
GLOSSED = ("paragraph", "A rank waits.", "랭크(rank)가 기다립니다.")


def found(
    tmp_path: Path, *messages: tuple[str, str, str], language: str = "ko"
) -> list[tuple[int, str]]:
    """Return the late glosses of a catalog with these messages."""
    path = tmp_path / language / "LC_MESSAGES" / "page.po"
    path.parent.mkdir(parents=True)
    terms = tmp_path / "glossary.csv"
    terms.write_text(GLOSSARY, encoding="utf-8")
    entries = (f'#. {x}\nmsgid "{y}"\nmsgstr "{z}"\n' for x, y, z in messages)
    path.write_text(HEADER + "\n".join(entries), encoding="utf-8")
    findings = check_catalog(path, read_glossary(terms)).findings
    return [(x.line, x.text) for x in findings if x.rule.endswith("-gloss")]


def test_brackets_behind_a_later_use_are_found(tmp_path: Path) -> None:
    text = '"(rank)" is here, but line 6 has the term before it (move it there)'

    assert found(tmp_path, FIRST, GLOSSED) == [(10, text)]


@pytest.mark.parametrize(
    "messages",
    [
        (GLOSSED, FIRST),
        (("heading", "Each rank", "각 랭크"), GLOSSED),
        (("comment beside: x = 1", "of a rank", "랭크의 값"), GLOSSED),
        (FIRST, ("paragraph", "A *rank* is a number.", "랭크(*rank*)는 번호입니다.")),
        (FIRST, ("paragraph", "Call ``to(rank)``.", "``to(rank)``를 호출합니다.")),
        (FIRST, ("paragraph", "It has GPUs.", "GPU(graphics)가 있습니다.")),
        (("paragraph", "It ranks them.", "순서를 정합니다."), GLOSSED),
        (("paragraph", "It is sent there.", "그 랭크로 보냅니다."), GLOSSED),
    ],
)
def test_brackets_at_the_first_use_or_of_other_words_are_right(
    tmp_path: Path,
    messages: tuple[tuple[str, str, str], ...],
) -> None:
    assert not found(tmp_path, *messages)


def test_brackets_behind_a_settled_term_are_found(tmp_path: Path) -> None:
    first = ("paragraph", "A gradient is sent.", "변화도(gradient)를 보냅니다.")
    stressed = (*first[:1], "A *gradient* is sent.", "변화도(*gradient*)를 보냅니다.")
    text = '"(gradient)" (the glossary calls the term settled: leave it out)'

    assert found(tmp_path / "1", first) == [(6, text)]
    assert not found(tmp_path / "2", stressed)


def test_a_late_gloss_can_be_set_aside(tmp_path: Path) -> None:
    waived = ("paragraph\n# check-ignore: late-gloss - explained here", *GLOSSED[1:])

    assert not found(tmp_path, FIRST, waived)


def test_english_explains_itself(tmp_path: Path) -> None:
    messages = [(x, y, y) for x, y, _z in (FIRST, GLOSSED)]
    messages[1] = ("paragraph", "A rank waits.", "A rank (rank) waits.")

    assert not found(tmp_path, *messages, language="en")
