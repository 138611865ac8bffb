"""Break a page, and it stops: each page's main assertions can fail."""

import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest
import warm
from paths import PROJECT

from gallery_run.needs import world_size

GALLERY = PROJECT / "gallery"


class Break(NamedTuple):
    """One change of a page, and the line of the page that must then fail."""

    page: str
    what: str
    old: str
    new: str
    fails: str
    ranks: int = 2  # at most, as fewer say the same


DATA = Path(__file__).with_name("broken_pages.toml").read_text("utf-8")
BREAKS = [
    Break(page, **case) for page, cases in tomllib.loads(DATA).items() for case in cases
]


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{case.page}: {case.what}") for case in BREAKS]
)
def test_a_broken_page_fails_where_it_says_so(tmp_path: Path, case: Break) -> None:
    original = (GALLERY / f"{case.page}.py").read_text("utf-8")
    assert original.count(case.old) == 1, f"change this case: {case.old!r}"
    script = tmp_path / Path(case.page).with_suffix(".py").name
    script.write_text(original.replace(case.old, case.new), "utf-8")

    work = warm.Script(script, tmp_path)

    # without GPUs, so that a break fails alike on every machine
    ranks = world_size(original) or 0
    ranks = min(ranks, case.ranks)
    done = warm.run(work, tmp_path, ranks, CUDA_VISIBLE_DEVICES="")

    assert done.returncode != 0
    assert "AssertionError" in done.stderr, done.stderr
    assert case.fails in done.stderr, done.stderr
