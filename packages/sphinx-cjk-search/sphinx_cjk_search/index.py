"""Index each section of a page by itself, so that a result leads to the right place.

The words of a page are collected when it is read, and written when the build is
finished. The index is a script: a browser may load it from a disk, too.
"""

from __future__ import annotations

import fnmatch
import itertools
import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from pathlib import Path
from string import ascii_letters as LETTERS
from typing import Any, ClassVar, NamedTuple, cast

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.domains import Domain
from sphinx.environment import BuildEnvironment
from sphinx.locale import _ as translated_by_project
from sphinx.locale import get_translation
from sphinx.util import docname_join

from sphinx_cjk_search.languages import Language, language_for
from sphinx_cjk_search.tables import read_setting, synonyms, typed_for_pages

CATALOG = "sphinx_cjk_search"
INDEX = "_static/cjk-search-index.js"
DOMAIN = "cjk_search"
NO_PROSE = (nodes.comment, nodes.raw, nodes.meta)
# How much an occurrence counts, by its place; in a definition or title by far the most.
IN_CODE, IN_TEXT, AS_CODE, DEFINED, IN_TITLE = 0, 1, 2, 10**4, 10**8
ELSEWHERE = 0.1  # in a list item that links to another page
OFTEN = 3
LEAST = (1, OFTEN, DEFINED, IN_TITLE)  # the least sum for each next mark
# After a section's number: in code only, in text, often, defined there, in its title.
MARKS = (",", "", ":", "!", ".")
IS_DEFINED = MARKS.index("!")  # what readers type for a page

_ = get_translation(CATALOG)


class Section(NamedTuple):
    """A section, without those below it; each term has a number in `MARKS`."""

    id: str
    title: str
    marks: dict[str, int]


Pages = dict[str, list[Section]]


# the words of a page


def sections(document: nodes.document, language: Language) -> Iterator[Section]:
    """Yield the sections of a page; the first is its beginning, with its title."""
    first: nodes.Element = next(document.findall(nodes.section), document)
    others = filter(is_section, document.findall(nodes.Element))
    for node in (first, *(other for other in others if other is not first)):
        counted: dict[str, float] = defaultdict(float)
        for text, weight in weighted_texts(node, IN_TEXT):
            for term in language.terms(text, is_code=weight == IN_CODE):
                counted[term] += weight
        title = node.next_node(is_title)
        name = "" if node is first else id_of(node)
        marks = {term: bisect_right(LEAST, count) for term, count in counted.items()}
        yield Section(name, title.astext() if title else "", marks)


def definitions(document: nodes.document) -> list[tuple[list[str], str, str, str]]:
    """Return the names, text, id and first linked page of each term in a glossary."""
    items = document.findall(nodes.definition_list_item)
    return [
        (
            [x.strip() for child in term.children if (x := child.astext())],
            next(item.findall(nodes.paragraph), term).astext(),
            term["ids"][0],
            next(iter(page_links(item)), ""),
        )
        for item in items
        if "glossary" in item.parent["classes"]
        for term in item.findall(nodes.term)
        if term["ids"]
    ]


def is_section(node: nodes.Node) -> bool:
    """Return whether a result can lead here; also to a function or class."""
    return isinstance(node, nodes.section | addnodes.desc)


def is_title(node: nodes.Node) -> bool:
    return isinstance(node, nodes.title | addnodes.desc_name)


def id_of(section: nodes.Element) -> str:
    """Return the id of a section, or of the first signature of an object."""
    ids = section["ids"] or cast(nodes.Element, section[0])["ids"]
    return next(iter(ids), "")


def weighted_texts(
    element: nodes.Element, weight: float
) -> Iterator[tuple[str, float]]:
    """Yield the texts of a section, with the weight of their words."""
    for child in element.children:
        if isinstance(child, nodes.Text):
            yield child.astext(), weight
        elif isinstance(child, nodes.Element) and is_searched(child):
            yield from weighted_texts(child, weight_inside(child, weight))


def is_searched(node: nodes.Element) -> bool:
    """Return whether this is text of the section; a bare link has another's title."""
    is_bare_link = node.get("reftype") == "doc" and not node.get("refexplicit")
    is_boilerplate = "no-search" in node["classes"] or isinstance(node, NO_PROSE)
    return not (is_bare_link or is_boilerplate or is_section(node))


def weight_inside(node: nodes.Element, weight: float) -> float:
    if is_title(node):
        return IN_TITLE
    if weight < IN_TEXT:
        return weight
    if isinstance(node, nodes.literal_block):
        return IN_CODE
    if isinstance(node, nodes.list_item) and page_links(node):
        return ELSEWHERE
    if is_definition(node):
        return max(weight, DEFINED)
    return max(weight, AS_CODE) if isinstance(node, nodes.literal) else weight


def page_links(item: nodes.Element) -> list[str]:
    """Return the other pages to which a list item, or a term, links."""
    links = item.findall(addnodes.pending_xref)
    return [x["reftarget"] for x in links if x.get("reftype") == "doc"]


def is_definition(node: nodes.Element) -> bool:
    """Return whether a term is explained: emphasized, or first in a list item."""
    if isinstance(node, nodes.strong | nodes.emphasis | nodes.term):
        return True
    if not isinstance(node, nodes.literal) or node.parent.index(node):
        return False
    item = node.parent.parent
    return isinstance(item, nodes.list_item) and item.index(node.parent) == 0


# the environment


