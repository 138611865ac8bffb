"""The sentences that search engines show are the page's own, and whole."""

import pytest
from docutils import nodes

from gallery_intl.page.cards import first_sentence
from gallery_intl.text.sentences import describe, opening, sentences, shortened
from gallery_intl.text.wrapping import display_width


def page(*paragraphs: nodes.paragraph) -> nodes.document:
    document = nodes.document(None, None)
    document += nodes.section("", nodes.title("", "A title"), *paragraphs)
    return document


def test_a_description_is_whole_sentences_that_fit() -> None:
    text = "Short. Also short. " + "This one is much too long. " * 9

    found = opening([text], limit=30)

    assert found == "Short. Also short."


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["One. Two."], "One. Two."),
        (["하나입니다. 둘입니다."], "하나입니다. 둘입니다."),
        (["一句。", "两句。"], "一句。两句。"),
        (["一つ。二つ？ 三つ。"], "一つ。二つ？三つ。"),
        (["torch.nn 1.5 is one word. Two."], "torch.nn 1.5 is one word. Two."),
    ],
)
def test_sentences_are_joined_as_their_language_does(
    texts: list[str], expected: str
) -> None:
    assert opening(texts) == expected


def test_a_long_sentence_is_cut_between_words() -> None:
    assert shortened("one two three four five", 17) == "one two three…"
    assert shortened("一二三四五六七八", 9) == "一二三四…"
    assert display_width(shortened("한국어 문장이 아주 깁니다", 15)) <= 15


def test_a_description_has_no_markup_and_nothing_of_the_interface() -> None:
    said = nodes.paragraph("", "", nodes.literal("", "DataParallel"), nodes.Text("로 "))
    said += nodes.Text("합니다.")
    button = nodes.reference("", "Translate this paragraph", classes=["no-search"])
    said += button
    note = nodes.paragraph("", "50 % of this page", translatable=False)

    text = describe(page(note, said))

    assert text == "DataParallel로 합니다."
    assert button in said.children  # the page itself keeps it


def test_a_page_without_text_has_no_description() -> None:
    assert describe(page()) == ""
    assert sentences("") == []


def test_a_card_says_the_first_sentence_that_there_is() -> None:
    badge = nodes.paragraph("", "", nodes.image(uri="badge.svg", alt=""))

    said = first_sentence(page(badge, nodes.paragraph("", "One. Two.")))

    assert said.astext() == "One."
