"""Read once what conf.py says that concerns all languages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from sphinx.config import Config
from sphinx.project import Project
from sphinx.util.tags import Tags

from gallery_intl.catalogs import po as catalogs
from gallery_run import records
from gallery_run.fingerprint import gallery_dirs, read_settings


class BuildError(Exception):
    """The site cannot be built; the text is all that a reader needs."""


class Site(NamedTuple):
    """What conf.py says that concerns all languages, and where things are built."""

    srcdir: Path
    title: str
    languages: dict[str, str]
    locale_dir: Path
    out: Path
    icon: str | None
    first_page: str  # its docname
    generated: list[Path]  # the folders that Sphinx-Gallery writes its pages to
    address: str  # of the folder of languages, with a slash; "" if it has none
    excluded: list[str]  # what Sphinx does not read
    copied: list[Path]  # files, and folders of files, that Sphinx copies
    redirects: dict[str, str]  # old names of pages
    card_fonts: dict[str, list[str]]
    records: Path  # what pages printed on other machines
    extensions: list[str]  # and the theme: the packages that a build imports

    @property
    def html(self) -> Path:
        return self.out / "html"

    @property
    def new(self) -> Path:
        """Give where the next site is put together."""
        return self.out / "html.new"

    @property
    def old(self) -> Path:
        """Give where the last site is while the next takes its place."""
        return self.out / "html.old"

    def pages(self) -> list[str]:
        """Give the names of the pages that Sphinx will find."""
        return sorted(Project(self.srcdir, [".rst"]).discover(self.excluded))

    def translate(self, language: str) -> Callable[[str], str]:
        """Give what translates a word of the interface."""
        path = catalogs.po_path(self.locale_dir, language, "sphinx")
        found = catalogs.translations(path)
        return lambda message: found.get(message, message)

    def stage(self, language: str) -> Path:
        """Give where a language is built; Sphinx works on it again next time."""
        return self.out / "stage" / language

    def doctrees(self, language: str) -> Path:
        return self.out / "doctrees" / language


def read_site(srcdir: Path) -> Site:
    """Read conf.py without starting Sphinx."""
    config = Config.read(srcdir, overrides={}, tags=Tags())
    config.add("gallery_intl_languages", {}, "html", dict)
    config.add("gallery_intl_redirects", {}, "html", dict)
    config.add("gallery_intl_card_fonts", {}, "html", dict)
    config.add("gallery_intl_records", records.FOLDER, "env", str)
    config.add("html_favicon", None, "html", str)
    config.add("html_static_path", [], "html", list)
    config.add("html_extra_path", [], "html", list)
    config.add("html_theme", "alabaster", "html", str)
    config.add("html_baseurl", "", "html", str)
    gallery = read_settings(srcdir, {}).gallery
    return Site(
        srcdir,
        config.project,
        config.gallery_intl_languages,
        srcdir / config.locale_dirs[0],
        srcdir / "_build",
        config.html_favicon,
        config.root_doc,
        [pages for _scripts, pages in gallery_dirs(srcdir, gallery)],
        f"{config.html_baseurl.rstrip('/')}/" if config.html_baseurl else "",
        [*config.exclude_patterns, *config.templates_path],
        [srcdir / x for x in [*config.html_static_path, *config.html_extra_path]],
        config.gallery_intl_redirects,
        config.gallery_intl_card_fonts,
        srcdir / config.gallery_intl_records,
        [*config.extensions, config.html_theme],
    )
