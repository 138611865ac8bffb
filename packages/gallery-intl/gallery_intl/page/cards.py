"""Show the pages of a part as cards: picture, title and first sentence.

Sphinx-Gallery's own cards are raw HTML with English titles and tooltips. Here the
author writes ``.. gallery::`` with page names, in reading order, in the part's
``index.rst``, and title and sentence come from the translated pages themselves.
"""

from itertools import dropwhile, takewhile
from pathlib import PurePosixPath
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from gallery_intl.text.sentences import plain_text, sentences, text_paragraphs

logger = logging.getLogger(__name__)

# In the metadata of a page: the words of its own card, and the cards that it shows.
SENTENCE, SHOWN = "gallery_intl_sentence", "gallery_intl_cards"
FACTS = ("card", "card-marks", "picture")  # with which projects make cards of their own


class card(nodes.General, nodes.Element):
    """A placeholder for a page's card; ``docname`` says which page."""


class Gallery(SphinxDirective):
    """Cards and a hidden toctree for the pages that are listed."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"no-toctree": directives.flag}

    def run(self) -> list[nodes.Node]:
        folder = PurePosixPath(self.env.docname).parent
        pages = [page for name in self.content for page in self.expand(folder, name)]
        known = [page for page in pages if self.is_known(page)]
        cards = nodes.container("", *map(self.make_card, known), classes=["intl-cards"])
        return [cards, *([] if "no-toctree" in self.options else self.toctree(known))]

    def expand(self, folder: PurePosixPath, name: str) -> list[str]:
        """Return the page that a line names, or the pages of a part: ``/part/``."""
        name = name.strip()
        page = name[1:] if name.startswith("/") else (folder / name).as_posix()
        if not name.endswith("/"):
            return [page] if name else []
        index = self.env.srcdir / page / "index.rst"
        self.env.note_dependency(str(index))
        return [
            (PurePosixPath(page) / name).as_posix()
            for name in listed(index.read_text(encoding="utf-8"))
        ]

    def is_known(self, page: str) -> bool:
        if page in self.env.found_docs:
            return True
        logger.warning(
            "no page %r for its card (write a script of that name, or remove it)",
            page,
            type="gallery_intl",
            subtype="cards",
            location=self.get_location(),
        )
        return False

    def make_card(self, page: str) -> card:
        self.env.metadata[self.env.docname].setdefault(SHOWN, {})[page] = None
        return card("", *self.picture(page), docname=page)

    def picture(self, page: str) -> list[nodes.Node]:
        """Return the page's first figure; beside its title it needs no alt text."""
        path = PurePosixPath(page)
        figure = path.parent / "images" / f"sphx_glr_{path.name}_001.svg"
        if not (self.env.srcdir / figure).is_file():
            return []
        return [nodes.image("", uri=f"/{figure}", alt="", classes=["intl-card-figure"])]

    def toctree(self, pages: list[str]) -> list[nodes.Node]:
        lines = [".. toctree::", "   :hidden:", "", *(f"   /{page}" for page in pages)]
        return self.parse_text_to_nodes("\n".join(lines))


def listed(index: str) -> list[str]:
    """Return the names that the ``gallery`` directive of an index page lists."""
    lines = dropwhile(lambda x: not x.startswith(".. gallery::"), index.splitlines())
    inside = takewhile(lambda x: not x or x.startswith(" "), [*lines][1:])
    return [name for x in inside if (name := x.strip()) and not name.startswith(":")]


def first_sentence(document: nodes.document) -> nodes.paragraph:
    """Return the first sentence of a page, as plain text; English stays marked."""
    for paragraph in text_paragraphs(document):
        if said := sentences(plain_text(paragraph)):
            return nodes.paragraph("", said[0], classes=marks(paragraph))
    return nodes.paragraph()


def remember_sentence(app: Sphinx, document: nodes.document) -> None:
    """Keep what the card of a page that was just read shows below its title."""
    sentence = first_sentence(document)
    heading = next(document.findall(nodes.title), None)
    app.env.metadata[app.env.docname][SENTENCE] = (
        sentence.astext(),
        list(sentence["classes"]),
        marks(heading),
    )


def outdated(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Return the pages with cards of pages that have other words now."""
    changed = []
    for docname, about in env.metadata.items():
        shown = about.get(SHOWN, {})
        now = {x: card_words(env, x) for x in shown if x in env.metadata}
        if now != shown:
            about[SHOWN] = now
            changed.append(docname)
    return changed


def card_words(env: BuildEnvironment, page: str) -> str:
    """Return all words that a card of a page may show."""
    about = {x: y for x, y in env.metadata[page].items() if x in (SENTENCE, *FACTS)}
    return repr((env.titles[page].astext(), about))


def marks(node: nodes.Element | None) -> list[str]:
    """Return the class that marks a text which is not translated, if it has one."""
    classes = node["classes"] if node is not None else []
    return [name for name in classes if name.startswith("language-")]


def fill_card(app: Sphinx, node: card, origin: str) -> None:
    """Replace a placeholder by picture, linked title and first sentence.

    Listeners of ``gallery-card`` are given the card and its page's name, and may change
    the card.
    """
    page = node["docname"]
    title = app.env.titles[page]
    link = nodes.reference(
        "",
        "",
        *(child.deepcopy() for child in title.children),
        internal=True,
        refuri=app.builder.get_relative_uri(origin, page),
    )
    text, classes, heading = app.env.metadata[page][SENTENCE]
    sentence = nodes.paragraph("", text, classes=[*classes, "intl-card-text"])
    made = nodes.container(
        "",
        *node.children,
        nodes.paragraph("", "", link, classes=["intl-card-title", *heading]),
        sentence,
        classes=["intl-card", "no-search"],
    )
    node.replace_self(made)
    app.emit("gallery-card", made, page)


def fill_cards(app: Sphinx, document: nodes.document, docname: str) -> None:
    for node in list(document.findall(card)):
        fill_card(app, node, docname)
