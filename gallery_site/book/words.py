"""Explain each term of the glossary in a sentence, and link its first use in a lesson.

The link shows the sentence, too. It stands in the column ``means`` of ``glossary.csv``,
a message like any paragraph; the term itself is what the glossary says in the language
of the page.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from gallery_intl.catalogs.po import SOURCE_LANGUAGE
from gallery_intl.project import Project
from gallery_intl.text.wrapping import one_line
from po_check_cjk.glossary_file import Row, read_rows, words_of
from po_check_cjk.terms import any_number, folded, pattern

LITERAL = re.compile("``.*?``", re.DOTALL)
CLASSES = ["words", "glossary", "no-search"]
MEANS = "means"
EXPLAINS = "explains-words"  # in what Sphinx keeps of a page
NO_PLACE = (
    nodes.title,
    nodes.literal,
    nodes.reference,
    addnodes.pending_xref,
    nodes.table,
    nodes.field_list,
    nodes.caption,
    addnodes.download_reference,
)
BEFORE_VERB = re.compile(r"\b(?:to|can|cannot|not|will|must|may|we|you|they)\s+$", re.I)
AFTER_VERB = re.compile(r"\s+(?:an?|the|it|them|this|these|its|their|our|your|all)\b")
# Encodings with kanji by their readings, and hanzi by pinyin
DICTIONARY_ORDER = {"ja": "euc_jp", "zh_CN": "gb18030"}
QUIET = {"no-search", "learn"}  # what stands around the text of a lesson


# of a text: begin, end, and the id of the term
Find = Callable[[str], Iterator[tuple[int, int, str]]]


class Term(NamedTuple):
    """A term: where it is explained, and its words in the language of the pages."""

    id: str
    words: list[str]
    is_verb: bool = False  # whether English has a verb of the same letters


def glossary_path(env: BuildEnvironment) -> Path:
    return Path(env.srcdir, env.config.gallery_site_glossary)


def explained(path: Path) -> list[Row]:
    """Return the terms that have a sentence, in the order of the alphabet."""
    rows = read_rows(path) if path.is_file() else []
    return sorted((x for x in rows if x.get(MEANS)), key=lambda row: row["en"].lower())


def term_id(row: Row) -> str:
    return nodes.make_id(f"word-{row['en']}")


class Words(SphinxDirective):
    """All terms that have a sentence, with it."""

    def run(self) -> list[nodes.Node]:
        self.env.metadata[self.env.docname][EXPLAINS] = True
        self.env.note_dependency(str(glossary_path(self.env)))
        rows = sorted(explained(glossary_path(self.env)), key=self.order)
        items = map(self.item, rows)
        return [nodes.definition_list("", *items, classes=CLASSES)]

    def order(self, row: Row) -> bytes:
        """Return what sorts terms as a dictionary of the language does, about."""
        word = [*words_of(row, self.config.language), row["en"]][0]
        encoding = DICTIONARY_ORDER.get(self.config.language, "utf-8")
        return word.lower().encode(encoding, "replace")

    def item(self, row: Row) -> nodes.definition_list_item:
        sentence, messages = self.parse_inline(row[MEANS], lineno=self.lineno)
        meaning = nodes.paragraph(row[MEANS], "", *sentence, *messages)
        self.set_source_info(meaning)
        meaning["context"] = f'what "{row["en"]}" means'
        term = nodes.term(
            "", "", *self.headword(row), ids=[term_id(row)], translatable=False
        )
        about = nodes.definition("", meaning)
        if lesson := row.get("lesson"):
            link, messages = self.parse_inline(f":doc:`/tutorials/{lesson}`")
            about += nodes.paragraph("", "", *link, *messages, translatable=False)
        return nodes.definition_list_item("", term, about)

    def headword(self, row: Row) -> Iterator[nodes.Node]:
        """Yield the term in the language of the page, then in English."""
        words = words_of(row, self.config.language)
        if words and words[0].lower() != row["en"].lower():
            yield nodes.Text(f"{words[0]} ")
            yield nodes.inline("", row["en"], classes=["language-en"])
        else:
            yield nodes.Text(row["en"])


def link(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Link the first use of each term in a lesson to the page that explains it."""
    env = app.env
    page = next((x for x, about in env.metadata.items() if EXPLAINS in about), None)
    if page and Project.of(env).script(docname):
        uri = app.builder.get_relative_uri(docname, page)
        path = glossary_path(env)
        time = path.stat().st_mtime_ns if path.is_file() else 0
        find = finder_of(path, time, app.config.language)
        english = finder_of(path, time, SOURCE_LANGUAGE)
        lesson = Project.of(env).in_gallery(docname)
        link_first(document, uri, find, english, unlinked(path, time).get(lesson, []))
        written = Path(env.doctreedir, f"{page}.doctree").stat().st_mtime_ns
        means = meanings(env, page, written)
        for reference in document.findall(nodes.reference):
            if "word" in reference["classes"]:
                term = reference["refuri"].partition("#")[2]
                reference["reftitle"] = means[term]


