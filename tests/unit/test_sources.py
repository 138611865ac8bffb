"""The page on the sources leaves nothing out, and is right about our pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import Directive, directives, roles
from paths import PROJECT

SOURCES = PROJECT / "docs" / "sources.rst"
LEFT_OUT = "Left out"

# What the sources define or call, and we kept under its name, with our page.
NAMES = {
    "one_process/multi_gpu_examples": """
        DataParallel DataParallelModel block2 replicate scatter gather parallel_apply
        data_parallel device_ids output_device replicas device""",
    "larger_models/split_model": "DistributedModel rnn",
    "one_process/data_parallel_limits": "DataParallel parallel_model",
    "one_process/input_sizes": """
        device my_tensor mytensor Dataset DataLoader input_size output_size batch_size
        data_size RandomDataset __getitem__ rand_loader Model device_count model""",
    "start/hello_ranks": "set_device",
    "inside/starting_processes": """
        main main_worker spawn gpu n_gpus 512 num_worker init_process_group
        Pool __main__""",
    "start/distributed_data_parallel": """
        DistributedDataParallel DistributedSampler train_sampler train_data shuffle
        pin_memory num_workers trainloader batch_size device_ids""",
}
EACH_NAME = [(page, name) for page, text in NAMES.items() for name in text.split()]


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


def contains(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def test_each_thing_of_the_sources_has_one_row(rows: list[Row]) -> None:
    assert len({str(row) for row in rows}) == len(rows) == 98


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


def test_what_a_row_points_to_stands_on_the_page(rows: list[Row]) -> None:
    wrong = [
        (row.pages, literal)
        for row in rows
        for literal in literals(row.place)
        if literal not in row.script
    ]

    assert wrong == []


@pytest.mark.parametrize(("page", "name"), EACH_NAME)
def test_a_name_of_the_sources_has_a_row_and_lives_on_its_page(
    rows: list[Row], page: str, name: str
) -> None:
    about_it = [
        row
        for row in rows
        if row.pages == [f"/tutorials/{page}"]
        and any(contains(text, name) for text in literals(row.source))
    ]

    assert about_it
    assert contains(about_it[0].script, name)


def test_no_mail_address_is_published() -> None:
    assert "@" not in read(SOURCES)
