"""The catalogs of a gallery with Sphinx-Gallery's default settings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polib
import pytest

CONF = """\
extensions = ["gallery_intl"]
gallery_intl_languages = {"en": "English", "ko": "한국어"}
exclude_patterns = ["_build", "examples"]
sphinx_gallery_conf = {"examples_dirs": "examples", "gallery_dirs": "made"}
"""
SCRIPT = '''"""
One page
========

Its first paragraph.
"""

print(1)
'''


@pytest.fixture(scope="module")
def locales(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = tmp_path_factory.mktemp("project")
    examples = project / "examples"
    examples.mkdir()
    files = {
        project / "conf.py": CONF,
        project / "index.rst": "Title\n=====\n\n.. toctree::\n\n   made/index\n",
        examples / "GALLERY_HEADER.rst": "Examples\n========\n",
        examples / "plot_one.py": SCRIPT,
    }
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "gallery_intl", "catalogs", "--", "-W"]
    subprocess.run(command, cwd=project, check=True)
    return project / "locales"


def test_times_of_the_last_run_are_in_no_catalog(locales: Path) -> None:
    assert (locales / "ko/LC_MESSAGES/made/plot_one.po").is_file()
    assert [*locales.rglob("sg_execution_times.po")] == []


def test_the_link_of_a_card_is_no_message(locales: Path) -> None:
    catalog = polib.pofile(str(locales / "ko/LC_MESSAGES/made/index.po"))

    assert [entry.msgid for entry in catalog] == ["Examples"]
