"""A lesson begins with what it teaches and takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bs4 import Tag
from commands import SmallSite

from gallery_intl.catalogs import po as catalogs

PAGE = "tutorials/part/page"
SCRIPT = '''"""
A page
======

:Learn: You will see a page, and
    its ``code``.
:Prerequisites: :doc:`/tutorials/part/other`,
    :doc:`/index`
:Oldest torch: 2.9

A paragraph, see :doc:`other` and :doc:`this <other>`.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 page.py
"""

# %%
# See :doc:`/tutorials/part/other`.
import torch.distributed  # cuda
'''
OTHER = """\"\"\"
Other: a page with a longer title
=================================

:Learn: You will see more.

Text.
\"\"\"
"""
INDEX = "Small site\n==========\n\nLater.\n\n.. toctree::\n\n   tutorials/part/index\n"
LEARN = "You will see a page, and its ``code``."
KO = {
    LEARN: "페이지와 ``코드``를 봅니다.",
    "Other: a page with a longer title": "다른 페이지",
    "See :doc:`/tutorials/part/other`.": ":doc:`/tutorials/part/other`\\ 를 보세요.",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> SmallSite:
    """A site of two lessons, in English and partly in Korean."""
    site = SmallSite(tmp_path_factory.mktemp("lesson") / "site")
    part = site.source / "gallery/part"
    write(part / "page.py", SCRIPT)
    write(part / "other.py", OTHER)
    write(part / "index.rst", "Part\n====\n\n.. gallery::\n\n   page\n   other\n")
    write(site.source / "requirements.txt", "torch==2.13.0\n")
    write(site.source / "index.rst", INDEX)
    site.add_settings('sphinx_gallery_conf["plot_gallery"] = False\n')
    site.add_settings("gallery_intl_plain_links = True\n")
    with site.po("sphinx").open("a", encoding="utf-8") as file:
        file.write('\nmsgid ", "\nmsgstr " · "\n')
    site.make("catalogs")
    for name in ("page", "other"):
        path = site.po(f"tutorials/part/{name}")
        catalog = catalogs.read(path)
        for entry in catalog:
            entry.msgstr = KO.get(entry.msgid, "")
        catalogs.write(path, catalog)
    site.make("html")
    return site


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def article(site: SmallSite, language: str, name: str = PAGE) -> Tag:
    found = site.page(language, name).select_one("article")
    assert found
    return found


def download(site: SmallSite, language: str, name: str) -> str:
    (path,) = (site.html / language / "_downloads").rglob(name)
    return path.read_text("utf-8")


def test_a_lesson_begins_with_its_head_in_this_order(site: SmallSite) -> None:
    title = article(site, "en").h1
    assert title
    head = title.find_next_siblings(limit=5)

    texts = [" ".join(tag.get_text(" ").split()) for tag in head[:4]]
    assert texts == [
        "You will see a page, and its code .",
        "Time 5 minutes Runs as 4 processes, started with torchrun "
        "Needs torch 2.9 or newer (here 2.13.0) "
        "The notebook also needs: jupyter, ipyparallel "
        "Runs on a CPU, and on GPUs where there are any",
        "Prerequisites : Other: a page with a longer title , Small site",
        "Notebook .ipynb Program .py Both .zip",
    ]
    assert head[4].get_text().startswith("A paragraph, see ")


def test_the_downloads_stand_once_and_lead_to_the_files(site: SmallSite) -> None:
    page = article(site, "en")

    links = page.select("a.download")
    names = [Path(str(link["href"])).name for link in links]
    assert names == ["page.ipynb", "page.py", "page.zip"]
    assert page.select("ul.downloads a.download") == links
    for link in links:
        assert (site.html / "en/tutorials/part" / str(link["href"])).is_file()


def test_a_program_without_ranks_has_its_facts(site: SmallSite) -> None:
    page = article(site, "en", "tutorials/part/other")

    assert [dd.get_text(" ", strip=True) for dd in page.select("dl.facts dd")] == [
        "5 minutes",
        "One process, started with python",
        "Runs on a CPU",
    ]
    assert not page.select(".know-first")


def test_only_the_sentence_is_a_message(site: SmallSite) -> None:
    messages = [entry.msgid for entry in catalogs.read(site.po(PAGE, "en"))]

    assert LEARN in messages
    assert not {"Learn", "Prerequisites"} & {*messages}
    assert not [text for text in messages if "/index" in text]


def test_the_head_is_in_the_readers_language(site: SmallSite) -> None:
    page = article(site, "ko")

    assert page.select_one("p.learn").get_text() == "페이지와 코드를 봅니다."
    (links,) = page.select(".know-first dd p")
    assert [a.get_text() for a in links.select("a")] == ["다른 페이지", "작은 사이트"]
    assert links.get_text() == "다른 페이지 · 작은 사이트"
    assert not page.select("p.learn[lang]")


def test_the_notebook_has_it_as_text(site: SmallSite) -> None:
    cells = json.loads(download(site, "ko", "page.ipynb"))["cells"]
    first = next(cell for cell in cells if cell["cell_type"] == "markdown")

    text = "".join(first["source"])
    assert text.startswith("# A page\n\n페이지와 `코드`를 봅니다.\n\n")
    assert "\n- **Prerequisites**" in text
    assert "*다른 페이지* · *작은 사이트*" in text
    assert ":doc:" not in text
    assert "Notebook" not in text


def test_the_script_names_the_pages_that_it_leads_to(site: SmallSite) -> None:
    english, korean = (download(site, x, "page.py") for x in ("en", "ko"))

    assert ":doc:" not in english + korean
    assert "see *Other: a page with a longer title* and *this*.\n" in english
    assert "# *다른 페이지*를 보세요.\n" in korean


def test_the_script_stands_alone_without_the_fields_of_its_page(
    site: SmallSite,
) -> None:
    text = download(site, "ko", "page.py")

    assert text.startswith(
        '# /// script\n# requires-python = ">=3.11"\n'
        '# dependencies = ["torch>=2.9"]\n# ///\n\n# '
    )
    above = text.partition("A paragraph")[0]
    assert above.endswith("\nA page\n======\n\n페이지와 ``코드``를 봅니다.\n\n")
