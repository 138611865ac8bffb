"""Pages run the site's own scripts only, whatever else should get into them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from polling import wait_until
from sphinx.testing.util import SphinxTestApp

from gallery_site.policy import (
    forbidden,
    protected,
    source_of,
    with_policy,
    without_eval,
)
from gallery_site.project import BuildError

PAGE = "ko/tutorials/ranks/hello_ranks.html"
THEME = """<!DOCTYPE html>
<html lang="ko">
<head>
<meta charset="utf-8">
<script>DOCUMENTATION_OPTIONS.pagename = 'part/page';</script>
<noscript><style>.x { display: none }</style></noscript>
</head>
"""
WORDS = """Documentation.addTranslations({
    "locale": "xx",
    "messages": {"one": "eins"},
    "plural_expr": "(n != 1)"
});
"""
# Each would leave a mark in the page or ask another host.
PLANTED = {
    "script": "<script>window.planted = true</script>",
    "event": "<img src=x onerror='window.planted = true'>",
    "link": "<a id=bait href='javascript:window.planted = true'>x</a>",
    "picture": "<img src='http://elsewhere.invalid/x.png'>",
    "style": "<style>body { background: url(http://elsewhere.invalid/y) }</style>",
    "sheet": "<link rel=stylesheet href='http://elsewhere.invalid/z.css'>",
    "frame": "<iframe src='http://elsewhere.invalid/f'></iframe>",
    "plug-in": "<object data='http://elsewhere.invalid/o'></object>",
    "base": "<base href='http://elsewhere.invalid/'><img src=b.png>",
    "form": "<form action='http://elsewhere.invalid/'><input type=submit id=bait>",
}
# What must forbid it: the right directive, and not another that happens to.
FORBIDS = {
    "script": "script-src",
    "event": "script-src",
    "link": "script-src",
    "picture": "img-src",
    "style": "style-src",
    "sheet": "style-src",
    "frame": "frame-src",
    "plug-in": "object-src",
    "base": "base-uri",
    "form": "form-action",
}
NOTE = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(event.violatedDirective + " " + event.blockedURI));
"""

Open = Callable[[str], Page]


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[Open]:
    """Open an address in a fresh context that notes what the policy forbids."""
    context = chromium.new_context(permissions=["clipboard-write"])
    context.add_init_script(NOTE)

    def open_page(url: str) -> Page:
        page = context.new_page()
        page.goto(url)
        return page

    yield open_page
    context.close()


def violations(page: Page) -> list[str]:
    found: list[str] = page.evaluate("window.violations")
    return found


# the policy in a file; `tests/site/test_site.py` looks at all


def test_a_page_keeps_the_policy_that_it_has() -> None:
    once = with_policy(THEME)

    assert with_policy(once) == once


def test_a_page_without_a_head_gets_the_policy_too() -> None:
    page = '<!doctype html><title>moved</title><script src="x.js"></script>'

    secured = with_policy(page)

    assert re.match(r"<!doctype html>\s*<meta http-equiv=\"Content-Sec", secured)


def test_only_scripts_that_are_known_are_allowed_and_the_others_are_told(
    tmp_path: Path,
) -> None:
    bad = THEME + PLANTED["script"]

    for page in (bad, with_policy(bad)):  # when the policy is there already too
        assert forbidden(page) == ["window.planted = true"]
        with pytest.raises(BuildError, match=r"page\.html: an inline script"):
            protected(page, tmp_path / "page.html")

    assert source_of("DOCUMENTATION_OPTIONS.pagename = 'part/page';") in with_policy(
        bad
    )
    assert source_of("window.planted = true") not in with_policy(bad)


@pytest.mark.parametrize("is_on", [False, True])
def test_a_project_has_the_policy_only_if_it_asks_for_it(
    tmp_path: Path, is_on: bool
) -> None:
    (tmp_path / "conf.py").write_text(
        'extensions = ["gallery_site"]\nhtml_theme = "pydata_sphinx_theme"\n'
        + ("gallery_intl_policy = True\n" if is_on else "")
    )
    (tmp_path / "index.rst").write_text(
        "Page\n====\n\n.. raw:: html\n\n   <script>plot()</script>\n"
    )

    app = SphinxTestApp("html", srcdir=tmp_path)
    app.build()
    app.cleanup()

    page = (app.outdir / "index.html").read_text(encoding="utf-8")
    told = app.warning.getvalue()
    assert ("Content-Security-Policy" in page) == is_on
    assert ("index.html: an inline script that no page may run: 'plot()'" in told) == (
        is_on
    )


def test_the_words_of_sphinxs_scripts_are_no_program() -> None:
    script = without_eval(WORDS)

    assert "addTranslations" not in script
    assert '{"one": "eins"}' in script
    assert "(n) => Number((n != 1))" in script


# the policy in the browser


@pytest.mark.parametrize("kind", PLANTED)
def test_what_is_planted_into_a_page_does_nothing(
    served: str, open_page: Open, kind: str
) -> None:
    page = open_page(f"{served}index.html")
    asked: list[str] = []
    page.route("**://elsewhere.invalid/**", lambda route: note(route, asked))
    planted = with_policy(THEME) + PLANTED[kind]
    page.route(f"{served}bait.html", lambda route: route.fulfill(body=planted))

    page.goto(f"{served}bait.html")
    page.evaluate("document.getElementById('bait')?.click()")

    wait_until(page, "name => violations.some(x => x.startsWith(name))", FORBIDS[kind])
    assert page.evaluate("window.planted") is None
    assert asked == []


def note(route: Route, asked: list[str]) -> None:
    asked.append(route.request.url)
    route.abort()


@pytest.mark.parametrize("from_disk", [False, True], ids=["served", "file"])
def test_what_readers_do_breaks_no_policy(
    site: Path, served: str, open_page: Open, from_disk: bool
) -> None:
    root = f"{site.as_uri()}/" if from_disk else served
    page = open_page(root + PAGE)

    page.locator("button.theme-switch-button:visible").click()
    page.locator(".theme-change-button[data-mode=dark]:visible").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    block = page.locator(".highlight-Python").first
    block.hover()
    block.locator("button.copybtn").click()
    page.locator("details.language-menu summary:visible").click()
    page.keyboard.press("Escape")
    page.locator("button.search-button__button:visible").click()
    page.locator("dialog[open] input[type=search]").fill("DataParallel")
    assert violations(page) == []
    page.keyboard.press("Enter")

    expect(page.locator("#search-results li a").first).to_be_visible()
    if not from_disk:  # a page on disk may not read others
        expect(page.locator("#search-results .context").first).to_be_visible()
    assert violations(page) == []


def test_without_javascript_buttons_that_need_it_are_hidden(
    served: str, chromium: Browser
) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(served + PAGE)

    assert page.locator(".pst-js-only").count() > 0
    expect(page.locator(".pst-js-only:visible")).to_have_count(0)
    context.close()
