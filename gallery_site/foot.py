"""Say below a page's text when it last changed, who translated and who reviewed it."""

from __future__ import annotations

import os
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.locale import _

from gallery_intl.builders import collects_messages
from gallery_intl.page import page as pages
from gallery_intl.page.interface_nodes import with_class
from gallery_intl.page.gaps import CREDITS
from gallery_run.words import interface_line, long_date
from gallery_site.history import last_days

FOOT = "page-foot"
CHANGED = "last-changed"  # in what Sphinx keeps of a page


class Foot:
    """The line below each page; the history is read once in a build."""

    def __init__(self) -> None:
        self.days: dict[str, str] = {}  # when a page last changed; "": unknown

    def outdated(self, app: Sphinx, env: BuildEnvironment, *_: object) -> list[str]:
        """Return the pages whose day a commit has changed."""
        if collects_messages(env):
            return []
        files = {docname: files_of(env, docname) for docname in env.found_docs}
        self.days = last_days(Path(app.srcdir), files)
        return [
            docname
            for docname, about in env.metadata.items()
            if CHANGED in about and about[CHANGED] != self.days.get(docname, "")
        ]

    def show(self, app: Sphinx, document: nodes.document) -> None:
        """Put the line below a page that was just read, in a box with room for more."""
        if collects_messages(app.env):
            return
        day = self.days.get(app.env.docname, "")
        app.env.metadata[app.env.docname][CHANGED] = day
        known = with_class(document, nodes.paragraph, CREDITS)
        for line in known:
            line.parent.remove(line)
        if day:
            text = _("Last changed %s") % long_date(day, app.config.language)
            if known:
                known[0].insert(0, nodes.Text(f"{text} · "))
            else:
                known = [interface_line(nodes.Text(text), name=CHANGED)]
        document += nodes.container("", *known, classes=[FOOT, "no-search"])


def files_of(env: BuildEnvironment, docname: str) -> list[str]:
    """Return what a page may be written in: its script or text, and its catalogs."""
    origins = (pages.origin(env, docname, suffix) for suffix in (".py", ".rst"))
    paths = [*filter(None, origins), Path(env.doc2path(docname))]
    paths += pages.catalog_paths(env, docname)
    return [Path(os.path.relpath(path, env.srcdir)).as_posix() for path in paths]
