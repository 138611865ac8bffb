"""A hostile catalog is refused with its line, or shown as the text that it is.

The site's guard runs before Sphinx parses anything. Each file of
``tests/catalogs/hostile`` names the rule that refuses it, in a comment or in a file
``.expect`` of the same name; those in ``sphinx`` are catalogs of the interface.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from bs4 import BeautifulSoup
from paths import CATALOGS, PROJECT, ROOTS

import po_check_cjk.check  # noqa: F401  # it registers the rules
from gallery_intl.script.source import same_program
from po_check_cjk.message import GUARDS

CASES = sorted((CATALOGS / "hostile").rglob("*.po"))
BROKEN = "broken-catalog"
ACTIVE = {"script", "style", "iframe", "object", "embed", "form", "base"}
LOADS = {"src", "srcset", "action", "formaction", "data", "style", "srcdoc"}
TEXT = (
    "{{ 7*7 }} %run !rm [x](//elsewhere.invalid/) 문단 <img src=x onerror=alert(1) 하나"
)
COMMENT = "{{ cycler.__init__ }} ${alert(1)} </b <img src=x onerror=alert(1) 하나"
HARMLESS = f"""\
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "One paragraph."
msgstr "{TEXT}"

msgid "A comment."
msgstr "{COMMENT}"
"""


def rule(path: Path) -> str:
    beside = path.with_suffix(".expect")
    text = (beside if beside.exists() else path).read_text("utf-8", errors="replace")
    found = re.search(r"# expect: rejected ([\w-]+)$", text, re.M)
    assert found, path
    return found[1]


def put(path: Path, locales: Path) -> Path:
    """Copy a catalog to where a site has it; return its path there."""
    name = "sphinx.po" if path.parent.name == "sphinx" else f"part/{path.name}"
    place = locales / "ko" / "LC_MESSAGES" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copyfile(path, place))


def test_each_guard_and_each_kind_of_broken_file_has_a_catalog() -> None:
    assert {rule(path) for path in CASES} == GUARDS | {BROKEN}


def html(source: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gallery_site", "--source", str(source), "html"]
    return subprocess.run([*command, "ko"], cwd=PROJECT, capture_output=True, text=True)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A small site; its script writes where a variable says it."""
    folder = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RUNS", str(folder / "runs"))
        yield Path(shutil.copytree(ROOTS / "test-site", folder / "site"))


def test_a_build_shows_hostile_text_as_text(source: Path) -> None:
    assert html(source).returncode == 0
    page = source / "_build/html/ko/tutorials/part/page.html"
    before = set(active(page.read_text("utf-8")))
    catalog = source / "locales/ko/LC_MESSAGES/tutorials/part/page.po"
    clean = catalog.read_text("utf-8")
    catalog.write_text(HARMLESS, "utf-8")

    result = html(source)
    catalog.write_text(clean, "utf-8")

    assert result.returncode == 0, result.stdout + result.stderr
    article = BeautifulSoup(page.read_text("utf-8"), "html.parser").article
    assert article
    assert TEXT in article.get_text()
    assert f"# {COMMENT}" in article.get_text()
    assert {*active(page.read_text("utf-8"))} <= before
    written = source / "_build/source/ko/tutorials/part"
    program = (source / "gallery/part/page.py").read_text("utf-8")
    script = (written / "page.py").read_text("utf-8")
    assert same_program(program, script, docstring=False) is None
    cells = json.loads((written / "page.ipynb").read_text("utf-8"))["cells"]
    assert not [x for x in cells if re.match("[%!]r", "".join(x["source"]))]


def active(page: str) -> Iterator[str]:
    """Yield what a page runs, loads, or leads to outside of its site."""
    page = re.sub(r"'sha256-[^']*'|\?v=\w+", "", page)
    for tag in BeautifulSoup(page, "html.parser").find_all(True):
        link = urlsplit(str(tag.get("href", "")))
        if tag.name in ACTIVE or "http-equiv" in tag.attrs:
            yield f"<{tag.name}> {tag.string}"
        elif link.scheme or link.netloc:
            yield f"<{tag.name} href> {link.geturl()}"
        for name, value in tag.attrs.items():
            if name in LOADS or name.startswith("on"):
                yield f"<{tag.name} {name}> {value}"


@pytest.mark.parametrize("broken", [True, False], ids=["broken", "unsafe"])
def test_a_build_refuses_every_hostile_catalog(source: Path, broken: bool) -> None:
    chosen = {path: rule(path) for path in CASES if (rule(path) == BROKEN) == broken}
    places = {put(path, source / "locales"): name for path, name in chosen.items()}

    result = html(source)
    for place in places:
        place.unlink()

    assert result.returncode != 0
    output = result.stdout + result.stderr
    for place, name in places.items():
        reason = "" if broken else f"{name}: "
        line = re.search(rf"{place}:\d+: {reason}.+\(.+\)", output)
        assert line, f"{place.name} is not named"
