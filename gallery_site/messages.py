"""Collect the messages of all pages, and run no script for it.

A page that ran as it now is, is read as the run made it. The others are made again in a
folder apart, without outputs; the words of their figures are those that were known.
"""

from __future__ import annotations

import ast
import io
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gallery_intl.catalogs import po
from gallery_intl.catalogs.labels import keep_labels
from gallery_intl.figures.words import MAKES_FIGURE
from gallery_intl.files import only_one
from gallery_intl.project import Project
from gallery_intl.script.source import same_program
from gallery_intl.writer.places import with_origins
from gallery_intl.writer.tree import link_tree, write_language
from gallery_run import fingerprint
from gallery_run.generate import copies
from gallery_run.run import run_gallery
from gallery_run.upstream import is_done
from gallery_site.head import HOOKS
from gallery_site.languages import run_sphinx
from gallery_site.project import BuildError, Site

NOT_RUN = {"sphinx_gallery_conf.plot_gallery": False}
NOT_DRAWN = (
    "%s: new words of its figures are not in the catalogs yet "
    "(run it: make html; then again: make catalogs)"
)


class Script(NamedTuple):
    """A script of the gallery, and its copies, which lie beside its pages."""

    path: Path
    page: str
    made: Path  # beside the page that is read for its messages
    ran: Path  # beside the page of the last run
    catalog: Path  # the English one

    @property
    def may_have_new_words(self) -> bool:
        """Whether there may be words of figures that no catalog has."""
        text = self.path.read_text(encoding="utf-8")
        if not MAKES_FIGURE.search(text):
            return False
        if not self.ran.is_file():
            return not self.catalog.is_file()
        try:
            ran = self.ran.read_text(encoding="utf-8")
            return same_program(ran, text, docstring=False) is not None
        except SyntaxError:  # it did not run
            return True


def scripts(site: Site, source: Path) -> Iterator[Script]:
    """Yield the scripts whose pages were made below a folder."""
    for path, ran in copies(site.srcdir, site.config.sphinx_gallery_conf):
        name = ran.relative_to(site.srcdir)
        if path.suffix == ".py" and (source / name).is_file():
            page = name.with_suffix("").as_posix()
            english = po.po_path(site.locale_dir, po.SOURCE_LANGUAGE, page)
            yield Script(path, page, source / name, ran, english)


def collect(site: Site) -> Path:
    """Write the templates of all catalogs; return their folder."""
    source = site.out / "messages"
    shutil.rmtree(source, ignore_errors=True)
    make_pages(site, source)
    made = scripts(site, source)
    not_run = [script for script in made if not is_done(script.path, script.made)]
    for script in not_run:
        check_syntax(script.path)
    templates, said = source / "templates", io.StringIO()
    project, written = Project.read(source), source / "written"
    places = [written, templates, source / "doctrees"]
    for warning in write_language(
        project, project.source_language, written, HOOKS, places, collect=True
    ):
        print(str(warning).replace(f"{source}/", ""), file=sys.stderr)
    status = run_sphinx(written, "gettext", templates, source / "doctrees", {}, said)
    warnings = with_origins(said.getvalue(), project, written, project.source_language)
    print(warnings.replace(f"{source}/", ""), end="", file=sys.stderr)
    if status:
        raise BuildError("no messages collected; the catalogs are as they were")
    for script in not_run:
        keep_words(script, templates / f"{script.page}.pot")
    return templates


def check_syntax(path: Path) -> None:
    """Stop at a script that is no Python, as a run would: raise BuildError."""
    try:
        ast.parse(path.read_bytes())
    except SyntaxError as error:
        place = f"{path}:{error.lineno}"
        raise BuildError(f"{place}: {error.msg} (correct the script)") from None


def make_pages(site: Site, source: Path) -> None:
    """Make all pages in a folder of their own, from those of the last run."""
    link_tree(site.srcdir, source, [*site.generated, site.out])
    settings = fingerprint.read_settings(site.srcdir, NOT_RUN)
    if last := fingerprint.read(site.generated[0]):
        copies = [source / x.relative_to(site.srcdir) for x in site.generated]
        with only_one(site.generated[0], lambda: None):  # not in the midst of a run
            for folder, copy in zip(site.generated, copies, strict=True):
                shutil.copytree(folder, copy, dirs_exist_ok=True)
        # as if the last run had been one without scripts
        now = fingerprint.take(source, settings.sphinx_gallery_conf)
        fingerprint.write(copies[0], last._replace(environment=now.environment))
    said = run_gallery(source, site.srcdir, NOT_RUN, lambda _text: None, settings)
    if said:
        raise BuildError("\n".join(["the pages were made with warnings:", *said]))


def keep_words(script: Script, template: Path) -> None:
    """Let a template have the words of figures that the page's catalog has."""
    if script.may_have_new_words:
        print(NOT_DRAWN % script.page, file=sys.stderr)
    if script.catalog.is_file() and template.is_file():
        messages = po.read(template)
        keep_labels(messages, po.read(script.catalog))
        po.write(template, messages)
