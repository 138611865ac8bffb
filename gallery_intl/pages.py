"""Tell which gallery script a page comes from, and what its catalogs say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sphinx.builders.gettext import MessageCatalogBuilder
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

from gallery_intl import catalogs
from gallery_intl.python_source import Block, blocks, normalize_newlines


class Script(NamedTuple):
    """A gallery script, as the last run of the gallery saw it."""

    path: Path  # where a person edits it, such as gallery/part/page.py
    text: str

    def blocks(self) -> list[Block]:
        """Split it into docstring, text and code."""
        return list(blocks(self.text))


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


def translations(env: BuildEnvironment, docname: str) -> dict[str, str]:
    """Map the messages of a page to what may be shown in the build's language."""
    found: dict[str, str] = {}
    for folder in env.config.locale_dirs:
        po = catalogs.po_path(env.srcdir / folder, env.config.language, docname)
        env.note_dependency(po)
        found = catalogs.translations(po) | found  # the first folder wins
    return found


def find_line(lines: list[str], text: str, near: int, after: int = 0) -> int | None:
    """Find the line, from 1, of a script where a text of its page begins.

    The text's first line may stand behind ``#``, list markers and directives, and all
    of them may be set in. Of several places the nearest counts.
    """
    first, *rest = map(_bare, text.split("\n"))
    rows = [
        row
        for row in range(after + 1, len(lines) + 1)
        if first in lines[row - 1]
        and [*map(_bare, lines[row : row + len(rest)])] == rest
    ]
    return min(rows, key=lambda row: abs(row - near), default=None)


def _bare(line: str) -> str:
    return line.strip().lstrip("#").strip()
