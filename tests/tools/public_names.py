"""Write into gallery_intl/README.md what other packages may import.

    python tests/tools/public_names.py

It is what `gallery_run` and `gallery_site` import, by module, with the module's own
first sentence.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from paths import PROJECT

README = PROJECT / "gallery_intl" / "README.md"
START, END = "<!-- names, made by tests/tools/public_names.py -->\n", "<!-- end -->\n"
USERS = ("gallery_run", "gallery_site")


def imports(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield what a module imports: line, module, and name if it is from there."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.lineno, node.module, alias.name) for alias in node.names)


def taken() -> dict[str, set[str]]:
    """Return the names of the extension that the other packages import, by module."""
    found: dict[str, set[str]] = {}
    for path in (path for user in USERS for path in (PROJECT / user).rglob("*.py")):
        for _line, module, name in imports(path):
            whole = f"{module}.{name}"
            if not module.startswith("gallery_intl"):
                continue
            if file_of(whole):
                found.setdefault(whole, set())
            else:
                found.setdefault(module, set()).add(name)
    return found


def file_of(module: str) -> Path | None:
    """Return the file of a module; None if it is none."""
    path = PROJECT / Path(*module.split("."))
    found = (path.with_suffix(".py"), path / "__init__.py")
    return next(filter(Path.is_file, found), None)


def sentence(module: str) -> str:
    """Return the first line that a module says of itself."""
    path = file_of(module)
    assert path, module
    said = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return said.split("\n")[0].replace("|", r"\|")


def table(names: dict[str, set[str]]) -> str:
    rows = ["| module | names | what it is |", "|---|---|---|"]
    for module in sorted(names):
        listed = (
            ", ".join(f"`{name}`" for name in sorted(names[module])) or "the module"
        )
        rows.append(f"| `{module}` | {listed} | {sentence(module)} |")
    return "\n".join(rows) + "\n"


def with_table(readme: str) -> str:
    """Return the README with the table of what is imported now."""
    before, rest = readme.split(START)
    after = rest.split(END, 1)[1]
    return f"{before}{START}\n{table(taken())}\n{END}{after}"


if __name__ == "__main__":
    README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
