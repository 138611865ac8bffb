"""What the wheel declares, and what it builds of the example."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
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


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with nothing but what the wheel has."""
    folder = tmp_path_factory.mktemp("wheel")
    build = (
        "from flit_core.buildapi import build_wheel as b; import sys; b(sys.argv[1])"
    )
    subprocess.run([sys.executable, "-c", build, folder], cwd=PACKAGE, check=True)
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


@pytest.mark.parametrize("theme", ["alabaster", "classic", "pydata_sphinx_theme"])
def test_the_wheel_builds_the_example(
    installed: Path, tmp_path: Path, theme: str
) -> None:
    source = shutil.copytree(PACKAGE / "example", tmp_path / "example")
    command = [sys.executable, "-P", "-m", "gallery_intl", "build"]
    result = subprocess.run(
        [*command, "--source", source, "--", "-W", "-D", f"html_theme={theme}"],
        env=os.environ | {"PYTHONPATH": str(installed)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, result.stderr

    for language, title in (
        ("en", "The mean of many numbers"),
        ("ko", "많은 수의 평균"),
    ):
        page = source / "_build/html" / language / "auto_examples/plot_mean.html"
        html = page.read_text(encoding="utf-8")
        assert f"<h1>{title}<" in html
        assert '<details class="language-menu">' in html
    assert "# 수 1개부터 100개까지" in html
    (figure,) = page.parents[1].glob("_images/sphx_glr_plot_mean_001.svg")
    assert ">오차</text>" in figure.read_text(encoding="utf-8")
