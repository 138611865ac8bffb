"""Stop before a build at catalogs that are broken, or unsafe to show."""

from collections.abc import Callable, Iterator
from pathlib import Path

from sphinx.errors import SphinxError

from gallery_intl.catalogs import po
from gallery_intl.project import Project
from gallery_intl.writer.record import Record, file_state

Check = Callable[[list[Path]], list[str]]  # returns what is wrong with catalogs


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
                po.shared(path)
            except po.CatalogError as error:
                yield str(error)


def guard(
    project: Project, language: str, record: Record, check: Check | None = None
) -> None:
    """Refuse the catalogs of a language, or compile them for Sphinx.

    Sphinx would trust any ``.mo`` that is newer than its ``.po``. ``check`` may find
    more that no page should show, in the catalogs that changed.
    """
    places = [project.srcdir / folder for folder in project.config.locale_dirs]
    folders = [place / language / "LC_MESSAGES" for place in places]
    if broken := list(broken_catalogs(folders)):
        raise BrokenCatalog("\n" + "\n".join(broken))
    if language != project.source_language and not any(map(Path.is_dir, folders)):
        raise BrokenCatalog(
            f"no catalogs for {language!r} in {', '.join(project.config.locale_dirs)}"
            " (make them with the catalogs command)"
        )
    paths = [path for folder in folders for path in sorted(folder.rglob("*.po"))]
    states = {str(path): file_state(path) for path in paths}
    known = record.states
    new = [path for path in paths if known.get(str(path)) != states[str(path)]]
    findings = check(new) if check else []
    for path in project.catalog_paths(po.INTERFACE, language):
        script = path.with_suffix(".js")  # Sphinx would publish it as it is
        if script.exists():
            findings.append(f"{script}:1: a script among catalogs (delete it)")
    if findings:
        raise UnsafeTranslation("\n" + "\n".join(findings))
    record.states |= states
    for place in places:
        po.compile_language(place, language)
