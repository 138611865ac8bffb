"""Check every rule that a translation must keep: ``make check``.

A finding is printed as ``path:line: rule: what (remedy)``. Where a rule is wrong, a
comment in the entry sets it aside, with the reason: ``# check-ignore: rule - why``.
Rules that guard the reader cannot be set aside, and every build keeps them.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import polib  # type: ignore[import-untyped]

from gallery_intl.catalogs import english
from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs.po import SOURCE_LANGUAGE
from gallery_intl.catalogs.progress import Count, add, count
from gallery_intl.rules import (
    chinese,
    comments,
    first_use,
    korean,
    leftovers,
    markup,
    mistyped,
    names,
    numbers,
    sentences,
    signs,
    typed,
    values,
    writing,
)
from gallery_intl.rules.glossary import Glossary, read_glossary
from gallery_intl.rules.message import GUARDS, RULES, Message, rules_for

# Importing one registers its rules.
MODULES = (
    *(markup, values, writing, korean, sentences, numbers, names, signs, typed),
    *(leftovers, chinese, comments, mistyped),
)
MANY_CATALOGS = 20  # to check them, other processes are worth their start
MANY = 5  # findings about one term: it may have changed
COMMENT = "comment"  # how ``#.`` begins above a comment of the code
FORMULA = "formula"  # what it says of a formula on lines of its own

Broken = tuple[str, str]  # a rule, and what is wrong
Check = Callable[[Message, polib.POEntry], Iterator[Broken]]


class Finding(NamedTuple):
    """A rule that a translation breaks, and where."""

    path: Path
    line: int
    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.text}"

    def annotation(self) -> str:
        """Return the finding as GitHub shows it beside the line."""
        text = self.text.replace("%", "%25").replace("\n", "%0A")
        return f"::error file={self.path},line={self.line},title={self.rule}::{text}"


def broken(message: Message, rules: Iterable[str]) -> Iterator[Broken]:
    """Check a message against some rules; a formula has words in none but one."""
    for name in ("math",) if message.is_formula else rules:
        for text in RULES[name].check(message):
            yield name, text


def _check(message: Message, entry: polib.POEntry) -> Iterator[Broken]:
    waivers = catalogs.waivers(entry)
    used = set()
    for name, text in broken(message, rules_for(message.language)):
        used.add(name)
        if name not in waivers or name in GUARDS:
            yield name, text
    for name, reason in waivers.items():
        if name not in RULES:
            yield "waiver", f"there is no rule {name!r} (list them: check --rules)"
        elif name in GUARDS:
            yield "waiver", f"{name} cannot be set aside (mend the translation)"
        elif not reason:
            yield "waiver", f"{name} is ignored without a reason (add: - why)"
        elif name not in used:
            yield "waiver", f"{name} finds nothing here (delete the waiver)"


def broken_file(path: Path, error: catalogs.CatalogError, rule: str) -> Finding:
    """Return what is wrong with a whole file as a finding."""
    line, text = str(error).removeprefix(f"{path}:").split(": ", 1)
    return Finding(path, int(line), rule, text)


def check_catalogs(
    paths: Iterable[Path],
    glossary: Glossary,
    check: Check = _check,
    source: str = SOURCE_LANGUAGE,
) -> Iterator[Finding]:
    """Check catalogs against all rules of their languages, or as ``check`` does."""
    for path in paths:
        try:
            catalog = catalogs.shared(path)
        except catalogs.CatalogError as error:
            yield broken_file(path, error, "broken-catalog")
            continue
        language = language_of(path) or catalog.metadata.get("Language", "")
        for entry in filter(catalogs.is_translated, catalog):
            if language == source and entry.msgstr == entry.msgid:
                continue
            message = message_of(entry, path, language, glossary)
            for rule, text in check(message, entry):
                yield Finding(path, entry.linenum, rule, text)


def check_pages(paths: Iterable[Path], glossary: Glossary) -> Iterator[Finding]:
    """Check what only a whole page shows; broken ones are named elsewhere."""
    for path in paths:
        with contextlib.suppress(catalogs.CatalogError):
            args = (catalogs.shared(path), language_of(path), glossary)
            yield from (Finding(path, *one) for one in first_use.late_glosses(*args))


def check_shares(
    paths: list[Path], glossary: Glossary, source: str
) -> Iterator[Finding]:
    """Check many catalogs, a share on each processor; in any order."""
    count = 1
    if sys.platform == "linux" and len(paths) >= MANY_CATALOGS:
        count = len(os.sched_getaffinity(0))
    if count == 1:
        yield from check_share(paths, glossary, source)
        return
    # several for each: no two of them take equally long
    shares = [paths[start :: 8 * count] for start in range(8 * count)]
    # a process that is forked has the rules, the glossary and its expressions
    with ProcessPoolExecutor(count, mp_context=get_context("fork")) as others:
        work = partial(check_share, glossary=glossary, source=source)
        yield from chain.from_iterable(others.map(work, shares))


def check_share(paths: list[Path], glossary: Glossary, source: str) -> list[Finding]:
    """Return the findings of some catalogs, also those of whole pages."""
    checked = check_catalogs(paths, glossary, source=source)
    return [*checked, *check_pages(paths, glossary)]


def message_of(
    entry: polib.POEntry, path: Path, language: str, glossary: Glossary
) -> Message:
    """Return an entry of a catalog as the rules take it."""
    is_interface = path.stem in catalogs.NO_PAGE
    is_comment = entry.comment.startswith(COMMENT)
    is_formula = entry.comment == FORMULA
    texts = (entry.msgid, entry.msgstr)
    return Message(language, *texts, is_interface, glossary, is_comment, is_formula)


def guard_catalogs(paths: Iterable[Path]) -> Iterator[Finding]:
    """Check catalogs against the rules that a build keeps."""
    guards = sorted(GUARDS)
    return check_catalogs(paths, Glossary(), lambda message, _: broken(message, guards))


def compare(paths: Iterable[Path]) -> Iterator[Finding]:
    """Hold catalogs against the English messages; broken ones are named elsewhere."""
    for path in paths:
        with contextlib.suppress(catalogs.CatalogError):
            yield from (
                Finding(path, *difference) for difference in english.differences(path)
            )


def language_of(path: Path) -> str:
    """Return the language of ``locales/<language>/LC_MESSAGES/...``."""
    parts = path.parts
    return parts[parts.index("LC_MESSAGES") - 1] if "LC_MESSAGES" in parts else ""


def gaps(paths: Iterable[Path], source: str = SOURCE_LANGUAGE) -> Iterator[str]:
    """Count what is still to translate, a line for each language that lacks any."""
    counts: dict[str, Count] = defaultdict(Count)
    for path in paths:
        with contextlib.suppress(catalogs.CatalogError):
            language = language_of(path)
            counts[language] = add((counts[language], count(path, language, source)))
    for language, total in sorted(counts.items()):
        if total.fuzzy or total.untranslated:
            yield f"{language}: {total.untranslated} untranslated, {total.fuzzy} fuzzy"


def hints(
    paths: Iterable[Path], glossary: Glossary, findings: Iterable[Finding]
) -> Iterator[str]:
    """Yield what the glossary lacks: a language's column, the old word of a term."""
    columns = {column for row in glossary.rows.values() for column in row}
    languages = {*map(language_of, paths)} - {"", SOURCE_LANGUAGE, *columns}
    for language in sorted(languages if columns else ()):
        yield f'{language}: no column "{language}" in glossary.csv (add it)'
    missing = (x for x in findings if x.rule == "glossary" and " is not " in x.text)
    counts = Counter((language_of(x.path), x.text.split(" (")[0]) for x in missing)
    for (language, text), times in counts.items():
        if times >= MANY:
            told = f'is it new? Put the old one into the column "{language} never"'
            yield f"{language}: {times} times {text} ({told})"


