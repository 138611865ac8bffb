"""Two programs of a page are shown as a diff, with the reason of each change."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from paths import ROOTS
from sphinx.testing.util import SphinxTestApp

from gallery_intl.script.files import File
from gallery_intl.script.source import emptied, same_program

Build = Callable[..., SphinxTestApp]
REASONS = {
    "en": ["Who am I?", "A share of the samples", "One model", "One file"],
    "ko": ["나는 누구?", "표본의 몫", "하나의 모델", "하나의 파일"],
}
WORDS = {"en": ("removed:", "added:"), "ko": ("삭제:", "추가:")}
each_language = pytest.mark.parametrize("language", ["en", "ko"])


@pytest.fixture
def srcdir(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOTS / "test-diff", tmp_path / "site"))


@pytest.fixture
def build(make_app: Build, srcdir: Path) -> Build:
    """Build the page with one builder in one language."""

    def build(builder: str = "html", language: str = "en") -> SphinxTestApp:
        app = make_app(builder, srcdir=srcdir, confoverrides={"language": language})
        app.build()
        return app

    return build


def edit(srcdir: Path, old: str, new: str) -> None:
    path = srcdir / "gallery/page.py"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def page(app: SphinxTestApp) -> BeautifulSoup:
    html = (app.outdir / "pages/page.html").read_bytes()
    return BeautifulSoup(html, "html.parser")


def download(app: SphinxTestApp, kind: str) -> str:
    return (app.doctreedir / f"downloads/pages/page{kind}").read_text("utf-8")


def files(app: SphinxTestApp) -> list[File]:
    """Return the programs in the script that a reader downloads."""
    return emptied(download(app, ".py"))[1]


def lines_of(change: Tag, *kinds: str) -> list[str]:
    """Return the lines of a change as a reader copies them."""
    found = change.select(", ".join(f"{kind}.line" for kind in kinds))
    for hidden in change.select(".said, i"):
        hidden.extract()
    return [line.get_text().removesuffix("\n") for line in found]


@each_language
def test_each_change_has_its_reason_beside_it(build: Build, language: str) -> None:
    app = build(language=language)

    assert app.warning.getvalue() == ""
    (diff,) = page(app).select(".program-diff")
    names = diff.select_one(".diff-files")
    assert names is not None
    assert names.get_text() == "one.py → two.py"
    assert [x.get_text() for x in diff.select("li strong")] == REASONS[language]
    one_model = diff.select("ol.diff > li")[2]
    assert len(one_model.select(".reason > p")) == 3
    assert lines_of(one_model, "ins", "span") == [
        "model = Model()",
        "model = Average(model)",
    ]


@each_language
def test_a_change_is_told_by_words_and_signs(build: Build, language: str) -> None:
    removed, added = WORDS[language]

    change = page(build(language=language)).select("ol.diff pre.highlight")[1]

    for tag, word, sign in ("del", removed, "−"), ("ins", added, "+"):
        for line in change.select(tag):
            told = line.select_one(".said"), line.select_one('i[aria-hidden="true"]')
            assert [x and x.get_text() for x in told] == [f"{word} ", sign]
    assert change.select("ins .nb, ins .n"), "it is highlighted"


def test_a_search_finds_the_reasons_and_no_code(build: Build) -> None:
    (diff,) = page(build()).select(".program-diff")

    for hidden in diff.select(".no-search"):
        hidden.extract()
    text = " ".join(diff.get_text().split())
    assert text.startswith("Who am I? The starter gives each process its RANK.")
    assert "Average" not in text


@each_language
def test_its_lines_are_those_of_the_programs(build: Build, language: str) -> None:
    app = build(language=language)

    old, new = (file.text.split("\n") for file in files(app))
    for change in page(app).select("ol.diff > li"):
        gone = lines_of(change, "del")
        there = lines_of(change, "ins", "span")
        assert "\n".join(gone) in "\n".join(old)
        assert "\n".join(there) in "\n".join(new)
    source = (app.srcdir / "gallery/page.py").read_text("utf-8")
    assert same_program(source, download(app, ".py"), docstring=False) is None


def test_the_new_file_is_folded_and_whole(build: Build) -> None:
    app = build(language="ko")

    (fold,) = page(app).select("details")
    summary, code = fold.select_one("summary"), fold.select_one(".highlight pre")
    link = fold.select_one("a[download]")
    assert summary is not None
    assert code is not None
    assert link is not None
    assert summary.get_text() == "파일 전체: two.py"
    assert code.get_text() == files(app)[1].text
    text = (app.outdir / "pages" / str(link["href"])).read_text("utf-8")
    assert text == files(app)[1].text


def test_the_order_of_the_blocks_is_free(build: Build, srcdir: Path) -> None:
    source = (srcdir / "gallery/page.py").read_text("utf-8")
    head, first, diff, second, end = re.split(r"^# %%\n", source, flags=re.M)
    path = srcdir / "gallery/page.py"
    path.write_text("# %%\n".join([head, second, diff, first, end]), "utf-8")

    app = build()

    assert app.warning.getvalue() == ""
    titles = [x.get_text() for x in page(app).select("ol.diff strong")]
    assert titles == REASONS["en"]


def test_the_notebook_has_each_change_as_a_diff(build: Build) -> None:
    app = build(language="ko")

    cells = json.loads(download(app, ".ipynb"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells]
    (text,) = (source for source in sources if "```diff" in source)
    assert text.count("```diff\n") == 4
    assert "\n```diff\n model = Model()\n+model = Average(model)\n```\n\n**하나" in text
    for file in files(app):
        assert file.cell() in sources


def test_the_script_keeps_the_directive_in_the_readers_language(build: Build) -> None:
    assert """\
