"""Index each section of a page by itself, so that a search leads to the place.

Sphinx notes which pages have a word. Here the sections that have it are noted as well,
and how: in code only, in the text, often, or in the title. It is collected while pages
are read, and written into ``searchindex.js``, which works from a disk too.
"""

from __future__ import annotations

import fnmatch
import itertools
import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from string import ascii_letters as LETTERS
from typing import TYPE_CHECKING, Any, NamedTuple

from docutils import nodes
from sphinx import search
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment.collectors import EnvironmentCollector
from sphinx.locale import _ as site_word
from sphinx.search import js_index

from gallery_intl.interface.search import RankedSearch
from gallery_intl.interface.searches import read_searches, typed_terms, with_words
from gallery_intl.locale import _

if TYPE_CHECKING:
    from sphinx.environment import BuildEnvironment

INDEX = "searchindex.js"
NO_PROSE = (nodes.comment, nodes.raw, nodes.meta)
# What a word counts in a section by where it stands; the last two by far the most.
IN_CODE, IN_TEXT, AS_CODE, DEFINED, IN_TITLE = 0, 1, 2, 10**4, 10**8
ELSEWHERE = 0.1  # in an entry of a list that leads to another page
OFTEN = 3
LEAST = (1, OFTEN, DEFINED, IN_TITLE)  # what a word counts that has the next mark
# Behind a section's number: in code only, in the text, often, defined there, its title.
MARKS = (",", "", ":", "!", ".")
SAID = MARKS.index("")
# What ours takes the place of: a word is not written twice.
REPLACED = ("terms", "titleterms", "alltitles")


class Section(NamedTuple):
    """A section, without those below it; ``words`` has a text for each of `MARKS`."""

    id: str
    title: str
    words: tuple[str, ...]


Pages = dict[str, list[Section]]


# what a page says


def sections(document: nodes.document, language: RankedSearch) -> Iterator[Section]:
    """Yield the sections of a page; the first is its beginning, and has its title."""
    elements: list[nodes.Element] = list(document.findall(nodes.section)) or [document]
    for node in elements:
        counted: dict[str, float] = defaultdict(float)
        for text, weight in texts(node):
            for word in language.words_to_find(text, is_code=weight == IN_CODE):
                counted[word] += weight
        title = node.next_node(nodes.title)
        name = "" if node is elements[0] else node["ids"][0]
        yield Section(name, title.astext() if title else "", by_mark(counted))


def texts(section: nodes.Element) -> Iterator[tuple[str, float]]:
    """Yield the texts of a section, without furniture, and what their words count."""
    for child in section.children:
        if not isinstance(child, nodes.section):
            yield from texts_of(child, IN_TEXT)


def texts_of(node: nodes.Node, weight: float) -> Iterator[tuple[str, float]]:
    if isinstance(node, nodes.Text):
        yield node.astext(), weight
    elif isinstance(node, nodes.Element) and is_said(node):
        for child in node.children:
            yield from texts_of(child, weight_inside(node, weight))


def is_said(node: nodes.Element) -> bool:
    """Return whether a page says this; a link without words has another's title."""
    is_bare_link = node.get("reftype") == "doc" and not node.get("refexplicit")
    is_furniture = "no-search" in node["classes"] or isinstance(node, NO_PROSE)
    return not is_bare_link and not is_furniture


def weight_inside(node: nodes.Element, weight: float) -> float:
    if isinstance(node, nodes.title):
        return IN_TITLE
    if weight < IN_TEXT:
        return weight
    if isinstance(node, nodes.literal_block):
        return IN_CODE
    if isinstance(node, nodes.list_item) and leads_elsewhere(node):
        return ELSEWHERE
    if defines(node):
        return max(weight, DEFINED)
    return max(weight, AS_CODE) if isinstance(node, nodes.literal) else weight


def leads_elsewhere(node: nodes.Element) -> bool:
    """Return whether an entry of a list is about another page, to which it links."""
    return any(link.get("reftype") == "doc" for link in node.findall(pending_xref))


def defines(node: nodes.Element) -> bool:
    """Return whether a term is explained: stressed, or first in a list's item."""
    if isinstance(node, nodes.strong | nodes.emphasis | nodes.term):
        return True
    if not isinstance(node, nodes.literal) or node.parent.index(node):
        return False
    item = node.parent.parent
    return isinstance(item, nodes.list_item) and item.index(node.parent) == 0


def by_mark(counted: dict[str, float]) -> tuple[str, ...]:
    """Set words apart by how a section has them."""
    words: list[list[str]] = [[] for _mark in MARKS]
    for word, count in sorted(counted.items()):
        words[bisect_right(LEAST, count)].append(word)
    return tuple(map(" ".join, words))


# what is written


def places(pages: Iterable[list[Section]]) -> dict[str, str]:
    """Return for each word the sections that have it, counted through all pages.

    A distance from the section before is a letter, behind a number if it is longer, and
    a mark follows: ``e.a`` is title of the fifth, text of the sixth. The words are in
    the order of the text: neighbours stand in the same sections, which packs best.
    """
    index: dict[str, list[str]] = {}
    last: dict[str, int] = {}
    for number, section in enumerate(itertools.chain.from_iterable(pages)):
        for mark, words in zip(MARKS, section.words, strict=True):
            for word in words.split():
                high, low = divmod(number - last.get(word, -1) - 1, len(LETTERS))
                index.setdefault(word, []).append(f"{high or ''}{LETTERS[low]}{mark}")
                last[word] = number
    return {word: "".join(parts) for word, parts in index.items()}


