"""Building a site: once, all languages or none, and never half."""

import shutil
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from commands import SmallSite, edit
from made import contents
from paths import PROJECT

from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs.own import path_of
from gallery_site.build import run_scripts
from gallery_site.project import read_site

PAGE = "tutorials/part/page"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where each test has its site: Sphinx begins afresh where a site was moved."""
    return tmp_path_factory.mktemp("build")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the built site is kept for the tests that begin with it."""
    return tmp_path_factory.mktemp("kept") / "site"


@pytest.fixture
def site(place: Path) -> SmallSite:
    """A small site of one page in two languages."""
    shutil.rmtree(place)
    return SmallSite(place / "한 사이트")


@pytest.fixture
def built(place: Path, site: SmallSite, kept: Path) -> SmallSite:
    """The small site, built once for all tests."""
    if not kept.exists():
        site.make("html")
        shutil.copytree(place, kept, symlinks=True)
    shutil.rmtree(place)
    shutil.copytree(kept, place, symlinks=True)
    return site


def runs(site: SmallSite) -> int:
    return len(site.runs.read_text().splitlines())


def line_of(path: Path, text: str) -> int:
    lines = path.read_text(encoding="utf-8").split("\n")
    return next(i for i, line in enumerate(lines, start=1) if text in line)


def test_a_site_is_built_once_in_all_its_languages(site: SmallSite) -> None:
    printed = site.make("html")

    assert "page.py" in printed
    assert str(site.html) in printed.splitlines()[-1]
    assert runs(site) == 1
    korean = site.page("ko", PAGE)
    article = korean.find("article").get_text()
    assert "페이지에는 code가 있습니다." in article
    assert "# 주석 하나." in article
    assert "the output" in article
    assert korean.html["lang"] == "ko"
    assert korean.title.text == "한 페이지 — 작은 사이트"
    card = site.page("ko", "tutorials/part/index").select_one(".intl-card")
    assert card.select_one(".intl-card-title").text == "한 페이지"
    assert card.select_one(".intl-card-text").text == "페이지에는 code가 있습니다."
    front = (site.html / "index.html").read_text(encoding="utf-8")
    assert 'href="ko/index.html"' in front
    assert "작은 사이트" in front

    before = contents(site.html)
    site.make("html")

    assert runs(site) == 1
    assert contents(site.html) == before


def test_an_edited_catalog_changes_its_page_and_its_card(built: SmallSite) -> None:
    edit(built.po(PAGE), "한 페이지", "새 제목")
    own = Path(shutil.copyfile(path_of("ko"), built.po(catalogs.DOMAIN)))
    edit(own, "출력:", "결과:")

    built.make("html", "ko")

    assert built.page("ko", PAGE).h1.text.startswith("새 제목")
    card = built.page("ko", "tutorials/part/index").select_one(".intl-card-title")
    assert card.text == "새 제목"
    css = built.html / "ko/_static/gallery_intl.css"
    assert '"결과:"' in css.read_text(encoding="utf-8")
    assert runs(built) == 1


def test_a_gap_is_english_and_marked_and_a_note_links_the_catalog(
    site: SmallSite,
) -> None:
    edit(site.po(PAGE), 'msgstr "문단 하나."', 'msgstr ""')
    edit(site.po(PAGE), 'msgstr "제목"', 'msgstr "A heading"')
    edit(site.po(PAGE), "#: gallery/part/page.py:5\n", "#, fuzzy\n")

    site.make("html")

    korean = site.page("ko", PAGE)
    english = [node.get_text() for node in korean.find_all(lang="en")]
    assert "One paragraph." in english
    assert any(text.startswith("A heading") for text in english)
    assert any(text.startswith("A page has code.") for text in english)
    note = korean.select_one(".intl-gaps")
    assert note.get_text().startswith("이 페이지는 40%")
    linked = site.html / "ko/tutorials/part" / str(note.a["href"])
    assert linked.read_bytes() == site.po(PAGE).read_bytes()
    assert not site.page("en", PAGE).select(".intl-gaps")


BROKEN = {
    "syntax": ('msgstr "제목"', 'msgstr "제목', "msgstr", "closing"),
    "markup": ("``code``가", "``code가", '"A page has', "space between"),
    "a link to nowhere": ("문단 하나.", "`문단 <x_>`__ :doc:`no`", '"One par', "no"),
}


@pytest.mark.parametrize(("old", "new", "line", "words"), BROKEN.values(), ids=BROKEN)
def test_a_broken_catalog_stops_the_build_with_its_line(
    built: SmallSite, old: str, new: str, line: str, words: str
) -> None:
    before = contents(built.html)
    edit(built.po(PAGE), old, new)

    for _ in range(2):  # it must not pass at the second try
        result = built.run("html")

        text = result.stdout + result.stderr
        assert result.returncode == 1
        where = line_of(built.po(PAGE), new if line == "msgstr" else line)
        assert f"page.po:{where}:" in text
        assert words in text
        assert "Traceback" not in text
    assert contents(built.html) == before

    edit(built.po(PAGE), new, old)
    built.make("html")


