"""What we lean on inside of Sphinx-Gallery, as seen in its version 0.22.1.

It has no event for the beginning and the end of a page, none before it generates, and
no setting that lets a build only read what an earlier one generated: an empty
``examples_dirs`` also takes them from ``minigallery`` and from Binder.
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

# Its listeners that run the scripts and say how that went.
GENERATING = (gen_gallery.generate_gallery_rst, gen_gallery.summarize_failing_examples)
# What it writes for a script, beside a copy of it; `target.md5` once that ran well.
PAGE_FILES = (
    ".rst",
    ".ipynb",
    ".zip",
    ".codeobj.json",
    ".cost.json",
    ".recommendations",
)
UNFINISHED = ".new"  # behind the name of a file that is being written


def stop_generating(app: Sphinx) -> None:
    """Let an application only read what was generated; all settings stay."""
    for event in ("builder-inited", "build-finished"):
        for listener in list(app.events.listeners[event]):
            if listener.handler in GENERATING:
                app.disconnect(listener.id)


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


def header(folder: Path, gallery: dict[str, Any]) -> str | None:
    """Return the file that a folder's index is made from; None if it has its own."""
    path: str | None = gen_rst._get_gallery_header(folder, gallery, raise_error=False)
    return path


def sections(srcdir: Path, examples: Path, gallery: dict[str, Any]) -> list[str]:
    """Return the folders of a gallery that are sections of it."""
    names: list[str] = gen_gallery.get_subsections(
        srcdir,
        examples,
        gallery,
        check_for_header=header(examples, gallery) is not None,
    )
    return names


def scripts(folder: Path, gallery: dict[str, Any]) -> list[str]:
    """Return the names of the scripts in a folder."""
    return sorted(gen_rst._collect_gallery_files([folder], gallery))


def other_files(folder: Path, gallery: dict[str, Any]) -> Iterator[str]:
    """Yield the names of what is made for a folder that is no script's."""
    if header(folder, gallery):
        yield "index.rst"
    if gallery["write_computation_times"]:
        yield "sg_execution_times.rst"
    if copied := gallery["copyfile_regex"]:
        yield from (one.name for one in folder.iterdir() if re.match(copied, one.name))


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
