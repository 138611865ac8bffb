"""Downloads: in the reader's language, and proven to be the same program."""

import json
import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import nbformat
import polib
import pytest
import sphinx_gallery
from docutils import nodes
from docutils.core import publish_doctree
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import ROOTS
from sphinx.testing.util import SphinxTestApp
from sphinx.util.nodes import extract_messages

from gallery_intl.downloads.notebook import Cell, notebook, program
from gallery_intl.page.code import texts_of_script
from gallery_intl.page.page import Page, ProgramChanged, Row, Script, places
from gallery_intl.script import translate as translated_script
from gallery_intl.script.placing import Edit, place
from gallery_intl.script.source import blocks, same_program
from gallery_intl.script.translate import AnotherProgram, translate, written
from gallery_intl.text.wrapping import LINE_LENGTH, display_width

ROOT = ROOTS / "test-downloads"
PAGE = "tutorials/part/page"
OTHER = "tutorials/part/other"
Build = Callable[..., SphinxTestApp]

same_every_time = settings(derandomize=True, deadline=None, max_examples=200)

SCRIPT = '''\
"""Title
=====

Words in
two lines.
"""
# %%
# =====
# A step
# =====
#
# - item
# .. note:: short
#
# one, two
x = 1
'''


FOREIGN = [
    path
    for path in Path(sphinx_gallery.__file__).parent.glob(
        "tests/tinybuild/examples/*.py"
    )
    if path.name not in ("__init__.py", "plot_animation.py")  # no docstring; bad links
]
assert FOREIGN, "this Sphinx-Gallery comes without examples"


def pseudo_translate(pot: Path, locale: Path, folder: Path) -> None:
    """Put a word before each message of a template, and keep its markup."""
    catalog = polib.pofile(str(pot))
    for entry in catalog:
        entry.msgstr = f"疑似翻訳 {entry.msgid}"
    po = (locale / pot.relative_to(folder)).with_suffix(".po")
    po.parent.mkdir(parents=True, exist_ok=True)
    catalog.save(str(po))


def edited(raw: str, text: str, kind: str = "paragraph") -> str:
    source, lost = place(SCRIPT, [Edit(1, raw, text, kind)])  # type: ignore[arg-type]
    assert not lost
    return source


# placing ------------------------------------------------------------------------


def test_a_paragraph_is_wrapped_where_it_stood() -> None:
    source = edited("Words in\ntwo lines.", "긴 문장입니다. " * 12)

    lines = source.split("\n")[3:-11]
    assert all(display_width(line) <= LINE_LENGTH for line in lines)
    assert len(lines) == 4
    assert source.split("\n")[-11:] == SCRIPT.split("\n")[-11:]


def test_a_title_gets_lines_of_its_own_width() -> None:
    assert edited("Title", "제목", "title").startswith('"""제목\n====\n')
    assert "# ======\n# 첫 단계\n" not in edited("A step", "첫 단계", "title")
    assert "# =======\n# 첫 단계\n# =======\n" in edited("A step", "첫 단계", "title")


def test_a_long_item_hangs_below_its_first_word() -> None:
    source = edited("item", "긴 항목입니다. " * 12)

    lines = [line for line in source.split("\n") if "항목입니다" in line]
    assert lines[0].startswith("# - 긴")
    assert all(line.startswith("#   ") for line in lines[1:])
    assert len(lines) > 1


def test_the_text_of_a_directive_hangs_three_columns_in() -> None:
    source = edited("short", "짧지 않은 설명입니다. " * 8)

    lines = [line for line in source.split("\n") if "설명입니다" in line]
    assert lines[0].startswith("# .. note:: 짧지")
    assert all(re.match(r"#    \S", line) for line in lines[1:])
    assert len(lines) > 1


def test_a_text_with_something_behind_it_is_not_placed() -> None:
    edit = Edit(15, "one", "하나", "paragraph")

    assert place(SCRIPT, [edit]) == (SCRIPT, [edit])


