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
from sphinx import package_dir

import sphinx_cjk_search
from sphinx_cjk_search.index import CATALOG

PACKAGE = Path(sphinx_cjk_search.__file__).parent
ENTRY = re.compile(r'^msgid "(.+)"\nmsgstr "(.+)"$', re.MULTILINE)


@pytest.mark.parametrize("language", ["ja", "ko", "zh_CN"])
def test_the_compiled_catalog_is_up_to_date(language: str) -> None:
    path = PACKAGE / "locale" / language / "LC_MESSAGES" / f"{CATALOG}.po"
    compiled = gettext.translation(CATALOG, PACKAGE / "locale", [language])

    entries = ENTRY.findall(path.read_text(encoding="utf-8"))

    assert len(entries) == 4
    assert {x: compiled.gettext(x) for x, _ in entries} == dict(entries)
    code = (PACKAGE / "index.py").read_text(encoding="utf-8")
    assert all(f'"{text}"' in code for text, _ in entries)


def test_sphinx_calls_these_methods_of_its_search_script() -> None:
    """Ours takes the place of that script, so it has what pages call."""
    script = (PACKAGE / "static" / "searchtools.js").read_text(encoding="utf-8")
    doctools = package_dir / "themes/basic/static/doctools.js"

    for name in ("performSearch", "setIndex", "loadIndex"):
        assert re.search(rf"^  .*\b{name}\b", script, re.MULTILINE), name
    for name in ("_", "_ready"):
        assert f"const {name} = " in doctools.read_text(encoding="utf-8")


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_wheel_alone_searches_a_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    buildapi = pytest.importorskip("flit_core.buildapi")
    monkeypatch.chdir(PACKAGE.parent)
    with zipfile.ZipFile(tmp_path / buildapi.build_wheel(tmp_path)) as wheel:
        wheel.extractall(tmp_path / "wheel")

    site, out = Path(__file__).parent / "site", tmp_path / "out"
    command = ["-W", "-q", "-D", f"language={language}", str(site), str(out)]
    subprocess.run(
        [sys.executable, "-m", "sphinx", *command],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "wheel")},
        cwd=tmp_path,
        check=True,
    )

    names = {path.name for path in (out / "_static").glob("cjk-search*")}
    assert len(names) == 4
    index = (out / "_static/cjk-search-index.js").read_text(encoding="utf-8")
    assert ("검색어가" in index) == (language == "ko")
