"""Offer each page as a script, a notebook and an archive in the reader's language.

All of it happens while Sphinx reads: ``doctree-read`` writes the files of a translated
page, and points the links to them before Sphinx collects them, and ``env-updated``
packs the archive of all pages.
"""

from __future__ import annotations

import io
import os
import posixpath
import zipfile
from itertools import chain
from pathlib import Path, PurePosixPath

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.locale import _

from gallery_intl.downloads.notebook import (
    cells,
    framed,
    notebook,
    page_address,
    program,
)
from gallery_intl.files import replace_file
from gallery_intl.page.gaps import translated_so_far
from gallery_intl.page.page import Page, ProgramChanged, Script, folders, page_of
from gallery_intl.page.settings import is_left_as_written, is_to_translate
from gallery_intl.script.source import docstring_lines, same_program
from gallery_intl.script.translate import Made

NAMED = "gallery_intl_named"  # in a link to our file: what the page calls it
KINDS = (".py", ".ipynb")  # what an archive holds of a page


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


def below(source: str, line: str) -> str:
    """Return a script with a line put before its docstring."""
    lines = source.split("\n")
    lines.insert(max(docstring_lines(source)[0] - 1, 0), line)
    return "\n".join(lines)


def origin_of(env: BuildEnvironment, page: Page) -> str:
    """Return in one line which page and language a download is, and what it lacks."""
    language = env.config.language
    names = getattr(env.config, "gallery_intl_languages", {})
    address = page_address(env, page.docname) or page.docname
    text = f"{_(env.config.project)}: {address} ({names.get(language, language)})"
    total, gaps = len(page.prose), sum(map(page.catalog.is_gap, page.prose))
    if not gaps:
        return text
    return f"{text}. {translated_so_far(env.config, 100 * (total - gaps) // total)}"


def write_downloads(app: Sphinx, document: nodes.document) -> None:
    """Write script, notebook and archive of a page that was just read."""
    env, page = app.env, page_of(app.env)
    if page.script and page.made and not is_unchanged(env, page.script, page.made):
        origin = origin_of(env, page)
        source = below(page.made.source, f"# {origin}")
        # listeners are given the script; they return cells that prepare it, with a tag
        first = env.events.emit("gallery-notebook-cells", page.script.text)
        title, *rest = cells(env, document, page.script, source, origin)
        found = framed(app.config, [title, *chain(*first), *rest])
        # the docstring is no code in a notebook, but stands for itself in a script
        for program_ in (source, f'"""."""\n{program(found)}'):
            prove(page.script, program_, env.config.language)
        files = [folder(env) / f"{env.docname}{kind}" for kind in KINDS]
        for file, text in zip(files, (source, notebook(found)), strict=True):
            write(file, text.encode("utf-8"))
        packed = archive({file.name: file for file in files})
        write(folder(env) / f"{env.docname}.zip", packed)
        env.note_dependency(Path(env.srcdir, f"{env.docname}.py"))
    for block in list(document.findall(nodes.literal_block)):
        if "file" in block:
            offer(env, document, block)
    for link in document.findall(addnodes.download_reference):
        point_to_translation(env, link)


def is_unchanged(env: BuildEnvironment, script: Script, made: Made) -> bool:
    """Return whether a page's own files say all that ours would say."""
    is_left = is_left_as_written(env) or not is_to_translate(env.config, env.docname)
    return is_left and made.source == script.text


def offer(
    env: BuildEnvironment, document: nodes.document, block: nodes.literal_block
) -> None:
    """Put its name and a download above a program that a script writes to a file."""
    path = folder(env) / env.docname / block["file"]
    write(path, f"{block.astext()}\n".encode())
    words = nodes.literal("", path.name), nodes.inline("", _("Download"))
    target = "/" + Path(os.path.relpath(path, env.srcdir)).as_posix()
    link = addnodes.download_reference("", "", *words, reftarget=target)
    classes = ["intl-program", "literal-block-wrapper"]
    box = nodes.container(literal_block=True, classes=classes)
    block.parent.replace(block, box)
    document.set_id(box)  # HTML links to it
    box += [nodes.caption("", "", link), block]


def prove(script: Script, other: str, language: str) -> None:
    """Stop the build if a download is not the page's program."""
    if difference := same_program(script.text, other, docstring=False):
        raise ProgramChanged(
            f"{script.path}:{difference.line}: the download in {language!r} is another "
            f"program: {difference.reason}"
        )


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
        link[NAMED] = link["reftarget"]
        link["reftarget"] = "/" + Path(os.path.relpath(ours, env.srcdir)).as_posix()


def name_as_written(app: Sphinx, document: nodes.document) -> None:
    """Name each file as its page does, once Sphinx knows where ours are.

    Sphinx-Gallery shows these names beside a page.
    """
    for link in document.findall(addnodes.download_reference):
        if NAMED in link:
            link["reftarget"] = link.attributes.pop(NAMED)


def script_download(env: BuildEnvironment, page: str) -> str:
    """Return the file, below the downloads, of a page's script; "" if there is none."""
    ours = Path(os.path.relpath(folder(env) / f"{page}.py", env.srcdir))
    return str(env.dlfiles[ours][1]) if ours in env.dlfiles else ""


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
