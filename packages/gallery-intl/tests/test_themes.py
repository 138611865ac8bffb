"""Where a theme shows the language menu; test_galleries has a theme of a sidebar."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polib
import pytest
from bs4 import BeautifulSoup
from building import Copy, add_settings

from gallery_intl.interface.menu import TEMPLATE, place, shows_sidebars

PAGE = "pages/page"
PYDATA = """
html_theme = "pydata_sphinx_theme"
html_theme_options = {"search_bar_text": "Search the sums"}
"""


def test_pydatas_header_has_the_menu_and_its_prompt_is_translated(
    copy: Callable[[str], Copy],
) -> None:
    found = copy("status")
    add_settings(found, PYDATA)
    found.catalogs()
    path = found.source / "locales/ko/LC_MESSAGES/sphinx.po"
    catalog = polib.pofile(str(path))
    catalog.find("Search the sums").msgstr = "합 검색"
    catalog.save()
    assert found.build("ko") == ""
    page = BeautifulSoup(found.html("ko", PAGE), "html.parser")

    (field,) = {x["placeholder"] for x in page.select("input[type=search]")}
    assert field == "합 검색"
    menu, *others = page.select("details.language-menu")
    assert all(other == menu for other in others)  # one is for small screens
    assert menu.find_parent(class_="navbar-header-items__end")


@pytest.mark.parametrize(
    ("context", "key", "expected"),
    [
        ({"theme_navbar_end": "a, b"}, "theme_navbar_end", [TEMPLATE, "a", "b"]),
        (
            {"theme_navbar_end": "", "sidebars": ["brand.html", "search.html", "toc"]},
            "sidebars",
            ["brand.html", "search.html", TEMPLATE, "toc"],
        ),
        ({"sidebars": ["localtoc.html"]}, "sidebars", ["localtoc.html", TEMPLATE]),
        ({"sidebars": []}, "menu_above_text", True),
    ],
)
def test_the_first_place_that_a_theme_has_is_taken(
    context: dict[str, Any], key: str, expected: object
) -> None:
    before = repr(context)
    page = dict(context)

    place(page)

    assert page[key] == expected
    assert repr(context) == before  # the next page's


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ("<nav>{{ toctree() }}</nav>{{ body }}", False),  # as sphinx_rtd_theme
        ("{% for one in sidebars %}{% include one %}{% endfor %}", True),
        ('{% extends "basic/layout.html" %}', True),
    ],
)
def test_a_layout_without_sidebars_has_the_menu_above_the_text(
    tmp_path: Path, layout: str, expected: bool
) -> None:
    (tmp_path / "layout.html").write_text(layout, encoding="utf-8")
    page = {"sidebars": ["localtoc.html"]}

    has_sidebars = shows_sidebars((tmp_path,))
    place(page, has_sidebars=has_sidebars)

    assert has_sidebars is expected
    assert ("menu_above_text" in page) is not expected
