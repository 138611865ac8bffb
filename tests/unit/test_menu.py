"""The language menu stands where a theme has a place for it."""

from __future__ import annotations

from typing import Any

import pytest

from gallery_intl.interface.menu import TEMPLATE, place

PYDATA = {"theme_navbar_end": "theme-switcher, navbar-icon-links"}
BOOK = {"theme_navbar_end": "", "theme_article_header_end": "buttons.html"}
FURO = ["sidebar/brand.html", "sidebar/search.html", "sidebar/navigation.html"]


@pytest.mark.parametrize(
    ("context", "key", "expected"),
    [
        pytest.param(
            PYDATA,
            "theme_navbar_end",
            [TEMPLATE, "theme-switcher", "navbar-icon-links"],
            id="the header of all pages",
        ),
        pytest.param(
            {"theme_navbar_end": ["switch"], "sidebars": ["sidebar-nav-bs"]},
            "theme_navbar_end",
            [TEMPLATE, "switch"],
            id="the header of conf.py",
        ),
        pytest.param(
            {**BOOK, "sidebars": ["search-button-field.html"]},
            "theme_article_header_end",
            [TEMPLATE, "buttons.html"],
            id="the header of an article",
        ),
        pytest.param(
            {"sidebars": FURO},
            "sidebars",
            [*FURO[:2], TEMPLATE, FURO[2]],
            id="behind the search in a sidebar",
        ),
        pytest.param(
            {"sidebars": ["localtoc.html"]},
            "sidebars",
            ["localtoc.html", TEMPLATE],
            id="the end of a sidebar without a search",
        ),
        pytest.param({"sidebars": []}, "menu_above_text", True, id="no sidebar"),
    ],
)
def test_the_first_place_that_a_theme_has_is_taken(
    context: dict[str, Any], key: str, expected: object
) -> None:
    before = repr(context)
    page = dict(context)

    place(page, {"a_theme", "basic"})

    assert page[key] == expected
    assert repr(context) == before  # the next page's


def test_read_the_docs_theme_and_its_children_have_it_below_the_search() -> None:
    page = {"sidebars": ["localtoc.html"]}

    place(page, {"a_child", "sphinx_rtd_theme", "basic"})

    assert page == {"sidebars": ["localtoc.html"], "menu_behind_search": True}
