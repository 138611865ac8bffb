"""Write the folder of sources that Sphinx builds into one language."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from gallery_intl.catalogs import po
from gallery_intl.catalogs.own import use_words
from gallery_intl.catalogs.page_catalog import PageCatalog
from gallery_intl.files import replace_if_changed
from gallery_intl.page.gaps import translated_so_far
from gallery_intl.project import Project
from gallery_intl.script.source import docstring_lines
from gallery_intl.writer import furniture
from gallery_intl.writer.guard import Check, guard
from gallery_intl.writer.page import Page, Prepare
from gallery_intl.writer.record import Record, code_state, digest, file_state

CONF = '''"""The settings of the project, for the sources in this folder."""

import runpy

globals().update(runpy.run_path({conf!r}, {{"tags": tags}}))
language = {language!r}
gallery_intl_project = {project!r}
'''
COLLECT = """\
gallery_intl_collect = True
locale_dirs = []  # of a translated text Sphinx would take the translation
"""


def translate_furniture(rst: str, catalog: PageCatalog, project: Project) -> str:
    """Translate Sphinx-Gallery's text; name the language of Binder's notebooks."""
    source = project.source_language
    name = "" if catalog.is_source else project.languages.get(source, source)
    return furniture.translate(rst, name)


class Hooks(NamedTuple):
    """Functions of a project that take part in writing.

    ``prepare`` changes the reST of a script's page before it is translated, and
    ``furnish`` that of any page of the gallery after it, in place of translating what
    Sphinx-Gallery adds. ``check`` returns what is wrong with catalogs. ``state``
    returns what changes with all else that a page is written from. ``complete`` makes
    the script for readers from the translated one: it changes comments and docstring.
    """

    prepare: Prepare | None = None
    furnish: Callable[[str, PageCatalog, Project], str] = translate_furniture
    check: Check | None = None
    state: Callable[[Project, str], str] = lambda _project, _docname: ""
    complete: Callable[[str], str] = str


def write_language(
    project: Project,
    language: str,
    target: Path,
    hooks: Hooks | None = None,
    leave_out: Iterable[Path] = (),
    *,
    collect: bool = False,
) -> list[str]:
    """Write the sources of a language; return what is wrong with translations.

    With ``collect`` they are those that Sphinx collects messages from: nothing is
    translated, and there are no downloads. Files that stay as they are become links. A
    file is written only if it changes, so that Sphinx reads no more pages than needed.
    """
    record, hooks = Record(target), hooks or Hooks()
    if not collect:
        guard(project, language, record, hooks.check)
    use_words([project.srcdir / x for x in project.config.locale_dirs], language)
    folders = [project.srcdir / gallery for _examples, gallery in project.galleries]
    link_tree(
        project.srcdir, target, [*folders, *leave_out, target, project.config_file]
    )
    conf = CONF.format(
        conf=str(Path(project.config_file)),
        language=language,
        project=str(project.srcdir),
    )
    if collect:
        conf += COLLECT
        project.config.locale_dirs = []
    replace_if_changed(target / "conf.py", conf.encode(), sync=False)
    keep_file(target / project.config.gallery_intl_archive)
    writer = TreeWriter(project, language, target, hooks, record)
    for folder in folders:
        writer.write_gallery(folder)
    record.write()
    return writer.warnings


class TreeWriter:
    def __init__(
        self,
        project: Project,
        language: str,
        target: Path,
        hooks: Hooks,
        record: Record,
    ) -> None:
        self.project, self.language, self.target = project, language, target
        self.hooks, self.record = hooks, record
        titles = {x: project.title(x, language) for x in project.scripts()}
        words = project.config.project, project.config.html_baseurl, project.languages
        self.settings = repr((titles, words, code_state()))
        self.warnings: list[str] = []

    def write_gallery(self, folder: Path) -> None:
        """Write all files of a gallery; those of other pages become links."""
        made = set[Path]()
        for path in sorted(folder.rglob("*.rst")):
            docname = path.relative_to(self.project.srcdir).with_suffix("").as_posix()
            if self.project.script(docname):
                made |= self.write_if_changed(docname)
            else:
                made |= self.write_index(path)
        for path in sorted(folder.rglob("*.recommendations")):
            made |= self.write_index(path)
        for path in sorted(folder.rglob("*")):
            target = self.path_of(path)
            is_hidden = any(x.startswith(".") for x in path.relative_to(folder).parts)
            if path.is_file() and target not in made and not is_hidden:
                made.add(target)
                link(path, target)
        remove_others(self.path_of(folder), made)

    def write_if_changed(self, docname: str) -> set[Path]:
        """Write a page, unless all that it is made of is as it was."""
        base = self.project.srcdir / docname
        figures = [*base.parent.glob(f"images/**/sphx_glr_{base.name}_*")]
        catalogs = self.project.catalog_paths(docname, self.language)
        files = [base.with_suffix(x) for x in (".rst", ".py")] + figures + catalogs
        more = self.hooks.state(self.project, docname)
        state = digest(self.settings, more, *map(file_state, files))
        if self.record.states.get(docname) == state:
            made = {self.target / name for name in self.record.files[docname]}
            if all(map(os.path.lexists, made)):
                return made
        before = len(self.warnings)
        page = Page(self.project, docname, self.language, self.hooks.prepare)
        made = self.write_page(page)
        names = [path.relative_to(self.target).as_posix() for path in made]
        self.record.files[docname] = sorted(names)
        # one with a warning is written again, so that it warns again
        is_right = len(self.warnings) == before
        self.record.states[docname] = state if is_right else ""
        return made

    def path_of(self, path: Path) -> Path:
        return self.target / path.relative_to(self.project.srcdir)

    def write_page(self, page: Page) -> set[Path]:
        """Write a page with its downloads and figures; return what was written."""
        self.warnings += page.warnings
        path = self.target / f"{page.docname}.rst"
        rst = self.hooks.furnish("\n".join(page.lines), page.catalog, self.project)
        files = {path: furniture.translate_cards(rst, self.card)}
        if self.is_translated(page):
            files[path.with_suffix(".py")] = self.download(page)
        for name, text in page.files.items():
            files[path.with_suffix("") / name] = f"{text}\n"
        files |= {self.target / name: figure for name, figure in page.copies.items()}
        files |= {self.path_of(figure): svg for figure, svg in page.figures()}
        for file, text in files.items():
            replace_if_changed(file, text.encode(), sync=False)
        made = set(files)
        # Sphinx completes the notebook and the archive once it knows the page's text
        for suffix in (".ipynb", ".zip"):
            if path.with_suffix(".py") in made:
                made.add(path.with_suffix(suffix))
                keep_file(path.with_suffix(suffix))
        return made

    def is_translated(self, page: Page) -> bool:
        return self.project.is_to_translate(page.docname) and (
            not page.is_source or self.project.config.gallery_intl_source_downloads
        )

    def download(self, page: Page) -> str:
        """Return the script in the page's language, below a line about its origin."""
        return self.hooks.complete(below(page.translated.source, f"# {origin(page)}"))

    def write_index(self, path: Path) -> set[Path]:
        """Write cards of the gallery: a page of a part, or the end of a script's."""
        text = path.read_text(encoding="utf-8")
        docname = path.relative_to(self.project.srcdir).with_suffix("").as_posix()
        catalog = self.project.catalog(docname, self.language)
        new = self.hooks.furnish(text, catalog, self.project)
        new = furniture.translate_recommendations(new)
        new = furniture.translate_cards(new, self.card)
        if new == text:
            return set()
        replace_if_changed(self.path_of(path), new.encode(), sync=False)
        return {self.path_of(path)}

    def card(self, docname: str) -> tuple[str, str]:
        """Return the title of a page and its first paragraph; "" for the original."""
        if self.language == self.project.source_language:
            return "", ""
        title = self.project.title(docname, self.language)
        return title or "", self.project.intro(docname, self.language)


