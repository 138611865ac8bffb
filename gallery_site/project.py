"""Read what conf.py says that concerns all languages, without starting Sphinx."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from sphinx.config import Config
from sphinx.project import Project

from gallery_intl.catalogs import po as catalogs
from gallery_run import records
from gallery_run.fingerprint import gallery_dirs, read_settings


class BuildError(Exception):
    """The site cannot be built; the text is all that a reader needs."""


class Site(NamedTuple):
    """What conf.py says that concerns all languages, and where things are built."""

    srcdir: Path
    config: Config  # what a run of the gallery reads
    title: str
    languages: dict[str, str]
    locale_dir: Path
    out: Path
    icon: str | None
    picture: str  # shown of shared pages, as a language's folder names it; "" if none
    first_page: str  # its docname
    generated: list[Path]  # the folders that Sphinx-Gallery writes its pages to
    address: str  # of the folder of languages, with a slash; "" if it has none
    excluded: list[str]  # what Sphinx does not read
    copied: list[Path]  # files, and folders of files, that Sphinx copies
    records: Path  # what pages printed on other machines
    light: bool  # whether pages load only what they use
    policy: bool  # whether pages carry a content security policy
    extensions: list[str]  # and the theme: the packages that a build imports

    @property
    def html(self) -> Path:
        return self.out / "html"

    @property
    def new(self) -> Path:
        """Return where the next site is put together."""
        return self.out / "html.new"

    @property
    def old(self) -> Path:
        """Return where the last site is while the next takes its place."""
        return self.out / "html.old"

    def known(self, languages: list[str] | None) -> list[str]:
        """Return the languages asked for, or all; raise BuildError if one is none."""
        for language in languages or ():
            if language not in self.languages:
                known = ", ".join(self.languages)
                raise BuildError(f"no language {language!r}; the site has {known}")
        return languages or list(self.languages)

    def pages(self) -> list[str]:
        """Return the names of the pages that Sphinx will find."""
        return sorted(Project(self.srcdir, [".rst"]).discover(self.excluded))

    def translate(self, language: str) -> Callable[[str], str]:
        """Return what translates a word of the interface."""
        path = catalogs.po_path(self.locale_dir, language, "sphinx")
        found = catalogs.translations(path)
        return lambda message: found.get(message, message)

    def stage(self, language: str) -> Path:
        """Return where a language is built; Sphinx works on it again next time."""
        return self.out / "stage" / language

    def doctrees(self, language: str) -> Path:
        return self.out / "doctrees" / language


# What is read, of which type, and the value where conf.py says nothing.
SETTINGS: dict[str, tuple[Any, type]] = {
    "gallery_intl_languages": ({}, dict),
    "gallery_intl_records": (records.FOLDER, str),
    "gallery_intl_policy": (False, bool),
    "gallery_site_light": (True, bool),
    "gallery_site_picture": ("", str),
    "html_favicon": (None, str),
    "html_static_path": ([], list),
    "html_extra_path": ([], list),
    "html_theme": ("alabaster", str),
    "html_baseurl": ("", str),
}


def read_site(srcdir: Path) -> Site:
    """Read conf.py, once."""
    config = read_settings(srcdir, {})
    for name, (default, kind) in SETTINGS.items():
        config.add(name, default, "html", kind)
    base = config.html_baseurl
    gallery = gallery_dirs(srcdir, config.sphinx_gallery_conf)
    return Site(
        srcdir=srcdir,
        config=config,
        title=config.project,
        languages=config.gallery_intl_languages,
        locale_dir=srcdir / config.locale_dirs[0],
        out=srcdir / "_build",
        icon=config.html_favicon,
        picture=config.gallery_site_picture,
        first_page=config.root_doc,
        generated=[pages for _scripts, pages in gallery],
        address=f"{base.rstrip('/')}/" if base else "",
        excluded=[*config.exclude_patterns, *config.templates_path],
        copied=[srcdir / x for x in config.html_static_path + config.html_extra_path],
        records=srcdir / config.gallery_intl_records,
        light=config.gallery_site_light,
        policy=config.gallery_intl_policy,
        extensions=[*config.extensions, config.html_theme],
    )