@pytest.mark.parametrize(
    ("code", "error"),
    [('raise ValueError("no luck")', "ValueError: no luck"), ("print(", "SyntaxError")],
)
def test_a_failing_script_stops_the_build_with_its_line(
    built: SmallSite, code: str, error: str
) -> None:
    before = contents(built.html)
    script = built.source / "gallery" / "part" / "page.py"
    edit(script, 'print("the output")', code)

    result = built.run("html")

    text = result.stdout + result.stderr
    assert result.returncode == 1
    where = line_of(script, code)
    places = [f"gallery/part/page.py:{line}: " for line in (where, where + 1)]
    assert any(place in text for place in places)  # Python names the end of "print("
    assert text.count(error) == 1
    assert "building en" not in text
    assert contents(built.html) == before


def test_a_page_that_is_missing_is_named(site: SmallSite) -> None:
    edit(site.source / "gallery/part/index.rst", "   page", "   page\n   none")

    result = site.run("html")

    assert result.returncode == 1
    assert "index.rst:4" in result.stdout
    assert "tutorials/part/none" in result.stdout


def test_a_language_without_catalogs_is_named(site: SmallSite) -> None:
    shutil.rmtree(site.source / "locales" / "ko")

    result = site.run("html")

    assert result.returncode == 1
    assert "ko" in result.stderr
    assert "make catalogs" in result.stderr


def test_an_unknown_language_is_named(site: SmallSite) -> None:
    result = site.run("html", "xx")

    assert result.returncode == 1
    assert "no language 'xx'; the site has en, ko" in result.stderr


def test_an_interrupted_language_starts_afresh(built: SmallSite) -> None:
    before = contents(built.html)
    # as a build leaves it that ends between reading and writing
    (built.source / "_build/doctrees/ko/.complete").unlink()
    (built.source / "_build/stage/ko" / f"{PAGE}.html").write_text("half a pa")

    built.make("html")

    assert contents(built.html) == before


def test_a_renamed_page_leaves_no_page_behind(built: SmallSite) -> None:
    part = built.source / "gallery" / "part"
    (part / "page.py").rename(part / "other.py")
    edit(part / "index.rst", "   page", "   other")

    built.make("html")

    names = {path.stem for path in (built.html / "ko/tutorials/part").iterdir()}
    assert "other" in names
    assert "page" not in names


def test_catalogs_take_in_new_messages_without_a_run(
    built: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    (built.source.parent / "torch.py").write_text("raise ImportError")
    monkeypatch.setenv("PYTHONPATH", str(built.source.parent))
    built.make("catalogs")
    english = built.po(PAGE, "en")
    label = '#. figure label\n#: gallery/part/page.py\nmsgid "Rows"\nmsgstr "Rows"\n\n'
    edit(english, "#. comment", f"{label}#. comment")
    changed = built.make("catalogs").split()
    assert changed == [f"locales/en/LC_MESSAGES/{PAGE}.po"]
    assert label not in english.read_text("utf-8")  # the last run drew no figure

    edit(english, "#. comment", f"{label}#. comment")
    script = built.source / "gallery" / "part" / "page.py"
    edit(script, "# One paragraph.", "# One paragraph.\n#\n# And another one.")
    shutil.rmtree(built.source / "tutorials")

    built.make("catalogs")

    assert runs(built) == 1
    assert not (built.source / "tutorials").exists()
    assert label in english.read_text("utf-8")
    entries = {entry.msgid: entry for entry in catalogs.read(built.po(PAGE))}
    assert entries["One paragraph."].msgstr == "문단 하나."
    new = entries["And another one."]
    assert new.msgstr == ""
    assert new.occurrences == [("gallery/part/page.py", "")]
    words = " ".join(entries)
    assert "Download" not in words
    assert "the output" not in words
    assert "Gallery generated" not in words


def test_a_copied_file_that_is_gone_leaves_the_site(site: SmallSite) -> None:
    static = site.source / "_static"
    static.mkdir()
    (static / "old.css").touch()
    site.add_settings('html_static_path = ["_static"]\n')
    site.make("html")
    assert (site.html / "ko/_static/old.css").is_file()
    (static / "old.css").unlink()

    site.make("html")

    assert not (site.html / "ko/_static/old.css").exists()


def test_conf_py_is_run_once_before_the_languages_are_built(
    site: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNS", str(site.runs))
    times = site.source / "times"
    site.add_settings(f"open({str(times)!r}, 'a').write('x')\n")

    read = read_site(site.source)

    assert times.read_text() == "x"
    assert read.generated == [site.source / "tutorials"]

    run_scripts(read)  # in a process that reads it for itself
    before = times.read_text()
    run_scripts(read)  # nothing to run

    assert times.read_text() == before


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
