"""The house: three packages with rooms, and imports that go one way only."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from paths import PROJECT
from public_names import README, imports, taken, with_table
from sphinx.transforms import ApplySourceWorkaround, i18n

from gallery_intl import order

PACKAGES = ("gallery_intl", "gallery_run", "gallery_site")
# a room may import what stands in an earlier line, and nothing of its own line
FLOORS = (
    (
        *("gallery_intl.builders", "gallery_intl.files"),
        *("gallery_intl.locale", "gallery_intl.order"),
    ),
    ("gallery_intl.finished",),
    ("gallery_intl.text",),
    ("gallery_intl.script", "gallery_intl.catalogs"),
    ("gallery_intl.page", "gallery_intl.interface"),
    ("gallery_intl.downloads", "gallery_intl.figures"),
    ("gallery_run",),
    ("gallery_site.book",),
    ("gallery_site",),
)
LEVEL = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}


def modules() -> list[Path]:
    found = [path for name in PACKAGES for path in (PROJECT / name).rglob("*.py")]
    return sorted(path.relative_to(PROJECT) for path in found)


def dotted(path: Path) -> str:
    """Name a module as an import does."""
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def room_of(module: str) -> str | None:
    """Give the room of a module; None for a package's own map and commands."""
    return next(
        (room for room in LEVEL if module == room or module.startswith(f"{room}.")),
        None,
    )


def test_every_module_has_a_room() -> None:
    maps = {"gallery_intl", "gallery_intl.__main__"}

    assert [str(p) for p in modules() if not room_of(dotted(p))] == [
        str(p) for p in modules() if dotted(p) in maps
    ]


def test_imports_go_down_only() -> None:
    wrong = [
        f"{path}:{line}: {here} imports {there}"
        for path in modules()
        if (here := room_of(dotted(path)))
        for line, module, name in imports(PROJECT / path)
        for there in [room_of(f"{module}.{name}") or room_of(module)]
        if there and there != here and LEVEL[there] >= LEVEL[here]
    ]

    assert wrong == []


def test_a_room_has_a_sentence() -> None:
    rooms = [path for path in modules() if path.name == "__init__.py"]

    assert len(rooms) >= 12
    for path in rooms:
        tree = ast.parse((PROJECT / path).read_text("utf-8"))
        sentence = (ast.get_docstring(tree) or "").split("\n")[0]
        assert sentence.endswith("."), path


FOREIGN = ["torch", "pydata_sphinx_theme", "gallery_run", "gallery_site"]
FOREIGN += ["po_check_cjk"]


@pytest.mark.parametrize("name", FOREIGN)
def test_the_extension_knows_no_torch_no_theme_and_no_site(name: str) -> None:
    wrong = [
        f"{path}:{line}"
        for path in modules()
        for line, module, _name in imports(PROJECT / path)
        if path.parts[0] == "gallery_intl" and module.split(".")[0] == name
    ]

    assert wrong == []


def test_the_runner_and_the_site_take_only_public_names_of_the_extension() -> None:
    readme = README.read_text(encoding="utf-8")

    assert with_table(readme) == readme, "run python tests/tools/public_names.py"


def test_a_name_that_is_taken_is_listed_by_its_module() -> None:
    names = taken()

    assert "CatalogError" in names["gallery_intl.catalogs.po"]
    assert names["gallery_intl.order"] == set()  # a module, whole
    assert not any(name.startswith("_") for found in names.values() for name in found)


def test_every_priority_is_a_name_of_order() -> None:
    """A number in a room's own file would have a place that nobody can see."""
    wrong = [
        f"{path}:{node.value.lineno}"
        for path in modules()
        for node in ast.walk(ast.parse((PROJECT / path).read_text("utf-8")))
        if (isinstance(node, ast.keyword) and node.arg == "priority")
        or (
            isinstance(node, ast.Assign)
            and ast.unparse(node.targets[0]) == "default_priority"
        )
        if not re.fullmatch(r"(order\.)?[A-Z_]+", ast.unparse(node.value))
    ]

    assert wrong == []


def test_the_order_is_right_beside_sphinx() -> None:
    assert ApplySourceWorkaround.default_priority < order.ANNOTATE
    assert order.ANNOTATE < order.TRANSLATE_SCRIPT < order.COLLECT_COMMENTS
    assert order.FORBID < i18n.Locale.default_priority < order.ALLOW
    assert i18n.TranslationProgressTotaliser.default_priority < order.TRANSLATE_FIGURES