def manual() -> Iterator[str]:
    """Yield the manual: each rule, the languages it speaks of, and an example."""
    for name, rule in sorted(RULES.items()):
        known = rule.languages
        speaks_of = "all languages" if "*" in known else ", ".join(known)
        speaks_of += "; cannot be set aside" if name in GUARDS else ""
        yield f"{name} ({speaks_of})\n{inspect.getdoc(rule.check)}\n"
        place = ", ".join(filter(None, (known[0], rule.kind)))
        yield f'Bad ({place}): "{rule.english}" -> "{rule.bad}"'
        yield f'Good ({place}): "{rule.english}" -> "{rule.good}"\n'


def shown(path: Path) -> Path:
    """Return a path as it is shortest to read."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def chosen(paths: list[Path], folders: list[Path], languages: list[str]) -> list[Path]:
    """Return the catalogs to check: in folders also those that only English has."""
    wanted = [x for folder in folders for x in english.wanted(folder, languages)]
    files: list[Path] = []
    for path in map(Path.absolute, paths or folders):
        lost = [file for file in wanted if file.is_relative_to(path)]
        files += [path] if path.is_file() else sorted({*path.rglob("*.po"), *lost})
    return [*map(shown, files)]


def check(
    paths: list[Path],
    folders: list[Path],
    languages: list[str],
    output: str = "text",
    source: str = SOURCE_LANGUAGE,
) -> bool:
    """Print findings and gaps, of all catalogs or of some; tell whether all is well."""
    if missing := [str(path) for path in paths if not path.exists()]:
        raise catalogs.CatalogError(f"no catalogs: {', '.join(missing)}")
    files = chosen(paths, folders, languages)
    there = [file for file in files if os.path.lexists(file)]
    terms = shown(folders[0] / "glossary.csv")
    findings: list[Finding] = []
    glossary = Glossary()
    try:
        glossary = read_glossary(terms)
    except catalogs.CatalogError as error:
        findings.append(broken_file(terms, error, "broken-glossary"))
    differences = [*compare(files)]  # reads all, before others share the work
    findings += sorted((*differences, *check_shares(there, glossary, source)))
    for finding in findings:
        print(finding.annotation() if output == "github" else finding)
    for line in (*gaps(files, source), *hints(files, glossary, findings)):
        print(line, file=sys.stderr)
    print(f"{len(findings)} findings in {len(there)} catalogs", file=sys.stderr)
    return not findings
