"""List the names that the lessons use, and the lessons that use each."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.locale import _
from sphinx.util.docutils import SphinxDirective

from gallery_intl.page.names import described_names
from gallery_intl.project import Project
from gallery_site.book.path import links

MANY = 15  # lessons that use a name
USED, LISTS = "names-used", "lists-names"  # in what Sphinx keeps of a page


class listed_names(nodes.General, nodes.Element):
    """A placeholder for the list, which is there once all pages are read."""


class NamesUsed(SphinxDirective):
    """Every documented name that the code of a lesson uses."""

    def run(self) -> list[nodes.Node]:
        self.env.metadata[self.env.docname][LISTS] = True
        return [listed_names()]


def remember(app: Sphinx, document: nodes.document) -> None:
    """Keep the names that the code of a lesson uses, and where they are described."""
    page = app.env.docname
    if not app.config.gallery_intl_collect and Project.of(app.env).script(page):
        app.env.metadata[page][USED] = described_names(app.env, document)


def outdated(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Return the pages whose list is another one now."""
    now = [
        (page, env.titles[page].astext(), env.metadata[page].get(USED))
        for page in env.collect_relations()
    ]
    pages = [
        page for page, about in env.metadata.items() if about.get(LISTS, now) != now
    ]
    for page in pages:
        env.metadata[page][LISTS] = now
    return pages


def fill(app: Sphinx, document: nodes.document, docname: str) -> None:
    for node in list(document.findall(listed_names)):
        node.replace_self(list(names_list(app, docname)))


def names_list(app: Sphinx, docname: str) -> list[nodes.Node]:
    """Return the names, by the module that holds them, with links to lessons."""
    users = defaultdict[tuple[str, str, str], list[str]](list)
    for page in app.env.collect_relations():
        for name, uri in sorted(app.env.metadata[page].get(USED, {}).items()):
            module, _dot, last = name.rpartition(".")
            users[module, last, uri].append(page)
    made: list[nodes.Node] = []
    for module, entries in groupby(sorted(users), key=lambda entry: entry[0]):
        heading = nodes.rubric("", "", nodes.literal("", module))
        heading["heading-level"] = 2
        made.append(heading)
        items = [item(app, docname, *entry[1:], users[entry]) for entry in entries]
        made.append(nodes.definition_list("", *items, classes=["names", "titles"]))
    return made


def item(
    app: Sphinx, docname: str, name: str, uri: str, pages: list[str]
) -> nodes.definition_list_item:
    described = nodes.reference("", "", nodes.literal("", name), refuri=uri)
    if len(pages) > MANY:
        users = nodes.paragraph("", _("in nearly all lessons"))
    else:
        users = nodes.paragraph("", "", *links(app, docname, pages))
    return nodes.definition_list_item(
        "", nodes.term("", "", described), nodes.definition("", users)
    )
