"""The calculator computes what the Python on its page does, and keeps its state."""

from __future__ import annotations

import itertools
from dataclasses import asdict
from typing import Any

import pytest
from paths import PROJECT
from playwright.sync_api import Page, expect
from readers import Open, each_scheme
from watching import is_too_wide

PAGE = "en/tutorials/long_runs/will_it_fit.html"
SCRIPT = PROJECT / "gallery/long_runs/will_it_fit.py"
PHONE = {"width": 320, "height": 700}
# Fills the form for one run after the other, and reads what the page then says.
ANSWERS = """runs => runs.map(run => {
  const form = document.querySelector(".fit-form");
  for (const [name, value] of Object.entries(run)) {
    const field = form.elements[name];
    if (field.type === "checkbox") field.checked = value; else field.value = value;
  }
  form.dispatchEvent(new Event("input"));
  return [...document.querySelectorAll(".fit-results section")].map(section => [
    section.querySelector("p a").textContent,
    section.className,
    section.querySelector("strong").textContent,
    ...[...section.querySelectorAll("data")].map(node => Number(node.value)),
  ]);
})"""


@pytest.fixture(scope="module")
def lesson() -> dict[str, Any]:
    """What the page defines, up to its first output."""
    formulas, marker, _rest = SCRIPT.read_text("utf-8").partition("# .. _will-it-fit-")
    assert marker
    names: dict[str, Any] = {"__name__": "will_it_fit"}
    exec(compile(formulas, str(SCRIPT), "exec", dont_inherit=True), names)
    return names


def grid(lesson: dict[str, Any]) -> list[Any]:
    """Return the models of the page in all settings, and runs at the limits."""
    settings = itertools.product(
        lesson["MODELS"].values(), (1, 2, 8, 64, 99), ("bf16", "fp32"), (True, False)
    )
    runs = [
        lesson["replace"](model, gpus=gpus, precision=name, checkpointing=checkpointing)
        for model, gpus, name, checkpointing in settings
    ]
    run = lesson["Run"]
    return [
        *runs,
        run(0.001, 1, 1, 1, 1, gpus=1, memory=0.001, speed=0.001, link=0.001),
        run(0.5, 24, 4096, 128_256, 100, gpus=4),  # fewer parameters than words need
        run(1.2, 16, 2048, 128_256, 131_072, gpus=3, checkpointing=False),
        run(405, 126, 16_384, 128_256, 1, gpus=16_384, memory=141.5, link=12.5),
        run(7, 7, 100, 10, 1_000_000, gpus=5, checkpointing=True),
    ]


def expected(lesson: dict[str, Any], run: Any) -> list[list[Any]]:
    """Return what the page has to say about a run: for each strategy a list."""
    found = []
    for strategy in lesson["STRATEGIES"]:
        held = lesson["held"](strategy, run)
        computing, sending = lesson["seconds"](strategy, run)
        answer = "Fits" if sum(held) <= run.memory else "Doesn\u2019t fit"
        if not lesson["is_possible"](strategy, run):
            answer = "Not possible"
        look = "fit" if answer == "Fits" else "fit-not"
        parts = [part for part in held if part]
        sent = lesson["sent"](strategy, run)
        numbers = [sum(held), *parts, computing, sending, sent]
        found.append([strategy, look, answer, *numbers])
    return found


def assert_says(answers: list[list[Any]], lesson: dict[str, Any], run: Any) -> None:
    for found, wanted in zip(answers, expected(lesson, run), strict=True):
        assert found[:3] == wanted[:3], run
        assert found[3:] == pytest.approx(wanted[3:], rel=1e-12), (run, found[0])


def shown(page: Page) -> list[str]:
    return page.locator(".fit-results section").all_inner_texts()


def test_the_browser_computes_what_the_page_defines(
    open_page: Open, lesson: dict[str, Any]
) -> None:
    page = open_page(PAGE)
    runs = grid(lesson)

    answers = page.evaluate(ANSWERS, [asdict(run) for run in runs])

    assert len(runs) > 60
    for run, of_run in zip(runs, answers, strict=True):
        assert_says(of_run, lesson, run)


def test_the_table_has_the_models_of_the_formulas(
    open_page: Open, lesson: dict[str, Any]
) -> None:
    page = open_page(PAGE)
    models = page.locator(".fit-form select").first

    for name, run in lesson["MODELS"].items():
        models.select_option(name)
        assert_says(page.evaluate(ANSWERS, [{}])[0], lesson, run)


def test_the_address_keeps_the_numbers(open_page: Open) -> None:
    page = open_page(PAGE)
    before = shown(page)
    page.locator("input[name=gpus]").fill("32")
    page.locator("select[name=precision]").select_option("fp32")
    page.locator("input[name=checkpointing]").uncheck()
    changed = shown(page)

    again = open_page(page.url)

    assert shown(again) == changed != before
    assert again.locator("input[name=gpus]").input_value() == "32"
    assert again.locator(".fit-form select").first.input_value() == ""


def test_an_address_with_nonsense_shows_the_first_model(open_page: Open) -> None:
    page = open_page(PAGE)
    other = open_page(f"{page.url}?gpus=-1&blocks=many&precision=int3&link=")

    assert shown(other) == shown(page)


def test_a_number_that_cannot_be_changes_nothing(open_page: Open) -> None:
    page = open_page(PAGE)
    before, address = shown(page), page.url

    page.locator("input[name=gpus]").fill("0")

    assert page.locator(".fit-form input:invalid").count() == 1
    assert (shown(page), page.url) == (before, address)


def test_it_works_by_keyboard(open_page: Open) -> None:
    page = open_page(PAGE)
    before = shown(page)
    page.locator("input[name=tokens]").focus()

    page.keyboard.press("Tab")
    page.keyboard.press("ArrowUp")

    expect(page.locator("input[name=gpus]")).to_be_focused()
    assert page.locator("input[name=gpus]").input_value() == "9"
    assert shown(page) != before


@each_scheme
def test_a_phone_has_room_for_it(open_page: Open, scheme: str) -> None:
    page = open_page(PAGE, viewport=PHONE, color_scheme=scheme)

    assert page.locator(".fit-bar:visible").count() == 5
    assert not is_too_wide(page)


def test_each_bar_leads_to_a_lesson(open_page: Open) -> None:
    page = open_page(PAGE)
    links = page.locator(".fit-results :is(p, .fit-bar) a")

    addresses = links.evaluate_all("links => links.map(link => link.href)")

    assert len(addresses) == 5 * 7
    assert len({*addresses}) > 5
    assert all("/en/tutorials/" in address for address in addresses)


def test_without_scripts_there_is_the_table(open_page: Open) -> None:
    page = open_page(PAGE, java_script_enabled=False)

    expect(page.locator("table.will-it-fit tr")).to_have_count(12)
    expect(page.locator("article .sphx-glr-script-out").first).to_contain_text("fits")
    assert page.locator(".fit-form").count() == 0
