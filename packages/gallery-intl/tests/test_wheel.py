"""What the wheel declares; `.ci/try_package.py` installs it alone."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from building import PACKAGE

SOURCE = PACKAGE / "gallery_intl"
ABOUT = tomllib.loads((PACKAGE / "pyproject.toml").read_text("utf-8"))["project"]
# another package, or the site that this one was made for
FOREIGN = {"gallery_run", "gallery_site", "po_check_cjk", "sphinx_cjk_search", "torch"}


def names(requirements: list[str]) -> set[str]:
    """Return the packages of requirements, as an import names them."""
    found = (re.match(r"[\w-]+", each) for each in requirements)
    return {name[0].replace("-", "_") for name in found if name}


def imported(folder: Path) -> Iterator[str]:
    """Yield what a package imports."""
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield node.module.split(".")[0]


def test_the_wheel_requires_what_the_package_imports_and_no_more() -> None:
    extras = ABOUT["optional-dependencies"]["figures"]
    needed = {*imported(SOURCE)} - sys.stdlib_module_names - {"gallery_intl"}

    # cycler comes with matplotlib
    assert needed - {"cycler"} == names(ABOUT["dependencies"]) | names(extras)
    assert not needed & FOREIGN


def test_the_wheel_is_typed_and_has_a_command() -> None:
    assert (SOURCE / "py.typed").is_file()
    assert ABOUT["scripts"] == {"gallery-intl": "gallery_intl.__main__:main"}
