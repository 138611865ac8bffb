"""Let lines of pages break where the readers of a language expect."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

from gallery_intl.text.breaks import break_at_colon, join_korean, join_words

TITLES = {"intl-card-title", "titles"}


def break_lines(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Mark where the lines of a page that is written may break."""
    if not app.config.gallery_intl_lines:
        return
    words = app.config.gallery_intl_unbroken.get(app.config.language, [])
    for title in document.findall(nodes.Element):
        if isinstance(title, nodes.title) or TITLES & {*title["classes"]}:
            join_words(title, words)
    for title in [*document.findall(nodes.title)][:1]:
        break_at_colon(title)
    if app.config.language == "ko":
        join_korean(document)


def break_title(config: Config, title: nodes.title) -> None:
    """Mark where a title may break that is shown on another page, such as a link."""
    if not config.gallery_intl_lines:
        return
    join_words(title, config.gallery_intl_unbroken.get(config.language, []))
    break_at_colon(title)
    if config.language == "ko":
        join_korean(title)
