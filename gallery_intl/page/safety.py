"""Let no translation put anything active into the site, or another file's text.

A build keeps the same guards as the check, and stops before it reads a page whose
catalog breaks one. While a translation is parsed, no directive may include a file and
no role may write raw HTML, which the pages themselves may.
"""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.transforms import SphinxTransform

from gallery_intl import order
from gallery_intl.catalogs import po as catalogs
from gallery_intl.rules.check import guard_catalogs
from gallery_intl.rules.message import parse

INTERFACE = "sphinx"
PERMISSIONS = ("file_insertion_enabled", "raw_enabled")
BEFORE = "gallery_intl_permissions"  # what they were, until Locale has run


class UnsafeTranslation(SphinxError):
    """A translation that no page may show; names every one with file and line."""

    category = "Unsafe translation"


def compile_catalogs(app: Sphinx, config: Config) -> None:
    """Let Sphinx read what the catalogs say, not any newer ``.mo`` that lies there."""
    try:
        for folder in config.locale_dirs:
            catalogs.compile_language(Path(app.srcdir, folder), config.language)
    except catalogs.CatalogError as error:
        raise UnsafeTranslation(str(error)) from None


def guard(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Stop before a page is read whose catalog breaks a guard."""
    folders = [Path(app.srcdir, folder) for folder in app.config.locale_dirs]
    found = (
        catalogs.po_path(folder, app.config.language, name)
        for folder in folders
        for name in (INTERFACE, *sorted(docnames))
    )
    findings = [str(finding) for finding in guard_catalogs(filter(Path.is_file, found))]
    parse.cache_clear()  # thousands of documents that nobody needs any more
    for folder in folders:
        # Sphinx would publish it as it is
        script = catalogs.po_path(folder, app.config.language, INTERFACE)
        if (script := script.with_suffix(".js")).exists():
            findings.append(f"{script}:1: a script among catalogs (delete it)")
    if findings:
        raise UnsafeTranslation("\n" + "\n".join(findings))


class Forbid(SphinxTransform):
    """Forbid translations what pages may do."""

    default_priority = order.FORBID

    def apply(self, **kwargs: object) -> None:
        settings = self.document.settings
        before = {name: getattr(settings, name) for name in PERMISSIONS}
        self.env.temp_data[BEFORE] = before
        for name in PERMISSIONS:
            setattr(settings, name, False)


class Allow(SphinxTransform):
    """Allow it again."""

    default_priority = order.ALLOW

    def apply(self, **kwargs: object) -> None:
        before: dict[str, bool] = self.env.temp_data.pop(BEFORE) or {}
        for name in PERMISSIONS:
            setattr(self.document.settings, name, before[name])
