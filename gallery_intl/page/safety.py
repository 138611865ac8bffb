"""Keep raw HTML and other files' text out of translations; stop at unsafe catalogs.

While a translation is parsed, no directive may include a file and no role may write raw
HTML, which the pages themselves may. A project can check catalogs further: a build
stops before it reads a page for which a listener of ``gallery-check-catalogs`` returns
findings.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.transforms import SphinxTransform

from gallery_intl import order
from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs.po import source_language
from gallery_intl.page.page import catalog_paths

PERMISSIONS = ("file_insertion_enabled", "raw_enabled")
CHECK_CATALOGS = "gallery-check-catalogs"  # an event
BEFORE = "gallery_intl_permissions"  # what they were, until Locale has run


class BrokenCatalog(SphinxError):
    """A catalog that cannot be read; names every one with file and line."""

    category = "Broken catalog"


class UnsafeTranslation(SphinxError):
    """A translation that no page may show; names every one with file and line."""

    category = "Unsafe translation"


def broken_catalogs(folders: list[Path]) -> Iterator[str]:
    """Find the catalogs that cannot be read, as ``path:line: what (remedy)``."""
    for folder in folders:
        for path in sorted(folder.rglob("*.po")):
            try:
                catalogs.shared(path)
            except catalogs.CatalogError as error:
                yield str(error)


def compile_catalogs(app: Sphinx, config: Config) -> None:
    """Stop a build at once that would read a broken catalog.

    Of the others Sphinx reads what they say, not any newer ``.mo`` that lies there.
    """
    language, places = config.language, config.locale_dirs
    folders = [Path(app.srcdir, place, language, "LC_MESSAGES") for place in places]
    if broken := list(broken_catalogs(folders)):
        raise BrokenCatalog("\n" + "\n".join(broken))
    if language != source_language(config) and not any(map(Path.is_dir, folders)):
        raise BrokenCatalog(
            f"no catalogs for {language!r} in {', '.join(places)}"
            " (make them with the catalogs command)"
        )
    for place in places:
        catalogs.compile_language(Path(app.srcdir, place), language)


def stop_at_unsafe_catalogs(
    app: Sphinx, env: BuildEnvironment, docnames: list[str]
) -> None:
    """Stop before a page is read whose catalog has a finding."""
    names = (*catalogs.NO_PAGE, *sorted(docnames))
    paths = [path for name in names for path in catalog_paths(env, name)]
    there = [*filter(Path.is_file, paths)]
    findings = [x for found in app.emit(CHECK_CATALOGS, there) for x in found]
    for path in catalog_paths(env, catalogs.INTERFACE):
        script = path.with_suffix(".js")  # Sphinx would publish it as it is
        if script.exists():
            findings.append(f"{script}:1: a script among catalogs (delete it)")
    if findings:
        raise UnsafeTranslation("\n" + "\n".join(findings))


class Forbid(SphinxTransform):
    """Forbid translations what pages may do."""

    default_priority = order.FORBID

    def apply(self, **kwargs: object) -> None:
        settings = vars(self.document.settings)
        self.env.temp_data[BEFORE] = {name: settings[name] for name in PERMISSIONS}
        settings.update(dict.fromkeys(PERMISSIONS, False))


class Allow(SphinxTransform):
    """Allow it again."""

    default_priority = order.ALLOW

    def apply(self, **kwargs: object) -> None:
        before: dict[str, bool] = self.env.temp_data.pop(BEFORE) or {}
        vars(self.document.settings).update(before)
