"""Two builds are compared line by line; only hashes in names do not count."""

import subprocess
import sys
from pathlib import Path

import pytest
from paths import TOOLS

PAGE = '<img src="../_images/figure-0123abcd.svg">\n<p>One word.</p>\n'


@pytest.fixture
def builds(tmp_path: Path) -> tuple[Path, Path]:
    """Two builds that are the same but for the hash of a figure."""
    for name, number in (("before", "0123abcd"), ("after", "99887766")):
        (tmp_path / name / "en" / "_images").mkdir(parents=True)
        page = PAGE.replace("0123abcd", number)
        (tmp_path / name / "en" / "page.html").write_text(page)
        (tmp_path / name / "en" / "_images" / f"figure-{number}.svg").touch()
    return tmp_path / "before", tmp_path / "after"


def compare(builds: tuple[Path, Path]) -> tuple[int, list[str]]:
    command = [sys.executable, TOOLS / "compare_builds.py", *builds]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.returncode, done.stdout.splitlines()


def test_a_hash_in_a_name_is_no_difference(builds: tuple[Path, Path]) -> None:
    assert compare(builds) == (0, [])


def test_a_changed_word_is_shown_with_its_line(builds: tuple[Path, Path]) -> None:
    page = builds[1] / "en" / "page.html"
    page.write_text(page.read_text().replace("word", "wort"))

    status, shown = compare(builds)

    assert status == 1
    name = "en/page.html"
    head = [f"--- {name}", f"+++ {name}", "@@ -2 +2 @@"]
    assert shown == [*head, "-<p>One word.</p>", "+<p>One wort.</p>"]


def test_a_file_of_one_build_and_other_bytes_are_shown(
    builds: tuple[Path, Path],
) -> None:
    (builds[0] / "old.txt").touch()
    for build, content in zip(builds, (b"\xff", b"\xfe"), strict=True):
        (build / "a.png").write_bytes(content)

    status, shown = compare(builds)

    assert status == 1
    signs = [line[0] for line in shown if "no text, 1 bytes: " in line]
    assert signs == ["-", "+"]
    assert "old.txt: 1 before, 0 after" in shown
