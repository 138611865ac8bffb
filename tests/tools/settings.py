"""Write the table of all settings into gallery_intl/README.md.

    python tests/tools/settings.py

The table is made from the code: name, default and types of each ``add_config_value``,
and the comment above it, which says what it does.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from typing import NamedTuple

from paths import PROJECT

README = PROJECT / "gallery_intl" / "README.md"
PACKAGES = ("gallery_intl", "gallery_run", "gallery_site")
START, END = "<!-- settings, made by tests/tools/settings.py -->\n", "<!-- end -->\n"
TYPES = ("list", "dict", "str", "bool", "int", "float", "tuple", "set")


class Setting(NamedTuple):
    """A value of conf.py that one of the packages adds."""

    package: str
    name: str
    types: str
    default: str
    about: str


def settings() -> Iterator[Setting]:
    """Find the settings in the code of all packages."""
    for package in PACKAGES:
        paths = sorted((PROJECT / package).rglob("*.py"))
        sources = {path.stem: path.read_text(encoding="utf-8") for path in paths}
        known = {k: v for stem in sources for k, v in constants(stem, sources[stem])}
        for path in paths:
            yield from settings_of(package, path.read_text(encoding="utf-8"), known)


def constants(module: str, source: str) -> Iterator[tuple[str, ast.expr]]:
    """Find the constants of a module, as others name them."""
    for node in ast.parse(source).body:
        match node:
            case ast.Assign([ast.Name(id=name)], value):
                yield f"{module}.{name}", value


def settings_of(
    package: str, source: str, known: dict[str, ast.expr] | None = None
) -> Iterator[Setting]:
    """Find the settings in a module."""
    names = {**(known or {}), **{k[1:]: v for k, v in constants("", source)}}
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(ast.Attribute(attr="add_config_value")):
                name, default, *_ = node.args
                default = names.get(ast.unparse(default), default)
                yield Setting(
                    package,
                    ast.literal_eval(name),
                    " or ".join(types_of(node)) or type_of(default),
                    ast.unparse(default),
                    comment_above(source.splitlines(), node.lineno),
                )


def types_of(call: ast.Call) -> list[str]:
    """Name the types that a setting is said to have."""
    said = [word.value for word in call.keywords if word.arg == "types"]
    given = (*call.args[3:4], *said)
    nodes = (node for value in given for node in ast.walk(value))
    names = [n.id for n in nodes if isinstance(n, ast.Name) and n.id in TYPES]
    is_optional = any("None" in ast.unparse(value) for value in given)
    return [*names, "None"] if is_optional else names


def type_of(default: ast.expr) -> str:
    return type(ast.literal_eval(default)).__name__


def comment_above(lines: list[str], number: int) -> str:
    """Return the comment that ends above a line."""
    above = (line.strip() for line in reversed(lines[: number - 1]))
    comment = itertools.takewhile(lambda line: line.startswith("#"), above)
    return " ".join(line.lstrip("# ") for line in reversed([*comment]))


def table() -> str:
    """Return the table in Markdown, by package and name."""
    rows = ["| setting | package | type | default | what it does |", "|---" * 5 + "|"]
    for one in sorted(settings()):
        cells = (f"`{one.name}`", one.package, one.types, f"`{one.default}`", one.about)
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def with_table(readme: str) -> str:
    """Return the README with the table as it is in the code."""
    before, rest = readme.split(START)
    return f"{before}{START}\n{table()}\n{END}{rest.split(END, 1)[1]}"


if __name__ == "__main__":
    README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
