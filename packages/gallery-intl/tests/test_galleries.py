"""A gallery of another project: all that Sphinx-Gallery adds, in two languages."""

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import polib
import pytest
from bs4 import BeautifulSoup, Tag
from building import Copy, add_settings, edit, run

OURS = """
extensions += ["gallery_intl"]
gallery_intl_languages = {"en": "English", "ko": "한국어"}
gallery_intl_pages = ["index", "auto_*"]
"""
SMOOTH, WIDTH = (f"auto_examples/filters/plot_{x}" for x in ("smooth", "width"))
# all that differs in the source language: README.md names it
ADDED = re.compile(
    r' *<(?:link rel="stylesheet" type="text/css" href|script defer="defer" src)='
    r'"[./]*_static/(?:figures\.css|gallery_intl\.(?:css|js))\?v=\w+"'
    r"(?: />|></script>)"
    r'|<details class="language-menu">.*?</details>',
    re.DOTALL,
)
FOLDER = re.compile(r"(?<=_downloads/)\w+/")
ANOTHER_RUN = re.compile(r"\d+:\d+\.\d+|\d+\.\d+ seconds|row-(?:odd|even)")


class Gallery(NamedTuple):
    """The gallery, built without the extension and in both languages."""

    copy: Copy
    plain: Path
    catalogs: list[str]  # as the first command made them
    state: bytes  # of what Sphinx-Gallery keeps, before languages were built

    @property
    def source(self) -> Path:
        return self.copy.source

    def page(self, language: str, docname: str) -> Tag:
        html = BeautifulSoup(self.copy.html(language, docname), "html.parser")
        body = html.select_one("div.body")
        assert body
        return body

    def po(self, docname: str) -> Path:
        return self.source / "locales/ko/LC_MESSAGES" / f"{docname}.po"

    def backreferences(self) -> bytes:
        folder = self.source / "gen_modules" / "backreferences"
        return (folder / "backreferences_all.json").read_bytes()


@pytest.fixture(scope="module")
def gallery(copy: Callable[[str], Copy]) -> Gallery:
    """The gallery; two pages have translations of people, the others marked ones."""
    found = copy("signals")
    plain = found.source.parent / "plain"
    result = run("sphinx", "-q", "-W", found.source, plain)
    assert result.returncode == 0, result.stderr
    add_settings(found, OURS)
    made = found.catalogs().splitlines()
    gallery = Gallery(found, plain, made, b"")
    state = gallery.backreferences()
    for path in gallery.po("index").parent.rglob("*.po"):
        if path.name not in ("sphinx.po", "plot_smooth.po", "plot_width.po"):
            mark(path)
    found.catalogs()  # a message of two pages has one translation
    assert found.build() == ""
    return gallery._replace(state=state)


def mark(path: Path) -> None:
    catalog = polib.pofile(str(path))
    for entry in catalog:
        entry.msgstr = f"《{entry.msgid}》"
    catalog.save()


def texts(found: list[Tag]) -> list[str]:
    return [" ".join(one.get_text().split()) for one in found]


def messages(path: Path) -> list[str]:
    return [entry.msgid for entry in polib.pofile(str(path))]


def test_the_source_language_is_as_without_the_extension(gallery: Gallery) -> None:
    plain, ours = gallery.plain, gallery.source / "_build/html/en"
    pages = sorted(path.relative_to(plain) for path in plain.rglob("*.html"))

    assert len(pages) > 10
    for page in pages:
        assert content(plain / page) == content(ours / page), page
    for script in plain.glob("_downloads/*/*.py"):
        (same,) = ours.glob(f"_downloads/*/{script.name}")
        assert same.read_bytes() == script.read_bytes()


def content(path: Path) -> list[str]:
    """Return what a page has, without what another run or folder changes."""
    text = FOLDER.sub("", ADDED.sub("", path.read_text(encoding="utf-8")))
    words = ANOTHER_RUN.sub("", text).replace(">", "> ").split()
    # the page of times begins with what took longest
    return sorted(words) if path.stem == "sg_execution_times" else words


def test_a_sidebar_has_the_menu_below_its_search(gallery: Gallery) -> None:
    html = BeautifulSoup(gallery.copy.html("ko", SMOOTH), "html.parser")

    (menu,) = html.select("div.sphinxsidebar details.language-menu")
    assert [(link["hreflang"], link["href"]) for link in menu.select("a")] == [
        (language, f"../../../{language}/{SMOOTH}.html") for language in ("en", "ko")
    ]
    form = menu.find_previous("form")
    assert form
    assert form["class"] == ["search"]


def test_catalogs_hold_what_the_authors_wrote(gallery: Gallery) -> None:
    def page(name: str) -> list[str]:
        return messages(gallery.po(name))

    assert page("auto_examples/filters/index") == ["Filters", "What takes noise away."]
    assert page("auto_examples/index")[:2] == [
        "Examples",
        "Short scripts, one idea each.",
    ]
    assert not any(":doc:" in message for message in page("auto_examples/index"))
    assert page(SMOOTH) == [
        "Smooth a signal",
        "A moving mean takes the noise away, and the edges with it.",
        "five values, one of them far off",
        "A signal and its mean",
        "The far value is spread over its neighbours:",
    ]


