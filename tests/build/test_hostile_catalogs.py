"""A hostile catalog is refused with its line, or shown as the text that it is.

Each file of ``tests/catalogs/hostile`` says which: those in ``page`` translate a page,
those in ``sphinx`` the interface, Sphinx's words and ours. What holds no comment has
its ``.expect`` beside.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import polib
import commands
import pytest
from bs4 import BeautifulSoup
from markdown_it import MarkdownIt
from paths import CATALOGS, ROOTS

from gallery_intl.catalogs import po as catalogs
from gallery_intl.downloads.notebook import Cell, program
from gallery_intl.figures import svg
from gallery_intl.script.source import same_program
from gallery_site.checks import catalog_findings
from po_check_cjk.check import Finding
from po_check_cjk.glossary import Glossary
from po_check_cjk.message import GUARDS

ROOT = ROOTS / "test-hostile"  # its conf.py is that of test-site
CASES = CATALOGS / "hostile"
EXPECT = re.compile(r"# expect: (harmless|rejected ([\w-]+))$", re.M)
SECRET = "the text of another file"
HEADER = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
BROKEN = "broken-catalog"
ACTIVE = {"script", "style", "iframe", "object", "embed", "form", "base"}
# to the same page in another language, to the pages before and after
PLACE = re.compile(r"<link href> (?:\.\./)*(?:\w+/)*\w+\.html")
LOADS = {"src", "srcset", "action", "formaction", "data", "style", "srcdoc"}


def expected(path: Path) -> str | None:
    """Give the rule that refuses a catalog; None if it is harmless."""
    beside = path.with_suffix(".expect")
    file = beside if beside.exists() else path
    found = EXPECT.search(file.read_text(encoding="utf-8", errors="replace"))
    assert found, f"{path}: no line # expect: harmless, or # expect: rejected <rule>"
    return found[2]


ALL = sorted(CASES.glob("*/*.po"))
REJECTED = {path: rule for path in ALL if (rule := expected(path))}
HARMLESS = [path for path in ALL if path not in REJECTED]


def in_place(path: Path, folder: Path) -> Path:
    """Copy a catalog to where a site has it; give its path there."""
    language = folder / "ko" / "LC_MESSAGES"
    name = "sphinx.po" if path.parent.name == "sphinx" else f"part/{path.name}"
    place = language / name
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, place)
    return place


def named_in(path: Path) -> tuple[str, list[str]]:
    """Return the folder of a refused catalog in a site, and its names there."""
    if path.parent.name == "sphinx":  # each site has but one: add folders
        return path.stem, [*catalogs.NO_PAGE]
    return "locales", [f"(?:part/)?{path.stem}"]


def make_source(source: Path) -> None:
    """A site with clean catalogs, for hostile ones to come in."""
    shutil.copytree(ROOT, source)
    settings = (ROOT.with_name("test-site") / "conf.py").read_text(encoding="utf-8")
    (source / "conf.py").write_text(
        f'{settings}\nextensions += ["sphinx_copybutton"]\n', encoding="utf-8"
    )
    for language in ("en", "ko"):
        folder = source / "locales" / language / "LC_MESSAGES"
        folder.mkdir(parents=True)
        (folder / "sphinx.po").write_text(HEADER, encoding="utf-8")


def name_of(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


# the check


def guarded(path: Path) -> list[Finding]:
    """Return why a build refuses a catalog."""
    return catalog_findings(path, Glossary(), GUARDS)


def test_there_are_many_hostile_catalogs() -> None:
    assert len(ALL) >= 60
    assert {*REJECTED.values()} >= GUARDS


@pytest.mark.parametrize("path", REJECTED, ids=name_of)
def test_a_hostile_catalog_is_refused_with_its_line_and_a_remedy(
    path: Path, tmp_path: Path
) -> None:
    place = in_place(path, tmp_path)

    found = catalog_findings(place, Glossary())

    assert REJECTED[path] in {finding.rule for finding in found}
    for finding in found:
        assert finding.line >= 1
        assert re.search(r"\(.+\)$", finding.text)


@pytest.mark.parametrize("path", HARMLESS, ids=name_of)
def test_a_harmless_catalog_is_not_refused_by_a_build(
    path: Path, tmp_path: Path
) -> None:
    assert guarded(in_place(path, tmp_path)) == []


@pytest.mark.parametrize("kind", ["folder", "link", "dead link", "loop"])
def test_what_is_no_file_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "page.po"
    target = {"link": Path("/etc/passwd"), "dead link": tmp_path / "no", "loop": path}
    path.mkdir() if kind == "folder" else path.symlink_to(target[kind])

    found = guarded(path)

    assert [finding.rule for finding in found] == [BROKEN]


def test_huge_and_deep_catalogs_are_read(tmp_path: Path) -> None:
    path = tmp_path / "page.po"
    texts = ["가" * 10_000, "(" * 10_000, "`" * 3000, "*a " * 3000, "[x]_" * 1000]
    catalog = polib.POFile()
    catalog.metadata = {"Content-Type": "text/plain; charset=UTF-8"}
    for number, text in enumerate([*texts, *(["문단"] * 2000)]):
        catalog.append(polib.POEntry(msgid=f"Message {number}", msgstr=text))
    catalog.save(str(path))

    found = guarded(path)

    lines = [entry.linenum for entry in catalogs.read(path)]
    assert {finding.line for finding in found} <= {*lines[1:5]}


def test_a_text_that_is_no_paragraph_any_more_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "page.po"
    path.write_text(f'{HEADER}\nmsgid "a"\nmsgstr "{"가" * 10_001}"\n', "utf-8")

    (found,) = guarded(path)

    assert (found.line, found.rule) == (5, BROKEN)
    assert "10,001 letters (write at most 10,000)" in found.text


# builds that refuse


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with a page for each catalog that is refused."""
    source = tmp_path_factory.mktemp("refusing") / "site"
    make_source(source)
    (source / "part").mkdir()
    for path in REJECTED:
        page = source / "part" / f"{path.stem}.rst"
        page.write_text(":orphan:\n\nA page\n======\n", encoding="utf-8")
    return source


