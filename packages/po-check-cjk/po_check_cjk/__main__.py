"""Check gettext translations, Chinese, Japanese and Korean ones above all.

Exit status: 0 without findings, 1 with findings, 2 if there is nothing to check.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Iterator
from pathlib import Path

from po_check_cjk import __version__
from po_check_cjk.characters import end_markup_at_cjk
from po_check_cjk.check import (
    ALL_RULES,
    PLAIN,
    Finding,
    check_catalogs,
    glossary_or_finding,
    hints,
    manual,
)
from po_check_cjk.glossary import Glossary

NEW_OBJECTS = 20_000  # after which Python looks for garbage; parsing makes little


def command_line() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="po-check-cjk", description=__doc__)
    parser.add_argument("paths", type=Path, nargs="*", help=".po files, or folders")
    parser.add_argument("--glossary", type=Path, help="the terms, a .csv file")
    parser.add_argument("--format", choices=("text", "github"), default="text")
    parser.add_argument(
        "--plain",
        action="append",
        metavar="NAME",
        help="catalogs without reStructuredText, by file name without .po;"
        " '*' for the words of a program (default: sphinx)",
    )
    parser.add_argument(
        "--ignore",
        action="append",
        default=[],
        choices=sorted(ALL_RULES),
        metavar="RULE",
        help="leave out a rule that does not fit the project",
    )
    parser.add_argument(
        "--markup-at-cjk",
        action="store_true",
        help="inline markup may touch Chinese, Japanese and Korean characters,"
        " as in projects that patch docutils",
    )
    parser.add_argument("--rules", action="store_true", help="print the manual")
    parser.add_argument("--version", action="version", version=__version__)
    return parser


def catalogs_below(paths: list[Path]) -> Iterator[Path]:
    """Yield the given files, and all catalogs in the given folders."""
    for path in paths:
        yield from sorted(path.rglob("*.po")) if path.is_dir() else (path,)


def print_findings(findings: list[Finding], output: str) -> None:
    for finding in findings:
        print(finding.annotation() if output == "github" else finding)


def main() -> int:
    parser = command_line()
    options = parser.parse_args()
    if options.rules:
        print("\n".join(manual()))
        return 0
    asked = [*options.paths, *filter(None, [options.glossary])]
    if missing := [str(path) for path in asked if not path.exists()]:
        parser.error(f"no such file: {', '.join(missing)}")
    paths = [*catalogs_below(options.paths)]
    if not paths:
        parser.error("no catalogs (name .po files, or folders that contain some)")
    gc.set_threshold(NEW_OBJECTS)
    if options.markup_at_cjk:
        end_markup_at_cjk()
    glossary, findings = Glossary(), list[Finding]()
    if options.glossary:
        glossary, findings = glossary_or_finding(options.glossary)
    only = ALL_RULES.difference(options.ignore)
    checked = check_catalogs(paths, glossary, options.plain or PLAIN, only)
    findings += [finding for each in checked for finding in each.findings]
    findings.sort(key=Finding.place)
    print_findings(findings, options.format)
    for line in hints(checked, glossary):
        print(line, file=sys.stderr)
    print(f"{len(findings)} findings in {len(paths)} catalogs", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
