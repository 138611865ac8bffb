"""Stop at catalogs that are broken, or that put something active into pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gallery_intl.catalogs import po


def broken_catalogs(folders: list[Path]) -> Iterator[str]:
    """Find the catalogs that cannot be read, as ``path:line: what (remedy)``."""
    for folder in folders:
        for path in sorted(folder.rglob("*.po")):
            try:
                po.shared(path)
            except po.CatalogError as error:
                yield str(error)
