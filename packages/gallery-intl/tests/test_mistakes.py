"""Mistakes in scripts and catalogs are named with the line where they were made."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from building import Copy, edit, run

SCRIPT = "gallery/page.py"
CATALOG = "locales/ko/LC_MESSAGES/pages/page.po"


@pytest.fixture(scope="module")
def built(copy: Callable[[str], Copy]) -> Copy:
    return copy("mistakes")


@pytest.fixture(scope="module")
def warnings(built: Copy) -> str:
    """What a build in Korean prints in color, without the colors, paths shortened."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("NO_COLOR", raising=False)
        patch.setenv("FORCE_COLOR", "1")
        printed = built.build("ko")
    assert "\x1b[" in printed
    return re.sub(r"\x1b\[[\d;]*m", "", printed).replace(f"{built.source}/", "")


@pytest.mark.parametrize(
    ("path", "found", "what"),
    [
        (SCRIPT, "# A comment.", r"translation of the comment 'A comment\.'.*'noqa'"),
        (SCRIPT, "# language=Python", "this block cannot be shown as a file"),
        (SCRIPT, "diff:: one.py three.py", "no file 'three.py' for this diff"),
        (SCRIPT, "diff:: one.py two.py", r"reasons for 2 changes.*1 .*'-one\(\)'"),
        (SCRIPT, "alt-text:: Of no figure.", "this alt text has no figure"),
        (CATALOG, 'msgid "Words."', "undefined label"),
        ("index.rst", ".. gallery::", "no page 'pages/nothing' for its card"),
    ],
)
def test_a_warning_names_the_line_that_a_person_wrote(
    built: Copy, warnings: str, path: str, found: str, what: str
) -> None:
    lines = (built.source / path).read_text("utf-8").split("\n")
    row = next(row for row, line in enumerate(lines, start=1) if found in line)

    assert re.search(rf"^{path}:{row}: WARNING: .*{what}", warnings, re.M), warnings


@pytest.mark.usefixtures("warnings")
def test_what_is_refused_stays_as_it_was(built: Copy) -> None:
    page = built.written("ko", "pages/page.rst").read_text("utf-8")

    assert "# A comment.\n" in page
    assert "제목" in built.written("ko", "pages/page.py").read_text("utf-8")


@pytest.mark.usefixtures("warnings")
def test_a_download_that_is_another_program_stops_the_build(
    built: Copy, tmp_path: Path
) -> None:
    path = built.written("ko", "pages/page.py")
    edit(path, "y = 2", "y = 3")

    result = run("sphinx", "-b", "html", built.written("ko", ""), tmp_path)

    edit(path, "y = 3", "y = 2")
    assert result.returncode
    assert "page.py:51: the download in 'ko' is another program" in result.stderr


def test_a_translation_that_makes_another_program_stops_the_build(
    copy: Callable[[str], Copy],
) -> None:
    own = copy("mistakes")
    path = own.source / CATALOG
    edit(path, "글 :ref:`nothing`.", 'a \\"\\"\\" b')

    result = own.run("build", "ko")

    assert result.returncode == 1
    assert re.search(r"page\.py:\d+: another program in 'ko'.*'Words\.'", result.stderr)


def test_a_warning_may_stop_the_build(copy: Callable[[str], Copy]) -> None:
    result = copy("mistakes").run("build", "ko", "--", "-W")

    assert result.returncode == 1
    assert "sphinx-build failed" in result.stderr
