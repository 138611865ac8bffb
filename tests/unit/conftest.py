"""What is tested here needs no torch, no browser and no built site: they are hidden."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest

HIDDEN = ("torch", "playwright")


@contextmanager
def hiding() -> Iterator[None]:
    """Let nobody import what is hidden, even if tests of another folder did."""
    with pytest.MonkeyPatch.context() as patch:
        for name in HIDDEN:
            patch.setitem(sys.modules, name, None)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, object, object]:
    """Hide it from what is imported at the top of a test's file."""
    with hiding():
        return (yield)


@pytest.fixture(autouse=True)
def _hidden() -> Iterator[None]:
    """Hide it from each test."""
    with hiding():
        yield


def elsewhere() -> None:
    """There is no built site here, and no browser."""
    pytest.fail("this test stands in tests/unit: it needs another folder")


site = pytest.fixture(elsewhere)
served = pytest.fixture(elsewhere)
chromium = pytest.fixture(elsewhere)
