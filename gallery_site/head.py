"""Begin a lesson with what it teaches, what it takes, and its downloads.

The author writes two fields directly below the title::

    :Learn: You will start one file four times.
    :Know first: :doc:`/part/another`

``Learn`` is a message like any paragraph. ``Know first`` has links only, which say in
each language what they lead to. Other fields stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.environment import BuildEnvironment
from sphinx.locale import _
from sphinx.transforms import SphinxTransform
from sphinx.util import docname_join

from gallery_intl import order
from gallery_intl.builders import collects_messages
from gallery_intl.page import page as pages
from gallery_intl.page.furniture import with_class
from gallery_intl.page.upstream import BOX
from gallery_intl.script.source import packages
from gallery_run import words
from gallery_run.furniture import NEEDS
from gallery_run.words import interface_line
from gallery_site.book.path import BEFORE
from gallery_site.reading import minutes

LEARN, KNOW_FIRST, OLDEST_TORCH = "Learn", "Know first", "Oldest torch"
REQUIREMENTS = "requirements.txt"
PINNED = re.compile(r"^torch==([\w.]+)", re.MULTILINE)


class ShowHead(SphinxTransform):
    """Put what a lesson teaches, its facts and its downloads below its title."""

    default_priority = order.SHOW_HEAD

    def apply(self, **kwargs: Any) -> None:
        script = pages.script_of(self.env, self.env.docname)
        if script is None or collects_messages(self.env):
            return
        for needs in with_class(self.document, nodes.bullet_list, NEEDS):
            parent, place = needs.parent, needs.parent.index(needs)
            parent.remove(needs)
            learn = take_sentence(self.document)
            known = facts(self.env, script.text), *take_list(self.document, self.env)
            parent[place:place] = [*learn, *known, buttons(self.document)]


def field_list(document: nodes.document) -> nodes.field_list | None:
    """Return the list that stands below the title and above the first paragraph."""
    title = next(document.findall(nodes.title), None)
    after = title.parent[title.parent.index(title) + 1 :] if title else []
    above = takewhile(lambda node: not is_text(node), after)
    return next((node for node in above if isinstance(node, nodes.field_list)), None)


def is_text(node: nodes.Node) -> bool:
    return isinstance(node, nodes.paragraph) and bool(node.get("translatable", True))


def fields(document: nodes.document) -> list[nodes.field]:
    known = field_list(document)
    return list(known.findall(nodes.field)) if known else []


def take(document: nodes.document, name: str) -> nodes.field_body | None:
    """Take a field out of the list at the head of a page, the last with its list."""
    for field in fields(document):
        if field[0].astext() == name:
            listed = field.parent
            listed.remove(field)
            if not listed.children:
                listed.parent.remove(listed)
            return next(field.findall(nodes.field_body))
    return None


def take_sentence(document: nodes.document) -> list[nodes.Element]:
    """Take out the field that says what is learnt; return what it says."""
    body = take(document, LEARN)
    said: list[nodes.Element] = [*body.findall(nodes.paragraph)] if body else []
    for paragraph in said:
        paragraph["classes"].append("learn")
    return said


def take_list(document: nodes.document, env: BuildEnvironment) -> list[nodes.Element]:
    """Take out the list, if a field is left in it; return it."""
    known = field_list(document)
    if known is None:
        return []
    known.parent.remove(known)
    known["classes"] += ["know-first", "titles"]
    remember_path(known, env)
    for between in [x for x in known.findall(nodes.Text) if x.strip() == ","]:
        between.parent.replace(between, nodes.Text(_(", ")))
    for field in known.findall(nodes.field):
        if field[0].astext() == KNOW_FIRST:
            field.replace(field[0], nodes.field_name("", _("Know first")))
        for text in field.findall(nodes.TextElement):
            if isinstance(text, (nodes.field_name, nodes.paragraph)):
                text.attributes.pop("translatable", None)  # the notebook shows it
    return [known]


def remember_path(known: nodes.field_list, env: BuildEnvironment) -> None:
    """Keep which lessons the list names, for the pages that show the path."""
    named = [link["reftarget"] for link in known.findall(addnodes.pending_xref)]
    pages = [docname_join(env.docname, name) for name in named]
    env.metadata[env.docname][BEFORE] = pages


def facts(env: BuildEnvironment, script: str) -> nodes.definition_list:
    """Return a list: how long a lesson takes, how it is started, what it needs."""
    return nodes.definition_list(
        "",
        fact(_("Time"), _("%d minutes") % minutes(script)),
        fact(_("Runs as"), words.started(script)),
        fact(_("Needs"), *needs(env, script)),
        classes=["facts", "no-search"],
    )


def fact(name: str, *lines: str) -> nodes.definition_list_item:
    said = (interface_line(nodes.Text(line), name="fact") for line in lines)
    return nodes.definition_list_item(
        "", nodes.term("", name), nodes.definition("", *said)
    )


def needs(env: BuildEnvironment, script: str) -> Iterator[str]:
    """Yield the packages of a script, with torch's version, and what else it needs."""
    path = Path(env.srcdir, REQUIREMENTS)
    torch = "torch"
    if path.is_file():  # one that is not there would let each build read the page again
        env.note_dependency(path)
        match = PINNED.search(path.read_text(encoding="utf-8"))
        torch = f"torch {match[1]}" if match else torch
        if match and (oldest := env.metadata[env.docname].get(OLDEST_TORCH)):
            versions = {"oldest": oldest, "built": match[1]}
            torch = _("torch %(oldest)s or newer (here %(built)s)") % versions
    names = packages(script)
    yield _(", ").join(torch if name == "torch" else name for name in names)
    yield from words.notebook_needs(script)
    yield words.devices(script)


def buttons(document: nodes.document) -> nodes.bullet_list:
    """Take the downloads from a page's foot; the notebook comes first."""
    labels = {
        ".ipynb": _("Notebook %s"),
        ".py": _("Program %s"),
        ".zip": _("Both %s"),
    }
    links = {}
    for box in with_class(document, nodes.container, BOX):
        link = next(box.findall(addnodes.download_reference))
        suffix = PurePosixPath(link["reftarget"]).suffix
        if suffix in labels:
            box.parent.remove(box)
            link[:] = [nodes.inline("", labels[suffix] % suffix)]
            links[suffix] = link
    items = (
        nodes.list_item("", interface_line(links[suffix], name="button"))
        for suffix in labels
        if suffix in links
    )
    return nodes.bullet_list("", *items, classes=["downloads", "no-search"])
