"""Read and write each finished page of HTML once, whoever has something to change.

Who has listens to ``page-finished``, as to Sphinx's ``source-read``: the text of the
page comes in a list of one, and with it the page's path. Where nobody listens, no page
is read.
"""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from gallery_intl import order
from gallery_intl.files import html_pages, replace_file

EVENT = "page-finished"


def finish_pages(app: Sphinx, error: Exception | None) -> None:
    """Let all that listen change each page."""
    if error or app.builder.format != "html" or not app.events.listeners.get(EVENT):
        return
    for path in html_pages(Path(app.outdir)):
        before = path.read_text(encoding="utf-8")
        text = [before]
        app.emit(EVENT, path, text)
        if text[0] != before:
            replace_file(path, text[0].encode("utf-8"), sync=False)


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_event(EVENT)
    app.connect("build-finished", finish_pages, priority=order.FINISH_PAGES)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
