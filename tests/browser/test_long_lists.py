"""A list of very many lessons does not keep a page from being shown."""

from __future__ import annotations

import pytest
from paths import PROJECT
from playwright.sync_api import Browser

STYLES = PROJECT / "gallery_site" / "static" / "gallery_site.css"


@pytest.mark.parametrize(("parts", "seen"), [(7, "visible"), (40, "auto")])
def test_only_of_very_many_parts_those_out_of_sight_are_not_laid_out(
    chromium: Browser, parts: int, seen: str
) -> None:
    page = chromium.new_page()
    styles = STYLES.read_text(encoding="utf-8")
    lessons = "<li><a href=.>Part</a></li>" * parts
    page.set_content(
        f"<style>{styles}</style><nav class=lessons><ul>{lessons}</ul></nav>"
    )

    found = page.evaluate(
        "getComputedStyle(document.querySelector('.lessons li')).contentVisibility"
    )

    page.close()
    assert found == seen
