"""Pages may include files and write HTML; translations may not, guarded or not."""

from __future__ import annotations

import os
from pathlib import Path

import polib
import commands
import pytest

CONF = """
import gallery_intl.page.safety
language = "ko"
locale_dirs = ["locales"]
suppress_warnings = ["docutils"]


def setup(app):
    safety = gallery_intl.page.safety
    app.add_transform(safety.Forbid)
    app.add_transform(safety.Allow)
    app.connect("config-inited", safety.compile_catalogs)
"""
PAGE = """\
A page
======

One paragraph.

.. raw:: html

   <i>the page's own</i>

.. include:: own.txt
"""
HEADER = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A site without pages, and a folder for its catalogs."""
    (tmp_path / "conf.py").write_text(CONF)
    (tmp_path / "locales" / "ko" / "LC_MESSAGES").mkdir(parents=True)
    return tmp_path


def write_page(source: Path, name: str, translation: str) -> Path:
    """Write a page and its catalog; give the catalog."""
    (source / f"{name}.rst").write_text(f":orphan:\n\n{PAGE}")
    (source / "own.txt").write_text("included by the page")
    catalog = source / "locales" / "ko" / "LC_MESSAGES" / f"{name}.po"
    entry = f'msgid "One paragraph."\nmsgstr "{translation}"\n'
    catalog.write_text(HEADER + entry, encoding="utf-8")
    return catalog


def build(source: Path) -> None:
    commands.run("sphinx", "-q", source, source / "out").check_returncode()


@pytest.mark.parametrize(
    "text",
    [
        ".. include:: secret.txt",
        ".. role:: x(raw)\\n   :format: html\\n\\n:x:`<b>secret</b>`",
        "x :x:`<b>secret</b>`\\n\\n.. role:: x(raw)\\n   :format: html",
    ],
)
def test_a_translation_includes_no_file_and_no_html_but_a_page_may(
    source: Path, text: str
) -> None:
    (source / "secret.txt").write_text("a <b>secret</b>")
    for name in ("index", "later"):
        write_page(source, name, text)

    build(source)

    for name in ("index", "later"):  # the second is parsed after a translation
        page = (source / "out" / f"{name}.html").read_text(encoding="utf-8")
        assert "<i>the page's own</i>" in page
        assert "included by the page" in page
        assert "a &lt;b&gt;" not in page
        assert "<b>secret</b>" not in page


def test_what_was_compiled_from_another_catalog_is_not_shown(source: Path) -> None:
    po = write_page(source, "index", "문단 하나.")
    planted = polib.pofile(str(po))
    planted[0].msgstr = "`다른 곳 <https://example.org>`_"
    planted.save_as_mofile(str(po.with_suffix(".mo")))
    later = po.stat().st_mtime + 60
    os.utime(po.with_suffix(".mo"), (later, later))

    build(source)

    page = (source / "out" / "index.html").read_text(encoding="utf-8")
    assert "문단 하나." in page
    assert "example.org" not in page
