"""Cards show every letter, in the shapes of the page's language."""

from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from PIL import Image

from gallery_site import card_fonts, social_cards
from gallery_site.card_fonts import ALWAYS, Face, family, family_for
from gallery_site.social_cards import Block, Card, balanced, draw, font, paint, wrapped

NOWHERE = "\U0010fffd"  # for private use: no font has it
TEXTS = {
    "Noto Sans CJK KR": "여러 랭크(rank)가 모델 하나를 학습할 때, 일은 나뉩니다.",
    "Noto Sans CJK SC": "启动进程：每种方式把什么交给进程，torchrun 的做法不同。",
    "Noto Sans CJK JP": "プロセスの起動：どの方法が「プロセス」に何を渡すか、直す。",
}

each_text = pytest.mark.parametrize(("name", "text"), TEXTS.items(), ids=list(TEXTS))


def needs(name: str) -> None:
    if family(name) is None:
        pytest.skip(f"this machine has no {name} (package fonts-noto-cjk)")


def opened(face: Face) -> TTFont:
    return TTFont(face.path, fontNumber=face.number, lazy=True)


def card(name: str, title: str = "A title", text: str = "A text.") -> Card:
    used = family(name)
    assert used
    return Card(Block("Site", used), Block(title, used), [Block(text, used)])


@each_text
def test_a_card_is_drawn_with_the_face_of_its_language(name: str, text: str) -> None:
    needs(name)

    found = family_for(text, [name])

    assert found
    for face in (found.regular, found.bold):
        with opened(face) as file:
            assert file["name"].getDebugName(1).startswith(name)


def test_the_same_letter_is_drawn_as_its_language_writes_it() -> None:
    names = ("Noto Sans CJK SC", "Noto Sans CJK JP")
    for name in names:
        needs(name)

    chinese, japanese = (paint(card(name, title="直")) for name in names)

    assert chinese.tobytes() != japanese.tobytes()


@each_text
def test_a_card_has_no_letter_without_a_glyph(name: str, text: str) -> None:
    needs(name)

    found = family_for(text, [name])

    assert found
    for face in (found.regular, found.bold):
        with opened(face) as file:
            glyphs = {letter: file.getBestCmap().get(ord(letter)) for letter in text}
        assert None not in glyphs.values()
        assert ".notdef" not in glyphs.values()


def test_there_is_no_family_rather_than_empty_boxes() -> None:
    assert family_for("plain words", [ALWAYS])
    assert family_for("plain words", ["No Such Font"]) == family(ALWAYS)
    assert family_for(f"plain {NOWHERE}", [ALWAYS]) is None
    assert family_for("한국어", []) is None  # matplotlib's own font lacks Hangul


def test_a_font_that_was_installed_after_matplotlibs_list_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(card_fonts.fontManager, "ttflist", [])
    card_fonts.family.cache_clear()

    assert card_fonts.family(ALWAYS)

    card_fonts.family.cache_clear()


def test_a_card_has_its_size_and_the_same_bytes_each_time(tmp_path: Path) -> None:
    for name in ("one.png", "two.png"):
        draw(card(ALWAYS), tmp_path / name)

    assert Image.open(tmp_path / "one.png").size == (1200, 630)
    one, two = (tmp_path / name for name in ("one.png", "two.png"))
    assert one.read_bytes() == two.read_bytes()


def test_only_a_changed_card_is_drawn_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "card.png"
    draw(card(ALWAYS), path)
    painted = []
    paint = social_cards.paint
    monkeypatch.setattr(social_cards, "paint", lambda c: painted.append(c) or paint(c))

    draw(card(ALWAYS), path)
    draw(card(ALWAYS, title="Another title"), path)
    draw(card(ALWAYS, title="Another title", text="Another text."), path)

    assert [made.title.text for made in painted] == ["Another title"] * 2


@each_text
@pytest.mark.parametrize("room", [200, 333, 500, 720])
def test_no_line_is_too_wide_or_begins_with_what_closes(
    name: str, text: str, room: int
) -> None:
    needs(name)
    used = font(card(name).title.family.bold, 40)

    for lines in (wrapped(text, used, room), balanced(text, used, room)):
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
        assert not any(line[0] in social_cards.CLOSES for line in lines)
        assert not any(line[-1] in social_cards.OPENS for line in lines)
        assert all(
            used.getlength(line) <= room
            for line in lines
            if " " in line or len(line) > 9
        )


def test_a_korean_line_breaks_at_spaces_only() -> None:
    name = "Noto Sans CJK KR"
    needs(name)
    used = font(card(name).title.family.bold, 40)

    lines = wrapped(TEXTS[name], used, 300)

    assert len(lines) > 2
    words = TEXTS[name].split()
    assert all(word in words for line in lines for word in line.split())


@pytest.mark.parametrize("room", range(240, 520, 20))
def test_a_japanese_number_and_ending_stay_with_their_word(room: int) -> None:
    name = "Noto Sans CJK JP"
    needs(name)
    used = font(card(name).title.family.bold, 40)

    lines = wrapped("はじめて1つのプログラムを4つのプロセスで2台動かす", used, room)

    assert len(lines) > 1
    assert not any(
        line.startswith(("つの", "を", "で", "台", "かす")) for line in lines
    )


def test_a_long_title_stays_on_the_card() -> None:
    title = Block("several words " * 40, card(ALWAYS).title.family)

    lines, _font, size = social_cards.title_lines(title, 1040)

    assert len(lines) == social_cards.TITLE_LINES
    assert lines[-1].endswith("…")
    assert size == min(social_cards.TITLE_SIZES)
