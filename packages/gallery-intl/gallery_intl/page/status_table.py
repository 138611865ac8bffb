"""Show on a page how much of each page each language has: ``.. translation-status::``.

The numbers are those of ``make progress``. The page is read again if one of them
changes, and written again if a page has another title.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs import progress
from gallery_intl.catalogs.own import folders_in
from gallery_intl.catalogs.po import source_language
from gallery_intl.locale import _
from gallery_intl.page.catalog_links import (
    how_to_translate,
    link_to,
    remaining,
    reviews,
)
from gallery_intl.page.interface_nodes import line, with_class
from gallery_intl.project import Project
from gallery_intl.writer.record import file_state

TABLE = "translation-status"  # the directive, and the table's class
KNOWN = "translation-status-counted"  # in the metadata of a page with a table


def languages(env: BuildEnvironment) -> list[str]:
    source = source_language(env.config)
    return [x for x in env.config.gallery_intl_languages if x != source]


def folders(env: BuildEnvironment) -> list[Path]:
    """Return the folders of catalogs: also ours where this package is made."""
    project = Project.of(env).srcdir
    return [project / env.config.locale_dirs[0], *folders_in(project)]


def counted(env: BuildEnvironment) -> list[str]:
    """Return the paths of all catalogs that the table's numbers come from."""
    known = [source_language(env.config), *languages(env)]
    return [str(x) for folder in folders(env) for x in progress.paths(folder, known)]


def counts(env: BuildEnvironment) -> progress.Table:
    """Count the catalogs of pages that there are, and of words."""
    rows = progress.Table()
    for folder in folders(env):
        rows |= progress.table(folder, languages(env), source_language(env.config))
    known = {*env.found_docs, *catalogs.NO_PAGE}
    return {page: row for page, row in rows.items() if page in known}


def files(env: BuildEnvironment) -> list[str]:
    """Return what changes with the pages, and with each catalog that is counted."""
    return [*sorted(env.found_docs), *(file_state(Path(x)) for x in counted(env))]


def catalog(env: BuildEnvironment, language: str, page: str) -> Path | None:
    paths = (catalogs.po_path(folder, language, page) for folder in folders(env))
    return next(filter(Path.is_file, paths), None)


def cell(value: nodes.Node | str, *quiet: str) -> nodes.entry:
    """Return a cell: its value, and smaller lines below it."""
    first = nodes.Text(value) if isinstance(value, str) else value
    notes = (line(nodes.Text(note), classes=["quiet"]) for note in quiet)
    return nodes.entry("", line(first), *notes)


class TranslationStatus(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        if self.config.gallery_intl_collect:
            return []
        about = self.env.metadata[self.env.docname]
        about[KNOWN] = {"files": files(self.env)}
        try:
            rows = counts(self.env)
        except catalogs.CatalogError as error:  # maybe one of another language
            raise self.warning(f"no table: {error}") from None
        about[KNOWN]["rows"] = repr(rows)
        return [self.table(rows), *map(line, how_to_translate(self.env))]

    def table(self, rows: progress.Table) -> nodes.table:
        head = nodes.row("", cell(_("Page")), *map(self.language, languages(self.env)))
        body = [
            nodes.row("", self.title(page), *self.cells(page, row), page=page)
            for page, row in rows.items()
        ]
        sums = nodes.row("", cell(_("In total")), *self.sums(rows), page="")
        group = nodes.tgroup("", cols=len(head))
        group += [nodes.colspec(colwidth=1, stub=not at) for at in range(len(head))]
        group += [nodes.thead("", head), nodes.tbody("", *body, sums)]
        return nodes.table("", group, classes=[TABLE, "no-search", "colwidths-auto"])

    def language(self, language: str) -> nodes.entry:
        """Name a language as it does itself."""
        classes = [catalogs.lang_class(language)]
        name = self.config.gallery_intl_languages[language]
        return cell(nodes.inline("", name, classes=classes))

    def title(self, page: str) -> nodes.entry:
        """Name a page by its title, which Sphinx knows when all pages are read."""
        if page == catalogs.INTERFACE:
            return cell(_("Words of the interface"))
        if page == catalogs.DOMAIN:
            return cell(_("Words of the gallery"))
        links, _messages = self.parse_inline(f":doc:`/{page}`", lineno=self.lineno)
        return cell(links[0])

    def cells(self, page: str, row: progress.Row) -> Iterator[nodes.entry]:
        """Link to each catalog by how much is translated; say what is left."""
        for language in languages(self.env):
            if language not in row:
                yield cell("-")
                continue
            count, credits = row[language]
            path = catalog(self.env, language, page)
            percent = _("%d %%") % count.percent
            link = link_to(self.env, path, percent) if path else percent
            yield cell(link, *remaining(count), *reviews(credits))

    def sums(self, rows: progress.Table) -> Iterator[nodes.entry]:
        """Add up the languages; tell how many catalogs are reviewed."""
        for language, count in progress.totals(rows, languages(self.env)).items():
            known = [row[language] for row in rows.values() if language in row]
            done = sum(credits.is_reviewed for _count, credits in known)
            numbers = {"done": done, "all": len(known)}
            reviewed = _("Reviewed: %(done)d of %(all)d") % numbers
            yield cell(_("%d %%") % count.percent, *remaining(count), reviewed)


def sort_rows(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Put the pages into reading order, which is known when all are read."""
    for table in with_class(document, nodes.table, TABLE):
        order = {page: at for at, page in enumerate(app.env.collect_relations())}
        body = next(table.findall(nodes.tbody))
        rows = sorted(
            body.findall(nodes.row), key=lambda x: order.get(x["page"], len(order))
        )
        body.children = [*rows]


def forget_catalogs(app: Sphinx, document: nodes.document) -> None:
    """Remove the dependencies on catalogs that Sphinx notes for links to them."""
    env, page = app.env, app.env.docname
    if KNOWN in env.metadata[page]:
        own = map(str, Project.of(env).catalog_paths(page, app.config.language))
        others = {*counted(env)} - {*own}
        known = env.dependencies[page]
        places = {x: os.path.normpath(Path(env.srcdir, x)) for x in known}
        known -= {x for x in known if places[x] in others}


def outdated(app: Sphinx, env: BuildEnvironment, *changes: set[str]) -> list[str]:
    """Return the pages whose table has other numbers now."""
    if env.config.gallery_intl_collect:
        return []
    known = [(page, x[KNOWN]) for page, x in env.metadata.items() if KNOWN in x]
    return [page for page, about in known if has_other_numbers(env, about)]


def has_other_numbers(env: BuildEnvironment, about: dict[str, Any]) -> bool:
    """Count the catalogs again if one of them has changed."""
    now = files(env)
    if now == about["files"]:
        return False
    about["files"] = now
    try:
        return about.get("rows") != repr(counts(env))
    except catalogs.CatalogError:  # the page will say so
        return True


def retitled(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Return the pages with a table if it names pages that have other titles now."""
    now, changed = [env.titles[page].astext() for page in sorted(env.titles)], []
    for page, about in env.metadata.items():
        if KNOWN in about and about[KNOWN].get("titles") != now:
            about[KNOWN]["titles"] = now
            changed.append(page)
    return changed
