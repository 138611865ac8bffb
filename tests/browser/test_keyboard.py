"""By keyboard alone: all is reached, in order, seen when it is, and left again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from paths import PROJECT
from playwright.sync_api import Page, expect
from readers import DESK, LESSON, PHONE, Open, each_language, each_scheme

from gallery_intl.catalogs import po as catalogs

STILL = {"reduced_motion": "reduce"}
# What Tab passes on a lesson, in this order; the places between may be of any kind.
STATIONS = (
    ".skip-link a",
    "a.navbar-brand",
    ".bd-header .nav-link",
    "button.search-button__button",
    ".language-menu summary",
    "button.theme-switch-button",
    ".bd-docs-nav a",
    ".bd-breadcrumbs a",
    ".downloads a",
    "button.copybtn",
    "article section section a",
    ".prev-next-footer a",
    ".page-toc a",
)
LOOK = """places => {
  const node = document.activeElement;
  if (!node || node === document.body) return null;
  const style = getComputedStyle(node), box = node.getBoundingClientRect();
  const ground = (node) => {
    for (; node; node = node.parentElement) {
      const colour = getComputedStyle(node).backgroundColor;
      if (!/^rgba\\(.*, 0\\)$/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  window.seen ??= new Set();
  const again = window.seen.has(node);
  window.seen.add(node);
  return {
    again,
    stations: places.filter((place) => node.matches(place)),
    html: node.outerHTML.slice(0, 120),
    shown: node.checkVisibility({ opacityProperty: true, visibilityProperty: true })
      && box.width > 1 && box.height > 1 && box.right > 0 && box.bottom > 0,
    outline: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
    outlineColour: style.outlineColor,
    shadow: style.boxShadow,
    ground: ground(node.parentElement),
  };
}"""
RING = re.compile(r"(rgba?\([^)]*\)) 0px 0px 0px ([\d.]+)px(?! inset)")
UNREACHABLE = """nodes => nodes.filter(node => node.scrollWidth > node.clientWidth
  && node.tabIndex < 0 && getComputedStyle(node).overflowX !== "visible").length"""


def walk(page: Page) -> Iterator[dict[str, Any]]:
    """Press Tab until the focus has left the page or is where it was before."""
    for _step in range(400):
        page.keyboard.press("Tab")
        look = page.evaluate(LOOK, list(STATIONS))
        if look is None or look["again"]:
            return
        yield look
    raise AssertionError("Tab goes on for ever")


def luminance(colour: str) -> float:
    """Return the relative luminance of a CSS colour, as WCAG defines it."""
    parts = [int(part) / 255 for part in re.findall(r"[\d.]+", colour)[:3]]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def indication(look: dict[str, Any]) -> float:
    """Return the contrast of what shows the focus: an outline, or a ring of shadow."""
    ring = RING.search(look["shadow"])
    if look["outline"] >= 1:
        return contrast(look["outlineColour"], look["ground"])
    if ring and float(ring[2]) >= 1:
        return contrast(ring[1], look["ground"])
    return 1.0


@each_scheme
def test_tab_reaches_everything_in_order_and_shows_where_it_is(
    open_page: Open, scheme: str
) -> None:
    page = open_page(f"ko/{LESSON}", color_scheme=scheme, **STILL)
    expect(page.locator("button.copybtn").first).to_be_attached()

    looks = list(walk(page))

    order = [station for look in looks for station in look["stations"]]
    assert list(dict.fromkeys(order)) == list(STATIONS)
    assert [look["html"] for look in looks if not look["shown"]] == []
    assert [look["html"] for look in looks if indication(look) < 3] == []


@each_language
def test_the_skip_link_is_first_is_seen_and_leads_to_the_content(
    open_page: Open, language: str
) -> None:
    po = catalogs.po_path(PROJECT / "locales", language, "sphinx")
    page = open_page(f"{language}/{LESSON}", **STILL)
    link = page.locator(".skip-link a")

    page.keyboard.press("Tab")

    expect(link).to_be_focused()
    expect(link).to_be_in_viewport(ratio=1)
    expect(link).to_have_text(catalogs.translations(po)["Skip to main content"])
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_colour_menu_opens_chooses_and_closes(open_page: Open, key: str) -> None:
    page = open_page(f"ko/{LESSON}", color_scheme="light", **STILL)
    button = page.locator("button.theme-switch-button:visible")
    dark = page.locator(".theme-change-button[data-mode=dark]:visible")

    button.focus()
    page.keyboard.press(key)
    expect(dark).to_be_visible()
    page.keyboard.press("Escape")
    expect(dark).to_have_count(0)
    expect(button).to_be_focused()
    page.keyboard.press(key)
    for _choice in ("auto", "light", "dark"):
        page.keyboard.press("ArrowDown")
    expect(dark).to_be_focused()
    page.keyboard.press("Enter")

    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.evaluate("localStorage.clear()")


@pytest.mark.parametrize(
    ("opener", "inside", "size"),
    [
        ("button.search-button__button", "pst-search-dialog", DESK),
        ("button.search-button__button", "pst-search-dialog", PHONE),
        ("button.primary-toggle", "pst-primary-sidebar-modal", PHONE),
        ("button.secondary-toggle", "pst-secondary-sidebar-modal", PHONE),
    ],
)
def test_a_dialog_holds_the_focus_until_escape_gives_it_back(
    open_page: Open, opener: str, inside: str, size: Any
) -> None:
    page = open_page(f"ja/{LESSON}", viewport=size, **STILL)
    button = page.locator(f"{opener}:visible").first

    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator(f"#{inside}")).to_be_visible()
    assert page.evaluate("document.activeElement.closest('dialog')?.id") == inside
    page.keyboard.press("Escape")

    expect(page.locator(f"#{inside}")).to_be_hidden()
    expect(button).to_be_focused()


@pytest.mark.parametrize("opener", ["primary", "secondary"])
def test_a_drawer_of_a_phone_is_closed_by_a_button_and_by_its_links(
    open_page: Open, opener: str
) -> None:
    page = open_page(f"ja/{LESSON}", viewport=PHONE, **STILL)
    button = page.locator(f"button.{opener}-toggle")
    drawer = page.locator(f"#pst-{opener}-sidebar-modal")

    button.click()
    drawer.locator(".close-drawer button").click()
    expect(drawer).to_be_hidden()
    expect(button).to_be_focused()
    button.click()
    expect(drawer).to_be_visible()
    page.mouse.click(5 if opener == "secondary" else 330, 600)
    expect(drawer).to_be_hidden()
    button.click()
    drawer.locator("a[href^='#']").first.click()

    expect(drawer).to_be_hidden()


def test_what_is_wider_than_its_place_is_scrolled_with_the_arrow_keys(
    open_page: Open,
) -> None:
    page = open_page(f"en/{LESSON}", viewport=PHONE, **STILL)

    page.locator("article pre[tabindex='0']").first.focus()
    page.keyboard.press("ArrowRight")

    page.wait_for_function("document.activeElement.scrollLeft > 0")
    scrolled = page.locator("article :is(pre, .pst-scrollable-table-container)")
    assert scrolled.evaluate_all(UNREACHABLE) == 0


def test_the_focus_in_the_header_leaves_the_page_where_it_is(open_page: Open) -> None:
    page = open_page(f"en/{LESSON}", **STILL)
    page.evaluate("window.scrollTo(0, 3000)")
    page.wait_for_function("window.scrollY === 3000")
    is_in_header = "document.activeElement.closest('header, .skip-link') !== null"

    for _stop in range(9):
        page.keyboard.press("Tab")
        if page.evaluate(is_in_header):
            assert page.evaluate("window.scrollY") == 3000
    link = page.locator("article a.external").first
    link.focus()
    box, header = (x.bounding_box() for x in (link, page.locator("header.bd-header")))
    assert box
    assert header
    assert box["y"] >= header["height"], "hidden by the header"
