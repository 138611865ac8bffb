"""Offer each page as a script, a notebook and an archive in the reader's language.

All of it happens while Sphinx reads: ``doctree-read`` writes the files of a translated
page, and points the links to them before Sphinx collects them, and ``env-updated``
packs the archive of all pages.
"""

from __future__ import annotations

import contextlib
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
from sphinx.locale import _ as site_word

from gallery_intl.downloads.notebook import (
    cells,
    framed,
    notebook,
    page_address,
    program,
)
from gallery_intl.files import replace_file
from gallery_intl.locale import _
from gallery_intl.page.gaps import translated_so_far
from gallery_intl.page.page import (
    Page,
    ProgramChanged,
    Script,
    folders,
    page_of,
    script_of,
)
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


def archive(files: dict[str, bytes]) -> bytes:
    """Return files packed by their names inside; equal files make an equal archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in sorted(files.items()):
            member = zipfile.ZipInfo(name)  # of the year 1980
            member.external_attr = 0o644 << 16
            file.writestr(member, data, zipfile.ZIP_DEFLATED)
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
    text = (
        f"{site_word(env.config.project)}: {address} ({names.get(language, language)})"
    )
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
        all_cells = framed(app.config, [title, *chain(*first), *rest])
        # the docstring is no code in a notebook, but stands for itself in a script
        for program_ in (source, f'"""."""\n{program(all_cells)}'):
            prove(page.script, program_, env.config.language)
        files = [folder(env) / f"{env.docname}{kind}" for kind in KINDS]
        for file, text in zip(files, (source, notebook(all_cells)), strict=True):
            write(file, text.encode("utf-8"))
        packed = archive({file.name: file.read_bytes() for file in files})
        write(folder(env) / f"{env.docname}.zip", packed)
        env.note_dependency(Path(env.srcdir, f"{env.docname}.py"))
    for block in list(document.findall(nodes.literal_block)):
        if "file" in block:
            offer(env, document, block)
    for link in document.findall(addnodes.download_reference):
        point_to_translation(env, link)


def is_unchanged(env: BuildEnvironment, script: Script, made: Made) -> bool:
    """Return whether a page's own files say all that ours would say."""
    return is_left(env, env.docname) and made.source == script.text


def is_left(env: BuildEnvironment, page: str) -> bool:
    """Return whether a page has Sphinx-Gallery's own files, if they say the same."""
    return is_left_as_written(env) or not is_to_translate(env.config, page)


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
    """Point a link to a file of a page, or to an archive of a gallery, to ours."""
    here = posixpath.dirname(f"/{env.docname}")
    target = posixpath.normpath(posixpath.join(here, link["reftarget"])).lstrip("/")
    path = PurePosixPath(target)
    page = path.with_suffix("").as_posix()
    is_own = page == env.docname
    if path.name == env.config.gallery_intl_archive:
        ours = folder(env) / path.name
    elif is_own or is_other_page(env, path) or is_archive(env, path):
        ours = folder(env) / path
    else:
        return
    if not is_own:  # it is written when its page, or all of them, are read
        ours.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            ours.open("xb").close()
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


def is_other_page(env: BuildEnvironment, path: PurePosixPath) -> bool:
    """Return whether a file is one of a page that has ours in this language."""
    page = path.with_suffix("").as_posix()
    is_file = path.suffix in (*KINDS, ".zip") and script_of(env, page) is not None
    return is_file and not is_left(env, page)


def is_archive(env: BuildEnvironment, path: PurePosixPath) -> bool:
    """Return whether a file is an archive of a gallery in which files may be ours."""
    if is_left_as_written(env):
        return False
    galleries = [gallery for _examples, gallery in folders(env.config)]
    is_page = path.with_suffix("").as_posix() in env.found_docs
    is_there = path.suffix == ".zip" and Path(env.srcdir, path).is_file()
    return path.parent.as_posix() in galleries and is_there and not is_page


def script_download(env: BuildEnvironment, page: str) -> str:
    """Return the file, below the downloads, of a page's script; "" if there is none."""
    ours = Path(os.path.relpath(folder(env) / f"{page}.py", env.srcdir))
    return str(env.dlfiles[ours][1]) if ours in env.dlfiles else ""


def pack_archives(app: Sphinx, env: BuildEnvironment) -> None:
    """Pack the archives that a page links to."""
    whole = env.config.gallery_intl_archive
    if is_linked(env, folder(env) / whole):
        write(folder(env) / whole, archive(all_files(env, PurePosixPath(whole).stem)))
    for _examples, gallery in folders(env.config):
        for original in sorted(Path(env.srcdir, gallery).glob("*.zip")):
            path = folder(env) / gallery / original.name
            is_page = f"{gallery}/{original.stem}" in env.found_docs
            if not is_page and is_linked(env, path):
                write(path, archive(translated_files(original, path.parent)))
    forget_times(env)


def is_linked(env: BuildEnvironment, path: Path) -> bool:
    """Return whether a page offers a file of ours."""
    return Path(os.path.relpath(path, env.srcdir)) in env.dlfiles


def all_files(env: BuildEnvironment, top: str) -> dict[str, bytes]:
    """Return the files of all pages, ours where we have them, below a folder."""
    return {
        f"{top}/{docname.removeprefix(f'{gallery}/')}{suffix}": file.read_bytes()
        for docname in env.found_docs
        for _examples, gallery in folders(env.config)
        for suffix in KINDS
        if docname.startswith(f"{gallery}/")
        for file in [x / f"{docname}{suffix}" for x in (Path(env.srcdir), folder(env))]
        if file.is_file()
    }


def translated_files(original: Path, ours: Path) -> dict[str, bytes]:
    """Return the files of an archive, ours where we have them."""
    with zipfile.ZipFile(original) as packed:
        return {
            name: file.read_bytes()
            if (file := ours / name).is_file()
            else packed.read(name)
            for name in packed.namelist()
        }


def forget_times(env: BuildEnvironment) -> None:
    """Let no page be read again because others wrote their files after it."""
    for docname, files_of_page in env.dependencies.items():
        for path in [*files_of_page]:
            name = os.path.relpath(Path(env.srcdir, path), folder(env))
            if not name.startswith(("..", f"{docname}.", f"{docname}{os.sep}")):
                files_of_page.discard(path)
