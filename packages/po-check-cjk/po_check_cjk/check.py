"""Check catalogs against the rules of their languages.

Where a rule is wrong, a comment in the entry sets it aside, with the reason:
``# check-ignore: rule - why``. Guards cannot be set aside.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Set
from concurrent.futures import ProcessPoolExecutor
from fnmatch import fnmatch
from functools import partial
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import polib  # type: ignore[import-untyped]

from po_check_cjk import first_use, same
from po_check_cjk.catalogs import (
    SOURCE_LANGUAGE,
    CatalogError,
    read_catalog,
    translations,
    waivers,
)
from po_check_cjk.glossary import Glossary, read_glossary
from po_check_cjk.message import GUARDS, RULES, Message, rules_for

CAUSES = ("mistyped", "markup", "sentences", "leftovers")  # their findings come first
MODULES = [path.stem for path in sorted(Path(__file__).parent.glob("[!_]*.py"))]
for module in (*CAUSES, *MODULES):
    import_module(f"po_check_cjk.{module}")  # which registers its rules

OTHER_FINDINGS = {
    first_use.LATE: "A term's English is in brackets at its first use on the page.",
    first_use.NEEDLESS: "A term that the glossary calls settled has no English.",
    same.SAME: "Two English texts of a page have two translations.",
    "waiver": "A rule is set aside where it finds something, and with a reason.",
    "broken-catalog": "A catalog is UTF-8 and complete; cannot be set aside.",
    "broken-glossary": "A glossary is complete; cannot be set aside.",
}
OF_PAGES = {first_use.LATE, first_use.NEEDLESS, same.SAME}
# All names that findings have, but for those of broken files.
ALL_RULES = frozenset([*RULES, *OF_PAGES, "waiver"])
PLAIN = ("sphinx",)  # catalogs without reST: the words of Sphinx and its themes
MANY_CATALOGS = 20  # from here on, processes are worth their start
# What ``#.`` of an entry may declare: a comment of code, a formula on lines of its own
COMMENT, FORMULA = re.compile(r"comment(?: above:| beside:|$)", re.MULTILINE), "formula"

Broken = tuple[str, str]  # a rule, and what is wrong


class Finding(NamedTuple):
    """A broken rule, and where; as text ``path:line: rule: what (remedy)``."""

    path: Path
    line: int
    rule: str
    text: str

    def __str__(self) -> str:
        text = self.text.replace("\n", "\\n")
        return f"{self.path}:{self.line}: {self.rule}: {text}"

    def place(self) -> tuple[Path, int]:
        """Return what to sort by: of an entry's findings, causes stay first."""
        return self.path, self.line

    def annotation(self) -> str:
        """Return the finding as a workflow of GitHub prints it to annotate the line."""
        text = self.text.replace("%", "%25").replace("\n", "%0A")
        return f"::error file={self.path},line={self.line},title={self.rule}::{text}"


class CheckedCatalog(NamedTuple):
    """The language of a catalog, "" if unknown, and its findings."""

    path: Path
    language: str
    findings: list[Finding]


def broken_rules(message: Message, rules: Iterable[str]) -> Iterator[Broken]:
    """Check a message against some rules; a formula only against ``math``."""
    names = ("math",) if message.is_formula else rules
    found = [(name, text) for name in names for text in RULES[name].check(message)]
    # a term is missing because its sentence is
    is_short = "missing-sentence" in {name for name, _text in found}
    yield from (one for one in found if not (is_short and one[0] == "glossary"))


def wrong_waivers(entry: polib.POEntry, used: set[str]) -> Iterator[Broken]:
    """Yield what is wrong with an entry's waivers; ``used``: rules that need one."""
    for name, reason in waivers(entry).items():
        if name not in {*RULES, *OF_PAGES}:
            yield "waiver", f"there is no rule {name!r} (list them: --rules)"
        elif name in GUARDS:
            yield "waiver", f"{name} cannot be set aside (correct the translation)"
        elif not reason:
            yield "waiver", f"{name} is ignored without a reason (add: - why)"
        elif name not in used:
            yield "waiver", f"{name} finds nothing here (delete the waiver)"


def broken_file(path: Path, error: Exception, rule: str) -> Finding:
    line, text = str(error).removeprefix(f"{path}:").split(": ", 1)
    return Finding(path, int(line), rule, text)


