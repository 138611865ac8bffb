"""The part on larger models gives numbers; each is one that a lesson asserts."""

from __future__ import annotations

import pytest
from paths import PROJECT

PART = PROJECT / "gallery" / "larger_models"

# what the part's page says, and the line of a lesson that would fail
CLAIMS = (
    ("16 bytes", "fitting_in_memory", "== 16 * sum(p.numel() for p in parameters)"),
    ("less than a twentieth", "fitting_in_memory", "< plain / 20"),
    ("at most a third", "fitting_in_memory", "more_operations / operations < 4 / 3"),
    ("17 GB on each of 64", "fully_sharded", "assert gigabytes == {1: 1118"),
    ("three times", "fully_sharded", "3 * full - once"),
    ("four all-reduces", "tensor_parallel", "4 if world_size > 1 else 0"),
    ("two thirds as much", "two_dimensions", 'slow["full"] >= 1.5 * slow["hybrid"]'),
    ("idle for 3 of 11", "pipeline_parallel", "Fraction(p - 1, m + p - 1)"),
    ("keeps its share", "long_sequences", "assert kept * world_size <= kept_by_one"),
    ("eight times", "experts", "assert every == n_experts * one"),
    ("work of one", "experts", "assert in_mixture.get_total_flops() =="),
)


@pytest.mark.parametrize("said", CLAIMS, ids=lambda said: said[0])
def test_what_the_part_says_a_lesson_asserts(said: tuple[str, str, str]) -> None:
    words, lesson, line = said
    text = " ".join((PART / "index.rst").read_text("utf-8").split())

    assert words in text
    assert line in (PART / f"{lesson}.py").read_text("utf-8")


def test_the_part_names_all_its_lessons_in_the_table() -> None:
    table = (PART / "index.rst").read_text("utf-8").partition(".. gallery::")[0]

    for lesson in sorted(PART.glob("*.py")):
        assert f"/tutorials/larger_models/{lesson.stem}`" in table
