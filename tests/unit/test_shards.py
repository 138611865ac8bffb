"""The parts of the tests have every test once, wherever they run."""

from __future__ import annotations

import argparse
import subprocess
import sys

import pytest
from paths import PROJECT
from shards import Shard, dealt, shard

FILES = [f"test_{number:02}.py" for number in range(11)]


def test_every_file_is_in_one_part() -> None:
    hands = [dealt(FILES, Shard(number, 4)) for number in (1, 2, 3, 4)]

    assert sorted(name for hand in hands for name in hand) == FILES
    assert {len(hand) for hand in hands} == {2, 3}


def test_the_longest_are_in_different_parts() -> None:
    assert [dealt(FILES[:4], Shard(n, 4)) for n in (1, 2, 3, 4)] == [
        {name} for name in FILES[:4]
    ]


@pytest.mark.parametrize("text", ["0/4", "5/4", "1", "1/0", "a/b"])
def test_what_is_no_part_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="write 1/4"):
        shard(text)


def collected(*arguments: str) -> list[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only"]
    tests = "tests/unit/test_shards.py", "tests/unit/test_todo.py"
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", *tests, *arguments],
        cwd=PROJECT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "::" in line]


def test_pytest_takes_its_part_only() -> None:
    parts = [collected(f"--shard={number}/2") for number in (1, 2)]

    assert all(parts)
    assert sorted(parts[0] + parts[1]) == sorted(collected())
