"""Parse a message, and register the rules that a translation must keep.

A rule is a generator decorated with `rule`, or `guard`: it takes a `Message` and yields
findings, each with the remedy in brackets. Its docstring and its example, which a test
runs, are its manual.
A message is parsed as Sphinx does, but no transform runs, which would hide changes.
"""

from __future__ import annotations

import contextlib
import functools
import html
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from docutils import frontend, nodes, utils
from docutils.parsers.rst import Parser, directives, roles
from docutils.parsers.rst.states import RSTStateMachine, state_classes
from docutils.statemachine import string2lines
from docutils.utils import Reporter

from po_check_cjk.characters import HAN_AND_KANA
from po_check_cjk.glossary import Glossary

CODE = "\ue000"  # replaces a literal, a formula, a URL or a placeholder
ELSEWHERE = "\ue001"  # replaces words from elsewhere: the title of a page
# Roles around words that are translated; the others hold a target or code.
WORD_ROLES = {
    *("", "title", "title-reference", "t", "sub", "subscript", "sup", "superscript"),
    *("emphasis", "strong", "abbr", "dfn", "guilabel", "menuselection"),
}
CODE_ROLES = {"code", "literal", "math", "kbd", "samp", "file", "command", "program"}
EXPLICIT_TITLE = re.compile(r"(.+?)\s*(?<!\x00)<([^<]*?)>$", re.DOTALL)
# Starts with a word, which is no number of a list, and has no markup character.
NO_MARKUP = re.compile(
    r"(?![ivxlcdm]+[.)])[^\W\d_]{2}[^`*_|\\:@\n]*(?<!\s)", re.IGNORECASE
)
PLACEHOLDER = re.compile(
    r"%(?:\(\w+\))?[-#0 +]*\d*(?:\.\d+)?[diouxXeEfFgGcrs%](?![A-Za-z])|\{\w*\}"
)
LEFT_OVER = re.compile(r"``|\*\*|:[\w:+-]+:`|`__?|`|(?<![\w*])\*(?=\w)|(?<=\w)\*(?!\w)")
NO_PROSE = (nodes.literal, nodes.math, nodes.substitution_reference)
NO_WORDS = (nodes.system_message, nodes.literal_block)
NOTE = "\ue002"  # replaces the mark of a footnote or citation
NOTES = (nodes.footnote_reference, nodes.citation_reference)
# reST wants spaces around a mark, also where the language has none
SPACED_NOTE = re.compile(rf"(?<=[{HAN_AND_KANA}]) {NOTE} | ?{NOTE}")
TEXT_IN_FORMULA = re.compile(r"\\text(?:rm|bf|it)?\{[^{}]*\}")
TAG = re.compile(r"</?[A-Za-z][^>]*>")


@dataclass(frozen=True)
class Message:
    """An English text and its translation."""

    language: str
    msgid: str
    msgstr: str
    is_plain: bool = False  # words of a program: maybe with HTML, without reST
    glossary: Glossary = field(default_factory=Glossary)
    is_comment: bool = False  # a comment of code, which often ends without a full stop
    is_formula: bool = False  # on lines of its own: no reST

    @cached_property
    def is_markup(self) -> bool:
        """Whether it is reST: a code comment may have ``*args``."""
        has_none = self.is_plain or self.is_formula
        return not has_none and not problem(parse(self.msgid))

    @cached_property
    def is_cjk(self) -> bool:
        return self.language.partition("_")[0] in {"ko", "zh", "ja"}

    @cached_property
    def source(self) -> nodes.document:
        return self._document(self.msgid)

    @cached_property
    def target(self) -> nodes.document:
        return self._document(self.msgstr)

    def _document(self, text: str) -> nodes.document:
        if self.is_formula:
            return formula(text)
        return parse(text) if self.is_markup else plain(text, self.is_plain)

    @cached_property
    def left_over(self) -> Counter[str]:
        """Markup characters that are shown as text, and are not so in English."""
        was, became = map(LEFT_OVER.findall, (self.english, self.prose))
        return Counter(became) - Counter(was)

    @cached_property
    def is_whole(self) -> bool:
        """Whether all markup of the translation is read as such."""
        return not self.left_over and not problem(self.target)

    @cached_property
    def english(self) -> str:
        """The words of the msgid; see `prose`."""
        return prose(self.source)

    @cached_property
    def prose(self) -> str:
        """The words of the msgstr."""
        return prose(self.target)


Check = Callable[[Message], Iterator[str]]


class Rule(NamedTuple):
    """A check with its languages, and an English text with two translations."""

    check: Check
    languages: list[str]  # the first is that of the example; "*": all others
    kind: str  # of the example: "plain", "comment" of code, or ""
    english: str
    bad: str
    good: str


RULES: dict[str, Rule] = {}
GUARDS: set[str] = set()


