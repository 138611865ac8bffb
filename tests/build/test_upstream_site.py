"""What the site knows of pages and scripts of others, they still write.

A shape that had changed would raise nothing: it would just be found nowhere.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from gallery_site import upstream


def package(name: str) -> Path:
    spec = find_spec(name)
    assert spec
    assert spec.origin
    return Path(spec.origin).parent


def test_the_theme_names_its_modes_so() -> None:
    sheets = package("pydata_sphinx_theme").rglob("*.css")
    styles = "".join(path.read_text(encoding="utf-8") for path in sheets)

    assert {*upstream.MODE.findall(styles)} == {"light", "dark"}
