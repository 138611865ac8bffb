"""``make check`` finds what is wrong in the catalogs of the site, with its place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polib
import pytest
from paths import PROJECT

from gallery_intl.catalogs import po as catalogs
from gallery_site import checks

OURS = sorted((PROJECT / "locales").rglob("*.po"))
FIRST = {"en", "ko", "zh_CN", "ja"}


def command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "gallery_site", "check", *map(str, arguments)]
    return subprocess.run(line, cwd=PROJECT, capture_output=True, text=True)


def write(folder: Path, language: str, messages: dict[str, str]) -> Path:
    path = catalogs.po_path(folder, language, "page")
    path.parent.mkdir(parents=True)
    catalog = polib.POFile()
    catalog.metadata = {"Content-Type": "text/plain; charset=UTF-8"}
    catalog += [polib.POEntry(msgid=x, msgstr=y) for x, y in messages.items()]
    catalog.save(str(path))
    return path


def test_our_catalogs_have_no_findings() -> None:
    done = command()

    assert (done.stdout, done.returncode) == ("", 0)


@pytest.mark.translated
def test_the_first_four_languages_are_complete() -> None:
    """A language that is added later may be begun."""
    first = [path for path in OURS if checks.language_of(path) in FIRST]

    assert list(checks.gaps(first, "en")) == []


def test_findings_gaps_and_differences_are_printed(tmp_path: Path) -> None:
    write(tmp_path, "en", {"One ``x``.": "One ``x``.", "Two.": "Two."})
    korean = write(tmp_path, "ko", {"One ``x``.": "`x` 하나.", "Old.": "예전 것."})

    done = command(tmp_path)

    assert done.stdout.splitlines() == [
        f"{korean}:5: mistyped-markup: `x` is neither code nor a link (write ``x``)",
        f"{korean}:5: missing-message: 'Two.' is lost"
        " (bring it back, or run the catalogs command)",
        f"{korean}:8: unknown-message: 'Old.' is not among the English messages"
        " (run the catalogs command)",
    ]
    assert done.stderr == "ko: 1 untranslated, 0 fuzzy\n3 findings in 2 catalogs\n"
    assert done.returncode == 1


@pytest.mark.parametrize("text", ['msgctxt "a"\nmsgid "b"\nmsgstr "c"', 'msgid "b'])
def test_a_catalog_that_a_build_refuses_has_one_finding(
    tmp_path: Path, text: str
) -> None:
    path = write(tmp_path, "ko", {})
    path.write_text(f"{path.read_text('utf-8')}\n{text}\n", encoding="utf-8")

    lines = command(path).stdout.splitlines()

    assert [line.split(": ")[1] for line in lines] == ["broken-catalog"]


def test_every_finding_is_in_the_manual() -> None:
    names = {"missing-message", "unknown-message", "late-gloss", "broken-catalog"}

    assert names <= {*command("--rules").stdout.split("\n")}


def test_a_wrong_path_is_an_error() -> None:
    done = command("locales/nowhere.po")

    assert "no catalogs: locales/nowhere.po" in done.stderr
    assert done.returncode == 1
