"""A program that a script writes to a file is shown, downloaded and written as one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from sphinx.testing.util import SphinxTestApp

from gallery_intl.script.files import file_of
from gallery_intl.script.source import blocks

FILE = """\
# Say it.
print("hi")  # now


print("<b>")
"""
STATEMENT = f'''\
# language=Python
(folder / "hi.py").write_text("""\\
{FILE}""", encoding="utf-8")
'''
SCRIPT = f'''"""
Title
=====

Words.
"""
from pathlib import Path
folder = Path()

# %%
# A program.

{STATEMENT}
# %%
# More words.
x = 1  # outside
'''
PROJECT = """
extensions = ["gallery_intl"]
exclude_patterns = ["gallery"]
html_theme = "basic"
locale_dirs = ["locales"]
gettext_compact = False
gallery_intl_source_downloads = True
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "pages",
    "plot_gallery": False,
    "write_computation_times": False,
    "download_all_examples": False,
    "show_signature": False,
}
"""
CATALOG = """
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "Say it."
msgstr "말하기."

msgid "now"
msgstr "지금"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "gallery").mkdir()
    header = "Gallery\n=======\n"
    (tmp_path / "gallery/GALLERY_HEADER.rst").write_text(header)
    (tmp_path / "gallery/page.py").write_text(SCRIPT)
    (tmp_path / "index.rst").write_text(f"{header}\n.. toctree::\n\n   pages/index\n")
    (tmp_path / "conf.py").write_text(PROJECT)
    catalog = tmp_path / "locales/ko/LC_MESSAGES/pages/page.po"
    catalog.parent.mkdir(parents=True)
    catalog.write_text(CATALOG, "utf-8")
    return tmp_path


@pytest.mark.parametrize("language", ["en", "ko"])
def test_page_script_notebook_and_download_hold_the_same_text(
    project: Path, make_app: type[SphinxTestApp], language: str
) -> None:
    app = make_app("html", srcdir=project, confoverrides={"language": language})
    app.build()

    assert app.warning.getvalue() == ""
    path = app.outdir / "pages/page.html"
    page = BeautifulSoup(path.read_bytes(), "html.parser")
    program = page.select_one(".intl-program")
    assert program is not None
    code, link = program.select_one("pre"), program.select_one("a[download]")
    assert code is not None
    assert link is not None
    text = code.get_text()
    expected = FILE if language == "en" else FILE.replace("Say it.", "말하기.")
    assert text == (expected if language == "en" else expected.replace("now", "지금"))
    assert code.select(".nb"), "it is highlighted"
    assert code.find_parent(class_="highlight-Python")
    assert "write_text" not in page.get_text()
    assert link.get_text().startswith("hi.py")
    assert path.parent.joinpath(str(link["href"])).read_text("utf-8") == text
    folder = app.doctreedir / "downloads/pages"
    script = (folder / "page.py").read_text("utf-8")
    (file,) = filter(None, (file_of(block.source) for block in blocks(script)))
    assert file.text == text
    cells = json.loads((folder / "page.ipynb").read_bytes())["cells"]
    sources = ["".join(cell["source"]) for cell in cells]
    assert f"%%writefile {{folder}}/hi.py\n{text}".strip() in sources


def test_its_comments_are_messages_and_its_frame_is_none(
    project: Path, make_app: type[SphinxTestApp]
) -> None:
    app = make_app("gettext", srcdir=project)
    app.build()

    assert app.warning.getvalue() == ""
    template = (app.outdir / "pages/page.pot").read_text("utf-8")
    for line, message in (15, "Say it."), (16, "now"), (24, "outside"):
        assert f'gallery/page.py:{line}\nmsgid "{message}"' in template
    assert "hi.py" not in template
    assert "language=" not in template


def test_what_cannot_be_shown_as_a_file_is_named(
    project: Path, make_app: type[SphinxTestApp]
) -> None:
    script = SCRIPT.replace('"<b>"', r'"\\n"')
    (project / "gallery/page.py").write_text(script)

    app = make_app("html", srcdir=project)
    app.build()

    (said,) = app.warning.getvalue().splitlines()
    assert "page.py:12: WARNING: this block cannot be shown as a file" in said
