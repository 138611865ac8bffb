"""Complete the downloads that the writer has begun: notebooks and archives.

A notebook has the page's text as Markdown, so it is written when Sphinx has read and
translated the page. The script, which the writer wrote, is beside it.
"""

import io
import os
import zipfile
from itertools import chain
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.typing import ExtensionMetadata

from gallery_intl.downloads.notebook import (
    cells,
    framed,
    notebook,
    pages_with_other_titles,
    program,
)
from gallery_intl.files import replace_if_changed
from gallery_intl.project import ProgramChanged, Project, Script
from gallery_intl.script.source import docstring_lines, same_program
from gallery_intl.writer.sphinx_gallery import visible

KINDS = (".py", ".ipynb")  # what an archive holds of a page


def archive(files: dict[str, bytes]) -> bytes:
    """Return files packed by their names inside; equal files make an equal archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in sorted(files.items()):
            member = zipfile.ZipInfo(name)  # of the year 1980
            member.external_attr = 0o644 << 16
            file.writestr(member, data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def write_notebook(app: Sphinx, document: nodes.document) -> None:
    """Write the notebook and the archive of a page that was just read."""
    env = app.env
    script = Project.of(env).script(env.docname)
    path = Path(env.srcdir, f"{env.docname}.py")
    if script is None or path.is_symlink() or not app.config.gallery_intl_project:
        return  # Sphinx-Gallery's own downloads are right
    source = path.read_text(encoding="utf-8")
    above = max(docstring_lines(source)[0] - 2, 0)  # the writer has put it there
    origin = source.split("\n")[above].removeprefix("# ")
    # listeners are given the script; they return cells that prepare it, with a tag
    first = env.events.emit("gallery-notebook-cells", script.text)
    title, *rest = cells(env, document, script, source, origin)
    all_cells = framed(app.config, [title, *chain(*first), *rest])
    # the docstring is no code in a notebook, but stands for itself in a script
    text = visible(script.text, app.config.sphinx_gallery_conf)
    made = f'"""."""\n{program(all_cells)}'
    prove(script._replace(text=text), made, app.config.language)
    data = notebook(all_cells).encode("utf-8")
    replace_if_changed(path.with_suffix(".ipynb"), data, sync=False)
    files = [path.with_suffix(kind) for kind in KINDS]
    packed = archive({file.name: file.read_bytes() for file in files})
    replace_if_changed(path.with_suffix(".zip"), packed, sync=False)


def prove(script: Script, other: str, language: str) -> None:
    """Stop the build if a download is not the page's program."""
    if difference := same_program(script.text, other, docstring=False):
        raise ProgramChanged(
            f"{script.path}:{difference.line}: the download in {language!r} is another "
            f"program: {difference.reason}"
        )


def pack_archives(app: Sphinx, env: BuildEnvironment) -> None:
    """Pack the archives of galleries, and that of all pages if one offers it."""
    if not app.config.gallery_intl_project:
        return
    whole = Path(env.srcdir, app.config.gallery_intl_archive)
    project = Project.of(env)
    if Path(app.config.gallery_intl_archive) in env.dlfiles:
        files = all_files(env, project, whole.stem)
        for texts in app.emit("gallery-archive", env):  # of listeners, by name
            added = {f"{whole.stem}/{x}": text.encode() for x, text in texts.items()}
            files |= added
        pack(whole, files)
    for _examples, gallery in project.galleries:
        for original in sorted((project.srcdir / gallery).glob("*.zip")):
            ours = Path(env.srcdir, gallery, original.name)
            if f"{gallery}/{original.stem}" not in env.found_docs:
                pack(ours, translated_files(original, ours.parent))


def pack(path: Path, files: dict[str, bytes]) -> None:
    """Write an archive as old as no page, so that it lets none be read again."""
    replace_if_changed(path, archive(files), sync=False)
    os.utime(path, (0, 0))


def all_files(env: BuildEnvironment, project: Project, top: str) -> dict[str, bytes]:
    """Return the downloads of all pages of the galleries, below a folder."""
    return {
        f"{top}/{project.in_gallery(docname)}{suffix}": file.read_bytes()
        for docname in env.found_docs
        for suffix in KINDS
        if project.in_gallery(docname) != docname
        if (file := Path(env.srcdir, f"{docname}{suffix}")).is_file()
    }


def translated_files(original: Path, ours: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(original) as packed:
        return {
            name: (ours / name).read_bytes()
            if (ours / name).is_file()
            else packed.read(name)
            for name in packed.namelist()
        }


def script_download(env: BuildEnvironment, page: str) -> str:
    """Return the file, below the downloads, of a page's script; "" if there is none."""
    name = Path(f"{page}.py")
    return str(env.dlfiles[name][1]) if name in env.dlfiles else ""


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_event("gallery-notebook-cells")
    app.add_event("gallery-archive")
    app.connect("env-get-outdated", pages_with_other_titles)
    app.connect("doctree-read", write_notebook, priority=400)  # Sphinx collects at 500
    app.connect("env-updated", pack_archives)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
