"""Each figure of the gallery says in the text above its code what it shows."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from paths import PROJECT

from gallery_intl.script.source import blocks

SCRIPTS = sorted((PROJECT / "gallery").rglob("*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_each_figure_has_its_alt_text_and_no_code_holds_one(path: Path) -> None:
    found = blocks(path.read_text(encoding="utf-8"))

    drawn, shown = 0, False
    for text, code in pairwise(found):
        if code.kind == "code":
            figures = code.source.count("plt.subplots(")
            described = text.source.count(".. alt-text:: ")
            loop = re.search(r"\bfor .*:\n +fig, ax = plt\.subplots\(", code.source)
            in_loop = loop and described > figures  # one for each turn
            assert described == figures or in_loop, text.source
            drawn += figures
            shown = "plt.show()" in code.source or (shown and not figures)
    assert shown or not drawn, (
        "who runs the program has to see each figure: call plt.show()"
    )
    assert "label=(" not in path.read_text(encoding="utf-8")
