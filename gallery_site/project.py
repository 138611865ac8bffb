"""Read what conf.py says that concerns all languages, without starting Sphinx."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from sphinx.config import Config
from sphinx.project import Project as Pages

from gallery_intl.project import Project
from gallery_run.fingerprint import gallery_dirs


class BuildError(Exception):
    """The site cannot be built; the text is all that a reader needs."""


class Site(NamedTuple):
    """What conf.py says that concerns all languages, and where things are built."""

    project: Project  # what the writer reads of conf.py
    srcdir: Path
    config: Config  # what is asked of it once has no name here
    languages: dict[str, str]
    locale_dir: Path
    out: Path
    generated: list[Path]  # the folders that Sphinx-Gallery writes its pages to
    address: str  # of the folder of languages, with a slash; "" if it has none

    @property
    def html(self) -> Path:
        return self.out / "html"

    @property
    def new(self) -> Path:
        """Return where the next site is put together."""
        return self.out / "html.new"

    def known(self, languages: list[str] | None) -> list[str]:
        """Return the languages asked for, or all; raise BuildError if one is none."""
        for language in languages or ():
            if language not in self.languages:
                known = ", ".join(self.languages)
                raise BuildError(f"no language {language!r}; the site has {known}")
        return languages or list(self.languages)

    def pages(self) -> list[str]:
        """Return the names of the pages that Sphinx will find."""
        excluded = [*self.config.exclude_patterns, *self.config.templates_path]
        return sorted(Pages(self.srcdir, [".rst"]).discover(excluded))

    def source(self, language: str) -> Path:
        return self.out / "source" / language

    def stage(self, language: str) -> Path:
        """Return where a language is built; Sphinx works on it again next time."""
        return self.out / "stage" / language

    def doctrees(self, language: str) -> Path:
        return self.out / "doctrees" / language


# What is read besides, and the value where conf.py says nothing.
SETTINGS: dict[str, Any] = {
    "gallery_intl_deadline": 120,
    "html_favicon": None,
    "html_static_path": [],
    "html_extra_path": [],
    "html_theme": "alabaster",
}


def read_site(srcdir: Path) -> Site:
    """Read conf.py, once."""
    project = Project.read(srcdir)
    config = project.config
    for name, default in SETTINGS.items():
        config.add(name, default, "html", ())
    base = config.html_baseurl
    gallery = gallery_dirs(srcdir, config.sphinx_gallery_conf)
    return Site(
        project=project,
        srcdir=srcdir,
        config=config,
        languages=project.languages,
        locale_dir=srcdir / config.locale_dirs[0],
        out=srcdir / "_build",
        generated=[pages for _scripts, pages in gallery],
        address=f"{base.rstrip('/')}/" if base else "",
    )
