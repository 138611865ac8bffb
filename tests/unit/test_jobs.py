"""What jobs compute: what a change touches, which pages differ, what is said of it."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from paths import PROJECT

from gallery_intl import __version__


def program(name: str) -> dict[str, Any]:
    return runpy.run_path(str(PROJECT / ".ci" / f"{name}.py"))


TOUCHED, COMMENT = program("touched")["touched"], program("comment")["comment"]
CHANGED = program("changed_pages")
KO = "locales/ko/LC_MESSAGES/tutorials/ranks/hello_ranks.po"


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ([KO], (False, ["html-en", "html-ko"])),
        ([KO, "locales/en/LC_MESSAGES/index.po"], (False, ["html-en", "html-ko"])),
        (["README.md", ".github/CODEOWNERS"], (False, ["html"])),
        ([KO, "gallery/ranks/hello_ranks.py"], (True, ["html"])),
        (["locales/glossary.csv"], (True, ["html"])),
        ([".github/workflows/main.yml"], (True, ["html"])),
        ([".github/ISSUE_TEMPLATE/new_lesson.yml"], (True, ["html"])),
        ([".github/dependabot.yml"], (True, ["html"])),
        (["gallery_intl/README.md"], (True, ["html"])),
    ],
)
def test_a_translation_runs_only_what_it_needs(
    paths: list[str], expected: tuple[bool, list[str]]
) -> None:
    assert TOUCHED(paths) == expected


def page(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_a_page_differs_by_what_it_says_itself(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    for folder, menu, said in ((before, "old", "one"), (after, "new", "two")):
        article = '<img src="../_images/a-{}.svg">same'.format("0123456789ab"[::-1])
        page(folder, "ko/same.html", f"<nav>{menu}</nav><article>{article}</article>")
        page(folder, "ko/part/other.html", f"<article>{said}</article>")
        page(folder, "ko/_static/x.html", menu)
    page(after, "ko/new.html", "<article>new</article>")
    page(after, "ko/_static/style.css", "")

    pages = CHANGED["changed"](before, after)
    CHANGED["copy"](after, pages, tmp_path / "copy")

    assert pages == ["ko/new.html", "ko/part/other.html"]
    copied = {x.relative_to(tmp_path / "copy").as_posix() for x in files(tmp_path)}
    assert copied == {*pages, "ko/_static/style.css", "ko/_static/x.html"}


def test_without_another_build_no_page_is_said_to_be_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page(tmp_path / "html", "ko/new.html", "<article>new</article>")

    CHANGED["main"](tmp_path / "before", tmp_path)

    assert "no other build" in capsys.readouterr().out
    assert COMMENT(tmp_path / "comment", "x") == (
        "There was no build of the main branch to compare the pages with."
    )


def files(folder: Path) -> list[Path]:
    return [path for path in (folder / "copy").rglob("*") if path.is_file()]


def test_a_comment_names_pages_and_numbers(tmp_path: Path) -> None:
    (tmp_path / "pages.txt").write_text("ko/tutorials/ranks/hello_ranks.html\n")
    (tmp_path / "fuzzy.txt").write_text("ko: 3 fuzzy\nja: 0 fuzzy\nzh_CN: 12 fuzzy\n")

    text = COMMENT(tmp_path, "https://a.org/1")

    assert "1 page differs ([download](https://a.org/1))" in text
    assert "- `ko/tutorials/ranks/hello_ranks.html`" in text
    assert "ko 3, zh_CN 12." in text


def test_a_comment_lets_nothing_else_through(tmp_path: Path) -> None:
    evil = [
        "@everybody look",
        "ko/a.html`](https://evil)",
        "../../x.html",
        "ko/a.html ",
    ]
    (tmp_path / "pages.txt").write_text("\n".join([*evil, "ko/b.html\r\n"]))
    (tmp_path / "fuzzy.txt").write_bytes(b"ko: 3 fuzzy @all\n\xff\nko: 9999999 fuzzy\n")

    assert COMMENT(tmp_path, "x") == (
        "No built page differs from those of the main branch."
    )


def test_a_comment_stays_short(tmp_path: Path) -> None:
    names = "".join(f"ko/page{number}.html\n" for number in range(50_000))
    (tmp_path / "pages.txt").write_text(names)

    text = COMMENT(tmp_path, "x")

    assert text.count("\n- `") == 20
    assert len(text) < 1000


CHANGES = "# Changelog\n\n## 0.2 (soon)\n\n- Two.\n\n## 0.1\n\n- One.\n"


@pytest.mark.parametrize(
    ("version", "expected"), [("0.2", "- Two."), ("0.1", "- One."), ("0", "")]
)
def test_release_notes_are_a_section_of_the_changelog(
    version: str, expected: str
) -> None:
    assert program("release_notes")["notes"](CHANGES, version) == expected


def test_a_tag_is_the_version_of_the_code() -> None:
    command = [sys.executable, str(PROJECT / ".ci/release_notes.py")]

    wrong = subprocess.run([*command, "v9.9"], capture_output=True, text=True)
    right = subprocess.run(
        [*command, f"v{__version__}"], capture_output=True, encoding="utf-8"
    )

    assert wrong.returncode == 1
    assert "'v9.9'" in wrong.stderr
    assert right.returncode == 0, right.stderr
    assert right.stdout.strip()


def test_windows_is_told_what_works_there() -> None:
    run = "import sys; sys.platform = 'win32'; import gallery_site.unix"

    done = subprocess.run(
        [sys.executable, "-c", run], cwd=PROJECT, capture_output=True, text=True
    )

    assert done.returncode == 1
    assert "WSL" in done.stderr
    assert "Traceback" not in done.stderr
    # before anything that Windows cannot import
    commands = (PROJECT / "gallery_site/__main__.py").read_text("utf-8")
    first = next(x for x in commands.splitlines() if x.startswith("from gallery_site"))
    assert first.startswith("from gallery_site import unix ")
