"""Wait until an expression is true in a page."""

from __future__ import annotations

import time
from typing import Any

from playwright.sync_api import Page

PATIENCE = 30  # seconds


def wait_until(page: Page, expression: str, arg: Any = None) -> None:
    """Ask a page again and again until an expression is true."""
    end = time.monotonic() + PATIENCE
    while not page.evaluate(expression, arg):
        assert time.monotonic() < end, expression
        page.wait_for_timeout(50)
