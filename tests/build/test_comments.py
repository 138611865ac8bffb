"""Comments: translated on the page, and never more than comments."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import polib
import pytest
from paths import ROOTS
from sphinx.testing.util import SphinxTestApp

from gallery_intl.page.page import ProgramChanged
from gallery_intl.script import translate

ROOT = ROOTS / "test-comments"
PAGE = "tutorials/part/page"
Build = Callable[..., SphinxTestApp]


@pytest.fixture
def srcdir(tmp_path: Path) -> Path:
    """Copy the root, with a Korean catalog."""
    return Path(shutil.copytree(ROOT, tmp_path / "site"))


@pytest.fixture
def build(make_app: Build, srcdir: Path) -> Build:
    """Build the site with one builder in one language."""

    def build(builder: str, language: str = "en") -> SphinxTestApp:
        app = make_app(builder, srcdir=srcdir, confoverrides={"language": language})
        app.build()
        return app

    return build


def replace(srcdir: Path, old: str, new: str) -> None:
    """Edit the Korean catalog."""
    path = srcdir / f"locales/ko/LC_MESSAGES/{PAGE}.po"
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")


def code(app: SphinxTestApp) -> str:
    html = (app.outdir / f"{PAGE}.html").read_text("utf-8")
    found = re.findall(r'<div class="highlight-[Pp]ython.*?</pre>', html, re.DOTALL)
    return re.sub(r"<[^>]+>", "", "\n".join(found)).replace("&quot;", '"')


def test_each_message_names_its_line_in_the_script(build: Build) -> None:
    app = build("gettext")

    catalog = polib.pofile(str(app.outdir / f"{PAGE}.pot"))
    script = (app.srcdir / "gallery/part/page.py").read_text("utf-8").split("\n")
    found = {
        entry.msgid: [int(line) for path, line in entry.occurrences]
        for entry in catalog
        if all(path.endswith("gallery/part/page.py") for path, _ in entry.occurrences)
    }
    assert found == {
        "The title": [3],
        "The overview.": [6],
        "A step": [11],
        "Text before the code, which says ``x`` on two lines.": [14],
        "an item": [17],
        "an item that goes on": [18],
        "A comment that is two lines long.": [22],
        "beside the code": [25, 32],
        "An item that is a paragraph.": [36],
        "in the text": [41],
        "A note.": [45],
    }
    for message, lines in found.items():
        assert all(message.split()[0] in script[line - 1] for line in lines)


def test_an_index_page_names_the_file_that_a_person_wrote(build: Build) -> None:
    app = build("gettext")

    catalog = polib.pofile(str(app.outdir / "tutorials/part/index.pot"))
    entry = catalog.find("What the part is about.")
    assert [line for _, line in entry.occurrences] == ["4"]
    assert entry.occurrences[0][0].endswith("gallery/part/GALLERY_HEADER.rst")


def test_the_page_shows_translated_comments(build: Build) -> None:
    app = build("html", "ko")

    shown = code(app)
    assert "# 두 줄짜리 주석입니다.\nx = [1, 2]  # (batch, features)" in shown
    assert 'y = "# no comment"  # 코드 옆의 *args 주석  # noqa: E501' in shown
    assert "    # 코드 옆의 *args 주석\n" in shown
    assert "z = 1  # 본문 안의 주석" in shown
    assert not app.warning.getvalue()


def test_a_comment_without_translation_stays(build: Build) -> None:
    shown = code(build("html", "ja"))

    assert "# A comment that is\n# two lines long.\nx = [1, 2]" in shown


def test_an_edited_catalog_refreshes_the_page(build: Build, srcdir: Path) -> None:
    build("html", "ko")
    replace(srcdir, "두 줄짜리", "긴")

    app = build("html", "ko")

    assert "# 긴 주석입니다." in code(app)


def test_a_translation_that_speaks_to_tools_is_not_used(
    build: Build, srcdir: Path
) -> None:
    replace(srcdir, "두 줄짜리 주석입니다.", "주석 # noqa")

    app = build("html", "ko")

    assert "# A comment that is\n# two lines long." in code(app)
    assert re.search(r"page\.py:22: WARNING: .*'noqa'", app.warning.getvalue())


def test_a_changed_program_fails_the_build(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(code: str, lookup: Callable[[str], str | None], *_: object) -> str:
        return code.replace('"."', '"!"') if lookup("beside the code") else code

    monkeypatch.setattr(translate, "replace_comments", broken)

    with pytest.raises(ProgramChanged) as error:
        build("html", "ko")

    assert re.search(r"page\.py:33: another program in 'ko'", str(error.value))
    assert "'\".\"' became '\"!\"'" in str(error.value)
    assert "the translation of 'beside the code'" in str(error.value)
