"""The package by itself: its catalogs, and a site with nothing but the wheel."""

from __future__ import annotations

import gettext
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import sphinx_cjk_search
from sphinx_cjk_search.index import CATALOG

PACKAGE = Path(sphinx_cjk_search.__file__).parent
SITE = Path(__file__).parent / "site"
ENTRY = re.compile(r'^msgid "(.+)"\nmsgstr "(.+)"$', re.MULTILINE)


@pytest.mark.parametrize("language", ["ja", "ko", "zh_CN"])
def test_the_compiled_catalog_is_up_to_date(language: str) -> None:
    path = PACKAGE / "locale" / language / "LC_MESSAGES" / f"{CATALOG}.po"
    compiled = gettext.translation(CATALOG, PACKAGE / "locale", [language])

    entries = ENTRY.findall(path.read_text(encoding="utf-8"))

    assert len(entries) == 8
    assert {x: compiled.gettext(x) for x, _ in entries} == dict(entries)
    code = (PACKAGE / "index.py").read_text(encoding="utf-8")
    assert all(f'"{text}"' in code for text, _ in entries)


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what is in the wheel."""
    buildapi = pytest.importorskip("flit_core.buildapi")
    monkeypatch.chdir(PACKAGE.parent)
    with zipfile.ZipFile(tmp_path / buildapi.build_wheel(tmp_path)) as wheel:
        wheel.extractall(tmp_path / "wheel")
    return tmp_path / "wheel"


def test_the_wheel_alone_searches_a_site(tmp_path: Path, wheel: Path) -> None:
    for language in ("en", "ko"):
        out = tmp_path / language
        command = [sys.executable, "-m", "sphinx", "-W", "-q", SITE, out]
        subprocess.run(
            [*command, "-D", f"language={language}"],
            env={**os.environ, "PYTHONPATH": str(wheel)},
            cwd=tmp_path,
            check=True,
        )

        assert len([*out.glob("_static/cjk-search*")]) == 5
        index = (out / "_static/cjk-search-index.js").read_text(encoding="utf-8")
        assert ("검색어가" in index) == (language == "ko")
