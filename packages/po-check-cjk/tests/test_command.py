"""The command prints findings with their places; its exit status depends on them."""

from __future__ import annotations

import ast
import html
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import polib
import pytest

from po_check_cjk.check import ALL_RULES, Finding

PACKAGE = Path(__file__).parents[1]
CATALOGS = Path("tests", "catalogs")


def run(*arguments: str | Path) -> tuple[int, str, str]:
    """Run the command; return its status and outputs."""
    line = [sys.executable, "-m", "po_check_cjk", *map(str, arguments)]
    done = subprocess.run(line, cwd=PACKAGE, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_a_finding_has_place_rule_and_remedy() -> None:
    path = CATALOGS / "bad/ko/open_quote.po"

    status, output, summary = run(path)

    assert (
        output
        == f'{path}:8: broken-catalog: text without its opening or closing " (add it)\n'
    )
    assert (status, summary) == (1, "1 findings in 1 catalogs\n")


def test_a_folder_without_findings_succeeds() -> None:
    glossary = CATALOGS / "glossary.csv"

    status, output, summary = run(
        "--markup-at-cjk", "--glossary", glossary, CATALOGS / "good"
    )

    assert (status, output) == (0, "")
    assert re.fullmatch(r"0 findings in \d\d catalogs\n", summary)


def test_markup_touches_letters_only_where_a_project_allows_it(tmp_path: Path) -> None:
    catalog = polib.POFile()
    catalog.metadata = {"Language": "ko", "Content-Type": "text/plain; charset=UTF-8"}
    catalog.append(polib.POEntry(msgid="Call ``x``.", msgstr="``x``를 호출합니다."))
    catalog.save(str(tmp_path / "page.po"))

    assert "broken-markup: `` before" in run(tmp_path)[1]
    assert run("--markup-at-cjk", tmp_path)[:2] == (0, "")
    assert run("--ignore", "broken-markup", tmp_path)[:2] == (0, "")


def test_github_annotates_the_line_of_a_finding() -> None:
    path = CATALOGS / "bad/ko/sphinx.po"

    _status, output, _summary = run("--format", "github", path)

    place = f"::error file={path},line=8,title=placeholders::"
    assert output.startswith(f"{place}not as in English: %25(who)s")
    finding = Finding(Path("a.po"), 1, "doubled", "100%\n100% (once)")
    assert finding.annotation().endswith("::100%25%0A100%25 (once)")
    assert f"{finding}" == "a.po:1: doubled: 100%\\n100% (once)"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["nowhere.po"], "no such file: nowhere.po"),
        (["--glossary", "no.csv", "tests"], "no such file: no.csv"),
        (["po_check_cjk"], "no catalogs"),
        ([], "no catalogs"),
    ],
)
def test_nothing_to_check_is_an_error(arguments: list[str], error: str) -> None:
    status, _output, message = run(*arguments)

    assert status == 2
    assert error in message


def test_the_wheel_requires_what_the_package_imports() -> None:
    about = tomllib.loads((PACKAGE / "pyproject.toml").read_text("utf-8"))["project"]
    imported = set()
    for path in (PACKAGE / "po_check_cjk").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(str(node.module).split(".")[0])

    required = {re.split(r"\W", each)[0] for each in about["dependencies"]}
    assert imported - sys.stdlib_module_names - {"po_check_cjk"} == required


def test_the_picture_of_the_example_is_up_to_date() -> None:
    _status, output, summary = run("example/po", "--glossary", "example/glossary.csv")
    picture = html.unescape((PACKAGE / "example/output.svg").read_text("utf-8"))
    shown = re.findall(r"<text.*?>(.*)</text>", picture)

    lines = f"{output}{summary}".replace("example/po/", "po/").splitlines()
    assert shown[1:] == lines
    rules = {line.split(": ")[1] for line in lines[:-1]}
    readme = (PACKAGE / "README.md").read_text("utf-8")
    assert rules < ALL_RULES
    assert {name for name in ALL_RULES if f"`{name}`" not in readme} == {"waiver"}
