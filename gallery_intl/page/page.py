"""The page model: where a page is from, what it says, and what its catalogs say.

A page that is read has one `Page`, which every feature asks. Its script is translated
once, and what the page shows as code are the blocks of the translated script.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import polib  # type: ignore[import-untyped]
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError

from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs.po import source_language
from gallery_intl.catalogs.review import Credits, credits
from gallery_intl.page.settings import is_left_as_written
from gallery_intl.page.upstream import FOOTER_LABEL, GENERATED, LABEL
from gallery_intl.script.source import (
    Block,
    blocks,
    find_line,
    is_valid_python,
    normalize_newlines,
    title_of,
)
from gallery_intl.script.translate import Made

PAGE_OF_A_PART = ("index.rst", "GALLERY_HEADER.rst", "README.rst", "README.txt")
TITLES = "gallery_intl_titles"  # of other pages, in the metadata of the page
PAGE = "gallery_intl_page"  # of the page that is read, as long as it is read


class ProgramChanged(SphinxError):
    """A translation would make another program."""

    category = "Translation changes a program"


class Script(NamedTuple):
    """A file that a person wrote for a page, as the last run of the gallery saw it."""

    path: Path  # where a person edits it, such as gallery/part/page.py
    text: str

    def blocks(self) -> tuple[Block, ...]:
        """Return its docstring, texts and code."""
        return blocks(self.text)

    def find(self, text: str, near: int) -> int | None:
        """Return the line, from 1, where a text of its page begins."""
        return find_line(self.text.split("\n"), text, near)


class Row(NamedTuple):
    """Where a line of generated reST is from: lines of the script, from 1."""

    first: int = 0  # of its block; 0 for what Sphinx-Gallery adds at both ends
    near: int = 1  # about its own


class Catalog:
    """What the catalogs of a page say; of several the first that has a message."""

    def __init__(self, paths: list[Path], is_source: bool) -> None:
        self.is_source = is_source
        self.entries: dict[str, tuple[Path, polib.POEntry]] = {}
        self.credits: dict[Path, Credits] = {}
        for path in filter(Path.is_file, paths):
            catalog = catalogs.shared(path)
            self.credits[path] = credits(catalog)
            for entry in catalogs.active(catalog):
                self.entries.setdefault(entry.msgid, (path, entry))

    def translation(self, message: str) -> str | None:
        """Return what may be shown for a message; None if there is nothing."""
        known = self.entries.get(message)
        return known[1].msgstr if known and catalogs.is_translated(known[1]) else None

    def translations(self) -> dict[str, str]:
        """Return all that may be shown, by message."""
        known = ((message, self.translation(message)) for message in self.entries)
        return {message: text for message, text in known if text is not None}

    def is_gap(self, message: str) -> bool:
        """Return whether readers of another language see English."""
        if self.is_source:
            return False
        known = self.translation(message) is not None
        return not known or catalogs.is_english(self.entries[message][1])

    def line(self, message: str) -> tuple[Path, int] | None:
        """Return the file and the line of a message."""
        known = self.entries.get(message)
        return (known[0], known[1].linenum) if known else None


class Page:
    """A page of the site; one that is read also has its messages and its script."""

    def __init__(self, env: BuildEnvironment, docname: str) -> None:
        self.env, self.docname = env, docname
        self.script = script_of(env, docname)
        self.messages: list[tuple[nodes.Element, str]] = []  # before any translation
        self.made: Made | None = None  # the script in the build's language
        self.prose: set[str] = set()  # messages that stand in the script

    @cached_property
    def source(self) -> Script | None:
        """The file that a person wrote for a page of a gallery."""
        if self.script:
            return self.script
        index = origin(self.env, self.docname, ".rst")
        names = (index.with_name(name) for name in PAGE_OF_A_PART) if index else ()
        path = next(filter(Path.is_file, names), None)
        return Script(path, path.read_text(encoding="utf-8")) if path else None

    @cached_property
    def catalog(self) -> Catalog:
        """What is known of its messages; each catalog is a dependency of who asks."""
        return catalog_of(self.env, self.docname)

    @cached_property
    def says_what_is_written(self) -> bool:
        """Whether nothing on it can become another text in this build."""
        known = self.catalog.translations().items()
        is_other = any(message != text for message, text in known)
        return is_left_as_written(self.env) and not is_other

    @cached_property
    def rst(self) -> list[str]:
        return Path(self.env.doc2path(self.docname)).read_text("utf-8").split("\n")

    @cached_property
    def rows(self) -> list[Row]:
        """Where each line of the reST is from; a line 0 is put before the first."""
        return [Row(), *places(self.rst)]

    def row(self, line: int | None) -> Row:
        """Return where a line of the reST is from, any after the last included."""
        return self.rows[min(line or 0, len(self.rows) - 1)]


def page_of(env: BuildEnvironment) -> Page:
    """Return the page that is read."""
    if PAGE not in env.temp_data:
        env.temp_data[PAGE] = Page(env, env.docname)
    page: Page = env.temp_data[PAGE]
    return page


def places(rst: list[str]) -> Iterator[Row]:
    """Yield for each line of generated reST which lines of the script it is from."""
    block = Row()
    for number, line in enumerate(rst, start=1):
        if match := GENERATED.match(line):
            block = Row(int(match[1]), int(match[1]) - number - 2)
        elif line.startswith(FOOTER_LABEL):
            block = Row()
        elif line.startswith(LABEL):  # the docstring follows
            block = Row(1, -number - 1)
        yield Row(block.first, block.near + number) if block.first else block


def line_of(node: nodes.Node | None) -> int | None:
    """Return the line of a node or of what is around it; ``meta`` may have none."""
    while node is not None and not node.line:
        node = node.parent
    return node.line if node is not None else None


def folders(config: Config) -> tuple[tuple[str, str], ...]:
    """Pair each folder of examples with the folder generated from it, if there are."""
    if "sphinx_gallery_conf" not in config:
        return ()
    conf = config.sphinx_gallery_conf
    examples, galleries = (
        (value,) if isinstance(value, str) else tuple(value)
        for value in (conf["examples_dirs"], conf["gallery_dirs"])
    )
    return pairs(conf.get("src_dir", ""), examples, galleries)


@lru_cache(maxsize=8)  # for each page many things ask
def pairs(
    here: str, examples: tuple[str, ...], galleries: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """Pair folders, both as seen from the folder of ``conf.py``."""
    seen = (
        [os.path.relpath(Path(here, one), here) for one in each]
        for each in (examples, galleries)
    )
    return tuple(zip(*seen, strict=False))


def origin(env: BuildEnvironment, docname: str, suffix: str) -> Path | None:
    """Return the path below the examples that a path below the gallery came from."""
    for examples, gallery in folders(env.config):
        if docname.startswith(f"{gallery}/"):
            rest = docname.removeprefix(f"{gallery}/")
            return Path(env.srcdir, examples, f"{rest}{suffix}")
    return None


def in_gallery(config: Config, docname: str) -> str:
    """Return the name that a page has in its gallery, such as ``part/page``."""
    galleries = (f"{gallery}/" for _examples, gallery in folders(config))
    names = (docname.removeprefix(x) for x in galleries if docname.startswith(x))
    return next(names, docname)


def script_of(env: BuildEnvironment, docname: str) -> Script | None:
    """Return the script of a page; None if the page is not generated from one.

    Of one that is no Python, and expected to fail, Sphinx-Gallery shows no text.
    """
    known: Page | None = env.temp_data.get(PAGE)
    if known and known.docname == docname:
        return known.script
    copy = Path(env.srcdir, f"{docname}.py")  # beside the page, as it was run
    path = origin(env, docname, ".py")
    if path is None or not copy.is_file():
        return None
    script = Script(path, normalize_newlines(copy.read_text(encoding="utf-8")))
    return script if is_valid_python(script.text) else None


def catalog_of(env: BuildEnvironment, docname: str) -> Catalog:
    """Return what the catalogs of any page say in the build's language.

    Each becomes a dependency of the page that is being read; by one that is not there
    Sphinx would read the page in every build.
    """
    paths = [path for path in catalog_paths(env, docname) if path.is_file()]
    for path in paths:
        env.note_dependency(path)
    return Catalog(paths, env.config.language == source_language(env.config))


def catalog_paths(env: BuildEnvironment, docname: str) -> list[Path]:
    """Return where the catalogs of a page are, or would be, in the build's language."""
    folders = (Path(env.srcdir, folder) for folder in env.config.locale_dirs)
    return [catalogs.po_path(path, env.config.language, docname) for path in folders]