@pytest.mark.parametrize("start", ['"""', 'r"""', "'''", 'u"""'])
@pytest.mark.parametrize(
    "text", ['ends in "', "ends in '", "a\\b", "\\", 'x """ y', "'''", "\\N{x}", "é"]
)
def test_nothing_ends_the_docstring_early(start: str, text: str) -> None:
    end = start[-3:]
    script = f"{start}Title{end}\nx = 1\n"
    if "r" in start and (end in text or text[-1:] in ("\\", end[0])):
        pytest.skip("cannot stand in a raw string: the proof stops such a build")

    source, lost = place(script, [Edit(1, "Title", text, "title")])

    assert not lost
    assert same_program(script, source, docstring=False) is None
    assert blocks(source)[0].kind == "docstring"
    assert eval(source.split("\nx = 1")[0]) == text


@pytest.mark.parametrize(
    ("msgstr", "expected"),
    [
        ("``X``\\ 로", "``X``로"),
        ("使用\\ ``X``\\ 包装", "使用``X``包装"),
        ("**a**\\ b", "**a**\\ b"),
        ("``X``\\ s", "``X``\\ s"),
        ("a \\* b", "a \\* b"),
        ("한\n줄", "한 줄"),
        ("말 # noqa", "말"),
    ],
)
def test_a_translation_is_written_as_a_person_would(msgstr: str, expected: str) -> None:
    assert written(msgstr) == expected


# proof --------------------------------------------------------------------------

TEXTS = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60),
    st.sampled_from(
        ['"""', "\\", "%%", "# %%", "#" * 30, "import os", "==", "a\nb", "\f"]
    ),
)


@same_every_time
@given(TEXTS, TEXTS, TEXTS)
def test_no_translation_of_the_text_changes_the_program(
    title: str, words: str, item: str
) -> None:
    edits = [
        Edit(1, "Title", written(title) or "x", "title"),
        Edit(4, "Words in\ntwo lines.", written(words) or "x", "paragraph"),
        Edit(12, "item", written(item) or "x", "paragraph"),
    ]

    made = translate(SCRIPT, edits, {}.get)

    assert same_program(SCRIPT, made.source, docstring=False) is None
    assert [block.kind for block in blocks(made.source)] == [
        block.kind for block in blocks(SCRIPT)
    ]


def test_a_broken_translation_is_named() -> None:
    edits = [
        Edit(1, "Title", "fine", "title"),
        Edit(4, "Words in\ntwo lines.", 'three """ quotes', "paragraph"),
    ]

    with pytest.raises(AnotherProgram) as error:
        translate(f"r{SCRIPT}", edits, {}.get)

    assert error.value.line
    assert "the translation of 'Words in" in str(error.value)


def test_the_words_of_a_figure_are_no_text_of_the_script() -> None:
    rst = ".. _sphx_glr_page.py:\n\nTitle\n=====\n\nWords.\n"
    document = publish_doctree(
        rst, "page.rst", settings_overrides={"doctitle_xform": False}
    )
    figure = nodes.paragraph("Words.", "Words.")
    figure.source, figure.line = "page.py", 6
    document += figure

    page = Page.__new__(Page)
    page.messages = list(extract_messages(document))
    page.rows = [Row(), *places(rst.split("\n"))]

    found = texts_of_script(document, page, Script(Path("page.py"), SCRIPT))

    assert [text.message for text in found] == ["Title", "Words."]


# pages --------------------------------------------------------------------------


@pytest.fixture
def srcdir(tmp_path: Path) -> Path:
    """Copy the root, with Korean catalogs."""
    return Path(shutil.copytree(ROOT, tmp_path / "project"))


@pytest.fixture
def build(make_app: Build, srcdir: Path) -> Build:
    """Build the project in one language."""

    def build(
        language: str = "ko", builder: str = "html", **conf: str
    ) -> SphinxTestApp:
        conf["language"] = language
        app = make_app(builder, srcdir=srcdir, confoverrides=conf)
        app.build()
        return app

    return build


def downloads(app: SphinxTestApp, page: str = PAGE) -> dict[str, Path]:
    """Give what a page's links lead to, by the files' names."""
    html = (app.outdir / f"{page}.html").read_text("utf-8")
    links = re.findall(r'href="([^"]*_downloads/[^"]*)"', html)
    paths = [(app.outdir / page).parent.joinpath(link).resolve() for link in links]
    return {path.name: path for path in paths}