class SearchDomain(Domain):
    """Keep the sections of each page from one build to the next."""

    name = DOMAIN
    label = "search"
    data_version = 2
    initial_data: ClassVar[dict[str, Any]] = {"pages": {}, "definitions": {}}

    def clear_doc(self, docname: str) -> None:
        for of_pages in (self.data["pages"], self.data["definitions"]):
            of_pages.pop(docname, None)

    def merge_domaindata(self, docnames: Set[str], otherdata: dict[str, Any]) -> None:
        for key in self.initial_data:
            read = {x: y for x, y in otherdata[key].items() if x in docnames}
            self.data[key].update(read)


def pages_of(env: BuildEnvironment) -> Pages:
    return cast(Pages, env.get_domain(DOMAIN).data["pages"])


def language_of(app: Sphinx) -> Language | None:
    return language_for(app.config.html_search_language or app.config.language)


def read_page(app: Sphinx, doctree: nodes.document) -> None:
    """Index a page, and leave it out of Sphinx's index by ``:nosearch:``."""
    name, language = app.env.docname, language_of(app)
    metadata = app.env.metadata[name]
    if language and not {"no-search", "nosearch"} & metadata.keys():
        pages_of(app.env)[name] = list(sections(doctree, language))
        app.env.get_domain(DOMAIN).data["definitions"][name] = definitions(doctree)
        metadata["nosearch"] = ""


# the index


def in_reading_order(env: BuildEnvironment) -> list[str]:
    """Return pages in the order of the toctrees; those in none come last."""
    ordered = env.collect_relations()
    return [*ordered, *sorted(env.found_docs - ordered.keys())]


def kind_of(docname: str, app: Sphinx) -> str:
    """Return whether a page has a subject, lists others, or is shown last."""
    if any(fnmatch.fnmatch(docname, x) for x in app.config.cjk_search_last):
        return "last"
    return "list" if docname.rpartition("/")[2] == "index" else "page"


def places(pages: Iterable[list[Section]]) -> dict[str, str]:
    """Return for each term its sections, which are numbered through all pages.

    The distance from the section before is a letter, after a number if it is longer,
    then comes a mark: ``e.a`` is in the title of the fifth section and the text of the
    sixth. Terms are in the order of the text, which compresses best.
    """
    index: dict[str, list[str]] = {}
    last: dict[str, int] = {}
    for number, section in enumerate(itertools.chain.from_iterable(pages)):
        for mark, term in sorted((mark, term) for term, mark in section.marks.items()):
            high, low = divmod(number - last.get(term, -1) - 1, len(LETTERS))
            place = f"{high or ''}{LETTERS[low]}{MARKS[mark]}"
            index.setdefault(term, []).append(place)
            last[term] = number
    return {term: "".join(parts) for term, parts in index.items()}


def indexed_pages(app: Sphinx, language: Language) -> Pages:
    """Return the sections of all pages; the first also has what readers type."""
    rows = read_setting(app, "cjk_search_queries")
    typed = typed_for_pages(rows, app.config.language)
    known = pages_of(app.env)
    pages = {}
    for name in filter(known.__contains__, in_reading_order(app.env)):
        start, *others = known[name]
        marks = dict.fromkeys(language.terms(typed.get(name, "")), IS_DEFINED)
        marks |= {x: max(mark, marks.get(x, 0)) for x, mark in start.marks.items()}
        pages[name] = [start._replace(marks=marks), *others]
    return pages


def messages(app: Sphinx) -> dict[str, str]:
    """Return the texts of the search page, in the language of the build."""
    missing = app.config.cjk_search_missing
    return {
        "one": _("Search finished, found one page matching the search query."),
        "many": _(
            "Search finished, found ${resultCount} pages matching the search query."
        ),
        "none": _("No page has all the words."),
        "phrase": _("Word for word: “${words}”"),
        "others": _("Other pages with all the words:"),
        "some": _("Pages with some of the words:"),
        "pages": _("Pages of this site:"),
        "all": _("Show all results"),
        # gettext returns the header of the catalog for ""
        "missing": missing and translated_by_project(missing),
    }


def build_index(app: Sphinx, language: Language) -> dict[str, Any]:
    pages, code = indexed_pages(app, language), app.config.language
    word_places, uri = places(pages.values()), app.builder.get_target_uri
    return {
        "language": language.for_browser(),
        "pages": [
            [
                app.builder.get_target_uri(name),
                kind_of(name, app),
                sum(len(section.marks) for section in found),
                [[section.id, section.title] for section in found],
            ]
            for name, found in pages.items()
        ],
        "definitions": [
            [
                names,
                text,
                f"{uri(page)}#{id_}",
                linked and uri(docname_join(page, linked)),
            ]
            for page, found in app.env.get_domain(DOMAIN).data["definitions"].items()
            for names, text, id_, linked in found
        ],
        "words": " ".join(word_places),
        "places": " ".join(word_places.values()),
        "synonyms": synonyms(read_setting(app, "cjk_search_synonyms"), code),
        "subject": translated_by_project(app.config.project),
        "unbroken": app.config.cjk_search_unbroken.get(code, []),
        "snippets": app.config.html_show_search_summary,
        "messages": messages(app),
    }


def write_index(app: Sphinx, error: Exception | None) -> None:
    language = language_of(app)
    if error or not language or not getattr(app.builder, "search", False):
        return
    index = build_index(app, language)
    text = json.dumps(index, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    Path(app.outdir, INDEX).write_text(f"const cjkSearchIndex = {text};\n", "utf-8")