def page_title(env: BuildEnvironment, docname: str) -> str:
    """Return the title of any page in the build's language, for the page being read.

    It is looked up where it is written, because that page may be read after this. The
    page being read remembers it, and is read again when the title is another one.
    """
    title = written_title(env, docname)
    if title is not None:
        env.metadata[env.docname].setdefault(TITLES, {})[docname] = title
        return title
    known = env.titles.get(docname)
    return known.astext() if known is not None else docname.rpartition("/")[2]


def written_title(env: BuildEnvironment, docname: str) -> str | None:
    """Return a script's title in the build's language; None of other pages."""
    script = script_of(env, docname)
    if script is None:
        return None
    paths = [path for path in catalog_paths(env, docname) if path.is_file()]
    text = title_of(script.text)
    catalog = Catalog(paths, env.config.language == source_language(env.config))
    return (catalog.translation(text) or text).replace("``", "")


def pages_with_other_titles(
    _app: Sphinx, env: BuildEnvironment, *_changes: set[str]
) -> list[str]:
    """Return the pages that show the title of a page as it was before."""
    shown = {page: about.get(TITLES, {}) for page, about in env.metadata.items()}
    now = {
        docname: written_title(env, docname) for docname in set(chain(*shown.values()))
    }
    return [
        page
        for page, titles in shown.items()
        if any(now[docname] != title for docname, title in titles.items())
    ]