def cells(path: Path) -> list[nbformat.NotebookNode]:
    found = nbformat.read(path, as_version=4)
    nbformat.validate(found)
    return list(found.cells)


def edit(srcdir: Path, old: str, new: str, page: str = PAGE) -> None:
    path = srcdir / f"locales/ko/LC_MESSAGES/{page}.po"
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")


def test_the_script_is_in_the_readers_language(build: Build) -> None:
    app = build()

    script = downloads(app)["page.py"].read_text("utf-8")
    assert not app.warning.getvalue()
    assert script.startswith(
        "# Licence: public domain\n"
        "# A site: tutorials/part/page (ko)\n"
        '"""페이지의 제목\n'
        "=============\n\n개요에는 ``code``가 있고"
    )
    assert "# 첫 단계\n# -------\n" in script
    assert (
        "# :doc:`/tutorials/part/other`와 `링크 <https://example.org/>`__를" in script
    )
    assert "# - 둘째\n#\n# .. note::\n#\n#    ``x``를 보세요.\n" in script
    assert "# .. list-table:: 표 제목\n" in script
    assert "#      - 숫자\n" in script
    assert "#    z = 1  # 밑그림\n" in script
    assert "\n# 주석입니다.\nx = 1  # (batch, features)\n" in script
    assert '"""A docstring is code."""\n    return "A comment."\n' in script


def test_the_script_is_the_program_that_was_run(build: Build, srcdir: Path) -> None:
    original = (srcdir / "gallery/part/page.py").read_text("utf-8")

    script = downloads(build())["page.py"].read_text("utf-8")

    assert same_program(original, script, docstring=False) is None
    assert same_program(original, script.replace("x = 1", "x = 2"), docstring=False)


def test_the_notebook_is_in_the_readers_language(build: Build) -> None:
    found = cells(downloads(build())["page.ipynb"])

    text = "\n\n".join(cell.source for cell in found if cell.cell_type == "markdown")
    assert text.startswith("# 페이지의 제목\n\n개요에는 `code`가 있고 *강조*도 있으며")
    assert "```bash\ntorchrun --standalone --nproc-per-node=2 page.py\n```" in text
    assert "*A site: tutorials/part/page (ko)*" in text
    assert "*다른 페이지*와 [링크](https://example.org/)를 보세요." in text
    assert "> **참고**\n>\n> `x`를 보세요." in text
    assert "| 이름 | 값 |\n| --- | --- |\n| `x` | 숫자 |" in text
    assert "$$\ny = x^2\n$$" in text
    assert text.endswith("마지막 말입니다.")
    assert not any(cell.get("outputs") for cell in found)


def test_the_notebook_is_the_program_too(build: Build, srcdir: Path) -> None:
    original = (srcdir / "gallery/part/page.py").read_text("utf-8")

    found = cells(downloads(build())["page.ipynb"])
    code = [cell for cell in found if cell.cell_type == "code"]

    joined = '"""."""\n' + "\n".join(cell.source for cell in code)
    assert same_program(original, joined, docstring=False) is None


def test_a_page_of_one_block_is_two_cells(build: Build) -> None:
    found = cells(downloads(build(), OTHER)["other.ipynb"])

    assert [cell.cell_type for cell in found] == ["markdown", "code"]


def test_the_archives_hold_what_the_links_lead_to(build: Build) -> None:
    app = build()
    found = downloads(app)
    everything = downloads(app, "index")["gallery.zip"]

    with zipfile.ZipFile(found["page.zip"]) as file:
        assert sorted(file.namelist()) == ["page.ipynb", "page.py"]
        assert file.read("page.py") == found["page.py"].read_bytes()
    with zipfile.ZipFile(everything) as file:
        assert file.namelist() == [
            "gallery/part/other.ipynb",
            "gallery/part/other.py",
            "gallery/part/page.ipynb",
            "gallery/part/page.py",
        ]
        assert file.read("gallery/part/page.py") == found["page.py"].read_bytes()


