"""Pack a language of the built site into one zip that is read by double click.

The archive holds one folder, with ``index.html`` at its top. The other languages are
not in it, so what leads to them is taken out: language menus and alternate links. The
same site gives the same bytes.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from gallery_intl.files import replace_file
from gallery_site.build import only_one
from gallery_site.project import BuildError, Site

MENU = re.compile(r'<details class="language-menu">.*?</details>', re.S)
ALTERNATE = re.compile(r'\s*<link(?=[^>]* rel="alternate")(?=[^>]* hreflang=)[^>]*>')


def without_siblings(page: str) -> str:
    """Take out of a page what leads to the folders of other languages."""
    return ALTERNATE.sub("", MENU.sub("", page))


def file_name(title: str, language: str) -> str:
    """Return a name that any system can hold, and any language's reader can type."""
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "site"
    return f"{slug}-{language}"


def packed(folder: Path, name: str) -> bytes:
    """Return a built language, packed in a fixed order into one folder of that name."""
    files = (path for path in folder.rglob("*") if path.is_file())
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as out:
        for path, file in sorted((x.relative_to(folder).as_posix(), x) for x in files):
            member = zipfile.ZipInfo(f"{name}/{path}")  # of the year 1980
            member.create_system = 3  # Unix, on any machine,
            member.external_attr = 0o644 << 16  # so that this is understood
            data = file.read_bytes()
            if file.suffix == ".html":
                data = without_siblings(data.decode()).encode()
            out.writestr(member, data, zipfile.ZIP_DEFLATED)
    return archive.getvalue()


def pack(site: Site, only: list[str] | None = None) -> Iterator[Path]:
    """Write the archives of languages, each in one step; yield their paths."""
    languages = site.known(only)
    for language in languages:
        if not (site.html / language / "index.html").is_file():
            raise BuildError(
                f"{site.html / language} is not there yet"
                f" (build it: make html-{language})"
            )
    with only_one(site):  # a build would change the files under our hands
        for language in languages:
            name = file_name(site.config.project, language)
            path = site.out / "zip" / f"{name}.zip"
            replace_file(path, packed(site.html / language, name))
            yield path