def test_only_named_pages_have_catalogs_and_none_of_times_has(gallery: Gallery) -> None:
    names = {path.removeprefix("locales/") for path in gallery.catalogs}

    assert "en/LC_MESSAGES/index.po" in names
    assert "ko/LC_MESSAGES/auto_tutorials/first_steps.po" in names
    assert not [x for x in names if "api/" in x or "sg_execution_times" in x]
    assert "번역되었습니다" not in gallery.page("ko", "api/signals").get_text()


def test_another_run_of_the_scripts_changes_no_catalog(gallery: Gallery) -> None:
    for path in gallery.source.rglob("*.py.md5"):
        path.unlink()

    assert gallery.copy.catalogs() == ""


def test_what_sphinx_gallery_adds_is_in_the_readers_language(gallery: Gallery) -> None:
    page = gallery.page("ko", SMOOTH)

    (note,) = page.select(".sphx-glr-download-link-note p:not(.admonition-title)")
    assert texts([note]) == [
        "페이지 끝으로 가면 전체 예제 코드를 내려받거나 이 예제를 브라우저에서 바로 "
        "실행할 수 있습니다(Binder (English))."
    ]
    (timing,) = texts(page.select(".sphx-glr-timing"))
    assert timing.startswith("스크립트 총 실행 시간: (0분 ")
    assert [x for x in texts(page.select("p")) if x.startswith("추정 메모리 사용량: ")]
    assert texts(page.select(".sphx-glr-example-tags")) == ["🏷 태그: noise"]
    assert texts(page.select(".sphx-glr-download a")) == [
        "Jupyter 노트북 내려받기: plot_smooth.ipynb",
        "Python 소스 코드 내려받기: plot_smooth.py",
        "압축 파일 내려받기: plot_smooth.zip",
    ]
    (badge,) = page.select(".binder-badge a")
    assert str(badge["href"]).startswith("https://mybinder.org/v2/gh/org/repo/main")
    assert page.select("img[alt='Binder에서 실행 (English)']")
    assert texts(page.select(".rubric")) == ["관련 예제"]
    signature = "Sphinx-Gallery로 생성한 갤러리"
    assert texts(page.select(".sphx-glr-signature")) == [signature]


def test_archives_of_a_gallery_have_translated_labels(gallery: Gallery) -> None:
    page = gallery.page("ko", "auto_examples/index")

    assert texts(page.select(".sphx-glr-download a")) == [
        "모든 예제의 Python 소스 코드 내려받기: auto_examples_python.zip",
        "모든 예제의 Jupyter 노트북 내려받기: auto_examples_jupyter.zip",
    ]


def test_cards_have_translated_titles_and_plain_tooltips(gallery: Gallery) -> None:
    (card,) = gallery.page("ko", SMOOTH).select(".sphx-glr-thumbcontainer")
    cards = gallery.page("ko", "auto_examples/index").select(".sphx-glr-thumbcontainer")
    shown = {x["tooltip"]: texts(x.select(".sphx-glr-thumbnail-title")) for x in cards}

    assert texts(card.select(".sphx-glr-thumbnail-title"))
    assert shown == {
        "이동 평균은 잡음을 없애지만, 경계도 함께 없앱니다.": ["신호를 매끄럽게 하기"],
        "창이 넓을수록 신호가 매끄럽습니다. 먼저 이 예제를 보세요.": ["너비 고르기"],
        "《What the error looks like.》": ["《A signal that is too short》"],
    }


def test_minigalleries_find_their_examples_in_all_languages(gallery: Gallery) -> None:
    for language in ("en", "ko"):
        api = gallery.page(language, "api/signals")
        assert len(api.select(".sphx-glr-thumbcontainer")) == 5
        assert texts(api.select("h3"))


def test_languages_leave_the_projects_files_as_they_are(gallery: Gallery) -> None:
    assert json.loads(gallery.state)["signals.smooth"]
    assert gallery.backreferences() == gallery.state


def test_a_download_has_its_words_and_is_the_same_program(gallery: Gallery) -> None:
    script = gallery.copy.download("ko", "plot_smooth.py").read_text("utf-8")
    source = gallery.source / "examples/filters/plot_smooth.py"

    assert "# 값 다섯 개" in script
    both = (ast.parse(text).body[1:] for text in (script, source.read_text("utf-8")))
    ours, theirs = (list(map(ast.dump, body)) for body in both)
    assert ours == theirs


def test_a_gap_is_marked_and_counted_and_fuzzy_text_not_shown(gallery: Gallery) -> None:
    page = gallery.page("ko", WIDTH)
    notebook = gallery.copy.download("ko", "plot_width.ipynb").read_text("utf-8")
    script = gallery.copy.download("ko", "plot_width.py").read_text("utf-8")
    (figure,) = gallery.page("ko", SMOOTH).select("img.sphx-glr-single-img")

    (note,) = page.select(".intl-gaps")
    assert note.get_text().startswith("이 페이지는 66% 번역되었습니다.")
    assert "나머지는 영어로 표시됩니다." in note.get_text()
    assert "66%" in script.split("\n")[1]
    for text in (page.get_text(), notebook, script):
        assert "짝수" not in text
        assert "# odd, so that there is a middle" in text
    assert figure["alt"] == "A signal and its mean"


