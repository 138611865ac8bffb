"""Catalogs work in sphinx-intl as in any project with gettext.

Babel, with which ``sphinx-intl update`` writes, forgets ``X-Reviewed`` and the previous
text of a fuzzy message; docs/translating.md explains it.
"""

import gettext
import shutil
from collections.abc import Callable
from pathlib import Path

import polib
import pytest
from building import Copy, run

from gallery_intl.catalogs import po

PAGE = "pages/page"


@pytest.fixture(scope="module")
def gallery(copy: Callable[[str], Copy]) -> Copy:
    """A gallery with catalogs, one of which has messages in every state."""
    found = copy("status")
    found.catalogs(("-D", "plot_gallery=0"))
    path = po.po_path(found.source / "locales", "ko", PAGE)
    catalog = po.read(path)
    catalog.metadata["X-Reviewed"] = "A. Reader, 2026-11-20"
    catalog.find("the sum of both").previous_msgid = "What it was before. " * 8
    catalog.find("The end.").tcomment = "a translator's note"
    catalog.append(polib.POEntry(msgid="Gone", msgstr="사라짐", obsolete=True))
    po.write(path, catalog)
    return found


@pytest.fixture(scope="module")
def templates(gallery: Copy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What Sphinx collects from written sources, as `sphinx-intl` wants it."""
    folder = tmp_path_factory.mktemp("templates")
    for path in (gallery.source / "locales/en").rglob("*.po"):
        name = path.relative_to(gallery.source / "locales/en/LC_MESSAGES")
        catalog = po.read(path)
        for entry in catalog:
            entry.msgstr = ""
        po.write(folder / name.with_suffix(".pot"), catalog)
    return folder


@pytest.fixture
def locales(gallery: Copy, tmp_path: Path) -> Path:
    copied = shutil.copytree(gallery.source / "locales", tmp_path / "locales")
    return Path(copied)


def sphinx_intl(*arguments: str | Path) -> str:
    result = run("sphinx_intl", *arguments)
    assert result.returncode == 0, result.stderr
    return result.stdout


def bytes_of(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*.po"))}


def test_sphinx_intl_update_finds_nothing_to_do(templates: Path, locales: Path) -> None:
    before = bytes_of(locales)

    output = sphinx_intl("update", "-j1", "-p", templates, "-d", locales, "-l", "ko")

    kinds = {line.split(":")[0] for line in output.splitlines()}
    assert kinds == {"Not Changed"}
    assert bytes_of(locales) == before


def test_sphinx_intl_stat_counts_what_is_left(gallery: Copy) -> None:
    locales = gallery.source / "locales"

    output = run("sphinx_intl", "stat", "-d", locales, "-l", "ko").stdout

    (line,) = (x for x in output.splitlines() if x.split(":")[0].endswith("page.po"))
    assert line.endswith("1 fuzzy, 1 untranslated.")


def test_sphinx_intl_build_compiles_what_we_compile(
    gallery: Copy, tmp_path: Path
) -> None:
    found, locales = gallery.source / "locales", tmp_path / "locales"
    shutil.copytree(found, locales, ignore=shutil.ignore_patterns("*.mo"))

    sphinx_intl("build", "-d", locales, "-o", tmp_path / "theirs")
    po.compile_language(locales, "ko")

    paths = sorted((locales / "ko").rglob("*.po"))
    assert paths
    for path in paths:
        msgids = [entry.msgid for entry in polib.pofile(str(path))]
        theirs = (tmp_path / "theirs" / path.relative_to(locales)).with_suffix(".mo")
        shown = texts(path.with_suffix(".mo"), msgids)
        assert texts(theirs, msgids) == shown
        if path == po.po_path(locales, "ko", PAGE):
            assert shown.count("the sum of both") == 1  # it is fuzzy
            assert texts(theirs, ["Gone"]) == ["Gone"]


def texts(mo: Path, msgids: list[str]) -> list[str]:
    with mo.open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    return [compiled.gettext(msgid) for msgid in msgids]
