"""Pages may include files and write HTML; translations may not, guards or none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent
CONF = """
import gallery_intl.safety
gallery_intl.safety.guard_catalogs = lambda paths: []  # a guard that misses all
extensions = ["gallery_intl.safety"]
language = "ko"
locale_dirs = ["locales"]
suppress_warnings = ["docutils"]
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


@pytest.mark.parametrize(
    "text",
    [
        ".. include:: secret.txt",
        ".. role:: x(raw)\\n   :format: html\\n\\n:x:`<b>secret</b>`",
        "x :x:`<b>secret</b>`\\n\\n.. role:: x(raw)\\n   :format: html",
    ],
)
def test_a_translation_includes_no_file_and_no_html_but_a_page_may(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "conf.py").write_text(CONF)
    (tmp_path / "own.txt").write_text("included by the page")
    (tmp_path / "secret.txt").write_text("a <b>secret</b>")
    folder = tmp_path / "locales" / "ko" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    for name in ("index", "later"):
        (tmp_path / f"{name}.rst").write_text(f":orphan:\n\n{PAGE}")
        entry = f'msgid "One paragraph."\nmsgstr "{text}"\n'
        (folder / f"{name}.po").write_text(HEADER + entry)

    subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", tmp_path, tmp_path / "out"],
        env=os.environ | {"PYTHONPATH": str(PROJECT)},
        check=True,
        capture_output=True,
    )

    for name in ("index", "later"):  # the second is parsed after a translation
        page = (tmp_path / "out" / f"{name}.html").read_text(encoding="utf-8")
        assert "<i>the page's own</i>" in page
        assert "included by the page" in page
        assert "a &lt;b&gt;" not in page
        assert "<b>secret</b>" not in page
