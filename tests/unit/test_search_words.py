"""The words by which a page is found, before a browser asks for any."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from docutils.core import publish_doctree
from paths import PROJECT
from sphinx.addnodes import pending_xref

from gallery_intl.interface.search import JapaneseSearch, KoreanSearch, parts
from gallery_intl.interface.search_index import (
    MARKS,
    Section,
    places,
    sections,
    synonyms,
)
from gallery_intl.interface.searches import read_searches, with_words
from gallery_site.search import EnglishSearch

AS_IS = {"doctitle_xform": False}  # as Sphinx reads a page
PAGE = """
Ranks and sums
==============

A *rank* is a number. Each process has one.

- ``WORLD_SIZE``: how many there are

Sending
-------

Tensors travel, tensors arrive, tensors stay.

.. class:: no-search

furniture

::

    dist.send(hidden_layer)
"""


def words_of(section: Section) -> dict[str, str]:
    """Give the mark of each word."""
    return {
        word: mark
        for mark, words in zip(MARKS, section.words, strict=True)
        for word in words.split()
    }


def test_a_korean_word_of_one_syllable_has_the_pairs_to_both_sides() -> None:
    assert {"할수", "수있"} <= {*KoreanSearch({}).words("할 수 있다")}


def test_each_section_has_its_words_and_how_it_says_them() -> None:
    start, sending = sections(
        publish_doctree(PAGE, settings_overrides=AS_IS), EnglishSearch({})
    )

    assert (start.id, start.title) == ("", "Ranks and sums")
    assert (sending.id, sending.title) == ("sending", "Sending")
    first, second = words_of(start), words_of(sending)
    assert (first["rank"], first["sum"], first["process"]) == (".", ".", "")
    assert first["world_siz"] == "!"  # defined: it begins an item
    assert (second["tensor"], second["travel"]) == (":", "")
    assert second["hidden_lay"] == ","
    assert "tensor" not in first
    assert "furnitur" not in second


def test_a_stressed_word_is_defined() -> None:
    (start,) = sections(
        publish_doctree("T\n=\n\nA *node* is here.", settings_overrides=AS_IS),
        EnglishSearch({}),
    )

    assert words_of(start)["node"] == "!"


def test_an_entry_of_a_list_that_leads_elsewhere_says_less_than_the_text() -> None:
    document = publish_doctree("T\n=\n\n* Node\n\n* Link", settings_overrides=AS_IS)
    paragraph = next(document.findall(nodes.list_item)).children[0]
    paragraph += pending_xref(
        "", nodes.inline("", "mesh"), reftype="doc", refexplicit=True
    )

    (start,) = sections(document, EnglishSearch({}))

    marks = words_of(start)
    assert (marks["node"], marks["mesh"], marks["link"]) == (",", ",", "")


def test_a_name_is_found_by_its_parts() -> None:
    assert parts("DistributedSampler") == ["distributed", "sampler"]
    assert parts("init_process_group") == ["init", "process", "group"]
    assert parts("torchrun") == []


def test_a_word_has_the_distances_of_its_sections() -> None:
    first = [Section("", "", ("", "a", "", "", "b"))]
    second = [
        Section("", "", ("", "", "", "", "")),
        Section("", "", ("a b", *[""] * 4)),
    ]

    assert places([first, second]) == {"a": "ab,", "b": "a.b,"}


def test_a_long_distance_is_a_number_and_a_letter() -> None:
    others = [Section("", "", ("", "", "", "", ""))] * 52
    here = Section("", "", ("", "a", "", "", ""))

    assert places([[*others, here, *others[1:], here]]) == {"a": "1aZ"}


def test_words_are_in_the_order_of_the_text() -> None:
    first = Section("", "", ("", "c", "", "", "b"))
    second = Section("", "", ("", "a c", "", "", ""))

    assert [*places([[first, second]])] == ["c", "b", "a"]


def test_what_is_typed_comes_from_the_glossary_the_longest_first(
    tmp_path: Path,
) -> None:
    path = tmp_path / "glossary.csv"
    path.write_text(
        "en,ko,ja,en typed,ko typed,note\n"
        "gradient,변화도,勾配,grad,그래디언트/기울기(slope),not a language\n"
        "lock,락,,,GIL,\n",
        encoding="utf-8",
    )

    korean, japanese = (dict(synonyms(path, language)) for language in ("ko", "ja"))

    assert next(iter(korean)) == "기울기(slope)"
    assert korean["그래디언트"] == ["변화도", "gradient"]
    assert korean["gradient"] == ["변화도", "gradient"]
    assert korean["gil"] == ["락", "lock"]
    assert set(japanese) == {"gradient", "勾配"}
    assert dict(synonyms(path, "en"))["grad"] == ["gradient"]
    assert JapaneseSearch({}).asked


def test_what_is_typed_for_a_page_is_said_once_unless_it_is_said_already() -> None:
    words = with_words(("a b", "c", "d", "", "e"), ["b", "d", "e", "x"], 1)

    assert words == ("a", "b c x", "d", "", "e")


def test_searches_of_a_language_without_a_column_or_file_are_none(
    tmp_path: Path,
) -> None:
    path = tmp_path / "searches.csv"
    assert read_searches(path, "en") == {}
    path.write_text("page,en,ko\nranks/a,who am I/what rank,\n", encoding="utf-8")

    assert read_searches(path, "en") == {"ranks/a": "who am I\nwhat rank"}
    assert read_searches(path, "ko") == read_searches(path, "vi") == {"ranks/a": ""}


def test_each_lesson_says_in_each_language_what_readers_type_for_it() -> None:
    lessons = {
        f"tutorials/{path.parent.name}/{path.stem}"
        for path in (PROJECT / "gallery").glob("*/*.py")
    }

    for language in ("en", "ko", "zh_CN", "ja"):
        found = read_searches(PROJECT / "locales" / "searches.csv", language)
        said = (
            f"a lesson needs a line in locales/searches.csv, with a cell for {language}"
        )
        assert found.keys() == lessons, said
        assert all(found.values()), said
