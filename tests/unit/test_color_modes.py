"""Colours without scripts and on paper: a rule holds where it should."""

from __future__ import annotations

import pytest

from gallery_site.color_modes import with_all_modes

LIGHT = 'html[data-theme="light"] .k{color:red}'
DARK = "html[data-theme=dark] .k{color:pink}"


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        pytest.param(
            LIGHT,
            [
                LIGHT,
                "@media (prefers-color-scheme:light)"
                "{html[data-theme=auto] .k{color:red}}",
                "@media print{html[data-theme] .k{color:red}}",
            ],
            id="light",
        ),
        pytest.param(
            DARK,
            [
                f"@media screen{{{DARK}}}",
                "@media screen and (prefers-color-scheme:dark)"
                "{html[data-theme=auto] .k{color:pink}}",
            ],
            id="dark",
        ),
        pytest.param(
            ".a:not(.b, .c),html[data-theme=dark] .k:not(.a,.b){color:pink}",
            [
                ".a:not(.b, .c){color:pink}",
                "@media screen{html[data-theme=dark] .k:not(.a,.b){color:pink}}",
                "@media screen and (prefers-color-scheme:dark)"
                "{html[data-theme=auto] .k:not(.a,.b){color:pink}}",
            ],
            id="dark and neither",
        ),
    ],
)
def test_a_rule_of_one_mode_holds_wherever_that_mode_is_meant(
    css: str, expected: list[str]
) -> None:
    before = "p{margin:0}/* k */"

    completed = with_all_modes(before + css)

    assert completed.startswith(before)
    assert completed.removeprefix(before).splitlines()[:-1] == expected


def test_a_style_sheet_is_completed_once() -> None:
    once = with_all_modes(LIGHT + DARK)

    assert with_all_modes(once) == once


def test_a_style_sheet_without_modes_stays_as_it_is() -> None:
    css = "html[data-theme]{color:red}\n@media print{p{margin:0}}\n"

    assert with_all_modes(css) == css
