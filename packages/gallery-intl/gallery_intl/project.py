"""The project that is translated: languages, galleries, scripts and catalogs."""

from __future__ import annotations

import ast
import os
import posixpath
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import ConfigError, SphinxError
from sphinx.util.tags import Tags

from gallery_intl.catalogs import po
from gallery_intl.catalogs.page_catalog import PageCatalog
from gallery_intl.script.source import (
    Block,
    blocks,
    is_valid_python,
    normalize_newlines,
    title_of,
)
from gallery_intl.text.wrapping import one_line

TIMES = "sg_execution_times"
# Our settings, which README.md explains: default, what is built again, type.
SETTINGS: dict[str, tuple[Any, Any, Any]] = {
    "gallery_intl_archive": ("gallery.zip", "env", str),
    "gallery_intl_how_to": ("", "env", str),
    "gallery_intl_languages": ({}, "html", dict),
    "gallery_intl_lines": (False, "html", bool),
    "gallery_intl_link_names": (False, "html", bool),
    "gallery_intl_notes": (True, "env", bool),
    "gallery_intl_pages": ([], "env", list),
    "gallery_intl_plain_links": (False, "", bool),
    "gallery_intl_published": ({}, "html", dict),
    "gallery_intl_shown_settings": ([], "", list),
    "gallery_intl_siblings": (None, "html", (str, dict, type(None))),
    "gallery_intl_source_downloads": (False, "", bool),
    "gallery_intl_unbroken": ({}, "html", dict),
    "gallery_repository_branch": ("main", "env", str),
    "gallery_repository_url": ("", "env", frozenset({str})),
    # set by the writer: the folder of the project, and whether messages are collected
    "gallery_intl_project": ("", "env", str),
    "gallery_intl_collect": (False, "env", bool),
    # set by the interface: where this language is, for downloads, which are made while
    # pages are read; what changes with our words, so that all pages are read again
    "gallery_intl_address": ("", "env", str),
    "gallery_intl_interface": ("", "env", str),
}
# Settings of Sphinx and of Sphinx-Gallery that are read without loading them.
OTHERS: dict[str, Any] = {"html_baseurl": "", "sphinx_gallery_conf": {}}
LINK = re.compile(r"(?::[\w:-]+:)?`(?P<text>[^`<]+?)(?:\s*<[^`>]*>)?`_{0,2}")
EMPHASIS = re.compile(r"(?P<mark>\*{1,2})(?=\S)(?P<text>.+?)(?<=\S)(?P=mark)")


UNDERLINED = re.compile(r"^(?P<title>\S.*)\n([=\-~#*^\"'+])\2{2,}$", re.MULTILINE)


class ProgramChanged(SphinxError):
    """A translation would make another program."""

    category = "Translation changes a program"


class Script(NamedTuple):
    """The script of a page, as the last run of the gallery saw it."""

    path: Path  # where a person edits it, such as gallery/part/page.py
    text: str

    def blocks(self) -> tuple[Block, ...]:
        return blocks(self.text)