@pytest.mark.parametrize("broken", [True, False], ids=["broken", "unsafe"])
@pytest.mark.parametrize("command", ["html", "sphinx-build"])
def test_a_build_refuses_every_hostile_catalog_with_its_line(
    refusing: Path, tmp_path: Path, command: str, broken: bool
) -> None:
    source = tmp_path / "site"
    shutil.copytree(refusing, source)
    chosen = [path for path in REJECTED if (REJECTED[path] == BROKEN) == broken]
    folders = [*dict.fromkeys(["locales", *(named_in(path)[0] for path in chosen)])]
    for path in chosen:
        place = in_place(path, source / named_in(path)[0])
        if path.parent.name == "sphinx":
            shutil.copyfile(path, place.with_name(f"{catalogs.DOMAIN}.po"))
    script = source / "locales" / "ko" / "LC_MESSAGES" / "sphinx.js"
    script.write_text("alert(1)", encoding="utf-8")
    conf = source / "conf.py"
    conf.write_text(f"{conf.read_text()}\nlocale_dirs = {folders}\n", encoding="utf-8")

    if command == "html":
        result = commands.run("gallery_site", "--source", source, "html", "ko")
    else:
        options = ["-q", "-W", "-b", "html", "-D", "language=ko"]
        result = commands.run("sphinx", *options, source, tmp_path / "out")

    told = result.stdout + result.stderr
    assert result.returncode != 0
    for path in chosen:
        folder, names = named_in(path)
        rule = "" if broken else f"{REJECTED[path]}: "
        for name in names:
            place = rf"/{folder}/ko/LC_MESSAGES/{name}\.po:\d+: {rule}.+\(.+\)"
            assert re.search(place, told), f"{path.stem} is not told in {name}"
    assert broken or f"{script}:1: a script among catalogs (delete it)" in told
    assert not list(source.rglob("part/*.html"))


# builds that show


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """The site in Korean with clean catalogs, with harmless ones, and its source."""
    source = tmp_path_factory.mktemp("shown") / "site"
    make_source(source)
    (source / "secret.txt").write_text(SECRET, encoding="utf-8")
    part = source / "gallery" / "part"
    clean = built(source, "clean")
    interface = polib.POFile()
    interface.metadata = {"Content-Type": "text/plain; charset=UTF-8"}
    for path in HARMLESS:
        place = source / "locales/ko/LC_MESSAGES/tutorials/part" / path.name
        if path.parent.name == "page":
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
            shutil.copyfile(part / "page.py", part / f"{path.stem}.py")
        else:
            interface += catalogs.read(path)
    for name in catalogs.NO_PAGE:
        interface.save(str(catalogs.po_path(source / "locales", "ko", name)))
    return clean, built(source, "hostile"), source


def built(source: Path, name: str) -> Path:
    result = commands.run("gallery_site", "--source", source, "html", "ko")
    assert result.returncode == 0, result.stdout + result.stderr
    return Path(shutil.copytree(source / "_build" / "html", source.parent / name))


def active(page: str) -> set[str]:
    """Give what a page runs, loads, or leads to outside of its site."""
    page = re.sub(r"(?<=pagename = ')[^']*|'sha256-[^']*'|\?v=\w+", "", page)
    found = set()
    for tag in BeautifulSoup(page, "html.parser").find_all(True):
        if tag.name in ACTIVE:
            found.add(f"<{tag.name}> {tag.string}")
        for name, value in tag.attrs.items():
            if name in LOADS or name.startswith("on"):
                found.add(f"<{tag.name} {name}> {value}")
        link = urlsplit(str(tag.get("href", "")).strip())
        if tag.name != "a" or link.scheme or link.netloc:
            found.add(f"<{tag.name} href> {tag.get('href')}")
        if "http-equiv" in tag.attrs:
            found.add(str(tag))
    return found