def test_plain_sphinx_builds_the_written_sources(gallery: Gallery) -> None:
    written, out = gallery.copy.written("ko", ""), gallery.source.parent / "ko"

    result = run("sphinx", "-q", "-W", "-D", "language=ko", written, out)

    assert result.returncode == 0, result.stderr
    assert (out / f"{SMOOTH}.html").read_text("utf-8") == gallery.copy.html(
        "ko", SMOOTH
    )


@pytest.mark.parametrize("builder", ["json", "pickle"])
def test_pages_are_written_as_data_too(gallery: Gallery, builder: str) -> None:
    written, out = gallery.copy.written("ko", ""), gallery.source.parent / builder

    result = run("sphinx", "-q", "-W", "-b", builder, written, out)

    assert result.returncode == 0, result.stderr
    assert [*out.rglob("plot_smooth.f*")]


def test_a_broken_catalog_stops_its_language(copy: Callable[[str], Copy]) -> None:
    found = copy("signals")
    add_settings(found, OURS)
    path = found.source / "locales/ko/LC_MESSAGES" / f"{WIDTH}.po"
    edit(path, '너비 고르기"', "열린")

    result = found.run("build", "ko", "--", "-D", "plot_gallery=0")

    assert result.returncode == 1
    message = f'{path}:9: text without its opening or closing " (add it)'
    assert message in result.stderr
    assert not (found.source / "_build/html/ko").exists()

    edit(path, "열린", '너비 고르기"')  # and without running scripts it builds
    found.build("ko", options=("-D", "plot_gallery=0"))
    assert "너비 고르기" in found.html("ko", WIDTH)


GERMAN = """
project = "Signale"
language = "de"
extensions = ["gallery_intl"]
exclude_patterns = ["beispiele"]
gallery_intl_languages = {"de": "Deutsch", "ko": "한국어"}
sphinx_gallery_conf = {"examples_dirs": "beispiele", "gallery_dirs": "galerie"}
"""


def test_catalogs_run_no_script_unless_asked(copy: Callable[[str], Copy]) -> None:
    found = copy("signals")
    add_settings(found, OURS)
    found.catalogs()
    folder = found.source / "examples/filters"
    edit(folder / "plot_smooth.py", "The far value", "This value")
    fails = '"""\nIt fails\n========\n"""\nraise ValueError("by intent")\n'
    (folder / "plot_fails.py").write_text(fails, encoding="utf-8")

    result = found.succeed("catalogs")

    assert "updating catalogs of en, ko, running no script" in result.stderr
    assert "by intent" not in result.stderr
    catalog = polib.pofile(str(found.source / f"locales/ko/LC_MESSAGES/{SMOOTH}.po"))
    words = [entry.msgid for entry in catalog if not entry.obsolete]
    assert "A signal and its mean" in words  # of the figure that was drawn before
    assert "This value is spread over its neighbours:" in words

    assert "plot_fails.py" in found.succeed("catalogs", "--run").stderr


def test_a_folder_of_another_name_is_explained(gallery: Gallery) -> None:
    written, out = gallery.copy.written("ko", ""), gallery.source.parent / "other"

    result = run("sphinx", "-b", "dummy", written, out)

    assert "no language menu: the folder 'other' is not named 'ko'" in result.stdout


def test_pages_may_be_written_in_another_language_than_english(tmp_path: Path) -> None:
    """And scripts may be in the gallery's own folder, without sections."""
    (tmp_path / "beispiele").mkdir()
    (tmp_path / "conf.py").write_text(GERMAN, "utf-8")
    index = "Signale\n=======\n\n.. toctree::\n\n   galerie/index\n"
    (tmp_path / "index.rst").write_text(index, "utf-8")
    (tmp_path / "beispiele/README.rst").write_text("Galerie\n=======\n", "utf-8")
    script = '"""\nEine Seite\n==========\n\nEin Absatz.\n"""\nprint(1)  # eins\n'
    (tmp_path / "beispiele/plot_eins.py").write_text(script, "utf-8")
    found = Copy(tmp_path)

    found.catalogs()
    catalog = polib.pofile(
        str(tmp_path / "locales/ko/LC_MESSAGES/galerie/plot_eins.po")
    )
    catalog.find("eins").msgstr = "하나"
    catalog.save()
    found.build()

    html = BeautifulSoup(found.html("ko", "galerie/plot_eins"), "html.parser")
    assert texts(html.select("p[lang=de]")) == ["Ein Absatz."]
    assert "나머지는 원문 그대로 표시됩니다." in html.get_text()
    assert "# 하나" in html.get_text()
    assert not html.select("[lang=en]")
