"""What the wheel of `gallery_intl` says of itself; `make try-wheel` installs it."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator

from paths import PROJECT

PACKAGE = PROJECT / "gallery_intl"
ABOUT = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))
EXTRAS = ABOUT["project"]["optional-dependencies"]


def names(requirements: list[str]) -> set[str]:
    """Give the packages of requirements, as an import names them."""
    found = (re.match(r"[\w-]+", each) for each in requirements)
    return {name[0].replace("-", "_") for name in found if name}


def imported() -> Iterator[str]:
    """Give what the package imports that is neither Python's nor its own."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield node.module.split(".")[0]


def test_the_wheel_asks_for_all_that_the_package_imports_and_for_no_more() -> None:
    asked = names(ABOUT["project"]["dependencies"])
    optional = {name for extra in EXTRAS.values() for name in names(extra)}
    needed = {*imported()} - sys.stdlib_module_names - {"gallery_intl"}

    # cycler comes with matplotlib
    assert needed - {"cycler"} == asked | optional


def test_what_the_wheel_names_is_there() -> None:
    about = ABOUT["project"]

    assert (PROJECT / about["readme"]).is_file()
    assert [*PROJECT.glob(about["license-files"][0])] == [PACKAGE / "LICENSE"]
    assert (PACKAGE / "py.typed").is_file()
    assert about["scripts"] == {"gallery-intl": "gallery_intl.__main__:main"}
    assert ABOUT["tool"]["flit"]["module"]["name"] == PACKAGE.name


def test_the_version_stands_in_one_place() -> None:
    text = (PACKAGE / "__init__.py").read_text("utf-8")

    assert ABOUT["project"]["dynamic"] == ["version"]
    assert re.findall(r'^__version__ = "(\d+\.\d+.*)"$', text, re.M)


def test_the_licence_is_that_of_the_repository() -> None:
    licence = (PACKAGE / "LICENSE").read_text("utf-8").strip()

    assert licence.startswith("BSD 3-Clause License")
    assert licence in (PROJECT / "LICENSE").read_text("utf-8")