def synonyms(glossary: Path, language: str) -> list[tuple[str, list[str]]]:
    """Return what readers type, the longest first, and the words of the pages for it.

    They type the words of the column ``ko typed`` and, in any language, the English.
    """
    entries: dict[str, list[str]] = {}
    for typed, ours in typed_terms(glossary, language):
        words = entries.setdefault(typed.lower(), [])
        words += [word for word in ours if word not in words]
    return sorted(entries.items(), key=lambda entry: (-len(entry[0]), entry[0]))


def in_order(env: BuildEnvironment) -> list[str]:
    """Return the pages in the order in which they are read; what is no part is last."""
    docnames: dict[str, None] = {}

    def follow(docname: str) -> None:
        if docname not in docnames:
            docnames[docname] = None
            for child in env.toctree_includes.get(docname, []):
                follow(child)

    follow(env.config.root_doc)
    return [*docnames, *sorted(env.found_docs - docnames.keys())]


def kind(docname: str, app: Sphinx) -> str:
    """Return what a page is: it lists others, is about the site, or has a subject."""
    if any(fnmatch.fnmatch(docname, x) for x in app.config.gallery_intl_search_last):
        return "last"
    return "list" if docname.rpartition("/")[2] == "index" else "page"


def known_pages(app: Sphinx) -> Pages:
    """Return the sections of each page; its beginning has what readers type, too."""
    known: Pages = getattr(app.env, "gallery_intl_search", {})
    path = Path(app.srcdir, app.config.locale_dirs[0], "searches.csv")
    typed, language = read_searches(path, app.config.language), splitter(app)
    pages = {}
    for name, (start, *others) in known.items():
        words = language.words_to_find(typed.get(name, "")) if language else []
        pages[name] = [start._replace(words=with_words(start.words, words, SAID))]
        pages[name] += others
    return pages


def index_of(app: Sphinx, known: Pages, docnames: list[str]) -> dict[str, Any]:
    """Return what our search knows of the pages; Sphinx's has names and titles."""
    numbers = {name: at for at, name in enumerate(docnames) if name in known}
    names = [name for name in in_order(app.env) if name in numbers]
    glossary = Path(app.srcdir, app.config.locale_dirs[0], "glossary.csv")
    missing = app.config.gallery_intl_search_missing
    word_places = places(known[name] for name in names)
    return {
        "pages": [
            [numbers[name], kind(name, app), [[x.id, x.title] for x in known[name][1:]]]
            for name in names
        ],
        "words": " ".join(word_places),
        "places": " ".join(word_places.values()),
        "synonyms": synonyms(glossary, app.config.language),
        "subject": site_word(app.config.project),
        "unbroken": app.config.gallery_intl_unbroken.get(app.config.language, []),
        "said": {
            "some": _("Not all words found; pages with some of them:"),
            "nothing": _("No page has these words. All pages:"),
            # of "", gettext gives the header
            "missing": missing and site_word(missing),
        },
    }


def write(app: Sphinx, error: Exception | None) -> None:
    """Write our index into Sphinx's, in the place of its words."""
    path = Path(app.outdir, INDEX)
    if error or not splitter(app) or not path.is_file():
        return
    with path.open(encoding="utf-8") as file:
        index = js_index.load(file)
    known, names = known_pages(app), index["docnames"]
    titles = zip(names, index["titles"], strict=True)
    index |= {name: {} for name in REPLACED} | {
        "titles": [known[x][0].title if x in known else title for x, title in titles],
        "ours": index_of(app, known, names),
    }
    text = json.dumps(index, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    path.write_text(text.join((js_index.PREFIX, js_index.SUFFIX)), encoding="utf-8")


# when pages are read


def splitter(app: Sphinx) -> RankedSearch | None:
    """Return how the language of a build is split, if it is one of ours."""
    if app.builder.format != "html":
        return None
    language = app.config.html_search_language or app.config.language
    known: dict[str, object] = {**search.languages}
    search_class = known.get(language) or known.get(language.partition("_")[0])
    if isinstance(search_class, type) and issubclass(search_class, RankedSearch):
        return search_class(app.config.html_search_options)
    return None


class Collector(EnvironmentCollector):
    """Collect the words of each page that is read."""

    def __init__(self) -> None:
        self.language: RankedSearch | None = None

    def known(self, env: BuildEnvironment) -> Pages:
        pages: Pages = vars(env).setdefault("gallery_intl_search", {})
        return pages

    def clear_doc(self, app: Sphinx, env: BuildEnvironment, docname: str) -> None:
        self.known(env).pop(docname, None)

    def merge_other(
        self,
        app: Sphinx,
        env: BuildEnvironment,
        docnames: set[str],  # type: ignore[override]
        other: BuildEnvironment,
    ) -> None:
        there = self.known(other)
        self.known(env).update({x: there[x] for x in docnames if x in there})

    def process_doc(self, app: Sphinx, doctree: nodes.document) -> None:
        self.language = self.language or splitter(app)
        name = app.env.docname
        hidden = {"no-search", "nosearch"} & app.env.metadata[name].keys()
        if self.language and not hidden:
            self.known(app.env)[name] = list(sections(doctree, self.language))