class Project:
    """A Sphinx project with a gallery, as its conf.py describes it.

    ``srcdir`` is the folder of the pages as the authors wrote them, into which
    Sphinx-Gallery has generated those of the gallery.
    """

    def __init__(
        self, srcdir: Path, config: Config, confdir: Path | None = None
    ) -> None:
        self.srcdir, self.config = srcdir, config
        self.config_file = (confdir or srcdir) / "conf.py"
        self.languages: dict[str, str] = config.gallery_intl_languages
        check_names(self.languages)
        self.source_language = po.source_language(config)

    @classmethod
    def read(cls, srcdir: Path, confdir: Path | None = None) -> Project:
        """Read conf.py, without Sphinx, extensions or themes."""
        if not (confdir or srcdir).joinpath("conf.py").is_file():
            raise ConfigError(
                f"{confdir or srcdir}: no conf.py (write --source FOLDER)"
            )
        config = Config.read(confdir or srcdir, overrides={}, tags=Tags())
        known = {name: default for name, (default, *_) in SETTINGS.items()}
        for name, default in (known | OTHERS).items():
            config.add(name, default, "", ())
        return cls(srcdir, config, confdir)

    @classmethod
    def of(cls, env: BuildEnvironment) -> Project:
        """Return the project of a build, which may read sources that were written."""
        original = getattr(env.config, "gallery_intl_project", "")
        return cls(Path(original or env.srcdir), env.config)

    @property
    def galleries(self) -> list[tuple[str, str]]:
        """Return each folder of examples with the folder generated from it."""
        conf = getattr(self.config, "sphinx_gallery_conf", {})
        names = ("examples_dirs", "../examples"), ("gallery_dirs", "auto_examples")
        values = (conf.get(*name) for name in names)
        both = ([one] if isinstance(one, str) else list(one) for one in values)
        paths = ([_relative(self.srcdir, one) for one in each] for each in both)
        return list(zip(*paths, strict=False)) if conf else []

    def script(self, docname: str) -> Script | None:
        """Return the script of a page; None if the page is not generated from one.

        Of one that is no Python, and expected to fail, Sphinx-Gallery shows no text.
        """
        path = self.origin(docname, ".py")
        copy = self.srcdir / f"{docname}.py"  # as it was run
        return _script(path, copy, _state(copy)) if path and copy.is_file() else None

    def origin(self, docname: str, suffix: str) -> Path | None:
        """Return the path in the examples that a page of the gallery came from."""
        for examples, gallery in self.galleries:
            if docname.startswith(f"{gallery}/"):
                rest = docname.removeprefix(f"{gallery}/")
                return Path(
                    os.path.normpath(self.srcdir / examples / f"{rest}{suffix}")
                )
        return None

    def in_gallery(self, docname: str) -> str:
        """Return the name that a page has in its gallery, such as ``part/page``."""
        for _examples, gallery in self.galleries:
            if docname.startswith(f"{gallery}/"):
                return docname.removeprefix(f"{gallery}/")
        return docname

    def is_to_translate(self, docname: str) -> bool:
        """Return whether a page is one of those that the project translates.

        Sphinx-Gallery's pages of computation times change with each run.
        """
        if PurePosixPath(docname).name == TIMES:
            return False
        patterns = self.config.gallery_intl_pages
        return not patterns or any(fnmatchcase(docname, each) for each in patterns)

    def catalog_paths(self, docname: str, language: str) -> list[Path]:
        """Return where the catalogs of a page are, or would be."""
        folders = (self.srcdir / folder for folder in self.config.locale_dirs)
        return [po.po_path(folder, language, docname) for folder in folders]

    def catalog(self, docname: str, language: str) -> PageCatalog:
        paths = self.catalog_paths(docname, language)
        return PageCatalog(paths, language == self.source_language)

    def title(self, docname: str, language: str) -> str | None:
        """Return a page's title in a language; None if it cannot be read off."""
        if script := self.script(docname):
            text = title_of(script.text)
        else:
            path = self.srcdir / f"{docname}.rst"
            rst = path.read_text(encoding="utf-8") if path.is_file() else ""
            text = match["title"] if (match := UNDERLINED.search(rst)) else ""
        translation = self.catalog(docname, language).translation(text)
        return without_markup(translation or text) or None

    def intro(self, docname: str, language: str) -> str:
        """Return the first paragraph of a script's page, as plain text."""
        script = self.script(docname)
        if script is None:
            return ""
        docstring = ast.get_docstring(ast.parse(script.text)) or ""
        texts = map(one_line, docstring.split("\n\n"))
        catalog, title = self.catalog(docname, language), title_of(script.text)
        messages = {one_line(x): x for x in catalog.entries}
        paragraphs = (messages[x] for x in texts if title not in x and x in messages)
        first = next(paragraphs, "")
        return one_line(without_markup(catalog.translation(first) or first))

    def interface_word(self, text: str, language: str) -> str:
        """Return a word of the interface, such as the project's name."""
        return self.catalog(po.INTERFACE, language).translation(text) or text

    def scripts(self) -> Iterator[str]:
        for _examples, gallery in self.galleries:
            for path in sorted((self.srcdir / gallery).rglob("*.rst")):
                docname = path.relative_to(self.srcdir).with_suffix("").as_posix()
                if self.script(docname):
                    yield docname


def check_names(languages: Any) -> None:
    if not isinstance(languages, dict):
        raise ConfigError(
            f"gallery_intl_languages: {languages!r} is no dict (write the languages and"
            ' their names: {"en": "English", "ko": "한국어"})'
        )


@cache
def _script(path: Path, copy: Path, state: tuple[int, int]) -> Script | None:
    text = normalize_newlines(copy.read_text(encoding="utf-8"))
    return Script(path, text) if is_valid_python(text) else None


def _state(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_size


def _relative(srcdir: Path, folder: str) -> str:
    return Path(os.path.relpath(srcdir / folder, srcdir)).as_posix()


def without_markup(text: str) -> str:
    """Return a title or a paragraph without its inline markup, as readers see it."""
    text = text.replace("``", "").replace("\\ ", "")
    return EMPHASIS.sub(r"\g<text>", LINK.sub(r"\g<text>", text))


def joined(docname: str, target: str) -> str:
    """Return the name of the page that a link in another one leads to."""
    if target.startswith("/"):
        return target[1:]
    return posixpath.normpath(posixpath.join(posixpath.dirname(docname), target))
