"""On paper: the text alone, light, whole, and in the reader's language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect
from readers import Open, each_language

LESSON = "tutorials/inside/collectives.html"
PAPER: ViewportSize = {"width": 680, "height": 960}  # A4 without its margins, in px
FURNITURE = (
    "header, nav, button, dialog, form, .bd-sidebar-primary, .bd-sidebar-secondary,"
    " .prev-next-footer, .headerlink, .skip-link, .sphx-glr-download, .language-menu"
)
LOOKS = """nodes => nodes.map(node => {
  const { color, backgroundColor, borderColor, filter, colorScheme }
    = getComputedStyle(node);
  return [node.localName, color, backgroundColor, borderColor, filter, colorScheme]
    .join();
})"""
CUT = """nodes => nodes.filter(n => n.scrollWidth > n.clientWidth + 1
  || n.scrollHeight > n.clientHeight + 1).map(n => n.outerHTML.slice(0, 99))"""

Print = Callable[..., Page]


@pytest.fixture
def printed(open_page: Open) -> Print:
    """Open a page as a printer gets it, from a screen in one colour scheme."""

    def printed(language: str, scheme: str, **options: Any) -> Page:
        url = f"{language}/{LESSON}"
        page = open_page(url, viewport=PAPER, color_scheme=scheme, **options)
        page.emulate_media(media="print")
        return page

    return printed


@each_language
def test_a_page_is_printed_without_what_surrounds_it(
    printed: Print, language: str
) -> None:
    page = printed(language, "dark")
    headings = page.locator("article :is(h1, h2)")

    for furniture in page.locator(FURNITURE).all():
        expect(furniture).to_be_hidden()
    assert headings.count() > 4
    for heading in headings.all():
        expect(heading).to_be_visible()
        assert not heading.inner_text().endswith("#")
    assert page.locator("pre, main, article").evaluate_all(CUT) == []
    folded = page.locator("article details :is(pre, p)")
    assert folded.count()
    assert folded.evaluate_all("texts => texts.every(text => text.checkVisibility())")
    assert 3 < page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") < 26


@each_language
def test_the_cheat_sheet_is_one_sheet_of_paper(open_page: Open, language: str) -> None:
    page = open_page(f"{language}/cheat_sheet.html")

    assert page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") == 1


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_dark_page_is_printed_as_a_light_one(printed: Print, scripts: bool) -> None:
    light = printed("ko", "light", java_script_enabled=scripts)
    dark = printed("ko", "dark", java_script_enabled=scripts)

    # but code, which is black then
    shown = "body, main, article, article :not(.highlight, .highlight *)"
    looks = [page.locator(shown).evaluate_all(LOOKS) for page in (light, dark)]
    figures = [page.locator("article img").first for page in (light, dark)]
    pictures = [figure.screenshot() for figure in figures]
    is_equal = pictures[0] == pictures[1]  # pytest would take minutes to compare them

    assert looks[0] == looks[1]
    assert is_equal
    if scripts:  # without them the page was light before
        code = dark.locator("article .highlight *:visible")
        colours = "nodes => [...new Set(nodes.map(x => getComputedStyle(x).color))]"
        assert code.evaluate_all(colours) == light.locator("body").evaluate_all(colours)


def test_the_address_of_another_site_is_printed_and_an_inner_one_is_not(
    printed: Print,
) -> None:
    page = printed("en", "light")

    outer, inner = (
        page.locator(f"article li a.{kind} >> visible=true").evaluate_all(
            "nodes => getComputedStyle(nodes.find(node => !node.querySelector('code')),"
            " '::after').content"
        )
        for kind in ("external", "internal")
    )

    assert "https://" in outer
    assert inner in ("none", "normal")