def origin(page: Page) -> str:
    """Return in one line which page and language a download is, and what it lacks."""
    project, base = page.project, page.project.config.html_baseurl.rstrip("/")
    name = project.languages.get(page.language, page.language)
    title = project.interface_word(project.config.project, page.language)
    address = f"{base}/{page.language}/{page.docname}.html" if base else page.docname
    text = f"{title}: {address} ({name})"
    prose = list(filter(po.has_prose, page.translated.found))
    if not any(map(page.catalog.is_gap, prose)):
        return text
    done = len(prose) - sum(map(page.catalog.is_gap, prose))
    return f"{text}. {translated_so_far(project, 100 * done // len(prose))}"


def below(source: str, line: str) -> str:
    """Return a script with a line put before its docstring."""
    lines = source.split("\n")
    lines.insert(max(docstring_lines(source)[0] - 1, 0), line)
    return "\n".join(lines)


def keep_file(path: Path) -> None:
    """Create an empty file if there is none, which is filled later."""
    if path.is_symlink():
        path.unlink()
    if not path.exists():  # else Sphinx would read its page again
        path.touch()


def link(path: Path, target: Path) -> None:
    """Let a path lead to a file that stays as it is."""
    if target.is_symlink() and target.readlink() == path:
        return
    target.unlink(missing_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.symlink_to(path)


def link_tree(source: Path, target: Path, leave_out: list[Path]) -> None:
    """Let a folder lead to all that is in another one, but what is left out."""
    target.mkdir(parents=True, exist_ok=True)
    for entry in target.iterdir():
        if entry.is_symlink() and not entry.exists():
            entry.unlink()
    for entry in source.iterdir():
        if entry in leave_out or entry.name.startswith("."):
            continue
        if any(path.is_relative_to(entry) for path in leave_out):
            if (target / entry.name).is_symlink():
                (target / entry.name).unlink()
            link_tree(entry, target / entry.name, leave_out)
        else:
            link(entry, target / entry.name)


def remove_others(folder: Path, made: set[Path]) -> None:
    """Remove the files of pages that are gone."""
    for path, folders, names in os.walk(folder, topdown=False):
        for name in names:
            if (file := Path(path, name)) not in made:
                file.unlink()
        for name in folders:
            if not any(Path(path, name).iterdir()):
                Path(path, name).rmdir()
