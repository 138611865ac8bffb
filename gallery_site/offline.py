"""Pack the built site into one zip, which readers open by double click.

All languages are in it, so that each link between them leads somewhere.
"""

from __future__ import annotations

import re
from pathlib import Path

from gallery_intl.downloads import archive
from gallery_intl.files import replace_file
from gallery_site.build import only_one
from gallery_site.project import BuildError, Site


def packed(folder: Path, name: str) -> bytes:
    """Return an archive with one folder; the same files give the same bytes."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    inside = Path(name)
    return archive(
        {(inside / x.relative_to(folder)).as_posix(): x.read_bytes() for x in files}
    )


def pack(site: Site) -> Path:
    if not (site.html / "index.html").is_file():
        raise BuildError(f"{site.html} does not exist yet (build it: make html)")
    # a name that any system can store, and any reader can type
    name = re.sub(r"[^a-z0-9]+", "-", site.config.project.lower()).strip("-") or "site"
    path = site.out / "zip" / f"{name}.zip"
    with only_one(site):
        replace_file(path, packed(site.html, name))
    return path
