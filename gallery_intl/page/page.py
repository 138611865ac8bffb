"""Tell which gallery script a page comes from, and what its catalogs say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import polib  # type: ignore[import-untyped]
from docutils import nodes
from sphinx.builders.gettext import MessageCatalogBuilder
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.util.nodes import extract_messages

from gallery_intl.catalogs import po as catalogs
from gallery_intl.script.source import Block, blocks, normalize_newlines

MESSAGES = "gallery_intl_messages"
GENERATED = re.compile(r"\.\. GENERATED FROM PYTHON SOURCE LINES (\d+)-(\d+)")


class ProgramChanged(SphinxError):
    """A translation would make another program."""

    category = "Translation changes a program"


class Script(NamedTuple):
    """A gallery script, as the last run of the gallery saw it."""

    path: Path  # where a person edits it, such as gallery/part/page.py
    text: str

    def blocks(self) -> tuple[Block, ...]:
        """Split it into docstring, text and code."""
        return blocks(self.text)


def collects_messages(env: BuildEnvironment) -> bool:
    """Tell whether this build makes catalogs, not pages."""
    return issubclass(env._builder_cls, MessageCatalogBuilder)


def folders(config: Config) -> Iterator[tuple[str, str]]:
    """Pair each folder of examples with the folder generated from it."""
    if known := getattr(config, "gallery_intl_dirs", None):
        yield from known
        return
    conf = config.sphinx_gallery_conf
    both = [
        [value] if isinstance(value, str) else list(value)
        for value in (conf["examples_dirs"], conf["gallery_dirs"])
    ]
    yield from zip(*both, strict=True)


def origin(env: BuildEnvironment, docname: str, suffix: str) -> Path | None:
    """Give the path below the examples that a path below the gallery came from."""
    for examples, gallery in folders(env.config):
        if docname.startswith(f"{gallery}/"):
            rest = docname.removeprefix(f"{gallery}/")
            return Path(env.srcdir, examples, f"{rest}{suffix}")
    return None


def script_of(env: BuildEnvironment, docname: str) -> Script | None:
    """Give the script of a page; None if the page is not generated from one."""
    copy = Path(env.srcdir, f"{docname}.py")  # beside the page, as it was run
    path = origin(env, docname, ".py")
    if path is None or not copy.is_file():
        return None
    return Script(path, normalize_newlines(copy.read_text(encoding="utf-8")))


def entries(env: BuildEnvironment, docname: str) -> dict[str, polib.POEntry]:
    """Give what a page's catalogs say in the build's language and may be shown.

    Each catalog becomes a dependency of the page that is being read.
    """
    found: dict[str, polib.POEntry] = {}
    for folder in env.config.locale_dirs:
        po = catalogs.po_path(env.srcdir / folder, env.config.language, docname)
        env.note_dependency(po)
        if po.is_file():
            entries = catalogs.active(catalogs.shared(po))
            usable = filter(catalogs.is_translated, entries)
            found = {entry.msgid: entry for entry in usable} | found  # the first wins
    return found


def messages(
    env: BuildEnvironment, document: nodes.document
) -> list[tuple[nodes.Element, str]]:
    """Give the messages of the page that is read; several features ask for them.

    The first asks before anything on the page is translated.
    """
    if MESSAGES not in env.temp_data:
        env.temp_data[MESSAGES] = list(extract_messages(document))
    found: list[tuple[nodes.Element, str]] = env.temp_data[MESSAGES]
    return found


def block_near(rst: list[str], row: int) -> tuple[int, int]:
    """Tell where in its script a line of generated reST stands.

    Gives the first line of its block, and about the line itself; (0, 1) for what
    Sphinx-Gallery adds before the first block and after the last.
    """
    for number in range(min(row, len(rst)), 0, -1):
        line = rst[number - 1]
        if found := GENERATED.match(line):
            return int(found[1]), int(found[1]) + row - number - 2
        if line.startswith(".. _sphx_glr_download_"):
            break
        if line.startswith(".. _sphx_glr_"):  # the docstring follows
            return 1, row - number - 1
    return 0, 1


def is_python(block: nodes.literal_block) -> bool:
    """Tell whether a block is highlighted as Python; Sphinx-Gallery says "Python"."""
    return str(block.get("language")).lower() in ("python", "py", "python3")
