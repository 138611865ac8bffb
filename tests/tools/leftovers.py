"""Find English words that are left on a page of another language.

Literals, code, quoted messages and what is marked as another language do not count.
Allowed are the names in ``interface_words.txt`` (only in brackets where it says so),
what can only be code (``torch.chunk``, ``RANK=0``), and the glossary's terms: as they
are where the language keeps the English word, else in brackets behind a translation.
"""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Iterator

from bs4 import BeautifulSoup, Comment, Doctype, Tag
from paths import PROJECT, TOOLS

GLOSSARY = PROJECT / "locales" / "glossary.csv"
CODE = "script, style, code, pre, kbd, samp, template"
SHOWN_ATTRIBUTES = ("title", "alt", "aria-label", "placeholder", "data-tooltip")
SHOWN_META = ("description",)
WORD = re.compile(r"[A-Za-z][A-Za-z'’.-]*[A-Za-z]")
CODE_IN_TEXT = re.compile(
    r"(?:[\w-]+\.)+[a-z]{2,}/\S+|[A-Za-z]\w*(?:[._]\w+)+(?:\([^)]*\))?|[A-Z_]+=\S+",
    re.ASCII,
)
# A bracket can begin or end in another element.
BRACKETS = re.compile(r"[(（][^()（）]*(?:[)）]|$)|^[^()（）]*[)）]")
# What a program prints stays as it is.
QUOTED_MESSAGE = re.compile(r"“[ -~…’]+”|「[ -~…’]+」|\"(?! )[ -!#-~…’]+(?<! )\"")
BRACKET_OR_COMMA = re.compile(r"([()（）,、，])")


@functools.cache
def names() -> tuple[tuple[str, ...], frozenset[str]]:
    """Give the allowed names, and what is allowed only in brackets."""
    lines = (TOOLS / "interface_words.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.partition(" - ")[::2] for line in lines if " - " in line]
    glosses = {name.strip() for name, why in pairs if why.startswith("in brackets")}
    return tuple({name.strip() for name, _ in pairs} - glosses), frozenset(glosses)


@functools.cache
def glossary(language: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """Give a language's terms that keep English words, and all English terms."""
    with GLOSSARY.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    terms = {row[language] for row in rows}
    heads = {re.split("[(（]", term)[0] for term in terms}  # later on a page
    kept = {term for term in terms | heads if WORD.search(term)}
    english = frozenset(row["en"].lower() for row in rows)
    return tuple(sorted(kept, key=len, reverse=True)), english


def without_allowed(text: str, language: str) -> str:
    """Take out of a text what may be English."""
    kept, english = glossary(language)
    always, in_brackets = names()
    english |= in_brackets

    def is_term(part: str) -> bool:
        term = part.strip().lower()
        return bool(term) and (term in english or term.removesuffix("s") in english)

    def without_terms(found: re.Match[str]) -> str:
        parts = BRACKET_OR_COMMA.split(found[0])
        return "".join(" " if is_term(part) else part for part in parts)

    text = QUOTED_MESSAGE.sub(" ", " ".join(text.split()))
    text = CODE_IN_TEXT.sub(" ", BRACKETS.sub(without_terms, text))
    for phrase in sorted((*kept, *always), key=len, reverse=True):
        if phrase in text:
            text = re.sub(rf"(?<![A-Za-z]){re.escape(phrase)}(?![A-Za-z])", " ", text)
    return text


@functools.cache
def words_of(text: str, language: str) -> tuple[str, ...]:
    """Give the English words of a text, which may be on every page."""
    return tuple(WORD.findall(without_allowed(text, language)))


def leftovers(text: str, language: str) -> list[str]:
    return list(words_of(text, language)) if WORD.search(text) else []


def is_elsewhere(tag: Tag, tag_of_page: str) -> bool:
    """Tell whether a tag, or one around it, is marked as another language."""
    marked = (tag, *tag.parents)
    return any(node.get("lang", tag_of_page) != tag_of_page for node in marked)


def texts_of(page: BeautifulSoup) -> Iterator[tuple[Tag, str]]:
    """Give every text that a page shows or reads out, with its element."""
    for code in page.select(CODE):
        code.decompose()
    for node in page.find_all(string=True):
        if not isinstance(node, Comment | Doctype) and node.parent is not None:
            yield node.parent, node
    for tag in page.find_all(True):
        shown = [name for name in SHOWN_ATTRIBUTES if tag.get(name)]
        if tag.name == "input" and tag.get("type") in ("button", "submit", "reset"):
            shown.append("value")
        if (tag.get("name") or tag.get("property")) in SHOWN_META:
            shown.append("content")
        yield from ((tag, tag[name]) for name in shown)


def english_on(html: str, language: str) -> list[str]:
    """Give the English words of a page, each with the text it stands in."""
    page = BeautifulSoup(html, "html.parser")
    own = language.replace("_", "-")
    return [
        f"<{tag.name}> {' '.join(found)!r} in {' '.join(text.split())!r}"
        for tag, text in texts_of(page)
        if (found := leftovers(text, language)) and not is_elsewhere(tag, own)
    ]
