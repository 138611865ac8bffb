"""The build finds a link to an own page that leads nowhere, and names its line."""

import os
import shutil
from pathlib import Path

import prepared
import pytest
from paths import ROOTS

ROOT = ROOTS / "test-site"
GOOD = """
`a <tutorials/part/page.html>`__
`b <tutorials/part/page.html#a-heading>`__
`c <./tutorials/../index.html>`__
`d <#small-site>`__
`e <https://example.org/none.html#none>`__
`f <mailto:a@example.org>`__
`g <//example.org/none.html>`__

.. container:: sphx-glr-footer

   `h <../lite/lab/index.html?path=page.ipynb>`__
"""
BAD = {
    "tutorials/part/none.html": "there is no such page",
    "tutorials/part/page.html#none": "the page 'tutorials/part/page' has no such",
    "#none": "the page 'index' has no such section",
    "../ko/index.html": "there is no such page",
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site whose index and script have links."""
    source = Path(shutil.copytree(ROOT, tmp_path_factory.mktemp("links") / "site"))
    with (source / "index.rst").open("a", encoding="utf-8") as file:
        bad = "".join(f"\n\n`x <{address}>`__" for address in BAD)
        file.write(f"\n{GOOD}{bad}\n")
    with (source / "gallery/part/page.py").open("a", encoding="utf-8") as file:
        file.write("\n# %%\n# A `lost link <lost.html>`__ stands here.\n")
        file.write("# `g <../../index.html>`__, `h <page.html#a%2Dheading>`__\n")
    return source


def warnings_of(source: Path, *more: str) -> list[str]:
    """Return what a build says."""
    command = ("sphinx", "-q", "-b", "html", source, source / "out")
    result = prepared.run(*command, *more, env={"RUNS": os.devnull})
    result.check_returncode()
    return [line for line in result.stderr.splitlines() if "WARNING" in line]


@pytest.fixture(scope="module")
def warnings(source: Path) -> list[str]:
    return warnings_of(source, "-D", "gallery_intl_check_links=1")


def test_a_project_that_did_not_ask_hears_nothing(source: Path) -> None:
    assert warnings_of(source) == []


@pytest.mark.parametrize("address", BAD)
def test_a_link_that_leads_nowhere_is_named_with_its_line(
    warnings: list[str], address: str
) -> None:
    named = [line for line in warnings if f"link to {address!r}:" in line]
    assert len(named) == 1, f"{address}: {warnings}"
    (found,) = named

    text = (ROOT / "index.rst").read_text(encoding="utf-8") + f"\n{GOOD}"
    first = text.count("\n") + 3
    line = first + 2 * list(BAD).index(address)
    assert BAD[address] in found
    assert f"index.rst:{line}: " in found


def test_a_link_that_leads_somewhere_is_not(warnings: list[str]) -> None:
    assert len(warnings) == len(BAD) + 1, "\n".join(warnings)


def test_a_warning_about_a_gallery_page_names_its_script(warnings: list[str]) -> None:
    (found,) = [line for line in warnings if "lost.html" in line]

    script = (ROOT / "gallery/part/page.py").read_text(encoding="utf-8")
    line = script.count("\n") + 3
    assert f"gallery/part/page.py:{line}: " in found