# .. diff:: one.py two.py
#
#    나는 누구?
#       각 프로세스는 시작할 때 ``RANK``를 받습니다. 이것은 숫자이고, 그중 첫 번째
#       숫자는 0입니다. 두 줄이 되도록 조금 더 씁니다.
#
#    표본의 몫
#       각 프로세스는 하나씩 건너뛰며 표본을 가져갑니다.
#
#    하나의 모델
#       그래디언트의 평균을 냅니다.
#
#       둘째 문단입니다.
#
#    하나의 파일
#       한 프로세스만 씁니다.
""" in download(build(language="ko"), ".py")


def test_reasons_are_messages_and_code_is_none(build: Build) -> None:
    app = build("gettext")

    assert app.warning.getvalue() == ""
    template = (app.outdir / "pages/page.pot").read_text("utf-8")
    said = "#. reason of a change\n#: gallery/page.py:{}\nmsgid {}"
    assert said.format(37, '"Who am I?"') in template
    assert said.format(47, '"And this is a second paragraph."') in template
    assert "Average(model)" not in template


@pytest.mark.parametrize("builder", ["text", "latex", "texinfo", "man", "epub"])
def test_other_builders_show_a_diff_too(build: Build, builder: str) -> None:
    app = build(builder)

    said = app.warning.getvalue().splitlines()
    assert [line for line in said if "epub" not in line and "EPUB3" not in line] == []
    if builder == "text":
        text = (app.outdir / "pages/page.txt").read_text("utf-8")
        assert "   3.  model = Model()\n      +model = Average(model)\n" in text


def test_another_number_of_reasons_is_named_with_the_changes(
    build: Build, srcdir: Path
) -> None:
    edit(srcdir, "#    One model\n#       They average their gradients.\n#\n", "")

    app = build()

    (said,) = app.warning.getvalue().splitlines()
    assert "gallery/page.py:35: WARNING: this diff has reasons for 3 changes" in said
    assert "but there are 4 (write a definition list" in said
    assert "lines 64-64: '+model = Average(model)'; lines 28-28, 69-70: '-sa" in said
    assert not page(app).select(".program-diff, details")
    assert "Only one process writes." in page(app).get_text()


def test_a_file_that_is_not_written_is_named(build: Build, srcdir: Path) -> None:
    edit(srcdir, "diff:: one.py two.py", "diff:: one.py 2.py")

    app = build()

    (said,) = app.warning.getvalue().splitlines()
    assert "gallery/page.py:35: WARNING: no file '2.py' for this diff" in said
    assert "(the script writes one.py, two.py)" in said
