"""Pages become an index."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from sphinx import package_dir
from sphinx.addnodes import pending_xref

from sphinx_cjk_search.index import INDEX, MARKS, Section, places, sections
from sphinx_cjk_search.languages import LANGUAGES

ENGLISH = LANGUAGES["en"]
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

Build = Callable[..., Path]


def read(text: str) -> nodes.document:
    return publish_doctree(text, settings_overrides={"doctitle_xform": False})


def marks_of(section: Section) -> dict[str, str]:
    return {term: MARKS[mark] for term, mark in section.marks.items()}


def index_of(folder: Path) -> dict[str, Any]:
    text = (folder / INDEX).read_text(encoding="utf-8")
    index: dict[str, Any] = json.loads(text[text.index("{") : text.rindex(";")])
    return index


def test_each_section_has_its_terms_and_their_weight() -> None:
    start, sending = sections(read(PAGE), ENGLISH)

    assert (start.id, start.title) == ("", "Ranks and sums")
    assert (sending.id, sending.title) == ("sending", "Sending")
    first, second = marks_of(start), marks_of(sending)
    assert (first["rank"], first["sum"], first["process"]) == (".", ".", "")
    assert first["world_siz"] == "!"  # defined: it begins an item
    assert (second["tensor"], second["travel"]) == (":", "")
    assert second["hidden_lay"] == ","
    assert "tensor" not in first
    assert "furnitur" not in second


def test_a_list_item_that_links_to_a_page_counts_less_than_text() -> None:
    document = read("T\n=\n\n* Node\n\n* Link\n\n*mesh*")
    paragraph = next(document.findall(nodes.list_item)).children[0]
    link = nodes.inline("", "ring")
    paragraph += pending_xref(
        "", link, reftype="doc", reftarget="ring", refexplicit=True
    )

    (start,) = sections(document, ENGLISH)

    marks = marks_of(start)
    assert (marks["node"], marks["ring"]) == (",", ",")
    assert (marks["link"], marks["mesh"]) == ("", "!")


def test_a_term_has_the_distances_of_its_sections() -> None:
    empty = Section("", "", {})
    first, second = Section("", "", {"a": 1, "b": 4}), Section("", "", {"b": 0, "a": 0})
    far = [empty] * 52 + [Section("", "", {"c": 1})]

    found = places([[first], [empty, second]])

    assert found == {"a": "ab,", "b": "a.b,"}
    assert [*found] == ["a", "b"]  # in the order of the text
    assert places([far]) == {"c": "1a"}


def test_an_index_has_every_page_but_the_hidden_one(build: Build) -> None:
    index = index_of(build("ko"))

    pages = {address: kind for address, kind, *_ in index["pages"]}
    assert pages == {
        "index.html": "list",
        "sums.html": "page",
        "module.html": "page",
        "atlas.html": "page",
        "sky.html": "page",
        "about.html": "last",
    }
    assert "숫자" in index["words"].split()  # typed for the page
    assert "secret" not in index["words"].split()
    assert index["messages"]["none"].startswith("검색어가")
    assert index["messages"]["missing"] == "Rings of steel are not covered."


def test_the_addresses_are_those_of_the_builder(build: Build) -> None:
    addresses = [page[0] for page in index_of(build("ja", "dirhtml"))["pages"]]

    assert addresses == ["", "sums/", "module/", "atlas/", "sky/", "about/"]


def test_sphinx_has_no_words_in_its_own_index(build: Build) -> None:
    text = (build("zh_CN") / "searchindex.js").read_text(encoding="utf-8")

    assert '"terms":{}' in text
    assert '"alltitles":{}' in text


def test_other_languages_keep_the_search_of_sphinx(build: Build) -> None:
    folder = build("fr")

    stock = package_dir / "themes/basic/static/searchtools.js"
    assert (folder / "_static/searchtools.js").read_bytes() == stock.read_bytes()
    assert not (folder / INDEX).exists()
    assert "gradient" in (folder / "searchindex.js").read_text(encoding="utf-8")
    assert "cjk-search" not in (folder / "sums.html").read_text(encoding="utf-8")


def test_a_setting_without_its_file_is_a_warning(build: Build) -> None:
    with pytest.raises(AssertionError):
        build("en", "html", "cjk_search_queries=lost.csv")
