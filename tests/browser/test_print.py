"""On paper: the text alone, light, whole, and in the reader's language."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

LANGUAGES = ("en", "ko", "zh_CN", "ja")
LESSON = "tutorials/ddp/distributed_data_parallel.html"
CODE = "article .highlight"
PAPER = {"width": 680, "height": 960}  # A4 without its margins, in CSS pixels
FURNITURE = (
    "header, nav, button, dialog, form, .bd-sidebar-primary, .bd-sidebar-secondary,"
    " .prev-next-footer, .headerlink, .skip-link, .sphx-glr-download, .language-menu"
)

each_language = pytest.mark.parametrize("language", LANGUAGES)


def opened(chromium: Browser, url: str, scheme: Any, **options: Any) -> Page:
    """Open a page as a printer gets it, from a screen in one colour scheme."""
    page = chromium.new_page(viewport=PAPER, color_scheme=scheme, **options)
    page.goto(url)
    if options.get("java_script_enabled", True):
        expect(page.locator("html")).to_have_attribute("data-theme", scheme)
    page.emulate_media(media="print", color_scheme=scheme)
    return page


def looks(page: Page) -> list[str]:
    """Give the colours of all that is printed but code, which is black."""
    shown = "body, main, article, article :not(.highlight, .highlight *)"
    return page.locator(shown).evaluate_all(
        """nodes => nodes.map(node => {
            const { color, backgroundColor, borderColor, filter, colorScheme }
                = getComputedStyle(node);
            return [node.localName, color, backgroundColor, borderColor, filter,
                colorScheme].join();
        })"""
    )


def styles(page: Page, place: str, name: str) -> set[str]:
    """Give all values that a property has in some elements."""
    values = "(nodes, name) => nodes.map(node => getComputedStyle(node)[name])"
    return {*page.locator(place).evaluate_all(values, name)}


@each_language
def test_a_page_is_printed_without_what_surrounds_it(
    served: str, chromium: Browser, language: str
) -> None:
    page = opened(chromium, f"{served}{language}/{LESSON}", "light")
    headings = page.locator("article :is(h1, h2)")

    for furniture in page.locator(FURNITURE).all():
        expect(furniture).to_be_hidden()
    assert headings.count() > 4
    for heading in headings.all():
        expect(heading).to_be_visible()
        assert not heading.inner_text().endswith("#")
    page.close()


def test_all_of_a_line_of_code_is_printed(served: str, chromium: Browser) -> None:
    page = opened(chromium, f"{served}en/{LESSON}", "light")

    cut = page.locator("pre, main, article").evaluate_all(
        "nodes => nodes.filter(n => n.scrollWidth > n.clientWidth + 1"
        " || n.scrollHeight > n.clientHeight + 1).map(n => n.outerHTML.slice(0, 99))"
    )

    assert cut == []
    page.close()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_dark_page_is_printed_as_a_light_one(
    served: str, chromium: Browser, scripts: bool
) -> None:
    url = f"{served}ko/{LESSON}"
    light = opened(chromium, url, "light")
    dark = opened(chromium, url, "dark", java_script_enabled=scripts)

    assert light.locator("body").evaluate(
        "node => getComputedStyle(node).backgroundColor"
    ) in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)")
    assert looks(dark) == looks(light)
    if scripts:  # without them the page was light before
        (text,) = styles(light, "body", "color")
        assert styles(dark, f"{CODE}, {CODE} *:visible", "color") == {text}
        grounds = styles(dark, f"{CODE}, {CODE} *:visible", "backgroundColor")
        assert grounds == {"rgba(0, 0, 0, 0)"}
    light.close()
    dark.close()


def test_the_figures_of_a_dark_page_are_printed_light(
    served: str, chromium: Browser
) -> None:
    url = f"{served}ja/{LESSON}"
    light, dark = (opened(chromium, url, scheme) for scheme in ("light", "dark"))

    figures = [page.locator("article img").first for page in (light, dark)]

    assert figures[0].screenshot() == figures[1].screenshot()
    light.close()
    dark.close()


@each_language
def test_a_lesson_becomes_a_pdf_of_a_few_pages(
    served: str, chromium: Browser, language: str
) -> None:
    page = opened(chromium, f"{served}{language}/{LESSON}", "dark")

    document = page.pdf(prefer_css_page_size=True)

    assert document.startswith(b"%PDF")
    assert 3 < document.count(b"/Type /Page\n") < 16
    page.close()


def test_the_address_of_another_site_is_printed_and_an_inner_one_is_not(
    served: str, chromium: Browser
) -> None:
    page = opened(chromium, f"{served}en/{LESSON}", "light")

    outer, inner = (
        page.locator(f"article li a.{kind} >> visible=true").first.evaluate(
            "node => getComputedStyle(node, '::after').content"
        )
        for kind in ("external", "internal")
    )

    assert outer.startswith('" (" "https://') or outer.startswith('" (https://')
    assert inner in ("none", "normal")
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_has_the_accent_of_the_screen(
    served: str, chromium: Browser, scheme: str
) -> None:
    page = opened(chromium, f"{served}en/{LESSON}", scheme)

    def colour(place: str, name: str) -> str:
        return str(
            page.locator(place).first.evaluate(
                "(node, name) => getComputedStyle(node)[name]", name
            )
        )

    link = colour("article a.external", "color")
    assert colour(".sphx-glr-script-out pre", "borderLeftColor") == link
    text = colour("article section > p", "color")
    assert colour("article p > code", "color") == text
    page.close()
