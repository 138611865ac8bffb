"""A lesson begins with what it teaches and takes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from paths import ROOTS
from sphinx.testing.util import SphinxTestApp

from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs.own import path_of

SCRIPT = '''"""
A page
======

:Learn: You will see a page, and
    its ``code``.
:Know first: :doc:`/tutorials/part/other`,
    :doc:`/index`
:Other: A field of the author.

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

Text.
\"\"\"
"""
INDEX = "Small site\n==========\n\nLater.\n\n.. toctree::\n\n   tutorials/part/index\n"
LEARN = "You will see a page, and its ``code``."
KO = {
    LEARN: "페이지와 ``코드``를 봅니다.",
    "Other: a page with a longer title": "다른 페이지",
    "See :doc:`/tutorials/part/other`.": ":doc:`/tutorials/part/other`\\\\ 를 보세요.",
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of two lessons."""
    folder = tmp_path_factory.mktemp("lesson") / "site"
    shutil.copytree(ROOTS / "test-site", folder)
    part, locales = folder / "gallery/part", folder / "locales"
    write(part / "page.py", SCRIPT)
    write(part / "other.py", OTHER)
    write(part / "index.rst", "Part\n====\n\n.. gallery::\n\n   page\n   other\n")
    write(folder / "requirements.txt", "torch==2.13.0\n")
    with (folder / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write('sphinx_gallery_conf["plot_gallery"] = False\n')
        conf.write("gallery_intl_plain_links = True\n")
    with catalogs.po_path(locales, "ko", "sphinx").open("a", encoding="utf-8") as file:
        file.write('\nmsgid ", "\nmsgstr " · "\n')
    own = catalogs.po_path(locales, "ko", catalogs.DOMAIN)
    shutil.copyfile(path_of("en"), own)  # so that what is ours reads as it does here
    for name in ("page", "other"):
        # a catalog that is not there would let each build read its pages again
        for language, words in (("en", dict.fromkeys(KO, "")), ("ko", KO)):
            path = catalogs.po_path(locales, language, f"tutorials/part/{name}")
            write(path, catalog(words))
    write(folder / "index.rst", INDEX)
    return folder


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def catalog(words: dict[str, str]) -> str:
    header = '"Content-Type: text/plain; charset=UTF-8\\n"\n'
    header += '"Language: ko\\n"\n'
    entries = [f'msgid "{x}"\nmsgstr "{y}"\n' for x, y in words.items()]
    return "\n".join([f'msgid ""\nmsgstr ""\n{header}', *entries])


def build(source: Path, language: str = "en", builder: str = "html") -> SphinxTestApp:
    app = SphinxTestApp(
        builder,
        srcdir=source,
        builddir=source / f"_build-{builder}-{language}",
        confoverrides={"language": language},
    )
    try:
        app.build()
    finally:
        app.cleanup()
    assert app.warning.getvalue() == ""
    return app


@pytest.fixture(scope="module")
def english(source: Path) -> SphinxTestApp:
    return build(source)


@pytest.fixture(scope="module")
def korean(source: Path) -> SphinxTestApp:
    return build(source, "ko")


def page(app: SphinxTestApp, name: str = "tutorials/part/page") -> Tag:
    html = (app.outdir / f"{name}.html").read_bytes()
    found = BeautifulSoup(html, "html.parser").select_one("article")
    assert found
    return found


def script(app: SphinxTestApp) -> str:
    path = app.doctreedir / "downloads/tutorials/part/page.py"
    return Path(path).read_text("utf-8")


def test_a_lesson_begins_with_its_head_in_this_order(english: SphinxTestApp) -> None:
    title = page(english).h1
    assert title
    head = title.find_next_siblings(limit=5)

    texts = [" ".join(tag.get_text(" ").split()) for tag in head[:4]]
    assert texts == [
        "You will see a page, and its code .",
        "Time 5 minutes Runs as 4 processes, started with torchrun Needs torch 2.13.0 "
        "The notebook also needs: jupyter, ipyparallel "
        "Runs on a CPU, and on GPUs where there are any",
        "Know first : Other: a page with a longer title , Small site "
        "Other : A field of the author.",
        "Notebook .ipynb Program .py Both .zip",
    ]
    assert head[4].get_text().startswith("A paragraph, see ")


def test_the_downloads_stand_once_and_lead_to_the_files(english: SphinxTestApp) -> None:
    article = page(english)

    links = article.select("a.download")
    names = [Path(str(link["href"])).name for link in links]
    assert names == ["page.ipynb", "page.py", "page.zip"]
    assert article.select("ul.downloads a.download") == links
    for link in links:
        assert (english.outdir / "tutorials/part" / str(link["href"])).is_file()


def test_a_program_without_ranks_or_fields_has_its_facts(
    english: SphinxTestApp,
) -> None:
    article = page(english, "tutorials/part/other")

    assert [dd.get_text(" ", strip=True) for dd in article.select("dl.facts dd")] == [
        "5 minutes",
        "One process, started with python",
        "Runs on a CPU",
    ]
    assert not article.select(".learn, .know-first")


def test_only_the_sentence_is_a_message(source: Path) -> None:
    out = build(source, builder="gettext").outdir

    template = catalogs.read(out / "tutorials/part/page.pot")
    messages = [entry.msgid for entry in template]
    assert LEARN in messages
    assert "A field of the author." in messages
    assert not {"Learn", "Know first", "Other"} & {*messages}
    assert not [text for text in messages if "/index" in text]


def test_the_head_is_in_the_readers_language(korean: SphinxTestApp) -> None:
    article = page(korean)

    assert article.select_one("p.learn").get_text() == "페이지와 코드를 봅니다."
    links, other = article.select(".know-first dd p")
    assert [a.get_text() for a in links.select("a")] == ["다른 페이지", "작은 사이트"]
    assert links.get_text() == "다른 페이지 · 작은 사이트"
    assert [x.get("lang") for x in (links, other)] == [None, "en"]
    assert not article.select("p.learn[lang]")


def test_the_notebook_says_it_as_text(korean: SphinxTestApp) -> None:
    path = Path(korean.doctreedir, "downloads/tutorials/part/page.ipynb")
    cells = json.loads(path.read_bytes())["cells"]
    first = next(cell for cell in cells if cell["cell_type"] == "markdown")

    text = "".join(first["source"])
    assert text.startswith("# A page\n\n페이지와 `코드`를 봅니다.\n\n- **Know first**")
    assert "*다른 페이지* · *작은 사이트*" in text
    assert ":doc:" not in text
    assert "Notebook" not in text


def test_the_script_names_the_pages_that_it_leads_to(
    english: SphinxTestApp, korean: SphinxTestApp
) -> None:
    said = [":doc:" in script(app) for app in (english, korean)]
    assert said == [False, False]

    assert (
        ":Learn: You will see a page, and\n    its ``code``.\n"
        ":Know first: *Other: a page with a longer title*, *Small site*\n"
    ) in script(english)
    assert "see *Other: a page with a longer title* and *this*.\n" in script(english)
    assert ":Learn: 페이지와 ``코드``를 봅니다.\n:Know first: *다른 페이지*," in script(
        korean
    )
    assert "# *다른 페이지*를 보세요.\n" in script(korean)
