"""Our catalogs work in others' tools, and come back from them whole.

What is not kept is said in docs/translating.md: Babel, with which ``sphinx-intl
update`` writes, forgets ``X-Reviewed`` and the previous text of a fuzzy message.
"""

import gettext
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import polib
import commands
import pytest
from babel.messages.pofile import read_po, write_po
from paths import PROJECT

from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs.merge import update

LANGUAGES = sorted(
    path.name for path in (PROJECT / "locales").iterdir() if path.is_dir()
)
OURS = sorted((PROJECT / "locales").rglob("*.po"))
PAGE = "tutorials/ranks/hello_ranks"
OWN = "own-words-for-tests"  # beside the templates: that of the package's words


def run(*command: str | Path) -> str:
    first, *rest = map(str, command)
    if first.startswith("sphinx"):
        result = commands.run(first, *rest, cwd=PROJECT)
    else:
        result = subprocess.run([first, *rest], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The site's templates, made anew; places in them are relative to the project."""
    assert (PROJECT / "tutorials").is_dir(), "no pages to read: run make html"
    folder = PROJECT / "_build" / "gettext-for-tests"
    doctrees = tmp_path_factory.mktemp("doctrees")
    command = ["sphinx", "-q", "-W", "-E", "-b", "gettext"]
    run(*command, "-D", "gallery_intl_run=0", "-d", doctrees, ".", folder)
    own = folder.with_name(OWN)
    own.mkdir(exist_ok=True)
    (folder / f"{catalogs.DOMAIN}.pot").replace(own / f"{catalogs.DOMAIN}.pot")
    yield folder
    for made in (folder, own):
        shutil.rmtree(made)


@pytest.fixture
def locales(tmp_path: Path) -> Path:
    """A copy of the catalogs, one of which has messages in every state."""
    folder = tmp_path / "locales"
    shutil.copytree(PROJECT / "locales", folder, ignore=shutil.ignore_patterns("*.mo"))
    path = catalogs.po_path(folder, "ko", PAGE)
    catalog = catalogs.read(path)
    catalog.metadata["X-Reviewed"] = "A. Reader, 2026-11-20"
    catalog[0].flags = ["fuzzy"]
    catalog[0].previous_msgid = "What it said before. " * 8
    catalog[1].msgstr = ""
    catalog[2].tcomment = "a translator's note"
    catalog.append(polib.POEntry(msgid="Gone", msgstr="사라짐", obsolete=True))
    catalogs.write(path, catalog)
    return folder


def test_our_catalogs_are_up_to_date(templates: Path, tmp_path: Path) -> None:
    places = {
        "locales": templates,
        "packages/gallery-intl/gallery_intl/locales": templates.with_name(OWN),
    }
    for place, made in places.items():
        shutil.copytree(PROJECT / place, tmp_path / place)

        changed = list(update(made, tmp_path / place, LANGUAGES))

        assert changed == [], "run make catalogs"


def bytes_of(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*.po"))}


def test_sphinx_intl_update_finds_nothing_to_do(templates: Path, locales: Path) -> None:
    before = bytes_of(locales)
    command = ["sphinx_intl", "update", "-j", "1"]

    output = run(*command, "-p", templates, "-d", locales, "-l", ",".join(LANGUAGES))

    verdicts = [line.split(":")[0] for line in output.splitlines()]
    assert verdicts == ["Not Changed"] * len(OURS)
    assert bytes_of(locales) == before


def shown(mo: Path, msgids: list[str]) -> list[str]:
    with mo.open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    return [compiled.gettext(msgid) for msgid in msgids]


def test_sphinx_intl_build_compiles_what_we_compile(
    locales: Path, tmp_path: Path
) -> None:
    run("sphinx_intl", "build", "-d", locales, "-o", tmp_path)
    for language in LANGUAGES:
        catalogs.compile_language(locales, language)

    for path in bytes_of(locales):
        msgids = [entry.msgid for entry in polib.pofile(str(path))]
        theirs = (tmp_path / path.relative_to(locales)).with_suffix(".mo")
        ours = path.with_suffix(".mo")
        assert shown(theirs, msgids) == shown(ours, msgids)
        if path == catalogs.po_path(locales, "ko", PAGE):
            gaps = [*msgids[:2], "Gone"]  # fuzzy, empty and obsolete
            assert shown(theirs, gaps) == gaps


@pytest.mark.parametrize("path", OURS, ids=lambda path: str(path.relative_to(PROJECT)))
def test_gettext_accepts_every_catalog(path: Path) -> None:
    if shutil.which("msgfmt") is None:
        pytest.skip("no msgfmt on this machine (it comes with gettext)")

    run("msgfmt", "--check", "--output-file=/dev/null", path)


def babel(path: Path, template: Path) -> None:
    with path.open("rb") as file:
        catalog = read_po(file, charset="utf-8")
    with path.open("wb") as file:
        write_po(file, catalog)


def other_polib(path: Path, template: Path) -> None:
    polib.pofile(str(path), wrapwidth=60).save()


def msgcat(path: Path, template: Path) -> None:
    run("msgcat", "--no-wrap", "-o", path, path)


def msgmerge(path: Path, template: Path) -> None:
    run("msgmerge", "--quiet", "--previous", "-o", path, path, template)


def poedit(path: Path, template: Path) -> None:
    """Write as Poedit does: with GNU's writer, and with its mark in the header."""
    catalog = polib.pofile(str(path))
    catalog.metadata["X-Generator"] = "Poedit 3.5"
    catalog.save()
    run("msgcat", "-o", path, path)


Message = tuple[str, str, bool, str, str]


def messages(path: Path) -> list[Message]:
    """What a translator wrote, or will read, in the file's order."""
    return [
        (entry.msgid, entry.msgstr, entry.fuzzy, entry.previous_msgid, entry.tcomment)
        for entry in catalogs.read(path)
        if not entry.obsolete
    ]


def body(path: Path) -> bytes:
    return path.read_bytes().partition(b"\n\n")[2]


@pytest.mark.parametrize("writer", [other_polib, msgcat, msgmerge, poedit])
def test_a_catalog_comes_back_whole_and_is_written_as_before(
    writer: Callable[[Path, Path], None], templates: Path, locales: Path
) -> None:
    name = writer.__name__
    if name != "other_polib" and shutil.which("msgmerge") is None:
        pytest.skip("no gettext on this machine")
    path = catalogs.po_path(locales, "ko", PAGE)
    before, text = messages(path), body(path)
    header = catalogs.read(path).metadata

    writer(path, templates / f"{PAGE}.pot")
    assert body(path) != text
    assert messages(path) == before
    list(update(templates, locales, ["ko"]))

    assert body(path) == text
    assert header.items() <= catalogs.read(path).metadata.items()


def test_what_babel_forgets_is_no_translation(templates: Path, locales: Path) -> None:
    path = catalogs.po_path(locales, "ko", PAGE)
    before = messages(path)

    babel(path, templates / f"{PAGE}.pot")
    list(update(templates, locales, ["ko"]))

    assert [message[:3] for message in messages(path)] == [m[:3] for m in before]
    # why sphinx-intl update comes after make catalogs, which leaves it nothing to do
    assert "X-Reviewed" not in catalogs.read(path).metadata
    assert catalogs.read(path)[0].previous_msgid is None