def rule(
    languages: str, *example: str, kind: str = "", is_guard: bool = False
) -> Callable[[Check], Check]:
    """Register a rule under its function's name, with its languages and an example.

    The example is a text in English, a bad translation and a good one.
    """

    def register(check: Check) -> Check:
        name = check.__name__.replace("_", "-")
        RULES[name] = Rule(check, languages.split(), kind, *example)
        if is_guard:
            GUARDS.add(name)
        return check

    return register


# A guard finds broken markup, wrong links and scripts: it cannot be set aside, and a
# build may refuse catalogs by the guards alone.
guard = functools.partial(rule, is_guard=True)


def rules_for(language: str) -> list[str]:
    """Return the names of a language's rules, such as those of ``zh_CN`` or ``ja``."""
    names = {"*", language, language.partition("_")[0]}
    return [name for name, rule in RULES.items() if names.intersection(rule.languages)]


@contextlib.contextmanager
def all_roles_and_no_directives() -> Iterator[None]:
    """Let docutils read every role with `read_role`, and no directive.

    Sphinx replaces the same two functions (`CustomReSTDispatcher` of Sphinx 9.0).
    """
    before = roles.role, directives.directive
    roles.role = lambda *_place: (read_role, [])  # type: ignore[assignment]
    directives.directive = lambda *_place: (None, [])
    try:
        yield
    finally:
        roles.role, directives.directive = before


def read_role(
    name: str, rawtext: str, text: str, *_place: Any, **_options: Any
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Keep a role's name and target; show its words where they are known."""
    name = "" if name == "default" else name
    titled = EXPLICIT_TITLE.match(text)
    if name in WORD_ROLES:
        target, words = "", text
    elif titled:
        words, target = titled.groups()
    else:
        target, words = text, CODE if name in CODE_ROLES else ELSEWHERE
    words, target = utils.unescape(words), utils.unescape(target, True)
    return [nodes.inline(rawtext, words, role=name, target=target)], []


@functools.cache
def _settings() -> Any:
    settings = frontend.get_default_settings(Parser)
    settings.report_level = settings.halt_level = Reporter.SEVERE_LEVEL + 1
    return settings


@functools.cache
def _parser() -> RSTStateMachine:
    # As docutils.parsers.rst.Parser has it, but kept: building it takes most time.
    return RSTStateMachine(state_classes, "Body")


@functools.lru_cache(maxsize=20_000)
def parse(text: str) -> nodes.document:
    """Return the nodes of a message's reST; do not change them, they are shared."""
    if NO_MARKUP.fullmatch(text):
        return plain(text, is_html=False)
    if text.rstrip().endswith("::"):
        text += "\n\n   the code that follows"
    document = utils.new_document("message", _settings())
    try:
        with all_roles_and_no_directives():
            _parser().run(string2lines(text, convert_whitespace=True), document)
        _parser().observers.clear()
    except RecursionError:
        _parser.cache_clear()  # it is left in the middle of the text
        document += document.reporter.severe("Markup is nested too deeply.")
    return document


def plain(text: str, is_html: bool) -> nodes.document:
    """Return a text that is no reST as a document of one paragraph."""
    document = utils.new_document("message", _settings())
    if is_html:
        text = PLACEHOLDER.sub(CODE, html.unescape(TAG.sub("", text)))
    document += nodes.paragraph(text, text)
    return document


def formula(text: str) -> nodes.document:
    """Return a formula as a document that has it in a role; its words may change."""
    document = utils.new_document("message", _settings())
    symbols = " ".join(TEXT_IN_FORMULA.sub(r"\\text{}", text).split())
    document += nodes.inline(text, "", role="math", target=symbols)
    return document


def problem(document: nodes.document) -> str:
    """Return the first warning of docutils about a message, or nothing."""
    for message in document.findall(nodes.system_message):
        if message["level"] >= Reporter.WARNING_LEVEL:
            return str(message.children[0].astext()).rstrip(".")
    return ""


def kinds(document: nodes.document) -> list[str]:
    """Return the kinds of blocks of a message: one paragraph, a list, a quote, ..."""
    return [
        type(child).__name__.replace("_", " ")
        for child in document.children
        if not isinstance(child, nodes.system_message)
    ]


def prose(node: nodes.Node, code: Callable[[str], str] = lambda _code: CODE) -> str:
    """Return the words of a message; ``code`` replaces literals, formulas and URLs."""
    if isinstance(node, nodes.Text):
        return str(node)
    if isinstance(node, NO_PROSE):
        return code(node.astext())
    if isinstance(node, nodes.reference) and node.get("refuri") == node.astext():
        return code(node.astext())
    if isinstance(node, NO_WORDS):
        return ""
    if isinstance(node, NOTES):
        return NOTE
    return SPACED_NOTE.sub("", "".join(prose(child, code) for child in node.children))