def test_where_the_gallerys_own_files_are_offered_the_archive_has_them(
    build: Build, srcdir: Path
) -> None:
    app = build("en", gallery_intl_source_downloads="0")

    with zipfile.ZipFile(downloads(app, "index")["gallery.zip"]) as file:
        packed = file.read("gallery/part/page.py")
    assert packed == (srcdir / "tutorials/part/page.py").read_bytes()


def test_addresses_are_absolute_where_the_site_has_one(build: Build) -> None:
    app = build(html_baseurl="https://example.org/ko/")

    found = downloads(app)
    page = "https://example.org/ko/tutorials/part"
    assert f"A site: {page}/page.html (ko)" in found["page.py"].read_text("utf-8")
    assert f"[다른 페이지]({page}/other.html)와" in found["page.ipynb"].read_text(
        "utf-8"
    )


def test_a_partly_translated_page_says_so_in_one_line(
    build: Build, srcdir: Path
) -> None:
    edit(srcdir, "마지막 말입니다.", "")

    found = downloads(build())

    script = found["page.py"].read_text("utf-8")
    line = "A site: tutorials/part/page (ko). 92 % of this page is translated."
    assert script.count(line) == 1
    assert found["page.ipynb"].read_text("utf-8").count(line) == 1
    assert "# The last words.\n" in script


def test_english_downloads_are_the_scripts_themselves(
    build: Build, srcdir: Path
) -> None:
    original = (srcdir / "gallery/part/page.py").read_text("utf-8")

    script = downloads(build("en"))["page.py"].read_text("utf-8")

    lines = script.split("\n")
    assert re.match(r"# A site: tutorials/part/page \(en\)", lines.pop(1))
    assert "\n".join(lines) == original


def test_an_edited_catalog_refreshes_only_its_page(build: Build, srcdir: Path) -> None:
    before = downloads(build(), "index")["gallery.zip"].read_bytes()
    folder = srcdir / "_build/doctrees/downloads/tutorials/part"
    other = (folder / "other.py").stat().st_mtime_ns
    edit(srcdir, "주석입니다.", "다른 주석입니다.")

    app = build()

    assert "# 다른 주석입니다.\n" in downloads(app)["page.py"].read_text("utf-8")
    assert downloads(app, "index")["gallery.zip"].read_bytes() != before
    assert (folder / "other.py").stat().st_mtime_ns == other


def test_files_that_do_not_change_are_not_written(build: Build, srcdir: Path) -> None:
    build()
    path = srcdir / "_build/doctrees/downloads/tutorials/part/other.py"
    before = path.stat().st_mtime_ns
    edit(srcdir, 'msgid "The other page"', '# a note\nmsgid "The other page"', OTHER)

    app = build()

    assert "1 changed" in app.status.getvalue() or "2 changed" in app.status.getvalue()
    assert path.stat().st_mtime_ns == before


def test_a_second_build_reads_nothing(build: Build) -> None:
    build()

    app = build()

    assert "0 added, 0 changed, 0 removed" in app.status.getvalue()


def test_a_title_of_another_page_refreshes_the_notebook(
    build: Build, srcdir: Path
) -> None:
    build()
    edit(srcdir, "다른 페이지", "딴 쪽", OTHER)

    found = downloads(build())

    assert "*딴 쪽*와" in found["page.ipynb"].read_text("utf-8")


def test_a_sentence_of_another_page_reads_that_page_alone(
    build: Build, srcdir: Path
) -> None:
    catalog = srcdir / f"locales/ko/LC_MESSAGES/{OTHER}.po"
    message = '\nmsgid "It has one sentence."\nmsgstr "문장이 하나 있습니다."\n'
    catalog.write_text(catalog.read_text("utf-8") + message, "utf-8")
    before = dict(build().env.all_docs)
    edit(srcdir, "문장이 하나", "문장이 단 하나", OTHER)

    after = build().env.all_docs

    assert {page for page in after if after[page] != before[page]} == {OTHER}


