"""What we lean on inside of Sphinx-Gallery, as seen in its version 0.22.1.

It has no event for the beginning and the end of a page, and none before it generates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx_gallery import gen_gallery, gen_rst  # type: ignore[import-untyped]
from sphinx_gallery.scrapers import (  # type: ignore[import-untyped]
    clean_modules as clean_modules,
)
from sphinx_gallery.utils import get_md5sum  # type: ignore[import-untyped]

PageMaker = Callable[[str, Path, Path, dict[str, Any]], Any]

# What it writes for a script, beside a copy of it; `target.md5` once that ran well.
PAGE_FILES = (
    ".rst",
    ".ipynb",
    ".zip",
    ".codeobj.json",
    ".cost.json",
    ".recommendations",
)


def generate(app: Sphinx) -> None:
    """Generate the pages of the gallery, which may raise the error of a script."""
    gen_gallery.generate_gallery_rst(app)
    gen_gallery.summarize_failing_examples(app, None)


def make_pages_with(wrap: Callable[[PageMaker], PageMaker]) -> None:
    """Let a function of ours make each page, given the one that did."""
    gen_rst.generate_file_rst = wrap(gen_rst.generate_file_rst)


def is_run(source: Path, gallery: dict[str, Any]) -> bool:
    """Return whether a script is one of those to run, and not only to show."""
    return bool(gen_rst.executable_script(source, gallery))


def is_done(source: Path, target: Path) -> bool:
    """Return whether a script would be left out: it ran, as it now is."""
    md5 = Path(f"{target}.md5")
    return md5.exists() and md5.read_text() == get_md5sum(source, mode="t")


def forget(target: Path) -> None:
    """Let a script run again."""
    Path(f"{target}.md5").unlink(missing_ok=True)


def page_files(target: Path) -> list[Path]:
    """Return what is written for a script, given the place of its copy."""
    files = [target.with_suffix(suffix) for suffix in PAGE_FILES]
    return [target, Path(f"{target}.md5"), *files]


def figures(target: Path) -> Iterator[Path]:
    """Yield the figures of a page, finished or not: of the page, and for its card."""
    name = re.escape(f"sphx_glr_{target.stem}_")
    figure = re.compile(rf"{name}(\d{{3,}}(_\d+_\d+x)?|thumb)(\.new)?\.\w+")
    for file in (target.parent / "images").rglob("sphx_glr_*"):
        if figure.fullmatch(file.name):
            yield file
