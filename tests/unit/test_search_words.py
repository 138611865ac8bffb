"""The words by which a page is found, before a browser asks for any."""

from gallery_intl.interface.search import KoreanSearch


def test_a_korean_word_of_one_syllable_has_the_pairs_to_both_sides() -> None:
    assert {"할수", "수있"} <= {*KoreanSearch({}).words("할 수 있다")}