def check_catalogs(
    paths: list[Path],
    glossary: Glossary,
    plain: Iterable[str] = PLAIN,
    only: Set[str] = ALL_RULES,
) -> list[CheckedCatalog]:
    work = partial(check_catalog, glossary=glossary, plain=plain, only=only)
    if sys.platform != "linux" or len(paths) < MANY_CATALOGS:
        return [*map(work, paths)]
    # a forked process has the rules, the glossary and its patterns already
    count, context = len(os.sched_getaffinity(0)), get_context("fork")
    with ProcessPoolExecutor(count, mp_context=context) as pool:
        return [*pool.map(work, paths, chunksize=2)]


def check_catalog(
    path: Path,
    glossary: Glossary,
    plain: Iterable[str] = PLAIN,
    only: Set[str] = ALL_RULES,
) -> CheckedCatalog:
    """Check a catalog against the rules of its language that are in ``only``.

    ``plain``: patterns of the names of catalogs without reST.
    """
    language = language_of(path)
    try:
        catalog = read_catalog(path)
    except CatalogError as error:
        broken = broken_file(path, error, "broken-catalog")
        return CheckedCatalog(path, language, [broken])
    language = language or catalog.metadata.get("Language", "")
    is_plain = any(fnmatch(path.stem, pattern) for pattern in plain)
    rules = [name for name in rules_for(language) if name in only]
    findings = []
    of_page = [*first_use.wrong_glosses(catalog, language, glossary)]
    of_page += [] if is_plain else same.same_translations(catalog)
    for entry in catalog:
        messages = messages_of(entry, language, glossary, is_plain)
        found = broken_forms(messages, rules)
        found += [x[1:] for x in of_page if x[0] == entry.linenum and x[1] in only]
        if messages and "waiver" in only:
            waived = waivers(entry).keys() - GUARDS
            used = {name for name, _ in found} | (ALL_RULES - only)
            found = [x for x in found if x[0] not in waived]
            found += wrong_waivers(entry, used)
        findings += [Finding(path, entry.linenum, *one) for one in found]
    return CheckedCatalog(path, language, findings)


def messages_of(
    entry: polib.POEntry, language: str, glossary: Glossary, is_plain: bool
) -> list[list[Message]]:
    """Return an entry's messages, one for each form of its translation.

    A plural form has two: it may translate the singular or the plural.
    """
    is_source = language == SOURCE_LANGUAGE and entry.msgstr == entry.msgid
    if is_source or not entry.msgid:  # a second header
        return []
    is_comment = COMMENT.match(entry.comment) is not None
    is_formula = entry.comment == FORMULA
    kind = (is_plain, glossary, is_comment, is_formula)
    msgids = [x for x in (entry.msgid_plural, entry.msgid) if x]
    return [
        [Message(language, msgid, text, *kind) for msgid in msgids]
        for text in translations(entry)
    ]


def broken_forms(messages: list[list[Message]], rules: Iterable[str]) -> list[Broken]:
    """Check each form of a translation against the msgid that it fits best."""
    found: list[Broken] = []
    for choices in messages:
        forms = [[*broken_rules(message, rules)] for message in choices]
        best: list[Broken] = min(forms, key=len)
        found += best
    return found


def language_of(path: Path) -> str:
    """Return the language of ``locales/<language>/LC_MESSAGES/...``, else ""."""
    parts = path.parts
    return parts[parts.index("LC_MESSAGES") - 1] if "LC_MESSAGES" in parts else ""


def glossary_or_finding(path: Path) -> tuple[Glossary, list[Finding]]:
    """Read a glossary; an empty one, and a finding, if it is broken."""
    try:
        return read_glossary(path), []
    except CatalogError as error:
        return Glossary(), [broken_file(path, error, "broken-glossary")]


def hints(checked: Iterable[CheckedCatalog], glossary: Glossary) -> Iterator[str]:
    columns = {column for row in glossary.rows.values() for column in row}
    languages = {each.language for each in checked} - {"", SOURCE_LANGUAGE, *columns}
    for language in sorted(languages if columns else ()):
        yield f'{language}: no column "{language}" in glossary.csv (add it)'


def manual(others: Mapping[str, str] = OTHER_FINDINGS) -> Iterator[str]:
    """Yield the manual: each rule with its languages and an example."""
    for name, rule in sorted(RULES.items()):
        known = rule.languages
        languages = "all languages" if "*" in known else ", ".join(known)
        languages += "; cannot be set aside" if name in GUARDS else ""
        yield f"{name} ({languages})\n{inspect.getdoc(rule.check)}\n"
        place = ", ".join(filter(None, (known[0], rule.kind)))
        yield f'Bad ({place}): "{rule.english}" -> "{rule.bad}"'
        yield f'Good ({place}): "{rule.english}" -> "{rule.good}"\n'
    yield from (f"{name}\n{text}\n" for name, text in others.items())
