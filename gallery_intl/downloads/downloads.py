"""Offer each page as a script, a notebook and an archive in the reader's language.

All of it happens while Sphinx reads: a transform before ``Locale`` writes the script,
``doctree-read`` the notebook from the translated page, and points the links to them
before Sphinx collects them, and ``env-updated`` packs the archive of all pages.
"""

from __future__ import annotations

import io
import os
import posixpath
import zipfile
from pathlib import Path, PurePosixPath
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.locale import _
from sphinx.transforms import SphinxTransform

from gallery_intl import order
from gallery_intl.downloads.markdown import escape
from gallery_intl.downloads.notebook import (
    Cell,
    cells,
    notebook,
    page_address,
    program,
)
from gallery_intl.files import replace_file
from gallery_intl.page.page import ProgramChanged, Script, folders, page_of
from gallery_intl.script.source import docstring_lines, same_program

KINDS = (".py", ".ipynb")  # what an archive holds of a page
MADE = "gallery_intl_downloads"  # from the transform to doctree-read, page by page


def folder(env: BuildEnvironment) -> Path:
    """Return the folder of a build's own files; each language has one."""
    return Path(env.doctreedir, "downloads")


def write(path: Path, data: bytes) -> None:
    """Write a file in one step, if it is not there already."""
    if not path.is_file() or path.read_bytes() != data:
        replace_file(path, data, sync=False)


def archive(files: dict[str, Path]) -> bytes:
    """Return files packed by their names inside; equal files make an equal archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, path in sorted(files.items()):
            member = zipfile.ZipInfo(name)  # of the year 1980
            member.external_attr = 0o644 << 16
            file.writestr(member, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


class WriteScript(SphinxTransform):
    """Write the script in the build's language; keep it for the notebook."""

    default_priority = order.WRITE_SCRIPT

    def apply(self, **kwargs: Any) -> None:
        page = page_of(self.env)
        if page.script is None or page.made is None:
            return
        gaps = sum(map(page.catalog.is_gap, page.prose))
        origin = origin_of(self.env, gaps, len(page.prose))
        source = below(page.made.source, f"# {origin}")
        prove(page.script, page.made.source, source, self.config.language)
        path = folder(self.env) / f"{self.env.docname}.py"
        write(path, source.encode("utf-8"))
        self.env.temp_data[MADE] = page.script, source, origin


def below(source: str, line: str) -> str:
    """Return a script with a line put before its docstring."""
    lines = source.split("\n")
    lines.insert(max(docstring_lines(source)[0] - 1, 0), line)
    return "\n".join(lines)


def origin_of(env: BuildEnvironment, gaps: int, total: int) -> str:
    """Return in one line which page and language a download is, and what it lacks."""
    language = env.config.language
    names = getattr(env.config, "gallery_intl_languages", {})
    page = page_address(env, env.docname) or env.docname
    text = f"{_(env.config.project)}: {page} ({names.get(language, language)})"
    note = _("%d %% of this page is translated. The rest is shown in English.")
    return f"{text}. {note % (100 * (total - gaps) // total)}" if gaps else text


def write_notebook(app: Sphinx, document: nodes.document) -> None:
    """Write the notebook and the archive of a page that was just read."""
    env = app.env
    if made := env.temp_data.get(MADE):
        script, source, origin = made
        found = page_cells(env, document, script, source, origin)
        # the docstring is no code in a notebook, but stands for itself in a script
        other = f'"""."""\n{program(found)}'
        prove(script, script.text, other, env.config.language)
        files = [folder(env) / f"{env.docname}{kind}" for kind in KINDS]
        write(files[1], notebook(found).encode("utf-8"))
        packed = archive({file.name: file for file in files})
        write(folder(env) / f"{env.docname}.zip", packed)
        env.note_dependency(Path(env.srcdir, f"{env.docname}.py"))
    for link in document.findall(addnodes.download_reference):
        point_to_translation(env, link)


def prove(script: Script, source: str, other: str, language: str) -> None:
    """Stop the build if a download is not the page's program."""
    if difference := same_program(source, other, docstring=False):
        raise ProgramChanged(
            f"{script.path}:{difference.line}: the download in {language!r} is another "
            f"program: {difference.reason}"
        )


def page_cells(
    env: BuildEnvironment,
    document: nodes.document,
    script: Script,
    source: str,
    origin: str,
) -> list[Cell]:
    """Return the cells of a page's notebook.

    It begins with what listeners of ``gallery-notebook-cells`` return: lists of cells
    that prepare a program, with a tag, given its script.
    """
    found = cells(env, document, script, source)
    text = found[0].source if found and found[0].kind == "markdown" else ""
    found[: bool(text)] = [Cell("markdown", f"{text}\n\n*{escape(origin)}*".strip())]
    first = env.events.emit("gallery-notebook-cells", script.text)
    return [*(cell for more in first for cell in more), *found]


def point_to_translation(env: BuildEnvironment, link: nodes.Element) -> None:
    """Point a link to a page's own file, or to the gallery's archive, to ours."""
    here = posixpath.dirname(f"/{env.docname}")
    target = PurePosixPath(posixpath.normpath(posixpath.join(here, link["reftarget"])))
    if target.name == env.config.gallery_intl_archive:
        ours = folder(env) / target.name
        if not ours.is_file():  # it is packed when all pages are read
            write(ours, b"")
    elif target.parent / target.stem == PurePosixPath(f"/{env.docname}"):
        ours = folder(env) / f"{env.docname}{target.suffix}"
    else:
        return
    if ours.is_file():
        link["reftarget"] = "/" + Path(os.path.relpath(ours, env.srcdir)).as_posix()


def pack_gallery(app: Sphinx, env: BuildEnvironment) -> None:
    """Pack the files of all pages, if a page links to the archive."""
    path = folder(env) / env.config.gallery_intl_archive
    known = Path(os.path.relpath(path, env.srcdir))
    if known not in env.dlfiles:
        return
    files = {
        f"{path.stem}/{docname.removeprefix(f'{gallery}/')}{suffix}": file
        for docname in env.found_docs
        for _examples, gallery in folders(env.config)
        for suffix in KINDS
        if docname.startswith(f"{gallery}/")
        and (file := folder(env) / f"{docname}{suffix}").is_file()
    }
    write(path, archive(files))
    for files_of_page in env.dependencies.values():
        # it is newer than the page that links to it, which need not be read again
        files_of_page.discard(env.srcdir / known)
