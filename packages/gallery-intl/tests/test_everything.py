"""One gallery with all features: what it becomes, and when it is written again."""

import difflib
import json
import os
import re
import shutil
import zipfile
from pathlib import Path

import expected
import pytest
from building import Copy, add_settings, copy_root, edit, plain, run

from gallery_intl.figures import svg
from gallery_intl.script.files import statement
from gallery_intl.script.source import same_program
from gallery_intl.writer.sphinx_gallery import visible

PART = "tutorials/part"
PAGES = ["text", "plain", "programs", "plot_rows"]
each_page = pytest.mark.parametrize("page", PAGES)
each_language = pytest.mark.parametrize("language", ["en", "ko"])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """The gallery in both languages, built without a warning; for looking only."""
    return expected.build(tmp_path_factory.mktemp("everything"))


@pytest.fixture
def own(built: Copy, tmp_path: Path) -> Copy:
    """A copy that was built at its own place, to be changed and built again."""
    copy = copy_root("everything", tmp_path)
    # figures are drawn already
    shutil.copytree(built.source / "tutorials", copy.source / "tutorials")
    copy.build("ko")
    return copy


def script(built: Copy, page: str) -> str:
    return (built.source / f"gallery/part/{page}.py").read_text("utf-8")


def cells(path: Path) -> list[dict[str, str]]:
    found = json.loads(path.read_text("utf-8"))["cells"]
    return [{"kind": x["cell_type"], "source": "".join(x["source"])} for x in found]


def edit_page(copy: Copy, page: str, old: str, new: str) -> None:
    """Edit the Korean catalog of a page."""
    edit(copy.source / f"locales/ko/LC_MESSAGES/{PART}/{page}.po", old, new)


def times(folder: Path, kind: str) -> dict[str, int]:
    """Return when the files of a folder were written."""
    paths = (x for x in folder.rglob(f"*{kind}") if x.is_file() and not x.is_symlink())
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in paths}


def test_everything_is_written_as_expected(built: Copy) -> None:
    """If the change is intended: python tests/expected.py"""
    actual = dict(expected.texts(built))
    folder = expected.EXPECTED
    paths = (path for path in folder.rglob("*") if path.is_file())
    known = {x.relative_to(folder).as_posix(): x.read_text("utf-8") for x in paths}

    differences = [
        line
        for name in sorted(known | actual)
        for line in difflib.unified_diff(
            known.get(name, "").splitlines(),
            actual.get(name, "").splitlines(),
            f"expected/{name}",
            name,
            n=1,
            lineterm="",
        )
    ]

    assert not differences, "\n".join(differences)


@each_page
def test_downloads_in_the_source_language_are_the_scripts(
    built: Copy, page: str
) -> None:
    lines = built.download("en", f"{page}.py").read_text("utf-8").split("\n")

    lines.remove(f"# A gallery: {PART}/{page} (English)")
    assert "\n".join(lines) == script(built, page)


@each_page
@each_language
def test_script_and_notebook_are_the_program_that_was_run(
    built: Copy, page: str, language: str
) -> None:
    download = built.download(language, f"{page}.py").read_text("utf-8")
    found = cells(built.download(language, f"{page}.ipynb"))
    code = [statement(x["source"]) for x in found if x["kind"] == "code"]

    source, own = script(built, page), '"""."""\n' + "\n\n".join(code)
    assert same_program(source, download, docstring=False) is None
    assert same_program(visible(source, {}), own, docstring=False) is None


@each_language
def test_the_archives_hold_what_the_links_lead_to(built: Copy, language: str) -> None:
    names = sorted(
        f"gallery/part/{x}{kind}" for x in PAGES for kind in (".ipynb", ".py")
    )

    with zipfile.ZipFile(built.download(language, "gallery.zip")) as archive:
        assert archive.namelist() == sorted(names)
        for name in names:
            file = built.download(language, Path(name).name)
            assert archive.read(name) == file.read_bytes()
    with zipfile.ZipFile(built.download(language, "text.zip")) as archive:
        assert archive.namelist() == ["text.ipynb", "text.py"]


def test_a_figure_has_its_size_follows_dark_mode_and_is_loaded_late(
    built: Copy,
) -> None:
    html = built.html("ko", f"{PART}/plot_rows")
    images = re.findall(r"<img[^>]*>", html)

    assert len(images) == 4
    assert [x for x in images if 'loading="lazy"' not in x] == images[:1]
    for image in images:
        assert "dark-light" in image
        known = dict(re.findall(r'(\w+)="([^"]*)"', image))
        path = built.source / "_build/html/ko" / PART / known["src"]
        width, height = svg.size(path.read_text("utf-8"))
        assert (int(known["width"]), int(known["height"])) == (width, height)


def test_figures_without_translation_are_those_that_were_drawn(built: Copy) -> None:
    for path in (built.source / PART / "images").glob("*.svg"):
        name = f"_build/html/en/_images/{path.name}"
        assert (built.source / name).read_bytes() == path.read_bytes()


def test_a_search_finds_the_reasons_of_a_diff_and_no_code(built: Copy) -> None:
    html = built.html("en", f"{PART}/programs")
    diff = html[html.index('class="diff-files') : html.index("The second program.")]

    shown = re.sub(r"<(pre|p) class=\"[^\"]*no-search.*?</\1>", "", diff, flags=re.S)

    assert "The starter gives each process its RANK." in plain(shown)
    assert "Average" not in plain(shown)


