"""Pack the built site into one zip, which readers open by double click.

All languages are in it, so that each link between them leads somewhere.
"""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

from gallery_intl.files import replace_file
from gallery_site.build import only_one
from gallery_site.project import BuildError, Site


def file_name(title: str) -> str:
    """Return a name that any system can store, and any reader can type."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "site"


def packed(folder: Path, name: str) -> bytes:
    """Return an archive with one folder; the same files give the same bytes."""
    files = (path for path in folder.rglob("*") if path.is_file())
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as out:
        for path, file in sorted((x.relative_to(folder).as_posix(), x) for x in files):
            member = zipfile.ZipInfo(f"{name}/{path}")  # dated 1980
            member.create_system = 3  # Unix, for the permissions
            member.external_attr = 0o644 << 16
            out.writestr(member, file.read_bytes(), zipfile.ZIP_DEFLATED)
    return archive.getvalue()


def pack(site: Site) -> Path:
    """Write the archive and return its path."""
    if not (site.html / "index.html").is_file():
        raise BuildError(f"{site.html} does not exist yet (build it: make html)")
    name = file_name(site.config.project)
    path = site.out / "zip" / f"{name}.zip"
    with only_one(site):
        replace_file(path, packed(site.html, name))
    return path
