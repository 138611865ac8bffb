"""Markup that other galleries have: in page, script and notebook."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import nbformat
import polib
import pytest
from building import ROOTS, Copy

from gallery_intl.script.source import same_program

PAGES = ("plot_segments", "plot_raw", "plot_notes")
MARK = "번역"  # before each message that is translated


class Built(NamedTuple):
    """The gallery in one language."""

    copy: Copy
    language: str

    def page(self, name: str) -> str:
        return self.copy.html(self.language, f"auto_examples/{name}")

    def script(self, name: str) -> str:
        """Return the script without the line about its origin."""
        text = self.copy.download(self.language, f"{name}.py").read_text("utf-8")
        return re.sub(r"^# Somebody's science: .*\n", "", text, flags=re.M)

    def cells(self, name: str, kind: str) -> list[str]:
        path = self.copy.download(self.language, f"{name}.ipynb")
        found = nbformat.read(path, as_version=4)
        nbformat.validate(found)
        return [cell.source for cell in found.cells if cell.cell_type == kind]

    def text(self, name: str) -> str:
        return "\n\n".join(self.cells(name, "markdown"))


def translate(locales: Path) -> dict[str, str]:
    """Mark each message; return those of all pages with their translations."""
    known = {}
    for path in locales.rglob("*.po"):
        catalog = polib.pofile(str(path))
        for entry in catalog:
            is_code = entry.msgid.startswith("%%") or entry.comment == "formula"
            entry.msgstr = entry.msgid if is_code else f"{MARK} {entry.msgid}"
            known[entry.msgid] = entry.msgstr
        catalog.save()
    return known


class Gallery(NamedTuple):
    """The gallery in both languages."""

    messages: dict[str, str]
    en: Built
    ko: Built


@pytest.fixture(scope="module")
def gallery(copy: Callable[[str], Copy]) -> Gallery:
    found = copy("markup")
    found.catalogs()
    messages = translate(found.source / "locales/ko")
    assert found.build() == ""
    return Gallery(messages, Built(found, "en"), Built(found, "ko"))


def source_of(name: str) -> str:
    return (ROOTS / f"markup/examples/{name}.py").read_text("utf-8")


def test_a_script_that_is_expected_to_be_no_python_has_a_page(gallery: Gallery) -> None:
    assert "SyntaxError" in gallery.ko.page("plot_syntax_error")


@pytest.mark.parametrize("name", PAGES)
def test_english_scripts_are_the_sources_to_the_letter(
    gallery: Gallery, name: str
) -> None:
    assert gallery.en.script(name) == source_of(name)


@pytest.mark.parametrize("name", PAGES)
def test_scripts_are_the_same_programs(gallery: Gallery, name: str) -> None:
    script = gallery.ko.script(name)

    assert same_program(source_of(name), script, docstring=False) is None


def test_tables_in_notebooks_have_as_many_cells_in_each_row(gallery: Gallery) -> None:
    text = gallery.ko.text("plot_segments")

    assert "| 번역 Method | 번역 Errors |  |\n| --- | --- | --- |\n" in text
    assert "|  | 번역 Area | 번역 Border |\n" in text
    assert "| 번역 Both of them |  | 번역 many |\n" in text
    assert "|  | 번역 No name | 번역 `0` |\n" in text


def test_lines_of_authors_and_licences_stand_as_they_were(gallery: Gallery) -> None:
    start = source_of("plot_segments").index("# Authors")
    lines = source_of("plot_segments")[start:].partition("import math")[0]

    assert lines in gallery.ko.script("plot_segments")
    assert not [x for x in gallery.messages if re.search("Authors|SPDX|Jane|BSD", x)]


def test_notebooks_have_what_sphinx_gallery_is_told(gallery: Gallery) -> None:
    """`first_notebook_cell`, `promote_jupyter_magic`, `notebook_images`, ..."""
    first, *rest = gallery.ko.cells("plot_segments", "code")

    assert first == "%matplotlib inline"
    assert rest[-1] == "# The end."
    assert "%%bash\nls" in rest
    text = gallery.ko.text("plot_segments")
    assert "](https://example.org/pictures/picture.svg)" in text
    assert "%%bash" not in text


def test_code_is_never_a_message(gallery: Gallery) -> None:
    """Even where `gettext_additional_targets` asks for literal blocks."""
    assert "A picture in words" in gallery.messages
    assert not [text for text in gallery.messages if "import math" in text]
    script = gallery.ko.script("plot_segments")
    assert "#    번역 A picture in words\n" in script


def test_footnotes_and_citations_are_everywhere(gallery: Gallery) -> None:
    script, text = (
        get("plot_segments") for get in (gallery.ko.script, gallery.ko.text)
    )
    page = gallery.ko.page("plot_segments")

    assert ".. [Otsu1979] 번역 Otsu, " in script
    assert ".. [#later] 번역 Another note.\n" in script
    assert r"It follows \[1\] and \[Otsu1979\], and \[2\] says more." in text
    link = "[doi:10.1023/B:VISI](https://example.org/10.1023/B:VISI)"
    assert text.count(r"\[1\] 번역 Felzenszwalb and Huttenlocher") == 1
    assert link in text
    assert "\n\n\\[2\\] 번역 Another note.\n\n\\[3\\] 번역 A note without" in text
    for note in ("Felzenszwalb", "Otsu, ", "Another note", "A note without a name"):
        assert f"번역 {note}" in page


def test_a_comment_with_a_long_address_is_translated(gallery: Gallery) -> None:
    script = gallery.ko.script("plot_segments")

    assert (
        "# 번역 This shows the threshold. See the long explanation at\n# http" in script
    )
    assert "print(threshold)  # 번역 the number. Two spaces here, too.\n" in script
    assert "번역 This shows the threshold." in gallery.ko.page("plot_segments")


def test_notes_of_sphinx_and_of_its_extensions_are_everywhere(gallery: Gallery) -> None:
    texts = ("The way over bytes.", "Use another way, or one of these.")
    texts += ("It is fast now.", "Compare the ways.", "one way")
    script, text, page = (
        get("plot_notes")
        for get in (gallery.ko.script, gallery.ko.text, gallery.ko.page)
    )

    for said in texts:
        assert f"번역 {said}" in script
        assert f"번역 {said}" in text
        assert f"번역 {said}" in page


def test_a_picture_leads_where_it_does_on_the_page(gallery: Gallery) -> None:
    picture = "![번역 A way out](https://example.org/pictures/picture.svg)"

    assert f"[{picture}](https://example.org/way/)" in gallery.ko.text("plot_notes")


def test_line_numbers_leave_translated_comments(gallery: Gallery) -> None:
    for built, comment in ((gallery.en, "one result"), (gallery.ko, "번역 one result")):
        page = built.page("plot_notes")
        assert re.search(rf'linenos">\s*\d+</span>.*# {comment}', page)
        assert "lineno-start" not in page


def test_notebooks_have_no_code_that_authors_hide(gallery: Gallery) -> None:
    code = "\n".join(gallery.ko.cells("plot_notes", "code"))

    assert "# 번역 one result\nprint(1)" in code
    assert not re.search("hidden|sphinx_gallery", code)