@pytest.mark.parametrize("builder", ["text", "latex"])
def test_other_builders_show_programs_and_changes_too(
    built: Copy, tmp_path: Path, builder: str
) -> None:
    source = built.written("en", "")

    result = run("sphinx", "-q", "-b", builder, "-E", source, tmp_path)

    assert result.stderr == ""
    if builder == "text":
        text = (tmp_path / PART / "programs.txt").read_text("utf-8")
        assert "   3.  model = Model()\n      +model = Average(model)\n" in text


def test_the_download_makes_the_page_again(built: Copy, tmp_path: Path) -> None:
    again = copy_root("everything", tmp_path)
    pages = "text", "plain", "programs"
    for page in pages:
        path = again.source / f"gallery/part/{page}.py"
        shutil.copy(built.download("ko", f"{page}.py"), path)

    again.build("en", options=("-D", "plot_gallery=0"))

    for page in pages:
        ours, other = (
            expected.article(x.html(language, f"{PART}/{page}")).replace("[en] ", "")
            for x, language in ((built, "ko"), (again, "en"))
        )
        lost = [x for x in ours.splitlines() if x not in other.splitlines()]
        assert [x for x in lost if not FRAME.search(x)] == []


FRAME = re.compile("내려받|번역되|Sphinx-Gallery|참고|(?:추가|삭제): |파일 전체")


def test_a_second_build_writes_nothing(own: Copy) -> None:
    before = times(own.source / "_build", "")

    own.build("ko")

    after = times(own.source / "_build", "")
    changed = {name for name in after if after[name] != before.get(name)}
    assert {x for x in changed if x.startswith("source/") and ".json" not in x} == set()
    assert {x for x in changed if x.endswith(".html")} <= ALWAYS


ALWAYS = {
    "html/ko/genindex.html",
    "html/ko/search.html",
}  # Sphinx writes them each time


def test_an_edited_comment_is_shown_and_writes_its_page_alone(own: Copy) -> None:
    source = own.source / "_build/source/ko"
    before, html = times(source, ""), times(own.source / "_build/html/ko", ".html")
    archive = own.download("ko", "gallery.zip").read_bytes()
    edit_page(own, "plain", "하나뿐인 블록.", "단 하나의 블록.")

    own.build("ko")

    assert "# 단 하나의 블록." in plain(own.html("ko", f"{PART}/plain"))
    assert "# 단 하나의 블록." in own.download("ko", "plain.py").read_text("utf-8")
    assert own.download("ko", "gallery.zip").read_bytes() != archive
    after = times(source, "")
    changed = {x for x in after if after[x] != before[x]}
    kinds = (".rst", ".py", ".ipynb", ".zip")
    own_files = {f"{PART}/plain{kind}" for kind in kinds}
    assert changed == {*own_files, ".written.json"}
    now = times(own.source / "_build/html/ko", ".html")
    assert now[f"{PART}/text.html"] == html[f"{PART}/text.html"]


def test_another_title_is_shown_wherever_the_page_is_named(own: Copy) -> None:
    edit_page(own, "plain", "다른 페이지", "딴 쪽")

    own.build("ko")

    notebook = own.download("ko", "text.ipynb").read_text("utf-8")
    assert "*딴 쪽*와" in notebook
    for page in ("index", f"{PART}/index", f"{PART}/text"):
        shown = expected.article(own.html("ko", page))
        assert "딴 쪽" in shown
        assert "다른 페이지" not in shown


def test_addresses_are_absolute_where_the_site_has_one(own: Copy) -> None:
    add_settings(own, 'html_baseurl = "https://example.org/"\n')

    own.build("ko")

    address = f"https://example.org/ko/{PART}"
    script = own.download("ko", "plain.py").read_text("utf-8")
    assert f"갤러리: {address}/plain.html (한국어)" in script
    notebook = own.download("ko", "text.ipynb").read_text("utf-8")
    assert f"[다른 페이지]({address}/plain.html)와" in notebook


def test_a_figure_of_another_scraper_is_shown_as_without_us(own: Copy) -> None:
    """It gets its words, but no dark mode and no size, for which it is not made."""
    figure = own.source / PART / "images/sphx_glr_plot_rows_001.svg"
    text = figure.read_text("utf-8")
    figure.write_text(text.replace(svg.MODE, "@media print"), "utf-8")

    own.build("ko")

    page = own.written("ko", f"{PART}/plot_rows.rst").read_text("utf-8")
    first = page[page.index("image-sg::") : page.index("A figure without a name.")]
    assert "sphx_glr_plot_rows_001.svg" in first
    assert "dark-light" not in first
    html = own.source / "_build/html/ko/_images" / figure.name
    assert "첫째" in html.read_text("utf-8")


def test_figures_drawn_again_are_the_same_bytes_and_replace_pictures(own: Copy) -> None:
    images = own.source / PART / "images"
    figure = images / "sphx_glr_plot_rows_001.svg"
    before = figure.read_bytes()
    (own.source / PART / "plot_rows.py.md5").unlink()
    picture = images / "thumb/sphx_glr_plot_rows_thumb.png"
    picture.write_bytes(b"of an earlier run")
    os.utime(figure, (0, 0))

    own.build("ko")

    assert figure.stat().st_mtime > 0
    assert figure.read_bytes() == before
    assert b"DejaVu" not in before
    assert not picture.exists()
    assert "sphx_glr_plot_rows_thumb.svg" in own.html("ko", f"{PART}/index")
