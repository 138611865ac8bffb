"""By keyboard alone: all is reached, in order, seen when it is, and left again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from paths import PROJECT
from playwright.sync_api import Browser, Locator, Page, expect
from polling import wait_until

from gallery_intl.catalogs import po as catalogs

LANGUAGES = ("en", "ko", "zh_CN", "ja")
LESSON = "tutorials/ranks/hello_ranks.html"
DESK = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
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
LOOK = """() => {
  const node = document.activeElement;
  if (!node || node === document.body) return null;
  const style = getComputedStyle(node), box = node.getBoundingClientRect();
  const behind = (node) => {
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
    stations: %s.filter((place) => node.matches(place)),
    html: node.outerHTML.slice(0, 120),
    shown: node.checkVisibility({ opacityProperty: true, visibilityProperty: true })
      && box.width > 1 && box.height > 1 && box.right > 0 && box.bottom > 0,
    outline: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
    outlineColour: style.outlineColor,
    shadow: style.boxShadow,
    behind: behind(node.parentElement),
  };
}"""


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport=DESK, reduced_motion="reduce")
    yield context.new_page()
    context.close()


def walk(page: Page) -> Iterator[dict[str, Any]]:
    """Press Tab until the focus has left the page or is where it was before."""
    script = LOOK % list(STATIONS)
    for _step in range(400):
        page.keyboard.press("Tab")
        look = page.evaluate(script)
        if look is None or look["again"]:
            return
        yield look
    raise AssertionError("Tab goes on for ever")


def luminance(colour: str) -> float:
    """Give the relative luminance of a CSS colour, as WCAG defines it."""
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
    """Give the contrast of what shows the focus: an outline, or a ring of shadow."""
    ring = re.search(
        r"(rgba?\([^)]*\)) 0px 0px 0px ([\d.]+)px(?! inset)", look["shadow"]
    )
    if look["outline"] >= 1:
        return contrast(look["outlineColour"], look["behind"])
    if ring and float(ring[2]) >= 1:
        return contrast(ring[1], look["behind"])
    return 1.0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_tab_reaches_everything_in_order_and_shows_where_it_is(
    served: str, page: Page, scheme: Any
) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{served}ko/{LESSON}")
    expect(page.locator("button.copybtn").first).to_be_attached()

    looks = list(walk(page))

    order = [station for look in looks for station in look["stations"]]
    first = {station: order.index(station) for station in STATIONS if station in order}
    assert list(first) == list(STATIONS)
    assert sorted(first, key=lambda station: first[station]) == list(STATIONS)
    hidden = [look["html"] for look in looks if not look["shown"]]
    assert not hidden, "\n".join(hidden)
    unseen = [look["html"] for look in looks if indication(look) < 3]
    assert not unseen, "\n".join(unseen)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_skip_link_is_first_is_seen_and_leads_to_the_content(
    served: str, page: Page, language: str
) -> None:
    po = catalogs.po_path(PROJECT / "locales", language, "sphinx")
    page.goto(f"{served}{language}/{LESSON}")
    link = page.locator(".skip-link a")

    page.keyboard.press("Tab")

    expect(link).to_be_focused()
    expect(link).to_be_in_viewport(ratio=1)
    expect(link).to_have_text(catalogs.translations(po)["Skip to main content"])
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")


def press(page: Page, button: Locator, key: str) -> None:
    button.focus()
    page.keyboard.press(key)


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_colour_menu_opens_chooses_and_closes(
    served: str, page: Page, key: str
) -> None:
    page.emulate_media(color_scheme="light")
    page.goto(f"{served}ko/{LESSON}")
    button = page.locator("button.theme-switch-button:visible")
    dark = page.locator(".theme-change-button[data-mode=dark]:visible")

    press(page, button, key)
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
        ("button.search-button__button", "#pst-search-dialog", DESK),
        ("button.search-button__button", "#pst-search-dialog", PHONE),
        ("button.primary-toggle", "#pst-primary-sidebar-modal", PHONE),
        ("button.secondary-toggle", "#pst-secondary-sidebar-modal", PHONE),
    ],
)
def test_a_dialog_holds_the_focus_until_escape_gives_it_back(
    served: str, page: Page, opener: str, inside: str, size: Any
) -> None:
    page.set_viewport_size(size)
    page.goto(f"{served}ja/{LESSON}")
    button = page.locator(f"{opener}:visible").first

    press(page, button, "Enter")
    expect(page.locator(inside)).to_be_visible()
    assert page.evaluate("document.activeElement.closest('dialog')?.id") == inside[1:]
    page.keyboard.press("Escape")

    expect(page.locator(inside)).to_be_hidden()
    expect(button).to_be_focused()
    page.set_viewport_size(DESK)


def test_what_is_wider_than_its_place_is_scrolled_with_the_arrow_keys(
    served: str, page: Page
) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"{served}en/{LESSON}")
    block = page.locator("article pre[tabindex='0']").first

    block.focus()
    page.keyboard.press("ArrowRight")

    wait_until(page, "document.activeElement.scrollLeft > 0")
    unreachable = page.locator("article :is(pre, .pst-scrollable-table-container)")
    assert not unreachable.evaluate_all(
        "nodes => nodes.filter(n => n.scrollWidth > n.clientWidth && n.tabIndex < 0"
        " && getComputedStyle(n).overflowX !== 'visible').length"
    )
    page.set_viewport_size(DESK)


def test_the_focus_in_the_header_leaves_the_page_where_it_is(
    served: str, page: Page
) -> None:
    page.goto(f"{served}en/{LESSON}")
    page.evaluate("window.scrollTo(0, 3000)")
    wait_until(page, "window.scrollY === 3000")

    for _stop in range(9):
        page.keyboard.press("Tab")
        is_in_header = "document.activeElement.closest('header, .skip-link') !== null"
        if page.evaluate(is_in_header):
            assert page.evaluate("window.scrollY") == 3000
    page.locator("article a.external").first.focus()
    box = page.locator("article a.external").first.bounding_box()
    header = page.locator("header.bd-header").bounding_box()
    assert box
    assert header
    assert box["y"] >= header["height"], "hidden behind the header"


def test_what_is_printed_has_no_copy_button(served: str, page: Page) -> None:
    page.goto(f"{served}en/{LESSON}")
    expect(page.locator("button.copybtn").first).to_be_attached()

    outputs = page.locator(":is(.sphx-glr-script-out, .recorded-out) pre")

    assert outputs.count() > 3
    buttons = page.locator(":is(.sphx-glr-script-out, .recorded-out) button.copybtn")
    expect(buttons).to_have_count(0)


@pytest.mark.parametrize("opener", ["primary", "secondary"])
def test_a_drawer_of_a_phone_is_closed_by_a_button_and_by_its_links(
    served: str, page: Page, opener: str
) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"{served}ja/{LESSON}")
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
    page.set_viewport_size(DESK)