def test_what_cannot_be_placed_is_a_warning(build: Build, srcdir: Path) -> None:
    path = srcdir / "gallery/part/page.py"
    script = path.read_text("utf-8")
    before, quotes, after = script.partition('"""\n\n')
    path.write_text(f"{before}\\n{quotes}{after}", "utf-8")  # not written line by line

    app = build()

    warning = re.sub(r"\x1b\[[0-9;]*m", "", app.warning.getvalue())
    assert re.search(r"page\.py:\d+: WARNING: .*stays English", warning)


def test_a_changed_program_fails_the_build(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(source: str, *_: object) -> str:
        return source.replace("x = 1", "x = 2")

    monkeypatch.setattr(translated_script, "replace_comments", broken)

    with pytest.raises(ProgramChanged, match=r"part/page\.py:\d+: .*'1' became '2'"):
        build()


def test_a_notebook_with_another_program_fails_the_build(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "gallery_intl.downloads.downloads.program", lambda cells: "x = 1\n"
    )

    with pytest.raises(ProgramChanged, match=r"the download in 'ko'"):
        build()


def test_the_download_makes_the_page_again(
    build: Build, make_app: Build, srcdir: Path
) -> None:
    app = build()
    page = app.env.get_doctree(PAGE)
    again = srcdir.with_name("again")
    shutil.copytree(srcdir, again, ignore=shutil.ignore_patterns("_build", "tutorials"))
    for name, path in (downloads(app) | downloads(app, OTHER)).items():
        if name.endswith(".py"):
            shutil.copy(path, again / "gallery/part" / name)
    shutil.rmtree(again / "locales")

    other = make_app("html", srcdir=again, confoverrides={"language": "ko"})
    other.build()

    def text(document: nodes.document) -> list[str]:
        return [
            f"{type(node).__name__}: {' '.join(node.astext().split())}"
            for node in document.findall(nodes.TextElement)
            if not isinstance(node, nodes.Invisible)
        ]

    assert text(other.env.get_doctree(PAGE)) == text(page)


def test_every_message_of_foreign_scripts_is_placed(
    make_app: Build, srcdir: Path
) -> None:
    gallery = srcdir / "gallery/part"
    for path in FOREIGN:
        shutil.copy(path, gallery)
    conf = {"language": "ja", "locale_dirs": ["pseudo"]}
    pot = make_app("gettext", srcdir=srcdir, confoverrides=conf)
    pot.build()
    for path in pot.outdir.rglob("*.pot"):
        pseudo_translate(path, srcdir / "pseudo/ja/LC_MESSAGES", pot.outdir)

    app = make_app("html", srcdir=srcdir, confoverrides=conf, freshenv=True)
    app.build()

    assert "[gallery_intl" not in app.warning.getvalue(), app.warning.getvalue()
    for path in FOREIGN:
        page = f"tutorials/part/{path.stem}"
        found = downloads(app, page)
        assert "疑似翻訳" in cells(found[f"{path.stem}.ipynb"])[0].source
        script = found[path.name].read_text("utf-8")
        original = path.read_text("utf-8")
        assert same_program(original, script, docstring=False) is None
        assert "疑似翻訳" in script
        assert " is translated" not in script.split('"""')[0]


# notebooks ----------------------------------------------------------------------


def test_a_notebook_is_valid_and_the_same_each_time() -> None:
    found = [Cell("code", "x = 1\n%autopx", "ranks"), Cell("markdown", "a\x0cb\n")]

    text = notebook(found)

    assert text == notebook(found)
    data = nbformat.reads(text, as_version=4)
    nbformat.validate(data)
    assert json.loads(text)["metadata"]["kernelspec"]["name"] == "python3"
    assert data.cells[0].source == "x = 1\n%autopx"
    assert data.cells[0].metadata.tags == ["ranks"]
    assert data.cells[1].source == "a\x0cb\n"


def test_the_program_leaves_out_text_and_what_prepares_it() -> None:
    found = [
        Cell("code", "%autopx", "ranks"),
        Cell("markdown", "x"),
        Cell("code", "x"),
        Cell("code", "y"),
    ]

    assert program(found) == "x\n\ny"
