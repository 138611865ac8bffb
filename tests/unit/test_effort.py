"""What a build need not do: nothing twice, and no proof of what is not changed."""

from logging import LogRecord
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from docutils.utils import new_document

from gallery_intl.page import annotate, locations, page
from gallery_intl.script import translate
from gallery_site.book import words


def test_a_page_with_many_warnings_is_read_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(locations, "script_line", lambda page, row: asked.append(page))
    env: Any = SimpleNamespace(found_docs={"a", "b"}, config=None, srcdir="/site")
    monkeypatch.setattr(
        locations, "Page", lambda env, docname: SimpleNamespace(docname=docname)
    )
    known = locations.Locations(env)

    for docname in ("a", "a", "b"):
        record = LogRecord("sphinx", 30, "", 0, "said", None, None)
        record.location = (docname, 3)
        known.filter(record)

    assert asked[0] is asked[1]
    assert asked[1] is not asked[2]


def test_a_message_of_marks_alone_is_not_where_any_text_begins() -> None:
    entries = dict.fromkeys(["3.14", "R", "Two ranks meet."])
    lines = {"3.14": 1, "R": 2, "Two ranks meet.": 3}
    page: Any = SimpleNamespace(
        rst=["# Here", "# Two ranks meet. They wait."],
        catalog=SimpleNamespace(
            entries=entries, line=lambda message: ("page.po", lines[message])
        ),
    )

    assert locations.catalog_line(page, 1) == "page.po:3"  # of the line below it


def test_a_script_that_stays_as_it_is_needs_no_proof(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(translate, "_difference", lambda *_: pytest.fail("compared"))
    script = '"""Title."""\n\n# %%\n# Text.\n\nx = 1  # a comment\n'

    made = translate.translate(script, [], lambda message: None)

    assert made.source == script


def test_no_word_is_linked_where_messages_are_collected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(words, "collects_messages", lambda _: True)
    monkeypatch.setattr(words, "script_of", lambda *_: object())
    monkeypatch.setattr(words, "terms", lambda *_: pytest.fail("searched"))
    env = SimpleNamespace(metadata={"words": {words.EXPLAINS: ""}})
    app: Any = MagicMock(env=env)

    words.link(app, new_document("a"), "a")


def test_a_page_that_stays_as_written_is_not_searched_for_messages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(annotate, "extract_messages", lambda _: pytest.fail("searched"))
    monkeypatch.setattr(page, "catalog_of", lambda *_: page.Catalog([], True))
    monkeypatch.setattr(page, "is_left_as_written", lambda _: True)
    monkeypatch.setattr(page, "script_of", lambda *_: None)
    env: Any = SimpleNamespace(temp_data={}, docname="a")
    document = new_document("a")
    document.settings.env = env

    annotate.Annotate(document).apply()

    assert page.page_of(env).messages == []