@lru_cache(maxsize=1)  # each page asks
def meanings(env: BuildEnvironment, page: str, _time: int) -> dict[str, str]:
    """Return the sentence of each term, as the page of words has it."""
    terms = env.get_doctree(page).findall(nodes.term)
    sentences = {x: next(x.parent.findall(nodes.paragraph)) for x in terms if x["ids"]}
    return {x["ids"][0]: sentence.astext() for x, sentence in sentences.items()}


@lru_cache(maxsize=1)
def unlinked(path: Path, _time: int) -> dict[str, list[str]]:
    """Return, by lessons, the terms whose words mean something else there."""
    found = defaultdict[str, list[str]](list)
    for row in explained(path):
        for lesson in row.get("unlinked", "").split():
            found[lesson].append(term_id(row))
    return found


@lru_cache(maxsize=4)  # each page asks
def finder_of(path: Path, _time: int, language: str) -> Find:
    """Return what finds the terms of a glossary in a text of a language."""
    return finder(terms(path, language), language)


def terms(path: Path, language: str) -> list[Term]:
    """Return the terms with their words; a single letter is part of other words."""
    known = []
    for row in explained(path):
        words = [row["en"]] if language == SOURCE_LANGUAGE else words_of(row, language)
        words = [word for word in words if len(word) > 1]
        known.append(Term(term_id(row), words, bool(row.get("verb"))))
    return known


def link_first(
    document: nodes.document,
    uri: str,
    find: Find,
    find_english: Find,
    skipped: Iterable[str] = (),
) -> None:
    """Replace each first use by a link; ``uri`` leads to the page of words."""
    seen = {*skipped}
    excluded = {id(x) for top in document.findall(is_no_place) for x in top.findall()}
    for paragraph in list(document.findall(nodes.paragraph)):
        if id(paragraph) in excluded:
            continue
        source = one_line(paragraph.rawsource)  # which a translation leaves as it is
        # what only sounds like a term in the language of the page is none
        noted = {term for *_, term in find_english(LITERAL.sub("", source))}
        for text in list(paragraph.findall(nodes.Text)) if noted - seen else []:
            if id(text) not in excluded:
                link_text(text, uri, find, noted, seen)


def link_text(
    text: nodes.Text, uri: str, find: Find, noted: set[str], seen: set[str]
) -> None:
    """Link the terms of a text that are noted and that no text before has."""
    parts: list[nodes.Node] = []
    done = 0
    for start, end, term in find(str(text)):
        if term in noted and term not in seen:
            seen.add(term)
            link = nodes.reference(
                "", text[start:end], refuri=f"{uri}#{term}", internal=True
            )
            link["classes"].append("word")
            parts += [nodes.Text(text[done:start]), link]
            done = end
    if parts:
        text.parent.replace(text, [*parts, nodes.Text(text[done:])])


def is_no_place(node: nodes.Node) -> bool:
    """Return whether no term is linked inside a node."""
    is_quiet = isinstance(node, nodes.Element) and QUIET & {*node.get("classes", ())}
    return isinstance(node, NO_PLACE) or bool(is_quiet)


def finder(known: list[Term], language: str) -> Find:
    """Return what finds all terms in a text, of those that begin alike the longest."""
    pairs = sorted(
        ((word, term) for term in known for word in term.words),
        key=lambda pair: -len(pair[0]),
    )
    is_english = language == SOURCE_LANGUAGE
    forms = (
        any_number(w) if is_english else pattern(w, language).pattern for w, _ in pairs
    )
    groups = "|".join(f"({form})" for form in forms) or "(?!)"
    if is_english:
        groups = rf"(?<![\w-])(?:{groups})(?![\w-])"
    compiled = re.compile(groups, re.IGNORECASE)

    def find(text: str) -> Iterator[tuple[int, int, str]]:
        searched = folded(text, language) if not is_english else text
        for match in compiled.finditer(searched):
            _word, term = pairs[(match.lastindex or 1) - 1]
            if is_english and term.is_verb and stands_as_verb(match):
                continue
            start, end = (composed(searched[:x], language) for x in match.span())
            yield start, end, term.id

    return find


def stands_as_verb(match: re.Match[str]) -> bool:
    """Return whether an English word stands as a verb: to gather, wrap the model."""
    before, after = match.string[: match.start()], match.string[match.end() :]
    return bool(BEFORE_VERB.search(before) or AFTER_VERB.match(after))


def composed(text: str, language: str) -> int:
    """Return how long a text was before `folded` took its syllables apart."""
    return len(unicodedata.normalize("NFC", text) if language == "ko" else text)
