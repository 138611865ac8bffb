"""The tests themselves: those of this folder need little, and none is passed over."""

from __future__ import annotations

import fnmatch
import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from paths import PROJECT, TESTS


def can_import(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


HERE = Path(__file__)
AT_ITS_TOP = [name for name in ("torch", "playwright") if can_import(name)]


def test_a_quick_test_can_import_neither_torch_nor_a_browser() -> None:
    assert AT_ITS_TOP == []
    assert not can_import("torch")
    assert not can_import("playwright")


@pytest.mark.parametrize("name", ["site", "served", "chromium"])
def test_a_quick_test_gets_no_built_site(
    request: pytest.FixtureRequest, name: str
) -> None:
    with pytest.raises(pytest.fail.Exception, match="needs another folder"):
        request.getfixturevalue(name)


def test_no_quick_test_reads_the_built_site() -> None:
    others = [path for path in HERE.parent.glob("*.py") if path != HERE]

    reading = [path.name for path in others if '"_build' in path.read_text("utf-8")]

    assert len(others) > 10
    assert reading == []


def test_no_folder_of_tests_is_passed_over(pytestconfig: pytest.Config) -> None:
    """By itself pytest leaves out what is named build."""
    patterns = pytestconfig.getini("norecursedirs")
    tests = [path for path in TESTS.rglob("test_*.py") if "roots" not in path.parts]

    left_out = [
        path
        for path in tests
        for part in path.relative_to(TESTS).parts
        if any(fnmatch.fnmatch(part, pattern) for pattern in patterns)
    ]
    command = [sys.executable, "-m", "ruff", "check", "--show-files", TESTS]
    listed = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)

    assert len(tests) > 50
    assert left_out == []
    assert {str(path) for path in tests} <= {*listed.stdout.splitlines()}
