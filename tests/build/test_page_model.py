"""The page model: one script, translated once, whatever markup others write."""

import shutil
from pathlib import Path

import nbformat
import polib
import commands
import pytest
from paths import ROOTS

ROOT = ROOTS / "test-downloads"
PAGE = "tutorials/part/page"
ADDRESS = "https://example.org/a/very/long/address/that/takes/nearly/a/line/of/its/own"
SCRIPT = f'''\
"""
=============
 The title
=============

.. meta::
   :description: What it is about

First sentence.  Two spaces before this one, as some people write, on
two lines.  And [#]_ a note; a source [Who2020]_.

.. [#] The note.

.. [Who2020] Who wrote it.
"""

# %%
# Text.

# See `the paper
# <{ADDRESS}>`__
# for more, or ask.
x = 1

# The number of the rows that are in the table that is shown above here is
# 12.
y = 2
'''
CONF = """
extensions = ["gallery_intl"]
project = "A site"
html_theme = "pydata_sphinx_theme"
gallery_intl_languages = {"en": "English", "ja": "日本語"}
locale_dirs = ["locales"]
gettext_compact = False
gallery_intl_source_downloads = True
exclude_patterns = ["gallery", "again"]
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "tutorials",
    "plot_gallery": False,
    "write_computation_times": False,
    "show_signature": False,
    "download_all_examples": False,
}
"""


@pytest.fixture
def srcdir(tmp_path: Path) -> Path:
    """Copy the root with a page of others' markup."""
    srcdir = Path(shutil.copytree(ROOT, tmp_path / "project"))
    (srcdir / "gallery/part/page.py").write_text(SCRIPT, "utf-8")
    (srcdir / "conf.py").write_text(CONF, "utf-8")
    shutil.rmtree(srcdir / "locales")
    return srcdir


def build(srcdir: Path, language: str, builder: str = "html", *options: str) -> str:
    """Build as anybody would; return what Sphinx says of it."""
    run = commands.run(
        *("sphinx", "-q", "-E", "-b", builder),
        *("-d", srcdir / "doctrees", "-D", f"language={language}", *options),
        *(srcdir, srcdir / "out" / builder),
        env={"NO_COLOR": "1"},
    )
    run.check_returncode()
    return run.stderr


def translate(srcdir: Path, language: str, words: str) -> None:
    """Make catalogs in which each text has some words before it."""
    assert "parallel" not in build(srcdir, "en", "gettext", "-j", "2")
    templates = srcdir / "out" / "gettext"
    folder = srcdir / "locales" / language / "LC_MESSAGES"
    for pot in templates.rglob("*.pot"):
        catalog = polib.pofile(str(pot))
        for entry in catalog:
            entry.msgstr = f"{words}{entry.msgid}"
        if pot.stem == "sphinx":  # the interface's: placeholders have to stay
            catalog = polib.POFile()
            catalog.metadata = {"Content-Type": "text/plain; charset=UTF-8"}
        po = folder / pot.relative_to(templates).with_suffix(".po")
        po.parent.mkdir(parents=True, exist_ok=True)
        catalog.save(str(po))


def download(srcdir: Path, suffix: str) -> str:
    return (srcdir / f"doctrees/downloads/{PAGE}{suffix}").read_text("utf-8")


def test_an_unchanged_english_catalog_changes_nothing(srcdir: Path) -> None:
    """Two spaces, long addresses and numbers at the ends of comments stay."""
    translate(srcdir, "en", "")

    assert build(srcdir, "en") == ""

    origin, _line, script = download(srcdir, ".py").partition("\n")
    assert origin == f"# A site: {PAGE} (English)"
    assert script == SCRIPT


def test_others_markup_is_translated_in_script_and_notebook(srcdir: Path) -> None:
    translate(srcdir, "ja", "疑似 ")

    assert build(srcdir, "ja") == ""

    script = download(srcdir, ".py")
    # as long as the title with its indent, so that docutils reads it
    assert "\n================\n 疑似 The title\n================\n" in script
    assert "   :description: 疑似 What it is about\n" in script
    assert f"<{ADDRESS}>" in script
    assert "# 疑似 See `the paper" in script
    assert "# 疑似 The number of the rows" in script
    notebook = nbformat.reads(download(srcdir, ".ipynb"), as_version=4)
    text = "\n".join(cell.source for cell in notebook.cells)
    assert r"And \[1\] a note" in text
    assert r"\[1\] 疑似 The note." in text
    assert r"\[Who2020\] 疑似 Who wrote it." in text


def test_a_message_names_its_line_in_others_markup(srcdir: Path) -> None:
    build(srcdir, "en", "gettext")

    catalog = polib.pofile(str(srcdir / f"out/gettext/{PAGE}.pot"))
    lines = {
        entry.msgid: SCRIPT.split("\n")[int(line) - 1]
        for entry in catalog
        for _path, line in entry.occurrences
    }
    assert lines["What it is about"] == "   :description: What it is about"
    assert any(message.startswith("See `the paper <https") for message in lines)
    assert all(message.split()[0] in line for message, line in lines.items())


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_warning_names_the_catalogs_line(srcdir: Path, processes: str) -> None:
    """Also if the page is read in another process, as ``-j`` does."""
    for number in range(8):  # fewer pages are read in one process
        (srcdir / f"more{number}.rst").write_text(":orphan:\n\nMore\n====\n", "utf-8")
    page = srcdir / "gallery/part/page.py"
    page.write_text(SCRIPT.replace("# Text.", "# Text of :ref:`nothing`."), "utf-8")
    translate(srcdir, "ja", "疑似 ")

    said = build(srcdir, "ja", "html", "-j", processes)

    path = srcdir / f"locales/ja/LC_MESSAGES/{PAGE}.po"
    text = path.read_text("utf-8")
    line = text[: text.index("疑似 Text of")].count("\n")  # its msgid stands above
    assert "parallel" not in said
    assert f"{path}:{line}: WARNING: undefined label" in said
