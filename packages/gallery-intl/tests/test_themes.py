"""The extension with two themes, on a gallery as any project begins one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polib
import pytest
from bs4 import BeautifulSoup, Tag
from building import Copy

from gallery_intl.interface.menu import TEMPLATE, place

PAGE = "auto_examples/plot_wave"
SETTINGS = "\nsphinx_gallery_conf['plot_gallery'] = False\n"
PYDATA = """
html_theme = "pydata_sphinx_theme"
html_theme_options = {"search_bar_text": "Search the waves"}
"""


def built(copy: Callable[[str], Copy], settings: str) -> Copy:
    found = copy("themes")
    with (found.source / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write(SETTINGS + settings)
    found.catalogs()
    path = found.source / "locales/ko/LC_MESSAGES/sphinx.po"
    catalog = polib.pofile(str(path))
    for entry in catalog:
        if entry.msgid == "Search the waves":
            entry.msgstr = "파도 검색"
    catalog.save()
    assert found.build("ko") == ""
    return found


def menu(found: Copy) -> Tag:
    """Return the menu of a page, which leads to its languages."""
    page = BeautifulSoup(found.html("ko", PAGE), "html.parser")
    menu, *others = page.select("details.language-menu")
    assert all(other == menu for other in others)  # a header has one for small screens
    assert [(link["hreflang"], link["href"]) for link in menu.select("a")] == [
        ("en", "../../en/auto_examples/plot_wave.html"),
        ("ko", "../../ko/auto_examples/plot_wave.html"),
    ]
    return menu


def outer(tag: Tag) -> set[str]:
    return {name for parent in tag.parents for name in parent.get("class", [])}


def test_a_sidebar_has_the_menu_below_its_search(copy: Callable[[str], Copy]) -> None:
    found = menu(built(copy, ""))

    assert "sphinxsidebar" in outer(found)
    form = found.find_previous("form")
    assert form
    assert form["class"] == ["search"]


def test_pydatas_header_has_the_menu_and_its_prompt_is_translated(
    copy: Callable[[str], Copy],
) -> None:
    found = built(copy, PYDATA)

    assert "navbar-header-items__end" in outer(menu(found))
    page = BeautifulSoup(found.html("ko", PAGE), "html.parser")
    (field,) = {x["placeholder"] for x in page.select("input[type=search]")}
    assert field == "파도 검색"


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
