"""Several figures of a block are steps, one of which is shown."""

from __future__ import annotations

from playwright.sync_api import expect
from readers import LANGUAGES, Open, each_language

RING = "tutorials/inside/collectives.html"
FIGURES = ".figure-steps img"
SHOWN = f"{FIGURES}:visible"


@each_language
def test_a_click_and_the_arrow_keys_show_the_next_step(
    open_page: Open, language: str
) -> None:
    page = open_page(f"{language}/{RING}")
    figures = page.locator(FIGURES)
    first, second, third = (figures.nth(number) for number in range(3))
    expect(page.locator(SHOWN)).to_have_count(1)
    expect(first).to_be_visible()

    page.locator(".figure-steps label:visible").click()
    expect(second).to_be_visible()
    page.keyboard.press("ArrowRight")

    expect(third).to_be_visible()
    expect(page.locator(SHOWN)).to_have_count(1)


def test_each_step_is_described_and_numbered(open_page: Open) -> None:
    page = open_page(f"{LANGUAGES[0]}/{RING}")
    steps = page.locator(".figure-steps input")

    alts = page.locator(FIGURES).evaluate_all("all => all.map(one => one.alt)")

    assert len(set(alts)) == len(alts) == steps.count() > 1
    assert "" not in alts
    expect(steps.first).to_have_accessible_name(f"Step 1 of {len(alts)}")


def test_without_a_script_the_steps_work(open_page: Open) -> None:
    page = open_page(f"ko/{RING}", java_script_enabled=False)

    page.locator(".figure-steps input").nth(1).check()

    expect(page.locator(FIGURES).nth(1)).to_be_visible()
    expect(page.locator(FIGURES).nth(0)).to_be_hidden()


def test_in_print_all_steps_are_below_each_other(open_page: Open) -> None:
    page = open_page(f"ko/{RING}")

    page.emulate_media(media="print")

    expect(page.locator(SHOWN)).to_have_count(page.locator(FIGURES).count())
    expect(page.locator(".figure-steps input:visible")).to_have_count(0)
