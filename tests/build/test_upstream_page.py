"""What pages are known to hold is what the installed Sphinx-Gallery writes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from docutils import nodes
from paths import ROOTS
from sphinx import addnodes
from sphinx.testing.util import SphinxTestApp
from sphinx_gallery.directives import imgsgnode

from gallery_intl.page import upstream
from gallery_intl.page.furniture import with_class
from gallery_intl.page.page import Row, places
from gallery_intl.script.source import blocks
from gallery_run.furniture import running_time

ROOT = ROOTS / "test-run"
SCRIPT = '''"""
Title
=====

Words.
"""

import matplotlib.pyplot as plt

plt.plot([1, 2])
print("printed")

# %%
# More words.

x = 1
'''
BINDER = {
    "org": "org",
    "repo": "repo",
    "branch": "main",
    "binderhub_url": "https://mybinder.org",
    "dependencies": ["requirements.txt"],
}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> SphinxTestApp:
    """Build a page with Sphinx-Gallery alone."""
    site = tmp_path_factory.mktemp("upstream") / "site"
    shutil.copytree(ROOT, site)
    (site / "gallery/part/first.py").write_text(SCRIPT)
    (site / "requirements.txt").touch()
    app = SphinxTestApp(
        "html",
        srcdir=site,
        confoverrides={
            "extensions": ["sphinx_gallery.gen_gallery"],
            "sphinx_gallery_conf.image_scrapers": ("matplotlib",),
            "sphinx_gallery_conf.binder": BINDER,
        },
    )
    app.build()
    app.cleanup()
    return app


@pytest.fixture
def page(app: SphinxTestApp) -> nodes.document:
    return app.env.get_doctree("pages/part/first")


def test_a_note_above_the_title_links_to_the_footer(page: nodes.document) -> None:
    (note,) = with_class(page, nodes.note, upstream.NOTE)

    assert isinstance(note.parent, addnodes.only)
    (link,) = note.findall(addnodes.pending_xref)
    assert link["reftarget"] == "sphx_glr_download_pages_part_first.py"


def test_the_footer_holds_a_box_for_each_download_and_badges(
    page: nodes.document,
) -> None:
    (footer,) = with_class(page, nodes.container, upstream.FOOTER)
    boxes = with_class(footer, nodes.container, upstream.BOX)

    assert isinstance(footer.parent, addnodes.only)
    assert [one["classes"][-1] for one in boxes] == [
        f"{upstream.BOX}-{kind}" for kind in ("jupyter", "python", "zip")
    ]
    assert all(
        len(list(one.findall(addnodes.download_reference))) == 1 for one in boxes
    )
    assert [one for one in footer.children if one not in boxes] == with_class(
        footer, nodes.container, "binder-badge"
    )


def test_outputs_and_figures_have_classes(page: nodes.document) -> None:
    (output,) = with_class(page, nodes.literal_block, upstream.OUTPUT)

    assert output.astext().strip() == "printed"
    figures = page.findall(lambda node: isinstance(node, imgsgnode))
    assert [figure["class"] for figure in figures] == [[upstream.FIGURE]]


def test_what_a_page_begins_with_has_a_class(page: nodes.document) -> None:
    (first,) = with_class(page, nodes.Element, upstream.EXAMPLE_TITLE)

    assert upstream.EXAMPLE_TITLE.startswith(upstream.PREFIX)
    assert first.parent is page


def test_a_comment_before_each_block_names_its_line(page: nodes.document) -> None:
    found = list(map(upstream.block_line, page.findall(nodes.comment)))

    code = [block.line for block in blocks(SCRIPT) if block.kind == "code"]
    assert code == [7, 15]
    assert [line for line in found if line] == [7, 14, 15]  # a text's is below "# %%"
    assert None in found


def test_labels_stand_before_the_first_text_and_the_footer(app: SphinxTestApp) -> None:
    rst = Path(app.srcdir, "pages/part/first.rst").read_text().split("\n")
    rows = {line: row for row, line in enumerate(rst, start=1)}

    labels = [line for line in rst if line.startswith(upstream.LABEL)]
    assert labels == [
        f"{upstream.LABEL}pages_part_first.py:",
        f"{upstream.FOOTER_LABEL}pages_part_first.py:",
    ]
    found = [Row(), *places(rst)]
    assert found[rows["Words."]] == Row(1, 5)
    assert found[rows["More words."]].first == 14
    assert found[len(rst)] == Row()


def test_the_running_time_lies_beside_the_page(app: SphinxTestApp) -> None:
    seconds = running_time(Path(app.srcdir, "pages/part/first.rst"))

    assert seconds is not None
    assert seconds > 0


def test_code_is_written_with_links_in_blocks_of_their_own(app: SphinxTestApp) -> None:
    known = {"py:function": {"matplotlib.pyplot.plot": ("", "", "https://x.org/", "")}}
    app.env.intersphinx_inventory = known

    written = app.env.get_and_resolve_doctree("pages/part/first", app.builder)

    blocks = list(upstream.linked_code(written))
    assert [block.astext().split("\n")[0] for block in blocks] == [
        "import matplotlib.pyplot as plt",
        "x = 1",
    ]
    links = [link for block in blocks for link in block.findall(nodes.reference)]
    assert [link.astext() for link in links] == ["plt.plot"]
    assert links[0].parent is blocks[0]
    assert links[0]["refuri"] == "https://x.org/"
