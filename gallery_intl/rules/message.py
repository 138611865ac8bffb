"""A message to check, and the register of the rules that it must keep.

A rule is a generator decorated with `rule`. It takes a `Message` and yields what is
wrong, each time with the remedy in brackets. Its docstring is its manual, with an
example that it finds and one that it accepts; the tests run both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from docutils import nodes

from gallery_intl.rules import nodes as check_nodes
from gallery_intl.rules.glossary import Glossary


@dataclass(frozen=True)
class Message:
    """An English message and its translation."""

    language: str
    msgid: str
    msgstr: str
    is_interface: bool = False  # a word of the interface: with HTML, without reST
    glossary: Glossary = field(default_factory=Glossary)

    @cached_property
    def is_markup(self) -> bool:
        """Tell reST from plain text: a code comment may say ``*args``."""
        english = None if self.is_interface else check_nodes.parse(self.msgid)
        return english is not None and not check_nodes.problem(english)

    @cached_property
    def source(self) -> nodes.document:
        return self._document(self.msgid)

    @cached_property
    def target(self) -> nodes.document:
        return self._document(self.msgstr)

    def _document(self, text: str) -> nodes.document:
        if self.is_markup:
            return check_nodes.parse(text)
        return check_nodes.plain(text, self.is_interface)

    @cached_property
    def left_over(self) -> Counter[str]:
        """The signs of markup that are shown as text, and are not so in English."""
        became, was = map(check_nodes.signs, (self.prose, self.english))
        return became - was

    @cached_property
    def is_whole(self) -> bool:
        """Tell whether all markup of the translation is read as such."""
        return not self.left_over and not check_nodes.problem(self.target)

    @cached_property
    def english(self) -> str:
        """The words of the msgid; see `check_nodes.prose`."""
        return check_nodes.prose(self.source)

    @cached_property
    def prose(self) -> str:
        """The words of the msgstr."""
        return check_nodes.prose(self.target)


Rule = Callable[[Message], Iterator[str]]
RULES: dict[str, Rule] = {}
LANGUAGES: dict[str, tuple[str, ...]] = {}
GUARDS: set[str] = set()


def rule(*languages: str, guard: bool = False) -> Callable[[Rule], Rule]:
    """Register a rule under its function's name, for some languages or for all.

    A guard keeps out what could act on a reader's machine or lead a reader astray: it
    cannot be set aside, and a build keeps it too.
    """

    def register(function: Rule) -> Rule:
        name = function.__name__.replace("_", "-")
        RULES[name] = function
        LANGUAGES[name] = languages
        if guard:
            GUARDS.add(name)
        return function

    return register


def rules_for(language: str) -> dict[str, Rule]:
    """Give the rules that speak of a language, such as ``zh_CN`` or ``ja``."""
    names = {language, language.partition("_")[0]}
    return {
        name: function
        for name, function in RULES.items()
        if not LANGUAGES[name] or names.intersection(LANGUAGES[name])
    }
