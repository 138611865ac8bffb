"""Check the catalogs of the site: ``make check``, and the guards in each build."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from pathlib import Path

from gallery_intl.__main__ import read_folders
from gallery_intl.catalogs import english, progress
from gallery_intl.catalogs.po import NO_PAGE, CatalogError, shared
from gallery_intl.text.cjk import end_markup_at_cjk
from po_check_cjk.__main__ import NEW_OBJECTS, print_findings
from po_check_cjk.check import (
    ALL_RULES,
    OTHER_FINDINGS,
    Finding,
    broken_file,
    check_catalog,
    check_catalogs,
    glossary_or_finding,
    hints,
    language_of,
    manual,
)
from po_check_cjk.glossary import Glossary
from po_check_cjk.message import GUARDS, parse


def check(options: argparse.Namespace) -> None:
    """Check every rule that a translation must keep."""
    if options.rules:
        print("\n".join(manual(OTHER_FINDINGS | english.FINDINGS)))
        return
    gc.set_threshold(NEW_OBJECTS)
    end_markup_at_cjk()
    folders, languages = read_folders(options)
    if missing := [str(path) for path in options.paths if not path.exists()]:
        raise CatalogError(f"no catalogs: {', '.join(missing)}")
    files = wanted_catalogs(options.paths, folders, languages)
    there = [file for file in files if os.path.lexists(file)]
    broken = [finding for path in there for finding in unreadable(path)]
    refused = {finding.path for finding in broken}
    readable = [path for path in there if path not in refused]
    glossary, findings = glossary_or_finding(shortest(folders[0] / "glossary.csv"))
    checked = check_catalogs(readable, glossary, NO_PAGE)
    broken += [finding for each in checked for finding in each.findings]
    findings += sorted([*broken, *differences(files)], key=Finding.place)
    print_findings(findings, options.format)
    for line in (*gaps(files, languages[0]), *hints(checked, glossary)):
        print(line, file=sys.stderr)
    print(f"{len(findings)} findings in {len(there)} catalogs", file=sys.stderr)
    if findings:
        sys.exit(1)


def wanted_catalogs(
    paths: list[Path], folders: list[Path], languages: list[str]
) -> list[Path]:
    """Return the catalogs to check: in folders also those that only English has."""
    wanted = [x for folder in folders for x in english.wanted(folder, languages)]
    files: list[Path] = []
    for path in map(Path.absolute, paths or folders):
        absent = [file for file in wanted if file.is_relative_to(path)]
        files += [path] if path.is_file() else sorted({*path.rglob("*.po"), *absent})
    return [*map(shortest, files)]


def shortest(path: Path) -> Path:
    """Return a path as it is shortest to read."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def unreadable(path: Path) -> Iterator[Finding]:
    """Yield why a build would refuse to read a catalog."""
    try:
        shared(path)
    except CatalogError as error:
        yield broken_file(path, error, "broken-catalog")


def differences(paths: Iterable[Path]) -> Iterator[Finding]:
    """Compare catalogs with the English ones; unreadable ones are other findings."""
    for path in paths:
        with contextlib.suppress(CatalogError):
            yield from (Finding(path, *one) for one in english.differences(path))


def gaps(paths: Iterable[Path], source: str) -> Iterator[str]:
    """Count what is still to translate, a line for each language that lacks any."""
    counts: dict[str, progress.Count] = defaultdict(progress.Count)
    for path in paths:
        with contextlib.suppress(CatalogError):
            language = language_of(path)
            counted = progress.count(path, language, source)
            counts[language] = progress.add((counts[language], counted))
    for language, total in sorted(counts.items()):
        if total.fuzzy or total.untranslated:
            yield f"{language}: {total.untranslated} untranslated, {total.fuzzy} fuzzy"


def catalog_findings(
    path: Path, glossary: Glossary, only: Set[str] = ALL_RULES
) -> list[Finding]:
    """Return the findings of one catalog; one that builds refuse has no others."""
    end_markup_at_cjk()
    refused = [*unreadable(path)]
    return refused or check_catalog(path, glossary, NO_PAGE, only).findings


def guard(paths: list[Path]) -> list[str]:
    """Return the translations that would break a page or bring a link of their own."""
    found = [
        str(finding)
        for path in paths
        for finding in catalog_findings(path, Glossary(), GUARDS)
    ]
    parse.cache_clear()  # thousands of documents that no check needs any more
    return found
