"""Building a site: once, all languages or none, and never half."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import prepared
import psutil
import pytest
from bs4 import BeautifulSoup
from paths import PROJECT, ROOTS

from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs.own import path_of
from gallery_site.build import run_scripts
from gallery_site.languages import sources
from gallery_site.project import read_site

ROOT = ROOTS / "test-site"
PAGE = "tutorials/part/page"


Make = Callable[..., subprocess.CompletedProcess[str]]
already_built = pytest.mark.usefixtures("built")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where each test has its site: Sphinx begins afresh where a site was moved."""
    return tmp_path_factory.mktemp("build")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the built site is kept for the tests that begin with it."""
    return tmp_path_factory.mktemp("kept") / "site"


@pytest.fixture
def source(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small site of one page in two languages."""
    shutil.rmtree(place)
    monkeypatch.setenv("RUNS", str(place / "runs"))
    monkeypatch.setenv("PYTHONPATH", str(PROJECT))
    return Path(shutil.copytree(ROOT, place / "한 사이트"))


@pytest.fixture
def make(source: Path) -> Make:
    """Run a command of the project on the small site."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return prepared.run("gallery_site", "--source", source, *arguments)

    return run


@pytest.fixture
def built(place: Path, source: Path, make: Make, kept: Path) -> None:
    """Build the small site, or take it as the first test that asked for it built it."""
    if not kept.exists():
        assert make("html").returncode == 0
        shutil.copytree(place, kept)
    shutil.rmtree(place)
    shutil.copytree(kept, place)


def page(source: Path, language: str, name: str = PAGE) -> BeautifulSoup:
    path = source / "_build" / "html" / language / f"{name}.html"
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def runs(source: Path) -> int:
    return len((source.parent / "runs").read_text().splitlines())


def po(source: Path, name: str = PAGE) -> Path:
    return catalogs.po_path(source / "locales", "ko", name)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def line_of(path: Path, text: str) -> int:
    lines = path.read_text(encoding="utf-8").split("\n")
    return next(i for i, line in enumerate(lines, start=1) if text in line)


def snapshot(folder: Path, pattern: str = "*") -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob(pattern)
        if path.is_file()
    }


def test_a_site_is_built_once_in_all_its_languages(source: Path, make: Make) -> None:
    first = make("html")

    assert first.returncode == 0, first.stdout + first.stderr
    assert "page.py" in first.stdout
    assert str(source / "_build" / "html") in first.stdout.splitlines()[-1]
    assert runs(source) == 1
    korean = page(source, "ko")
    article = korean.find("article").get_text()
    assert "페이지에는 code가 있습니다." in article
    assert "# 주석 하나." in article
    assert "the output" in article
    assert korean.html["lang"] == "ko"
    assert korean.title.text == "한 페이지 — 작은 사이트"
    card = page(source, "ko", "tutorials/part/index").select_one(".intl-card")
    assert card.select_one(".intl-card-title").text == "한 페이지"
    assert card.select_one(".intl-card-text").text == "페이지에는 code가 있습니다."
    front = (source / "_build" / "html" / "index.html").read_text(encoding="utf-8")
    assert 'href="ko/index.html"' in front
    assert "작은 사이트" in front

    before = snapshot(source / "_build" / "html")
    again = make("html")

    assert again.returncode == 0
    assert runs(source) == 1
    assert snapshot(source / "_build" / "html") == before


@already_built
def test_an_edited_catalog_changes_its_page_and_its_card(
    source: Path, make: Make
) -> None:
    edit(po(source), "한 페이지", "새 제목")
    own = Path(shutil.copyfile(path_of("ko"), po(source, catalogs.DOMAIN)))
    edit(own, "출력:", "결과:")
    edit(po(source, "sphinx"), "프로그램 %s", "스크립트 %s")

    assert make("html", "ko").returncode == 0

    assert page(source, "ko").h1.text.startswith("새 제목")
    card = page(source, "ko", "tutorials/part/index").select_one(".intl-card-title")
    assert card.text == "새 제목"
    css = source / "_build/html/ko/_static/gallery_intl.css"
    assert '"결과:"' in css.read_text(encoding="utf-8")
    assert "스크립트 .py" in page(source, "ko").article.get_text()
    assert runs(source) == 1


def test_a_gap_is_english_and_marked_and_the_page_says_so(
    source: Path, make: Make
) -> None:
    edit(po(source), 'msgstr "문단 하나."', 'msgstr ""')
    edit(po(source), 'msgstr "제목"', 'msgstr "A heading"')
    edit(po(source), "#: gallery/part/page.py:5\n", "#, fuzzy\n")

    assert make("html").returncode == 0

    korean = page(source, "ko")
    english = [node.get_text() for node in korean.find_all(lang="en")]
    assert "One paragraph." in english
    assert any(text.startswith("A heading") for text in english)
    assert any(text.startswith("A page has code.") for text in english)
    note = korean.select_one(".intl-gaps")
    assert note.get_text().startswith("이 페이지는 40%")
    target = note.a["href"]
    linked = source / "_build/html/ko/tutorials/part" / target
    assert linked.read_bytes() == po(source).read_bytes()
    assert not page(source, "en").select(".intl-gaps")


@already_built
def test_a_complete_page_says_nothing(source: Path, make: Make) -> None:
    gaps = ".intl-gaps, [lang=en]:not([hreflang], .sphx-glr-script-out *)"
    assert not page(source, "ko").select(gaps)


BROKEN = {
    "syntax": ('msgstr "제목"', 'msgstr "제목', "msgstr", "closing"),
    "markup": ("``code``가", "``code가", '"A page has', "space between"),
    "a link to nowhere": ("문단 하나.", "`문단 <x_>`__ :doc:`no`", '"One par', "no"),
}


@pytest.mark.parametrize(("old", "new", "line", "words"), BROKEN.values(), ids=BROKEN)
@already_built
def test_a_broken_catalog_stops_the_build_with_its_line(
    source: Path, make: Make, old: str, new: str, line: str, words: str
) -> None:
    before = snapshot(source / "_build" / "html")
    edit(po(source), old, new)

    for _ in range(2):  # an unmended catalog must not pass at the second try
        result = make("html")

        text = result.stdout + result.stderr
        assert result.returncode == 1
        where = line_of(po(source), new if line == "msgstr" else line)
        assert f"page.po:{where}:" in text
        assert words in text
        assert "Traceback" not in text
    assert snapshot(source / "_build" / "html") == before

    edit(po(source), new, old)
    assert make("html").returncode == 0


@already_built
def test_a_failing_script_stops_the_build_once(source: Path, make: Make) -> None:
    before = snapshot(source / "_build" / "html")
    script = source / "gallery" / "part" / "page.py"
    edit(script, 'print("the output")', 'raise ValueError("no luck")')

    result = make("html")

    text = result.stdout + result.stderr
    assert result.returncode == 1
    assert text.count("ValueError: no luck") == 1
    assert f'page.py", line {line_of(script, "no luck")}' in text
    assert "building en" not in text
    assert snapshot(source / "_build" / "html") == before


def test_a_script_with_a_syntax_error_is_named_with_its_line(
    source: Path, make: Make
) -> None:
    script = source / "gallery" / "part" / "page.py"
    edit(script, 'print("the output")', "print(")

    result = make("html")

    text = result.stdout + result.stderr
    assert result.returncode == 1
    last = len(script.read_text(encoding="utf-8").splitlines())
    assert f"gallery/part/page.py:{last}: " in text
    assert "SyntaxError" in text
    assert not (source / "_build" / "html").exists()


def test_a_page_that_is_missing_is_named(source: Path, make: Make) -> None:
    edit(source / "gallery/part/index.rst", "   page", "   page\n   none")

    result = make("html")

    assert result.returncode == 1
    assert "index.rst:4" in result.stdout
    assert "tutorials/part/none" in result.stdout


def test_a_language_without_catalogs_is_named(source: Path, make: Make) -> None:
    shutil.rmtree(source / "locales" / "ko")

    result = make("html")

    assert result.returncode == 1
    assert "ko" in result.stderr
    assert "make catalogs" in result.stderr


def test_an_unknown_language_is_named(source: Path, make: Make) -> None:
    result = make("html", "xx")

    assert result.returncode == 1
    assert "no language 'xx'; the site has en, ko" in result.stderr


@already_built
def test_an_interrupted_language_starts_afresh(source: Path, make: Make) -> None:
    before = snapshot(source / "_build" / "html")
    # as a build leaves it that ends between reading and writing
    (source / "_build/doctrees/ko/.complete").unlink()
    (source / "_build/stage/ko" / f"{PAGE}.html").write_text("half a pa")

    assert make("html").returncode == 0

    assert snapshot(source / "_build" / "html") == before


@already_built
def test_a_renamed_page_leaves_no_page_behind(source: Path, make: Make) -> None:
    part = source / "gallery" / "part"
    (part / "page.py").rename(part / "other.py")
    edit(part / "index.rst", "   page", "   other")

    assert make("html").returncode == 0

    names = {path.stem for path in (source / "_build/html/ko/tutorials/part").iterdir()}
    assert "other" in names
    assert "page" not in names


def test_plain_sphinx_builds_a_language_by_itself(source: Path) -> None:
    out = source.parent / "out"
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html"]

    result = subprocess.run(
        [*command, "-D", "language=ko", str(source), str(out)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(PROJECT)},
    )

    assert result.returncode == 0, result.stderr
    text = (out / f"{PAGE}.html").read_text(encoding="utf-8")
    assert "페이지에는" in text
    # no siblings, so no links to them
    assert "language-menu" not in text


@already_built
def test_catalogs_take_in_new_messages_without_a_run(
    source: Path, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    (source.parent / "torch.py").write_text("raise ImportError")
    monkeypatch.setenv("PYTHONPATH", f"{PROJECT}{os.pathsep}{source.parent}")
    assert make("catalogs").returncode == 0
    english = catalogs.po_path(source / "locales", "en", PAGE)
    label = '#. figure label\n#: gallery/part/page.py\nmsgid "Rows"\nmsgstr "Rows"\n\n'
    edit(english, "#. comment", f"{label}#. comment")
    changed = make("catalogs").stdout.split()
    assert changed == [f"locales/en/LC_MESSAGES/{PAGE}.po"]
    assert label not in english.read_text("utf-8")  # the last run drew no figure

    edit(english, "#. comment", f"{label}#. comment")
    script = source / "gallery" / "part" / "page.py"
    edit(script, "# One paragraph.", "# One paragraph.\n#\n# And another one.")
    shutil.rmtree(source / "tutorials")

    assert make("catalogs").returncode == 0

    assert runs(source) == 1
    assert not (source / "tutorials").exists()
    assert label in english.read_text("utf-8")
    entries = {entry.msgid: entry for entry in catalogs.read(po(source))}
    assert entries["One paragraph."].msgstr == "문단 하나."
    new = entries["And another one."]
    assert new.msgstr == ""
    assert new.occurrences == [("gallery/part/page.py", "")]
    words = " ".join(entries)
    assert "Download" not in words
    assert "the output" not in words
    assert "Gallery generated" not in words


def test_a_copied_file_that_is_gone_leaves_the_site(source: Path, make: Make) -> None:
    (source / "_static").mkdir()
    (source / "_static/old.css").touch()
    edit(
        source / "conf.py",
        "html_theme =",
        'html_static_path = ["_static"]\nhtml_theme =',
    )
    assert make("html").returncode == 0
    assert (source / "_build/html/ko/_static/old.css").is_file()
    (source / "_static/old.css").unlink()

    assert make("html").returncode == 0

    assert not (source / "_build/html/ko/_static/old.css").exists()


@already_built
def test_the_marker_lists_what_the_site_is_made_of(source: Path, make: Make) -> None:
    marker = source / "_build/doctrees/ko/.complete"
    assert f"{PAGE}.rst" in json.loads(marker.read_text())
    assert sources(read_site(source)) == json.loads(marker.read_text())


def test_the_generated_folder_may_have_any_name(source: Path) -> None:
    edit(source / "conf.py", '"gallery_dirs": "tutorials"', '"gallery_dirs": "pages"')
    (source / "pages" / "part").mkdir(parents=True)
    (source / "pages" / "part" / "page.rst").touch()

    assert "pages/part/page.rst" in sources(read_site(source))


def test_what_concerns_all_languages_is_read_from_conf_py_once(source: Path) -> None:
    times = source / "times"
    with (source / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write(f"open({str(times)!r}, 'a').write('x')\n")

    site = read_site(source)

    assert times.read_text() == "x"
    assert site.generated == [source / "tutorials"]

    run_scripts(site)  # in a process that reads it for itself
    before = times.read_text()
    run_scripts(site)  # nothing to run

    assert times.read_text() == before


def test_an_editors_files_are_no_sources(source: Path) -> None:
    edit(
        source / "conf.py",
        "html_theme =",
        'html_static_path = ["_static"]\nhtml_theme =',
    )
    (source / "_static").mkdir()
    before = sources(read_site(source))
    (source / "_static/.site.css.swp").touch()

    assert sources(read_site(source)) == before


SLEEPER = """
import multiprocessing, os, time
from gallery_run.processes import end_with_parent

def work():
    end_with_parent()
    print(os.getpid(), flush=True)
    time.sleep(600)

multiprocessing.get_context("fork").Process(target=work).start()
time.sleep(600)
"""


def test_a_process_that_builds_ends_with_the_one_that_started_it() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", SLEEPER], stdout=subprocess.PIPE, text=True, cwd=PROJECT
    )
    assert parent.stdout
    child = psutil.Process(int(parent.stdout.readline()))

    parent.kill()
    parent.wait()

    child.wait(30)  # else raises TimeoutExpired
