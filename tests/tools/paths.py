"""Where things are: the project, and what lies beside the tests."""

from pathlib import Path

TESTS = Path(__file__).parents[1]
PROJECT = TESTS.parent
ROOTS = TESTS / "roots"
CATALOGS = TESTS / "catalogs"
TOOLS = TESTS / "tools"
