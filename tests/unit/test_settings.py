"""The README of the extension names every setting of the three packages."""

from __future__ import annotations

from importlib import import_module
from typing import Any
from unittest.mock import MagicMock

from settings import PACKAGES, README, Setting, settings, settings_of, with_table

SOURCE = """
PLACE = "here"

def setup(app):
    # where it lies,
    # as a path
    app.add_config_value("one", PLACE, "env", types=frozenset({str}))

    app.add_config_value("two", 120, "", (int, float))
    # may be left out
    app.add_config_value("three", None, "env", (str, type(None)))
    app.add_config_value("four", [], "")
"""


def test_a_setting_is_read_from_the_code() -> None:
    assert list(settings_of("room", SOURCE)) == [
        Setting("room", "one", "str", "'here'", "where it lies, as a path"),
        Setting("room", "two", "int or float", "120", ""),
        Setting("room", "three", "str or None", "None", "may be left out"),
        Setting("room", "four", "list", "[]", ""),
    ]


def test_the_table_is_that_of_the_code() -> None:
    readme = README.read_text(encoding="utf-8")

    assert with_table(readme) == readme, "run python tests/tools/settings.py"


def test_a_setting_is_added_once() -> None:
    names = [setting.name for setting in settings()]

    assert {setting.package for setting in settings()} == set(PACKAGES)
    assert sorted(names) == sorted(set(names))


def test_every_setting_says_what_it_does() -> None:
    assert [setting.name for setting in settings() if not setting.about] == []


def test_the_readme_describes_each_directive_and_event_of_the_extension() -> None:
    app: Any = MagicMock()

    def set_up(name: str) -> None:
        if name.startswith("gallery_intl"):
            import_module(name).setup(app)

    app.setup_extension.side_effect = set_up
    set_up("gallery_intl")
    added = [*app.add_directive.call_args_list, *app.add_event.call_args_list]
    # what is overridden is Sphinx-Gallery's own
    own = [call.args[0] for call in added if "override" not in call.kwargs]
    readme = README.read_text(encoding="utf-8")

    assert {"diff", "page-finished"} < {*own}
    assert [name for name in own if f"\n| `{name}` | " not in readme] == []