def test_harmless_catalogs_bring_nothing_active_into_a_page(
    shown: tuple[Path, Path, Path],
) -> None:
    before, after = (
        {
            path: active(path.read_text(encoding="utf-8"))
            for path in site.rglob("*.html")
        }
        for site in shown[:2]
    )
    known = {item for page in before.values() for item in page}

    assert len(after) > len(HARMLESS)
    for path, page in after.items():
        new = {item for item in page - known if not PLACE.fullmatch(item)}
        assert not new, path


def test_what_a_hostile_text_says_is_shown_as_text(
    shown: tuple[Path, Path, Path],
) -> None:
    page = (shown[1] / "ko/tutorials/part/half_an_element.html").read_text("utf-8")

    article = BeautifulSoup(page, "html.parser").find("article")

    assert article is not None
    assert "문단 <img src=x onerror=alert(1) 하나." in article.get_text()
    assert "# 주석 <img src=x onerror=alert(1) 하나." in article.get_text()


def test_scripts_and_style_sheets_differ_in_their_words_only(
    shown: tuple[Path, Path, Path],
) -> None:
    clean, hostile, _source = shown
    words = re.compile(r'"(?:[^"\\\n]|\\.)*"')
    seen = 0

    for path in sorted(clean.rglob("_static/**/*")):
        if path.suffix in (".js", ".css"):
            before = path.read_text(encoding="utf-8")
            after = (hostile / path.relative_to(clean)).read_text(encoding="utf-8")
            seen += before != after
            # what nobody had translated has no entry yet
            texts = (
                re.sub(r'"": "",? ?', "", words.sub('""', x)) for x in (before, after)
            )
            first, second = texts
            assert first == second, path

    assert seen >= 2  # the copy button and the label of outputs
    index = (hostile / "ko" / "searchindex.js").read_text(encoding="utf-8")
    json.loads(index[index.index('{"') :].rstrip(")"))


def test_no_text_of_another_file_gets_into_the_site(
    shown: tuple[Path, Path, Path],
) -> None:
    for path in filter(Path.is_file, shown[1].rglob("*")):
        data = path.read_bytes()
        assert SECRET.encode() not in data, path
        assert b"root:x:0" not in data, path


def downloads(site: Path, suffix: str) -> Iterator[Path]:
    found = sorted(site.rglob(f"_downloads/*/*{suffix}"))
    assert found
    yield from found


def test_downloads_are_the_same_program(shown: tuple[Path, Path, Path]) -> None:
    _clean, hostile, source = shown
    script = (source / "gallery" / "part" / "page.py").read_text(encoding="utf-8")

    for path in downloads(hostile, ".py"):
        text = path.read_text(encoding="utf-8")
        assert same_program(script, text, docstring=False) is None, path
    for path in downloads(hostile, ".ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = [Cell(cell["cell_type"], "".join(cell["source"])) for cell in cells]
        text = f'""\n{program(code)}'
        assert same_program(script, text, docstring=False) is None, path


def test_notebooks_show_nothing_active(shown: tuple[Path, Path, Path]) -> None:
    clean, hostile, _source = shown
    before = {x for path in downloads(clean, ".ipynb") for x in active(rendered(path))}

    for path in downloads(hostile, ".ipynb"):
        assert active(rendered(path)) <= before, path
        assert "$" not in re.sub(r"\\\$", "", path.read_text(encoding="utf-8")), path


def rendered(notebook: Path) -> str:
    """Give the text of a notebook as a viewer shows it that lets HTML through."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(c["source"]) for c in cells if c["cell_type"] == "markdown"]
    return MarkdownIt("commonmark", {"html": True}).render("\n\n".join(texts))


@pytest.mark.parametrize(
    "text", ["</text><script>alert(1)</script>", "<!-- x", "]]>", "&lt;b&gt; \" ' &"]
)
def test_a_figure_shows_a_hostile_text_as_text(text: str) -> None:
    figure = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="9pt" height="9pt"'
        ' viewBox="0 0 9 9"><g id="text_1"><text style="font-size: 9px"'
        ' x="1" y="1">A label</text></g></svg>'
    )

    translated = svg.translate(figure, {"A label": text}, "ko")

    found = [
        (node.tag.rpartition("}")[2], node.text)
        for node in ElementTree.fromstring(translated).iter()
    ]
    assert found == [("svg", None), ("g", None), ("text", text)]
