"""Packages import neither each other nor the site; the site imports them all."""

from __future__ import annotations

import ast

import pytest
from paths import PROJECT

SITE = {"gallery_run", "gallery_site"}
PACKAGES = sorted(path.parent.name for path in PROJECT.glob("packages/*/*/py.typed"))


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_imports_no_other_package_and_no_site(name: str) -> None:
    others = {*PACKAGES, *SITE, "torch", "pydata_sphinx_theme"} - {name}

    assert len(PACKAGES) == 3
    for path in PROJECT.glob(f"packages/*/{name}/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                assert not others & {x.name.split(".")[0] for x in node.names}, path
            elif isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] not in others, path
