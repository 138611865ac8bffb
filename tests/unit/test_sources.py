"""The tables of the sources are complete in form and right about our pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import Directive, directives, roles
from paths import PROJECT

SOURCES = PROJECT / "sources.rst"
LEFT_OUT = "Left out"
FACTS = ["Author", "Address", "Date", "PyTorch version"]
ROWS = 98  # a row that goes is a part of the sources without its place


class Row(NamedTuple):
    source: nodes.entry
    fate: nodes.entry
    place: nodes.entry

    def __str__(self) -> str:
        return words(self.source)

    @property
    def pages(self) -> list[str]:
        return [link.astext() for link in self.place.findall(is_page_link)]

    @property
    def script(self) -> str:
        scripts = [script_of(page) for page in self.pages]
        return "".join(read(path) for path in scripts if path and path.is_file())


def page_link(
    name: str, rawtext: str, text: str, *args: Any, **kwargs: Any
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    return [nodes.inline(rawtext, text, classes=[name])], []


class TocTree(Directive):
    """What only Sphinx knows; it is no part of the text."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"hidden": directives.flag}

    def run(self) -> list[nodes.Node]:
        return []


def is_page_link(node: nodes.Node) -> bool:
    return isinstance(node, nodes.inline) and "doc" in node["classes"]


@pytest.fixture(scope="module")
def about() -> nodes.document:
    roles.register_local_role("doc", page_link)
    directives.register_directive("toctree", TocTree)
    return publish_doctree(read(SOURCES), settings_overrides={"halt_level": 2})


@pytest.fixture(scope="module")
def rows(about: nodes.document) -> list[Row]:
    bodies = about.findall(nodes.tbody)
    found = [Row(*row.findall(nodes.entry)) for body in bodies for row in body]
    assert found
    return found


def script_of(page: str) -> Path | None:
    """Give the script of a page; this page itself has none."""
    if page == "/sources":
        return None
    return PROJECT / f"{page.removeprefix('/')}.py".replace("tutorials", "gallery", 1)


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def words(node: nodes.Element) -> str:
    return " ".join(node.astext().split())


def literals(entry: nodes.entry) -> list[str]:
    return [words(literal) for literal in entry.findall(nodes.literal)]


def test_every_source_has_its_facts_or_says_that_they_are_lost(
    about: nodes.document,
) -> None:
    sources = next(about.findall(nodes.bullet_list)).parent.parent

    lists = list(sources.findall(nodes.bullet_list))

    assert len(lists) == 5
    for facts in lists:
        assert [fact.astext().partition(": ")[0] for fact in facts] == FACTS
        assert all(fact.astext().partition(": ")[2] for fact in facts)


def test_a_cell_is_one_paragraph(rows: list[Row]) -> None:
    wrong = [
        str(row)
        for row in rows
        for cell in row
        if [type(part) for part in cell] != [nodes.paragraph]
    ]

    assert wrong == []


def test_each_part_of_the_sources_has_one_row(rows: list[Row]) -> None:
    sources = {str(row) for row in rows}

    assert len(sources) == len(rows) == ROWS


def test_every_row_leads_to_a_page_or_says_that_there_is_none(rows: list[Row]) -> None:
    wrong = [
        str(row)
        for row in rows
        if row.place.astext() != LEFT_OUT and len(row.pages) != 1
    ]
    missing = {
        page
        for row in rows
        for page in row.pages
        if (script := script_of(page)) and not script.is_file()
    }

    assert (wrong, missing) == ([], set())


def test_a_literal_that_a_row_points_to_is_in_its_script(rows: list[Row]) -> None:
    wrong = [
        (row.pages, literal)
        for row in rows
        for literal in literals(row.place)
        if literal not in row.script
    ]

    assert wrong == []


def test_no_mail_address_is_published() -> None:
    assert "@" not in read(SOURCES)
