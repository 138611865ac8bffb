"""Offer each page as a script, a notebook and an archive in the reader's language.

All of it happens while Sphinx reads: a transform before ``Locale`` writes the script,
``doctree-read`` writes the notebook from the translated page and points the links to
these files before Sphinx collects them, and ``env-updated`` packs the archive of all
pages. So an edited catalog refreshes the files of its page.
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
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

from gallery_intl import order
from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs.po import SOURCE_LANGUAGE
from gallery_intl.downloads import script as translated_script
from gallery_intl.downloads.cells import cells
from gallery_intl.downloads.links import context_of, page_address
from gallery_intl.downloads.markdown import escape
from gallery_intl.downloads.notebook import Cell, notebook, program, ranks_cell
from gallery_intl.files import replace_file
from gallery_intl.page.page import (
    ProgramChanged,
    Script,
    collects_messages,
    entries,
    folders,
    messages,
    script_of,
)
from gallery_intl.script.source import blocks, find_line, same_program, world_size

logger = logging.getLogger(__name__)

MADE = "gallery_intl_downloads"  # from the transform to doctree-read, page by page


def folder(env: BuildEnvironment) -> Path:
    """Give the folder of a build's own files; each language has one."""
    return Path(env.doctreedir, "downloads")


def write(path: Path, data: bytes) -> None:
    """Write a file in one step, if it is not there already."""
    if not path.is_file() or path.read_bytes() != data:
        replace_file(path, data, sync=False)


def archive(files: dict[str, Path]) -> bytes:
    """Pack files by their names inside; equal files make an equal archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, path in sorted(files.items()):
            member = zipfile.ZipInfo(name)  # of the year 1980
            member.external_attr = 0o644 << 16
            file.writestr(member, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


class WriteScript(SphinxTransform):
    """Write the script in the build's language; keep it for the notebook."""

    default_priority = order.TRANSLATE_SCRIPT

    def apply(self, **kwargs: Any) -> None:
        script = script_of(self.env, self.env.docname)
        if script is None or collects_messages(self.env):
            return
        rst = Path(self.document["source"]).read_text(encoding="utf-8")
        found = messages(self.env, self.document)
        texts = translated_script.located(self.document, found, script, rst)
        code = translated_script.sketches(self.document, script, rst)
        known = entries(self.env, self.env.docname)

        def translate(message: str) -> str | None:
            return known[message].msgstr if message in known else None

        prose = translated_script.prose(script, texts, code)
        gaps = sum(self.is_gap(known.get(message)) for message in prose)
        origin = origin_of(self.env, gaps, len(prose))
        changes = list(translated_script.edits(texts, code, translate))
        made = translated_script.make(script, changes, translate, origin)
        for edit in made.lost:
            self.warn(script, edit.near, edit.raw)
        path = folder(self.env) / f"{self.env.docname}.py"
        write(path, made.source.encode("utf-8"))
        self.env.temp_data[MADE] = script, made.source, origin

    def is_gap(self, entry: Any) -> bool:
        """Tell whether a message appears in English to readers of another language."""
        in_source = self.config.language == SOURCE_LANGUAGE
        return entry is None or (not in_source and catalogs.is_english(entry))

    def warn(self, script: Script, near: int, text: str) -> None:
        line = find_line(script.text.split("\n"), text, near)
        logger.warning(
            "a translation cannot be put into the download, where %r stays English "
            "(put the text on lines of its own: a table as list-table)",
            text,
            type="gallery_intl",
            subtype="downloads",
            location=f"{script.path}:{line or 1}",
        )


def origin_of(env: BuildEnvironment, gaps: int, total: int) -> str:
    """Say in one line which page and language a download is, and what it lacks."""
    language = env.config.language
    names = getattr(env.config, "gallery_intl_languages", {})
    page = page_address(env, env.docname) or env.docname
    text = f"{_(env.config.project)}: {page} ({names.get(language, language)})"
    if not gaps:
        return text
    percent = 100 * (total - gaps) // total
    note = _("%d %% of this page is translated. The rest is shown in English.")
    return f"{text}. {note % percent}"


def write_notebook(app: Sphinx, document: nodes.document) -> None:
    """Write the notebook and the archive of a page that was just read."""
    env = app.env
    if made := env.temp_data.get(MADE):
        script, source, origin = made
        found = page_cells(env, document, script, source, origin)
        prove(script, found, env.config.language)
        path = folder(env) / env.docname
        write(path.with_name(f"{path.name}.ipynb"), notebook(found).encode("utf-8"))
        files = [path.with_name(path.name + suffix) for suffix in (".py", ".ipynb")]
        data = archive({file.name: file for file in files})
        write(path.with_name(f"{path.name}.zip"), data)
        env.note_dependency(Path(env.srcdir, f"{env.docname}.py"))
    for link in document.findall(addnodes.download_reference):
        point_to_translation(env, link)


def prove(script: Script, found: list[Cell], language: str) -> None:
    """Stop the build if the cells of a notebook are not the page's program."""
    # the docstring is no code in a notebook, but stands for itself in a script
    source = f'"""."""\n{program(found)}'
    if difference := same_program(script.text, source, docstring=False):
        raise ProgramChanged(
            f"{script.path}:{difference.line}: the notebook in {language!r} is another "
            f"program: {difference.reason}"
        )


def page_cells(
    env: BuildEnvironment,
    document: nodes.document,
    script: Script,
    source: str,
    origin: str,
) -> list[Cell]:
    """Give the cells of a page's notebook; a page with ranks begins with theirs."""
    context = context_of(env)
    found = cells(document, script.blocks(), blocks(source), context)
    text = found[0].source if found and found[0].kind == "markdown" else ""
    found[: bool(text)] = [Cell("markdown", f"{text}\n\n*{escape(origin)}*".strip())]
    size = world_size(script.text)
    if size is None:
        return found
    about = [
        _("This page runs in %d processes at once. This cell starts them.") % size,
        _("From here on, %autopx sends each cell to all of them."),
        _("It needs the package ipyparallel: pip install ipyparallel"),
    ]
    return [ranks_cell(size, about), *found]


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
        for suffix in (".py", ".ipynb")
        if docname.startswith(f"{gallery}/")
        and (file := folder(env) / f"{docname}{suffix}").is_file()
    }
    write(path, archive(files))
    for files_of_page in env.dependencies.values():
        # it is newer than the page that links to it, which need not be read again
        files_of_page.discard(env.srcdir / known)


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_config_value("gallery_intl_archive", "gallery.zip", "env", str)
    app.add_transform(WriteScript)
    # before Sphinx collects the files to download (500)
    app.connect("doctree-read", write_notebook, priority=order.WRITE_NOTEBOOK)
    app.connect("env-updated", pack_gallery)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
