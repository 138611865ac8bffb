"""Let lines of pages break where the readers of a language expect."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx

from gallery_intl.text.breaks import break_at_colon, join_korean, join_words

TITLES = "intl-card-title"


def break_lines(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Mark where the lines of a page that is written may break."""
    if not app.config.gallery_intl_lines:
        return
    words = app.config.gallery_intl_unbroken.get(app.config.language, [])
    for title in document.findall(nodes.Element):
        if isinstance(title, nodes.title) or TITLES in title["classes"]:
            join_words(title, words)
    for title in [*document.findall(nodes.title)][:1]:
        break_at_colon(title)
    if app.config.language == "ko":
        join_korean(document)
